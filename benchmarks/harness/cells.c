/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/cells.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/error.h"

/* What makes a cell: records that agree in all of these repeat one another. The last two are in the record's
 * environment: other programs or machines are other cells. */
static const char *const identity_keys[] = {
    "benchmark", "parameters", "scheduler", "victim", "idle",        "options",
    "workers",   "pin",        "topology",  "engine", "binary_hash", "topology_hash"};

const char *const al_environment_keys[AL_ENVIRONMENT_KEYS] = {
    "cpu",   "cpus_allowed", "topology_hash", "kernel",      "governor", "compiler",
    "flags", "build_type",   "revision",      "binary_hash", "allocator"};

const char *const al_memory_keys[] = {"allocated_bytes", "resident_bytes", "queue_bytes"};

#define IDENTITY_KEYS (sizeof identity_keys / sizeof *identity_keys)

/* The cell of an identity, new if it is the first of its kind. Takes over the reference. */
static struct al_cell *find_cell(struct al_summary *summary, json_t *identity)
{
    char *key = al_needed(json_dumps(identity, JSON_SORT_KEYS | JSON_COMPACT));
    json_t *place = json_object_get(summary->index, key);
    if (place != NULL) {
        json_decref(identity);
        free(key);
        return &summary->cells[json_integer_value(place)];
    }
    if (summary->count == summary->capacity) {
        summary->capacity = 2 * summary->capacity + 16;
        summary->cells = al_needed(
            reallocarray(summary->cells, summary->capacity, sizeof *summary->cells));
    }
    al_json_set(summary->index, key, json_integer((json_int_t)summary->count));
    free(key);
    struct al_cell *cell = &summary->cells[summary->count++];
    *cell = (struct al_cell){.identity = identity, .failed = al_needed(json_object())};
    return cell;
}

static struct al_cell *find_twin(struct al_cell *cell)
{
    if (cell->twin == NULL) {
        cell->twin = al_needed(calloc(1, sizeof *cell->twin));
        cell->twin->identity = json_incref(cell->identity);
        cell->twin->failed = al_needed(json_object());
    }
    return cell->twin;
}

/* Adds to the values seen of each key. */
static void note_environment(struct al_summary *summary, const json_t *environment)
{
    if (summary->environment == NULL)
        summary->environment = al_needed(json_object());
    for (size_t k = 0; k < AL_ENVIRONMENT_KEYS; k++) {
        const char *key = al_environment_keys[k];
        json_t *value = json_object_get(environment, key);
        json_t *seen = json_object_get(summary->environment, key);
        if (seen == NULL) {
            seen = al_needed(json_array());
            al_json_set(summary->environment, key, seen);
        }
        size_t i = 0;
        while (i < json_array_size(seen) && !json_equal(json_array_get(seen, i), value))
            i++;
        if (i == json_array_size(seen) && value != NULL)
            al_json_append(seen, json_incref(value));
    }
}

/* The median of the iterations, or 0 unless times is a list of positive integers. */
static double median_time(const json_t *times)
{
    size_t n = json_array_size(times);
    if (n == 0)
        return 0;
    double *values = al_needed(calloc(n, sizeof *values));
    bool valid = true;
    for (size_t i = 0; i < n; i++) {
        const json_t *time = json_array_get(times, i);
        valid &= json_is_integer(time) && json_integer_value(time) > 0;
        values[i] = (double)json_integer_value(time);
    }
    double median = valid ? al_median(values, n) : 0;
    free(values);
    return median;
}

/* Whether what a record need not have is of its kind where it is; scripts/lib/records.py asks the same. */
static bool is_well_formed(const json_t *record)
{
    static const char *const objects[] = {"environment", "sweep",     "noise",
                                          "memory",      "latencies", "peer"};
    static const char *const flat[] = {"parameters", "options"};
    static const char *const names[] = {"victim", "idle", "pin", "topology", "engine"};
    const json_t *counters = json_object_get(record, "counters");
    bool good = counters == NULL || json_is_null(counters) || json_is_array(counters);
    const json_t *value;
    size_t i;
    json_array_foreach(counters, i, value) good &= json_is_object(value);
    for (i = 0; i < sizeof objects / sizeof *objects; i++) {
        value = json_object_get(record, objects[i]);
        good &= value == NULL || json_is_null(value) || json_is_object(value);
    }
    for (i = 0; i < sizeof flat / sizeof *flat; i++) {
        const char *key;
        json_t *member;
        json_object_foreach(json_object_get(record, flat[i]), key, member)
            good &= !json_is_array(member) && !json_is_object(member);
    }
    for (i = 0; i < sizeof names / sizeof *names; i++) {
        value = json_object_get(record, names[i]);
        good &= value == NULL || json_is_null(value) || json_is_string(value);
    }
    return good;
}

/* NULL, or what keeps this from being a record. */
static const char *add_record(struct al_summary *summary, const json_t *record)
{
    if (!json_is_object(record))
        return "expected an object";
    if (json_integer_value(json_object_get(record, "schema_version")) != 1)
        return "expected schema_version 1";
    const char *outcome = json_string_value(json_object_get(record, "outcome"));
    if (outcome == NULL)
        return "expected outcome, a string";
    if (!json_is_string(json_object_get(record, "benchmark")) ||
        !json_is_string(json_object_get(record, "scheduler")))
        return "expected benchmark and scheduler, strings";
    if (!json_is_object(json_object_get(record, "parameters")) ||
        !json_is_object(json_object_get(record, "options")))
        return "expected parameters and options, objects";
    if (!json_is_integer(json_object_get(record, "workers")))
        return "expected workers, an integer";

    if (!is_well_formed(record))
        return "expected names as victim, idle, pin, topology and engine, plain parameters and "
               "options, a list of counters, and objects as environment, sweep, noise, memory, "
               "latencies and peer";

    bool ok = strcmp(outcome, "ok") == 0;
    double time = 0;
    json_int_t messages = json_integer_value(json_object_get(record, "messages"));
    const json_t *peak = json_object_get(record, "peak_rss_bytes");
    if (ok) {
        time = median_time(json_object_get(record, "time_ns"));
        if (time <= 0)
            return "expected time_ns, a list of positive integers";
        if (messages <= 0)
            return "expected messages, a positive integer";
        if (!json_is_integer(peak) || json_integer_value(peak) < 0)
            return "expected peak_rss_bytes, an integer";
    }

    const json_t *sweep = json_object_get(record, "sweep");
    note_environment(summary, json_object_get(record, "environment"));
    json_t *identity = al_needed(json_object());
    for (size_t i = 0; i < IDENTITY_KEYS; i++) {
        json_t *value = json_object_get(record, identity_keys[i]);
        if (value == NULL)
            value = json_object_get(json_object_get(record, "environment"), identity_keys[i]);
        al_json_set(identity, identity_keys[i], value != NULL ? json_incref(value) : json_null());
    }
    struct al_cell *cell = find_cell(summary, identity);
    if (json_is_true(json_object_get(sweep, "twin")))
        cell = find_twin(cell);
    cell->oversubscribed |= json_is_true(json_object_get(record, "oversubscribed"));
    if (!ok) {
        json_int_t count = json_integer_value(json_object_get(cell->failed, outcome));
        al_json_set(cell->failed, outcome, json_integer(count + 1));
        return NULL;
    }
    if (cell->n == cell->capacity) {
        cell->capacity = 2 * cell->capacity + 8;
        for (int s = 0; s < SERIES; s++)
            cell->values[s] = al_needed(
                reallocarray(cell->values[s], cell->capacity, sizeof(double)));
    }
    al_series_add_latencies(&cell->latencies, json_object_get(record, "latencies"));
    al_series_add_counters(&cell->counters, json_object_get(record, "counters"),
                           (double)messages *
                               (double)json_array_size(json_object_get(record, "time_ns")));
    cell->values[TIME][cell->n] = time;
    cell->values[PER_MESSAGE][cell->n] = time / (double)messages;
    cell->values[RATE][cell->n] = (double)messages * 1e9 / time;
    cell->values[PEAK][cell->n] = (double)json_integer_value(peak);
    cell->values[MESSAGES][cell->n] = (double)messages;
    cell->values[SOURCE][cell->n] = (double)summary->sources;
    const json_t *block = json_object_get(sweep, "block");
    for (int m = 0; m < SERIES - MEMORY; m++) {
        const json_t *bytes = json_object_get(json_object_get(record, "memory"), al_memory_keys[m]);
        cell->values[MEMORY + m][cell->n] = json_is_integer(bytes)
                                                ? (double)json_integer_value(bytes)
                                                : -1;
    }
    cell->values[BLOCK][cell->n++] = json_is_integer(block) ? (double)json_integer_value(block)
                                                            : -1;
    return NULL;
}

char *al_records_path(const char *records)
{
    struct stat found;
    bool folder = stat(records, &found) == 0 && S_ISDIR(found.st_mode);
    char *path;
    if (asprintf(&path, "%s%s", records, folder ? "/records.jsonl" : "") < 0)
        al_no_memory();
    return path;
}

int al_cells_read(struct al_summary *summary, const char *given)
{
    const char *command = summary->command != NULL ? summary->command : "summarize";
    bool is_stdin = strcmp(given, "-") == 0;
    char *name = al_records_path(given);
    FILE *file = is_stdin ? stdin : fopen(name, "r");
    char *line = NULL;
    size_t capacity = 0, number = 0, traced = 0, first_traced = 0;
    ssize_t length;
    int code = AL_EXIT_OK;
    errno = file != NULL ? 0 : errno;
    while (file != NULL && (length = getline(&line, &capacity, file)) >= 0) {
        number++;
        while (length > 0 && isspace((unsigned char)line[length - 1]))
            length--;
        if (length == 0)
            continue;
        json_error_t error;
        json_t *record = json_loadb(line, (size_t)length, JSON_REJECT_DUPLICATES, &error);
        bool is_traced = json_is_string(json_object_get(record, "trace"));
        const char *problem = record == NULL ? error.text
                              : is_traced    ? NULL
                                             : add_record(summary, record);
        if (is_traced) {
            first_traced = traced++ == 0 ? number : first_traced;
        } else if (problem != NULL) {
            fprintf(stderr, "actorlab %s: %s:%zu: not a record, left out: %s\n", command, name,
                    number, problem);
            code = AL_EXIT_FAILED;
        } else if (summary->records != NULL) {
            al_json_append(summary->records, json_incref(record));
        }
        json_decref(record);
        errno = 0;
    }
    if (file == NULL || ferror(file)) {
        fprintf(stderr, "actorlab %s: cannot read '%s': %s\n", command, name, strerror(errno));
        code = AL_EXIT_USAGE;
    }
    if (traced > 0)
        fprintf(stderr,
                "actorlab %s: %s: left out %zu traced run%s, the first in line %zu: times with "
                "--trace are no measurements\n",
                command, name, traced, traced == 1 ? "" : "s", first_traced);
    if (file != NULL && !is_stdin)
        fclose(file);
    summary->sources++;
    free(line);
    free(name);
    return code;
}

static void release_cell(struct al_cell *cell)
{
    json_decref(cell->identity);
    json_decref(cell->failed);
    for (int s = 0; s < SERIES; s++)
        free(cell->values[s]);
    al_series_release(&cell->latencies);
    al_series_release(&cell->counters);
    if (cell->twin != NULL)
        release_cell(cell->twin);
    free(cell->twin);
}

void al_cells_release(struct al_summary *summary)
{
    for (size_t c = 0; c < summary->count; c++)
        release_cell(&summary->cells[c]);
    free(summary->cells);
    json_decref(summary->index);
    json_decref(summary->records);
    json_decref(summary->environment);
}
