/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/results/labels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/results/identity.h"

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

char *al_workload_text(const struct al_keys *keys, const json_t *identity)
{
    struct al_growing text;
    const char *key;
    json_t *value;
    FILE *out = al_growing_open(&text);
    fputs(json_string_value(json_object_get(identity, "benchmark")), out);
    json_object_foreach(json_object_get(identity, "parameters"), key, value)
    {
        char *shown = al_value_text(value);
        if (al_keys_have(keys, "parameters", key))
            fprintf(out, " %s=%s", key, shown);
        free(shown);
    }
    return al_growing_close(&text);
}
