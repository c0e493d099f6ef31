/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/results/comparison.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/results/identity.h"
#include "benchmarks/harness/results/labels.h"

const char *const al_verdict_names[AL_VERDICTS] = {"faster", "slower", "equivalent",
                                                   "inconclusive"};

#define COUNT(list) (sizeof(list) / sizeof *(list))

static bool listed(const char *key, const struct al_setting *against, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(against[i].key, key) == 0)
            return true;
    }
    return false;
}

/* What must agree, as text; the options are looked at one by one. */
static char *strict_key(const struct al_cell *cell, const struct al_setting *against, size_t n,
                        bool any_build)
{
    json_t *strict = al_needed(json_copy(cell->identity));
    json_t *parameters = al_needed(json_copy(json_object_get(strict, "parameters")));
    for (size_t i = 0; i < n; i++) {
        json_object_del(strict, against[i].key);
        json_object_del(parameters, against[i].key);
    }
    al_json_set(strict, "parameters", parameters);
    json_object_del(strict, "options");
    unsigned loose = (listed("scheduler", against, n) ? AL_BROUGHT : 0) |
                     (any_build ? AL_BUILD : 0);
    for (size_t k = 0; k < AL_IDENTITY_KEYS; k++) {
        if ((al_identity_keys[k].roles & loose) != 0)
            json_object_del(strict, al_identity_keys[k].name);
    }
    char *text = al_needed(json_dumps(strict, JSON_SORT_KEYS | JSON_COMPACT));
    json_decref(strict);
    return text;
}

static char **strict_keys(const struct al_summary *summary, const struct al_setting *against,
                          size_t n, bool any_build)
{
    char **keys = al_needed(calloc(summary->count + 1, sizeof *keys));
    for (size_t c = 0; c < summary->count; c++)
        keys[c] = strict_key(&summary->cells[c], against, n, any_build);
    return keys;
}

static void free_keys(char **keys, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(keys[i]);
    free(keys);
}

static bool meets(const struct al_cell *cell, const struct al_setting *against, size_t n)
{
    bool all = true;
    for (size_t i = 0; i < n && all; i++) {
        char *value = al_label_text(al_cell_value(cell, against[i].key));
        all = strcmp(value, against[i].value) == 0;
        free(value);
    }
    return all;
}

static void add_alone(struct al_comparisons *out, const struct al_cell *cell, bool is_base,
                      const char *why)
{
    if ((out->n_alone & (out->n_alone - 1)) == 0) /* full: at 0, 1, 2, 4 … */
        out->alone = al_needed(reallocarray(out->alone, 2 * out->n_alone + 1, sizeof *out->alone));
    out->alone[out->n_alone++] = (struct al_alone){.cell = cell, .is_base = is_base, .why = why};
}

/*
 * Add the ratio of two cells, or the reason why there is none. Cells of one file that no session
 * measured both of are not compared, because a machine drifts by more than cells differ.
 */
static void add(struct al_comparisons *out, const struct al_cell *cell, const struct al_cell *base,
                bool within, struct al_bootstrap *bootstrap)
{
    struct al_comparison *next = &out->all[out->n];
    *next = (struct al_comparison){.cell = cell, .base = base};
    bool apart = within && cell->n > 0 && base->n > 0 && !al_cells_meet(cell, base);
    if (!apart && (al_cells_paired(cell, base, bootstrap, &next->ratio) ||
                   al_cells_independent(cell, base, bootstrap, &next->ratio))) {
        out->n++;
        return;
    }
    add_alone(out, cell, false,
              apart          ? "measured in other sessions only"
              : cell->n == 0 ? "no trial with outcome ok"
                             : "no trial with outcome ok to compare with");
    out->alone[out->n_alone - 1].apart = apart;
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
                      const struct al_summary *older, struct al_bootstrap *bootstrap)
{
    char **keys = strict_keys(newer, NULL, 0, true);
    char **old_keys = strict_keys(older, NULL, 0, true);
    bool *met = al_needed(calloc(older->count + 1, sizeof *met));
    out->all = al_needed(calloc(newer->count + 1, sizeof *out->all));
    for (size_t c = 0; c < newer->count; c++) {
        const struct al_cell *cell = &newer->cells[c];
        size_t best = 0, fewest = SIZE_MAX, ties = 0;
        for (size_t o = 0; o < older->count; o++) {
            size_t shared, differ;
            if (strcmp(keys[c], old_keys[o]) != 0)
                continue;
            differ = al_cells_options(cell, &older->cells[o], &shared);
            if (shared > 0 || differ > fewest)
                continue;
            ties = differ == fewest ? ties + 1 : 1;
            fewest = differ;
            best = o;
            met[o] = true;
        }
        if (ties == 1)
            add(out, cell, &older->cells[best], false, bootstrap);
        else
            add_alone(out, cell, false,
                      ties == 0 ? "only in the newer" : "several fit in the older");
    }
    for (size_t o = 0; o < older->count; o++) {
        if (!met[o])
            add_alone(out, &older->cells[o], true, "only in the older");
    }
    sort(out);
    free(met);
    free_keys(keys, newer->count);
    free_keys(old_keys, older->count);
}

void al_compare_within(struct al_comparisons *out, const struct al_summary *summary,
                       const struct al_setting *against, size_t n_against,
                       struct al_bootstrap *bootstrap)
{
    size_t *bases = al_needed(calloc(summary->count + 1, sizeof *bases)), n_bases = 0;
    char **keys = strict_keys(summary, against, n_against, false);
    for (size_t c = 0; c < summary->count; c++) {
        if (meets(&summary->cells[c], against, n_against))
            bases[n_bases++] = c;
    }
    out->all = al_needed(calloc(summary->count + 1, sizeof *out->all));
    for (size_t c = 0; c < summary->count; c++) {
        const struct al_cell *cell = &summary->cells[c];
        const struct al_cell *base = NULL;
        if (meets(cell, against, 1))
            continue;
        size_t fewest = SIZE_MAX, ties = 0;
        for (size_t b = 0; b < n_bases; b++) {
            const struct al_cell *candidate = &summary->cells[bases[b]];
            size_t differ;
            if (strcmp(keys[c], keys[bases[b]]) != 0 ||
                (differ = al_cells_difference(cell, candidate)) > fewest)
                continue;
            ties = differ == fewest ? ties + 1 : 1;
            fewest = differ;
            base = candidate;
        }
        if (ties == 1)
            add(out, cell, base, true, bootstrap);
        else
            add_alone(out, cell, false,
                      ties == 0 ? "none to compare with"
                                : "several to compare with; another --against tells which");
    }
    sort(out);
    free(bases);
    free_keys(keys, summary->count);
}

/*
 * Judge by the interval and by the p-value, which is corrected for the number of comparisons.
 * Differences within the margin count as equivalent even if significant. Values that are not paired
 * do not share the drift of their machine, so they must differ by more than the noise.
 */
static enum al_verdict judge(const struct al_comparison *comparison,
                             const struct al_comparisons *all, double level)
{
    const struct al_interval *i = &comparison->ratio.interval;
    double margin = all->margin;
    double beyond = 1 + (comparison->ratio.paired ? 0 : all->noise / 100);
    if (isnan(comparison->p_holm))
        return AL_INCONCLUSIVE;
    if (i->low >= 1 / (1 + margin / 100) && i->high <= 1 + margin / 100)
        return AL_EQUIVALENT;
    bool sure = comparison->p_holm < 1 - level;
    return sure && i->high < 1 / beyond ? AL_FASTER
           : sure && i->low > beyond    ? AL_SLOWER
                                        : AL_INCONCLUSIVE;
}

void al_compare_pairs(struct al_comparisons *out, const struct al_pair *pairs, size_t n,
                      struct al_bootstrap *bootstrap)
{
    out->all = al_needed(calloc(n + 1, sizeof *out->all));
    for (size_t i = 0; i < n; i++)
        add(out, pairs[i].cell, pairs[i].base, true, bootstrap);
    al_compare_judge(out, bootstrap);
}

double al_noise_margin(double noise)
{
    return noise < 0 ? AL_NOISE_PERCENT : noise <= AL_NOISE_MOST_PERCENT ? noise : 0;
}

void al_compare_judge(struct al_comparisons *out, struct al_bootstrap *bootstrap)
{
    double *p = al_needed(calloc(out->n + 1, sizeof *p));
    for (size_t c = 0; c < out->n; c++)
        p[c] = out->all[c].ratio.p;
    if (al_holm(p, out->n) != 0)
        al_no_memory();
    for (size_t c = 0; c < out->n; c++) {
        out->all[c].p_holm = p[c];
        out->all[c].verdict = judge(&out->all[c], out, al_bootstrap_level(bootstrap));
    }
    free(p);
}

void al_comparisons_release(struct al_comparisons *comparisons)
{
    free(comparisons->all);
    free(comparisons->alone);
}
