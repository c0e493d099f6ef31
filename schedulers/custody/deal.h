/* SPDX-License-Identifier: MIT */
#ifndef AL_CUSTODY_DEAL_H
#define AL_CUSTODY_DEAL_H

/* What deal.c keeps until the first message. */

#include "core/plugin/scheduler.h"

struct al_cohort;

/* Actors that wait to be dealt (deal.c): in cohorts by type; those placed on a worker by worker.
 * The starter's. */
struct al_nursery {
    struct al_cohort *cohorts, *placed; /* or NULL */
    uint32_t n_cohorts, room, latest;
    bool closed; /* actors wait no more */
};

#endif
