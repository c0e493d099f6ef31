/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/results/series.h"

#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/text/json.h"

#define MOST 1e18 /* 30 years in ns: what says to be more has been measured by nobody */

static struct al_series *find(struct al_series_list *list, const char *name)
{
    for (size_t i = 0; i < list->n; i++) {
        if (strcmp(list->all[i].name, name) == 0)
            return &list->all[i];
    }
    list->all = al_needed(reallocarray(list->all, list->n + 1, sizeof *list->all));
    list->all[list->n] = (struct al_series){.name = al_needed(strdup(name))};
    return &list->all[list->n++];
}

static void add(struct al_series_list *list, const char *name, double value)
{
    struct al_series *series = find(list, name);
    if (series->n == series->capacity) {
        series->capacity = 2 * series->capacity + 8;
        series->values = al_needed(
            reallocarray(series->values, series->capacity, sizeof *series->values));
    }
    series->values[series->n++] = value;
}

void al_series_add_latencies(struct al_series_list *list, const json_t *latencies)
{
    static const char *const names[] = {"p50", "p99", "p99.9", "max"};
    static const char *const keys[] = {"p50", "p99", "p99.9", "max_ns"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const json_t *value = json_object_get(latencies, keys[i]);
        double ns = json_number_value(value);
        if (json_is_number(value) && ns >= 0 && ns < MOST)
            add(list, names[i], ns);
    }
}

/* All threads have the same counters. */
void al_series_add_counters(struct al_series_list *list, const json_t *counters, double messages)
{
    const char *name;
    json_t *first, *thread;
    size_t t;
    json_object_foreach(json_array_get(counters, 0), name, first)
    {
        if (!json_is_integer(first)) /* counts by level are no single value */
            continue;
        double sum = 0;
        json_array_foreach(counters, t, thread)
            sum += (double)json_integer_value(json_object_get(thread, name));
        add(list, name, sum / messages);
    }
}

void al_series_release(struct al_series_list *list)
{
    for (size_t i = 0; i < list->n; i++) {
        free(list->all[i].name);
        free(list->all[i].values);
    }
    free(list->all);
}
