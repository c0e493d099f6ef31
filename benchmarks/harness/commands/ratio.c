/* SPDX-License-Identifier: MIT */

/* `actorlab ratio -`: ratios of pairs of numbers, for programs that have no statistics. */

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/commands/arguments.h"
#include "benchmarks/harness/statistics/ratio.h"
#include "benchmarks/harness/text/format.h"
#include "benchmarks/harness/text/json.h"

#define LEVEL 0.95

/* Numbers of a job, which are the caller's to free. NULL with a line in error if they are none. */
static double *numbers_of(const json_t *job, const char *key, size_t *n, struct al_error *error)
{
    const json_t *list = json_object_get(job, key);
    *n = json_array_size(list);
    double *numbers = al_needed(calloc(*n + 1, sizeof *numbers));
    for (size_t i = 0; i < *n; i++) {
        const json_t *item = json_array_get(list, i);
        numbers[i] = json_is_number(item) ? json_number_value(item) : NAN;
        if (isnan(numbers[i]))
            *n = 0;
    }
    if (*n > 0)
        return numbers;
    free(numbers);
    (void)al_error_set(error, -EINVAL, "%s must be a list of numbers", key);
    return NULL;
}

/* The answer to a job, or NULL with a line in error. */
static json_t *judged(const json_t *job, struct al_error *error)
{
    size_t n[2] = {0};
    double *first = numbers_of(job, "first", &n[0], error);
    double *second = first != NULL ? numbers_of(job, "second", &n[1], error) : NULL;
    const json_t *given = json_object_get(job, "level");
    double level = given != NULL ? json_number_value(given) : LEVEL;
    json_t *answer = NULL;
    struct al_ratio ratio;
    if (second == NULL)
        ; /* the line is there */
    else if (n[0] != n[1])
        (void)al_error_set(error, -EINVAL, "first has %zu numbers and second %zu: they are pairs",
                           n[0], n[1]);
    else if (!(level > 0 && level < 1))
        (void)al_error_set(error, -EINVAL, "level must be between 0 and 1");
    else if (al_ratio_paired(first, second, n[0], &ratio) != 0)
        (void)al_error_set(error, -EINVAL,
                           "every number must be positive, and so must every ratio");
    else {
        struct al_interval interval = al_ratio_interval(&ratio, level);
        struct al_decision decision = {.alpha = 1 - level, .equivalence = level, .margin = 1};
        size_t needed = al_ratio_needed(&ratio, &decision);
        answer = json_pack(
            "{s:f, s:f, s:o, s:f, s:o}", "median", interval.median, "low", interval.low, "high",
            isfinite(interval.high) ? json_real(interval.high) : json_null(), "p", ratio.p,
            "needed", needed != SIZE_MAX ? json_integer((json_int_t)needed) : json_null());
        al_ratio_release(&ratio);
    }
    free(first);
    free(second);
    return answer;
}

static int ratio_main(int argc, char **argv)
{
    struct al_parsed parsed;
    if (!al_arguments_read(&al_ratio_command, argc, argv, NULL, &parsed))
        return AL_EXIT_USAGE;
    if (strcmp(parsed.operands[0], "-") != 0)
        return al_refuse("ratio", "cannot read '%s', only standard input; valid: actorlab ratio -",
                         parsed.operands[0]);
    char *line = NULL;
    size_t capacity = 0;
    int exit_code = AL_EXIT_OK;
    ssize_t length;
    for (size_t number = 1; (length = getline(&line, &capacity, stdin)) >= 0; number++) {
        struct al_error error = {"not a JSON object"};
        json_t *job = json_loadb(line, (size_t)length, JSON_DECODE_INT_AS_REAL, NULL);
        json_t *answer = json_is_object(job) ? judged(job, &error) : NULL;
        json_decref(job);
        if (answer == NULL) {
            fprintf(stderr, "actorlab ratio: line %zu: %s\n", number, error.text);
            exit_code = AL_EXIT_USAGE;
            break;
        }
        (void)al_put_json(answer, stdout, JSON_COMPACT);
        json_decref(answer);
        putchar('\n');
    }
    free(line);
    return exit_code;
}

static const struct al_argument arguments[] = {{0}};

const struct al_command al_ratio_command = {
    .name = "ratio",
    .help = "estimate ratios of pairs of numbers, with intervals",
    .operand = "-",
    .least = 1,
    .most = 1,
    .usage = "-",
    .about =
        "Reads lines from standard input, each a JSON object with two lists of as many positive "
        "numbers that were measured side by side, and the level of the interval (default: "
        "0.95):\n"
        "  {\"first\": [2.1, 2.2], \"second\": [1.0, 1.1], \"level\": 0.5}\n"
        "Prints for each the \"median\" ratio of first to second (Hodges and Lehmann's), the "
        "\"low\" and \"high\" end of its interval (null: unbounded), the \"p\" of Wilcoxon's "
        "signed ranks for a ratio of 1, and how many pairs would be \"needed\" to tell it from "
        "1 at this level (null: more than a million).",
    .arguments = arguments,
    .run = ratio_main,
};
