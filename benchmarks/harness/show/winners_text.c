/* SPDX-License-Identifier: MIT */

/* The first lines of `actorlab results`: the answer in a sentence, and who wins where. */

#include "benchmarks/harness/show/results.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/results/headline.h"
#include "benchmarks/harness/results/labels.h"
#include "benchmarks/harness/text/format.h"

#define QUIET   "(quiet: "
#define COLUMNS 100
#define NAMED   2 /* of several fastest that are named */
#define INDENT  4 /* of the counters, below the row */

enum { KIND, WORKLOAD, WORKERS, FASTEST, VICTIM, IDLE, TIME_NS, TIMES, NEXT, WINNER_COLUMNS };

char *al_winner_names(const struct al_machine *machine, size_t group)
{
    json_t *names = al_standing_names(&machine->study, &machine->standings, group), *name;
    struct al_growing text;
    size_t i;
    FILE *out = al_growing_open(&text);
    json_array_foreach(names, i, name)
    {
        char *shown = al_printable(json_string_value(name));
        if (i < NAMED)
            fprintf(out, "%s%s", i > 0 ? " ~ " : "", shown);
        free(shown);
    }
    if (json_array_size(names) > NAMED)
        fprintf(out, " ~ %zu more", json_array_size(names) - NAMED);
    json_decref(names);
    return al_growing_close(&text);
}

char *al_winner_times(const struct al_standing *standing)
{
    if (standing->comparison == NULL)
        return NULL;
    const struct al_comparison *next = standing->comparison;
    const struct al_interval *ratio = &next->judged.interval;
    struct al_growing text;
    FILE *out = al_growing_open(&text);
    if (al_comparison_has_states(next))
        fprintf(out, QUIET "%s) ", al_format_number(next->quiet.estimate, 3).text);
    fputs(al_format_number(ratio->median, 3).text, out);
    if (al_interval_is_bounded(ratio))
        fprintf(out, " [%s, %s]", al_format_number(ratio->low, 3).text,
                al_format_number(ratio->high, 3).text);
    return al_growing_close(&text);
}

char *al_winner_plugin(const struct al_machine *machine, size_t place, const char *kind)
{
    return al_shown_text(json_object_get(machine->study.cells[place]->identity, kind));
}

char *al_winner_next(const struct al_study *study, const struct al_standing *standing)
{
    if (standing->comparison == NULL)
        return NULL;
    char *name = al_printable(study->strategies.labels[study->strategies.of[standing->next]]);
    char *failed = al_comparison_failed_text(standing->comparison);
    char *text = al_text(
        "%s%s%s%s%s", name, al_comparison_is_disturbed(standing->comparison) ? " (disturbed)" : "",
        failed != NULL ? " (" : "", failed != NULL ? failed : "", failed != NULL ? ")" : "");
    free(failed);
    free(name);
    return text;
}

static struct al_marks marks_of(const struct al_study *study, size_t group)
{
    struct al_marks marks = {0};
    for (size_t m = study->groups[group]; m < study->groups[group + 1]; m++)
        al_marks_add(&marks, study->cells[study->members[m]]);
    return marks;
}

/* advice: NULL without the columns of advice. */
static void add_row(struct al_table *table, const struct al_machine *machine, size_t group,
                    const struct al_advice *advice)
{
    char *row[WINNER_COLUMNS] = {NULL};
    const struct al_study *study = &machine->study;
    const struct al_standing *standing = &machine->standings.all[group];
    const struct al_cell *first = study->cells[standing->first];
    char *workload = al_workload_text(&study->keys, first->identity);
    if (advice != NULL) {
        row[KIND] = al_text("%s", advice->kinds[group]);
        row[VICTIM] = al_winner_plugin(machine, standing->first, "victim");
        row[IDLE] = al_winner_plugin(machine, standing->first, "idle");
    } else {
        row[TIME_NS] = al_text("%s",
                               al_format_number(first->intervals[PER_MESSAGE].median, 3).text);
    }
    row[WORKLOAD] = al_printable(workload);
    row[WORKERS] = al_text("%" JSON_INTEGER_FORMAT "%s",
                           json_integer_value(json_object_get(first->identity, "workers")),
                           al_marks_text(marks_of(study, group)));
    row[FASTEST] = al_winner_names(machine, group);
    row[TIMES] = al_winner_times(standing);
    row[NEXT] = al_winner_next(study, standing);
    al_table_add(table, row);
    free(workload);
}

static void print_counters(const struct al_machine *machine, size_t group, FILE *out)
{
    char *reasons = al_standing_reasons(&machine->study, &machine->standings.all[group], 1);
    if (reasons == NULL)
        return;
    char *shown = al_printable(reasons);
    fprintf(out, "%*s", INDENT, "");
    al_wrap(shown, INDENT, INDENT, COLUMNS, out);
    free(shown);
    free(reasons);
}

/* All groups; with advice those of several contestants, by kind in the order in which the kinds
 * come. Returns how many. */
static size_t order_groups(const struct al_machine *machine, const struct al_advice *advice,
                           size_t *groups)
{
    const struct al_standings *standings = &machine->standings;
    bool *taken = al_needed(calloc(standings->n + 1, sizeof *taken));
    size_t n = 0;
    for (size_t g = 0; g < standings->n; g++) {
        for (size_t k = g; k < (advice != NULL ? standings->n : g + 1); k++) {
            bool alike = k == g || strcmp(advice->kinds[k], advice->kinds[g]) == 0;
            bool alone = advice != NULL && standings->all[k].lead == AL_ALONE;
            if (taken[k] || alone || !alike)
                continue;
            taken[k] = true;
            groups[n++] = k;
        }
    }
    free(taken);
    return n;
}

void al_winners_table(const struct al_machine *machine, const struct al_advice *advice, FILE *out)
{
    const struct al_standings *standings = &machine->standings;
    bool plugins = advice != NULL, states = false;
    struct al_marks marks = {0};
    const char *const titles[WINNER_COLUMNS] = {[WORKLOAD] = "workload",
                                                [WORKERS] = "workers",
                                                [FASTEST] = "fastest",
                                                [TIME_NS] = plugins ? NULL : "ns/message",
                                                [NEXT] = "as",
                                                [TIMES] = "times as fast",
                                                [VICTIM] = plugins ? "victim" : NULL,
                                                [IDLE] = plugins ? "idle" : NULL};
    struct al_table table = {.columns = WINNER_COLUMNS, .right = 1U << WORKERS | 1U << TIME_NS};
    size_t *groups = al_needed(calloc(standings->n + 1, sizeof *groups));
    size_t n = order_groups(machine, advice, groups);
    al_table_add_copies(&table, titles);
    for (size_t r = 0; r < n; r++)
        add_row(&table, machine, groups[r], advice);
    for (size_t r = 0; n > 0 && r <= n; r++) {
        al_table_row(&table, r, out);
        if (r > 0)
            al_marks_join(&marks, marks_of(&machine->study, groups[r - 1]));
        if (r > 0 && !plugins)
            print_counters(machine, groups[r - 1], out);
        states |= strncmp(table.cells[r * WINNER_COLUMNS + TIMES], QUIET, strlen(QUIET)) == 0;
    }
    al_marks_print(marks, out);
    if (states)
        fputs(QUIET "...): the ratio of the quiet blocks alone, where it is another.\n", out);
    al_table_release(&table);
    free(groups);
}

void al_winners_print(const struct al_machine *machine, FILE *out)
{
    char *headline = al_headline(machine);
    char *warning = al_disturbance_warning(&machine->tally.disturbance);
    al_wrap(headline, 0, 0, COLUMNS, out);
    if (warning != NULL)
        al_wrap(warning, 0, 0, COLUMNS, out);
    free(warning);
    free(headline);
    al_winners_table(machine, NULL, out);
}
