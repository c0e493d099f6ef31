/* SPDX-License-Identifier: MIT */

/* Tables of medians for LaTeX. */

#include "benchmarks/harness/show/export.h"

#include <math.h>

#include "benchmarks/harness/show/latex_table.h"

/*
 * Whether its interval lies on the better side of every other one at as many workers: of what has
 * no verdicts. Nothing is better than nothing.
 */
static bool lies_apart(const struct al_panel *panel, const struct al_point *point,
                       bool more_is_better)
{
    size_t others = 0;
    for (size_t p = 0; p < panel->n; p++) {
        const struct al_point *other = &panel->points[p];
        if (other == point || other->workers != point->workers)
            continue;
        others++;
        if (other->value.n < 2 || (more_is_better ? other->value.high >= point->value.low
                                                  : other->value.low <= point->value.high))
            return false;
    }
    return others > 0 && point->value.n > 1;
}

/* Three significant digits of the smallest median, and as many decimals for all others. */
static int decimals_of(const struct al_panel *panel)
{
    if (!(panel->least > 0) || isinf(panel->least))
        return 0;
    int decimals = 2 - (int)floor(log10(panel->least));
    return decimals < 0 ? 0 : decimals > 6 ? 6 : decimals;
}

static void fill(const struct al_latex_table *table, const struct al_panel *panel,
                 const struct al_point *point, struct al_latex_cell *cell)
{
    enum measure measure = table->lines->measure;
    const struct al_interval *value = &point->value;
    int decimals = decimals_of(panel);
    snprintf(cell->value, sizeof cell->value, "%.*f", decimals, value->median / panel->divisor);
    if (value->n > 1)
        snprintf(cell->interval, sizeof cell->interval, "[%.*f, %.*f]", decimals,
                 value->low / panel->divisor, decimals, value->high / panel->divisor);
    cell->bold = measure == PEAK ? lies_apart(panel, point, al_measures[measure].more_is_better)
                                 : al_study_wins(table->study, point->cell);
    cell->marks = al_cell_is_disturbed(point->cell) ? AL_LATEX_DISTURBED : 0;
}

static void explain(const struct al_latex_table *table, const struct al_panel *panel, FILE *out)
{
    const struct al_summary *summary = table->summary;
    double least = 1, most = 0;
    for (size_t p = 0; p < panel->n; p++) {
        least = fmin(least, panel->points[p].value.achieved);
        most = fmax(most, panel->points[p].value.achieved);
    }
    al_latex_text(out, panel->label);
    fprintf(out, " (%s is better).\n",
            al_measures[table->lines->measure].more_is_better ? "higher" : "lower");
    struct al_text processes = al_panel_processes(panel);
    fprintf(out, "Medians of %s", processes.text);
    if (most > 0) {
        fprintf(out, " with %g\\%% %s intervals (covering %.1f", 100 * summary->level,
                summary->kind == AL_ORDER ? "order-statistic" : "bootstrap", 100 * least);
        if (fabs(most - least) >= 0.0005)
            fprintf(out, " to %.1f", 100 * most);
        fputs(table->lines->measure == PEAK
                  ? "\\%).\nBold: its interval lies apart from all others of its column"
                  : "\\%).\nBold: faster than all others that do the same work with as many "
                    "workers, by "
                    "ratios\nblock by block, corrected for all pairs",
              out);
    }
    putc('.', out);
}

void al_export_latex(const struct al_summary *summary, const struct al_lines *lines,
                     const struct al_study *study, FILE *out)
{
    const struct al_latex_table table = {summary, lines, study, "", fill, explain};
    fputs("% Made by `actorlab export --format latex`. Needs \\usepackage{booktabs}.\n", out);
    struct al_panel panel = {0};
    while (al_lines_next(lines, &panel))
        al_latex_table(out, &table, &panel);
}
