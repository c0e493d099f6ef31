/* SPDX-License-Identifier: MIT */
#ifndef AL_CHECK_TRACE_H
#define AL_CHECK_TRACE_H

/* What has happened in a run, for people to read. */

#include "core/engine/check/search.h"

/* Where the calling code is. */
void check_frames(struct check_frames *frames);

/* Write the lines of the result: the search's graph in an order in which it can have happened, and
 * the parties of the failure. */
void check_trace(const struct check_search *search);

#endif
