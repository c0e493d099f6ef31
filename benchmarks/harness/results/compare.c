/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/results/compare.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "benchmarks/harness/results/identity.h"
#include "benchmarks/harness/results/cells.h"
#include "benchmarks/harness/results/quiet.h"
#include "benchmarks/harness/results/sweep_file.h"
#include "benchmarks/harness/text/json.h"

bool al_compare_is_regression(const struct al_compare *compare,
                              const struct al_comparison *comparison)
{
    double estimate = comparison->ratio.estimate;
    if (comparison->judged.failed[0] > comparison->judged.failed[1])
        return true;
    return al_significant(comparison->p_holm, 1 - compare->comparisons.rules.level) &&
           estimate > 1 + compare->gate_percent / 100;
}

/* Whether so many values can give a p-value that is small enough among all. */
static bool can_be_significant(const struct al_compare *compare, const struct al_comparison *one)
{
    const struct al_rules *rules = &compare->comparisons.rules;
    double m = (double)compare->comparisons.family.m;
    const size_t *n = one->ratio.n;
    return al_significant(al_ratio_least_p(one->ratio.paired, n[0], n[1]) * m,
                          (1 - rules->level) * rules->share);
}

size_t al_compare_gate_needs(const struct al_compare *compare)
{
    const struct al_comparisons *comparisons = &compare->comparisons;
    const struct al_rules *rules = &comparisons->rules;
    size_t m = comparisons->family.m;
    if (m == 0)
        return 0;
    for (size_t c = 0; c < comparisons->n; c++) {
        const struct al_comparison *one = &comparisons->all[c];
        if (one->judged.ratio != NULL && can_be_significant(compare, one))
            return 0;
    }
    return al_ratio_least_n(comparisons->all[0].ratio.paired,
                            (1 - rules->level) * rules->share / (double)m);
}

const struct al_comparison *al_compare_without_verdict(const struct al_compare *compare)
{
    for (size_t c = 0; c < compare->comparisons.n; c++) {
        if (compare->comparisons.all[c].judged.ratio == NULL)
            return &compare->comparisons.all[c];
    }
    return NULL;
}

/* All that identifies a setting, whatever the workload. */
static char *setting_key(const struct al_comparison *comparison, const void *unused)
{
    (void)unused;
    json_t *cell = al_needed(json_copy(comparison->cell->identity));
    json_t *base = al_needed(json_copy(comparison->base->identity));
    json_t *both = al_needed(json_pack("[o, o]", cell, base));
    json_object_del(cell, "benchmark");
    json_object_del(cell, "parameters");
    json_object_del(base, "benchmark");
    json_object_del(base, "parameters");
    char *text = al_needed(json_dumps(both, JSON_SORT_KEYS | JSON_COMPACT));
    json_decref(both);
    return text;
}

/* Of a share, as a user would write it: 7, not 7.000000000000001. */
static double percent(double share)
{
    return round(share * 1e12) / 1e10;
}

bool al_compare_run(struct al_compare *compare, double margin, double gate)
{
    struct al_comparisons *comparisons = &compare->comparisons;
    struct al_strata strata[2];
    al_summary_sort(&compare->older);
    al_summary_sort(&compare->newer);
    al_strata_make(&compare->older, &strata[0]);
    al_strata_make(&compare->newer, &strata[1]);
    comparisons->rules = al_sweep_rules(compare->sweep, &compare->newer);
    if (margin >= 0)
        comparisons->rules.margin_percent = percent(margin);
    compare->gate_percent = gate >= 0 ? percent(gate) : comparisons->rules.margin_percent;
    if (compare->n_against > 0)
        al_compare_within(comparisons, &compare->newer, compare->against, compare->n_against);
    else
        al_compare_files(comparisons, &compare->newer, &compare->older);
    al_compare_judge(comparisons);
    al_averages_make(comparisons, setting_key, NULL, &compare->newer, &compare->averages);
    al_strata_release(&strata[0]);
    al_strata_release(&strata[1]);
    for (size_t c = 0; c < comparisons->n; c++)
        compare->regressions += al_compare_is_regression(compare, &comparisons->all[c]);
    bool any = comparisons->n > 0;
    for (size_t a = 0; a < comparisons->n_alone; a++) {
        compare->regressions += comparisons->alone[a].lost;
        compare->failed += comparisons->alone[a].failed;
        any |= comparisons->alone[a].failed || comparisons->alone[a].apart;
    }
    return any;
}

void al_compare_release(struct al_compare *compare)
{
    al_averages_release(&compare->averages);
    al_comparisons_release(&compare->comparisons);
    al_cells_release(&compare->older);
    al_cells_release(&compare->newer);
    json_decref(compare->sweep);
}

json_t *al_compare_differences(const struct al_comparison *comparison)
{
    const char *key;
    json_t *differ = al_needed(json_object()), *value;
    const json_t *sides[] = {comparison->base->identity, comparison->cell->identity};
    for (size_t k = 0; k < AL_IDENTITY_KEYS; k++) {
        const char *name = al_identity_keys[k].name;
        json_t *old = json_object_get(sides[0], name), *new = json_object_get(sides[1], name);
        if ((al_identity_keys[k].roles & AL_SECTION) == 0 && !json_equal(old, new))
            al_json_set(differ, name, json_pack("[O, O]", old, new));
    }
    for (size_t side = 0; side < 2; side++) {
        for (size_t s = 0; s < 2; s++) {
            const char *section = s == 0 ? "parameters" : "options";
            json_object_foreach(json_object_get(sides[side], section), key, value)
            {
                json_t *other = json_object_get(json_object_get(sides[1 - side], section), key);
                if (json_equal(value, other) || json_object_get(differ, key) != NULL)
                    continue;
                json_t *pair[] = {side == 0 ? value : other, side == 0 ? other : value};
                al_json_set(differ, key, json_pack("[O?, O?]", pair[0], pair[1]));
            }
        }
    }
    return differ;
}

/* Whether two lists, in which nothing is twice, have the same values. */
static bool same_values(const json_t *a, const json_t *b)
{
    size_t n = json_array_size(a), met = 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < n; k++)
            met += json_equal(json_array_get(a, i), json_array_get(b, k));
    }
    return met == n && json_array_size(b) == n;
}

json_t *al_compare_environment(const struct al_compare *compare)
{
    json_t *list = al_needed(json_array());
    for (size_t k = 0; compare->n_against == 0 && k < AL_ENVIRONMENT_KEYS; k++) {
        json_t *old = json_object_get(compare->older.environment, al_environment_keys[k]);
        json_t *new = json_object_get(compare->newer.environment, al_environment_keys[k]);
        if (!same_values(old, new))
            al_json_append(list, json_pack("{s:s, s:O?, s:O?}", "key", al_environment_keys[k],
                                           "old", old, "new", new));
    }
    return list;
}
