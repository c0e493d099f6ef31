/* SPDX-License-Identifier: MIT */
#ifndef AL_SOURCES_H
#define AL_SOURCES_H

#include "benchmarks/harness/results/cells.h"

/*
 * Where the memory of messages came from, for the foot of every table and figure: "Allocation:
 * memory=malloc in send-dynamic; envelopes=recycled in deque, las." Empty where nothing is
 * allocated, or the records do not say. The caller frees it.
 */
char *al_sources_text(const struct al_summary *summary);
/* The same of these cells alone. */
char *al_sources_of(struct al_cell *const *cells, size_t n);

#endif
