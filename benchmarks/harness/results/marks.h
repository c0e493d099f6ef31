/* SPDX-License-Identifier: MIT */
#ifndef AL_MARKS_H
#define AL_MARKS_H

#include <stdbool.h>
#include <stdio.h>

#include "benchmarks/harness/results/cells.h"

#define AL_MARK_OVERSUBSCRIBED "more workers than PUs"
#define AL_MARK_MIXED_KINDS    "workers on cores of several kinds"

/* What marks numbers of workers in tables, "*" and "+"; kinds are such as P and E cores. */
struct al_marks {
    bool oversubscribed, mixed_kinds;
};

static inline struct al_marks al_marks_of(const struct al_cell *cell)
{
    return (struct al_marks){cell->oversubscribed, cell->mixed_kinds};
}

static inline void al_marks_join(struct al_marks *all, struct al_marks more)
{
    all->oversubscribed |= more.oversubscribed;
    all->mixed_kinds |= more.mixed_kinds;
}

/* Add those of a cell. */
static inline void al_marks_add(struct al_marks *marks, const struct al_cell *cell)
{
    al_marks_join(marks, al_marks_of(cell));
}

/* "", "*", "+", or "*+". */
const char *al_marks_text(struct al_marks marks);

static inline const char *al_cell_mark(const struct al_cell *cell)
{
    return al_marks_text(al_marks_of(cell));
}

/* What they mean, a line for each. */
void al_marks_print(struct al_marks marks, FILE *out);

#endif
