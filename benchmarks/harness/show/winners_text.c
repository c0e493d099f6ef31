/* SPDX-License-Identifier: MIT */

/* The first lines of `actorlab results`: the answer in a sentence, and who wins where. */

#include "benchmarks/harness/show/winners_text.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "benchmarks/harness/results/headline.h"
#include "benchmarks/harness/results/labels.h"
#include "benchmarks/harness/show/results.h"
#include "benchmarks/harness/text/format.h"

#define COLUMNS 100
#define NAMED   3 /* of several fastest that are named */
#define INDENT  4 /* of the counters, below the row */

enum { WORKLOAD, WORKERS, FASTEST, TIMES, NEXT, WINNER_COLUMNS };

/* "custody", or of several that are not told apart "custody ~ deque ~ las ~ 2 more". */
static char *names_of(const struct al_machine *machine, size_t group)
{
    json_t *names = al_standing_names(&machine->study, &machine->standings, group), *name;
    char *text = NULL;
    size_t length, i;
    FILE *out = al_needed(open_memstream(&text, &length));
    json_array_foreach(names, i, name)
    {
        char *shown = al_printable(json_string_value(name));
        if (i < NAMED)
            fprintf(out, "%s%s", i > 0 ? " ~ " : "", shown);
        free(shown);
    }
    if (json_array_size(names) > NAMED)
        fprintf(out, " ~ %zu more", json_array_size(names) - NAMED);
    if (fclose(out) != 0)
        al_no_memory();
    json_decref(names);
    return text;
}

/* "1.66 [1.50, 1.73]": how many times as fast as the next. */
static char *times_of(const struct al_standing *standing)
{
    if (standing->comparison == NULL)
        return al_text("%s", "");
    const struct al_interval *ratio = &standing->comparison->judged.interval;
    const char *median = al_format_number(ratio->median, 3).text;
    return isfinite(ratio->high)
               ? al_text("%s [%s, %s]", median, al_format_number(ratio->low, 3).text,
                         al_format_number(ratio->high, 3).text)
               : al_text("%s", median);
}

static char *next_of(const struct al_study *study, const struct al_standing *standing)
{
    if (standing->comparison == NULL)
        return al_text("%s", "");
    char *name = al_printable(study->strategies.labels[study->strategies.of[standing->next]]);
    char *text = al_text("%s%s", name,
                         al_comparison_is_disturbed(standing->comparison) ? " (disturbed)" : "");
    free(name);
    return text;
}

static void fill_row(const struct al_machine *machine, size_t group, char **row)
{
    const struct al_study *study = &machine->study;
    const struct al_standing *standing = &machine->standings.all[group];
    const struct al_cell *first = study->cells[standing->first];
    char *workload = al_workload_text(&study->keys, first->identity);
    row[WORKLOAD] = al_printable(workload);
    row[WORKERS] = al_text("%" JSON_INTEGER_FORMAT,
                           json_integer_value(json_object_get(first->identity, "workers")));
    row[FASTEST] = names_of(machine, group);
    row[TIMES] = times_of(standing);
    row[NEXT] = next_of(study, standing);
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

void al_winners_print(const struct al_machine *machine, FILE *out)
{
    const struct al_standings *standings = &machine->standings;
    static const char *const titles[WINNER_COLUMNS] = {"workload", "workers", "fastest",
                                                       "times as fast", "as"};
    size_t widths[WINNER_COLUMNS], *groups = al_needed(calloc(standings->n + 1, sizeof *groups)),
                                   n = 1;
    char **cells = al_needed(calloc((standings->n + 1) * WINNER_COLUMNS, sizeof *cells));
    char *headline = al_headline(machine);
    char *warning = al_disturbance_warning(&machine->tally.disturbance);
    al_wrap(headline, 0, 0, COLUMNS, out);
    if (warning != NULL)
        al_wrap(warning, 0, 0, COLUMNS, out);
    free(warning);
    free(headline);
    for (size_t c = 0; c < WINNER_COLUMNS; c++)
        cells[c] = al_text("%s", titles[c]);
    for (size_t g = 0; g < standings->n; g++) {
        if (standings->all[g].lead == AL_ALONE)
            continue;
        groups[n] = g;
        fill_row(machine, g, &cells[WINNER_COLUMNS * n++]);
    }
    al_table_widths(cells, n, WINNER_COLUMNS, widths);
    for (size_t r = 0; n > 1 && r < n; r++) {
        al_table_row(out, &cells[r * WINNER_COLUMNS], WINNER_COLUMNS, widths, 1U << WORKERS);
        if (r > 0)
            print_counters(machine, groups[r], out);
    }
    for (size_t i = 0; i < n * WINNER_COLUMNS; i++)
        free(cells[i]);
    free(cells);
    free(groups);
}
