/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/show/run.h"

#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/measure/environment.h"
#include "benchmarks/harness/statistics/statistics.h"
#include "benchmarks/harness/text/format.h"
#include "benchmarks/harness/text/json.h"
#include "core/counted.h"
#include "core/observe/histogram.h"
#include "core/plugin/scheduler.h"

static void print_latencies(const struct al_report *report, FILE *file)
{
    const struct al_histogram *histogram = report->latencies;
    if (histogram == NULL)
        return;
    double unit = report->ns_per_cycle;
    fprintf(file, ", latency %s (median), %s (99%%), %s (most)",
            al_format_duration((double)al_histogram_quantile(histogram, 0.5) * unit).text,
            al_format_duration((double)al_histogram_quantile(histogram, 0.99) * unit).text,
            al_format_duration((double)histogram->max * unit).text);
}

/* Whether each worker that was to be bound was seen on its PU. */
static bool is_bound(const struct al_report *report)
{
    for (uint32_t i = 0; i < report->n_workers; i++) {
        if (report->workers[i].pu != report->workers[i].bound)
            return false;
    }
    return true;
}

void al_run_case_print(const char *benchmark, const struct al_plugin *scheduler,
                       const struct al_plugin *victim, const struct al_plugin *idle,
                       uint32_t n_workers, FILE *file)
{
    const struct al_scheduler_ops *ops = AL_OPS(scheduler, al_scheduler_ops);
    fprintf(file, "%s on %s", benchmark, ops->plugin.name);
    if (ops->steals)
        fprintf(file, ", victim %s", victim->name);
    if (idle != &ops->idle->plugin)
        fprintf(file, ", idle %s", idle->name);
    fprintf(file, ", %s", al_counted(n_workers, "worker").text);
}

void al_run_line_print(const struct al_trial *trial, const struct al_outcome *outcome, FILE *file)
{
    const struct al_report *report = &outcome->report;
    al_run_case_print(trial->benchmark->plugin.name, report->scheduler.plugin,
                      report->victim.plugin, report->idle.plugin, report->n_workers, file);
    al_simulated_on_print(trial, file);
    fprintf(file, "%s%s: ", report->oversubscribed ? " (oversubscribed)" : "",
            is_bound(report) ? "" : " (not bound to their PUs)");
    if (outcome->wrong) {
        fprintf(file, "WRONG: %s\n", outcome->error.text);
        return;
    }
    double *times = al_needed(malloc(outcome->n_times * sizeof *times));
    for (uint32_t i = 0; i < outcome->n_times; i++)
        times[i] = (double)outcome->time_ns[i];
    struct al_interval interval = {0};
    if (al_order_median(times, outcome->n_times, AL_LEVEL, &interval) != 0)
        al_out_of_memory("the interval", outcome->n_times * sizeof *times);
    free(times);
    fprintf(file, "%s", al_format_duration(interval.median).text);
    if (outcome->n_times > 1)
        fprintf(file, " [%s, %s: %.1f%% interval of %s]", al_format_duration(interval.low).text,
                al_format_duration(interval.high).text, interval.achieved * 100,
                al_counted(outcome->n_times, "iteration").text);
    if (outcome->interrupted)
        fprintf(file, " (interrupted after %" PRIu32 " of %s)", outcome->n_times,
                al_counted(trial->iterations, "iteration").text);
    double messages = (double)outcome->messages;
    fprintf(file, ", %s ns per message, %s", al_format_number(interval.median / messages, 3).text,
            al_format_rate(messages / interval.median * 1e9).text);
    if (trial->model == NULL)
        fprintf(file, ", peak memory %s", al_format_bytes((double)al_peak_rss_bytes()).text);
    print_latencies(report, file);
    if (outcome->placement == AL_PLACED_VERIFIED)
        fputs(", placement: verified", file);
    else if (outcome->placement == AL_PLACED_UNTIED)
        fputs(", placement: the strategy ties no actor to a worker", file);
    fputc('\n', file);
}
