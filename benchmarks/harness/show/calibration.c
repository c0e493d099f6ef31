/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/show/calibration.h"

#include <math.h>

#include "benchmarks/harness/text/format.h"

static struct al_text number(double value)
{
    return al_format_number(value, 4);
}

static void print_pairs(const struct al_calibration *calibration, FILE *out)
{
    for (size_t i = 0; i < calibration->n_pairs; i++) {
        const struct al_calibration_pair *pair = &calibration->pairs[i];
        fprintf(out, "PUs %u and %u (%s): %s ns by compare-and-swap, %s ns by load and store\n",
                pair->pu, pair->other, al_model_parameters[pair->class].name,
                number(al_samples_median(&pair->handoff)).text,
                number(al_samples_median(&pair->exchange)).text);
    }
}

void al_calibration_print(const struct al_calibration *calibration, FILE *out)
{
    fprintf(out, "%-16s %12s  %-7s %-24s %s\n", "parameter", "value", "unit", "range", "quality");
    for (size_t key = 0; key < AL_MODEL_KEYS; key++) {
        const struct al_model_value *value = &calibration->values[key];
        const struct al_model_parameter *parameter = &al_model_parameters[key];
        char range[100];
        if (!calibration->needs[key])
            continue;
        snprintf(range, sizeof range, "%s to %s", number(value->low).text,
                 number(value->high).text);
        fprintf(out, "%-16s %12s  %-7s %-24s %s\n", parameter->name, number(value->value).text,
                parameter->unit, range, al_model_qualities[value->quality]);
    }
    print_pairs(calibration, out);
}

/* The core of a PU. */
static uint32_t core_of(const struct al_machine *machine, unsigned pu)
{
    uint32_t i = 0;
    while (machine->pus[i].os_index != pu)
        i++;
    return machine->pus[i].core;
}

/* The machine's value: of hand-offs, that of the pairs that were measured. */
static double expected(const struct al_calibration *calibration, const struct al_model *model,
                       const struct al_machine *machine, size_t key)
{
    struct al_samples ns = {.n = 0};
    for (size_t i = 0; i < calibration->n_pairs; i++) {
        const struct al_calibration_pair *pair = &calibration->pairs[i];
        size_t row = core_of(machine, pair->pu), column = core_of(machine, pair->other);
        if (pair->class == key && row != column)
            al_samples_add(&ns, (double)machine->handoff[row * machine->n_cores + column] / 1000);
    }
    return ns.n > 0 ? al_samples_median(&ns) : model->values[key].value;
}

size_t al_calibration_compare(const struct al_calibration *calibration,
                              const struct al_model *model, const struct al_machine *machine,
                              FILE *out)
{
    size_t different = 0;
    fprintf(out, "%-16s %12s %12s  %-7s %6s\n", "parameter", "file", "measured", "unit", "ratio");
    for (size_t key = 0; key < AL_MODEL_KEYS; key++) {
        const struct al_model_value *value = &calibration->values[key];
        const struct al_model_parameter *parameter = &al_model_parameters[key];
        if (!calibration->needs[key])
            continue;
        double wanted = expected(calibration, model, machine, key);
        bool measured = value->quality == AL_MODEL_MEASURED;
        bool far = measured && fabs(value->value - wanted) > AL_CALIBRATION_TOLERANCE * wanted;
        fprintf(out, "%-16s %12s %12s  %-7s %6s%s\n", parameter->name, number(wanted).text,
                measured ? number(value->value).text : "-", parameter->unit,
                measured && wanted > 0 ? al_format_number(value->value / wanted, 3).text : "-",
                far ? "  beyond 10%" : "");
        different += far;
    }
    return different;
}
