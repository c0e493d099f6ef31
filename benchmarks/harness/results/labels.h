/* SPDX-License-Identifier: MIT */
#ifndef AL_LABELS_H
#define AL_LABELS_H

#include <stdio.h>

#include <jansson.h>

#include "benchmarks/harness/results/cells.h"
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

/* What identifies a cell, or a parameter or an option of it; NULL without any. */
const json_t *al_cell_value(const struct al_cell *cell, const char *key);

#endif
