/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/text/format.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/text/json.h"
#include "core/error.h"

#define MOST 1e15 /* beyond, and below its inverse, a number has an exponent */

struct al_text al_format_number(double value, int digits)
{
    int decimals = 0;
    if (value != 0 && isfinite(value)) {
        decimals = digits - 1 - (int)floor(log10(fabs(value)));
        /* 9.996 has one digit more before the point once it is rounded */
        if (fabs(value) + 0.5 * pow(10, -decimals) >= pow(10, digits - decimals))
            decimals--;
    }
    struct al_text out;
    if (isinf(value))
        snprintf(out.text, sizeof out.text, "%s∞", value < 0 ? "-" : "");
    else if (value != 0 && (fabs(value) >= MOST || fabs(value) < 1 / MOST))
        snprintf(out.text, sizeof out.text, "%.*g", digits, value);
    else
        snprintf(out.text, sizeof out.text, "%.*f",
                 decimals < 0    ? 0
                 : decimals > 20 ? 20
                                 : decimals,
                 value);
    return out;
}

/* Units of 1, 10^3, 10^6 …, closed by NULL. Whole numbers of the smallest unit stay whole. */
static struct al_text scaled(double value, const char *const *units)
{
    size_t unit = 0;
    while (units[unit + 1] != NULL && fabs(value) >= 999.5) {
        value /= 1000;
        unit++;
    }
    struct al_text number, out;
    number = al_format_number(value, unit == 0 && value == floor(value) ? 1 : 3);
    snprintf(out.text, sizeof out.text, "%.30s%s", number.text, units[unit]);
    return out;
}

struct al_text al_format_duration(double ns)
{
    static const char *const units[] = {" ns", " µs", " ms", " s", NULL};
    return scaled(ns, units);
}

struct al_text al_format_count(double count)
{
    static const char *const units[] = {"", " k", " M", " G", " T", NULL};
    return scaled(count, units);
}

struct al_text al_format_rate(double messages_per_s)
{
    struct al_text out, count = al_format_count(messages_per_s);
    snprintf(out.text, sizeof out.text, "%.32s messages/s", count.text);
    return out;
}

struct al_text al_format_bytes(double bytes)
{
    static const char *const units[] = {" B", " kB", " MB", " GB", " TB", NULL};
    return scaled(bytes, units);
}

/* The character at `text` and its length in bytes, or -1 and 1 if it is not UTF-8. */
static long decode(const unsigned char *text, size_t *length)
{
    static const long least[] = {0, 0, 0x80, 0x800, 0x10000};
    *length = text[0] < 0x80 ? 1 : text[0] < 0xc0 ? 0 : text[0] < 0xe0 ? 2 : text[0] < 0xf0 ? 3 : 4;
    long character = *length == 1 ? text[0] : text[0] & (0x7f >> *length);
    for (size_t i = 1; i < *length; i++) {
        if ((text[i] & 0xc0) != 0x80) {
            *length = 0;
            break;
        }
        character = character << 6 | (text[i] & 0x3f);
    }
    if (*length > 0 && character >= least[*length] && character <= 0x10ffff &&
        (character < 0xd800 || character > 0xdfff))
        return character;
    *length = 1;
    return -1;
}

/* Controls (C0, DEL, C1), separators of lines, and what changes the direction of writing. */
static bool is_harmless(long c)
{
    return c >= 0x20 && (c < 0x7f || c >= 0xa0) && c != 0x61c && c != 0x200e && c != 0x200f &&
           !(c >= 0x2028 && c <= 0x202e) && !(c >= 0x2066 && c <= 0x2069);
}

struct al_text al_printable_character(const char *text, size_t *length)
{
    struct al_text out;
    long c = decode((const unsigned char *)text, length);
    if (is_harmless(c))
        snprintf(out.text, sizeof out.text, "%.*s", (int)*length, text);
    else if (c > 0xff)
        snprintf(out.text, sizeof out.text, "\\u%04lx", c);
    else
        snprintf(out.text, sizeof out.text, "\\x%02lx", c >= 0 ? c : (long)(unsigned char)*text);
    return out;
}

char *al_printable(const char *text)
{
    struct al_growing shown;
    size_t length;
    FILE *out = al_growing_open(&shown);
    for (; *text != '\0'; text += length)
        fputs(al_printable_character(text, &length).text, out);
    return al_growing_close(&shown);
}

char *al_printable_keys(json_t *object)
{
    struct al_growing text;
    FILE *out = al_growing_open(&text);
    const char *key, *comma = "";
    json_t *unused;
    json_object_foreach(object, key, unused)
    {
        char *shown = al_printable(key);
        fprintf(out, "%s%s", comma, shown);
        comma = ", ";
        free(shown);
    }
    return al_growing_close(&text);
}

char *al_text(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *out;
    if (vasprintf(&out, format, arguments) < 0)
        al_no_memory();
    va_end(arguments);
    return out;
}

FILE *al_growing_open(struct al_growing *growing)
{
    growing->text = NULL;
    growing->out = al_needed(open_memstream(&growing->text, &growing->length));
    return growing->out;
}

char *al_growing_close(struct al_growing *growing)
{
    if (fclose(growing->out) != 0)
        al_no_memory();
    return growing->text;
}

json_t *al_growing_close_json(struct al_growing *growing)
{
    char *text = al_growing_close(growing);
    json_t *json = growing->length > 0 ? al_needed(json_string(text)) : json_null();
    free(text);
    return json;
}

size_t al_characters(const char *text, size_t bytes)
{
    size_t count = 0;
    for (size_t i = 0; i < bytes; i++)
        count += ((unsigned char)text[i] & 0xc0) != 0x80; /* 10xxxxxx continues a character */
    return count;
}

static size_t characters(const char *text)
{
    return al_characters(text, strlen(text));
}

void al_wrap(const char *text, size_t at, size_t indent, size_t columns, FILE *out)
{
    bool kept = *text == ' ', first = true;
    while (*text != '\0') {
        if (*text == '\n') {
            fprintf(out, "\n%*s", text[1] != '\n' ? (int)indent : 0, "");
            kept = *++text == ' ';
            at = indent;
            first = true;
            continue;
        }
        size_t bytes = kept ? strcspn(text, "\n") : strcspn(text, " \n");
        size_t width = al_characters(text, bytes);
        if (!first && at + 1 + width > columns) {
            fprintf(out, "\n%*s", (int)indent, "");
            at = indent;
        } else if (!first) {
            fputc(' ', out);
            at++;
        }
        fwrite(text, 1, bytes, out);
        at += width;
        first = false;
        text += bytes;
        if (!kept)
            text += *text == ' ';
    }
    fputc('\n', out);
}

void al_table_add(struct al_table *table, char *const *row)
{
    size_t n = table->rows++ * table->columns;
    table->cells = al_needed(reallocarray(table->cells, n + table->columns, sizeof *table->cells));
    for (size_t c = 0; c < table->columns; c++) {
        table->cells[n + c] = row[c] != NULL ? row[c] : al_text("%s", "");
        size_t width = characters(table->cells[n + c]);
        table->widths[c] = width > table->widths[c] ? width : table->widths[c];
    }
}

void al_table_add_copies(struct al_table *table, const char *const *texts)
{
    char *row[AL_TABLE_COLUMNS];
    for (size_t c = 0; c < table->columns; c++)
        row[c] = texts[c] != NULL ? al_text("%s", texts[c]) : NULL;
    al_table_add(table, row);
}

void al_table_row(const struct al_table *table, size_t row, FILE *out)
{
    size_t owed = 0; /* blanks before the next text, so that no line ends in blanks */
    for (size_t c = 0; c < table->columns; c++) {
        const char *text = table->cells[row * table->columns + c];
        size_t width = characters(text), padding = table->widths[c] - width;
        bool on_right = (table->right >> c & 1) != 0;
        if (table->widths[c] == 0)
            continue;
        if (width > 0)
            fprintf(out, "%*s%s", (int)(owed + (on_right ? padding : 0)), "", text);
        owed = width == 0 ? owed + table->widths[c] + 2 : (on_right ? 0 : padding) + 2;
    }
    fputc('\n', out);
}

void al_table_print(struct al_table *table, const char *indent, FILE *out)
{
    for (size_t r = 0; r < table->rows; r++) {
        fputs(indent, out);
        al_table_row(table, r, out);
    }
    al_table_release(table);
}

void al_table_release(struct al_table *table)
{
    for (size_t i = 0; i < table->rows * table->columns; i++)
        free(table->cells[i]);
    free(table->cells);
}

int al_put_json(const json_t *json, FILE *out, size_t flags)
{
    return json_dumpf(json, out, flags | JSON_ENSURE_ASCII);
}

void al_print_json(json_t *root)
{
    if (root == NULL || (al_put_json(root, stdout, JSON_INDENT(2)) != 0 && !ferror(stdout)))
        al_out_of_memory("the output", 0);
    putchar('\n');
    json_decref(root);
}
