/* SPDX-License-Identifier: MIT */

/* The scale of the colours of hand-offs, and what each class of pairs has. */

#include "benchmarks/harness/show/machine_drawing.h"

#include <inttypes.h>
#include <math.h>

#include "benchmarks/harness/show/machine.h"
#include "core/counted.h"
#include "core/machine/model.h"

#define STOPS 24 /* of the gradient */
#define ROW   20

/* The time at this share of the way from the shortest to the longest hand-off. */
static double ps_at(const struct al_drawing *drawing, double share)
{
    return drawing->least_ps * pow((double)drawing->most_ps / drawing->least_ps, share);
}

static void draw_gradient(const struct al_drawing *drawing, double left, double top, double width)
{
    fputs("<linearGradient id=\"handoffs\">\n", drawing->file);
    for (int i = 0; i <= STOPS; i++)
        fprintf(
            drawing->file, "<stop offset=\"%.4f\" stop-color=\"%s\"/>\n", (double)i / STOPS,
            al_drawing_colour(drawing, (uint32_t)lround(ps_at(drawing, (double)i / STOPS))).text);
    fprintf(drawing->file,
            "</linearGradient>\n<rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"12\" rx=\"2\" "
            "fill=\"url(#handoffs)\"/>\n",
            left, top, width);
}

/* 1, 2 and 5 of each decade. */
static void draw_ticks(const struct al_drawing *drawing, double left, double top, double width)
{
    static const double steps[] = {1, 2, 5};
    double least = drawing->least_ps, span = log((double)drawing->most_ps / least);
    for (int i = 0; i < 3 * 9; i++) {
        double ps = steps[i % 3] * pow(10, i / 3), share = log(ps / least) / span;
        if (share < 0 || share > 1)
            continue;
        fprintf(drawing->file,
                "<path d=\"M%.2f %gv4\" stroke=\"" AL_DRAWING_MUTED "\"/>\n<text x=\"%.2f\" "
                "y=\"%g\" text-anchor=\"middle\">%s</text>\n",
                left + share * width, top, left + share * width, top + 16,
                al_drawing_time(ps / 1e3).text);
    }
}

static void draw_class(const struct al_drawing *drawing, unsigned key, double left, double y,
                       double width)
{
    struct al_machine_class found = al_machine_class(drawing->machine, key);
    bool one = found.least == found.most;
    fprintf(
        drawing->file,
        "<rect x=\"%g\" y=\"%g\" width=\"22\" height=\"12\" fill=\"%s\"/>\n<rect x=\"%g\" "
        "y=\"%g\" width=\"11\" height=\"12\" fill=\"%s\"/>\n<text x=\"%g\" y=\"%g\">%s</text>\n",
        left, y - 10, al_drawing_colour(drawing, found.least).text, left + 11, y - 10,
        al_drawing_colour(drawing, found.most).text, left + 32, y, al_model_parameters[key].help);
    fprintf(drawing->file,
            "<text x=\"%g\" y=\"%g\" text-anchor=\"end\" fill=\"" AL_DRAWING_MUTED
            "\">%s</text>\n<text x=\"%g\" y=\"%g\" text-anchor=\"end\">%s%s%s</text>\n",
            left + width - 130, y, al_counted(found.pairs, "pair").text, left + width, y,
            al_drawing_time(found.least / 1e3).text, one ? "" : " to ",
            one ? "" : al_drawing_time(found.most / 1e3).text);
}

double al_drawing_scale(const struct al_drawing *drawing, double left, double top, double width)
{
    double y = top;
    if (drawing->most_ps > drawing->least_ps) {
        fprintf(drawing->file, "<g font-size=\"11\" fill=\"" AL_DRAWING_MUTED "\">\n");
        draw_gradient(drawing, left, top, width);
        draw_ticks(drawing, left, top + 12, width);
        fputs("</g>\n", drawing->file);
        y += 34;
    }
    fputs("<g font-size=\"13\">\n", drawing->file);
    for (unsigned key = AL_MODEL_HANDOFF_CORE; key <= AL_MODEL_HANDOFF_MACHINE; key++) {
        if (drawing->model->values[key].source == NULL)
            continue;
        y += ROW;
        draw_class(drawing, key, left, y, width);
    }
    fputs("</g>\n", drawing->file);
    return y - top;
}
