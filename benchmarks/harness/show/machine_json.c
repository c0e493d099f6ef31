/* SPDX-License-Identifier: MIT */

/* A simulated machine as JSON. */

#include "benchmarks/harness/show/machine.h"

#include <inttypes.h>
#include <stdlib.h>

#include "benchmarks/harness/text/format.h"
#include "core/machine/model.h"

static json_t *text(const char *content)
{
    char *printable = al_printable(content);
    json_t *string = json_string(printable);
    free(printable);
    return string;
}

static json_t *parameter_json(const struct al_model *model, size_t key)
{
    const struct al_model_parameter *parameter = &al_model_parameters[key];
    const struct al_model_value *value = &model->values[key];
    return json_pack("{s:s, s:f, s:s, s:f, s:f, s:s, s:o, s:s}", "name", parameter->name, "value",
                     value->value, "unit", parameter->unit, "low", value->low, "high", value->high,
                     "quality", al_model_qualities[value->quality], "source", text(value->source),
                     "help", parameter->help);
}

static json_t *class_json(const struct al_machine *machine, unsigned key)
{
    struct al_machine_class found = al_machine_class(machine, key);
    return json_pack("{s:s, s:I, s:f, s:f}", "name", al_model_parameters[key].name, "pairs",
                     (json_int_t)found.pairs, "least_ns", found.least / 1e3, "most_ns",
                     found.most / 1e3);
}

json_t *al_machine_json(const struct al_model *model, const struct al_machine *machine)
{
    json_t *parameters = json_array(), *handoffs = json_array();
    char hash[17];
    snprintf(hash, sizeof hash, "%016" PRIx64, al_model_hash(model));
    for (unsigned key = 0; key < AL_MODEL_KEYS; key++) {
        if (model->values[key].source == NULL)
            continue;
        json_array_append_new(parameters, parameter_json(model, key));
        if (key >= AL_MODEL_HANDOFF_CORE && key <= AL_MODEL_HANDOFF_MACHINE)
            json_array_append_new(handoffs, class_json(machine, key));
    }
    return json_pack("{s:o, s:b, s:o, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:b, s:o, s:o}",
                     "title", text(model->title), "hypothetical", model->hypothetical, "file",
                     text(al_topology_name(model->topology)), "hash", hash, "packages",
                     (json_int_t)machine->n_packages, "nodes", (json_int_t)machine->n_nodes, "dies",
                     (json_int_t)machine->n_dies, "l3", (json_int_t)machine->n_l3, "l2",
                     (json_int_t)machine->n_l2, "cores", (json_int_t)machine->n_cores, "pus",
                     (json_int_t)machine->n_pus, "matrix", model->handoff != NULL, "handoffs",
                     handoffs, "parameters", parameters);
}
