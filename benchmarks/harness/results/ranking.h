/* SPDX-License-Identifier: MIT */
#ifndef AL_RANKING_H
#define AL_RANKING_H

#include "benchmarks/harness/results/study.h"

/* Who is fastest among cells that do the same work: docs/explanation/statistics.md, Winners. */

#define AL_RANKED_MOST                                                                             \
    200 /* cells of a group that are compared with one another, by their medians */

/*
 * Orders the members of each group, which are in the order of their medians, and fills
 * study->fastest and study->to_fastest. All pairs within all groups are one family, judged by the
 * rules given, so that choosing the first of them after having seen the times makes no
 * verdict less sure.
 */
void al_study_rank(struct al_study *study, const struct al_rules *rules);

#endif
