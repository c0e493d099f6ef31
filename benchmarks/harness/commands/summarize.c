/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/commands/summarize.h"

#include <errno.h>
#include <getopt.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/commands/arguments.h"
#include "benchmarks/harness/results/pairs.h"
#include "benchmarks/harness/text/exit.h"
#include "benchmarks/harness/text/format.h"

const char *const al_interval_keys[] = {[AL_PERCENTILE] = "percentile", [AL_BCA] = "bca"};

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
    "  --resamples N           bootstrap resamples, 100 to 10000000 (default 10000)\n"
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
            if (strcmp(optarg, al_interval_keys[AL_PERCENTILE]) != 0 &&
                strcmp(optarg, al_interval_keys[AL_BCA]) != 0) {
                fprintf(stderr, "actorlab summarize: --interval %s: expected percentile or bca\n",
                        optarg);
                return AL_EXIT_USAGE;
            }
            summary->kind = strcmp(optarg, al_interval_keys[AL_BCA]) == 0 ? AL_BCA : AL_PERCENTILE;
            break;
        case OPTION_RESAMPLES:
            if (!al_argument_integer("summarize", "resamples", optarg, AL_RESAMPLES_LEAST, 10000000,
                                     &resamples))
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

/* Whether any cell is of the baseline; if not, one line that names those that could be. */
static bool check_baseline(const struct al_summary *summary)
{
    json_t *known = al_needed(json_object());
    for (size_t c = 0; c < summary->count; c++)
        al_json_set(known,
                    json_string_value(json_object_get(summary->cells[c].identity, "scheduler")),
                    json_true());
    bool there = json_object_size(known) == 0 || json_object_get(known, summary->baseline) != NULL;
    if (!there) {
        const char *name, *separator = "";
        json_t *unused;
        char *given = al_printable(summary->baseline);
        fprintf(stderr, "actorlab summarize: --baseline %s: no record is of it; valid: ", given);
        free(given);
        json_object_foreach(known, name, unused)
        {
            char *shown = al_printable(name);
            fprintf(stderr, "%s%s", separator, shown);
            free(shown);
            separator = ", ";
        }
        fputc('\n', stderr);
    }
    json_decref(known);
    return there;
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
    code = AL_EXIT_OK;
    for (int i = optind; i < argc && code != AL_EXIT_USAGE; i++) {
        int result = al_cells_read(&summary, argv[i]);
        code = result > code ? result : code;
    }
    if (code <= AL_EXIT_FAILED && summary.baseline != NULL && !check_baseline(&summary))
        code = AL_EXIT_USAGE;
    /* Never onto an existing file, which might be the records themselves. */
    if (code != AL_EXIT_USAGE && dump_name != NULL && (dump = fopen(dump_name, "wx")) == NULL) {
        fprintf(stderr, "actorlab summarize: cannot create '%s': %s\n", dump_name, strerror(errno));
        code = AL_EXIT_WRITE;
    }
    if (code <= AL_EXIT_FAILED) {
        struct al_bootstrap *bootstrap = al_needed(
            al_bootstrap_new(summary.resamples, summary.level, summary.seed));
        al_cells_intervals(&summary, bootstrap, dump);
        if (summary.baseline != NULL)
            al_cells_compare(&summary, bootstrap);
        if (json)
            al_summarize_json(&summary, bootstrap);
        else
            al_summarize_table(&summary, bootstrap);
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
