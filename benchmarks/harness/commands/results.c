/* SPDX-License-Identifier: MIT */

/* `actorlab results`: all results of recorded runs, or whether lines are valid records. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/commands/arguments.h"
#include "benchmarks/harness/results/reader.h"
#include "benchmarks/harness/show/results.h"
#include "benchmarks/harness/text/format.h"
#include "benchmarks/harness/text/json.h"
#include "benchmarks/workloads/judged.h"

#define COLUMNS 100 /* of text, if its words allow */

struct choices {
    bool json, schema, json_schema;
    const char *baseline, *benchmark, *axes, *check, *of;
};

static const struct al_argument arguments[] = {
    {"json", NULL, AL_ARGUMENT_FLAG, offsetof(struct choices, json),
     .help = "print everything that can be drawn or printed, as one JSON object"},
    {"baseline", "SCHEDULER", AL_ARGUMENT_NAME, offsetof(struct choices, baseline),
     .help = "compare times with this strategy's (default: the configuration's, or the first)"},
    {"benchmark", "NAME,…", AL_ARGUMENT_NAME, offsetof(struct choices, benchmark),
     .help = "only these workloads"},
    {"of", "KEY", AL_ARGUMENT_NAME, offsetof(struct choices, of),
     .help = "with --json, rank by this number of the records instead of times per message, as "
             "`actorlab compare --of` does"},
    {"axes", "JSON", AL_ARGUMENT_NAME, offsetof(struct choices, axes),
     .help = "order of values: {\"workers\": [1, 2], …} (default: the configuration's)"},
    {"check", "FILE", AL_ARGUMENT_FILE, offsetof(struct choices, check),
     .help = "report for each line of FILE whether it is a valid record"},
    {"schema", NULL, AL_ARGUMENT_FLAG, offsetof(struct choices, schema),
     .help = "print what a record may contain, as JSON"},
    {"json-schema", NULL, AL_ARGUMENT_FLAG, offsetof(struct choices, json_schema),
     .help = "the same as a JSON Schema, draft 2020-12"},
    {0},
};

static json_t *verdict(const struct al_line *line)
{
    json_t *object = al_needed(json_pack("{s:I}", "line", (json_int_t)line->number));
    if (line->problem == NULL) {
        al_json_set(object, "trial", json_string(line->trial));
        if (line->session != NULL)
            al_json_set(object, "session", json_string(line->session));
    } else {
        al_json_set(object, "problem", json_string_nocheck(line->problem));
        if (line->first != NULL)
            al_json_set(object, "first", json_integer(atoll(strrchr(line->first, ':') + 1)));
        if (line->newer)
            al_json_set(object, "newer", json_true());
    }
    return object;
}

static int check(const char *name)
{
    json_t *trials = al_needed(json_object());
    struct al_reader *reader = al_reader_open(name, trials);
    struct al_line line;
    int code = AL_EXIT_OK;
    while (al_reader_next(reader, &line)) {
        json_t *object = verdict(&line);
        /* A failure to write is found when stdout is flushed. */
        (void)al_put_json(object, stdout, JSON_COMPACT);
        putchar('\n');
        json_decref(object);
        code = line.problem != NULL ? AL_EXIT_FAILED : code;
    }
    char *path = al_needed(strdup(al_reader_path(reader)));
    int error = al_reader_close(reader);
    if (error != 0) {
        fprintf(stderr, "actorlab results: cannot read '%s': %s\n", path, al_reader_error(error));
        code = AL_EXIT_USAGE;
    }
    free(path);
    json_decref(trials);
    return code;
}

/* Whether there are all names that were asked for. The configuration's may still be to come. */
static bool are_known(const struct al_results *results)
{
    json_t *benchmarks = al_results_known(results, false),
           *schedulers = al_results_known(results, true);
    json_t *baseline = results->baseline != NULL
                           ? al_json_names(al_today("scheduler", results->baseline))
                           : NULL;
    bool known = al_are_known("results", "benchmark", results->benchmarks, benchmarks) &&
                 al_are_known("results", "baseline", baseline, schedulers);
    json_decref(benchmarks);
    json_decref(schedulers);
    json_decref(baseline);
    return known;
}

/* Name the workloads whose times say little, and what they are judged by. */
static void print_judges(const struct al_results *results)
{
    json_t *known = results->benchmarks != NULL ? json_incref(results->benchmarks)
                                                : al_results_known(results, false);
    struct al_growing text;
    FILE *out = al_growing_open(&text);
    bool any = false;
    for (void *at = json_object_iter(known); at != NULL; at = json_object_iter_next(known, at)) {
        const char *name = json_object_iter_key(at), *judge = al_judged_by(name);
        if (judge != NULL)
            fprintf(out, "%s%s (%s)", any ? ", " : "Not judged by times: ", name, judge);
        any |= judge != NULL;
    }
    fputs("; actorlab compare --of KEY compares these.", out);
    char *line = al_growing_close(&text);
    if (any)
        al_wrap(line, 0, 0, COLUMNS, stdout);
    free(line);
    json_decref(known);
}

static int show(struct al_results *results, char *const *names, size_t n, bool as_json)
{
    int code = al_results_read(results, names, n);
    if (code == AL_EXIT_USAGE || !are_known(results))
        return AL_EXIT_USAGE;
    if (!as_json) {
        al_results_table(results, stdout);
        print_judges(results);
        return code;
    }
    json_t *json = al_results_json(results);
    (void)al_put_json(json, stdout, JSON_COMPACT);
    putchar('\n');
    json_decref(json);
    return code;
}

static int results_main(int argc, char **argv)
{
    struct choices choices = {0};
    struct al_parsed parsed;
    if (!al_arguments_read(&al_results_command, argc, argv, &choices, &parsed))
        return AL_EXIT_USAGE;
    if (choices.check != NULL && parsed.n_operands > 0)
        return al_refuse("results", "--check and RECORDS '%s'; valid: --check FILE alone",
                         parsed.operands[0]);
    if (choices.check != NULL)
        return check(choices.check);
    if (choices.schema) {
        al_print_json(al_schema_json());
        return AL_EXIT_OK;
    }
    if (choices.json_schema) {
        al_print_json(al_json_schema());
        return AL_EXIT_OK;
    }
    if (parsed.n_operands == 0)
        return al_refuse("results",
                         "no RECORDS; valid: actorlab results RECORDS…, or --check FILE");
    if (choices.of != NULL && !choices.json)
        return al_refuse("results", "--of %s without --json; valid: both, or actorlab compare --of",
                         choices.of);
    struct al_results results;
    al_results_init(&results, "results");
    results.of = choices.of;
    results.baseline = choices.baseline;
    if (choices.benchmark != NULL)
        results.benchmarks = al_json_names(choices.benchmark);
    if (choices.axes != NULL)
        results.order = json_loads(choices.axes, 0, NULL);
    int code;
    if (choices.axes != NULL && !json_is_object(results.order))
        code = al_refuse("results",
                         "--axes '%s' is not a JSON object; valid: {\"workers\": [1, 2]}",
                         choices.axes);
    else
        code = show(&results, parsed.operands, parsed.n_operands, choices.json);
    al_results_release(&results);
    return code;
}

const struct al_command al_results_command = {
    .name = "results",
    .help = "show all results of recorded runs",
    .operand = "RECORDS",
    .most = SIZE_MAX,
    .usage = "RECORDS… [options]\n--check FILE",
    .about = "Shows all results of recorded runs. RECORDS and FILE are results folders, files "
             "of records, or - for standard input.",
    .more =
        "--check prints one JSON object for each line that is not blank:\n"
        "  {\"line\": 1, \"trial\": \"…\"}    a record and its identity, 32 digits; of a sweep\n"
        "                               also \"session\", 16 digits\n"
        "  {\"line\": 2, \"problem\": \"…\"}  why it is not one; also \"first\": 1 if line 1\n"
        "                               is of the same trial, and \"newer\": true if it is\n"
        "                               of a later schema_version\n"
        "Exits with 1 if a line is not a record, with 2 if a file cannot be read\n"
        "or if no trial of the --baseline or of a --benchmark finished.",
    .arguments = arguments,
    .run = results_main,
};
