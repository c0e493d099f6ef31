/* SPDX-License-Identifier: MIT */
/*
 * Answers questions about the statistics for test_statistics.py: one per line of standard input,
 * each answered by a line of JSON. With arguments it is the subcommand `summarize` or `compare`.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/commands/arguments.h"
#include "benchmarks/harness/commands/commands.h"
#include "benchmarks/harness/statistics/ratio.h"
#include "benchmarks/harness/statistics/statistics.h"

#define NUMBERS_MOST 20000

/* Independent or paired: LEVEL N, N values of a, the rest are b's. */
static bool print_ratio(bool paired, const double *numbers, size_t n)
{
    struct al_bootstrap *bootstrap = al_bootstrap_new(10000, numbers[0], 1);
    struct al_ratio r;
    size_t n_a = (size_t)numbers[1];
    const double *a = numbers + 2, *b = a + n_a;
    if (bootstrap == NULL ||
        (paired ? al_ratio_paired(bootstrap, a, b, n_a, &r)
                : al_ratio_independent(bootstrap, a, n_a, b, n - 2 - n_a, &r)) != 0)
        return false;
    printf("[%.17g, %.17g, %.17g, %.17g, %.17g, %.17g]\n", r.interval.median, r.interval.low,
           r.interval.high, isnan(r.interval.achieved) ? -1 : r.interval.achieved,
           isnan(r.p) ? -1 : r.p, r.df);
    al_bootstrap_free(bootstrap);
    return true;
}

/* RESAMPLES LEVEL SEED VALUE… */
static bool print_interval(bool bca, const double *numbers, size_t n)
{
    size_t resamples = (size_t)numbers[0];
    double *replicates = calloc(resamples, sizeof *replicates);
    struct al_interval i;
    if (n < 3 || replicates == NULL ||
        (bca ? al_bootstrap_median_bca : al_bootstrap_median)(
            numbers + 3, n - 3, resamples, numbers[1], (uint64_t)numbers[2], replicates, &i) != 0) {
        free(replicates);
        return false;
    }
    printf("{\"median\":%.17g,\"low\":%.17g,\"high\":%.17g,\"achieved\":%.17g,\"n\":%zu,"
           "\"degenerate\":%s,\"replicates\":[",
           i.median, i.low, i.high, i.achieved, i.n, i.degenerate ? "true" : "false");
    for (size_t r = 0; r < resamples; r++)
        printf("%s%.17g", r > 0 ? "," : "", replicates[r]);
    puts("]}");
    free(replicates);
    return true;
}

static bool print_holm(double *p, size_t n)
{
    if (al_holm(p, n) != 0)
        return false;
    for (size_t i = 0; i < n; i++)
        printf("%s%.17g%s", i == 0 ? "[" : ", ", p[i], i + 1 == n ? "]\n" : "");
    return true;
}

/* One question: its kind and its numbers. False if it is refused. */
static bool answer(const char *kind, double *numbers, size_t n)
{
    if (strcmp(kind, "normal") == 0)
        return printf("%.17g\n", al_normal_quantile(numbers[0])) > 0;
    if (strcmp(kind, "student") == 0)
        return printf("%.17g\n", al_student_quantile(numbers[0], numbers[1])) > 0;
    if (strcmp(kind, "student-outside") == 0)
        return printf("%.17g\n", al_student_outside(numbers[0], numbers[1])) > 0;
    if (strcmp(kind, "quantile") == 0)
        return printf("%.17g\n", al_quantile(numbers + 1, n - 1, numbers[0])) > 0;
    if (strcmp(kind, "holm") == 0)
        return print_holm(numbers, n);
    if (strcmp(kind, "ratio") == 0 || strcmp(kind, "independent") == 0)
        return print_ratio(strcmp(kind, "ratio") == 0, numbers, n);
    return print_interval(strcmp(kind, "bca") == 0, numbers, n);
}

static int answer_all(void)
{
    char *line = NULL;
    size_t capacity = 0;
    bool answered = true;
    while (answered && getline(&line, &capacity, stdin) > 0) {
        char *rest = NULL, *kind = strtok_r(line, " \n", &rest), *word;
        static double numbers[NUMBERS_MOST];
        size_t n = 0;
        while (n < NUMBERS_MOST && (word = strtok_r(NULL, " \n", &rest)) != NULL)
            numbers[n++] = strtod(word, NULL);
        answered = answer(kind, numbers, n);
        if (!answered)
            fprintf(stderr, "statistics: refused\n");
    }
    free(line);
    return answered ? 0 : 2;
}

int main(int argc, char **argv)
{
    if (argc == 1)
        return answer_all();
    bool compare = strcmp(argv[1], "compare") == 0;
    return al_command_run(compare ? &al_compare_command : &al_summarize_command, argc - 1,
                          argv + 1);
}
