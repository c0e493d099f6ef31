/* SPDX-License-Identifier: MIT */
#include "core/machine/topology_private.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *const al_topology_policies[] = {"close", "spread", "smt", "package", "none", NULL};

size_t al_topology_n_pus(const struct al_topology *topology)
{
    int n = hwloc_get_nbobjs_by_type(topology->hwloc, HWLOC_OBJ_PU);
    return n > 0 ? (size_t)n : 0;
}

bool al_topology_is_this_machine(const struct al_topology *topology)
{
    return hwloc_topology_is_thissystem(topology->hwloc) != 0;
}

const char *al_topology_name(const struct al_topology *topology)
{
    return topology->name;
}

/* Where a PU stands among those of its core (0: first), and among the cores of its package. */
struct place {
    unsigned pu, sibling, package, core_in_package, order;
};

static unsigned package_of(const struct al_topology *topology, hwloc_obj_t object)
{
    hwloc_obj_t package = hwloc_get_ancestor_obj_by_type(topology->hwloc, HWLOC_OBJ_PACKAGE,
                                                         object);
    return package != NULL ? package->logical_index : 0;
}

/* hwloc numbers PUs depth first, so neighbours share a core, then an L3, a node, a package. */
static void find_places(const struct al_topology *topology, struct place *places, size_t n)
{
    hwloc_obj_t last_core = NULL;
    unsigned core_in_package = 0;
    for (size_t i = 0; i < n; i++) {
        hwloc_obj_t pu = hwloc_get_obj_by_type(topology->hwloc, HWLOC_OBJ_PU, (unsigned)i);
        hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(topology->hwloc, HWLOC_OBJ_CORE, pu);
        places[i] = (struct place){pu->os_index, 0, package_of(topology, pu), 0, (unsigned)i};
        if (i == 0 || places[i].package != places[i - 1].package)
            core_in_package = 0;
        else if (core == NULL || core != last_core)
            core_in_package++;
        else
            places[i].sibling = places[i - 1].sibling + 1;
        places[i].core_in_package = core_in_package;
        last_core = core;
    }
}

static int by_sibling(const struct place *a, const struct place *b)
{
    return (a->sibling > b->sibling) - (a->sibling < b->sibling);
}

static int by_order(const struct place *a, const struct place *b)
{
    return (a->order > b->order) - (a->order < b->order);
}

static int compare_close(const void *x, const void *y)
{
    int difference = by_sibling(x, y);
    return difference != 0 ? difference : by_order(x, y);
}

static int compare_spread(const void *x, const void *y)
{
    const struct place *a = x, *b = y;
    int difference = by_sibling(a, b);
    if (difference == 0)
        difference = (a->core_in_package > b->core_in_package) -
                     (a->core_in_package < b->core_in_package);
    return difference != 0 ? difference : by_order(a, b);
}

static int compare_package(const void *x, const void *y)
{
    const struct place *a = x, *b = y;
    int difference = (a->package > b->package) - (a->package < b->package);
    return difference != 0 ? difference : compare_close(a, b);
}

static int parse_list(const struct al_topology *topology, const char *list, unsigned *pus,
                      size_t *n_pus, struct al_error *error)
{
    size_t most = *n_pus, n = 0;
    const char *p = list;
    for (;;) {
        char *end;
        if (!isdigit((unsigned char)*p))
            return al_error_set(error, -EINVAL,
                                "malformed pin policy '%s'; valid: " AL_TOPOLOGY_POLICIES, list);
        unsigned long first = strtoul(p, &end, 10), last = first;
        if (*end == '-' && isdigit((unsigned char)end[1]))
            last = strtoul(end + 1, &end, 10);
        if (last < first)
            return al_error_set(error, -EINVAL, "pin policy '%s': the range %lu-%lu is reversed",
                                list, first, last);
        for (unsigned long pu = first; pu <= last; pu++) {
            if (pu > UINT32_MAX ||
                hwloc_get_pu_obj_by_os_index(topology->hwloc, (unsigned)pu) == NULL)
                return al_error_set(error, -EINVAL,
                                    "pin policy '%s' names PU %lu, which %s does not have", list,
                                    pu, topology->name);
            for (size_t i = 0; i < n; i++) {
                if (pus[i] == pu)
                    return al_error_set(error, -EINVAL, "pin policy '%s' names PU %lu twice", list,
                                        pu);
            }
            if (n < most)
                pus[n++] = (unsigned)pu;
        }
        if (*end == '\0')
            break;
        if (*end != ',')
            end = (char *)""; /* reported as malformed by the next round */
        p = end + (*end == ',');
    }
    *n_pus = n;
    return 0;
}

int al_topology_order(const struct al_topology *topology, const char *policy, unsigned **result,
                      size_t *n_pus, struct al_error *error)
{
    if (policy == NULL)
        policy = "close";
    size_t n = al_topology_n_pus(topology);
    struct place *places = malloc(n * sizeof *places);
    unsigned *pus = malloc(n * sizeof *pus);
    if (places == NULL || pus == NULL) {
        free(places);
        free(pus);
        return al_error_set(error, -ENOMEM, "no memory for the order of %zu PUs", n);
    }
    int code = 0;
    find_places(topology, places, n);
    if (strcmp(policy, "close") == 0 || strcmp(policy, "none") == 0)
        qsort(places, n, sizeof *places, compare_close);
    else if (strcmp(policy, "spread") == 0)
        qsort(places, n, sizeof *places, compare_spread);
    else if (strcmp(policy, "package") == 0)
        qsort(places, n, sizeof *places, compare_package);
    bool named = false;
    for (size_t i = 0; al_topology_policies[i] != NULL; i++)
        named |= strcmp(policy, al_topology_policies[i]) == 0;
    if (named) {
        for (size_t i = 0; i < n; i++)
            pus[i] = places[i].pu;
    } else {
        code = parse_list(topology, policy, pus, &n, error);
    }
    free(places);
    if (code != 0) {
        free(pus);
        return code;
    }
    *result = pus;
    *n_pus = n;
    return 0;
}

bool al_topology_pins(const struct al_topology *topology, const char *policy)
{
    return al_topology_is_this_machine(topology) && (policy == NULL || strcmp(policy, "none") != 0);
}

int al_topology_bind(const struct al_topology *topology, unsigned pu)
{
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    if (set == NULL)
        return -1;
    hwloc_bitmap_only(set, pu);
    int code = hwloc_set_cpubind(topology->hwloc, set, HWLOC_CPUBIND_THREAD);
    hwloc_bitmap_free(set);
    return code == 0 ? al_topology_seen(topology, pu) : -1;
}

int al_topology_seen(const struct al_topology *topology, unsigned pu)
{
    hwloc_bitmap_t only = hwloc_bitmap_alloc(), set = hwloc_bitmap_alloc();
    int seen = -1;
    if (only != NULL && set != NULL) {
        hwloc_bitmap_only(only, pu);
        if (hwloc_get_cpubind(topology->hwloc, set, HWLOC_CPUBIND_THREAD) == 0 &&
            hwloc_bitmap_isequal(set, only) &&
            hwloc_get_last_cpu_location(topology->hwloc, set, HWLOC_CPUBIND_THREAD) == 0 &&
            hwloc_bitmap_isequal(set, only))
            seen = (int)pu;
    }
    hwloc_bitmap_free(only);
    hwloc_bitmap_free(set);
    return seen;
}

int al_topology_move_memory(const struct al_topology *topology, void *pages, size_t bytes,
                            unsigned pu)
{
    hwloc_obj_t object = hwloc_get_pu_obj_by_os_index(topology->hwloc, pu);
    hwloc_bitmap_t seen = hwloc_bitmap_alloc();
    int node = -1;
    if (object != NULL && seen != NULL) {
        /* On one node there is nothing to move; if it is denied, what is seen tells. */
        if (hwloc_get_nbobjs_by_type(topology->hwloc, HWLOC_OBJ_NUMANODE) > 1)
            (void)hwloc_set_area_membind(topology->hwloc, pages, bytes, object->nodeset,
                                         HWLOC_MEMBIND_BIND,
                                         HWLOC_MEMBIND_BYNODESET | HWLOC_MEMBIND_MIGRATE);
        if (hwloc_get_area_memlocation(topology->hwloc, pages, bytes, seen,
                                       HWLOC_MEMBIND_BYNODESET) == 0 &&
            hwloc_bitmap_weight(seen) == 1)
            node = hwloc_bitmap_first(seen);
    }
    hwloc_bitmap_free(seen);
    return node;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    for (int i = 0; i < 8; i++, value >>= 8)
        hash = (hash ^ (value & 0xff)) * 0x100000001b3u; /* FNV-1a */
    return hash;
}

static uint64_t hash_object(hwloc_obj_t object, uint64_t hash)
{
    hash = mix(hash, object->type);
    hash = mix(hash, object->os_index);
    if (hwloc_obj_type_is_cache(object->type))
        hash = mix(hash, object->attr->cache.size);
    hash = mix(hash, object->arity);
    for (unsigned i = 0; i < object->arity; i++)
        hash = hash_object(object->children[i], hash);
    for (hwloc_obj_t node = object->memory_first_child; node != NULL; node = node->next_sibling)
        hash = mix(hash, node->os_index);
    return hash;
}

uint64_t al_topology_hash(const struct al_topology *topology)
{
    return hash_object(hwloc_get_root_obj(topology->hwloc), 0xcbf29ce484222325u);
}

static void print_object(hwloc_obj_t object, int depth, FILE *file)
{
    char type[32], attributes[128];
    hwloc_obj_type_snprintf(type, sizeof type, object, 0);
    hwloc_obj_attr_snprintf(attributes, sizeof attributes, object, "  ", 0);
    fprintf(file, "  %*s%s", 2 * depth, "", type);
    if (object->os_index != HWLOC_UNKNOWN_INDEX)
        fprintf(file, " %u", object->os_index);
    fprintf(file, "%s%s\n", attributes[0] != '\0' ? "  " : "", attributes);
    for (hwloc_obj_t node = object->memory_first_child; node != NULL; node = node->next_sibling)
        print_object(node, depth + 1, file);
    for (unsigned i = 0; i < object->arity; i++)
        print_object(object->children[i], depth + 1, file);
}

static int number_of(hwloc_obj_t object)
{
    return object != NULL ? (int)object->logical_index : -1;
}

void al_topology_place(const struct al_topology *topology, unsigned pu, struct al_place *place)
{
    hwloc_obj_t object = hwloc_get_pu_obj_by_os_index(topology->hwloc, pu), node = NULL, own = NULL;
    while ((node = hwloc_get_next_obj_by_type(topology->hwloc, HWLOC_OBJ_NUMANODE, node)) != NULL) {
        if (hwloc_bitmap_isset(node->cpuset, pu))
            own = node;
    }
    *place = (struct al_place){
        .core = number_of(hwloc_get_ancestor_obj_by_type(topology->hwloc, HWLOC_OBJ_CORE, object)),
        .l3 = number_of(hwloc_get_ancestor_obj_by_type(topology->hwloc, HWLOC_OBJ_L3CACHE, object)),
        .node = number_of(own),
        .package = number_of(
            hwloc_get_ancestor_obj_by_type(topology->hwloc, HWLOC_OBJ_PACKAGE, object))};
}

static void print_number(int number, FILE *file)
{
    if (number >= 0)
        fprintf(file, "  %7d", number);
    else
        fprintf(file, "  %7s", "-");
}

int al_topology_print(const struct al_topology *topology, const char *policy, FILE *file,
                      struct al_error *error)
{
    unsigned *pus;
    size_t n;
    int code = al_topology_order(topology, policy, &pus, &n, error);
    if (code != 0)
        return code;
    fprintf(file, "%s: %zu PUs, hash %016llx\n\n", topology->name, al_topology_n_pus(topology),
            (unsigned long long)al_topology_hash(topology));
    print_object(hwloc_get_root_obj(topology->hwloc), 0, file);
    fprintf(file,
            "\norder of workers under policy '%s' (PU: the OS's number, the rest: hwloc's)\n\n",
            policy != NULL ? policy : "close");
    fprintf(file, "  %6s  %6s  %7s  %7s  %7s  %7s\n", "worker", "PU", "core", "L3", "node",
            "package");
    for (size_t i = 0; i < n; i++) {
        struct al_place place;
        al_topology_place(topology, pus[i], &place);
        fprintf(file, "  %6zu  %6u", i, pus[i]);
        print_number(place.core, file);
        print_number(place.l3, file);
        print_number(place.node, file);
        print_number(place.package, file);
        fputc('\n', file);
    }
    free(pus);
    return 0;
}
