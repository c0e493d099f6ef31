/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/results/profile.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "benchmarks/harness/results/schema.h"
#include "benchmarks/harness/text/json.h"
#include "core/names.h"
#include "core/system.h"

#define WORKERS "workers"

static const struct field {
    const char *name;
    double least, most;
} fields[] = {
#define FIELD(key, least, most) {#key, least, most},
    AL_PROFILE_FIELDS(FIELD)
#undef FIELD
};

static int unknown(const char *key, struct al_error *error)
{
    struct al_names names = {.wanted = key, .distance = SIZE_MAX};
    for (size_t f = 0; f < AL_PROFILE_N; f++)
        al_names_add(&names, fields[f].name);
    al_names_add(&names, WORKERS);
    return al_names_error(&names, "key", error);
}

int al_profile_parse(const json_t *object, struct al_profile_values *out, struct al_error *error)
{
    const char *key;
    json_t *value;
    size_t compared = 0;
    *out = (struct al_profile_values){0};
    for (size_t f = 0; f < AL_PROFILE_N; f++)
        out->of[f] = NAN;
    json_object_foreach((json_t *)object, key, value)
    {
        size_t f = 0;
        while (f < AL_PROFILE_N && strcmp(fields[f].name, key) != 0)
            f++;
        bool workers = strcmp(key, WORKERS) == 0;
        double low = workers, high = workers ? AL_WORKERS_MOST : fields[f % AL_PROFILE_N].most;
        double number = json_number_value(value);
        if (f == AL_PROFILE_N && !workers)
            return unknown(key, error);
        if (!json_is_number(value) || number < low || number > high ||
            (workers && !json_is_integer(value)))
            return al_error_set(error, -EINVAL, "%s is no %s from %g to %g", key,
                                workers ? "whole number" : "number", low, high);
        if (workers)
            out->workers = (uint32_t)number;
        else
            out->of[f] = number;
        compared += !workers && fields[f].least > 0;
    }
    return compared > 0 ? 0
                        : al_error_set(error, -EINVAL,
                                       "nothing to compare; valid: at least one of the numbers "
                                       "that profiles are compared by, such as senders or work_ns");
}

int al_profile_read(const char *path, struct al_profile_values *out, struct al_error *error)
{
    json_error_t mistake;
    json_t *json = strcmp(path, "-") == 0 ? json_loadf(stdin, JSON_REJECT_DUPLICATES, &mistake)
                                          : json_load_file(path, JSON_REJECT_DUPLICATES, &mistake);
    if (json == NULL && json_error_code(&mistake) == json_error_cannot_open_file)
        return al_error_set(error, -EINVAL, "cannot read '%s': %s", path, strerror(errno));
    if (json == NULL)
        return al_error_set(error, -EINVAL, "%s:%d: %s", path, mistake.line, mistake.text);
    json_t *profile = json_object_get(json, "profile"), *workers = json_object_get(json, WORKERS);
    struct al_error problem = {""};
    json_int_t version = json_integer_value(json_object_get(json, "schema_version"));
    if (version > AL_SCHEMA_VERSION) {
        json_decref(json);
        return al_error_set(error, -EINVAL,
                            "%s: schema_version %lld is of a later actorlab; valid: at most %d",
                            path, (long long)version, AL_SCHEMA_VERSION);
    }
    if (profile != NULL && workers != NULL && json_is_object(profile))
        al_json_set(profile, WORKERS, json_incref(workers));
    int code = !json_is_object(json) || (profile != NULL && !json_is_object(profile))
                   ? al_error_set(&problem, -EINVAL, "no profile; valid: {\"senders\": 40, …}")
                   : al_profile_parse(profile != NULL ? profile : json, out, &problem);
    json_decref(json);
    return code == 0 ? 0 : al_error_set(error, code, "%s: %s", path, problem.text);
}

/* On the scale that profiles are compared on. */
static double scaled(const struct al_profile_values *profile, size_t field)
{
    double value = profile->of[field];
    if (field == AL_PROFILE_messages_per_s && profile->workers != 0)
        value /= profile->workers;
    return isnan(value) ? NAN : log(fmax(value, fields[field].least));
}

double al_profile_apart(const struct al_profile_values *a, const struct al_profile_values *b)
{
    double sum = 0;
    size_t n = 0;
    for (size_t f = 0; f < AL_PROFILE_N; f++) {
        double apart = fabs(scaled(a, f) - scaled(b, f));
        if (fields[f].least == 0 || isnan(apart))
            continue;
        sum += apart;
        n++;
    }
    return n > 0 ? exp(sum / (double)n) : NAN;
}

const char *al_profile_kind(const struct al_profile_values *profile)
{
    const double *of = profile->of;
    return of[AL_PROFILE_created] >= 0.1          ? "actors come and go"
           : of[AL_PROFILE_actors_per_worker] < 1 ? "few actors"
           : of[AL_PROFILE_busiest_1] >= 0.1      ? "fan-in"
           : of[AL_PROFILE_work_ns] >= 10000      ? "long behaviours"
           : of[AL_PROFILE_local] >= 0.9          ? "messages stay"
           : of[AL_PROFILE_local] < 0.9           ? "messages travel"
                                                  : "";
}
