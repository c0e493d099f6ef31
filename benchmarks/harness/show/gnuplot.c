/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/show/export.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/text/format.h"

/* Enough that up to 30 lines of a strategy all look different. */
static const int markers[] = {7, 5, 9, 13, 11, 15};
static const char *const dashes[] = {"1", "(8,4)", "(2,3)", "(8,3,2,3)", "(16,5)"};

#define LENGTH(list) (sizeof(list) / sizeof *(list))

#define OCTAVES    16 /* so many workers, and each doubling takes the same room */
#define MOST_TICKS 12

/* In a comment of the data. */
static void put_comment(FILE *out, const char *text)
{
    char *shown = al_printable(text);
    fputs(shown, out);
    free(shown);
}

/*
 * As a string of gnuplot. In single quotes two quotes mean one, but not at the start, and a
 * backquote runs a command even in double quotes; so all but what is certainly plain becomes a
 * number, which gnuplot reads last.
 */
static void put_quoted(FILE *out, const char *text)
{
    char *shown = al_printable(text);
    putc('"', out);
    for (const char *c = shown; *c != '\0'; c++) {
        if (isalnum((unsigned char)*c) || strchr(" .,:;=+-_/()[]", *c) != NULL ||
            (unsigned char)*c >= 0x80)
            putc(*c, out);
        else
            fprintf(out, "\\%03o", (unsigned char)*c);
    }
    putc('"', out);
    free(shown);
}

/* The end of the line that begins at point `from` of the panel. */
static size_t line_end(const struct al_panel *panel, size_t from)
{
    size_t to = from;
    while (to < panel->n && panel->points[to].line == panel->points[from].line)
        to++;
    return to;
}

void al_gnuplot_data(FILE *out, const struct al_lines *lines, const struct al_panel *panel)
{
    for (size_t from = 0, to; from < panel->n; from = to) {
        to = line_end(panel, from);
        fputs(from > 0 ? "\n\n# " : "# ", out);
        put_comment(out, lines->parts.labels[panel->points[from].line]);
        fprintf(out,
                ": workers, median of %s, low, high, processes, oversubscribed, "
                "mixed kinds\n",
                al_measure_names[lines->measure]);
        for (size_t p = from; p < to; p++) {
            const struct al_point *point = &panel->points[p];
            fprintf(out, "%" JSON_INTEGER_FORMAT " %.10g %.10g %.10g %zu %d %d\n", point->workers,
                    point->value.median, point->value.low, point->value.high, point->value.n,
                    point->cell->oversubscribed, point->cell->mixed_kinds);
        }
        fputs("\n\n# the same: workers, each process\n", out);
        for (size_t p = from; p < to; p++) {
            const struct al_point *point = &panel->points[p];
            for (size_t i = 0; i < point->cell->n; i++)
                fprintf(out, "%" JSON_INTEGER_FORMAT " %.10g\n", point->workers,
                        point->cell->values[lines->measure][i]);
        }
    }
}

/*
 * Places of the worker counts on the axis: even steps where they are few, octaves where they span
 * many.
 */
struct axis {
    bool octaves;
    size_t n;
    struct al_column *columns;
    double step; /* the smallest distance between two places */
};

static double place_of(const struct axis *axis, json_int_t workers)
{
    return axis->octaves ? log2((double)workers) : (double)workers;
}

static void make_axis(const struct al_panel *panel, struct axis *axis)
{
    *axis = (struct axis){.step = 1};
    axis->columns = al_panel_columns(panel, &axis->n);
    axis->octaves = axis->columns[0].workers > 0 && axis->columns[axis->n - 1].workers >= OCTAVES;
    for (size_t i = 1; i < axis->n; i++) {
        double step = place_of(axis, axis->columns[i].workers) -
                      place_of(axis, axis->columns[i - 1].workers);
        axis->step = i == 1 ? step : fmin(axis->step, step);
    }
}

/* Worker counts as labels, as many as can be read; the last one always. */
static void put_x_axis(FILE *out, const struct axis *axis)
{
    double low = place_of(axis, axis->columns[0].workers) - axis->step / 2;
    double high = place_of(axis, axis->columns[axis->n - 1].workers) + axis->step / 2;
    double room = (high - low) / MOST_TICKS, last = INFINITY;
    struct al_marks all = {0};
    const char *comma = "";
    fputs("set xtics nomirror (", out);
    for (size_t i = axis->n; i-- > 0;) {
        const struct al_column *column = &axis->columns[i];
        double place = place_of(axis, column->workers);
        al_marks_join(&all, column->marks);
        if (last - place < room)
            continue;
        fprintf(out, "%s'%" JSON_INTEGER_FORMAT "%s' %" JSON_INTEGER_FORMAT, comma, column->workers,
                al_marks_text(column->marks), column->workers);
        comma = ", ";
        last = place;
    }
    fprintf(out, ")\nset xlabel 'workers%s%s%s%s'\n", axis->octaves ? " (log scale)" : "",
            all.oversubscribed ? "; * more than PUs" : "",
            all.mixed_kinds ? "; + on cores of several kinds" : "",
            all.doubts != 0 ? "; ° size or seed may decide" : "");
    if (axis->octaves)
        fputs("set logscale x 2\n", out);
    else
        fputs("unset logscale x\n", out);
    fprintf(out, "set xrange [%.6g:%.6g]\n", axis->octaves ? exp2(low) : low,
            axis->octaves ? exp2(high) : high);
}

/* From 0, or logarithmic with labels at round parts of every decade. */
static void put_y_axis(FILE *out, const struct al_lines *lines, const struct al_panel *panel)
{
    double low = INFINITY, high = 0;
    for (size_t p = 0; p < panel->n; p++) {
        const struct al_cell *cell = panel->points[p].cell;
        for (size_t i = 0; i < cell->n; i++) {
            double value = cell->values[lines->measure][i] / panel->divisor;
            if (value > 0)
                low = fmin(low, value);
            high = fmax(high, value);
        }
    }
    if (!lines->log) {
        fprintf(out, "unset logscale y\nset ytics nomirror autofreq\nset yrange [0:%.6g]\n",
                high > 0 ? 1.08 * high : 1);
        return;
    }
    low /= 1.2;
    high *= 1.2;
    static const double parts[] = {1, 2, 5, 1.5, 3, 4, 6, 8};
    double decades = log10(high / low);
    int labelled = decades > 2.5 ? 1 : decades > 1 ? 3 : LENGTH(parts);
    const char *comma = "";
    fputs("set logscale y 10\nset ytics nomirror (", out);
    for (double decade = pow(10, floor(log10(low))); decade <= high; decade *= 10) {
        for (int i = 0; i < labelled; i++) {
            double tick = decade * parts[i];
            if (tick < low || tick > high)
                continue;
            fprintf(out, "%s'%.10g' %.10g", comma, tick, tick);
            comma = ", ";
        }
    }
    fprintf(out, ")\nset yrange [%.6g:%.6g]\n", low, high);
}

/* In text a line's number chooses its characters. */
static void put_styles(FILE *out, const struct al_lines *lines, bool in_text)
{
    if (!in_text)
        fputs("set grid y lt 1 lc rgb '#DDDDDD'\n", out);
    for (size_t l = 0; l < lines->parts.n; l++) {
        const struct al_look *look = &lines->looks[l];
        if (in_text)
            fprintf(out, "set linetype %zu lc rgb '%s' pt %zu\n", l + 1, look->colour, l + 1);
        else
            fprintf(out, "set linetype %zu lc rgb '%s' dt %s pt %d ps 0.9 lw 1.2\n", l + 1,
                    look->colour, dashes[(look->place + 2 * look->variant) % LENGTH(dashes)],
                    markers[(look->place + look->variant) % LENGTH(markers)]);
    }
}

/* The expression of a worker count's place, moved by a part of the axis. */
static void put_place(char *text, size_t size, const struct axis *axis, double shift)
{
    snprintf(text, size, axis->octaves ? "($1*%.4g)" : "($1%+.4g)",
             axis->octaves ? exp2(shift) : shift);
}

static bool is_oversubscribed(const struct al_panel *panel, size_t from)
{
    bool any = false;
    for (size_t p = from, end = line_end(panel, from); p < end; p++)
        any |= panel->points[p].cell->oversubscribed;
    return any;
}

/* From bottom to top: LETTERS are of text only, SINGLES (processes) and HOLLOW of graphics. */
enum layer { INTERVALS, SINGLES, MEDIANS, LETTERS, HOLLOW, LAYERS };

struct drawn {
    size_t style, index; /* number of its line type, and of its data set */
    bool oversubscribed;
    const char *label;
    char x[32], beside[32]; /* where its medians stand, and its single processes */
};

static bool is_drawn(const struct drawn *drawn, enum layer layer, bool in_text)
{
    return layer == SINGLES   ? !in_text
           : layer == LETTERS ? in_text
           : layer == HOLLOW  ? !in_text && drawn->oversubscribed
                              : true;
}

static void put_element(FILE *out, const struct drawn *drawn, enum layer layer, const char *data)
{
    fprintf(out, "%s index %zu using %s:", data, drawn->index + (layer == SINGLES),
            layer == SINGLES ? drawn->beside : drawn->x);
    switch (layer) {
    case MEDIANS:
        fprintf(out, "($2/unit) with linespoints lt %zu title ", drawn->style);
        put_quoted(out, drawn->label);
        break;
    case SINGLES:
        fprintf(out, "($2/unit) with points lt %zu pt 7 ps 0.3 notitle", drawn->style);
        break;
    case INTERVALS:
        fprintf(out, "($2/unit):($3/unit):($4/unit) with yerrorbars lt %zu ps 0 dt solid notitle",
                drawn->style);
        break;
    case LETTERS: /* again, as lines have run over them */
        fprintf(out, "($2/unit) with points lt %zu notitle", drawn->style);
        break;
    default:
        fputs("($6 > 0 ? $2/unit : NaN) with points pt 7 ps 0.4 lc rgb 'white' notitle", out);
    }
}

static void put_plot(FILE *out, const struct al_lines *lines, const struct al_panel *panel,
                     const struct axis *axis, const char *data, bool in_text)
{
    size_t n = 0;
    for (size_t from = 0; from < panel->n; from = line_end(panel, from))
        n++;
    /*
     * Lines stand side by side, so that intervals can be seen; single processes stand beside these.
     */
    double spread = 0.6 * axis->step / (double)(n > 1 ? n : 2);
    struct drawn *drawn = al_needed(calloc(n, sizeof *drawn));
    for (size_t from = 0, i = 0; from < panel->n; from = line_end(panel, from), i++) {
        double shift = ((double)i - (double)(n - 1) / 2) * spread;
        size_t line = panel->points[from].line;
        drawn[i] = (struct drawn){.style = line + 1,
                                  .index = 2 * i,
                                  .oversubscribed = is_oversubscribed(panel, from),
                                  .label = lines->parts.labels[line]};
        put_place(drawn[i].x, sizeof drawn[i].x, axis, shift);
        put_place(drawn[i].beside, sizeof drawn[i].beside, axis, shift - 0.32 * spread);
    }
    const char *separator = "plot ";
    for (enum layer layer = 0; layer < LAYERS; layer++) {
        for (size_t i = 0; i < n; i++) {
            if (!is_drawn(&drawn[i], layer, in_text))
                continue;
            fputs(separator, out);
            put_element(out, &drawn[i], layer, data);
            separator = ", \\\n     ";
        }
    }
    putc('\n', out);
    free(drawn);
}

void al_gnuplot_plot(FILE *out, const struct al_lines *lines, const struct al_panel *panel,
                     const char *data, bool in_text)
{
    struct axis axis;
    make_axis(panel, &axis);
    put_styles(out, lines, in_text);
    fprintf(out, "unit = %g\nset encoding utf8\nset termoption noenhanced\nset border 3\n",
            panel->divisor);
    put_x_axis(out, &axis);
    put_y_axis(out, lines, panel);
    const char *scale = lines->log ? " (log scale)" : " (linear scale)";
    fprintf(out, "set ylabel '%s%s'\n", panel->label, scale);
    struct al_text processes = al_panel_processes(panel);
    bool one = strcmp(processes.text, "1 process") == 0;
    fputs("set title ", out);
    put_quoted(out, panel->benchmark);
    const char *simulated = al_panel_simulated(panel);
    if (simulated != NULL) {
        fputs(".', simulated on '.", out);
        put_quoted(out, simulated);
    }
    /* Characters cannot be turned to stand along an axis. */
    fputs(".': ", out);
    if (in_text)
        fprintf(out, "%s%s, ", panel->label, scale);
    fprintf(out, "median%s of %s'\n", one ? "" : "s with intervals", processes.text);
    fprintf(out, "set key tmargin center horizontal%s\n", in_text ? " width 3" : "");
    put_plot(out, lines, panel, &axis, data, in_text);
    free(axis.columns);
}
