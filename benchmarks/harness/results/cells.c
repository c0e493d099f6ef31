/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/results/cells.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/results/doubts.h"
#include "benchmarks/harness/results/identity.h"
#include "benchmarks/harness/results/labels.h"
#include "benchmarks/harness/results/origin.h"
#include "core/counted.h"

const char *const al_environment_keys[AL_ENVIRONMENT_KEYS] = {
    "cpu",   "cpus_allowed", "topology_hash", "kernel",      "governor",
    "turbo", "aslr",         "thp",           "malloc_conf", "compiler",
    "flags", "build_type",   "revision",      "binary_hash", "allocator"};

const char *const al_memory_keys[] = {"allocated_bytes", "resident_bytes", "queue_bytes",
                                      "queue_peak_bytes"};

/*
 * A bucket is 1/128 to 1/64 as wide as its smallest value; this factor leads to its middle, within
 * 0.2%.
 */
#define BUCKET_MIDDLE (1 + 3.0 / 512)
#define SEEDS_LEAST   3   /* with fewer, nobody knows what is an accident of the seed */
#define SHORTEST_NS   1.0 /* what took less does not fit on a logarithmic axis */

/* The cell of an identity, new if it is the first of its kind. Takes over the reference. */
static struct al_cell *find_cell(struct al_summary *summary, json_t *identity)
{
    char *key = al_identity_text(identity, ~0U);
    json_t *place = json_object_get(al_json_made(&summary->index), key);
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

/* Note the values of each key. */
static void note_environment(struct al_summary *summary, const json_t *record)
{
    json_t *environment = al_record_environment(record);
    json_t *known = al_json_made(&summary->environment);
    for (size_t k = 0; k < AL_ENVIRONMENT_KEYS; k++) {
        const char *key = al_environment_keys[k];
        json_t *value = json_object_get(environment, key);
        json_t *seen = json_object_get(known, key);
        if (seen == NULL) {
            seen = al_needed(json_array());
            al_json_set(known, key, seen);
        }
        size_t i = 0;
        while (i < json_array_size(seen) && !json_equal(json_array_get(seen, i), value))
            i++;
        if (i == json_array_size(seen) && value != NULL)
            al_json_append(seen, json_incref(value));
    }
    json_decref(environment);
}

static double median_time(const json_t *times)
{
    size_t n = json_array_size(times);
    double *values = al_needed(calloc(n, sizeof *values));
    for (size_t i = 0; i < n; i++)
        values[i] = (double)json_integer_value(json_array_get(times, i));
    double median = al_median(values, n);
    free(values);
    return median;
}

/* Records that name no session share one with the others of their file. So do all simulated ones:
 * their times have nothing of the moment when they were simulated. */
static double session_number(struct al_summary *summary, const char *session, size_t source,
                             bool simulated)
{
    char *key = simulated ? al_text("simulated")
                          : al_text("%zu %s", source, session != NULL ? session : "");
    json_t *number = json_object_get(al_json_made(&summary->sessions), key);
    if (number == NULL) {
        number = al_needed(json_integer((json_int_t)json_object_size(summary->sessions)));
        al_json_set(summary->sessions, key, number);
    }
    free(key);
    return (double)json_integer_value(number);
}

/* Counts the trials of each block. */
static void count_block(struct al_summary *summary, double session, const json_t *block)
{
    char place[64];
    if (!json_is_integer(block))
        return;
    snprintf(place, sizeof place, "%.0f %" JSON_INTEGER_FORMAT, session, json_integer_value(block));
    al_json_count(al_json_made(&summary->blocks), place);
}

/* Each bucket at its middle, but within what was seen. */
static void add_bins(struct al_cell *cell, const json_t *latencies)
{
    const json_t *least = json_object_get(latencies, "min_ns"), *bucket;
    const json_t *most = json_object_get(latencies, "max_ns");
    const json_t *buckets = json_object_get(latencies, "buckets");
    size_t i;
    if (json_array_size(buckets) == 0 || !json_is_number(least) || !json_is_number(most))
        return;
    cell->bins = al_needed(
        reallocarray(cell->bins, cell->n_bins + json_array_size(buckets), sizeof *cell->bins));
    json_array_foreach(buckets, i, bucket)
    {
        double middle = json_number_value(json_array_get(bucket, 0)) * BUCKET_MIDDLE;
        middle = fmin(fmax(middle, json_number_value(least)), json_number_value(most));
        cell->bins[cell->n_bins++] = (struct al_bin){fmax(middle, SHORTEST_NS),
                                                     json_number_value(json_array_get(bucket, 1))};
    }
}

/* Whether the cell has a trial with this seed: another would be the same one again. */
static bool is_repeated(const struct al_cell *cell, const json_t *record)
{
    double pair = al_record_pair(record);
    bool repeated = false;
    for (size_t i = 0; cell->simulated && pair >= 0 && i < cell->n && !repeated; i++)
        repeated = cell->values[BLOCK][i] == pair;
    return repeated;
}

/* Which part of the workers took part, or -1. */
static double took_part(const json_t *record)
{
    const json_t *counters = json_object_get(record, "counters"), *counted;
    json_int_t workers = json_integer_value(json_object_get(record, "workers"));
    size_t n = workers > 0 ? (size_t)workers : 0, i;
    if (n == 0 || n > json_array_size(counters))
        return -1;
    double *received = al_needed(calloc(n, sizeof *received));
    json_array_foreach(counters, i, counted)
    {
        if (i < n) /* the starting thread is behind the workers */
            received[i] = json_number_value(json_object_get(counted, "messages_received"));
    }
    double share = al_took_part(received, (uint32_t)n);
    free(received);
    return share;
}

/* Adds what a record with outcome ok has measured. compared: what cells are compared by, if it is
 * not negative. */
static void add_values(struct al_cell *cell, const json_t *record, double session, double compared)
{
    const json_t *times = json_object_get(record, "time_ns");
    json_int_t messages = json_integer_value(json_object_get(record, "messages"));
    const json_t *peak = json_object_get(record, "peak_rss_bytes");
    double time = median_time(times);
    if (cell->n == cell->capacity) {
        cell->capacity = 2 * cell->capacity + 8;
        for (int s = 0; s < SERIES; s++)
            cell->values[s] = al_needed(
                reallocarray(cell->values[s], cell->capacity, sizeof(double)));
    }
    al_series_add_latencies(&cell->latencies, json_object_get(record, "latencies"));
    al_series_add_costs(&cell->costs, json_object_get(record, "costs"));
    double delivered = (double)messages * (double)json_array_size(times);
    al_series_add_counters(&cell->counters, json_object_get(record, "counters"), delivered);
    al_series_add_rates(&cell->rates, json_object_get(record, "counters"));
    al_series_add_hardware(&cell->hardware, json_object_get(record, "hardware"), delivered);
    bool disturbed;
    cell->watched += al_record_is_watched(record, &disturbed);
    cell->disturbed += disturbed;
    cell->unsteady += json_is_false(json_object_get(record, "steady"));
    add_bins(cell, json_object_get(record, "latencies"));
    if (cell->n == 0)
        cell->pus = json_incref(json_object_get(record, "pus"));
    cell->values[TIME][cell->n] = time;
    cell->values[PER_MESSAGE][cell->n] = compared >= 0 ? compared : time / (double)messages;
    cell->values[RATE][cell->n] = (double)messages * 1e9 / time;
    cell->values[PEAK][cell->n] = (double)json_integer_value(peak);
    cell->values[MESSAGES][cell->n] = (double)messages;
    cell->values[SESSION][cell->n] = session;
    const json_t *handoff = json_object_get(json_object_get(record, "handoff"), "median_ns");
    cell->values[HANDOFF][cell->n] = json_is_number(handoff) ? json_number_value(handoff) : -1;
    const json_t *busy = json_object_get(record, "starter_busy");
    cell->values[BUSY][cell->n] = json_is_number(busy) ? json_number_value(busy) : -1;
    cell->values[TOOK_PART][cell->n] = took_part(record);
    const json_t *overrun = json_object_get(json_object_get(record, "costs"), "overrun");
    cell->values[OVERRUN][cell->n] = json_is_number(overrun) ? json_number_value(overrun) : -1;
    for (int m = 0; m < SERIES - MEMORY; m++) {
        const json_t *bytes = json_object_get(json_object_get(record, "memory"), al_memory_keys[m]);
        cell->values[MEMORY + m][cell->n] = json_is_integer(bytes)
                                                ? (double)json_integer_value(bytes)
                                                : -1;
    }
    cell->values[BLOCK][cell->n++] = al_record_pair(record);
}

double al_cell_median(const struct al_cell *cell, enum measure measure)
{
    double *sorted = al_needed(calloc(cell->n, sizeof *sorted));
    memcpy(sorted, cell->values[measure], cell->n * sizeof *sorted);
    double median = al_median(sorted, cell->n); /* sorts: what is not known, -1, comes first */
    median = sorted[0] >= 0 ? median : -1;
    free(sorted);
    return median;
}

static unsigned doubts_of(const struct al_cell *cell)
{
    struct al_evidence evidence = AL_EVIDENCE_NONE;
    if (cell->simulated) {
        evidence = al_evidence_of(cell->identity);
        evidence.starter_busy = al_cell_median(cell, BUSY);
        evidence.took_part = al_cell_median(cell, TOOK_PART);
        evidence.time_ns = al_cell_median(cell, TIME);
        evidence.apart = al_states_apart(cell->values[TIME], cell->n);
    }
    evidence.overrun = al_cell_median(cell, OVERRUN);
    evidence.messages = al_cell_median(cell, MESSAGES);
    return al_doubts(&evidence);
}

static void add_failure(struct al_cell *cell, const char *outcome, double block, double session)
{
    al_json_count(cell->failed, outcome);
    if (strcmp(outcome, "missing") == 0)
        return;
    cell->failed_at = al_needed(
        reallocarray(cell->failed_at, cell->n_failed + 1, sizeof *cell->failed_at));
    cell->failed_at[cell->n_failed][0] = block;
    cell->failed_at[cell->n_failed++][1] = session;
}

double al_cell_failed_share(const struct al_cell *cell)
{
    size_t n = cell->n + cell->n_failed;
    return n > 0 ? (double)cell->n_failed / (double)n : 0;
}

char *al_cell_failed_text(const struct al_cell *cell)
{
    char *failed = cell->n_failed > 0 ? al_text("%zu", cell->n_failed) : al_text("none");
    char *text = al_text("%s of %zu", failed, cell->n + cell->n_failed);
    free(failed);
    return text;
}

bool al_record_mixes_kinds(const json_t *record)
{
    const json_t *kinds = json_object_get(record, "kinds"), *kind, *first = NULL;
    size_t i;
    json_array_foreach(kinds, i, kind)
    {
        first = first == NULL && json_is_string(kind) ? kind : first;
        if (json_is_string(kind) && !json_equal(kind, first))
            return true;
    }
    return false;
}

bool al_cell_has_few_seeds(const struct al_cell *cell)
{
    return cell->simulated && cell->n > 0 && cell->n < SEEDS_LEAST;
}

char *al_few_seeds_text(size_t n_cells)
{
    return n_cells > 0 ? al_text("Fewer than three seeds: %s.", al_counted(n_cells, "cell").text)
                       : al_text("%s", "");
}

bool al_cell_is_disturbed(const struct al_cell *cell)
{
    return 2 * cell->disturbed > cell->watched;
}

/* The first of each group counts. */
static void keep_profile(struct al_summary *summary, const struct al_cell *cell, json_t *profile)
{
    if (!json_is_object(profile))
        return;
    char *work = al_identity_text(cell->identity, AL_WORK);
    if (json_object_get(al_json_made(&summary->profiles), work) == NULL)
        al_json_set(summary->profiles, work, json_incref(profile));
    free(work);
}

void al_cells_add(struct al_summary *summary, const json_t *record, const char *session,
                  size_t source)
{
    const char *outcome = json_string_value(json_object_get(record, "outcome"));
    const json_t *sweep = json_object_get(record, "sweep");
    bool simulated = al_record_is_simulated(record), ok = strcmp(outcome, "ok") == 0;
    double compared = summary->of != NULL ? al_record_measure(record, summary->of) : -1;
    if (ok && summary->of != NULL && compared < 0)
        return;
    double of_session = session_number(summary, session, source, simulated);
    note_environment(summary, record);
    al_disturbance_add(&summary->disturbance, record);
    summary->simulated |= simulated;
    summary->native |= !simulated;
    struct al_cell *cell = find_cell(summary, al_identity_of(record));
    if (json_is_true(json_object_get(sweep, "twin")))
        cell = find_twin(cell);
    else
        count_block(summary, of_session, json_object_get(sweep, "block"));
    cell->simulated = simulated;
    if (is_repeated(cell, record))
        return;
    cell->oversubscribed |= json_is_true(json_object_get(record, "oversubscribed"));
    cell->mixed_kinds |= al_record_mixes_kinds(record);
    if (!ok) {
        add_failure(cell, outcome, al_record_pair(record), of_session);
        return;
    }
    add_values(cell, record, of_session, compared);
    cell->doubts = doubts_of(cell);
    keep_profile(summary, cell, json_object_get(record, "profile"));
}

static void take(void *to, const struct al_line *line, size_t source)
{
    struct al_summary *summary = to;
    al_cells_add(summary, line->record, line->session, source);
    if (summary->records != NULL)
        al_json_append(summary->records, json_incref((json_t *)line->record));
}

int al_cells_read(struct al_summary *summary, const char *name)
{
    if (summary->intake.command == NULL)
        summary->intake.command = "summarize";
    return al_intake_read(&summary->intake, name, take, summary);
}

static void release_cell(struct al_cell *cell)
{
    json_decref(cell->identity);
    json_decref(cell->failed);
    free(cell->failed_at);
    for (int s = 0; s < SERIES; s++)
        free(cell->values[s]);
    al_series_release(&cell->latencies);
    al_series_release(&cell->costs);
    al_series_release(&cell->counters);
    al_series_release(&cell->rates);
    al_series_release(&cell->hardware);
    free(cell->bins);
    json_decref(cell->pus);
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
    al_intake_release(&summary->intake);
    al_disturbance_release(&summary->disturbance);
    json_decref(summary->sessions);
    json_decref(summary->blocks);
    json_decref(summary->records);
    json_decref(summary->profiles);
    json_decref(summary->environment);
}
