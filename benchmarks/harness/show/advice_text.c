/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/show/results.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "benchmarks/harness/results/labels.h"
#include "benchmarks/harness/text/format.h"
#include "core/counted.h"

#define COLUMNS 100
#define NO_PROFILE                                                                                 \
    "No record has a profile: `actorlab run --profile` and sweeps with profile = true measure "    \
    "them."

static char *number(double value)
{
    return al_text("%s", al_format_number(value, 3).text);
}

static char *workload_of(const struct al_advice *advice, size_t group)
{
    char *text = al_workload_text(&advice->machine->study.keys,
                                  al_advice_cell(advice, group)->identity);
    char *shown = al_printable(text);
    free(text);
    return shown;
}

static char *strategy_name(const struct al_advice *advice, size_t strategy)
{
    return al_printable(advice->machine->study.strategies.labels[strategy]);
}

/* The paragraph, which is freed. */
static void say(char *text, FILE *out)
{
    al_wrap(text, 0, 0, COLUMNS, out);
    free(text);
}

static int by_size(const void *left, const void *right)
{
    const uint32_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

size_t al_advice_worker_counts(const struct al_advice *advice, uint32_t **counts)
{
    size_t n_groups = advice->machine->study.n_groups, n = 0;
    *counts = al_needed(calloc(n_groups + 1, sizeof **counts));
    for (size_t g = 0; g < n_groups; g++)
        (*counts)[g] = al_advice_workers(advice, g);
    qsort(*counts, n_groups, sizeof **counts, by_size);
    for (size_t g = 0; g < n_groups; g++) {
        if (n == 0 || (*counts)[n - 1] != (*counts)[g])
            (*counts)[n++] = (*counts)[g];
    }
    return n;
}

static void print_similar(const struct al_advice *advice, const struct al_similar *similar,
                          size_t n, size_t chosen, FILE *out)
{
    const struct al_machine *machine = advice->machine;
    struct al_table table = {.columns = 6, .right = 1U << 1 | 1U << 5};
    char *name = strategy_name(advice, chosen);
    al_table_add(&table, (char *[]){al_text("similar workload"), al_text("differs by"),
                                    al_text("fastest there"), al_text("times as fast"),
                                    al_text("as"), al_text("%s takes", name)});
    free(name);
    for (size_t i = 0; i < n; i++) {
        size_t group = similar[i].group, place = al_advice_place(advice, group, chosen);
        const struct al_standing *standing = &machine->standings.all[group];
        al_table_add(&table, (char *[]){workload_of(advice, group), number(similar[i].apart),
                                        al_winner_names(machine, group), al_winner_times(standing),
                                        al_winner_next(&machine->study, standing),
                                        number(advice->loss[place])});
    }
    al_table_print(&table, "", out);
}

/* The strategy that is best without a look at the profile. */
static void print_fixed(const struct al_advice *advice, uint32_t workers, FILE *out)
{
    struct al_similar *all = al_needed(calloc(advice->machine->study.n_groups + 1, sizeof *all));
    double loss;
    size_t n = al_advice_all(advice, workers, NULL, all);
    size_t fixed = al_advice_choose(advice, all, n, SIZE_MAX, &loss);
    if (fixed != AL_NO_PART) {
        char *name = strategy_name(advice, fixed);
        say(al_text("Whatever the workload: %s takes %s times the time of the fastest, on average "
                    "over all %s with %s.",
                    name, al_format_number(loss, 3).text, al_counted(n, "workload").text,
                    al_counted(workers, "worker").text),
            out);
        free(name);
    }
    free(all);
}

static void print_chosen(const struct al_advice *advice, const struct al_similar *similar, size_t n,
                         const char *with, FILE *out)
{
    double loss;
    size_t chosen = al_advice_choose(advice, similar, n, SIZE_MAX, &loss);
    while (chosen == AL_NO_PART) /* none was measured in all of them */
        chosen = al_advice_choose(advice, similar, --n, SIZE_MAX, &loss);
    size_t place = al_advice_place(advice, similar[0].group, chosen);
    char *name = strategy_name(advice, chosen),
         *victim = al_winner_plugin(advice->machine, place, "victim"),
         *idle = al_winner_plugin(advice->machine, place, "idle");
    say(al_text("%s: %s (victim %s, idle %s) takes %s times the time of the fastest, %s.", with,
                name, victim, idle, al_format_number(loss, 3).text,
                n == 1 ? "on the only similar workload"
                       : "on average over the most similar workloads"),
        out);
    print_similar(advice, similar, n, chosen, out);
    print_fixed(advice, al_advice_workers(advice, similar[0].group), out);
    free(name);
    free(victim);
    free(idle);
}

void al_advice_print(const struct al_advice *advice, const struct al_profile_values *profile,
                     uint32_t workers, FILE *out)
{
    struct al_similar similar[AL_ADVICE_NEAREST];
    size_t n = al_advice_similar(advice, profile, workers, NULL, similar);
    struct al_counted with = al_counted(workers, "worker");
    if (n > 0) {
        print_chosen(advice, similar, n, with.text, out);
        return;
    }
    if (similar[0].group == SIZE_MAX) {
        say(al_text("%s: no similar data. " NO_PROFILE, with.text), out);
        return;
    }
    char *nearest = workload_of(advice, similar[0].group);
    uint32_t its = al_advice_workers(advice, similar[0].group);
    say(al_text("%s: no similar data: the nearest workload, %s with %s, differs by a factor of %s "
                "on average; up to %d counts as similar.",
                with.text, nearest, al_counted(its, "worker").text,
                al_format_number(similar[0].apart, 3).text, AL_ADVICE_APART),
        out);
    print_fixed(advice, its, out);
    free(nearest);
}

/* How choices do, over the workloads that were left out one after the other. */
struct score {
    size_t n;
    double advice, fixed, worst; /* sums of logarithms, and the largest factor of the advice */
};

static void evaluate_group(const struct al_advice *advice, size_t group, struct score *score,
                           struct al_table *table)
{
    struct al_similar similar[AL_ADVICE_NEAREST],
        *others = al_needed(calloc(advice->machine->study.n_groups + 1, sizeof *others));
    const char *workload = al_advice_workload(advice, group);
    uint32_t workers = al_advice_workers(advice, group);
    double unused;
    size_t n = al_advice_similar(advice, &advice->profiles[group], workers, workload, similar);
    size_t chosen = al_advice_choose(advice, similar, n, group, &unused);
    while (chosen == AL_NO_PART && n > 0)
        chosen = al_advice_choose(advice, similar, --n, group, &unused);
    size_t n_others = al_advice_all(advice, workers, workload, others);
    size_t fixed = al_advice_choose(advice, others, n_others, group, &unused);
    char *row[7] = {workload_of(advice, group), al_text("%" PRIu32, workers)};
    if (chosen == AL_NO_PART || fixed == AL_NO_PART) {
        row[3] = al_text("no similar data");
    } else {
        double of_advice = advice->loss[al_advice_place(advice, group, chosen)];
        double of_fixed = advice->loss[al_advice_place(advice, group, fixed)];
        char *nearest = workload_of(advice, similar[0].group);
        row[2] = al_text("%s (%s)", nearest, al_format_number(similar[0].apart, 2).text);
        row[3] = strategy_name(advice, chosen);
        row[4] = number(of_advice);
        row[5] = strategy_name(advice, fixed);
        row[6] = number(of_fixed);
        free(nearest);
        score->n++;
        score->advice += log(of_advice);
        score->fixed += log(of_fixed);
        score->worst = fmax(score->worst, of_advice);
    }
    al_table_add(table, row);
    free(others);
}

/* False if no workload with so many workers has a profile. */
static bool evaluate_workers(const struct al_advice *advice, uint32_t workers, FILE *out)
{
    struct al_table table = {.columns = 7, .right = 1U << 1 | 1U << 4 | 1U << 6};
    struct score score = {.worst = 1};
    size_t n_groups = advice->machine->study.n_groups, groups = 0;
    for (size_t g = 0; g < n_groups; g++)
        groups += advice->profiled[g] && al_advice_workers(advice, g) == workers;
    if (groups == 0)
        return false;
    al_table_add_copies(&table, (const char *[]){"left out", "workers", "nearest", "advice",
                                                 "takes", "fixed", "takes"});
    for (size_t g = 0; g < n_groups; g++) {
        if (advice->profiled[g] && al_advice_workers(advice, g) == workers)
            evaluate_group(advice, g, &score, &table);
    }
    al_table_print(&table, "", out);
    double n = (double)score.n;
    if (score.n > 0)
        say(al_text("%s: the advice takes %s times the time of the fastest, at most %s; the "
                    "strategy that is best for the other workloads takes %s (geometric means of "
                    "%zu; %zu without similar data).\n",
                    al_counted(workers, "worker").text,
                    al_format_number(exp(score.advice / n), 3).text,
                    al_format_number(score.worst, 3).text,
                    al_format_number(exp(score.fixed / n), 3).text, score.n, groups - score.n),
            out);
    else
        say(al_text("%s: none of the workloads is similar to another.\n",
                    al_counted(workers, "worker").text),
            out);
    return true;
}

void al_advice_evaluate(const struct al_advice *advice, FILE *out)
{
    uint32_t *counts;
    size_t n = al_advice_worker_counts(advice, &counts), evaluated = 0;
    for (size_t i = 0; i < n; i++)
        evaluated += evaluate_workers(advice, counts[i], out);
    if (evaluated == 0)
        fputs(NO_PROFILE "\n", out);
    free(counts);
}
