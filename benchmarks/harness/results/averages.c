/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/results/averages.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "benchmarks/harness/results/labels.h"

char *al_setting_key(const struct al_comparison *comparison)
{
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

/* Adds the logarithms of a comparison's replicates to `sum`. */
static void add_replicates(const struct al_comparison *comparison, struct al_bootstrap *bootstrap,
                           uint64_t stream, double *replicates, double *sum)
{
    const struct al_cell *cell = comparison->cell, *base = comparison->base;
    int code;
    if (comparison->ratio.paired) {
        double *above, *below;
        size_t n = al_cells_pairs(cell, base, &above, &below);
        for (size_t i = 0; i < n; i++)
            above[i] /= below[i];
        code = al_bootstrap_medians(bootstrap, above, n, 2 * stream, replicates);
        free(above);
        free(below);
    } else {
        code = al_ratio_replicates(bootstrap, cell->values[PER_MESSAGE], cell->n,
                                   base->values[PER_MESSAGE], base->n, stream, replicates);
    }
    if (code != 0)
        al_no_memory();
    for (size_t r = 0; r < al_bootstrap_resamples(bootstrap); r++)
        sum[r] += log(replicates[r]);
}

/* The geometric mean of the medians, each workload resampled for itself. */
static struct al_interval resampled_mean(const struct al_comparisons *comparisons,
                                         const struct al_averages *averages, size_t place,
                                         struct al_bootstrap *bootstrap)
{
    const struct al_average *average = &averages->all[place];
    size_t resamples = al_bootstrap_resamples(bootstrap), stream = 0;
    double tail = (1 - al_bootstrap_level(bootstrap)) / 2, n = (double)average->n, mean = 0;
    double *replicates = al_needed(calloc(resamples, sizeof *replicates));
    double *sum = al_needed(calloc(resamples, sizeof *sum));
    for (size_t c = average->first; c < comparisons->n; c++) {
        if (averages->of[c] != place)
            continue;
        mean += log(comparisons->all[c].ratio.interval.median) / n;
        add_replicates(&comparisons->all[c], bootstrap, ++stream, replicates, sum);
    }
    al_median(sum, resamples); /* sorts */
    struct al_interval interval = {.median = exp(mean),
                                   .low = exp(al_quantile(sum, resamples, tail) / n),
                                   .high = exp(al_quantile(sum, resamples, 1 - tail) / n),
                                   .achieved = NAN,
                                   .n = average->n};
    interval.degenerate = interval.low == interval.high;
    free(replicates);
    free(sum);
    return interval;
}

static struct al_interval mean_of(const struct al_comparisons *comparisons,
                                  const struct al_averages *averages, size_t place,
                                  struct al_bootstrap *bootstrap)
{
    const struct al_average *average = &averages->all[place];
    struct al_ratio *ratios = al_needed(calloc(average->n, sizeof *ratios));
    size_t n = 0, least = SIZE_MAX;
    for (size_t c = average->first; c < comparisons->n; c++) {
        if (averages->of[c] != place)
            continue;
        ratios[n++] = comparisons->all[c].ratio;
        least = ratios[n - 1].interval.n < least ? ratios[n - 1].interval.n : least;
    }
    struct al_interval interval;
    if (least >= AL_RATIO_BOOTSTRAP)
        interval = resampled_mean(comparisons, averages, place, bootstrap);
    else if (al_ratio_average(ratios, n, al_bootstrap_level(bootstrap), &interval) != 0)
        al_no_memory();
    free(ratios);
    return interval;
}

void al_averages_make(const struct al_comparisons *comparisons, char *const *keys,
                      struct al_bootstrap *bootstrap, struct al_averages *out)
{
    json_t *places = al_needed(json_object());
    out->n = 0;
    out->all = al_needed(calloc(comparisons->n + 1, sizeof *out->all));
    out->of = al_needed(calloc(comparisons->n + 1, sizeof *out->of));
    for (size_t c = 0; c < comparisons->n; c++) {
        out->of[c] = SIZE_MAX;
        if (keys[c] == NULL)
            continue;
        json_t *place = json_object_get(places, keys[c]);
        if (place == NULL) {
            place = json_integer((json_int_t)out->n);
            al_json_set(places, keys[c], place);
            out->all[out->n++].first = c;
        }
        out->of[c] = (size_t)json_integer_value(place);
        out->all[out->of[c]].n++;
    }
    json_decref(places);
    for (size_t a = 0; a < out->n; a++) {
        if (out->all[a].n > 1)
            out->all[a].interval = mean_of(comparisons, out, a, bootstrap);
    }
}

void al_averages_release(struct al_averages *averages)
{
    free(averages->all);
    free(averages->of);
}
