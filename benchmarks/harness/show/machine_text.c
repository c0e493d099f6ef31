/* SPDX-License-Identifier: MIT */

/* A simulated machine as text. */

#include "benchmarks/harness/show/machine.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/text/format.h"
#include "core/counted.h"
#include "core/machine/model.h"

#define LINE 64 /* bytes */

__attribute__((format(printf, 2, 3))) static void append(struct al_machine_parts *parts,
                                                         const char *format, ...)
{
    size_t used = strlen(parts->text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(parts->text + used, sizeof parts->text - used, format, arguments);
    va_end(arguments);
}

struct al_machine_parts al_machine_parts(const struct al_machine *machine)
{
    const struct {
        const char *name;
        uint32_t n;
        bool shown;
    } kinds[] = {
        {"package", machine->n_packages, true},
        {"NUMA node", machine->n_nodes, true},
        {"die", machine->n_dies,
         machine->n_dies != machine->n_packages && machine->n_dies != machine->n_nodes},
        {"L3", machine->n_l3, machine->l3.sets > 0},
        {"L2", machine->n_l2, machine->l2.sets > 0 && machine->n_l2 < machine->n_cores},
        {"core", machine->n_cores, true},
        {"PU", machine->n_pus, true},
    };
    struct al_machine_parts parts = {""};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (kinds[i].shown)
            append(&parts, "%s%s", i > 0 ? ", " : "", al_counted(kinds[i].n, kinds[i].name).text);
    }
    return parts;
}

struct al_machine_class al_machine_class(const struct al_machine *machine, unsigned key)
{
    struct al_machine_class found = {0, UINT32_MAX, 0};
    for (uint32_t i = 0; i < machine->n_cores; i++) {
        for (uint32_t k = 0; k <= i; k++) {
            size_t pair = (size_t)i * machine->n_cores + k;
            if (machine->classes[pair] != key)
                continue;
            found.pairs++;
            found.least = machine->handoff[pair] < found.least ? machine->handoff[pair]
                                                               : found.least;
            found.most = machine->handoff[pair] > found.most ? machine->handoff[pair] : found.most;
        }
    }
    return found;
}

/* NULL where there is only one value. */
static char *range_text(const struct al_model_value *value)
{
    return value->low == value->high ? NULL : al_text("%.10g to %.10g", value->low, value->high);
}

static void print_caches(const struct al_machine *machine, FILE *file)
{
    const struct {
        const char *name;
        struct al_cache_size size;
        uint32_t n;
    } caches[] = {{"L1", machine->l1, machine->n_cores},
                  {"L2", machine->l2, machine->n_l2},
                  {"L3", machine->l3, machine->n_l3}};
    fputs("caches ", file);
    for (size_t i = 0; i < sizeof caches / sizeof *caches; i++) {
        if (caches[i].size.sets == 0)
            continue;
        uint64_t kib = (uint64_t)caches[i].size.sets * caches[i].size.ways * LINE >> 10;
        fprintf(file, " %s %" PRIu64 " KiB, %s, %" PRIu32 " of them;", caches[i].name, kib,
                al_counted(caches[i].size.ways, "way").text, caches[i].n);
    }
    fputs(" lines of 64 bytes\n", file);
}

static void print_handoffs(const struct al_model *model, const struct al_machine *machine,
                           FILE *file)
{
    struct al_table table = {.columns = 5, .right = 1U << 1 | 1U << 2 | 1U << 3};
    fprintf(file, "\nhand-offs%s\n\n",
            model->handoff != NULL ? ", pair by pair as the file's matrix has them" : "");
    al_table_add_copies(&table, (const char *[]){"", "pairs", "ns", "range", "quality"});
    for (unsigned key = AL_MODEL_HANDOFF_CORE; key <= AL_MODEL_HANDOFF_MACHINE; key++) {
        const struct al_model_value *value = &model->values[key];
        if (value->source == NULL)
            continue;
        struct al_machine_class found = al_machine_class(machine, key);
        char *ns = found.least == found.most
                       ? al_text("%g", found.least / 1e3)
                       : al_text("%g to %g", found.least / 1e3, found.most / 1e3);
        al_table_add(&table, (char *[]){al_text("%s", al_model_parameters[key].help),
                                        al_text("%" PRIu64, found.pairs), ns, range_text(value),
                                        al_text("%s", al_model_qualities[value->quality])});
    }
    al_table_print(&table, "  ", file);
}

static void print_parameters(const struct al_model *model, FILE *file)
{
    struct al_table table = {.columns = 6, .right = 1U << 1 | 1U << 3};
    fputs("\nparameters\n\n", file);
    for (size_t key = 0; key < AL_MODEL_KEYS; key++) {
        const struct al_model_value *value = &model->values[key];
        const char *quality = value->overridden ? "overridden" : al_model_qualities[value->quality];
        if (value->source == NULL)
            continue;
        al_table_add(&table,
                     (char *[]){al_text("%s", al_model_parameters[key].name),
                                al_text("%.10g", value->value),
                                al_text("%s", al_model_parameters[key].unit), range_text(value),
                                al_text("%s", quality), al_printable(value->source)});
    }
    al_table_print(&table, "  ", file);
}

void al_machine_print(const struct al_model *model, const struct al_machine *machine, FILE *file)
{
    char *title = al_printable(model->title),
         *path = al_printable(al_topology_name(model->topology));
    fprintf(file, "%s%s\n\n", title, model->hypothetical ? " (hypothetical)" : "");
    fprintf(file, "file    %s\nhash    %016" PRIx64 "\nparts   %s\n", path, al_model_hash(model),
            al_machine_parts(machine).text);
    free(title);
    free(path);
    print_caches(machine, file);
    print_handoffs(model, machine, file);
    print_parameters(model, file);
}
