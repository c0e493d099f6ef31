/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/measure/profile.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/measure/simulated.h"
#include "benchmarks/harness/results/profile.h"
#include "benchmarks/harness/statistics/quantiles.h"
#include "benchmarks/harness/text/json.h"
#include "core/observe/observer.h"
#include "core/observe/profile.h"
#include "core/plugin/scheduler.h"
#include "schedulers/registry.h"

/* The share of all that this part of the actors has which has most: at least one actor's. */
static double share_of_busiest(const struct al_histogram *received, double part)
{
    double left = fmax(1, part * (double)received->n), sum = 0;
    uint32_t bucket = AL_HISTOGRAM_BUCKETS;
    if (received->n == 0)
        return 0;
    while (left > 0 && bucket-- > 0) {
        double middle = ((double)al_histogram_low(bucket) + (double)al_histogram_high(bucket)) / 2;
        double taken = fmin(left, (double)received->counts[bucket]);
        sum += taken * fmin(fmax(middle, (double)received->min), (double)received->max);
        left -= taken;
    }
    return fmin(1, sum / (double)received->sum);
}

static double per(double sum, double n)
{
    return n > 0 ? sum / n : 0;
}

static double rate_of(const struct al_outcome *measured)
{
    double *times = al_needed(calloc(measured->n_times + 1, sizeof *times));
    for (uint32_t i = 0; i < measured->n_times; i++)
        times[i] = (double)measured->time_ns[i];
    double rate = (double)measured->messages * 1e9 / al_median(times, measured->n_times);
    free(times);
    return rate;
}

static json_t *profile_json(const struct al_profile *profile, const struct al_outcome *measured,
                            const struct al_report *report)
{
    double values[AL_PROFILE_N], messages = (double)profile->work.n;
    values[AL_PROFILE_messages_per_s] = rate_of(measured);
    values[AL_PROFILE_work_ns] = (double)al_histogram_quantile(&profile->work, 0.5) *
                                 report->ns_per_cycle;
    values[AL_PROFILE_work_p99_ns] = (double)al_histogram_quantile(&profile->work, 0.99) *
                                     report->ns_per_cycle;
    values[AL_PROFILE_senders] = per((double)profile->senders_of_messages, messages);
    values[AL_PROFILE_senders_most] = (double)profile->senders.max;
    values[AL_PROFILE_busiest_1] = share_of_busiest(&profile->received, 0.01);
    values[AL_PROFILE_busiest_10] = share_of_busiest(&profile->received, 0.1);
    values[AL_PROFILE_actors_per_worker] = (double)profile->most_actors / report->n_workers;
    values[AL_PROFILE_local] = per((double)profile->local, (double)profile->sent_inside);
    values[AL_PROFILE_fan_out] = per((double)profile->sent_inside,
                                     messages - (double)profile->fan_out.counts[0]);
    values[AL_PROFILE_created] = per((double)profile->created_inside, messages);
    values[AL_PROFILE_message_bytes] = (double)al_histogram_quantile(&profile->bytes, 0.5);
    json_t *object = al_needed(json_object());
#define SET(key, least, most) al_json_set(object, #key, al_json_real(values[AL_PROFILE_##key]));
    AL_PROFILE_FIELDS(SET)
#undef SET
    return object;
}

static void keep(void *context, const struct al_profile *profile)
{
    memcpy(context, profile, sizeof *profile);
}

int al_profile_measure(const struct al_trial *trial, const struct al_outcome *outcome,
                       void (*look)(void *argument, const struct al_outcome *outcome),
                       void *look_argument, json_t **profile, struct al_error *error)
{
    struct al_profile *seen = al_needed(calloc(1, sizeof *seen));
    struct al_observer observer = {.context = seen, .profiled = keep};
    struct al_outcome profiled;
    struct al_trial again = *trial;
    again.config.scheduler = &al_profiler;
    again.config.victim = al_profiler.victim;
    again.config.idle = al_profiler.idle;
    again.config.n_settings = 0;
    again.config.observer = &observer;
    again.iterations = 1;
    again.warmup = again.trace_events = 0;
    again.warmup_auto = false;
    again.no_hardware = true;
    again.look = look;
    again.look_argument = look_argument;
    int code = trial->model != NULL ? al_simulate(&again, &profiled, error)
                                    : al_trial_run(&again, &profiled, error);
    if (code == 0 && profiled.wrong)
        code = al_error_set(error, -EBADMSG, "the profile's iteration failed: %s",
                            profiled.error.text);
    if (code == 0)
        *profile = profile_json(seen, outcome, &profiled.report);
    al_outcome_free(&profiled);
    free(seen);
    return code;
}

int al_profile_write(const json_t *profile, const char *path, struct al_error *error)
{
    size_t flags = JSON_INDENT(2) | JSON_REAL_PRECISION(6);
    if (strcmp(path, "-") == 0) { /* a failure is found when standard output is flushed */
        if (profile != NULL && json_dumpf(profile, stdout, flags) == 0)
            putchar('\n');
        return 0;
    }
    FILE *file = fopen(path, profile != NULL ? "we" : "ae");
    if (file == NULL)
        return al_error_set(error, -errno, "cannot open '%s' for writing: %s", path,
                            strerror(errno));
    bool failed = profile != NULL &&
                  (json_dumpf(profile, file, flags) != 0 || fputc('\n', file) == EOF);
    failed |= fclose(file) != 0;
    return failed ? al_error_set(error, -EIO, "cannot write to '%s': %s", path, strerror(errno))
                  : 0;
}
