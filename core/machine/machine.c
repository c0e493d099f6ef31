/* SPDX-License-Identifier: MIT */

/* The machine as arrays, for the simulator. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/machine/model_private.h"
#include "core/machine/topology_private.h"

#define LINE 64 /* bytes */

/* The number of the object of this type that holds the core; `own` if there is none. */
static uint32_t number(const struct al_topology *topology, hwloc_obj_t core, hwloc_obj_type_t type,
                       uint32_t own)
{
    hwloc_obj_t part = hwloc_get_ancestor_obj_by_type(topology->hwloc, type, core);
    return part != NULL ? part->logical_index : own;
}

/* The number of the core's die; dies and packages differ, although some dies are packages. */
static uint32_t die_of(const struct al_topology *topology, hwloc_obj_t core)
{
    hwloc_obj_t package = hwloc_get_ancestor_obj_by_type(topology->hwloc, HWLOC_OBJ_PACKAGE, core);
    hwloc_obj_t die = NULL;
    for (hwloc_obj_t part = core->parent; part != package && part != NULL && part->parent != NULL;
         part = part->parent) {
        if (part->type == HWLOC_OBJ_GROUP || part->type == HWLOC_OBJ_DIE)
            die = part;
    }
    if (die != NULL)
        return ((uint32_t)die->depth << 16) + die->logical_index;
    return UINT32_MAX - (package != NULL ? package->logical_index : 0);
}

static int compare_pus(const void *x, const void *y)
{
    const struct al_pu_parts *a = x, *b = y;
    return (a->os_index > b->os_index) - (a->os_index < b->os_index);
}

/* Number the parts of one kind in the order of the cores, without gaps: not every core need have
 * such a part, and some parts have no cores. Returns how many there are. */
static uint32_t renumber(struct al_machine *machine, size_t offset, uint32_t *numbers)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < machine->n_pus; i++) {
        uint32_t *own = (uint32_t *)((char *)&machine->pus[i] + offset), k = 0;
        while (k < n && numbers[k] != *own)
            k++;
        if (k == n)
            numbers[n++] = *own;
        *own = k;
    }
    return n;
}

/* With the PUs in hwloc's order. */
static int find_parts(const struct al_topology *topology, struct al_machine *machine)
{
    uint32_t n = machine->n_pus;
    uint32_t *numbers = malloc(n * sizeof *numbers);
    if (numbers == NULL)
        return -1;
    for (uint32_t i = 0; i < n; i++) {
        hwloc_obj_t pu = hwloc_get_obj_by_type(topology->hwloc, HWLOC_OBJ_PU, i);
        hwloc_obj_t core = al_topology_core(pu), node = al_topology_node(topology, core);
        /* A level that the machine lacks has one part for each part of the level below; those
         * numbers must differ from the numbers of parts that there are. */
        uint32_t none = UINT32_MAX - core->logical_index;
        uint32_t l2 = number(topology, core, HWLOC_OBJ_L2CACHE, none);
        machine->pus[i] = (struct al_pu_parts){
            .os_index = pu->os_index,
            .core = core->logical_index,
            .l2 = l2,
            .l3 = number(topology, core, HWLOC_OBJ_L3CACHE,
                         l2 == none ? none : UINT32_MAX / 2 + l2),
            .die = die_of(topology, core),
            .node = node->logical_index, /* al_model_check_parts has found one */
            .package = number(topology, core, HWLOC_OBJ_PACKAGE, 0)};
    }
    machine->n_cores = renumber(machine, offsetof(struct al_pu_parts, core), numbers);
    machine->n_l2 = renumber(machine, offsetof(struct al_pu_parts, l2), numbers);
    machine->n_l3 = renumber(machine, offsetof(struct al_pu_parts, l3), numbers);
    machine->n_nodes = renumber(machine, offsetof(struct al_pu_parts, node), numbers);
    machine->n_dies = renumber(machine, offsetof(struct al_pu_parts, die), numbers);
    machine->n_packages = renumber(machine, offsetof(struct al_pu_parts, package), numbers);
    free(numbers);
    return 0;
}

static struct al_cache_size cache_size(const struct al_topology *topology, hwloc_obj_type_t type,
                                       uint32_t usual_ways)
{
    hwloc_obj_t cache = hwloc_get_obj_by_type(topology->hwloc, type, 0);
    uint64_t lines = cache != NULL ? cache->attr->cache.size / LINE : 0;
    if (lines == 0)
        return (struct al_cache_size){0, 0};
    int ways = cache->attr->cache.associativity; /* 0: unknown; -1: full */
    uint64_t n_ways = ways > 0 && ways <= 64 ? (uint64_t)ways : usual_ways;
    n_ways = n_ways < lines ? n_ways : lines;
    uint64_t sets = lines / n_ways;
    return (struct al_cache_size){(uint32_t)(sets < UINT32_MAX ? sets : UINT32_MAX),
                                  (uint32_t)n_ways};
}

/* The file's matrix has the pairs as they were measured; overriding their class scales them. */
static uint32_t pair_ps(const struct al_model *model, const struct al_machine *machine,
                        uint32_t row, uint32_t column, enum al_model_key kind)
{
    const struct al_model_value *value = &model->values[kind];
    uint64_t own = model->handoff != NULL ? model->handoff[(size_t)row * machine->n_cores + column]
                                          : 0;
    if (own == 0)
        return (uint32_t)machine->ps[kind];
    if (!value->overridden || value->given <= 0)
        return (uint32_t)own;
    double scaled = (double)own * value->value / value->given;
    return scaled < UINT32_MAX ? (uint32_t)llround(scaled) : UINT32_MAX;
}

/* The diagonal is between two PUs of a core; one that has only one never uses it. */
static void fill_handoffs(const struct al_model *model, struct al_machine *machine)
{
    for (uint32_t i = 0; i < machine->n_cores; i++) {
        hwloc_obj_t core = al_model_nth_core(model->topology, i);
        for (uint32_t k = 0; k < machine->n_cores; k++) {
            enum al_model_key kind = al_model_class(model->topology, core,
                                                    al_model_nth_core(model->topology, k));
            size_t pair = (size_t)i * machine->n_cores + k;
            machine->classes[pair] = (uint8_t)kind;
            machine->handoff[pair] = pair_ps(model, machine, i, k, kind);
        }
    }
}

static void fill_memories(struct al_machine *machine)
{
    for (uint32_t i = 0; i < machine->n_pus; i++) {
        const struct al_pu_parts *own = &machine->pus[i];
        for (uint32_t k = 0; k < machine->n_pus; k++) {
            const struct al_pu_parts *other = &machine->pus[k];
            enum al_model_key kind = own->node == other->node         ? AL_MODEL_MEMORY_NODE
                                     : own->package == other->package ? AL_MODEL_MEMORY_PACKAGE
                                                                      : AL_MODEL_MEMORY_MACHINE;
            machine->memory[(size_t)own->node * machine->n_nodes + other->node] =
                (uint32_t)machine->ps[kind];
        }
    }
}

/* ns become ps, and GB/s become MB/s. */
static double factor_of(enum al_model_key key)
{
    const char *unit = al_model_parameters[key].unit;
    return strcmp(unit, "ns") == 0 || strcmp(unit, "GB/s") == 0 ? 1000 : 1;
}

static struct al_machine *fill(const struct al_model *model, struct al_machine *machine)
{
    machine->n_pus = (uint32_t)al_topology_n_pus(model->topology);
    machine->pus = calloc(machine->n_pus, sizeof *machine->pus);
    if (machine->pus == NULL || find_parts(model->topology, machine) != 0)
        return NULL;
    size_t n_cores = machine->n_cores, n_nodes = machine->n_nodes;
    machine->core_pu = calloc(n_cores, sizeof *machine->core_pu);
    machine->handoff = calloc(n_cores * n_cores, sizeof *machine->handoff);
    machine->classes = calloc(n_cores * n_cores, sizeof *machine->classes);
    machine->memory = calloc(n_nodes * n_nodes, sizeof *machine->memory);
    if (machine->core_pu == NULL || machine->handoff == NULL || machine->classes == NULL ||
        machine->memory == NULL)
        return NULL;
    qsort(machine->pus, machine->n_pus, sizeof *machine->pus, compare_pus);
    for (uint32_t i = machine->n_pus; i-- > 0;) /* the first of each core stays */
        machine->core_pu[machine->pus[i].core] = i;
    for (size_t key = 0; key < AL_MODEL_KEYS; key++)
        machine->ps[key] = (uint64_t)llround(model->values[key].value *
                                             factor_of((enum al_model_key)key));
    machine->l1 = cache_size(model->topology, HWLOC_OBJ_L1CACHE, 8);
    machine->l2 = cache_size(model->topology, HWLOC_OBJ_L2CACHE, 8);
    machine->l3 = cache_size(model->topology, HWLOC_OBJ_L3CACHE, 16);
    fill_handoffs(model, machine);
    fill_memories(machine);
    return machine;
}

struct al_machine *al_machine_new(const struct al_model *model)
{
    struct al_machine *machine = calloc(1, sizeof *machine);
    if (machine != NULL && fill(model, machine) == NULL) {
        al_machine_free(machine);
        return NULL;
    }
    return machine;
}

void al_machine_free(struct al_machine *machine)
{
    if (machine == NULL)
        return;
    free(machine->pus);
    free(machine->core_pu);
    free(machine->handoff);
    free(machine->classes);
    free(machine->memory);
    free(machine);
}
