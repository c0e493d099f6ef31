/* SPDX-License-Identifier: MIT */

/* `actorlab results`: whether lines are records. */

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/commands/commands.h"
#include "benchmarks/harness/results/reader.h"
#include "benchmarks/harness/text/json.h"

static const char usage[] = "usage: actorlab results --check FILE\n";
static const char help[] =
    "Says of each line of a file of records, a folder of results, or standard input for -,\n"
    "whether it is a valid record. Prints one JSON object per line that is not blank:\n"
    "  {\"line\": 1, \"trial\": \"…\"}    a record; trial is its identity, 32 hexadecimal digits; "
    "with\n"
    "                               \"session\", 16 of them, if it is of a sweep\n"
    "  {\"line\": 2, \"problem\": \"…\"}  no record, and why not; with \"first\": 1 if line 1 is "
    "of the\n"
    "                               same trial, \"newer\": true if it is of a later "
    "schema_version\n"
    "Exit code 1 if a line is no record, 2 if the file cannot be read.\n";

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

int al_results_main(int argc, char **argv)
{
    static const struct option options[] = {{"check", required_argument, NULL, 'c'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    const char *name = NULL;
    bool good = true;
    optind = 0; /* glibc: start afresh, whoever parsed before */
    opterr = 0;
    for (int option; good && (option = getopt_long(argc, argv, ":", options, NULL)) != -1;) {
        if (option == 'h') {
            printf("%s%s", usage, help);
            return AL_EXIT_OK;
        }
        good = option == 'c';
        if (good)
            name = optarg;
        else
            fprintf(stderr, "actorlab results: %s: %s; options are --check FILE, --help\n",
                    argv[optind - 1], option == ':' ? "a value is missing" : "not understood");
    }
    if (good && (name == NULL || optind < argc)) {
        fprintf(stderr, "actorlab results: expected --check FILE, one file or folder of records\n");
        good = false;
    }
    return good ? check(name) : AL_EXIT_USAGE;
}
