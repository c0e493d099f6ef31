/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/results/doubts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/results/labels.h"
#include "benchmarks/harness/text/json.h"
#include "benchmarks/workloads/benchmark.h"
#include "core/plugin/scheduler.h"
#include "schedulers/registry.h"

#define STARTER_MOST  0.1  /* of the time: as much as may decide between two strategies */
#define WORKER_LEAST  0.01 /* of the messages */
#define WORKERS_LEAST 0.25
#define SHORTEST_NS   1e6
#define DEALT_MOST    1.1 /* the run takes as long as the worker with the most, so 10%, too */
#define APART_MOST    1.5
#define APART_LEAST   3 /* times as wide as a group, or seeds just spread */

const char *const al_doubt_texts[AL_DOUBTS] = {
    [AL_DOUBT_STARTER] = "the starting thread was busy for more than 10% of the time",
    [AL_DOUBT_FEW] = "fewer than a quarter of the workers ran 1% of the messages each",
    [AL_DOUBT_SHORT] = "shorter than 1 ms, or than a sleep of workers that had no work",
    [AL_DOUBT_UNEVEN] =
        "actors fill the mailboxes unevenly: one worker has over 10% more than the mean",
    [AL_DOUBT_STATES] =
        "seeds find two states, the slower one with over 1.5 times the other's time",
    [AL_DOUBT_OVERLOAD] = "more load than can be served: latencies grow for as long as it lasts",
};

/*
 * As many requests as arrive at random, n, are served by a system at exactly its capacity, but for
 * a random walk: of the gaps and of the times to serve, whose standard deviation is sqrt(2 n)
 * together if they are exponentially distributed. So this is how much longer than the schedule a
 * run takes, within two standard deviations, if it can just keep up. From 1 to 5%: there is always
 * something left to do at the end, and one request in twenty is too much to be left.
 */
static double overrun_most(double n)
{
    return 1 + fmin(fmax(2 * sqrt(2 / fmax(n, 1)), 0.01), 0.05);
}

unsigned al_doubts(const struct al_evidence *evidence)
{
    /* Whoever runs few messages sleeps; where all have work, nobody does for long. */
    bool known = evidence->took_part >= 0, sleeps = known && evidence->took_part < 1;
    double least_ns = sleeps ? fmax(SHORTEST_NS, evidence->sleep_ns) : SHORTEST_NS;
    bool few = known && evidence->took_part < WORKERS_LEAST;
    bool is_short = evidence->time_ns >= 0 && evidence->time_ns < least_ns;
    bool found[AL_DOUBTS] = {
        [AL_DOUBT_STARTER] = evidence->starter_busy > STARTER_MOST,
        [AL_DOUBT_FEW] = few,
        [AL_DOUBT_SHORT] = is_short,
        [AL_DOUBT_UNEVEN] = evidence->most_dealt > DEALT_MOST,
        [AL_DOUBT_STATES] = evidence->apart > APART_MOST,
        [AL_DOUBT_OVERLOAD] = evidence->overrun > overrun_most(evidence->messages),
    };
    unsigned doubts = 0;
    for (unsigned d = 0; d < AL_DOUBTS; d++)
        doubts |= found[d] ? 1U << d : 0;
    return doubts;
}

json_t *al_doubts_json(unsigned doubts)
{
    json_t *list = al_needed(json_array());
    for (unsigned d = 0; d < AL_DOUBTS; d++) {
        if ((doubts & 1U << d) != 0)
            al_json_append(list, json_string(al_doubt_texts[d]));
    }
    return list;
}

double al_took_part(const double *received, uint32_t n)
{
    double sum = 0, share = fmin(WORKER_LEAST, 1.0 / n);
    uint32_t took_part = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += received[i];
    for (uint32_t i = 0; i < n; i++)
        took_part += received[i] >= share * sum;
    return sum > 0 ? (double)took_part / n : -1;
}

double al_most_dealt(uint64_t actors, uint64_t mailboxes, uint32_t n_workers)
{
    uint64_t most = 0, each = actors / mailboxes, over = actors % mailboxes;
    for (uint64_t i = 0; i < n_workers; i++) {
        /* The first `over` mailboxes have one actor more. */
        uint64_t first = i * mailboxes / n_workers, end = (i + 1) * mailboxes / n_workers;
        uint64_t more = over <= first ? 0 : over < end ? over - first : end - first;
        uint64_t dealt = (end - first) * each + more;
        most = dealt > most ? dealt : most;
    }
    return (double)most * n_workers / (double)actors;
}

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

double al_states_apart(const double *times, size_t n)
{
    if (n < 3)
        return 0;
    double apart = 0, *sorted = al_needed(calloc(n, sizeof *sorted));
    memcpy(sorted, times, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, compare);
    for (size_t i = 1; sorted[0] > 0 && i < n; i++) {
        double gap = sorted[i] / sorted[i - 1], fast = sorted[i - 1] / sorted[0],
               slow = sorted[n - 1] / sorted[i];
        if (gap > apart && log(gap) >= APART_LEAST * log(fmax(fast, slow)))
            apart = gap;
    }
    free(sorted);
    return apart;
}

/* The value of the option of that name, or 0. */
static double option_of(const struct al_selection *selection, const char *name)
{
    size_t index;
    return name != NULL && al_option_matches(selection->plugin, name, &index)
               ? (double)selection->values[index].uint
               : 0;
}

struct al_evidence al_evidence_before(const struct al_selection *benchmark,
                                      const struct al_selection *scheduler,
                                      const struct al_selection *idle, uint32_t n_workers)
{
    const struct al_benchmark_ops *workload = AL_OPS(benchmark->plugin, al_benchmark_ops);
    const struct al_scheduler_ops *strategy = AL_OPS(scheduler->plugin, al_scheduler_ops);
    struct al_evidence evidence = AL_EVIDENCE_NONE;
    evidence.sleep_ns = 1000 * option_of(idle, AL_OPS(idle->plugin, al_idle_ops)->longest_sleep);
    uint64_t actors = workload->alike != NULL ? workload->alike(benchmark->values) : 0;
    if (actors != 0)
        evidence.took_part = fmin(1, (double)actors / n_workers);
    if (actors != 0 && strategy->mailboxes != NULL)
        evidence.most_dealt = al_most_dealt(actors, strategy->mailboxes(scheduler, n_workers),
                                            n_workers);
    return evidence;
}

/* The plug-in of that name, with the values that an object has, or else the defaults. False if
 * there is none, as of a peer or of another version. */
static bool choose(const struct al_plugin *const *registry, const json_t *name,
                   const json_t *values, struct al_selection *selection)
{
    struct al_error error;
    const char *wanted = json_string_value(name);
    *selection = (struct al_selection){0};
    for (size_t i = 0; wanted != NULL && registry[i] != NULL; i++) {
        if (strcmp(registry[i]->name, wanted) == 0)
            selection->plugin = registry[i];
    }
    if (selection->plugin == NULL)
        return false;
    for (size_t i = 0; i < al_options_count(selection->plugin); i++) {
        const struct al_option *option = &selection->plugin->options[i];
        const json_t *value = json_object_get(values, option->name);
        char *text = al_value_text(value);
        int code = al_option_parse(option, value != NULL ? text : option->standard,
                                   &selection->values[i], &error);
        free(text);
        if (code != 0)
            return false;
    }
    return true;
}

struct al_evidence al_evidence_of(const json_t *identity)
{
    const json_t *options = json_object_get(identity, "options");
    json_int_t workers = json_integer_value(json_object_get(identity, "workers"));
    struct al_selection benchmark, scheduler, idle;
    if (workers < 1 ||
        !choose(al_benchmarks, json_object_get(identity, "benchmark"),
                json_object_get(identity, "parameters"), &benchmark) ||
        !choose(al_schedulers, json_object_get(identity, "scheduler"), options, &scheduler) ||
        !choose(al_idles, json_object_get(identity, "idle"), options, &idle))
        return AL_EVIDENCE_NONE;
    return al_evidence_before(&benchmark, &scheduler, &idle, (uint32_t)workers);
}
