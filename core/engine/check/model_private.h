/* SPDX-License-Identifier: MIT */
#ifndef AL_CHECK_MODEL_PRIVATE_H
#define AL_CHECK_MODEL_PRIVATE_H

/* What the memory models share (model.c). */

#include "core/engine/check/model.h"

/* Whether a read reads nothing that its thread must know to be out of date, or a write comes after
 * all that its thread must know of. */
bool check_coherent(const struct check_model *model, const struct check_graph *graph, check_id id);

#endif
