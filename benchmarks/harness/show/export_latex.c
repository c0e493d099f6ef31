/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/show/export.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/results/labels.h"
#include "benchmarks/harness/results/origin.h"
#include "benchmarks/harness/text/format.h"
#include "core/counted.h"

/*
 * Text as it is, whatever LaTeX makes of its characters. A bracket or star would be taken for an
 * argument of \\, and two hyphens for a dash; older LaTeX does not know the letter of our µs.
 */
static void put_text(FILE *out, const char *text)
{
    static const struct {
        const char *from, *to;
    } special[] = {
        {"\\", "\\textbackslash{}"},
        {"~", "\\textasciitilde{}"},
        {"^", "\\textasciicircum{}"},
        {"<", "\\textless{}"},
        {">", "\\textgreater{}"},
        {"|", "\\textbar{}"},
        {"\"", "{\\char34}"},
        {"[", "{[}"},
        {"*", "{*}"},
        {"--", "{-}"},
        {"µ", "$\\mu$"},
    };
    while (*text != '\0') {
        size_t i = 0, length = 1;
        while (i < sizeof special / sizeof *special &&
               strncmp(text, special[i].from, strlen(special[i].from)) != 0)
            i++;
        if (i < sizeof special / sizeof *special) {
            fputs(special[i].to, out);
            length = text[0] == '-' ? 1 : strlen(special[i].from); /* the next one may be a third */
        } else if (strchr("{}$&#%_", *text) != NULL) {
            fprintf(out, "\\%c", *text);
        } else {
            struct al_text shown = al_printable_character(text, &length);
            fputs(*shown.text == '\\' ? " " : shown.text, out); /* a control character */
        }
        text += length;
    }
}

/*
 * Points, in the article class with text of 10 points. Letters and digits as wide as most of its
 * font.
 */
#define TEXT_WIDTH  345
#define LETTER      5
#define DIGIT       5
#define SMALL_DIGIT 4
#define GAP         13.5 /* between columns, and between a median and its interval */

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

/*
 * ", actors 40000, group 100": what all cells of the panel have in common and the lines do not say.
 */
static void put_parameters(FILE *out, const struct al_panel *panel)
{
    const char *key;
    json_t *value;
    json_object_foreach(json_object_get(panel->points->cell->identity, "parameters"), key, value)
    {
        bool common = true;
        const struct al_key parameter = {"parameters", key};
        for (size_t p = 1; p < panel->n; p++)
            common &= json_equal(value, al_key_value(panel->points[p].cell->identity, &parameter));
        if (!common)
            continue;
        char *text = al_value_text(value);
        fputs(", ", out);
        put_text(out, key);
        putc(' ', out);
        put_text(out, text);
        free(text);
    }
}

/* ", on AMD EPYC": of native trials, whose records say so. */
static void put_cpu(FILE *out, const struct al_summary *summary)
{
    size_t i;
    const json_t *cpu;
    json_array_foreach(json_object_get(summary->environment, "cpu"), i, cpu)
    {
        if (!json_is_string(cpu))
            continue;
        fputs(i > 0 ? " and " : ", on ", out);
        put_text(out, json_string_value(cpu));
    }
}

/* How far to trust the figures: what disturbed the trials, and what an interval is of. */
static void put_soundness(FILE *out, const struct al_panel *panel)
{
    size_t disturbed = 0, watched = 0;
    bool simulated = false;
    for (size_t p = 0; p < panel->n; p++) {
        disturbed += panel->points[p].cell->disturbed;
        watched += panel->points[p].cell->watched;
        simulated |= panel->points[p].cell->simulated && panel->points[p].value.n > 1;
    }
    if (watched > 0 && disturbed > 0)
        fprintf(out, "\n%zu of %s %s disturbed.", disturbed, al_counted(watched, "trial").text,
                disturbed == 1 ? "was" : "were");
    else if (watched > 0)
        fprintf(out, "\nNone of %s was disturbed.", al_counted(watched, "trial").text);
    if (simulated)
        fputs("\nIntervals of simulated trials are those" AL_OF_JITTER ".", out);
}

static void put_caption(FILE *out, const struct al_summary *summary, const struct al_lines *lines,
                        const struct al_panel *panel, struct al_marks marks, bool disturbed)
{
    double least = 1, most = 0;
    for (size_t p = 0; p < panel->n; p++) {
        least = fmin(least, panel->points[p].value.achieved);
        most = fmax(most, panel->points[p].value.achieved);
    }
    fputs("\\caption{", out);
    put_text(out, panel->benchmark);
    put_parameters(out, panel);
    const char *simulated = al_panel_simulated(panel);
    if (simulated != NULL) {
        fputs(", simulated on ", out);
        put_text(out, simulated);
    } else {
        put_cpu(out, summary);
    }
    fputs(": ", out);
    put_text(out, panel->label);
    fprintf(out, " (%s is better).\n",
            al_measures[lines->measure].more_is_better ? "higher" : "lower");
    struct al_text processes = al_panel_processes(panel);
    fprintf(out, "Medians of %s", processes.text);
    if (most > 0) {
        fprintf(out, " with %g\\%% %s intervals (covering %.1f", 100 * summary->level,
                summary->kind == AL_ORDER ? "order-statistic" : "bootstrap", 100 * least);
        if (fabs(most - least) >= 0.0005)
            fprintf(out, " to %.1f", 100 * most);
        fputs(lines->measure == PEAK
                  ? "\\%).\nBold: its interval lies apart from all others of its column"
                  : "\\%).\nBold: faster than all others that do the same work with as many "
                    "workers, by "
                    "ratios\nblock by block, corrected for all pairs",
              out);
    }
    putc('.', out);
    put_soundness(out, panel);
    fprintf(out, "%s%s%s}\n", marks.oversubscribed ? "\n$^*$: " AL_MARK_OVERSUBSCRIBED "." : "",
            marks.mixed_kinds ? "\n$^+$: " AL_MARK_MIXED_KINDS "." : "",
            disturbed ? "\n$^\\dagger$: more than half of the processes were disturbed." : "");
}

/* About how wide numbers are, in points, and what stands between their digits. */
static double width_of(const char *text, double digit)
{
    double width = 0;
    for (; *text != '\0'; text++)
        width += isdigit((unsigned char)*text) ? digit : 0.56 * digit;
    return width;
}

/* How many worker counts find room beside each other. */
static size_t columns_across(const struct al_lines *lines, const struct al_panel *panel)
{
    int decimals = decimals_of(panel);
    double label = 0, widest = 0;
    for (size_t p = 0; p < panel->n; p++) {
        const struct al_interval *value = &panel->points[p].value;
        char median[64], interval[128];
        snprintf(median, sizeof median, "%.*f", decimals, value->median / panel->divisor);
        snprintf(interval, sizeof interval, "[%.*f, %.*f]", decimals, value->low / panel->divisor,
                 decimals, value->high / panel->divisor);
        label = fmax(label, LETTER * (double)strlen(lines->parts.labels[panel->points[p].line]));
        widest = fmax(widest, width_of(median, DIGIT) + width_of(interval, SMALL_DIGIT));
    }
    double across = (TEXT_WIDTH - label) / (widest + GAP);
    return across > 1 ? (size_t)across : 1;
}

static const struct al_point *point_at(const struct al_panel *panel, size_t line,
                                       json_int_t workers)
{
    for (size_t p = 0; p < panel->n; p++) {
        if (panel->points[p].line == line && panel->points[p].workers == workers)
            return &panel->points[p];
    }
    return NULL;
}

static void put_row(FILE *out, const struct al_lines *lines, const struct al_panel *panel,
                    const struct al_study *study, size_t line, const struct al_column *columns,
                    size_t n)
{
    int decimals = decimals_of(panel);
    put_text(out, lines->parts.labels[line]);
    for (size_t c = 0; c < n; c++) {
        const struct al_point *point = point_at(panel, line, columns[c].workers);
        if (point == NULL) {
            fputs(" & \\multicolumn{2}{c}{--}", out);
            continue;
        }
        bool more_is_better = al_measures[lines->measure].more_is_better;
        bool best = lines->measure == PEAK ? lies_apart(panel, point, more_is_better)
                                           : al_study_wins(study, point->cell);
        const struct al_interval *value = &point->value;
        fprintf(out, best ? " & \\textbf{%.*f}%s & " : " & %.*f%s & ", decimals,
                value->median / panel->divisor,
                al_cell_is_disturbed(point->cell) ? "$^\\dagger$" : "");
        if (value->n > 1)
            fprintf(out, "{\\scriptsize [%.*f, %.*f]}", decimals, value->low / panel->divisor,
                    decimals, value->high / panel->divisor);
    }
    fputs(" \\\\\n", out);
}

/* Of each worker count the median, and its interval beside it. */
static void put_tabular(FILE *out, const struct al_lines *lines, const struct al_panel *panel,
                        const struct al_study *study, const struct al_column *columns, size_t n)
{
    fprintf(out,
            "\\begin{tabular}{@{}l*{%zu}{r@{ }l}@{}}\n\\toprule\n"
            " & \\multicolumn{%zu}{c}{workers} \\\\\n\\cmidrule(l){2-%zu}\n",
            n, 2 * n, 2 * n + 1);
    put_text(out, al_lines_head(lines));
    for (size_t c = 0; c < n; c++)
        fprintf(out, " & \\multicolumn{2}{c}{%" JSON_INTEGER_FORMAT "%s%s}", columns[c].workers,
                columns[c].marks.oversubscribed ? "$^*$" : "",
                columns[c].marks.mixed_kinds ? "$^+$" : "");
    fputs(" \\\\\n\\midrule\n", out);
    for (size_t p = 0; p < panel->n; p++) {
        if (p == 0 || panel->points[p].line != panel->points[p - 1].line)
            put_row(out, lines, panel, study, panel->points[p].line, columns, n);
    }
    fputs("\\bottomrule\n\\end{tabular}\n", out);
}

static void put_table(FILE *out, const struct al_summary *summary, const struct al_lines *lines,
                      const struct al_panel *panel, const struct al_study *study)
{
    size_t n;
    struct al_column *columns = al_panel_columns(panel, &n);
    struct al_marks marks = {0};
    bool disturbed = false;
    for (size_t p = 0; p < panel->n; p++) {
        al_marks_add(&marks, panel->points[p].cell);
        disturbed |= al_cell_is_disturbed(panel->points[p].cell);
    }

    fputs("\n\\begin{table}[t]\n\\centering\n\\setlength{\\tabcolsep}{5pt}\n"
          "\\setlength{\\belowcaptionskip}{6pt}\n",
          out);
    put_caption(out, summary, lines, panel, marks, disturbed);
    fputs("\\label{t:", out);
    for (const char *c = panel->benchmark; *c != '\0'; c++)
        putc(isalnum((unsigned char)*c) ? *c : '-', out);
    fputs("}\n", out);
    size_t across = columns_across(lines, panel);
    for (size_t from = 0; from < n; from += across) {
        fputs(from > 0 ? "\\par\\medskip\n" : "", out);
        put_tabular(out, lines, panel, study, columns + from,
                    n - from < across ? n - from : across);
    }
    fputs("\\end{table}\n", out);
    free(columns);
}

void al_export_latex(const struct al_summary *summary, const struct al_lines *lines,
                     const struct al_study *study, FILE *out)
{
    fputs("% Made by `actorlab export --format latex`. Needs \\usepackage{booktabs}.\n", out);
    struct al_panel panel = {0};
    while (al_lines_next(lines, &panel))
        put_table(out, summary, lines, &panel, study);
}
