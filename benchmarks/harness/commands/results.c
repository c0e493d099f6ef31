/* SPDX-License-Identifier: MIT */

/* `actorlab results`: all that folders of results say, or whether lines are records. */

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/commands/commands.h"
#include "benchmarks/harness/results/reader.h"
#include "benchmarks/harness/show/results.h"
#include "benchmarks/harness/text/json.h"

static const char usage[] =
    "usage: actorlab results FOLDER... [--json] [--baseline SCHEDULER] [--benchmark NAME,...]\n"
    "       actorlab results --check FILE\n";
static const char help[] =
    "All that folders of results say. FOLDER may be a file of records, or - for standard input.\n"
    "  --json                  everything that can be drawn or printed, as one JSON object\n"
    "  --baseline SCHEDULER    what times are compared with (default: the configuration's, or the\n"
    "                          first)\n"
    "  --benchmark NAME,...    only these workloads\n"
    "  --axes JSON             the order of values: {\"workers\": [1, 2], ...} (default: the\n"
    "                          configuration's)\n"
    "  --check FILE            say of each line whether it is a valid record; one JSON object per\n"
    "                          line that is not blank:\n"
    "      {\"line\": 1, \"trial\": \"…\"}    a record; trial is its identity, 32 hexadecimal\n"
    "                                   digits; with \"session\", 16 of them, if it is of a sweep\n"
    "      {\"line\": 2, \"problem\": \"…\"}  no record, and why not; with \"first\": 1 if line 1 "
    "is\n"
    "                                   of the same trial, \"newer\": true if it is of a later\n"
    "                                   schema_version\n"
    "Exit code 1 if a line is no record, 2 if a file cannot be read.\n";

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
        (void)json_dumpf(object, stdout, JSON_COMPACT);
        putchar('\n');
        json_decref(object);
        code = line.problem != NULL ? AL_EXIT_FAILED : code;
    }
    char *path = al_needed(strdup(al_reader_path(reader)));
    int error = al_reader_close(reader);
    if (error != 0) {
        fprintf(stderr, "actorlab results: cannot read '%s': %s\n", path, strerror(error));
        code = AL_EXIT_USAGE;
    }
    free(path);
    json_decref(trials);
    return code;
}

/* {NAME: true} of names with commas between them. */
static json_t *names_of(const char *given)
{
    json_t *names = al_needed(json_object());
    while (*given != '\0') {
        size_t length = strcspn(given, ",");
        char *name = al_needed(strndup(given, length));
        al_json_set(names, name, json_true());
        free(name);
        given += length + (given[length] == ',');
    }
    return names;
}

static bool parse_axes(const char *given, json_t **out)
{
    *out = json_loads(given, 0, NULL);
    if (json_is_object(*out))
        return true;
    fprintf(stderr, "actorlab results: --axes: expected a JSON object of lists\n");
    return false;
}

static int show(struct al_results *results, char *const *names, size_t n, bool as_json)
{
    int code = AL_EXIT_OK;
    for (size_t i = 0; i < n && code != AL_EXIT_USAGE; i++) {
        int result = al_results_read(results, names[i]);
        code = result > code ? result : code;
    }
    if (code == AL_EXIT_USAGE)
        return code;
    al_results_finish(results);
    if (!as_json) {
        al_results_table(results, stdout);
        return code;
    }
    json_t *json = al_results_json(results);
    (void)json_dumpf(json, stdout, JSON_COMPACT | JSON_ENSURE_ASCII);
    putchar('\n');
    json_decref(json);
    return code;
}

enum { OPTION_JSON = 256, OPTION_BASELINE, OPTION_BENCHMARK, OPTION_AXES, OPTION_CHECK };

int al_results_main(int argc, char **argv)
{
    static const struct option options[] = {
        {"check", required_argument, NULL, OPTION_CHECK},
        {"json", no_argument, NULL, OPTION_JSON},
        {"baseline", required_argument, NULL, OPTION_BASELINE},
        {"benchmark", required_argument, NULL, OPTION_BENCHMARK},
        {"axes", required_argument, NULL, OPTION_AXES},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0}};
    struct al_results results;
    const char *checked = NULL;
    bool good = true, as_json = false;
    int code = AL_EXIT_USAGE;
    al_results_init(&results, "results");
    optind = 0; /* glibc: start afresh, whoever parsed before */
    opterr = 0;
    for (int option; good && (option = getopt_long(argc, argv, ":h", options, NULL)) != -1;) {
        if (option == 'h') {
            printf("%s%s", usage, help);
            al_results_release(&results);
            return AL_EXIT_OK;
        }
        if (option == OPTION_CHECK)
            checked = optarg;
        else if (option == OPTION_JSON)
            as_json = true;
        else if (option == OPTION_BASELINE)
            results.baseline = optarg;
        else if (option == OPTION_BENCHMARK && results.benchmarks == NULL)
            results.benchmarks = names_of(optarg);
        else if (option == OPTION_AXES && results.order == NULL)
            good = parse_axes(optarg, &results.order);
        else {
            fprintf(stderr,
                    "actorlab results: %s: %s; options are --json, --baseline SCHEDULER, "
                    "--benchmark NAME,..., --axes JSON, --check FILE, --help\n",
                    argv[optind - 1], option == ':' ? "a value is missing" : "not understood");
            good = false;
        }
    }
    if (good && (checked != NULL) != (optind == argc)) {
        fprintf(stderr, "actorlab results: expected folders or files of records, or --check FILE "
                        "alone\n");
        good = false;
    }
    if (good)
        code = checked != NULL ? check(checked)
                               : show(&results, argv + optind, (size_t)(argc - optind), as_json);
    al_results_release(&results);
    return code;
}
