/* SPDX-License-Identifier: MIT */
#ifndef AL_FORMAT_H
#define AL_FORMAT_H

#include <stddef.h>
#include <stdio.h>

#include <jansson.h>

/*
 * Numbers for people. Returned by value, so that printf("%s", al_format_bytes(x).text) needs no
 * buffer.
 */
struct al_text {
    char text[48];
};

/* "812 ms", "8.12 ns": three significant digits. */
struct al_text al_format_duration(double ns);

/* "125 M": three significant digits, decimal prefixes. */
struct al_text al_format_count(double count);

/* "125 M messages/s" */
struct al_text al_format_rate(double messages_per_s);

/* "12.3 MB" (10^6 bytes) */
struct al_text al_format_bytes(double bytes);

/* As many decimals as `digits` significant digits need, without exponent: 8.123, 12346. What is
 * beyond 10^±15 has one. ∞ if it is infinite. */
struct al_text al_format_number(double value, int digits);

/*
 * The same text, but what could move the cursor, colour or reorder what follows, or is not UTF-8 as
 * \x1b or \u202e: names from records are printed to terminals. The caller frees it.
 */
char *al_printable(const char *text);

/* The same of the character that the text begins with, which has so many bytes. */
struct al_text al_printable_character(const char *text, size_t *length);

/* Characters of UTF-8 text, all taken to be one column wide. */
size_t al_characters(const char *text, size_t bytes);

/*
 * Writes text from column `at` on, in lines of so many columns if its words allow. Further lines
 * are indented by `indent`. A line that starts with a space is kept.
 */
void al_wrap(const char *text, size_t at, size_t indent, size_t columns, FILE *out);

/*
 * A table: cells[row * columns + column], UTF-8. First the widths, in characters, then row after
 * row. A column that is empty in all rows has width 0 and is left out. Bit c of `right` aligns
 * column c right.
 */
void al_table_widths(char *const *cells, size_t rows, size_t columns, size_t *widths);
void al_table_row(FILE *out, char *const *row, size_t columns, const size_t *widths,
                  unsigned right);

/* Writes JSON for other programs, in which no character acts on a terminal. -1 if it failed. */
int al_put_json(const json_t *json, FILE *out, size_t flags);

/* The same, indented, to standard output. Takes over the reference; NULL: there was no memory
 * for it. */
void al_print_json(json_t *root);

#endif
