/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/show/stats.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/report.h"

/* One line: the sum, then each worker's value, the starting thread's last. */
static void print_counter(const struct al_report *report, const char *name, const char *help,
                          const uint64_t *values, FILE *file)
{
    uint64_t sum = 0;
    fprintf(file, "  %-20s", name);
    for (uint32_t i = 0; i <= report->n_workers; i++)
        sum += values[i];
    fprintf(file, " %14" PRIu64, sum);
    for (uint32_t i = 0; i <= report->n_workers; i++)
        fprintf(file, " %13" PRIu64, values[i]);
    fprintf(file, "  %s\n", help);
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
static void print_levels(const struct al_report *report, uint64_t *values, FILE *file)
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
        print_counter(report, name, "steals from victims at this level of locality", values, file);
    }
}
#endif

void al_stats_print(const struct al_report *report, FILE *file)
{
    uint64_t *values = malloc((report->n_workers + 1) * sizeof *values);
    if (values == NULL)
        al_out_of_memory("the counters", (report->n_workers + 1) * sizeof *values);
    fprintf(file, "  %-20s %14s", "all iterations", "sum");
    for (uint32_t i = 0; i < report->n_workers; i++)
        fprintf(file, "      worker %u", i);
    fprintf(file, " %13s\n", "starter");
    for (uint32_t i = 0; i <= report->n_workers; i++)
        values[i] = report->workers[i].actors_created;
    print_counter(report, "actors_created", "actors created", values, file);
    for (uint32_t i = 0; i <= report->n_workers; i++)
        values[i] = report->workers[i].actors_terminated;
    print_counter(report, "actors_terminated", "actors terminated", values, file);
#if AL_COUNTERS
    struct al_counters sum = {0};
#define PRINT(name, help)                                                                          \
    for (uint32_t i = 0; i <= report->n_workers; i++)                                              \
        sum.name += values[i] = report->workers[i].counters.name;                                  \
    print_counter(report, #name, help, values, file);
    AL_COUNTERS_LIST(PRINT)
#undef PRINT
    print_levels(report, values, file);
    print_mean("average_gulp", sum.messages_received, sum.gulps, "messages per gulp", file);
    print_mean("average_steal", sum.messages_stolen, sum.queues_stolen, "messages per stolen queue",
               file);
#endif
    free(values);
}
