/* SPDX-License-Identifier: MIT */

/* The order in which workers take the machine's PUs. */

#include "core/machine/topology_private.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *const al_topology_policies[] = {"close", "spread", "smt",  "package",
                                            "fast",  "slow",   "none", NULL};

/* A PU's rank among the PUs of its core (sibling), its core's rank in its package, and its rank in
 * hwloc's order. */
struct place {
    unsigned pu, sibling, package, core_in_package, order;
};

static unsigned package_of(const struct al_topology *topology, hwloc_obj_t object)
{
    hwloc_obj_t package = hwloc_get_ancestor_obj_by_type(topology->hwloc, HWLOC_OBJ_PACKAGE,
                                                         object);
    return package != NULL ? package->logical_index : 0;
}

/* hwloc numbers PUs depth first, so neighbours share a core, else an L3, a node or a package. */
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

/* Say why a list must not name a PU: the machine lacks it, or this process may not use it. */
static int refuse_pu(const struct al_topology *topology, const char *list, unsigned long pu,
                     struct al_error *error)
{
    char *pus = NULL;
    hwloc_bitmap_list_asprintf(&pus, hwloc_topology_get_topology_cpuset(topology->hwloc));
    if (pu <= UINT32_MAX && al_topology_is_this_machine(topology) &&
        al_topology_exists_here((unsigned)pu))
        al_error_set(
            error, -EINVAL,
            "pin policy '%s' names PU %lu, which this process may not use, by its affinity "
            "mask or cgroup; valid: %s",
            list, pu, pus != NULL ? pus : "others");
    else
        al_error_set(error, -EINVAL,
                     "pin policy '%s' names PU %lu, which %s does not have; valid: %s", list, pu,
                     topology->name, pus != NULL ? pus : "others");
    free(pus);
    return -EINVAL;
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
                return refuse_pu(topology, list, pu, error);
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
            end = (char *)""; /* the next round reports it as malformed */
        p = end + (*end == ',');
    }
    *n_pus = n;
    return 0;
}

/* Keep the places of one kind of core: of the fastest or the slowest. */
static int keep_kind(const struct al_topology *topology, const char *policy, struct place *places,
                     size_t *n, struct al_error *error)
{
    size_t n_kinds = al_topology_n_kinds(topology), kept = 0;
    int kind = strcmp(policy, "fast") == 0 ? (int)n_kinds - 1 : 0;
    int code = al_topology_kinds_ranked(topology, policy, error);
    if (n_kinds == 1 || code != 0)
        return code;
    for (size_t i = 0; i < *n; i++) {
        if (al_topology_kind(topology, places[i].pu) == kind)
            places[kept++] = places[i];
    }
    *n = kept;
    return 0;
}

/* Sort the places of all PUs, or of some, as a policy that has a name does. */
static int sort_places(const struct al_topology *topology, const char *policy, struct place *places,
                       size_t *n, struct al_error *error)
{
    int code = 0;
    if (strcmp(policy, "fast") == 0 || strcmp(policy, "slow") == 0)
        code = keep_kind(topology, policy, places, n, error);
    if (strcmp(policy, "spread") == 0)
        qsort(places, *n, sizeof *places, compare_spread);
    else if (strcmp(policy, "package") == 0)
        qsort(places, *n, sizeof *places, compare_package);
    else if (strcmp(policy, "smt") != 0)
        qsort(places, *n, sizeof *places, compare_close);
    return code;
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
    bool named = false;
    for (size_t i = 0; al_topology_policies[i] != NULL; i++)
        named |= strcmp(policy, al_topology_policies[i]) == 0;
    if (named)
        code = sort_places(topology, policy, places, &n, error);
    else
        code = parse_list(topology, policy, pus, &n, error);
    for (size_t i = 0; i < n && named; i++)
        pus[i] = places[i].pu;
    free(places);
    if (code != 0) {
        free(pus);
        return code;
    }
    *result = pus;
    *n_pus = n;
    return 0;
}
