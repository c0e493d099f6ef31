/* SPDX-License-Identifier: MIT */

/* A machine file's matrix of hand-offs between single cores. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/machine/model_private.h"
#include "core/machine/topology_private.h"

#define NAME          AL_MODEL_PREFIX "handoff"
#define MOST_MATRICES 16

/* Copy one time of the matrix, and refuse it if it makes no sense. */
static int copy_pair(const struct hwloc_distances_s *from, unsigned i, unsigned k, uint64_t *to,
                     struct al_error *error)
{
    unsigned n = from->nbobjs, row = from->objs[i]->logical_index,
             column = from->objs[k]->logical_index;
    double most = al_model_parameters[AL_MODEL_HANDOFF_MACHINE].most * 1000;
    hwloc_uint64_t there = from->values[(size_t)i * n + k], back = from->values[(size_t)k * n + i];
    if (there != back)
        return al_error_set(error, -EINVAL,
                            "the matrix " NAME " is asymmetric: %llu ps from core %u to core %u, "
                            "but %llu ps back",
                            (unsigned long long)there, row, column, (unsigned long long)back);
    if (i == k ? there != 0 : there == 0 || (double)there > most)
        return al_error_set(error, -EINVAL,
                            "the matrix " NAME " has %lld ps from core %u to core %u; valid: 1 to "
                            "%.0f, and 0 on the diagonal",
                            (long long)there, row, column, most);
    to[(size_t)row * n + column] = there;
    return 0;
}

/* Copy the matrix in the order of the cores. */
static int copy(const struct al_topology *topology, const struct hwloc_distances_s *from,
                uint64_t *to, struct al_error *error)
{
    uint32_t n = al_model_n_cores(topology);
    if (from->nbobjs != n)
        return al_error_set(error, -EINVAL, "the matrix " NAME " is for %u cores of %u",
                            from->nbobjs, n);
    int code = 0;
    for (uint32_t i = 0; i < n && code == 0; i++) {
        if (from->objs[i] == NULL || from->objs[i]->type != al_model_nth_core(topology, 0)->type)
            code = al_error_set(error, -EINVAL, "the matrix " NAME " is not between cores");
        for (uint32_t k = 0; k < i && code == 0; k++) {
            if (from->objs[i] == from->objs[k])
                code = al_error_set(error, -EINVAL, "the matrix " NAME " names core %u twice",
                                    from->objs[i]->logical_index);
        }
    }
    for (uint32_t i = 0; i < n && code == 0; i++) {
        for (uint32_t k = 0; k < n && code == 0; k++)
            code = copy_pair(from, i, k, to, error);
    }
    return code;
}

/* The one matrix that is ours, or NULL. */
static int find(const struct al_topology *topology, struct hwloc_distances_s **matrices, unsigned n,
                const struct hwloc_distances_s **found, struct al_error *error)
{
    *found = NULL;
    for (unsigned i = 0; i < n; i++) {
        const char *name = hwloc_distances_get_name(topology->hwloc, matrices[i]);
        if (name == NULL || strncmp(name, AL_MODEL_PREFIX, strlen(AL_MODEL_PREFIX)) != 0)
            continue;
        if (strcmp(name, NAME) != 0)
            return al_error_set(error, -EINVAL, "unknown matrix '%s'; valid: " NAME, name);
        if (*found != NULL)
            return al_error_set(error, -EINVAL, "it has two matrices " NAME);
        *found = matrices[i];
    }
    return 0;
}

int al_model_read_matrix(const struct al_topology *topology, bool announced, uint64_t **result,
                         struct al_error *error)
{
    struct hwloc_distances_s *matrices[MOST_MATRICES];
    const struct hwloc_distances_s *matrix;
    unsigned n = MOST_MATRICES;
    uint32_t n_cores = al_model_n_cores(topology);
    *result = NULL;
    if (hwloc_distances_get(topology->hwloc, &n, matrices, 0, 0) != 0)
        n = 0;
    n = n < MOST_MATRICES ? n : MOST_MATRICES;
    int code = find(topology, matrices, n, &matrix, error);
    if (code == 0 && announced != (matrix != NULL))
        code = al_error_set(error, -EINVAL,
                            announced ? "it has the attribute " NAME ", but no matrix of this "
                                        "name between its cores"
                                      : "it has a matrix " NAME ", but no attribute of this name "
                                        "with the value matrix");
    if (code == 0 && matrix != NULL) {
        *result = calloc((size_t)n_cores * n_cores, sizeof **result);
        code = *result == NULL ? al_error_set(error, -ENOMEM, "no memory for a matrix of hand-offs")
                               : copy(topology, matrix, *result, error);
    }
    for (unsigned i = 0; i < n; i++)
        hwloc_distances_release(topology->hwloc, matrices[i]);
    return code;
}
