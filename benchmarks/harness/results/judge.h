/* SPDX-License-Identifier: MIT */
#ifndef AL_JUDGE_H
#define AL_JUDGE_H

#include "benchmarks/harness/statistics/ratio.h"

/*
 * Verdicts on a family of ratios, from numbers alone: docs/explanation/statistics.md, Verdicts. No
 * function keeps state: any thread may call any of them.
 */

enum al_verdict {
    AL_FASTER, /* nor does it fail more often */
    AL_SLOWER,
    AL_EQUIVALENT, /* the interval of the equivalence lies within the margin; both fail as often */
    AL_INCONCLUSIVE, /* none of these can be said yet */
    AL_NO_VERDICT,   /* the values do not allow any */
    AL_VERDICTS
};

extern const char *const al_verdict_names[AL_VERDICTS]; /* NULL for AL_NO_VERDICT */

/* What a family is judged by. */
struct al_rules {
    double level;          /* 0.95: at most 5% of what is called different may be equal */
    double margin_percent; /* differences within it are of no interest */
    double share;          /* of 1 - level, the part that this look may spend; 1 without looks */
};

#define AL_MARGIN_PERCENT 5.0

/* How a family came to be corrected. */
struct al_family {
    size_t m, rejected; /* how many ratios have a p-value, and how many p_bh say that they differ */
    double level;       /* of the intervals: each excludes 1 exactly if its ratio is rejected */
    double equivalence; /* level of the intervals that must lie within the margin */
    struct al_rules by;
};

/* One ratio of a family. */
struct al_judgement {
    const struct al_ratio *ratio; /* NULL: no verdict */
    double failed[2];             /* the shares of trials above and below the line that failed */
    /* What comes of it. */
    double p_bh;                              /* NAN without a verdict */
    struct al_interval interval, equivalence; /* of the family's levels */
    enum al_verdict verdict;
    size_t more; /* of AL_INCONCLUSIVE: how many more values would decide it; SIZE_MAX: very many */
};

/* Judges all together; 0 or -ENOMEM. */
__attribute__((warn_unused_result)) int
al_judge(struct al_judgement *all, size_t n, const struct al_rules *rules, struct al_family *out);

/* The verdict on a ratio that is none of the family, by its levels; p_bh is left as it is. */
void al_judge_by(struct al_judgement *one, const struct al_family *family);

/*
 * The part of 1 - level that may be spent when `blocks` of planned looks (ascending numbers of
 * blocks) are done: as much as the blocks since the last look are of all. 1 without looks.
 */
double al_look_share(const size_t *looks, size_t n, size_t blocks);

#endif
