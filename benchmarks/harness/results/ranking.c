/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/results/study.h"

#include <stdlib.h>

/* The end of those members of a group that are compared with one another. */
static size_t ranked_end(const struct al_study *study, size_t group)
{
    size_t first = study->groups[group], end = study->groups[group + 1];
    return end - first > AL_RANKED_MOST ? first + AL_RANKED_MOST : end;
}

static void compare_pairs(const struct al_study *study, struct al_comparisons *out)
{
    struct al_pair *pairs = al_needed(calloc(1, sizeof *pairs));
    size_t n = 0, room = 0;
    for (size_t g = 0; g < study->n_groups; g++) {
        size_t end = ranked_end(study, g), count = end - study->groups[g];
        room += count * (count - 1) / 2;
        pairs = al_needed(reallocarray(pairs, room + 1, sizeof *pairs));
        for (size_t i = study->groups[g]; i < end; i++) {
            for (size_t k = i + 1; k < end; k++)
                pairs[n++] = (struct al_pair){study->cells[study->members[k]],
                                              study->cells[study->members[i]]};
        }
    }
    al_compare_pairs(out, pairs, n);
    free(pairs);
}

/* A member, and how many others it is faster than by the ratios. */
struct ranked {
    size_t group, wins, place, before; /* before: its rank by medians */
};

static int compare_ranked(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    if (a->wins != b->wins)
        return a->wins > b->wins ? -1 : 1;
    return (a->before > b->before) - (a->before < b->before);
}

static void order_by_wins(struct al_study *study, const struct al_comparisons *pairs)
{
    size_t *wins = al_needed(calloc(study->n + 1, sizeof *wins));
    struct ranked *ranked = al_needed(calloc(study->n + 1, sizeof *ranked));
    for (size_t c = 0; c < pairs->n; c++) {
        const struct al_comparison *one = &pairs->all[c];
        if (one->ratio.estimate != 1 || one->judged.failed[0] != one->judged.failed[1])
            wins[al_study_place(study, al_comparison_favours(one) ? one->cell : one->base)]++;
    }
    for (size_t g = 0; g < study->n_groups; g++) {
        for (size_t m = study->groups[g]; m < study->groups[g + 1]; m++)
            ranked[m] = (struct ranked){g, wins[study->members[m]], study->members[m], m};
    }
    qsort(ranked, study->n, sizeof *ranked, compare_ranked);
    for (size_t m = 0; m < study->n; m++)
        study->members[m] = ranked[m].place;
    free(ranked);
    free(wins);
}

/* Moves the comparisons with the first of each group out of all pairs, by the rank of the other. */
static void take_those_with_first(struct al_study *study, struct al_comparisons *pairs)
{
    size_t *first = al_needed(calloc(study->n + 1, sizeof *first)); /* by place */
    size_t *rank = al_needed(calloc(study->n + 1, sizeof *rank));
    struct al_comparison *kept = al_needed(calloc(study->n + 1, sizeof *kept));
    for (size_t g = 0; g < study->n_groups; g++) {
        for (size_t m = study->groups[g]; m < study->groups[g + 1]; m++) {
            first[study->members[m]] = study->members[study->groups[g]];
            rank[study->members[m]] = m;
        }
    }
    for (size_t c = 0; c < pairs->n; c++) {
        struct al_comparison *one = &pairs->all[c];
        size_t cell = al_study_place(study, one->cell), base = al_study_place(study, one->base);
        if (cell != first[cell] && base != first[base]) {
            al_comparison_release(one);
            continue;
        }
        if (cell == first[cell])
            al_comparison_turn(one);
        size_t other = cell == first[cell] ? base : cell;
        if (one->judged.verdict == AL_SLOWER)
            study->fastest[other] = false;
        kept[rank[other]] = *one;
    }
    pairs->n = 0;
    for (size_t m = 0; m < study->n; m++) {
        if (kept[m].cell != NULL)
            pairs->all[pairs->n++] = kept[m];
    }
    free(kept);
    free(rank);
    free(first);
}

void al_study_rank(struct al_study *study, const struct al_rules *rules)
{
    struct al_comparisons pairs = {.rules = *rules};
    study->fastest = al_needed(calloc(study->n + 1, sizeof *study->fastest));
    compare_pairs(study, &pairs);
    order_by_wins(study, &pairs);
    for (size_t g = 0; g < study->n_groups; g++) {
        for (size_t m = study->groups[g]; m < study->groups[g + 1]; m++)
            study->fastest[study->members[m]] = m < ranked_end(study, g);
    }
    take_those_with_first(study, &pairs);
    study->to_fastest = pairs;
}
