/* SPDX-License-Identifier: MIT */

/* The kinds of cores that a machine mixes, such as P and E cores, as hwloc's "CPU kinds". */

#include "core/machine/topology_private.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

size_t al_topology_n_kinds(const struct al_topology *topology)
{
    int n = hwloc_cpukinds_get_nr(topology->hwloc, 0);
    return n > 1 ? (size_t)n : 1;
}

int al_topology_kind(const struct al_topology *topology, unsigned pu)
{
    hwloc_obj_t object = hwloc_get_pu_obj_by_os_index(topology->hwloc, pu);
    if (object == NULL || al_topology_n_kinds(topology) == 1)
        return -1;
    return hwloc_cpukinds_get_by_cpuset(topology->hwloc, object->cpuset, 0);
}

/* What the system calls the cores of a kind, such as IntelAtom; NULL: nothing. */
static const char *core_type(const struct al_topology *topology, unsigned kind)
{
    unsigned n = 0;
    struct hwloc_info_s *infos = NULL;
    if (hwloc_cpukinds_get_info(topology->hwloc, kind, NULL, NULL, &n, &infos, 0) != 0)
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
