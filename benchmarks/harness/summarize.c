/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/summarize.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/arguments.h"
#include "benchmarks/harness/cells.h"
#include "benchmarks/harness/format.h"
#include "benchmarks/harness/labels.h"
#include "benchmarks/harness/pairs.h"
#include "benchmarks/harness/statistics.h"

static const char *const measure_names[MEASURES] = {"time_ns", "ns_per_message", "messages_per_s",
                                                    "peak_rss_bytes"};

static const char *const interval_keys[] = {[AL_PERCENTILE] = "percentile", [AL_BCA] = "bca"};
static const char *const interval_names[] = {[AL_PERCENTILE] = "percentile", [AL_BCA] = "BCa"};

/* With fewer values than this no 95% interval of a median exists: show the values themselves. */
#define FEW 6

static json_t *json_reals(const double *values, size_t n)
{
    json_t *list = al_needed(json_array());
    for (size_t i = 0; i < n; i++)
        al_json_append(list, json_real(values[i]));
    return list;
}

/* All intervals; the replicates go to `dump`, a line for each measure of each cell, unless it is
 * NULL. */
static void compute(struct al_summary *summary, struct al_bootstrap *bootstrap, FILE *dump)
{
    double *replicates = al_needed(calloc(summary->resamples, sizeof *replicates));
    for (size_t c = 0; c < summary->count; c++) {
        struct al_cell *cell = &summary->cells[c];
        for (int m = 0; cell->n > 0 && m < MEASURES; m++) {
            /* Records hold nothing that would be refused, so only memory can be the matter. */
            if (al_bootstrap_interval(bootstrap, cell->values[m], cell->n, summary->kind,
                                      dump != NULL ? replicates : NULL, &cell->intervals[m]) != 0)
                al_cells_out_of_memory();
            if (dump == NULL)
                continue;
            json_t *row = al_needed(json_pack("{s:O, s:s, s:o, s:o}", "cell", cell->identity,
                                              "measure", measure_names[m], "values",
                                              json_reals(cell->values[m], cell->n), "replicates",
                                              json_reals(replicates, summary->resamples)));
            json_dumpf(row, dump, JSON_COMPACT);
            fputc('\n', dump);
            json_decref(row);
        }
    }
    free(replicates);
}

/* Of what the records have of memory; null where one of them has none. */
static json_t *memory_medians(const struct al_cell *cell)
{
    json_t *object = al_needed(json_object());
    for (int m = 0; m < SERIES - MEMORY; m++) {
        double *values = cell->values[MEMORY + m];
        double median = al_median(values, cell->n); /* sorts: what is not known, -1, comes first */
        al_json_set(object, al_memory_keys[m], values[0] >= 0 ? json_real(median) : json_null());
    }
    return object;
}

static void append_failed(json_t *failed, const struct al_cell *cell)
{
    const char *outcome;
    json_t *count;
    json_object_foreach(cell->failed, outcome, count)
    {
        json_t *row = al_needed(json_copy(cell->identity));
        al_json_set(row, "outcome", json_string(outcome));
        al_json_set(row, "count", json_incref(count));
        al_json_append(failed, row);
    }
    if (cell->twin != NULL)
        append_failed(failed, cell->twin);
}

/* Of the twin to its cell, by blocks. */
static void append_aa(json_t *aa, const struct al_cell *cell, struct al_bootstrap *bootstrap)
{
    struct al_ratio ratio;
    if (cell->twin == NULL || !al_cells_paired(cell->twin, cell, bootstrap, &ratio))
        return;
    json_t *row = al_needed(json_copy(cell->identity));
    al_json_set(row, "ratio",
                json_pack("{s:f, s:f, s:f, s:f, s:I}", "median", ratio.interval.median, "low",
                          ratio.interval.low, "high", ratio.interval.high, "achieved",
                          ratio.interval.achieved, "n", (json_int_t)ratio.interval.n));
    al_json_append(aa, row);
}

static void print_json(const struct al_summary *summary, struct al_bootstrap *bootstrap)
{
    json_t *cells = al_needed(json_array()), *failed = al_needed(json_array());
    json_t *aa = al_needed(json_array());
    for (size_t c = 0; c < summary->count; c++) {
        struct al_cell *cell = &summary->cells[c];
        append_failed(failed, cell);
        append_aa(aa, cell, bootstrap);
        if (cell->n == 0)
            continue;
        json_t *row = al_needed(json_copy(cell->identity));
        al_json_set(row, "oversubscribed", json_boolean(cell->oversubscribed));
        al_json_set(row, "n", json_integer((json_int_t)cell->n));
        al_json_set(row, "messages",
                    json_integer(llround(al_median(cell->values[MESSAGES], cell->n))));
        for (int m = 0; m < MEASURES; m++) {
            const struct al_interval *i = &cell->intervals[m];
            al_json_set(row, measure_names[m],
                        json_pack("{s:f, s:f, s:f, s:f, s:b, s:o}", "median", i->median, "low",
                                  i->low, "high", i->high, "achieved", i->achieved, "degenerate",
                                  i->degenerate, "values", json_reals(cell->values[m], cell->n)));
        }
        al_json_set(row, "memory", memory_medians(cell));
        if (cell->ratio.n > 0)
            al_json_set(row, "ratio",
                        json_pack("{s:s, s:f, s:f, s:f, s:f, s:I}", "to", summary->baseline,
                                  "median", cell->ratio.median, "low", cell->ratio.low, "high",
                                  cell->ratio.high, "achieved", cell->ratio.achieved, "n",
                                  (json_int_t)cell->ratio.n));
        al_json_append(cells, row);
    }
    double noise = al_cells_noise(summary, bootstrap);
    json_t *root = al_needed(
        json_pack("{s:f, s:s, s:I, s:I, s:o, s:o, s:o, s:o}", "level", summary->level, "interval",
                  interval_keys[summary->kind], "resamples", (json_int_t)summary->resamples, "seed",
                  (json_int_t)summary->seed, "cells", cells, "failed", failed, "aa", aa,
                  "noise_percent", noise >= 0 ? json_real(noise) : json_null()));
    json_dumpf(root, stdout, JSON_COMPACT);
    putchar('\n');
    json_decref(root);
}

static const json_t *lookup(const struct al_cell *cell, const char *key)
{
    return json_object_get(cell->identity, key);
}

enum {
    BENCHMARK,
    SCHEDULER,
    VICTIM,
    WORKERS,
    SETTING,
    MEDIAN,
    INTERVAL,
    ACHIEVED,
    COUNT,
    PER_S,
    MEGABYTES,
    RATIO,
    COLUMNS
};
#define RIGHT                                                                                      \
    (1u << WORKERS | 1u << MEDIAN | 1u << INTERVAL | 1u << ACHIEVED | 1u << COUNT | 1u << PER_S |  \
     1u << MEGABYTES | 1u << RATIO)

static void fill_identity(const json_t *varying, const struct al_cell *cell, char **row)
{
    row[BENCHMARK] = al_label_text(lookup(cell, "benchmark"));
    row[SCHEDULER] = al_label_text(lookup(cell, "scheduler"));
    row[VICTIM] = al_label_text(lookup(cell, "victim"));
    row[WORKERS] = al_text("%" JSON_INTEGER_FORMAT "%s",
                           json_integer_value(lookup(cell, "workers")),
                           cell->oversubscribed ? "*" : "");
    row[SETTING] = al_setting(varying, cell);
}

static void fill_row(const json_t *varying, const struct al_cell *cell, char **row)
{
    const struct al_interval *i = &cell->intervals[PER_MESSAGE];
    fill_identity(varying, cell, row);
    row[MEDIAN] = al_text("%s", al_format_number(i->median, 4).text);
    row[INTERVAL] = i->n == 1
                        ? al_text("-")
                        : al_text("[%s, %s]%s", al_format_number(i->low, 4).text,
                                  al_format_number(i->high, 4).text, i->degenerate ? "=" : "");
    row[ACHIEVED] = i->n == 1 ? al_text("-") : al_text("%.1f%%", 100 * i->achieved);
    row[COUNT] = al_text("%zu", i->n);
    row[PER_S] = al_text("%s", al_format_count(cell->intervals[RATE].median).text);
    if (cell->ratio.n > 1)
        row[RATIO] = al_text("%s [%s, %s]", al_format_number(cell->ratio.median, 3).text,
                             al_format_number(cell->ratio.low, 3).text,
                             al_format_number(cell->ratio.high, 3).text);
    else if (cell->ratio.n == 1)
        row[RATIO] = al_text("%s", al_format_number(cell->ratio.median, 3).text);
    row[MEGABYTES] = al_text("%s", al_format_number(cell->intervals[PEAK].median / 1e6, 3).text);
}

static void print_row(char **row, const size_t *widths)
{
    al_table_row(stdout, row, COLUMNS, widths, RIGHT);
}

static void print_table(const struct al_summary *summary, const json_t *varying)
{
    /* Row 0 is the header; a cell without data leaves its row empty. */
    size_t rows = summary->count + 1, shown = 0;
    char **cells = al_needed(calloc(rows * COLUMNS, sizeof *cells));
    bool settings = false, oversubscribed = false, degenerate = false;
    for (size_t r = 1; r < rows; r++) {
        const struct al_cell *cell = &summary->cells[r - 1];
        char **row = &cells[r * COLUMNS];
        if (cell->n > 0) {
            fill_row(varying, cell, row);
            shown++;
            settings |= row[SETTING][0] != '\0';
            oversubscribed |= cell->oversubscribed;
            degenerate |= cell->n > 1 && cell->intervals[PER_MESSAGE].degenerate;
        }
        for (int c = 0; c < COLUMNS; c++)
            row[c] = row[c] != NULL ? row[c] : al_text("%s", "");
    }
    const char *const titles[COLUMNS] = {
        "benchmark",  "scheduler", "victim",   "workers", settings ? "setting" : "",
        "ns/message", "",          "achieved", "n",       "messages/s",
        "peak MB",    ""};
    for (int c = 0; c < COLUMNS; c++)
        cells[c] = c == INTERVAL ? al_text("%g%% interval", 100 * summary->level)
                   : c == RATIO && summary->baseline != NULL ? al_text("x %s", summary->baseline)
                                                             : al_text("%s", titles[c]);

    size_t widths[COLUMNS];
    al_table_widths(cells, rows, COLUMNS, widths);
    for (size_t r = 0; shown > 0 && r < rows; r++) {
        const struct al_cell *cell = r > 0 ? &summary->cells[r - 1] : NULL;
        if (cell != NULL && cell->n == 0)
            continue;
        print_row(&cells[r * COLUMNS], widths);
        if (cell == NULL || cell->n >= FEW)
            continue;
        fputs("    each:", stdout);
        for (size_t i = 0; i < cell->n; i++)
            printf(" %s", al_format_number(cell->values[PER_MESSAGE][i], 4).text);
        putchar('\n');
    }
    for (size_t i = 0; i < rows * COLUMNS; i++)
        free(cells[i]);
    free(cells);

    if (shown > 0)
        printf("Medians with %s bootstrap intervals, %zu resamples, seed %" PRIu64
               "; achieved: what an interval really covers.\n",
               interval_names[summary->kind], summary->resamples, summary->seed);
    else
        puts("No record with outcome ok.");
    if (oversubscribed)
        puts("* more workers than processing units");
    if (degenerate)
        puts("= no width: too many equal values");
}

static void print_failed(const json_t *varying, const struct al_cell *cell)
{
    const char *outcome;
    json_t *count;
    json_object_foreach(cell->failed, outcome, count)
    {
        char *row[COLUMNS];
        fill_identity(varying, cell, row);
        printf("failed: %s, scheduler %s, victim %s, workers %s%s%s: %s, %" JSON_INTEGER_FORMAT
               " time%s\n",
               row[BENCHMARK], row[SCHEDULER], row[VICTIM], row[WORKERS],
               row[SETTING][0] != '\0' ? ", " : "", row[SETTING], outcome,
               json_integer_value(count), json_integer_value(count) == 1 ? "" : "s");
        for (int i = 0; i <= SETTING; i++)
            free(row[i]);
    }
    if (cell->twin != NULL)
        print_failed(varying, cell->twin);
}

static void print_noise(const struct al_summary *summary, struct al_bootstrap *bootstrap)
{
    double noise = al_cells_noise(summary, bootstrap);
    if (noise >= 0)
        printf("A/A: the intervals of twins' ratios reach %s%% from 1.\n",
               al_format_number(noise, 2).text);
}

static void print_for_people(const struct al_summary *summary, struct al_bootstrap *bootstrap)
{
    json_t *varying = al_varying(summary);
    print_table(summary, varying);
    print_noise(summary, bootstrap);
    for (size_t c = 0; c < summary->count; c++)
        print_failed(varying, &summary->cells[c]);
    json_decref(varying);
}

static const char usage[] =
    "usage: actorlab summarize FILE... [--json] [--baseline SCHEDULER] [--interval KIND]\n"
    "                          [--resamples N] [--seed S] [--level L] "
    "[--dump-replicates FILE]\n";
static const char help[] =
    "Medians and intervals of recorded runs; FILE may be a folder of results, or - for standard "
    "input.\n"
    "  --json                  one JSON object in place of the table\n"
    "  --baseline SCHEDULER    the ratio of each time to that scheduler's at the same work, by "
    "blocks\n"
    "  --interval KIND         of the bootstrap: percentile (default), or bca, bias-corrected and "
    "accelerated\n"
    "  --resamples N           bootstrap resamples, 1 to 10000000 (default 10000)\n"
    "  --seed S                of the resampling (default 1)\n"
    "  --level L               wished coverage, between 0 and 1 (default 0.95)\n"
    "  --dump-replicates FILE  write the resampled medians to a new FILE, a JSON line per "
    "measure\n";

/* Beyond any letter, so that what getopt complains of is a letter only if a letter was given. */
enum {
    OPTION_JSON = 256,
    OPTION_BASELINE,
    OPTION_INTERVAL,
    OPTION_RESAMPLES,
    OPTION_SEED,
    OPTION_LEVEL,
    OPTION_DUMP
};

/* -1 to go on, or the exit code. */
static int parse_options(int argc, char **argv, struct al_summary *summary, bool *json,
                         const char **dump)
{
    static const struct option options[] = {
        {"json", no_argument, NULL, OPTION_JSON},
        {"baseline", required_argument, NULL, OPTION_BASELINE},
        {"interval", required_argument, NULL, OPTION_INTERVAL},
        {"resamples", required_argument, NULL, OPTION_RESAMPLES},
        {"seed", required_argument, NULL, OPTION_SEED},
        {"level", required_argument, NULL, OPTION_LEVEL},
        {"dump-replicates", required_argument, NULL, OPTION_DUMP},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    uint64_t resamples = summary->resamples;
    optind = 0; /* glibc: start afresh, whoever parsed before */
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, ":h", options, NULL)) != -1;) {
        switch (option) {
        case OPTION_JSON:
            *json = true;
            break;
        case OPTION_BASELINE:
            summary->baseline = optarg;
            break;
        case OPTION_INTERVAL:
            if (strcmp(optarg, interval_keys[AL_PERCENTILE]) != 0 &&
                strcmp(optarg, interval_keys[AL_BCA]) != 0) {
                fprintf(stderr, "actorlab summarize: --interval %s: expected percentile or bca\n",
                        optarg);
                return AL_EXIT_USAGE;
            }
            summary->kind = strcmp(optarg, interval_keys[AL_BCA]) == 0 ? AL_BCA : AL_PERCENTILE;
            break;
        case OPTION_RESAMPLES:
            if (!al_argument_integer("summarize", "resamples", optarg, 1, 10000000, &resamples))
                return AL_EXIT_USAGE;
            break;
        case OPTION_SEED:
            if (!al_argument_integer("summarize", "seed", optarg, 0, INT64_MAX, &summary->seed))
                return AL_EXIT_USAGE;
            break;
        case OPTION_LEVEL:
            if (!al_argument_share("summarize", "level", optarg, &summary->level))
                return AL_EXIT_USAGE;
            break;
        case OPTION_DUMP:
            *dump = optarg;
            break;
        case 'h':
            printf("%s%s", usage, help);
            return AL_EXIT_OK;
        default: {
            const char letter[] = {'-', (char)optopt, '\0'};
            fprintf(stderr,
                    "actorlab summarize: %s: %s; options are --json, --baseline SCHEDULER, "
                    "--interval KIND, "
                    "--resamples N, --seed S, --level L, --dump-replicates FILE, --help\n",
                    optopt > 0 && optopt < 256 ? letter : argv[optind - 1],
                    option == ':' ? "a value is missing" : "not understood");
            return AL_EXIT_USAGE;
        }
        }
    }
    summary->resamples = resamples;
    if (optind < argc)
        return -1;
    fprintf(stderr, "actorlab summarize: expected at least one FILE of records\n");
    return AL_EXIT_USAGE;
}

int al_summarize_main(int argc, char **argv)
{
    struct al_summary summary = {.level = 0.95, .resamples = 10000, .seed = 1};
    bool json = false;
    const char *dump_name = NULL;
    int code = parse_options(argc, argv, &summary, &json, &dump_name);
    if (code >= 0)
        return code;

    FILE *dump = NULL;
    summary.index = al_needed(json_object());
    code = AL_EXIT_OK;
    for (int i = optind; i < argc && code != AL_EXIT_USAGE; i++) {
        int result = al_cells_read(&summary, argv[i]);
        code = result > code ? result : code;
    }
    /* Never onto an existing file, which might be the records themselves. */
    if (code != AL_EXIT_USAGE && dump_name != NULL && (dump = fopen(dump_name, "wx")) == NULL) {
        fprintf(stderr, "actorlab summarize: cannot create '%s': %s\n", dump_name, strerror(errno));
        code = AL_EXIT_WRITE;
    }
    if (code <= AL_EXIT_FAILED) {
        struct al_bootstrap *bootstrap = al_needed(
            al_bootstrap_new(summary.resamples, summary.level, summary.seed));
        compute(&summary, bootstrap, dump);
        if (summary.baseline != NULL)
            al_cells_compare(&summary, bootstrap);
        if (json)
            print_json(&summary, bootstrap);
        else
            print_for_people(&summary, bootstrap);
        al_bootstrap_free(bootstrap);
        if (dump != NULL && (ferror(dump) | fclose(dump)) != 0) {
            fprintf(stderr, "actorlab summarize: could not write '%s': %s\n", dump_name,
                    strerror(errno));
            code = AL_EXIT_WRITE;
        }
    }
    al_cells_release(&summary);
    return code;
}
