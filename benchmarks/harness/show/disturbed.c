/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/show/run.h"

#include <stdarg.h>
#include <unistd.h>

#include "benchmarks/harness/measure/noise.h"
#include "benchmarks/harness/text/format.h"
#include "core/counted.h"
#include "core/plugin/idle.h"

/* Workers that never sleep use their PUs all the time, but while they start. */
#define IDLE_SHARE    0.1
#define LEAST_IDLE_NS 1e7

struct reasons {
    FILE *file;
    unsigned n;
};

__attribute__((format(printf, 2, 3))) static void add(struct reasons *reasons, const char *format,
                                                      ...)
{
    va_list arguments;
    fputs(reasons->n++ == 0 ? "disturbed: " : "; ", reasons->file);
    va_start(arguments, format);
    vfprintf(reasons->file, format, arguments);
    va_end(arguments);
}

/* A number of the noise; 0 if it is unknown. */
static double number_of(const json_t *noise, const char *key)
{
    return json_number_value(json_object_get(noise, key));
}

/* How long a thread waited or ran, or 0 if that is unknown. */
static double counted_ns(const struct al_outcome *outcome, uint32_t worker,
                         enum al_hardware_event event)
{
    uint64_t ns;
    return al_hardware_sum(outcome->hardware, worker, event, &ns) ? (double)ns : 0;
}

/* How long the workers were ready to run, but waited for a PU. */
static double waited_ns(const struct al_outcome *outcome)
{
    double sum = 0;
    for (uint32_t i = 0; i < outcome->report.n_workers; i++)
        sum += counted_ns(outcome, i, AL_HARDWARE_WAITED);
    return sum;
}

/* What took the PUs from the workers, by the kernel's count for each PU. */
static void add_taken(struct reasons *reasons, const json_t *noise)
{
    double tick_ns = 1e9 / (double)sysconf(_SC_CLK_TCK), pus = number_of(noise, "watched_pus");
    double least_ns = AL_CALM_SHARE * number_of(noise, "elapsed_ns") * pus;
    if (least_ns < AL_CALM_TICKS * tick_ns * pus)
        least_ns = AL_CALM_TICKS * tick_ns * pus;
    double others_ns = number_of(noise, "others_ns"), steal_ns = number_of(noise, "steal_ns");
    if (others_ns > least_ns)
        add(reasons, "other processes used its PUs for %s", al_format_duration(others_ns).text);
    if (steal_ns > least_ns)
        add(reasons, "the hypervisor gave its PUs to other machines for %s",
            al_format_duration(steal_ns).text);
}

/* What the workers did not get, by the kernel's count for each thread. */
static void add_missed(struct reasons *reasons, const json_t *noise,
                       const struct al_outcome *outcome)
{
    const struct al_report *report = &outcome->report;
    const struct al_idle_ops *idle = AL_OPS(report->idle.plugin, al_idle_ops);
    double time_ns = 0, waited = waited_ns(outcome);
    if (report->oversubscribed) /* its own workers wait for one another */
        return;
    for (uint32_t i = 0; i < outcome->n_times; i++)
        time_ns += (double)outcome->time_ns[i];
    time_ns *= report->n_workers;
    /* The starting thread may run where a worker would. */
    double others = waited - counted_ns(outcome, AL_NO_WORKER, AL_HARDWARE_RAN);
    if (others > AL_CALM_SHARE * time_ns && others > AL_CALM_WAITED_NS)
        add(reasons, "workers waited for a PU for %s", al_format_duration(others).text);
    double idle_ns = time_ns - waited - number_of(noise, "own_ns");
    if (idle->always_runs && idle_ns > IDLE_SHARE * time_ns && idle_ns > LEAST_IDLE_NS)
        add(reasons, "workers did not run for %s, though they never sleep",
            al_format_duration(idle_ns).text);
}

void al_disturbed_print(const struct al_trial *trial, const struct al_outcome *outcome, FILE *file)
{
    struct reasons reasons = {.file = file};
    if (trial->model != NULL || outcome->n_times == 0)
        return;
    json_t *noise = al_noise_json(outcome->noise);
    double throttled_ns = number_of(noise, "quota_throttled_ns");
    double heat = number_of(noise, "throttles");
    if (number_of(noise, "stops") > 0)
        add(&reasons, "the process was stopped, and continued later");
    if (throttled_ns > 0)
        add(&reasons, "a CPU quota stopped its control group for %s",
            al_format_duration(throttled_ns).text);
    if (heat > 0)
        add(&reasons, "heat or power slowed its PUs down %s",
            al_counted((uint64_t)heat, "time").text);
    add_taken(&reasons, noise);
    add_missed(&reasons, noise, outcome);
    if (reasons.n > 0)
        fprintf(file, " (%s of processor time in %s)\n",
                al_format_duration(number_of(noise, "own_ns")).text,
                al_format_duration(number_of(noise, "elapsed_ns")).text);
    json_decref(noise);
}
