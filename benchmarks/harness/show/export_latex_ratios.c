/* SPDX-License-Identifier: MIT */

/* Tables of ratios and verdicts for LaTeX. */

#include "benchmarks/harness/show/export.h"

#include <string.h>

#include "benchmarks/harness/show/latex_table.h"
#include "benchmarks/harness/text/format.h"
#include "core/counted.h"

static const char *const signs[AL_VERDICTS] = {[AL_FASTER] = "\\,$<$",
                                               [AL_SLOWER] = "\\,$>$",
                                               [AL_EQUIVALENT] = "\\,$\\approx$",
                                               [AL_INCONCLUSIVE] = "\\,?",
                                               [AL_NO_VERDICT] = NULL};

static void fill(const struct al_latex_table *table, const struct al_panel *panel,
                 const struct al_point *point, struct al_latex_cell *cell)
{
    (void)panel;
    const struct al_comparisons *comparisons = &table->study->to_baseline;
    for (size_t c = 0; c < comparisons->n; c++) {
        const struct al_comparison *one = &comparisons->all[c];
        const struct al_interval *ratio = &one->judged.interval;
        if (one->base == point->cell)
            strcpy(cell->value, "1");
        if (one->cell != point->cell)
            continue;
        snprintf(cell->value, sizeof cell->value, "%s", al_format_number(ratio->median, 3).text);
        if (al_interval_is_bounded(ratio))
            snprintf(cell->interval, sizeof cell->interval, "[%s, %s]",
                     al_format_number(ratio->low, 3).text, al_format_number(ratio->high, 3).text);
        cell->sign = signs[one->judged.verdict];
        cell->bold = one->judged.verdict == AL_FASTER;
        cell->marks = (al_comparison_is_disturbed(one) ? AL_LATEX_EITHER_DISTURBED : 0) |
                      (one->judged.failed[0] + one->judged.failed[1] > 0 ? AL_LATEX_FAILED : 0) |
                      (al_comparison_has_states(one) ? AL_LATEX_STATES : 0);
        return;
    }
}

static void explain(const struct al_latex_table *table, const struct al_panel *panel, FILE *out)
{
    const struct al_study *study = table->study;
    const struct al_family *family = &study->to_baseline.family;
    fputs("time per message, divided by that of ", out);
    al_latex_text(out, study->first_binary != NULL ? study->first_binary : study->baseline);
    fprintf(out,
            " (lower is better).\nHodges--Lehmann ratios of %s with %.4g\\%% intervals, corrected "
            "for %s\n(Benjamini--Hochberg). Bold and $<$: faster; $>$: slower; $\\approx$: "
            "equivalent, within %g\\%%;\n?: inconclusive.",
            al_panel_processes(panel).text, 100 * family->level,
            al_counted(family->m, "comparison").text, family->by.margin_percent);
}

bool al_has_ratios(const struct al_study *study, const char *benchmark)
{
    for (size_t c = 0; c < study->to_baseline.n; c++) {
        const struct al_cell *cell = study->to_baseline.all[c].cell;
        if (benchmark == NULL ||
            strcmp(benchmark, json_string_value(json_object_get(cell->identity, "benchmark"))) == 0)
            return true;
    }
    return false;
}

void al_export_latex_ratios(const struct al_summary *summary, const struct al_lines *lines,
                            const struct al_study *study, FILE *out)
{
    const struct al_latex_table table = {summary, lines, study, "-ratios", fill, explain};
    fputs("% Made by `actorlab export --format latex --ratios`. Needs \\usepackage{booktabs}.\n",
          out);
    struct al_panel panel = {0};
    while (al_lines_next(lines, &panel)) {
        if (al_has_ratios(study, panel.benchmark))
            al_latex_table(out, &table, &panel);
    }
}
