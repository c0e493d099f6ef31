/* SPDX-License-Identifier: MIT */

/* What `actorlab compare` prints for people. */

#include "benchmarks/harness/show/results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/results/labels.h"
#include "benchmarks/harness/results/origin.h"
#include "benchmarks/harness/results/twins.h"
#include "benchmarks/harness/text/format.h"
#include "benchmarks/harness/text/json.h"
#include "core/counted.h"

enum { BENCHMARK, STRATEGY, WORKERS, BASE, CELL, RATIO, INTERVAL, COUNT, P, VERDICT, COLUMNS };
#define RIGHT                                                                                      \
    (1u << WORKERS | 1u << BASE | 1u << CELL | 1u << RATIO | 1u << INTERVAL | 1u << COUNT | 1u << P)
#define WIDEST 120 /* columns; rows that need more take two lines each */

static char *interval_text(const struct al_interval *i)
{
    return al_interval_is_bounded(i) ? al_text("[%s, %s]", al_format_number(i->low, 4).text,
                                               al_format_number(i->high, 4).text)
                                     : al_text("-");
}

/* Of what is not a time, nobody but the reader knows whether more is better. */
static const char *verdict_name(const struct al_compare *compare, enum al_verdict verdict)
{
    if (compare->newer.of != NULL && verdict == AL_FASTER)
        return "less";
    return compare->newer.of != NULL && verdict == AL_SLOWER ? "more" : al_verdict_names[verdict];
}

/* Green and red are what terminals let people choose for good and bad; the word says it too. */
static char *verdict_text(const struct al_compare *compare, const struct al_comparison *comparison,
                          bool color)
{
    static const char *const colors[AL_VERDICTS] = {
        [AL_FASTER] = "\033[32m", [AL_SLOWER] = "\033[31m", [AL_INCONCLUSIVE] = "\033[2m"};
    enum al_verdict verdict = comparison->judged.verdict;
    const char *on = color && compare->newer.of == NULL ? colors[verdict] : NULL,
               *name = verdict_name(compare, verdict);
    const char *mark = compare->gate && al_compare_is_regression(compare, comparison) ? " !" : "";
    size_t more = comparison->judged.more;
    char *further = verdict == AL_INCONCLUSIVE && more < SIZE_MAX ? al_text(" +%zu", more)
                                                                  : al_text("%s", "");
    const char *noisy = verdict < AL_INCONCLUSIVE && al_comparison_is_disturbed(comparison)
                            ? " (disturbed)"
                            : "";
    char *failed = al_comparison_failed_text(comparison);
    char *text = al_text("%s%s%s%s%s%s%s%s", on != NULL ? on : "", name != NULL ? name : "-", mark,
                         on != NULL ? "\033[0m" : "", noisy, failed != NULL ? ", " : "",
                         failed != NULL ? failed : "", further);
    free(failed);
    free(further);
    return text;
}

static char *count_text(const struct al_comparison *comparison)
{
    const size_t *n = comparison->ratio.n;
    return comparison->ratio.paired ? al_text("%s", al_counted(n[0], "pair").text)
           : comparison->by_session ? al_text("%zu, %s", n[1], al_counted(n[0], "session").text)
                                    : al_text("%zu, %zu", n[1], n[0]);
}

static void fill_identity(char **row, const struct al_names *names, const struct al_cell *cell,
                          struct al_marks marks)
{
    row[STRATEGY] = al_names_of(names, cell);
    char *workers = al_shown_text(json_object_get(cell->identity, "workers"));
    row[WORKERS] = al_text("%s%s", workers, al_marks_text(marks));
    free(workers);
}

static struct al_marks marks_of(const struct al_comparison *comparison)
{
    struct al_marks marks = al_marks_of(comparison->cell);
    al_marks_add(&marks, comparison->base);
    return marks;
}

static void add_row(struct al_table *table, const struct al_compare *compare,
                    const struct al_names *names, const struct al_comparison *comparison,
                    bool color)
{
    char *row[COLUMNS] = {NULL};
    const struct al_judgement *judged = &comparison->judged;
    double p = judged->p_bh;
    row[BENCHMARK] = al_shown_text(json_object_get(comparison->cell->identity, "benchmark"));
    fill_identity(row, names, comparison->cell, marks_of(comparison));
    row[BASE] = al_text("%s", al_format_number(al_cells_median(comparison->base), 4).text);
    row[CELL] = al_text("%s", al_format_number(al_cells_median(comparison->cell), 4).text);
    row[RATIO] = al_comparison_has_states(comparison)
                     ? al_text("(quiet: %s) %s",
                               al_format_number(comparison->quiet.estimate, 4).text,
                               al_format_number(comparison->ratio.estimate, 4).text)
                     : al_text("%s", al_format_number(comparison->ratio.estimate, 4).text);
    row[INTERVAL] = interval_text(&judged->interval);
    row[COUNT] = count_text(comparison);
    row[P] = isnan(p) ? al_text("-") : p < 0.0001 ? al_text("<0.0001") : al_text("%.4f", p);
    row[VERDICT] = verdict_text(compare, comparison, color);
    al_table_add(table, row);
}

static void add_average(struct al_table *table, const struct al_comparisons *comparisons,
                        const struct al_names *names, const struct al_average *average)
{
    char *row[COLUMNS] = {NULL};
    row[BENCHMARK] = al_text("mean of %zu", average->n);
    const struct al_comparison *first = &comparisons->all[average->first];
    fill_identity(row, names, first->cell, marks_of(first));
    row[RATIO] = al_text("%s", al_format_number(average->interval.median, 4).text);
    row[INTERVAL] = interval_text(&average->interval);
    al_table_add(table, row);
}

/* Rows that are too wide have a line for what they are of, and one for the figures. */
static void print_aligned(struct al_table *table, FILE *out)
{
    size_t total = 0;
    for (int c = 0; c < COLUMNS; c++)
        total += table->widths[c] + (c > 0 ? 2 : 0);
    if (total > WIDEST)
        table->widths[BENCHMARK] = table->widths[STRATEGY] = 0;
    for (size_t r = 0; r < table->rows; r++) {
        char *const *row = &table->cells[r * COLUMNS];
        if (total > WIDEST)
            fprintf(out, "%s  %s\n  ", row[BENCHMARK], row[STRATEGY]);
        al_table_row(table, r, out);
    }
    al_table_release(table);
}

static void print_rows(const struct al_compare *compare, const struct al_names *names, FILE *out,
                       bool color)
{
    const struct al_comparisons *comparisons = &compare->comparisons;
    struct al_table table = {.columns = COLUMNS, .right = RIGHT};
    const char *of = compare->newer.of;
    char *level = al_text("%.4g%% interval", 100 * comparisons->family.level);
    al_table_add_copies(&table, (const char *[]){"benchmark", al_names_head(names), "workers",
                                                 of != NULL ? "old" : "old ns",
                                                 of != NULL ? "new" : "new ns", "new/old", level,
                                                 "n", "p", "verdict"});
    free(level);
    struct al_marks marks = {0};
    for (size_t c = 0; c < comparisons->n; c++) {
        al_marks_join(&marks, marks_of(&comparisons->all[c]));
        add_row(&table, compare, names, &comparisons->all[c], color);
    }
    for (size_t a = 0; a < compare->averages.n; a++) {
        if (compare->averages.all[a].n > 1)
            add_average(&table, comparisons, names, &compare->averages.all[a]);
    }
    print_aligned(&table, out);
    al_marks_print(marks, out);
}

static char *list_text(const json_t *list)
{
    struct al_growing all;
    FILE *out = al_growing_open(&all);
    for (size_t i = 0; i < json_array_size(list); i++) {
        char *text = al_shown_text(json_array_get(list, i));
        fprintf(out, "%s%s", i > 0 ? ", " : "", text);
        free(text);
    }
    if (json_array_size(list) == 0)
        fputs("not known", out);
    return al_growing_close(&all);
}

static void print_environment(const struct al_compare *compare, FILE *out)
{
    json_t *differ = al_compare_environment(compare);
    for (size_t i = 0; i < json_array_size(differ); i++) {
        const json_t *row = json_array_get(differ, i);
        char *old = list_text(json_object_get(row, "old")),
             *new = list_text(json_object_get(row, "new"));
        fprintf(out, "%s: %s -> %s\n", json_string_value(json_object_get(row, "key")), old, new);
        free(old);
        free(new);
    }
    if (json_array_size(differ) == 0 && compare->n_against == 0)
        fputs("The environments do not differ.\n", out);
    json_decref(differ);
}

static void print_alone(const struct al_compare *compare, const struct al_names *names, FILE *out)
{
    struct al_names older;
    al_names_make(&compare->older, NULL, &older);
    for (size_t a = 0; a < compare->comparisons.n_alone; a++) {
        const struct al_alone *alone = &compare->comparisons.alone[a];
        char *row[COLUMNS];
        bool is_old = alone->is_base && compare->n_against == 0;
        fill_identity(row, is_old ? &older : names, alone->cell, al_marks_of(alone->cell));
        char *benchmark = al_shown_text(json_object_get(alone->cell->identity, "benchmark"));
        fprintf(out, "left out: %s, %s, workers %s: %s\n", benchmark, row[STRATEGY], row[WORKERS],
                alone->why);
        free(row[STRATEGY]);
        free(row[WORKERS]);
        free(benchmark);
    }
    al_names_release(&older);
}

/* Whether equal cells looked equal in each file, and what disturbed its trials. */
static void print_soundness(const struct al_compare *compare, FILE *out)
{
    const struct al_summary *files[] = {&compare->older, &compare->newer};
    for (int f = compare->n_against > 0; f < 2; f++) {
        struct al_twins twins;
        al_twins_make(files[f], &twins);
        char *lines[] = {al_twins_text(&twins), al_disturbance_text(&files[f]->disturbance)};
        for (int i = 0; i < 2; i++) {
            if (lines[i] != NULL)
                fprintf(out, "%s%s.\n",
                        compare->n_against > 0 ? ""
                        : f == 0               ? "old: "
                                               : "new: ",
                        lines[i]);
            free(lines[i]);
        }
    }
    if (al_comparisons_disturbed(&compare->comparisons) > 0)
        fputs("(disturbed): more than half of the trials of either cell were disturbed.\n", out);
}

/* How the numbers above came about. */
static void print_method(const struct al_compare *compare, FILE *out)
{
    const struct al_comparisons *comparisons = &compare->comparisons;
    bool states = false;
    for (size_t c = 0; c < comparisons->n; c++)
        states |= al_comparison_has_states(&comparisons->all[c]);
    fputs("Ratios: Hodges-Lehmann, the middle of the means of two blocks' ratios; of two files, of "
          "medians of\nsessions. That of the medians beside them may be another.\n",
          out);
    if (states)
        fprintf(
            out,
            "(quiet: ...): the ratio of the quiet blocks alone, where its %.4g%% interval does not "
            "hold that of all.\n",
            100 * comparisons->family.equivalence);
    fprintf(out,
            "p: exact rank tests, corrected for %s (Benjamini-Hochberg). Margin of "
            "equivalence: %s%%.\n",
            al_counted(comparisons->family.m, "comparison").text,
            al_format_number(comparisons->rules.margin_percent, 2).text);
    if (compare->newer.simulated)
        fprintf(out, "Simulated trials pair by seed, and their intervals are those%s.\n",
                AL_OF_JITTER);
    if (comparisons->rules.share < 1)
        fprintf(out, "This look spends %s%% of the chance of error.\n",
                al_format_number(100 * comparisons->rules.share, 2).text);
}

void al_compare_table(const struct al_compare *compare, FILE *out, bool color)
{
    const struct al_comparisons *comparisons = &compare->comparisons;
    json_t *order = al_needed(json_object());
    for (size_t a = 0; a < compare->n_against; a++)
        al_json_set(order, compare->against[a].key, json_true());
    /* Fails only without a sweep, or without axes. */
    (void)json_object_update_missing(order, json_object_get(compare->sweep, "axes"));
    struct al_names names;
    al_names_make(&compare->newer, order, &names);
    json_decref(order);
    size_t verdicts[AL_VERDICTS] = {0};
    for (size_t c = 0; c < comparisons->n; c++)
        verdicts[comparisons->all[c].judged.verdict]++;
    print_environment(compare, out);
    if (compare->newer.of != NULL)
        fprintf(out, "%s\n", compare->newer.of);
    if (compare->n_against > 0)
        fputs("new: each cell; old: the one with", out);
    for (size_t a = 0; a < compare->n_against; a++) {
        char *key = al_printable(compare->against[a].key);
        char *value = al_printable(compare->against[a].value);
        fprintf(out, " %s=%s%s", key, value, a + 1 == compare->n_against ? "\n" : "");
        free(key);
        free(value);
    }
    print_rows(compare, &names, out, color);
    print_method(compare, out);
    al_sources_print(&compare->newer, WIDEST, out);
    for (int v = 0; v <= AL_INCONCLUSIVE; v++)
        fprintf(out, "%zu %s%s", verdicts[v], verdict_name(compare, v),
                v < AL_INCONCLUSIVE ? ", " : "\n");
    if (verdicts[AL_INCONCLUSIVE] > 0)
        fprintf(out,
                "inconclusive +8: 8 more %s would decide it; without a number: not with this "
                "design.\n",
                compare->n_against > 0 ? "blocks" : "blocks or sessions, as n counts,");
    if (verdicts[AL_NO_VERDICT] > 0)
        fprintf(
            out,
            "%zu without a verdict: sessions drift apart, so it takes %d of each file, or both\n"
            "builds in one sweep (scripts/compare-builds).\n",
            verdicts[AL_NO_VERDICT], AL_SESSIONS_LEAST);
    print_soundness(compare, out);
    print_alone(compare, &names, out);
    if (compare->gate)
        fprintf(out,
                "%s: slower by more than %s%%, surely also among so many (Holm), or "
                "failing more often\n",
                al_counted(compare->regressions, "regression").text,
                al_format_number(compare->gate_percent, 2).text);
    al_names_release(&names);
}
