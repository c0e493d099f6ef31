/* SPDX-License-Identifier: MIT */

/* The kinds of cores that a machine mixes, such as P and E cores, as hwloc's "CPU kinds". */

#include "core/machine/topology_private.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

/* Whether hwloc's kind has a PU. It need not: a file may name PUs that its machine lacks, and those
 * that this process may not use are left out. */
static bool has_pus(const struct al_topology *topology, unsigned index)
{
    hwloc_bitmap_t pus = hwloc_bitmap_alloc();
    bool has = pus != NULL &&
               hwloc_cpukinds_get_info(topology->hwloc, index, pus, NULL, NULL, NULL, 0) == 0 &&
               hwloc_bitmap_intersects(pus, hwloc_topology_get_topology_cpuset(topology->hwloc));
    hwloc_bitmap_free(pus);
    return has;
}

/* How many of hwloc's first `end` kinds have PUs. */
static size_t kinds_before(const struct al_topology *topology, int end)
{
    size_t n = 0;
    for (int index = 0; index < end; index++)
        n += has_pus(topology, (unsigned)index);
    return n;
}

/* hwloc's index of a kind, which we number without those that have no PUs. */
static unsigned index_of(const struct al_topology *topology, unsigned kind)
{
    int end = hwloc_cpukinds_get_nr(topology->hwloc, 0), index = 0;
    while (index < end - 1 && kinds_before(topology, index + 1) <= kind)
        index++;
    return (unsigned)index;
}

size_t al_topology_n_kinds(const struct al_topology *topology)
{
    size_t n = kinds_before(topology, hwloc_cpukinds_get_nr(topology->hwloc, 0));
    return n > 1 ? n : 1;
}

int al_topology_kind(const struct al_topology *topology, unsigned pu)
{
    hwloc_obj_t object = hwloc_get_pu_obj_by_os_index(topology->hwloc, pu);
    if (object == NULL || al_topology_n_kinds(topology) == 1)
        return -1;
    int index = hwloc_cpukinds_get_by_cpuset(topology->hwloc, object->cpuset, 0);
    return index < 0 ? -1 : (int)kinds_before(topology, index);
}

/* What the system calls the cores of a kind, such as IntelAtom; NULL: nothing. */
static const char *core_type(const struct al_topology *topology, unsigned kind)
{
    unsigned n = 0;
    struct hwloc_info_s *infos = NULL;
    if (hwloc_cpukinds_get_info(topology->hwloc, index_of(topology, kind), NULL, NULL, &n, &infos,
                                0) != 0)
        return NULL;
    for (unsigned i = 0; i < n; i++) {
        if (strcmp(infos[i].name, "CoreType") == 0)
            return infos[i].value;
    }
    return NULL;
}

struct al_kind_name al_topology_kind_name(const struct al_topology *topology, int kind)
{
    struct al_kind_name name;
    unsigned n = (unsigned)al_topology_n_kinds(topology), alike = 0;
    const char *type = core_type(topology, (unsigned)kind);
    for (unsigned i = 0; i < n && type != NULL; i++) {
        const char *other = core_type(topology, i);
        alike += other != NULL && strcmp(other, type) == 0;
    }
    if (alike == 1)
        snprintf(name.text, sizeof name.text, "%s", type);
    else
        snprintf(name.text, sizeof name.text, "%.40s %d", type != NULL ? type : "kind", kind);
    for (char *c = name.text; *c != '\0'; c++) /* it may be from a stranger's file */
        *c = isgraph((unsigned char)*c) || *c == ' ' ? *c : '?';
    return name;
}

int al_topology_kinds_ranked(const struct al_topology *topology, const char *policy,
                             struct al_error *error)
{
    size_t n = al_topology_n_kinds(topology);
    int rank = 0;
    if (n > 1 &&
        (hwloc_cpukinds_get_info(topology->hwloc, 0, NULL, &rank, NULL, NULL, 0) != 0 || rank < 0))
        return al_error_set(error, -EINVAL,
                            "pin policy '%s': hwloc does not know which of the %zu kinds of cores "
                            "of %s is the fastest; valid: a list of PUs",
                            policy, n, topology->name);
    return 0;
}
