/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/results/comparison.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/results/labels.h"
#include "benchmarks/harness/results/matching.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

static void add_alone(struct al_comparisons *out, const struct al_cell *cell, bool is_base,
                      const char *why)
{
    if ((out->n_alone & (out->n_alone - 1)) == 0) /* full: at 0, 1, 2, 4 … */
        out->alone = al_needed(reallocarray(out->alone, 2 * out->n_alone + 1, sizeof *out->alone));
    out->alone[out->n_alone++] = (struct al_alone){.cell = cell, .is_base = is_base, .why = why};
}

/* The pairs of the quiet trials beside all pairs. */
static void stratify(struct al_comparison *comparison)
{
    const struct al_cell *cell = comparison->cell, *base = comparison->base;
    comparison->stratified = comparison->ratio.paired && cell->quiet_limit > 0 &&
                             base->quiet_limit > 0;
    if (comparison->stratified)
        (void)al_cells_quiet_paired(cell, base, &comparison->quiet);
}

/*
 * Add the ratio of two cells, or the reason why there is none. Cells of one file that no session
 * measured both of are not compared, because a machine drifts by more than cells differ.
 */
static void add(struct al_comparisons *out, const struct al_cell *cell, const struct al_cell *base,
                bool within)
{
    struct al_comparison *next = &out->all[out->n];
    /* Simulated trials pair by seed, in whatever file, and have no session with native ones. */
    within = cell->simulated == base->simulated && (within || cell->simulated);
    *next = (struct al_comparison){.cell = cell, .base = base, .by_session = !within};
    bool values = cell->n > 0 && base->n > 0,
         apart = within && values && !al_cells_meet(cell, base);
    bool found = values && !apart &&
                 (within ? al_cells_paired(cell, base, &next->ratio) ||
                               al_cells_independent(cell, base, &next->ratio)
                         : al_cells_by_session(cell, base, &next->ratio));
    if (found) {
        stratify(next);
        out->n++;
        return;
    }
    add_alone(out, cell, false,
              apart          ? "measured in other sessions only"
              : cell->n == 0 ? "no trial with outcome ok"
                             : "no trial with outcome ok to compare with");
    out->alone[out->n_alone - 1].apart = apart;
    out->alone[out->n_alone - 1].failed = !values;
    out->alone[out->n_alone - 1].lost = cell->n == 0 && base->n > 0;
}

static int compare_values(const struct al_cell *a, const struct al_cell *b, const char *key)
{
    const json_t *left = json_object_get(a->identity, key);
    const json_t *right = json_object_get(b->identity, key);
    if (json_is_integer(left) && json_is_integer(right))
        return (json_integer_value(left) > json_integer_value(right)) -
               (json_integer_value(left) < json_integer_value(right));
    const char *x = json_string_value(left), *y = json_string_value(right);
    return strcmp(x != NULL ? x : "", y != NULL ? y : "");
}

/*
 * Records come in shuffled order. Cells that agree in these keys keep the order of their addresses,
 * which is that of their first records.
 */
static int compare_identities(const void *left, const void *right)
{
    static const char *const keys[] = {"benchmark", "scheduler", "victim", "workers"};
    const struct al_cell *a = ((const struct al_comparison *)left)->cell;
    const struct al_cell *b = ((const struct al_comparison *)right)->cell;
    int order = 0;
    for (size_t i = 0; i < COUNT(keys) && order == 0; i++)
        order = compare_values(a, b, keys[i]);
    return order != 0 ? order : (a > b) - (a < b);
}

static void sort(struct al_comparisons *out)
{
    qsort(out->all, out->n, sizeof *out->all, compare_identities);
}

void al_compare_files(struct al_comparisons *out, const struct al_summary *newer,
                      const struct al_summary *older)
{
    struct al_match *matches = al_needed(calloc(newer->count + 1, sizeof *matches));
    bool *met = al_needed(calloc(older->count + 1, sizeof *met));
    al_match_files(newer, older, matches, met);
    out->all = al_needed(calloc(newer->count + 1, sizeof *out->all));
    for (size_t c = 0; c < newer->count; c++) {
        if (matches[c].base != NULL)
            add(out, &newer->cells[c], matches[c].base, false);
        else
            add_alone(out, &newer->cells[c], false,
                      matches[c].several ? "several fit in the older" : "only in the newer");
    }
    for (size_t o = 0; o < older->count; o++) {
        if (!met[o])
            add_alone(out, &older->cells[o], true, "only in the older");
    }
    sort(out);
    free(met);
    free(matches);
}

void al_compare_within(struct al_comparisons *out, const struct al_summary *summary,
                       const struct al_setting *against, size_t n_against)
{
    struct al_match *matches = al_needed(calloc(summary->count + 1, sizeof *matches));
    al_match_within(summary, against, n_against, matches);
    out->all = al_needed(calloc(summary->count + 1, sizeof *out->all));
    for (size_t c = 0; c < summary->count; c++) {
        if (matches[c].base != NULL)
            add(out, &summary->cells[c], matches[c].base, true);
        else if (!matches[c].is_base)
            add_alone(out, &summary->cells[c], false,
                      matches[c].several ? "several to compare with; another --against tells which"
                                         : "none to compare with");
    }
    sort(out);
    free(matches);
}

void al_compare_pairs(struct al_comparisons *out, const struct al_pair *pairs, size_t n)
{
    out->all = al_needed(calloc(n + 1, sizeof *out->all));
    for (size_t i = 0; i < n; i++)
        add(out, pairs[i].cell, pairs[i].base, true);
    al_compare_judge(out);
}

/* Few sessions allow no verdict: they share too little drift to tell. */
static bool can_be_judged(const struct al_comparison *comparison)
{
    const size_t *n = comparison->ratio.n;
    return !comparison->by_session || (n[0] >= AL_SESSIONS_LEAST && n[1] >= AL_SESSIONS_LEAST);
}

static void judge_quiet(struct al_comparison *one, const struct al_family *family)
{
    one->judged_quiet = (struct al_judgement){
        .failed = {one->judged.failed[0], one->judged.failed[1]}, .p_bh = NAN};
    if (one->stratified && one->quiet.n[0] > 0)
        one->judged_quiet.ratio = &one->quiet;
    al_judge_by(&one->judged_quiet, family);
}

/* Ratios by Holm's correction: for a gate, where no single false alarm is welcome. */
static void correct_for_gate(struct al_comparisons *out)
{
    double *p = al_needed(calloc(out->n + 1, sizeof *p));
    for (size_t c = 0; c < out->n; c++)
        p[c] = out->all[c].judged.ratio != NULL ? fmin(1, out->all[c].ratio.p / out->rules.share)
                                                : NAN;
    if (al_holm(p, out->n) != 0)
        al_no_memory();
    for (size_t c = 0; c < out->n; c++)
        out->all[c].p_holm = p[c];
    free(p);
}

void al_compare_judge(struct al_comparisons *out)
{
    struct al_judgement *all = al_needed(calloc(out->n + 1, sizeof *all));
    for (size_t c = 0; c < out->n; c++) {
        struct al_comparison *one = &out->all[c];
        all[c] = (struct al_judgement){
            .ratio = can_be_judged(one) ? &one->ratio : NULL,
            .failed = {al_cell_failed_share(one->cell), al_cell_failed_share(one->base)}};
    }
    if (al_judge(all, out->n, &out->rules, &out->family) != 0)
        al_no_memory();
    for (size_t c = 0; c < out->n; c++) {
        struct al_comparison *one = &out->all[c];
        one->judged = all[c];
        if (one->judged.ratio == NULL) /* the estimate is all there is */
            one->judged.interval = one->judged.equivalence = (struct al_interval){
                .median = one->ratio.estimate,
                .high = INFINITY,
                .achieved = 1,
                .n = one->ratio.n[0] < one->ratio.n[1] ? one->ratio.n[0] : one->ratio.n[1]};
        judge_quiet(one, &out->family);
    }
    free(all);
    correct_for_gate(out);
}

int al_comparison_holds(const struct al_comparison *comparison)
{
    enum al_verdict quiet = comparison->judged_quiet.verdict, all = comparison->judged.verdict;
    bool decided = quiet < AL_INCONCLUSIVE && all < AL_INCONCLUSIVE;
    return decided ? quiet == all : -1;
}

bool al_comparison_has_states(const struct al_comparison *comparison)
{
    const struct al_judgement *quiet = &comparison->judged_quiet;
    double all = comparison->ratio.estimate;
    return quiet->ratio != NULL && (quiet->equivalence.high < all || quiet->equivalence.low > all);
}

/* Of pairs, the logarithms change their sign, and so their order; two samples change places. */
static void turn_ratio(struct al_ratio *ratio)
{
    double *logs = ratio->logs[0];
    size_t n = ratio->n[0];
    if (ratio->paired) {
        for (size_t i = 0; i < (n + 1) / 2; i++) {
            double last = -logs[n - 1 - i];
            logs[n - 1 - i] = -logs[i];
            logs[i] = last;
        }
    } else {
        ratio->logs[0] = ratio->logs[1];
        ratio->logs[1] = logs;
        ratio->n[0] = ratio->n[1];
        ratio->n[1] = n;
    }
    ratio->estimate = 1 / ratio->estimate;
}

bool al_comparison_favours(const struct al_comparison *comparison)
{
    const double *failed = comparison->judged.failed;
    return failed[0] == failed[1] ? comparison->ratio.estimate < 1 : failed[0] < failed[1];
}

char *al_comparison_failed_text(const struct al_comparison *comparison)
{
    if (comparison->cell->n_failed + comparison->base->n_failed == 0)
        return NULL;
    char *mine = al_cell_failed_text(comparison->cell),
         *other = al_cell_failed_text(comparison->base);
    char *text = comparison->base->n_failed == 0
                     ? al_text("%s failed", mine)
                     : al_text("%s failed, of the other %s", mine, other);
    free(mine);
    free(other);
    return text;
}

bool al_comparison_is_disturbed(const struct al_comparison *comparison)
{
    return al_cell_is_disturbed(comparison->cell) || al_cell_is_disturbed(comparison->base);
}

size_t al_comparisons_disturbed(const struct al_comparisons *comparisons)
{
    size_t n = 0;
    for (size_t c = 0; c < comparisons->n; c++)
        n += comparisons->all[c].judged.verdict < AL_INCONCLUSIVE &&
             al_comparison_is_disturbed(&comparisons->all[c]);
    return n;
}

static void turn_interval(struct al_interval *interval)
{
    double low = interval->low;
    interval->median = 1 / interval->median;
    interval->low = 1 / interval->high;
    interval->high = low > 0 ? 1 / low : INFINITY;
}

static void turn_judgement(struct al_judgement *judged)
{
    double failed = judged->failed[0];
    judged->failed[0] = judged->failed[1];
    judged->failed[1] = failed;
    turn_interval(&judged->interval);
    turn_interval(&judged->equivalence);
    if (judged->verdict == AL_FASTER || judged->verdict == AL_SLOWER)
        judged->verdict = judged->verdict == AL_FASTER ? AL_SLOWER : AL_FASTER;
}

void al_comparison_turn(struct al_comparison *comparison)
{
    const struct al_cell *cell = comparison->cell;
    comparison->cell = comparison->base;
    comparison->base = cell;
    turn_ratio(&comparison->ratio);
    turn_judgement(&comparison->judged);
    if (comparison->quiet.n[0] > 0) {
        turn_ratio(&comparison->quiet);
        turn_judgement(&comparison->judged_quiet);
    }
}

void al_comparison_release(struct al_comparison *comparison)
{
    al_ratio_release(&comparison->ratio);
    al_ratio_release(&comparison->quiet);
}

void al_comparisons_release(struct al_comparisons *comparisons)
{
    for (size_t c = 0; c < comparisons->n; c++)
        al_comparison_release(&comparisons->all[c]);
    free(comparisons->all);
    free(comparisons->alone);
}
