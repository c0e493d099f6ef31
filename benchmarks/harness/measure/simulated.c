/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/measure/simulated.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/measure/environment.h"
#include "benchmarks/harness/text/format.h"

#define SUFFIX      ".xml"
#define HASH_DIGITS 17

static json_t *hex(uint64_t value)
{
    char text[HASH_DIGITS];
    snprintf(text, sizeof text, "%016" PRIx64, value);
    return json_string(text);
}

char *al_simulated_name(const char *given)
{
    const char *slash = strrchr(given, '/'), *base = slash != NULL ? slash + 1 : given;
    size_t length = strlen(base), suffix = strlen(SUFFIX);
    bool is_file = length > suffix && strcmp(base + length - suffix, SUFFIX) == 0;
    return strndup(base, is_file ? length - suffix : length);
}

json_t *al_simulated_machine_json(const char *name, const struct al_model *model)
{
    json_t *overridden = json_object();
    for (size_t key = 0; key < AL_MODEL_KEYS; key++) {
        if (model->values[key].overridden)
            json_object_set_new(overridden, al_model_parameters[key].name,
                                json_real(model->values[key].value));
    }
    if (model->jitter != AL_MODEL_JITTER)
        json_object_set_new(overridden, "jitter", json_real(model->jitter));
    char *title = al_printable(model->title);
    json_t *object = json_pack("{s:s, s:s, s:b, s:o, s:o}", "name", name, "title", title,
                               "hypothetical", model->hypothetical, "model_hash",
                               hex(al_model_hash(model)), "overridden", overridden);
    free(title);
    return object;
}

json_t *al_simulated_trial_json(const struct al_trial *trial)
{
    if (trial->model == NULL)
        return json_null();
    json_t *object = al_simulated_machine_json(trial->machine, trial->model);
    json_object_set_new(object, "binary_hash", hex(al_binary_hash()));
    return object;
}

double al_simulated_starter_busy(const struct al_trial *trial, const struct al_outcome *outcome)
{
    if (trial->model == NULL || outcome->n_times == 0)
        return -1;
    double share = (double)outcome->starter_ns / (double)outcome->time_ns[outcome->n_times - 1];
    return share < 1 ? share : 1;
}

double al_simulated_speed(const struct al_outcome *outcome)
{
    return outcome->host_s > 0 ? (double)outcome->simulated.accesses / outcome->host_s : 0;
}

json_t *al_simulated_counts_json(const struct al_trial *trial, const struct al_outcome *outcome)
{
    const struct al_sim_report *counts = &outcome->simulated;
    if (trial->model == NULL)
        return json_null();
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:b, s:o, s:f, s:f}", "accesses",
                     (json_int_t)counts->accesses, "misses", (json_int_t)counts->misses,
                     "transfers", (json_int_t)counts->transfers, "queued_ns",
                     (json_int_t)(counts->queued_ps / 1000), "left_out",
                     (json_int_t)counts->left_out, "page_faults", (json_int_t)counts->page_faults,
                     "starter_alone", counts->starter_alone, "hash", hex(counts->hash), "host_s",
                     outcome->host_s, "accesses_per_s", al_simulated_speed(outcome));
}
