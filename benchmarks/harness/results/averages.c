/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/results/comparison.h"

#include <stdint.h>
#include <stdlib.h>

#include "benchmarks/harness/results/labels.h"

static struct al_interval mean_of(const struct al_comparisons *comparisons,
                                  const struct al_averages *averages, size_t place,
                                  const struct al_summary *summary)
{
    const struct al_average *average = &averages->all[place];
    const struct al_ratio **ratios = al_needed(calloc(average->n, sizeof *ratios));
    size_t n = 0;
    for (size_t c = average->first; c < comparisons->n; c++) {
        if (averages->of[c] == place)
            ratios[n++] = &comparisons->all[c].ratio;
    }
    struct al_interval interval;
    if (al_ratio_average(ratios, n, AL_AVERAGE_RESAMPLES, summary->level, summary->seed,
                         &interval) != 0)
        al_no_memory();
    interval.n = n;
    free(ratios);
    return interval;
}

void al_averages_make(const struct al_comparisons *comparisons,
                      char *(*key_of)(const struct al_comparison *comparison, const void *data),
                      const void *data, const struct al_summary *summary, struct al_averages *out)
{
    json_t *places = al_needed(json_object());
    out->n = 0;
    out->all = al_needed(calloc(comparisons->n + 1, sizeof *out->all));
    out->of = al_needed(calloc(comparisons->n + 1, sizeof *out->of));
    for (size_t c = 0; c < comparisons->n; c++) {
        char *key = key_of(&comparisons->all[c], data);
        json_t *place = json_object_get(places, key);
        if (place == NULL) {
            place = json_integer((json_int_t)out->n);
            al_json_set(places, key, place);
            out->all[out->n++].first = c;
        }
        out->of[c] = (size_t)json_integer_value(place);
        out->all[out->of[c]].n++;
        free(key);
    }
    json_decref(places);
    for (size_t a = 0; a < out->n; a++) {
        if (out->all[a].n > 1)
            out->all[a].interval = mean_of(comparisons, out, a, summary);
    }
}

void al_averages_release(struct al_averages *averages)
{
    free(averages->all);
    free(averages->of);
}
