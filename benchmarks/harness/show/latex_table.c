/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/show/latex_table.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/results/doubts.h"
#include "benchmarks/harness/results/labels.h"
#include "benchmarks/harness/results/origin.h"
#include "benchmarks/harness/text/format.h"
#include "core/counted.h"

/*
 * Text as it is, whatever LaTeX makes of its characters. A bracket or star would be taken for an
 * argument of \\, and two hyphens for a dash; older LaTeX does not know the letter of our µs.
 */
void al_latex_text(FILE *out, const char *text)
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
#define MARK        5 /* a raised sign */
#define SIGN        10
#define GAP         13.5 /* between columns, and between a median and its interval */

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
        al_latex_text(out, key);
        putc(' ', out);
        al_latex_text(out, text);
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
        al_latex_text(out, json_string_value(cpu));
    }
}

/* How far to trust the figures: what disturbed the trials, and what an interval is of. */
static void put_soundness(FILE *out, const struct al_panel *panel)
{
    size_t disturbed = 0, watched = 0, few = 0;
    bool simulated = false;
    for (size_t p = 0; p < panel->n; p++) {
        disturbed += panel->points[p].cell->disturbed;
        watched += panel->points[p].cell->watched;
        few += al_cell_has_few_seeds(panel->points[p].cell);
        simulated |= panel->points[p].cell->simulated && panel->points[p].value.n > 1;
    }
    if (watched > 0 && disturbed > 0)
        fprintf(out, "\n%zu of %s %s disturbed.", disturbed, al_counted(watched, "trial").text,
                disturbed == 1 ? "was" : "were");
    else if (watched > 0)
        fprintf(out, "\nNone of %s was disturbed.", al_counted(watched, "trial").text);
    if (simulated)
        fputs("\nIntervals of simulated trials are those" AL_OF_JITTER ".", out);
    char *text = al_few_seeds_text(few);
    fprintf(out, few > 0 ? "\n%s" : "%s", text);
    free(text);
}

static const struct {
    const char *sign, *meaning;
} all_marks[AL_LATEX_MARKS] = {
    {"*", AL_MARK_OVERSUBSCRIBED},
    {"+", AL_MARK_MIXED_KINDS},
    {"\\dagger", "more than half of the processes were disturbed"},
    {"\\dagger", "more than half of the processes of either were disturbed"},
    {"\\ddagger", "trials failed, and count as the slowest"},
    {"\\S", "the quiet blocks alone give another ratio"},
};

static void put_marks(FILE *out, unsigned marks)
{
    for (unsigned m = 0; m < AL_LATEX_MARKS; m++) {
        if (marks & 1U << m)
            fprintf(out, "$^%s$", all_marks[m].sign);
    }
    fputs(marks >> AL_LATEX_MARKS != 0 ? "$^\\circ$" : "", out);
}

static void explain_marks(FILE *out, unsigned marks)
{
    for (unsigned m = 0; m < AL_LATEX_MARKS; m++) {
        if (marks & 1U << m)
            fprintf(out, "\n$^%s$: %s.", all_marks[m].sign, all_marks[m].meaning);
    }
    for (unsigned d = 0; d < AL_DOUBTS; d++) {
        if ((marks >> AL_LATEX_MARKS & 1U << d) == 0)
            continue;
        fputs("\n$^\\circ$: ", out);
        al_latex_text(out, al_doubt_texts[d]);
        putc('.', out);
    }
}

static unsigned marks_of_column(struct al_marks marks)
{
    return (marks.oversubscribed ? AL_LATEX_OVERSUBSCRIBED : 0U) |
           (marks.mixed_kinds ? AL_LATEX_MIXED_KINDS : 0U);
}

static struct al_latex_cell cell_of(const struct al_latex_table *table,
                                    const struct al_panel *panel, const struct al_point *point)
{
    struct al_latex_cell cell = {.value = ""};
    table->fill(table, panel, point, &cell);
    cell.marks |= point->cell->doubts << AL_LATEX_MARKS;
    return cell;
}

static void put_caption(FILE *out, const struct al_latex_table *table, const struct al_panel *panel)
{
    unsigned marks = 0;
    fputs("\\caption{", out);
    al_latex_text(out, panel->benchmark);
    put_parameters(out, panel);
    const char *simulated = al_panel_simulated(panel);
    if (simulated != NULL) {
        fputs(", simulated on ", out);
        al_latex_text(out, simulated);
    } else {
        put_cpu(out, table->summary);
    }
    fputs(": ", out);
    table->explain(table, panel, out);
    put_soundness(out, panel);
    for (size_t p = 0; p < panel->n; p++)
        marks |= cell_of(table, panel, &panel->points[p]).marks |
                 marks_of_column(al_marks_of(panel->points[p].cell));
    explain_marks(out, marks);
    fputs("}\n", out);
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
static size_t columns_across(const struct al_latex_table *table, const struct al_panel *panel)
{
    double label = 0, widest = 0;
    for (size_t p = 0; p < panel->n; p++) {
        struct al_latex_cell cell = cell_of(table, panel, &panel->points[p]);
        double width = width_of(cell.value, DIGIT) + width_of(cell.interval, SMALL_DIGIT) +
                       (cell.sign != NULL ? SIGN : 0);
        for (unsigned marks = cell.marks; marks != 0; marks &= marks - 1)
            width += MARK;
        label = fmax(label,
                     LETTER * (double)strlen(table->lines->parts.labels[panel->points[p].line]));
        widest = fmax(widest, width);
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

static void put_row(FILE *out, const struct al_latex_table *table, const struct al_panel *panel,
                    size_t line, const struct al_column *columns, size_t n)
{
    al_latex_text(out, table->lines->parts.labels[line]);
    for (size_t c = 0; c < n; c++) {
        const struct al_point *point = point_at(panel, line, columns[c].workers);
        struct al_latex_cell cell = {.value = ""};
        if (point != NULL)
            cell = cell_of(table, panel, point);
        if (cell.value[0] == '\0') {
            fputs(" & \\multicolumn{2}{c}{--}", out);
            continue;
        }
        fprintf(out, cell.bold ? " & \\textbf{%s}" : " & %s", cell.value);
        put_marks(out, cell.marks);
        fprintf(out, "%s & ", cell.sign != NULL ? cell.sign : "");
        if (cell.interval[0] != '\0')
            fprintf(out, "{\\scriptsize %s}", cell.interval);
    }
    fputs(" \\\\\n", out);
}

/* Of each worker count a value, and its interval beside it. */
static void put_tabular(FILE *out, const struct al_latex_table *table, const struct al_panel *panel,
                        const struct al_column *columns, size_t n)
{
    fprintf(out,
            "\\begin{tabular}{@{}l*{%zu}{r@{ }l}@{}}\n\\toprule\n"
            " & \\multicolumn{%zu}{c}{workers} \\\\\n\\cmidrule(l){2-%zu}\n",
            n, 2 * n, 2 * n + 1);
    al_latex_text(out, al_lines_head(table->lines));
    for (size_t c = 0; c < n; c++) {
        fprintf(out, " & \\multicolumn{2}{c}{%" JSON_INTEGER_FORMAT, columns[c].workers);
        put_marks(out, marks_of_column(columns[c].marks));
        putc('}', out);
    }
    fputs(" \\\\\n\\midrule\n", out);
    for (size_t p = 0; p < panel->n; p++) {
        if (p == 0 || panel->points[p].line != panel->points[p - 1].line)
            put_row(out, table, panel, panel->points[p].line, columns, n);
    }
    fputs("\\bottomrule\n\\end{tabular}\n", out);
}

void al_latex_table(FILE *out, const struct al_latex_table *table, const struct al_panel *panel)
{
    size_t n, across = columns_across(table, panel);
    struct al_column *columns = al_panel_columns(panel, &n);
    fputs("\n\\begin{table}[t]\n\\centering\n\\setlength{\\tabcolsep}{5pt}\n"
          "\\setlength{\\belowcaptionskip}{6pt}\n",
          out);
    put_caption(out, table, panel);
    fputs("\\label{t:", out);
    for (const char *c = panel->benchmark; *c != '\0'; c++)
        putc(isalnum((unsigned char)*c) ? *c : '-', out);
    fprintf(out, "%s}\n", table->label);
    for (size_t from = 0; from < n; from += across) {
        fputs(from > 0 ? "\\par\\medskip\n" : "", out);
        put_tabular(out, table, panel, columns + from, n - from < across ? n - from : across);
    }
    fputs("\\end{table}\n", out);
    free(columns);
}
