/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/results/series.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/text/json.h"

#define MOST 1e18 /* ns; 30 years */

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

void al_series_add_costs(struct al_series_list *list, const json_t *costs)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)costs, name, value) add(list, name, json_number_value(value));
}

static double sum_of(const json_t *counters, const char *name)
{
    double sum = 0;
    size_t t;
    const json_t *thread;
    json_array_foreach(counters, t, thread)
        sum += (double)json_integer_value(json_object_get(thread, name));
    return sum;
}

/* Where steals were not counted yet, each took one queue: docs/reference/records.md. */
static const char *counted_as(const json_t *first, const char *name)
{
    bool has = json_is_integer(json_object_get(first, name));
    return !has && strcmp(name, "steals") == 0 ? "queues_stolen" : name;
}

/* All threads have the same counters. */
void al_series_add_counters(struct al_series_list *list, const json_t *counters, double messages)
{
    const char *name;
    json_t *first = json_array_get(counters, 0), *value;
    json_object_foreach(first, name, value)
    {
        if (json_is_integer(value)) /* counts by level are not a single value */
            add(list, name, sum_of(counters, name) / messages);
    }
}

void al_series_add_hardware(struct al_series_list *list, const json_t *hardware, double messages)
{
    const char *name;
    json_t *unused, *thread;
    size_t t;
    json_object_foreach(json_array_get(hardware, 0), name, unused)
    {
        bool known = true;
        json_array_foreach(hardware, t, thread)
            known &= json_is_integer(json_object_get(thread, name));
        if (known)
            add(list, name, sum_of(hardware, name) / messages);
    }
}

void al_series_add_rates(struct al_series_list *list, const json_t *counters)
{
    static const struct {
        const char *name, *of, *per;
    } rates[] = {
        {"steal_attempts_per_message", "steal_attempts", "messages_received"},
        {"steals_per_message", "steals", "messages_received"},
        {"missed_gulps_per_message", "missed_gulps", "messages_received"},
        {"messages_per_gulp", "messages_received", "gulps"},
    };
    const json_t *first = json_array_get(counters, 0);
    for (size_t r = 0; r < sizeof rates / sizeof *rates; r++) {
        const char *of = counted_as(first, rates[r].of);
        double below = sum_of(counters, rates[r].per);
        if (below > 0 && json_is_integer(json_object_get(first, of)))
            add(list, rates[r].name, sum_of(counters, of) / below);
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
