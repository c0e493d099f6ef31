/* SPDX-License-Identifier: MIT */
#ifndef AL_LATEX_TABLE_H
#define AL_LATEX_TABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "benchmarks/harness/results/lines.h"
#include "benchmarks/harness/results/study.h"

/* A table for the package booktabs, of one benchmark: lines by numbers of workers. */

/* What the caption explains; the first two are of columns. */
enum {
    AL_LATEX_OVERSUBSCRIBED = 1 << 0,
    AL_LATEX_MIXED_KINDS = 1 << 1,
    AL_LATEX_DISTURBED = 1 << 2,
    AL_LATEX_EITHER_DISTURBED = 1 << 3, /* of a ratio */
    AL_LATEX_FAILED = 1 << 4,
    AL_LATEX_STATES = 1 << 5,
    AL_LATEX_MARKS = 6, /* how many these are; behind them is a bit for each doubt */
};

struct al_latex_cell {
    char value[64];     /* "": a dash */
    char interval[128]; /* in small type beside it */
    bool bold;
    unsigned marks;
    const char *sign; /* LaTeX after the value; or NULL */
};

struct al_latex_table {
    const struct al_summary *summary;
    const struct al_lines *lines;
    const struct al_study *study;
    const char *label; /* after the benchmark's name in the name of the table */
    /* Fills an empty cell. */
    void (*fill)(const struct al_latex_table *table, const struct al_panel *panel,
                 const struct al_point *point, struct al_latex_cell *cell);
    /* What the cells are: whole sentences of the caption. */
    void (*explain)(const struct al_latex_table *table, const struct al_panel *panel, FILE *out);
};

void al_latex_table(FILE *out, const struct al_latex_table *table, const struct al_panel *panel);

/* Text as it is, whatever LaTeX makes of its characters. */
void al_latex_text(FILE *out, const char *text);

#endif
