/* SPDX-License-Identifier: MIT */
#ifndef AL_FACLOC_H
#define AL_FACLOC_H

/* Points and boxes of the workload facloc. */

#include "benchmarks/workloads/savina/savina.h"

struct point {
    double x, y;
};

struct points {
    struct point *at;
    uint64_t n, room;
};

struct box {
    double x1, y1, x2, y2;
};

/* The children of a quadrant, each across from the one with 3 less its number. */
enum { CHILDREN = 4 };

static inline void append(struct points *points, struct point point)
{
    if (points->n == points->room) {
        points->room = 2 * points->room + 4;
        size_t bytes = points->room * sizeof *points->at;
        points->at = al_realloc(points->at, bytes);
        if (points->at == NULL)
            al_out_of_memory("the workload", bytes);
    }
    points->at[points->n++] = point;
}

static inline struct point middle(const struct box *box)
{
    return (struct point){(box->x1 + box->x2) / 2, (box->y1 + box->y2) / 2};
}

/* The quarter that a point belongs to: of several, on their edge, the first. */
static inline uint32_t child_of(const struct box *box, struct point point)
{
    struct point centre = middle(box);
    return (point.y >= centre.y ? 0 : 2) + (point.x <= centre.x ? 0 : 1);
}

/* In the order of Savina: top left, top right, bottom left, bottom right. */
static inline struct box child_box(const struct box *whole, uint32_t i)
{
    struct point centre = middle(whole);
    struct box box = *whole;
    *(i < 2 ? &box.y1 : &box.y2) = centre.y;
    *(i % 2 != 0 ? &box.x1 : &box.x2) = centre.x;
    return box;
}

AL_UNREPORTED static inline double nearest(const struct points *facilities, struct point point)
{
    double least = INFINITY;
    for (uint64_t i = 0; i < facilities->n; i++) {
        double x = facilities->at[i].x - point.x, y = facilities->at[i].y - point.y;
        double square = x * x + y * y;
        least = square < least ? square : least;
    }
    return __builtin_sqrt(least);
}

#endif
