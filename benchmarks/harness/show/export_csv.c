/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/show/export.h"

#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/results/identity.h"
#include "benchmarks/harness/results/labels.h"
#include "benchmarks/harness/results/origin.h"

/*
 * A table is a list of flat objects, and the titles of its columns in order. A value that lies
 * deeper in the record is called by its path, as in "options.shards".
 */

static const char *const flat_sections[] = {"memory", "latencies", "costs"};

#define LENGTH(list) (sizeof(list) / sizeof *(list))

static void set_path(json_t *row, const char *section, const char *key, json_t *value)
{
    char *path = al_text("%s.%s", section, key);
    al_json_set(row, path, value);
    free(path);
}

static void add_title(json_t *titles, const char *title)
{
    al_json_set(titles, title, json_true());
}

/* Of what no row has, such as the memory of a process that only simulated, there is no column. */
static void add_title_if_any(json_t *titles, const json_t *rows, const char *title)
{
    size_t r;
    const json_t *row;
    bool any = json_array_size(rows) == 0;
    json_array_foreach(rows, r, row) any |= json_object_get(row, title) != NULL;
    if (any)
        add_title(titles, title);
}

static void add_titles_of(json_t *titles, const json_t *rows, const char *section)
{
    size_t length = strlen(section), r;
    const json_t *row;
    json_array_foreach(rows, r, row)
    {
        const char *key;
        json_t *value;
        json_object_foreach((json_t *)row, key, value)
        {
            if (strncmp(key, section, length) == 0 && key[length] == '.')
                add_title(titles, key);
        }
    }
}

/* Of a section's keys, those in which two rows of one benchmark differ. */
static void add_varying(json_t *titles, const json_t *rows, const char *section)
{
    json_t *first = al_needed(json_object()); /* benchmark and title: the first value there */
    size_t length = strlen(section), r;
    const json_t *row;
    json_array_foreach(rows, r, row)
    {
        const char *benchmark = json_string_value(json_object_get(row, "benchmark")), *key;
        json_t *value;
        json_object_foreach((json_t *)row, key, value)
        {
            if (strncmp(key, section, length) != 0 || key[length] != '.')
                continue;
            char *place = al_text("%s\n%s", key, benchmark);
            const json_t *known = json_object_get(first, place);
            if (known == NULL)
                al_json_set(first, place, json_incref(value));
            else if (!json_equal(known, value))
                add_title(titles, key);
            free(place);
        }
    }
    json_decref(first);
}

static void put_table(FILE *out, const json_t *titles, const json_t *rows)
{
    const char *title, *comma = "";
    json_t *unused;
    /* No title begins like a formula: a key from a record has its section before it. */
    json_object_foreach((json_t *)titles, title, unused)
    {
        fputs(comma, out);
        al_csv_text(out, title);
        comma = ",";
    }
    fputs("\r\n", out);
    size_t r;
    const json_t *row;
    json_array_foreach(rows, r, row)
    {
        comma = "";
        json_object_foreach((json_t *)titles, title, unused)
        {
            fputs(comma, out);
            al_csv_value(out, json_object_get(row, title));
            comma = ",";
        }
        fputs("\r\n", out);
    }
}

/* Copies what is there, from the object itself or from its environment. */
static void copy_identity(json_t *row, const json_t *from)
{
    json_t *identity = al_identity_of(from);
    for (size_t k = 0; k < AL_IDENTITY_KEYS; k++) {
        const char *name = al_identity_keys[k].name, *key;
        json_t *known = json_object_get(identity, name), *value;
        if ((al_identity_keys[k].roles & AL_SECTION) == 0)
            al_json_set(row, name, json_incref(known));
        else
            json_object_foreach(known, key, value) set_path(row, name, key, json_incref(value));
    }
    json_decref(identity);
}

/* The plain keys first, then of parameters and options those that vary. */
static void add_identity(json_t *titles, const json_t *rows)
{
    for (size_t k = 0; k < AL_IDENTITY_KEYS; k++) {
        if ((al_identity_keys[k].roles & AL_SECTION) == 0)
            add_title(titles, al_identity_keys[k].name);
    }
    for (size_t k = 0; k < AL_IDENTITY_KEYS; k++) {
        if ((al_identity_keys[k].roles & AL_SECTION) != 0)
            add_varying(titles, rows, al_identity_keys[k].name);
    }
}

/* Exact if 64 bits hold it. */
static json_t *sum_of(const json_t *left, const json_t *right)
{
    json_int_t sum;
    if ((left == NULL || json_is_integer(left)) && json_is_integer(right) &&
        !__builtin_add_overflow(json_integer_value(left), json_integer_value(right), &sum))
        return json_integer(sum);
    return al_json_real(json_number_value(left) + json_number_value(right));
}

/* The sum of each counter over all threads and measured iterations. */
static void add_counters(json_t *row, const json_t *record)
{
    json_t *sums = al_needed(json_object());
    size_t t;
    json_t *thread;
    json_array_foreach(json_object_get(record, "counters"), t, thread)
    {
        const char *key;
        json_t *value;
        json_object_foreach(thread, key, value)
        {
            if (json_is_integer(value)) /* counts by level are no single value */
                al_json_set(sums, key, sum_of(json_object_get(sums, key), value));
        }
    }
    const char *key;
    json_t *sum;
    json_object_foreach(sums, key, sum) set_path(row, "counters", key, json_incref(sum));
    json_decref(sums);
}

static double median_of(const json_t *list)
{
    size_t n = json_array_size(list);
    double *values = al_needed(calloc(n + 1, sizeof *values));
    for (size_t i = 0; i < n; i++)
        values[i] = json_number_value(json_array_get(list, i));
    double median = al_median(values, n);
    free(values);
    return median;
}

/* What a sweep says disturbed the trial, as one text; null if nothing did. */
static json_t *disturbances(const json_t *record)
{
    struct al_growing all;
    size_t i;
    const json_t *reason;
    FILE *out = al_growing_open(&all);
    json_array_foreach(json_object_get(json_object_get(record, "noise"), "disturbed"), i, reason)
    {
        char *text = al_value_text(reason);
        fprintf(out, "%s%s", i > 0 ? "; " : "", text);
        free(text);
    }
    return al_growing_close_json(&all);
}

/* Of a simulated trial this is the simulator's: when it ran on its host, and in how much memory. */
static bool is_of_host(const char *section, const char *key)
{
    static const char *const keys[] = {"started_at", "peak_rss_bytes", "allocated_bytes",
                                       "resident_bytes"};
    bool found = false;
    for (size_t i = 0; i < LENGTH(keys); i++)
        found |= strcmp(key, keys[i]) == 0 && (i < 2) == (section == NULL);
    return found;
}

static json_t *row_of_record(const json_t *record)
{
    static const char *const plain[] = {"started_at", "seed",     "iterations",    "oversubscribed",
                                        "outcome",    "messages", "peak_rss_bytes"};
    json_t *row = al_needed(json_object());
    const json_t *sweep = json_object_get(record, "sweep");
    bool simulated = al_record_is_simulated(record);
    copy_identity(row, record);
    for (size_t i = 0; i < LENGTH(plain); i++) {
        if (!simulated || !is_of_host(NULL, plain[i]))
            al_json_set(row, plain[i], al_json_or_null(json_object_get(record, plain[i])));
    }
    al_json_set(row, "mixed_kinds", json_boolean(al_record_mixes_kinds(record)));
    al_json_set(row, "block", al_json_or_null(json_object_get(sweep, "block")));
    if (!simulated)
        al_json_set(row, "disturbed", disturbances(record));
    al_json_set(row, "twin", json_boolean(json_is_true(json_object_get(sweep, "twin"))));
    if (strcmp(json_string_value(json_object_get(record, "outcome")), "ok") == 0) {
        double time = median_of(json_object_get(record, "time_ns"));
        double messages = json_number_value(json_object_get(record, "messages"));
        al_json_set(row, "time_ns", al_json_real(time));
        al_json_set(row, "ns_per_message", al_json_real(time / messages));
        al_json_set(row, "messages_per_s", al_json_real(messages * 1e9 / time));
    }
    for (size_t s = 0; s < LENGTH(flat_sections); s++) {
        const char *key;
        json_t *value;
        json_object_foreach(json_object_get(record, flat_sections[s]), key, value)
        {
            /* the buckets of a histogram are not a single value */
            if (!json_is_array(value) && !(simulated && is_of_host(flat_sections[s], key)))
                set_path(row, flat_sections[s], key, json_incref(value));
        }
    }
    add_counters(row, record);
    return row;
}

static bool is_wanted(const json_t *record, const char *benchmark)
{
    return benchmark == NULL ||
           strcmp(benchmark, json_string_value(json_object_get(record, "benchmark"))) == 0;
}

void al_export_csv(const struct al_summary *summary, const char *benchmark, FILE *out)
{
    static const char *const computed[] = {"time_ns", "messages", "ns_per_message",
                                           "messages_per_s", "peak_rss_bytes"};
    json_t *rows = al_needed(json_array()), *titles = al_needed(json_object());
    size_t r;
    json_t *record;
    json_array_foreach(summary->records, r, record)
    {
        if (is_wanted(record, benchmark))
            al_json_append(rows, row_of_record(record));
    }

    add_title_if_any(titles, rows, "started_at");
    add_identity(titles, rows);
    static const char *const trial[] = {"oversubscribed", "mixed_kinds", "block",   "twin",
                                        "seed",           "iterations",  "outcome", "disturbed"};
    for (size_t i = 0; i < LENGTH(trial); i++)
        add_title_if_any(titles, rows, trial[i]);
    for (size_t i = 0; i + 1 < LENGTH(computed); i++)
        add_title(titles, computed[i]);
    add_title_if_any(titles, rows, computed[LENGTH(computed) - 1]);
    for (size_t s = 0; s < LENGTH(flat_sections); s++)
        add_titles_of(titles, rows, flat_sections[s]);
    add_titles_of(titles, rows, "counters");

    put_table(out, titles, rows);
    json_decref(titles);
    json_decref(rows);
}

static json_t *row_of_cell(const struct al_cell *cell, enum al_interval_kind kind,
                           struct al_bootstrap *bootstrap)
{
    json_t *row = al_needed(json_object());
    copy_identity(row, cell->identity);
    al_json_set(row, "oversubscribed", json_boolean(cell->oversubscribed));
    al_json_set(row, "mixed_kinds", json_boolean(cell->mixed_kinds));
    al_json_set(row, "n", json_integer((json_int_t)cell->n));
    size_t failed = 0;
    const char *outcome;
    json_t *count;
    json_object_foreach(cell->failed, outcome, count) failed += (size_t)json_integer_value(count);
    al_json_set(row, "failed", json_integer((json_int_t)failed));
    for (int m = 0; cell->n > 0 && m < MEASURES; m++) {
        struct al_interval value;
        if (m == PEAK && cell->simulated)
            continue;
        if (al_bootstrap_interval(bootstrap, cell->values[m], cell->n, kind, NULL, &value) != 0)
            al_no_memory();
        const char *name = al_measure_names[m];
        set_path(row, name, "median", al_json_real(value.median));
        set_path(row, name, "low", al_json_real(value.low));
        set_path(row, name, "high", al_json_real(value.high));
        set_path(row, name, "achieved", al_json_real(value.achieved));
    }
    return row;
}

void al_export_csv_summary(const struct al_summary *summary, const char *benchmark, FILE *out)
{
    json_t *rows = al_needed(json_array()), *titles = al_needed(json_object());
    struct al_bootstrap *bootstrap = al_needed(
        al_bootstrap_new(summary->resamples, al_median_level(summary), summary->seed));
    for (size_t c = 0; c < summary->count; c++) {
        if (is_wanted(summary->cells[c].identity, benchmark))
            al_json_append(rows, row_of_cell(&summary->cells[c], summary->kind, bootstrap));
    }
    al_bootstrap_free(bootstrap);

    add_identity(titles, rows);
    static const char *const plain[] = {"oversubscribed", "mixed_kinds", "n", "failed"};
    static const char *const parts[] = {"median", "low", "high", "achieved"};
    for (size_t i = 0; i < LENGTH(plain); i++)
        add_title(titles, plain[i]);
    for (int m = 0; m < MEASURES - (summary->simulated && !summary->native); m++)
        for (size_t i = 0; i < LENGTH(parts); i++)
            set_path(titles, al_measure_names[m], parts[i], json_true());

    put_table(out, titles, rows);
    json_decref(titles);
    json_decref(rows);
}
