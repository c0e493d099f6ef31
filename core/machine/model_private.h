/* SPDX-License-Identifier: MIT */
#ifndef AL_MODEL_PRIVATE_H
#define AL_MODEL_PRIVATE_H

/* Shared by core/machine/model*.c and core/machine/machine*.c, and private to them. */

#include <hwloc.h>

#include "core/machine/model.h"

/* The names of hwloc's info attributes and matrices begin with it. */
#define AL_MODEL_PREFIX "actorlab."

/* The cores, in the topology's order; the i-th for i < n. */
uint32_t al_model_n_cores(const struct al_topology *topology);
hwloc_obj_t al_model_nth_core(const struct al_topology *topology, uint32_t i);

/* The class of hand-offs between two cores, or within one. */
enum al_model_key al_model_class(const struct al_topology *topology, hwloc_obj_t core,
                                 hwloc_obj_t other);

/* Read "25 ns [20, 30] proxy: source" as the value of this parameter; its source is allocated.
 * -EINVAL with a line in error, -ENOMEM. */
__attribute__((warn_unused_result)) int al_model_parse(enum al_model_key key, const char *text,
                                                       struct al_model_value *value,
                                                       struct al_error *error);

/* Refuse machines that are too large to simulate, and those of which some PUs are in cores, but not
 * all. -EINVAL with a line in error. */
__attribute__((warn_unused_result)) int al_model_check_parts(const struct al_topology *topology,
                                                             struct al_error *error);

/* Refuse a value that al_model_parse would refuse, or a parameter that is missing or has no use. */
__attribute__((warn_unused_result)) int
al_model_check(const struct al_topology *topology,
               const struct al_model_value values[AL_MODEL_KEYS], struct al_error *error);

/* Read the matrix of hand-offs into allocated memory; NULL if there is none, and none was announced
 * by an attribute. hwloc leaves out a matrix whose cores it does not find. -EINVAL with a line in
 * error, -ENOMEM; the memory is the caller's to free in any case. */
__attribute__((warn_unused_result)) int al_model_read_matrix(const struct al_topology *topology,
                                                             bool announced, uint64_t **matrix,
                                                             struct al_error *error);

#endif
