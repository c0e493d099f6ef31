/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/results/labels.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/results/identity.h"
#include "benchmarks/harness/text/format.h"

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

/* The fewest digits that read back as the same number. */
static char *real_text(double value)
{
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    return al_text("%s", text);
}

char *al_value_text(const json_t *value)
{
    if (value == NULL || json_is_null(value))
        return al_text("%s", "");
    if (json_is_string(value))
        return al_text("%s", json_string_value(value));
    if (json_is_real(value))
        return real_text(json_real_value(value));
    return al_needed(json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT));
}

char *al_label_text(const json_t *value)
{
    return value == NULL || json_is_null(value) ? al_text("-") : al_value_text(value);
}

char *al_shown_text(const json_t *value)
{
    char *text = al_label_text(value), *shown = al_printable(text);
    free(text);
    return shown;
}

void al_csv_text(FILE *out, const char *text)
{
    char *shown = al_printable(text);
    bool quoted = strpbrk(shown, "\",") != NULL;
    if (quoted)
        putc('"', out);
    for (const char *c = shown; *c != '\0'; c++) {
        if (*c == '"')
            putc('"', out);
        putc(*c, out);
    }
    if (quoted)
        putc('"', out);
    free(shown);
}

void al_csv_value(FILE *out, const json_t *value)
{
    const char *string = json_string_value(value);
    bool formula = string != NULL && string[0] != '\0' && strchr("=+-@\t\r", string[0]) != NULL;
    char *text = al_value_text(value), *field = al_text("%s%s", formula ? "'" : "", text);
    al_csv_text(out, field);
    free(text);
    free(field);
}

const json_t *al_cell_value(const struct al_cell *cell, const char *key)
{
    const json_t *value = json_object_get(cell->identity, key);
    if (value == NULL)
        value = json_object_get(json_object_get(cell->identity, "parameters"), key);
    if (value == NULL)
        value = json_object_get(json_object_get(cell->identity, "options"), key);
    return value;
}

/* Keys that have their own column in every table. */
static bool is_column(const char *key)
{
    static const char *const columns[] = {"benchmark", "scheduler", "victim", "workers"};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        if (strcmp(columns[i], key) == 0)
            return true;
    }
    return false;
}

/* Calls `each` for every value of an identity that has no column: parameters and options first. */
static void visit(json_t *identity, void (*each)(void *data, const char *key, json_t *value),
                  void *data)
{
    for (size_t k = 0; k < AL_IDENTITY_KEYS; k++) {
        const char *key;
        json_t *value, *section = json_object_get(identity, al_identity_keys[k].name);
        if ((al_identity_keys[k].roles & AL_SECTION) != 0)
            json_object_foreach(section, key, value) each(data, key, value);
    }
    for (size_t k = 0; k < AL_IDENTITY_KEYS; k++) {
        const char *key = al_identity_keys[k].name;
        if ((al_identity_keys[k].roles & AL_SECTION) == 0 && !is_column(key))
            each(data, key, json_object_get(identity, key));
    }
}

/* Remember the values of a key: one, or two as soon as it varies. */
static void see(void *seen, const char *key, json_t *value)
{
    json_t *values = json_object_get(seen, key);
    if (values == NULL) {
        values = al_needed(json_array());
        al_json_set(seen, key, values);
    }
    size_t n = json_array_size(values);
    if (n == 0 || (n == 1 && !json_equal(json_array_get(values, 0), value)))
        al_json_append(values, json_incref(value));
}

json_t *al_varying(const struct al_summary *summary)
{
    json_t *varying = al_needed(json_object());
    for (size_t c = 0; c < summary->count; c++) {
        json_t *identity = summary->cells[c].identity;
        const char *benchmark = json_string_value(json_object_get(identity, "benchmark"));
        json_t *seen = json_object_get(varying, benchmark);
        if (seen == NULL) {
            seen = al_needed(json_object());
            al_json_set(varying, benchmark, seen);
        }
        visit(identity, see, seen);
    }
    return varying;
}

struct setting {
    FILE *out;
    const json_t *seen;
};

static void print_if_varies(void *data, const char *key, json_t *value)
{
    const struct setting *setting = data;
    if (json_array_size(json_object_get(setting->seen, key)) < 2)
        return;
    char *name = al_printable(key), *shown = al_shown_text(value);
    fprintf(setting->out, "%s%s=%s", ftell(setting->out) > 0 ? " " : "", name, shown);
    free(name);
    free(shown);
}

char *al_setting(const json_t *varying, const struct al_cell *cell)
{
    const char *benchmark = json_string_value(json_object_get(cell->identity, "benchmark"));
    char *all = NULL;
    size_t length;
    struct setting setting = {al_needed(open_memstream(&all, &length)),
                              json_object_get(varying, benchmark)};
    visit(cell->identity, print_if_varies, &setting);
    if (fclose(setting.out) != 0)
        al_no_memory();
    return all;
}
