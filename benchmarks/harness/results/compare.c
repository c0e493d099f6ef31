/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/results/compare.h"

#include <math.h>
#include <stdlib.h>

#include "benchmarks/harness/results/identity.h"
#include "benchmarks/harness/text/json.h"

static void set_noise(struct al_compare *compare, double given, struct al_bootstrap *bootstrap)
{
    double aa = fmax(al_cells_noise(&compare->newer, bootstrap),
                     al_cells_noise(&compare->older, bootstrap));
    compare->noise_from = given >= 0 ? "option" : aa >= 0 ? "aa" : "default";
    double noise = given >= 0 ? given : aa >= 0 ? aa : AL_NOISE_PERCENT;
    compare->comparisons.noise = noise;
    compare->comparisons.margin = given >= 0 ? given : al_noise_margin(aa);
}

bool al_compare_run(struct al_compare *compare, double noise, double gate)
{
    struct al_comparisons *comparisons = &compare->comparisons;
    struct al_bootstrap *bootstrap = al_needed(
        al_bootstrap_new(compare->newer.resamples, compare->newer.level, compare->newer.seed));
    if (compare->n_against > 0)
        al_compare_within(comparisons, &compare->newer, compare->against, compare->n_against,
                          bootstrap);
    else
        al_compare_files(comparisons, &compare->newer, &compare->older, bootstrap);
    set_noise(compare, noise, bootstrap);
    compare->gate_percent = gate >= 0 ? gate : comparisons->noise;
    al_compare_judge(comparisons, bootstrap);
    char **keys = al_needed(calloc(comparisons->n + 1, sizeof *keys));
    for (size_t c = 0; c < comparisons->n; c++)
        keys[c] = al_setting_key(&comparisons->all[c]);
    al_averages_make(comparisons, keys, bootstrap, &compare->averages);
    for (size_t c = 0; c < comparisons->n; c++)
        free(keys[c]);
    free(keys);
    al_bootstrap_free(bootstrap);
    for (size_t c = 0; c < comparisons->n; c++)
        compare->regressions += al_compare_is_regression(compare, &comparisons->all[c]);
    bool any = comparisons->n > 0;
    for (size_t a = 0; a < comparisons->n_alone; a++) {
        compare->regressions += comparisons->alone[a].lost;
        any |= comparisons->alone[a].lost || comparisons->alone[a].apart;
    }
    return any;
}

void al_compare_release(struct al_compare *compare)
{
    al_averages_release(&compare->averages);
    al_comparisons_release(&compare->comparisons);
    al_cells_release(&compare->older);
    al_cells_release(&compare->newer);
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
