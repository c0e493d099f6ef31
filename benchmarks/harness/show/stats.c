/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/show/run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/statistics/quantiles.h"
#include "benchmarks/harness/text/json.h"
#include "core/report.h"

#define WORKERS_MOST 8 /* that have a column each, unless all are asked for */

static const struct {
    const char *title;
    double quantile;
} columns[] = {{"least", 0}, {"25%", 0.25}, {"median", 0.5}, {"75%", 0.75}, {"most", 1}};

static bool has_summary(uint32_t n_workers, bool all)
{
    return n_workers > WORKERS_MOST && !all;
}

static void print_value(uint64_t value, int width, FILE *file)
{
    if (value == AL_STATS_UNKNOWN)
        fprintf(file, " %*s", width, "-");
    else
        fprintf(file, " %*" PRIu64, width, value);
}

static void print_quantiles(const uint64_t *values, uint32_t n_workers, FILE *file)
{
    double *sorted = al_needed(malloc(n_workers * sizeof *sorted));
    size_t n = 0;
    for (uint32_t i = 0; i < n_workers; i++) {
        if (values[i] != AL_STATS_UNKNOWN)
            sorted[n++] = (double)values[i];
    }
    al_median(sorted, n); /* sorts */
    for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
        print_value(n > 0 ? (uint64_t)al_quantile(sorted, n, columns[c].quantile)
                          : AL_STATS_UNKNOWN,
                    13, file);
    free(sorted);
}

void al_stats_row(FILE *file, const char *name, const uint64_t *values, uint32_t n_workers,
                  bool all, const char *help)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i <= n_workers; i++)
        sum = sum == AL_STATS_UNKNOWN || values[i] == AL_STATS_UNKNOWN ? AL_STATS_UNKNOWN
                                                                       : sum + values[i];
    fprintf(file, "  %-20s", name);
    print_value(sum, 14, file);
    if (has_summary(n_workers, all))
        print_quantiles(values, n_workers, file);
    for (uint32_t i = has_summary(n_workers, all) ? n_workers : 0; i <= n_workers; i++)
        print_value(values[i], 13, file);
    fprintf(file, "  %s\n", help);
}

static void print_header(uint32_t n_workers, bool all, FILE *file)
{
    fprintf(file, "  %-20s %14s", "all iterations", "sum");
    if (has_summary(n_workers, all)) {
        for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
            fprintf(file, " %13s", columns[c].title);
    } else {
        for (uint32_t i = 0; i < n_workers; i++)
            fprintf(file, "      worker %u", i);
    }
    fprintf(file, " %13s\n", "starter");
}

#if AL_COUNTERS
/* A mean over all workers, as "average gulp size"; nothing where there was nothing to average. */
static void print_mean(const char *name, uint64_t total, uint64_t n, const char *help, FILE *file)
{
    if (n > 0)
        fprintf(file, "  %-20s %14.1f  %s\n", name, (double)total / (double)n, help);
}
#endif

#if AL_COUNTERS
/* Different levels that workers may have; a machine with more is cut short. */
#define LEVELS_MOST 32

/*
 * A line for each level of locality, in the order in which workers have them. values: room for one
 * per worker.
 */
static void print_levels(const struct al_report *report, uint64_t *values, bool all, FILE *file)
{
    const char *seen[LEVELS_MOST];
    size_t n_seen = 0;
    for (uint32_t w = 0; w < report->n_workers; w++) {
        for (uint32_t k = 0; k < report->workers[w].n_levels && n_seen < LEVELS_MOST; k++) {
            const char *level = report->workers[w].steals_by_level[k].level;
            size_t i = 0;
            while (i < n_seen && strcmp(seen[i], level) != 0)
                i++;
            if (i == n_seen)
                seen[n_seen++] = level;
        }
    }
    for (size_t i = 0; i < n_seen; i++) {
        char name[32];
        for (uint32_t w = 0; w <= report->n_workers; w++) {
            values[w] = 0;
            for (uint32_t k = 0; k < report->workers[w].n_levels; k++) {
                const struct al_level_steals *level = &report->workers[w].steals_by_level[k];
                values[w] += strcmp(seen[i], level->level) == 0 ? level->steals : 0;
            }
        }
        snprintf(name, sizeof name, "steals, %s", seen[i]);
        al_stats_row(file, name, values, report->n_workers, all,
                     "steals from victims at this level of locality");
    }
}
#endif

void al_stats_print(const struct al_report *report, bool all, FILE *file)
{
    uint64_t *values = al_needed(malloc((report->n_workers + 1) * sizeof *values));
    print_header(report->n_workers, all, file);
    for (uint32_t i = 0; i <= report->n_workers; i++)
        values[i] = report->workers[i].actors_created;
    al_stats_row(file, "actors_created", values, report->n_workers, all, "actors created");
    for (uint32_t i = 0; i <= report->n_workers; i++)
        values[i] = report->workers[i].actors_terminated;
    al_stats_row(file, "actors_terminated", values, report->n_workers, all, "actors terminated");
#if AL_COUNTERS
    struct al_counters sum = {0};
#define PRINT(name, help)                                                                          \
    for (uint32_t i = 0; i <= report->n_workers; i++)                                              \
        sum.name += values[i] = report->workers[i].counters.name;                                  \
    al_stats_row(file, #name, values, report->n_workers, all, help);
    AL_COUNTERS_LIST(PRINT)
#undef PRINT
    print_levels(report, values, all, file);
    print_mean("average_gulp", sum.messages_received, sum.gulps, "messages per gulp", file);
    print_mean("average_steal", sum.messages_stolen, sum.queues_stolen, "messages per stolen queue",
               file);
#endif
    free(values);
}
