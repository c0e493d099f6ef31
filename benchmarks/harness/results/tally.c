/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/results/tally.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/results/identity.h"
#include "benchmarks/harness/results/labels.h"
#include "benchmarks/harness/results/origin.h"
#include "benchmarks/harness/text/json.h"

/* Times are ISO 8601, so their order is that of their letters. */
static void widen(char **first, char **last, const json_t *started)
{
    const char *text = json_string_value(started);
    if (text == NULL)
        return;
    if (*first == NULL || strcmp(text, *first) < 0) {
        free(*first);
        *first = al_needed(strdup(text));
    }
    if (*last == NULL || strcmp(text, *last) > 0) {
        free(*last);
        *last = al_needed(strdup(text));
    }
}

static void add_method(struct al_tally *tally, const json_t *record)
{
    json_t *warmup = json_object_get(record, "warmup");
    json_t *iterations = json_object_get(record, "iterations");
    char *key = al_text("%lld %lld", json_is_integer(warmup) ? json_integer_value(warmup) : -1,
                        json_is_integer(iterations) ? json_integer_value(iterations) : -1);
    json_t *method = json_object_get(al_json_made(&tally->methods), key);
    if (method == NULL) {
        method = al_needed(
            json_pack("{s:O?, s:O?, s:i}", "warmup", warmup, "iterations", iterations, "n", 0));
        al_json_set(tally->methods, key, method);
    }
    al_json_count(method, "n");
    free(key);
}

static void add_session(struct al_tally *tally, const struct al_line *line, size_t source)
{
    char *key = al_text("%zu %s", source, line->session != NULL ? line->session : "");
    json_t *started = json_object_get(line->record, "started_at");
    json_t *session = json_object_get(al_json_made(&tally->sessions), key);
    if (session == NULL) {
        session = al_needed(json_pack("{s:I, s:s?, s:i, s:O?, s:O?}", "source", (json_int_t)source,
                                      "session", line->session, "trials", 0, "first", started,
                                      "last", started));
        al_json_set(tally->sessions, key, session);
    }
    al_json_count(session, "trials");
    if (json_is_string(started))
        al_json_set(session, "last", json_incref(started));
    free(key);
}

static void add_failed(struct al_tally *tally, const struct al_line *line, size_t source)
{
    static const char *const keys[] = {"outcome", "seed", "signal", "exit_code", "error", "stderr"};
    const json_t *sweep = json_object_get(line->record, "sweep");
    json_t *row = al_identity_of(line->record);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        al_json_set(row, keys[i], al_json_or_null(json_object_get(line->record, keys[i])));
    al_json_set(row, "block", al_json_or_null(json_object_get(sweep, "block")));
    al_json_set(row, "twin", json_boolean(json_is_true(json_object_get(sweep, "twin"))));
    al_json_set(row, "source", json_integer((json_int_t)source));
    al_json_set(row, "line", json_integer((json_int_t)line->number));
    if (tally->failed == NULL)
        tally->failed = al_needed(json_array());
    al_json_append(tally->failed, row);
}

void al_tally_add(struct al_tally *tally, const struct al_line *line, size_t source)
{
    const json_t *record = line->record;
    const char *outcome = json_string_value(json_object_get(record, "outcome"));
    const char *peer = json_string_value(
        json_object_get(json_object_get(record, "peer"), "version"));
    bool twin = json_is_true(json_object_get(json_object_get(record, "sweep"), "twin"));
    tally->trials++;
    tally->twins += twin;
    tally->interrupted += json_is_true(json_object_get(record, "interrupted"));
    al_json_count(al_json_made(&tally->outcomes), outcome);
    if (strcmp(outcome, "ok") != 0)
        add_failed(tally, line, source);
    if (peer != NULL)
        al_json_count(al_json_made(&tally->peers), peer);
    widen(&tally->first, &tally->last, json_object_get(record, "started_at"));
    add_method(tally, record);
    add_session(tally, line, source);
    al_disturbance_add(&tally->disturbance, record);
    if (!twin) {
        json_t *environment = al_record_environment(record);
        al_spread_add(&tally->environment, environment);
        json_decref(environment);
        al_spread_add(&tally->noise, json_object_get(record, "noise"));
    }
}

/* The values of an object that may be NULL, or its keys. */
static json_t *list_of(const json_t *object, bool keys)
{
    json_t *list = al_needed(json_array()), *value;
    const char *key;
    json_object_foreach((json_t *)object, key, value)
        al_json_append(list, keys ? json_string(key) : json_incref(value));
    return list;
}

static json_t *text_or_null(const char *text)
{
    return text != NULL ? json_string(text) : json_null();
}

static json_t *or_empty(json_t *value, json_t *empty)
{
    json_t *chosen = value != NULL ? json_incref(value) : json_incref(empty);
    json_decref(empty);
    return chosen;
}

void al_tally_json(struct al_tally *tally, json_t *out)
{
    json_t *trials = al_needed(json_pack(
        "{s:I, s:I, s:I, s:o, s:o, s:o, s:o}", "n", (json_int_t)tally->trials, "twins",
        (json_int_t)tally->twins, "interrupted", (json_int_t)tally->interrupted, "outcomes",
        or_empty(tally->outcomes, json_object()), "methods", list_of(tally->methods, false),
        "first", text_or_null(tally->first), "last", text_or_null(tally->last)));
    al_json_set(out, "trials", trials);
    al_json_set(out, "sessions", list_of(tally->sessions, false));
    al_json_set(out, "peers", list_of(tally->peers, true));
    al_json_set(out, "environment", al_spread_json(&tally->environment));
    al_json_set(out, "noise", al_spread_json(&tally->noise));
    al_json_set(out, "disturbance", al_disturbance_json(&tally->disturbance));
    al_json_set(out, "failed_trials", or_empty(tally->failed, json_array()));
}

void al_tally_release(struct al_tally *tally)
{
    free(tally->first);
    free(tally->last);
    json_decref(tally->outcomes);
    al_disturbance_release(&tally->disturbance);
    json_decref(tally->methods);
    json_decref(tally->peers);
    json_decref(tally->sessions);
    json_decref(tally->failed);
    al_spread_release(&tally->environment);
    al_spread_release(&tally->noise);
}
