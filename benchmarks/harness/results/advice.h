/* SPDX-License-Identifier: MIT */
#ifndef AL_ADVICE_H
#define AL_ADVICE_H

#include "benchmarks/harness/results/profile.h"
#include "benchmarks/harness/results/results.h"

/*
 * Which strategy for which workload, by the profiles of those that were measured:
 * docs/explanation/which-strategy.md. Groups are those of a study: one workload, its parameters and
 * number of workers.
 */

/* Profiles that differ by a larger factor are not similar. */
#define AL_ADVICE_APART 4
/* So many of the most similar groups decide. */
#define AL_ADVICE_NEAREST 3

struct al_advice {
    const struct al_machine *machine;
    struct al_profile_values *profiles; /* by group; without any number: not known */
    bool *profiled;                     /* by group */
    const char **kinds; /* by group: al_profile_kind of its workload with the most workers */
    double *loss;       /* by place: time to that of the fastest of its group, by the ratio */
};

/* The results must outlive the advice. */
void al_advice_make(const struct al_machine *machine, struct al_advice *out);
void al_advice_release(struct al_advice *advice);

struct al_similar {
    size_t group;
    double apart;
};

/*
 * The groups that are most similar to a profile, nearest first, of those whose number of workers
 * is nearest to `workers`, and of other workloads than `without` (or NULL). Returns how many differ
 * by AL_ADVICE_APART at most; the first is there even if none does, unless it is SIZE_MAX.
 */
size_t al_advice_similar(const struct al_advice *advice, const struct al_profile_values *profile,
                         uint32_t workers, const char *without,
                         struct al_similar similar[AL_ADVICE_NEAREST]);

/* All groups with so many workers, of other workloads than `without`. Returns how many. */
size_t al_advice_all(const struct al_advice *advice, uint32_t workers, const char *without,
                     struct al_similar *similar);

/*
 * The strategy whose times in these groups are the shortest, as the geometric mean of the ratios to
 * the fastest of each; of those that were measured in all of them, and in the group `in`, unless
 * that is SIZE_MAX. The mean goes to *loss. AL_NO_PART if there is none.
 */
size_t al_advice_choose(const struct al_advice *advice, const struct al_similar *similar, size_t n,
                        size_t in, double *loss);

/* The place of a strategy's fastest cell in a group, or SIZE_MAX. */
size_t al_advice_place(const struct al_advice *advice, size_t group, size_t strategy);

/* Of a group: any of its cells, its workload and its number of workers. */
const struct al_cell *al_advice_cell(const struct al_advice *advice, size_t group);
const char *al_advice_workload(const struct al_advice *advice, size_t group);
uint32_t al_advice_workers(const struct al_advice *advice, size_t group);

#endif
