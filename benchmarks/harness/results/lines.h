/* SPDX-License-Identifier: MIT */
#ifndef AL_LINES_H
#define AL_LINES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "benchmarks/harness/results/cells.h"
#include "benchmarks/harness/results/keys.h"
#include "benchmarks/harness/results/labels.h"
#include "benchmarks/harness/results/measures.h"
#include "benchmarks/harness/results/palette.h"
#include "benchmarks/harness/statistics/statistics.h"
#include "benchmarks/harness/text/format.h"

/*
 * Cells as lines over worker counts: what tables and plots show. Two cells are of one line if they
 * differ in benchmark or workers only, or in what follows from these.
 */

struct al_point {
    const struct al_cell *cell;
    const char *benchmark;
    json_int_t workers;
    size_t line;
    struct al_interval value;
};

struct al_lines {
    enum measure measure;
    struct al_keys keys;     /* that tell lines apart */
    struct al_parts parts;   /* the lines, the same on every panel */
    struct al_look *looks;   /* one per line */
    struct al_point *points; /* by benchmark, line, workers: no two have all three in common */
    size_t n;
    char **workloads; /* NULL, or what the points have as their benchmarks; as many */
    bool log; /* the axes of all panels are logarithmic, as the medians of one span so much */
};

/* The points of one benchmark, and the unit that suits their values. */
struct al_panel {
    const char *benchmark;
    const struct al_point *points;
    size_t n;
    double divisor;     /* value / divisor is in the unit */
    char label[64];     /* "ns per message" */
    double least, most; /* median, in the unit */
};

/*
 * The lines of all finished cells, or of those of one benchmark. The cells must outlive them.
 */
void al_lines_make(const struct al_summary *summary, enum measure measure, const char *benchmark,
                   struct al_lines *out);
void al_lines_release(struct al_lines *lines);

/* If a panel would have more lines than can be told apart, give each workload one of its own: a
 * benchmark with certain parameters, in which lines differ no more. Before the first panel. */
void al_lines_part(struct al_lines *lines);

/* The first panel if `panel` is all zero, else the next. False: there is none. */
bool al_lines_next(const struct al_lines *lines, struct al_panel *panel);

/* "6 processes", or "3 to 6 processes": how many the medians of a panel are of. */
struct al_text al_panel_processes(const struct al_panel *panel);

/* The machine that the panel's cells were simulated on, or words for several; NULL: all are native.
 */
const char *al_panel_simulated(const struct al_panel *panel);

/* Numbers of workers of a panel, ascending, and what marks any of its cells there. */
struct al_column {
    json_int_t workers;
    struct al_marks marks;
};

/* The columns of a panel, of which there is at least one; the caller frees them. */
struct al_column *al_panel_columns(const struct al_panel *panel, size_t *n);

/* In which key the lines differ if it is one, else "strategy". */
const char *al_lines_head(const struct al_lines *lines);

#endif
