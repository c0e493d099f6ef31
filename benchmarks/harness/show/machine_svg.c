/* SPDX-License-Identifier: MIT */

/* A simulated machine as a picture: the page, and what its panels share. */

#include "benchmarks/harness/show/machine.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/show/machine_drawing.h"
#include "benchmarks/harness/text/format.h"
#include "core/machine/model.h"

#define MARGIN 36
#define WIDTH  1240
#define PANEL  560 /* width of the upper panels */
#define PARTS  400 /* height of the parts; below is the scale of colours */

/* The share of the way from the shortest to the longest hand-off, by the logarithm. */
static double share(const struct al_drawing *drawing, uint32_t ps)
{
    if (drawing->least_ps >= drawing->most_ps || ps <= drawing->least_ps)
        return drawing->least_ps >= drawing->most_ps ? 0.5 : 0;
    if (ps >= drawing->most_ps)
        return 1;
    return log((double)ps / drawing->least_ps) / log((double)drawing->most_ps / drawing->least_ps);
}

struct al_drawing_colour al_drawing_colour(const struct al_drawing *drawing, uint32_t ps)
{
    /* Viridis, reversed: even in brightness, and the same to people who see few colours. */
    static const uint8_t stops[][3] = {{253, 231, 37}, {144, 215, 67}, {53, 183, 121},
                                       {33, 145, 140}, {49, 104, 142}, {68, 57, 131},
                                       {68, 1, 84}};
    const size_t last = sizeof stops / sizeof *stops - 1;
    double at = share(drawing, ps) * (double)last;
    size_t below = at >= (double)last ? last - 1 : (size_t)at;
    int mixed[3];
    for (int i = 0; i < 3; i++)
        mixed[i] = (int)lround(stops[below][i] +
                               (at - (double)below) * (stops[below + 1][i] - stops[below][i]));
    struct al_drawing_colour colour;
    snprintf(colour.text, sizeof colour.text, "#%02x%02x%02x", (unsigned)mixed[0] & 255U,
             (unsigned)mixed[1] & 255U, (unsigned)mixed[2] & 255U);
    return colour;
}

bool al_drawing_dark(const struct al_drawing *drawing, uint32_t ps)
{
    return share(drawing, ps) > 0.4;
}

void al_drawing_text(const struct al_drawing *drawing, const char *text)
{
    char *printable = al_printable(text);
    for (const char *c = printable; *c != '\0'; c++) {
        switch (*c) {
        case '<':
            fputs("&lt;", drawing->file);
            break;
        case '>':
            fputs("&gt;", drawing->file);
            break;
        case '&':
            fputs("&amp;", drawing->file);
            break;
        default:
            fputc(*c, drawing->file);
        }
    }
    free(printable);
}

struct al_drawing_time al_drawing_time(double ns)
{
    static const char *const units[] = {"ns", "µs", "ms", "s"};
    size_t unit = 0;
    for (; ns >= 1000 && unit < 3; unit++)
        ns /= 1000;
    struct al_drawing_time time;
    snprintf(time.text, sizeof time.text, "%.4g %s", ns, units[unit]);
    return time;
}

/* Find the shortest and the longest hand-off; the diagonal counts if cores have several PUs. */
static void find_extremes(struct al_drawing *drawing)
{
    drawing->least_ps = UINT32_MAX;
    drawing->most_ps = 0;
    for (unsigned key = AL_MODEL_HANDOFF_CORE; key <= AL_MODEL_HANDOFF_MACHINE; key++) {
        if (drawing->model->values[key].source == NULL)
            continue;
        struct al_machine_class found = al_machine_class(drawing->machine, key);
        drawing->least_ps = found.least < drawing->least_ps ? found.least : drawing->least_ps;
        drawing->most_ps = found.most > drawing->most_ps ? found.most : drawing->most_ps;
    }
    if (drawing->least_ps == 0)
        drawing->least_ps = 1; /* the logarithm of 0 is no number */
}

static void draw_head(const struct al_drawing *drawing)
{
    FILE *file = drawing->file;
    fprintf(file, "<text x=\"%d\" y=\"46\" font-size=\"26\" font-weight=\"600\">", MARGIN);
    al_drawing_text(drawing, drawing->model->title);
    if (drawing->model->hypothetical)
        fputs(
            "<tspan dx=\"12\" font-size=\"15\" font-weight=\"600\" fill=\"#b45309\">hypothetical: "
            "no such machine exists</tspan>",
            file);
    fprintf(file,
            "</text>\n<text x=\"%d\" y=\"72\" font-size=\"14\" fill=\"" AL_DRAWING_MUTED
            "\">%s; simulated by actorlab, model %016" PRIx64 "</text>\n",
            MARGIN, al_machine_parts(drawing->machine).text, al_model_hash(drawing->model));
}

static void draw_heading(const struct al_drawing *drawing, double x, double y, const char *title,
                         const char *more)
{
    fprintf(drawing->file,
            "<text x=\"%g\" y=\"%g\" font-size=\"15\" font-weight=\"600\">%s<tspan dx=\"8\" "
            "font-size=\"13\" font-weight=\"400\" fill=\"" AL_DRAWING_MUTED
            "\">%s</tspan></text>\n",
            x, y, title, more);
}

/* Draw all panels; returns the height of the page. */
static double draw_page(const struct al_drawing *drawing)
{
    bool several = drawing->machine->n_cores > 1;
    double top = 112, right = WIDTH - MARGIN - PANEL, height;
    draw_head(drawing);
    draw_heading(drawing, MARGIN, top, "Parts",
                 several ? "each core in the colour of its hand-off with core 0, which is white"
                         : "");
    height = al_drawing_parts(drawing, MARGIN, top + 16, PANEL, PARTS);
    if (several) {
        height += 22;
        height += al_drawing_scale(drawing, MARGIN, top + 16 + height, PANEL);
        draw_heading(drawing, right, top, "Hand-offs",
                     "from core to core, of a cache line that the other has just written");
        double heat = al_drawing_heat(drawing, right, top + 16, PANEL);
        height = heat > height ? heat : height;
    }
    top += 16 + height + 44;
    draw_heading(drawing, MARGIN, top, "What each step costs",
                 "one operation without contention; bars are the ranges that the values are known "
                 "to lie in");
    return top + 16 + al_drawing_ladder(drawing, MARGIN, top + 16, WIDTH - 2 * MARGIN) + MARGIN;
}

void al_machine_draw(const struct al_model *model, const struct al_machine *machine, FILE *file)
{
    struct al_growing body;
    struct al_drawing drawing = {
        .file = al_growing_open(&body), .model = model, .machine = machine};
    find_extremes(&drawing);
    double height = ceil(draw_page(&drawing));
    char *text = al_growing_close(&body);
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%g\" viewBox=\"0 0 %d "
            "%g\" font-family=\"system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif\" "
            "fill=\"" AL_DRAWING_INK
            "\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            WIDTH, height, WIDTH, height);
    fputs(text, file);
    fputs("</svg>\n", file);
    free(text);
}
