/* SPDX-License-Identifier: MIT */
#ifndef AL_LABELS_H
#define AL_LABELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <jansson.h>

#include "benchmarks/harness/results/cells.h"
#include "benchmarks/harness/results/keys.h"
#include "benchmarks/harness/text/format.h"

/*
 * How cells are named in tables. The caller frees every returned string; none is NULL.
 */

/*
 * A string as it is, null as "", and anything else as JSON, with numbers in the fewest digits that
 * read back as the same number.
 */
char *al_value_text(const json_t *value);

/* The same, but null as "-". */
char *al_label_text(const json_t *value);

/* The same for a terminal: al_printable(). */
char *al_shown_text(const json_t *value);

/* A field of CSV (RFC 4180). */
void al_csv_text(FILE *out, const char *text);

/*
 * The same, null as an empty field. A string that a spreadsheet would take for a formula, which may
 * run a program, has a single quote before it.
 */
void al_csv_value(FILE *out, const json_t *value);

/* The benchmark, with those of its parameters that are among the keys. The caller frees it. */
char *al_workload_text(const struct al_keys *keys, const json_t *identity);

/* What identifies a cell, or a parameter or an option of it; NULL without any. */
const json_t *al_cell_value(const struct al_cell *cell, const char *key);

#define AL_MARK_OVERSUBSCRIBED "more workers than PUs"
#define AL_MARK_MIXED_KINDS    "workers on cores of several kinds"

/* What marks numbers of workers in tables, "*", "+" and "°"; kinds are such as P and E cores. */
struct al_marks {
    bool oversubscribed, mixed_kinds;
    unsigned doubts; /* of enum al_doubt */
};

static inline struct al_marks al_marks_of(const struct al_cell *cell)
{
    return (struct al_marks){cell->oversubscribed, cell->mixed_kinds, cell->doubts};
}

static inline void al_marks_join(struct al_marks *all, struct al_marks more)
{
    all->oversubscribed |= more.oversubscribed;
    all->mixed_kinds |= more.mixed_kinds;
    all->doubts |= more.doubts;
}

/* Add those of a cell. */
static inline void al_marks_add(struct al_marks *marks, const struct al_cell *cell)
{
    al_marks_join(marks, al_marks_of(cell));
}

/* The signs, in this order, or "". */
const char *al_marks_text(struct al_marks marks);

static inline const char *al_cell_mark(const struct al_cell *cell)
{
    return al_marks_text(al_marks_of(cell));
}

/* What they mean, a line for each. */
void al_marks_print(struct al_marks marks, FILE *out);

/*
 * What tables call the strategies of cells: "inverted shards=4". Keys that all share, or that
 * follow from others, are left out.
 */

struct al_names {
    struct al_keys keys;
    struct al_parts parts;
    const struct al_cell *cells;
    size_t n;
};

/* Of all cells, which must outlive them. `order` (an object, or NULL) names keys that come first.
 */
void al_names_make(const struct al_summary *summary, const json_t *order, struct al_names *out);

/* The name of one of these cells, for a terminal. The caller frees it. */
char *al_names_of(const struct al_names *names, const struct al_cell *cell);

/* In which key the names differ if it is one, else "strategy". */
const char *al_names_head(const struct al_names *names);

void al_names_release(struct al_names *names);

/*
 * Where the memory of messages came from, for the foot of every table and figure: "Allocation:
 * memory=malloc in send-dynamic; envelopes=recycled in deque, las." Empty where nothing is
 * allocated, or the records do not say. Behind it what a strategy was told to add to each message:
 * "Added to each message: library=100 ns in deque." The caller frees it.
 */
char *al_sources_of(struct al_cell *const *cells, size_t n);

/* Writes that of all cells in lines of so many columns, unless it is empty. */
void al_sources_print(const struct al_summary *summary, size_t columns, FILE *out);

#endif
