/* SPDX-License-Identifier: MIT */
#ifndef AL_JUDGED_H
#define AL_JUDGED_H

/* Returns the `judged_by` of the workload of that name (benchmark.h); NULL if it is judged by its
 * time per message, or unknown. For readers of records, which need no other part of workloads. */
const char *al_judged_by(const char *name);

#endif
