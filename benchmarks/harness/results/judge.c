/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/results/judge.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

const char *const al_verdict_names[AL_VERDICTS] = {"faster", "slower", "equivalent",
                                                   "inconclusive"};

#define MOST_TIMES 10 /* as many as there are; predictions beyond that hardly ever come true */

/* Rounded up to one digit, since it rests on the spread of few values. */
static size_t one_digit(size_t n)
{
    size_t unit = 1;
    while (n / unit >= 10)
        unit *= 10;
    return (n + unit - 1) / unit * unit;
}

/* How many more values would decide it; SIZE_MAX if that is no way to decide it. */
static size_t needed_beyond(const struct al_judgement *one, const struct al_family *family)
{
    const struct al_ratio *ratio = one->ratio;
    struct al_decision decision = {.alpha = 1 - family->level,
                                   .equivalence = family->equivalence,
                                   .margin = 1 + family->by.margin_percent / 100};
    if (one->failed[0] != one->failed[1]) {
        if ((ratio->estimate < 1) == (one->failed[0] > one->failed[1]))
            return SIZE_MAX;
        decision.margin = 1;
    }
    size_t now = ratio->n[0] < ratio->n[1] ? ratio->n[0] : ratio->n[1];
    size_t needed = al_ratio_needed(ratio, &decision);
    if (needed == SIZE_MAX || needed - now > MOST_TIMES * now)
        return SIZE_MAX;
    return one_digit(needed - now);
}

void al_judge_by(struct al_judgement *one, const struct al_family *family)
{
    one->more = SIZE_MAX;
    one->verdict = AL_NO_VERDICT;
    if (one->ratio == NULL)
        return;
    double margin = 1 + family->by.margin_percent / 100;
    bool more = one->failed[0] > one->failed[1], fewer = one->failed[0] < one->failed[1];
    one->interval = al_ratio_interval(one->ratio, family->level);
    one->equivalence = al_ratio_interval(one->ratio, family->equivalence);
    if (!more && !fewer && one->equivalence.low >= 1 / margin && one->equivalence.high <= margin)
        one->verdict = AL_EQUIVALENT;
    else if (one->interval.high < 1 && !more)
        one->verdict = AL_FASTER;
    else if (one->interval.low > 1 && !fewer)
        one->verdict = AL_SLOWER;
    else
        one->verdict = AL_INCONCLUSIVE;
    if (one->verdict == AL_INCONCLUSIVE)
        one->more = needed_beyond(one, family);
}

int al_judge(struct al_judgement *all, size_t n, const struct al_rules *rules,
             struct al_family *out)
{
    double alpha = 1 - rules->level, *p = calloc(n + 1, sizeof *p);
    if (p == NULL)
        return -ENOMEM;
    *out = (struct al_family){.by = *rules, .equivalence = 1 - 2 * alpha * rules->share};
    for (size_t i = 0; i < n; i++) {
        p[i] = all[i].ratio != NULL ? fmin(1, all[i].ratio->p / rules->share) : NAN;
        out->m += all[i].ratio != NULL;
    }
    int code = al_benjamini_hochberg(p, n);
    for (size_t i = 0; i < n && code == 0; i++) {
        all[i].p_bh = p[i];
        out->rejected += al_significant(p[i], alpha);
    }
    double counted = out->rejected > 0 ? (double)out->rejected : 1;
    out->level = 1 - alpha * rules->share * (out->m > 0 ? counted / (double)out->m : 1);
    for (size_t i = 0; i < n && code == 0; i++)
        al_judge_by(&all[i], out);
    free(p);
    return code;
}

double al_look_share(const size_t *looks, size_t n, size_t blocks)
{
    size_t k = 0;
    if (n == 0)
        return 1;
    while (k + 1 < n && looks[k] < blocks)
        k++;
    return (double)(looks[k] - (k > 0 ? looks[k - 1] : 0)) / (double)looks[n - 1];
}
