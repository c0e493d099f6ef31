/* SPDX-License-Identifier: MIT */
/*
 * Answers questions about the statistics for test_statistics.py: a line of standard input each, a
 * JSON line for each. As `… summarize …` or `… compare …` it is that subcommand.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/commands/arguments.h"
#include "benchmarks/harness/commands/commands.h"
#include "benchmarks/harness/statistics/ratio.h"
#include "benchmarks/harness/statistics/statistics.h"

/* A line "percentile|bca RESAMPLES LEVEL SEED VALUE…" or "normal P" or "quantile P VALUE…": a JSON
 * line. */
static int answer(void)
{
    char *line = NULL;
    size_t capacity = 0;
    while (getline(&line, &capacity, stdin) > 0) {
        char *rest = NULL, *kind = strtok_r(line, " \n", &rest), *word;
        double numbers[20000];
        size_t n = 0;
        while (n < 20000 && (word = strtok_r(NULL, " \n", &rest)) != NULL)
            numbers[n++] = strtod(word, NULL);
        if (strcmp(kind, "normal") == 0) {
            printf("%.17g\n", al_normal_quantile(numbers[0]));
        } else if (strcmp(kind, "student") == 0) {
            printf("%.17g\n", al_student_quantile(numbers[0], numbers[1]));
        } else if (strcmp(kind, "student-outside") == 0) {
            printf("%.17g\n", al_student_outside(numbers[0], numbers[1]));
        } else if (strcmp(kind, "holm") == 0) {
            if (al_holm(numbers, n) != 0)
                return 1;
            for (size_t i = 0; i < n; i++)
                printf("%s%.17g%s", i == 0 ? "[" : ", ", numbers[i], i + 1 == n ? "]\n" : "");
        } else if (strcmp(kind, "ratio") == 0 || strcmp(kind, "independent") == 0) {
            /* LEVEL N, N values of a, the rest are b's */
            struct al_bootstrap *bootstrap = al_bootstrap_new(10000, numbers[0], 1);
            struct al_ratio r;
            size_t n_a = (size_t)numbers[1];
            const double *a = numbers + 2, *b = a + n_a;
            if (bootstrap == NULL ||
                (kind[0] == 'r' ? al_ratio_paired(bootstrap, a, b, n_a, &r)
                                : al_ratio_independent(bootstrap, a, n_a, b, n - 2 - n_a, &r)) != 0)
                return 1;
            printf("[%.17g, %.17g, %.17g, %.17g, %.17g, %.17g]\n", r.interval.median,
                   r.interval.low, r.interval.high,
                   isnan(r.interval.achieved) ? -1 : r.interval.achieved, isnan(r.p) ? -1 : r.p,
                   r.df);
            al_bootstrap_free(bootstrap);
        } else if (strcmp(kind, "quantile") == 0) {
            printf("%.17g\n", al_quantile(numbers + 1, n - 1, numbers[0]));
        } else {
            int (*bootstrap)(const double *, size_t, size_t, double, uint64_t, double *,
                             struct al_interval *) = strcmp(kind, "bca") == 0
                                                         ? al_bootstrap_median_bca
                                                         : al_bootstrap_median;
            size_t resamples = (size_t)numbers[0];
            double *replicates = calloc(resamples, sizeof *replicates);
            struct al_interval i;
            if (n < 3 || replicates == NULL ||
                bootstrap(numbers + 3, n - 3, resamples, numbers[1], (uint64_t)numbers[2],
                          replicates, &i) != 0) {
                fprintf(stderr, "statistics: refused\n");
                return 2;
            }
            printf("{\"median\":%.17g,\"low\":%.17g,\"high\":%.17g,\"achieved\":%.17g,\"n\":%zu,"
                   "\"degenerate\":%s,\"replicates\":[",
                   i.median, i.low, i.high, i.achieved, i.n, i.degenerate ? "true" : "false");
            for (size_t r = 0; r < resamples; r++)
                printf("%s%.17g", r > 0 ? "," : "", replicates[r]);
            puts("]}");
            free(replicates);
        }
    }
    free(line);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 1)
        return answer();
    bool compare = strcmp(argv[1], "compare") == 0;
    return al_command_run(compare ? &al_compare_command : &al_summarize_command, argc - 1,
                          argv + 1);
}
