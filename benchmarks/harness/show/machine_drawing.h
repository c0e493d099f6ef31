/* SPDX-License-Identifier: MIT */
#ifndef AL_MACHINE_DRAWING_H
#define AL_MACHINE_DRAWING_H

/* Shared by the files that draw a machine, benchmarks/harness/show/machine_*.c, and private to
 * them. Lengths are in pixels of the picture. */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct al_machine;
struct al_model;

#define AL_DRAWING_INK   "#1f2937"
#define AL_DRAWING_MUTED "#6b7280"
#define AL_DRAWING_GRID  "#e5e7eb"

/* The picture, and the shortest and longest hand-off of the machine, between which the colours run
 * from yellow to violet, by the logarithm. */
struct al_drawing {
    FILE *file;
    const struct al_model *model;
    const struct al_machine *machine;
    uint32_t least_ps, most_ps;
};

/* "#21918c" */
struct al_drawing_colour {
    char text[8];
};
struct al_drawing_colour al_drawing_colour(const struct al_drawing *drawing, uint32_t ps);

/* Whether text on this colour is to be white. */
bool al_drawing_dark(const struct al_drawing *drawing, uint32_t ps);

/* Write text with what XML has a meaning for escaped, and control characters made visible. */
void al_drawing_text(const struct al_drawing *drawing, const char *text);

/* "8 ns", "1.5 µs" */
struct al_drawing_time {
    char text[32];
};
struct al_drawing_time al_drawing_time(double ns);

/* The parts, nested, within width x height; returns the height that they take. */
double al_drawing_parts(const struct al_drawing *drawing, double left, double top, double width,
                        double height);

/* The hand-offs as a square of this size; returns the height. */
double al_drawing_heat(const struct al_drawing *drawing, double left, double top, double size);

/* The scale of the colours, and the classes of hand-offs; returns the height. */
double al_drawing_scale(const struct al_drawing *drawing, double left, double top, double width);

/* The parameters on a scale of time; returns the height. */
double al_drawing_ladder(const struct al_drawing *drawing, double left, double top, double width);

#endif
