/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/show/export.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/results/labels.h"
#include "benchmarks/harness/text/format.h"

/* hyperfine's parameters are text. */
static void set_text(json_t *parameters, const char *key, const json_t *value)
{
    if (value == NULL)
        return;
    char *text = al_value_text(value);
    al_json_set(parameters, key, json_string(text));
    free(text);
}

/*
 * What differs between the results, and nothing else: hyperfine's plot over a parameter wants to
 * find one only.
 */
static json_t *parameters_of(const struct al_lines *lines, const struct al_point *point)
{
    bool benchmarks = false, workers = false;
    for (size_t p = 0; p < lines->n; p++) {
        benchmarks |= strcmp(lines->points[p].benchmark, point->benchmark) != 0;
        workers |= lines->points[p].workers != point->workers;
    }
    json_t *parameters = al_needed(json_object());
    if (benchmarks)
        set_text(parameters, "benchmark", json_object_get(point->cell->identity, "benchmark"));
    for (size_t k = 0; k < lines->keys.n; k++)
        set_text(parameters, lines->keys.all[k].name,
                 al_key_value(point->cell->identity, &lines->keys.all[k]));
    if (workers)
        set_text(parameters, "workers", json_object_get(point->cell->identity, "workers"));
    return parameters;
}

static json_t *result_of(const struct al_lines *lines, const struct al_point *point)
{
    const struct al_cell *cell = point->cell;
    double sum = 0, squares = 0, n = (double)cell->n, least = INFINITY, most = 0;
    json_t *times = al_needed(json_array()), *codes = al_needed(json_array());
    json_t *memory = al_needed(json_array());
    for (size_t i = 0; i < cell->n; i++) {
        double time = cell->values[TIME][i] / 1e9;
        sum += time;
        least = fmin(least, time);
        most = fmax(most, time);
        al_json_append(times, json_real(time));
        al_json_append(codes, json_integer(0)); /* the cell's values are of outcome ok */
        al_json_append(memory, al_json_whole(cell->values[PEAK][i]));
    }
    if (cell->simulated) { /* it is the simulator's */
        json_decref(memory);
        memory = json_null();
    }
    for (size_t i = 0; i < cell->n; i++)
        squares += pow(cell->values[TIME][i] / 1e9 - sum / n, 2);
    char *command = al_text("%s %s workers=%" JSON_INTEGER_FORMAT, point->benchmark,
                            lines->parts.labels[point->line], point->workers);
    json_t *deviation = cell->n > 1 ? json_real(sqrt(squares / (n - 1))) : json_null();
    json_t *result = json_pack("{s:s, s:f, s:o, s:f, s:n, s:n, s:f, s:f, s:o, s:o, s:o, s:o}",
                               "command", command, "mean", sum / n, "stddev", deviation, "median",
                               point->value.median / 1e9, "user", "system", "min", least, "max",
                               most, "times", times, "memory_usage_byte", memory, "exit_codes",
                               codes, "parameters", parameters_of(lines, point));
    free(command);
    return result;
}

void al_export_hyperfine(const struct al_lines *lines, FILE *out)
{
    json_t *results = al_needed(json_array());
    for (size_t p = 0; p < lines->n; p++)
        al_json_append(results, result_of(lines, &lines->points[p]));
    json_t *root = al_needed(json_pack("{s:o}", "results", results));
    (void)al_put_json(root, out, JSON_INDENT(2));
    putc('\n', out);
    json_decref(root);
}
