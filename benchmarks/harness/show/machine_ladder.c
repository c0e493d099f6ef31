/* SPDX-License-Identifier: MIT */

/* The parameters of a machine on a scale of time. */

#include "benchmarks/harness/show/machine_drawing.h"

#include <math.h>
#include <string.h>

#include "core/machine/model.h"

#define ROW   20
#define NAME  0 /* where columns begin */
#define HELP  132
#define CHART 540
#define VALUE 180 /* from the right */

static const struct {
    enum al_model_key first, last;
    const char *name;
} groups[] = {
    {AL_MODEL_ACCESS, AL_MODEL_MEMORY_MACHINE, "Caches and memory"},
    {AL_MODEL_HANDOFF_CORE, AL_MODEL_LINE_BUSY, "Coherence"},
    {AL_MODEL_STREAM, AL_MODEL_FREQUENCY, "Instructions"},
    {AL_MODEL_SLEEP_SLACK, AL_MODEL_PAGE_FAULT, "Operating system"},
    {AL_MODEL_MALLOC, AL_MODEL_MALLOC_FLUSH, "Allocator"},
};

/* The chart: decades of ns from left to right. */
struct chart {
    const struct al_drawing *drawing;
    double left, width;
    int first, last; /* powers of ten */
};

static bool is_time(size_t key)
{
    return strcmp(al_model_parameters[key].unit, "ns") == 0;
}

static bool shown(const struct al_drawing *drawing, size_t key)
{
    return drawing->model->values[key].source != NULL && is_time(key);
}

static double place(const struct chart *chart, double ns)
{
    double power = ns > 0 ? log10(ns) : chart->first;
    double share = (power - chart->first) / (chart->last - chart->first);
    return chart->left + chart->width * (share < 0 ? 0 : share > 1 ? 1 : share);
}

static void find_decades(struct chart *chart)
{
    double least = 1, most = 10;
    for (size_t key = 0; key < AL_MODEL_KEYS; key++) {
        const struct al_model_value *value = &chart->drawing->model->values[key];
        if (!shown(chart->drawing, key))
            continue;
        if (value->value > 0 && value->value < least)
            least = value->value;
        if (value->low > 0 && value->low < least)
            least = value->low;
        most = value->high > most ? value->high : most;
    }
    chart->first = (int)floor(log10(least));
    chart->last = (int)ceil(log10(most));
}

static void draw_axis(const struct chart *chart, double top, double bottom)
{
    for (int power = chart->first; power <= chart->last; power++) {
        double x = place(chart, pow(10, power));
        fprintf(chart->drawing->file,
                "<path d=\"M%g %gV%g\" stroke=\"" AL_DRAWING_GRID "\"/>\n<text x=\"%g\" y=\"%g\" "
                "font-size=\"11\" text-anchor=\"middle\" fill=\"" AL_DRAWING_MUTED "\">%s</text>\n",
                x, top, bottom, x, top - 5, al_drawing_time(pow(10, power)).text);
    }
}

/* A dot: full if the value was measured on this machine, half on a similar one, else empty. */
static void draw_dot(const struct al_drawing *drawing, double x, double y,
                     enum al_model_quality quality)
{
    fprintf(drawing->file,
            "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"4.5\" fill=\"%s\" stroke=\"#1d4ed8\" "
            "stroke-width=\"1.5\"/>\n",
            x, y, quality == AL_MODEL_MEASURED ? "#1d4ed8" : "#ffffff");
    if (quality == AL_MODEL_PROXY)
        fprintf(drawing->file, "<path d=\"M%.2f %.2fa4.5 4.5 0 0 1 0 -9z\" fill=\"#1d4ed8\"/>\n", x,
                y + 4.5);
}

static void draw_row(const struct chart *chart, size_t key, double left, double right, double y)
{
    const struct al_drawing *drawing = chart->drawing;
    const struct al_model_value *value = &drawing->model->values[key];
    const struct al_model_parameter *parameter = &al_model_parameters[key];
    fprintf(drawing->file, "<g><title>%s: ", al_model_qualities[value->quality]);
    al_drawing_text(drawing, value->source);
    fprintf(drawing->file,
            "</title>\n<text x=\"%g\" y=\"%g\" font-size=\"12\" font-weight=\"600\">%s</text>\n"
            "<text x=\"%g\" y=\"%g\" font-size=\"12\" fill=\"" AL_DRAWING_MUTED "\">%s</text>\n",
            left + NAME, y + 4, parameter->name, left + HELP, y + 4, parameter->help);
    double low = place(chart, value->low), high = place(chart, value->high);
    fprintf(drawing->file,
            "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"7\" rx=\"3.5\" "
            "fill=\"#bfdbfe\"/>\n",
            low, y - 3.5, high - low > 1 ? high - low : 1);
    draw_dot(drawing, place(chart, value->value), y, value->quality);
    fprintf(drawing->file,
            "<text x=\"%g\" y=\"%g\" font-size=\"12\">%s</text>\n<text x=\"%g\" y=\"%g\" "
            "font-size=\"12\" text-anchor=\"end\" fill=\"" AL_DRAWING_MUTED
            "\">%s to %s</text></g>\n",
            right - VALUE, y + 4, al_drawing_time(value->value).text, right, y + 4,
            al_drawing_time(value->low).text, al_drawing_time(value->high).text);
}

static void draw_legend(const struct al_drawing *drawing, double x, double y)
{
    static const char *const names[] = {"measured on this machine", "measured on a similar one",
                                        "estimated"};
    for (int quality = 0; quality < 3; quality++) {
        draw_dot(drawing, x, y - 4, (enum al_model_quality)quality);
        fprintf(drawing->file,
                "<text x=\"%g\" y=\"%g\" font-size=\"12\" fill=\"" AL_DRAWING_MUTED
                "\">%s</text>\n",
                x + 10, y, names[quality]);
        x += 40 + 6.4 * (double)strlen(names[quality]);
    }
}

/* What is not a time, in lines of words. */
static double draw_others(const struct al_drawing *drawing, double left, double top)
{
    double y = top;
    int in_line = 0;
    for (size_t key = 0; key < AL_MODEL_KEYS; key++) {
        const struct al_model_value *value = &drawing->model->values[key];
        const struct al_model_parameter *parameter = &al_model_parameters[key];
        if (value->source == NULL || is_time(key))
            continue;
        fprintf(drawing->file,
                "<text x=\"%g\" y=\"%g\" font-size=\"12\"><title>%s</title><tspan "
                "font-weight=\"600\">%s</tspan> %g %s <tspan fill=\"" AL_DRAWING_MUTED
                "\">%g to %g</tspan></text>\n",
                left + in_line * 292, y, parameter->help, parameter->name, value->value,
                parameter->unit, value->low, value->high);
        in_line = (in_line + 1) % 4;
        y += in_line == 0 ? ROW : 0;
    }
    return y + (in_line == 0 ? -ROW : 0) - top;
}

double al_drawing_ladder(const struct al_drawing *drawing, double left, double top, double width)
{
    struct chart chart = {
        .drawing = drawing, .left = left + CHART, .width = width - CHART - VALUE - 24};
    double y = top + 34, rows = 0;
    find_decades(&chart);
    for (size_t group = 0; group < sizeof groups / sizeof *groups; group++) {
        rows += 1.4;
        for (size_t key = groups[group].first; key <= groups[group].last; key++)
            rows += shown(drawing, key);
    }
    draw_legend(drawing, left + 6, top + 12);
    draw_axis(&chart, y, y + rows * ROW);
    for (size_t group = 0; group < sizeof groups / sizeof *groups; group++) {
        fprintf(drawing->file,
                "<text x=\"%g\" y=\"%g\" font-size=\"13\" font-weight=\"600\" "
                "fill=\"#1d4ed8\">%s</text>\n",
                left, y + 16, groups[group].name);
        y += 1.4 * ROW;
        for (size_t key = groups[group].first; key <= groups[group].last; key++) {
            if (!shown(drawing, key))
                continue;
            draw_row(&chart, key, left, left + width, y + ROW / 2.0 - 2);
            y += ROW;
        }
    }
    return y + 28 - top + draw_others(drawing, left, y + 28);
}
