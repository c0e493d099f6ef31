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

/* "deque, las": the keys of an object, for a terminal. The caller frees it. */
char *al_printable_keys(json_t *object);

/* As printf; the caller frees it. */
__attribute__((format(printf, 1, 2))) char *al_text(const char *format, ...);

/*
 * A text that grows by what is written to a stream. It stays where it is until it is closed, which
 * gives the text to the caller, who frees it; or as JSON, null if nothing was written.
 */
struct al_growing {
    char *text;
    size_t length;
    FILE *out;
};
FILE *al_growing_open(struct al_growing *growing);
char *al_growing_close(struct al_growing *growing);
json_t *al_growing_close_json(struct al_growing *growing);

/* Characters of UTF-8 text, all taken to be one column wide. */
size_t al_characters(const char *text, size_t bytes);

/*
 * Writes text from column `at` on, in lines of so many columns if its words allow. Further lines
 * are indented by `indent`. A line that starts with a space is kept.
 */
void al_wrap(const char *text, size_t at, size_t indent, size_t columns, FILE *out);

/* A table of UTF-8 texts, which grows by rows. It begins with its number of columns alone. */
#define AL_TABLE_COLUMNS 12 /* at most */
struct al_table {
    size_t columns, rows;
    unsigned right; /* bit c aligns column c right */
    char **cells;   /* [row * columns + column] */
    /* In characters. A column that is empty in all rows has 0, and is left out. */
    size_t widths[AL_TABLE_COLUMNS];
};

/* Takes over the texts; NULL is an empty one. */
void al_table_add(struct al_table *table, char *const *row);

/* Copies the texts, such as titles. */
void al_table_add_copies(struct al_table *table, const char *const *texts);

/* Writes a row, once all are there. */
void al_table_row(const struct al_table *table, size_t row, FILE *out);

/* Writes all rows, each after the indent, and releases the table. */
void al_table_print(struct al_table *table, const char *indent, FILE *out);
void al_table_release(struct al_table *table);

/* Writes JSON for other programs, in which no character acts on a terminal. -1 if it failed. */
int al_put_json(const json_t *json, FILE *out, size_t flags);

/* The same, indented, to standard output. Takes over the reference; NULL: there was no memory
 * for it. */
void al_print_json(json_t *root);

#endif
