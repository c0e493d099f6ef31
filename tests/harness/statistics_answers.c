/* SPDX-License-Identifier: MIT */
/*
 * Answers questions about the statistics for test_statistics.py: one per line of standard input,
 * each answered by a line of JSON. With arguments it is the subcommand `summarize`, `results` or
 * `compare`.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/commands/arguments.h"
#include "benchmarks/harness/statistics/distributions.h"
#include "benchmarks/harness/statistics/ratio.h"
#include "benchmarks/harness/statistics/resampled_ratio.h"
#include "benchmarks/harness/statistics/statistics.h"
#include "core/random.h"
#include "tests/support/bootstrap.h"

#define NUMBERS_MOST 20000

/* Reads the values of one ratio: N_A N_B, N_A values of a, N_B of b; N_B 0: as many, in pairs.
 * Returns how many numbers that were; 0 if they are refused. */
static size_t read_ratio(const double *numbers, struct al_ratio *out)
{
    size_t n_a = (size_t)numbers[0], n_b = (size_t)numbers[1];
    const double *a = numbers + 2, *b = a + n_a;
    int code = n_b == 0 ? al_ratio_paired(a, b, n_a, out)
                        : al_ratio_independent(a, n_a, b, n_b, out);
    return code == 0 ? 2 + n_a + (n_b == 0 ? n_a : n_b) : 0;
}

/* LEVEL and a ratio. JSON knows no infinity: -1. */
static bool print_ratio(const double *numbers)
{
    struct al_ratio r;
    if (read_ratio(numbers + 1, &r) == 0)
        return false;
    struct al_interval i = al_ratio_interval(&r, numbers[0]);
    printf("[%.17g, %.17g, %.17g, %.17g, %.17g]\n", r.estimate, i.low, isinf(i.high) ? -1 : i.high,
           i.achieved, r.p);
    al_ratio_release(&r);
    return true;
}

#define RATIOS_MOST 16

/* RESAMPLES LEVEL SEED and ratios: their average, and the replicates of each. */
static bool print_average(const double *numbers, size_t n)
{
    struct al_ratio ratios[RATIOS_MOST];
    const struct al_ratio *pointers[RATIOS_MOST] = {NULL};
    struct al_interval average;
    size_t resamples = (size_t)numbers[0], m = 0, seed = (size_t)numbers[2];
    for (size_t at = 3; at < n && m < RATIOS_MOST; m++) {
        size_t size = read_ratio(numbers + at, &ratios[m]);
        if (size == 0)
            return false;
        pointers[m] = &ratios[m];
        at += size;
    }
    if (al_ratio_average(pointers, m, resamples, numbers[1], seed, &average) != 0)
        return false;
    printf("{\"interval\":[%.17g,%.17g,%.17g],\"replicates\":[", average.median, average.low,
           average.high);
    for (size_t s = 0; s < m; s++) {
        struct al_resampled_ratio *resampled = al_resampled_ratio_new(&ratios[s]);
        struct al_random random;
        al_random_seed(&random, seed, s);
        for (size_t r = 0; resampled != NULL && r < resamples; r++)
            printf("%s%.17g",
                   r > 0   ? ","
                   : s > 0 ? "],["
                           : "[",
                   al_resampled_ratio_draw(resampled, &random));
        al_resampled_ratio_free(resampled);
        al_ratio_release(&ratios[s]);
    }
    puts("]]}");
    return true;
}

/* N LEVEL: the rank of the order-statistic interval, and its coverage. */
static bool print_order(const double *numbers)
{
    double achieved;
    size_t rank = al_binomial_rank((size_t)numbers[0], numbers[1], &achieved);
    return printf("[%zu, %.17g]\n", rank, achieved) > 0;
}

/* RESAMPLES LEVEL SEED VALUE… */
static bool print_interval(bool bca, const double *numbers, size_t n)
{
    size_t resamples = (size_t)numbers[0];
    double *replicates = calloc(resamples, sizeof *replicates);
    struct al_interval i;
    if (n < 3 || replicates == NULL ||
        (bca ? bca_median : percentile_median)(numbers + 3, n - 3, resamples, numbers[1],
                                               (uint64_t)numbers[2], replicates, &i) != 0) {
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

static bool print_corrected(int (*correct)(double *, size_t), double *p, size_t n)
{
    if (correct(p, n) != 0)
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
    if (strcmp(kind, "quantile") == 0)
        return printf("%.17g\n", al_quantile(numbers + 1, n - 1, numbers[0])) > 0;
    if (strcmp(kind, "holm") == 0)
        return print_corrected(al_holm, numbers, n);
    if (strcmp(kind, "benjamini-hochberg") == 0)
        return print_corrected(al_benjamini_hochberg, numbers, n);
    if (strcmp(kind, "ratio") == 0)
        return print_ratio(numbers);
    if (strcmp(kind, "average") == 0)
        return print_average(numbers, n);
    if (strcmp(kind, "order") == 0)
        return print_order(numbers);
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
    const struct al_command *const commands[] = {&al_compare_command, &al_results_command,
                                                 &al_summarize_command};
    size_t c = 0;
    while (c < 2 && strcmp(argv[1], commands[c]->name) != 0)
        c++;
    return al_command_run(commands[c], argc - 1, argv + 1);
}
