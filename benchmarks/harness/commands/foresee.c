/* SPDX-License-Identifier: MIT */

/* `actorlab foresee -`: could these trials begin? One call for all cells of a sweep. */

#include "benchmarks/harness/commands/foresee.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/commands/arguments.h"
#include "benchmarks/harness/results/doubts.h"
#include "benchmarks/harness/text/format.h"
#include "benchmarks/harness/text/json.h"
#include "core/machine/topology.h"
#include "core/system.h"

/* A topology that was asked for, or why there is none. */
struct known {
    struct known *next;
    char *spec; /* NULL: this machine */
    struct al_topology *topology;
    int code;
    struct al_error error;
};

static int find(void *finder, const char *spec, const struct al_topology **topology,
                struct al_error *error)
{
    struct known **first = finder;
    struct known *known = *first;
    while (known != NULL && (spec == NULL || known->spec == NULL ? known->spec != spec
                                                                 : strcmp(known->spec, spec) != 0))
        known = known->next;
    if (known == NULL) {
        known = al_needed(calloc(1, sizeof *known));
        char *copy = spec != NULL ? al_needed(strdup(spec)) : NULL;
        known->spec = copy;
        known->code = al_topology_load(spec, &known->topology, &known->error);
        known->next = *first;
        *first = known;
    }
    *topology = known->topology;
    if (known->code != 0)
        *error = known->error;
    return known->code;
}

static void forget(struct known *known)
{
    while (known != NULL) {
        struct known *next = known->next;
        if (known->code == 0)
            al_topology_free(known->topology);
        free(known->spec);
        free(known);
        known = next;
    }
}

/*
 * The words as a command line, "run" the first, whose parts are the caller's to free. NULL if a
 * word is no string.
 */
static char **words_of(const json_t *words)
{
    size_t n = json_array_size(words);
    char **argv = al_needed(calloc(n + 2, sizeof *argv));
    for (size_t i = 0; i <= n; i++) {
        const char *word = i == 0 ? "run" : json_string_value(json_array_get(words, i - 1));
        argv[i] = word != NULL ? al_needed(strdup(word)) : NULL;
        if (word == NULL)
            break;
    }
    return argv;
}

static int foresee_line(const char *line, size_t length, struct known **known,
                        struct al_foreseen *foreseen, struct al_error *error)
{
    json_t *words = json_loadb(line, length, 0, NULL);
    int code = 0;
    if (!json_is_array(words)) {
        code = al_error_set(error, -EINVAL, "not a JSON array of words");
    } else {
        char **argv = words_of(words);
        size_t argc = 0;
        while (argv[argc] != NULL)
            argc++;
        if (argc != json_array_size(words) + 1)
            code = al_error_set(error, -EINVAL, "word %zu is not a string", argc);
        else
            code = al_run_foresee((int)argc, argv, find, known, foreseen, error);
        for (size_t i = 0; i < argc; i++)
            free(argv[i]);
        free(argv);
    }
    json_decref(words);
    return code;
}

struct choices {
    bool messages;
};

static const struct al_argument arguments[] = {
    {"messages", NULL, AL_ARGUMENT_FLAG, offsetof(struct choices, messages),
     .help = "print how many messages each run would deliver, too"},
    {0},
};

static int foresee_main(int argc, char **argv)
{
    struct al_parsed parsed;
    struct choices choices = {0};
    if (!al_arguments_read(&al_foresee_command, argc, argv, &choices, &parsed))
        return AL_EXIT_USAGE;
    if (strcmp(parsed.operands[0], "-") != 0)
        return al_refuse("foresee",
                         "cannot read '%s', only standard input; valid: actorlab foresee -",
                         parsed.operands[0]);
    struct known *known = NULL;
    char *line = NULL;
    size_t capacity = 0;
    int exit_code = AL_EXIT_OK;
    ssize_t length;
    for (json_int_t number = 1; (length = getline(&line, &capacity, stdin)) >= 0; number++) {
        struct al_error error = {""};
        json_t *answer;
        struct al_foreseen foreseen = {.with_messages = choices.messages};
        if (foresee_line(line, (size_t)length, &known, &foreseen, &error) == 0) {
            json_int_t messages = (json_int_t)foreseen.messages;
            answer = json_pack("{s:I, s:o*, s:o*, s:o*}", "line", number, "machine",
                               foreseen.machine, "messages",
                               messages != 0 ? json_integer(messages) : NULL, "doubts",
                               foreseen.doubts != 0 ? al_doubts_json(foreseen.doubts) : NULL);
        } else {
            exit_code = AL_EXIT_FAILED;
            char *problem = al_printable(error.text); /* as `run` would print it */
            answer = json_pack("{s:I, s:s}", "line", number, "problem", problem);
            free(problem);
        }
        (void)al_put_json(al_needed(answer), stdout, JSON_COMPACT);
        json_decref(answer);
        putchar('\n');
    }
    free(line);
    forget(known);
    return exit_code;
}

const struct al_command al_foresee_command = {
    .name = "foresee",
    .help = "check whether runs could begin, without running them",
    .operand = "-",
    .least = 1,
    .most = 1,
    .usage = "-",
    .about =
        "Reads lines from standard input, each the words of an `actorlab run` as a JSON "
        "array:\n"
        "  [\"executor\", \"--workers\", \"2\"]\n"
        "Prints one line for each: {\"line\": N}, with a \"problem\" if that run would be "
        "refused, and otherwise with the \"machine\" that it would simulate and the \"doubts\" "
        "about its size that can be foreseen, and, with --messages, the number of \"messages\" "
        "unless the workload places its actors on "
        "workers. Nothing is run. "
        "Exits with 1 if any line has a problem.",
    .arguments = arguments,
    .run = foresee_main,
};
