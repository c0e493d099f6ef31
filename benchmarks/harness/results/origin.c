/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/results/origin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/results/labels.h"
#include "benchmarks/harness/text/json.h"

/* Before the path of a number of which more is better. */
#define INVERSE "1/"

#define COUNT(list) (sizeof(list) / sizeof *(list))

bool al_record_is_simulated(const json_t *record)
{
    const char *engine = json_string_value(json_object_get(record, "engine"));
    return engine != NULL && strcmp(engine, "sim") == 0;
}

/* "locked=7", "handoff.l3=30": between them what is given. */
static void put_overridden(FILE *out, const json_t *machine, const char *before)
{
    const char *key;
    json_t *value;
    json_object_foreach(json_object_get(machine, "overridden"), key, value)
    {
        char *text = al_value_text(value);
        fprintf(out, "%s%s=%s", before, key, text);
        free(text);
    }
}

/* "2 x AMD EPYC 7662 (simulated, hypothetical, locked=7)". */
static json_t *title_of(const json_t *machine)
{
    struct al_growing text;
    const char *title = json_string_value(json_object_get(machine, "title"));
    if (title == NULL)
        title = json_string_value(json_object_get(machine, "name"));
    FILE *out = al_growing_open(&text);
    fprintf(out, "%s (simulated%s", title != NULL ? title : "unknown machine",
            json_is_true(json_object_get(machine, "hypothetical")) ? ", hypothetical" : "");
    put_overridden(out, machine, ", ");
    putc(')', out);
    return al_growing_close_json(&text);
}

json_t *al_record_environment(const json_t *record)
{
    /* The rest of the host's cannot reach a simulated time. */
    static const char *const of_program[] = {"compiler", "flags",    "build_type", "sanitize",
                                             "checks",   "counting", "revision",   "binary_hash"};
    json_t *environment = json_object_get(record, "environment");
    if (!al_record_is_simulated(record))
        return environment != NULL ? json_incref(environment) : NULL;
    const json_t *machine = json_object_get(record, "machine");
    json_t *own = al_needed(json_object());
    al_json_set(own, "cpu", title_of(machine));
    al_json_set(own, "topology_hash", al_json_or_null(json_object_get(machine, "model_hash")));
    for (size_t k = 0; k < COUNT(of_program); k++) {
        json_t *value = json_object_get(environment, of_program[k]);
        if (value != NULL)
            al_json_set(own, of_program[k], json_incref(value));
    }
    return own;
}

json_t *al_record_machine(const json_t *record)
{
    const json_t *machine = json_object_get(record, "machine");
    if (!al_record_is_simulated(record) || !json_is_object(machine))
        return json_null();
    struct al_growing text;
    FILE *out = al_growing_open(&text);
    const char *name = json_string_value(json_object_get(machine, "name"));
    fputs(name != NULL ? name : "unknown machine", out);
    put_overridden(out, machine, " ");
    return al_growing_close_json(&text);
}

double al_record_pair(const json_t *record)
{
    const json_t *sweep = json_object_get(record, "sweep"), *seed = json_object_get(record, "seed");
    const json_t *block = json_object_get(sweep, "block");
    if (!al_record_is_simulated(record))
        return json_is_integer(block) ? (double)json_integer_value(block) : -1;
    if (!json_is_integer(seed))
        return -1;
    json_int_t shift = json_is_true(json_object_get(sweep, "twin")) ? AL_TWIN_SEED : 0;
    return (double)(json_integer_value(seed) - shift);
}

double al_record_measure(const json_t *record, const char *path)
{
    bool inverse = strncmp(path, INVERSE, strlen(INVERSE)) == 0;
    path += inverse ? strlen(INVERSE) : 0;
    const char *dot = strchr(path, '.');
    if (dot != NULL)
        record = json_object_getn(record, path, (size_t)(dot - path));
    const json_t *value = json_object_get(record, dot != NULL ? dot + 1 : path);
    double number = json_number_value(value);
    return number <= 0 ? -1 : inverse ? 1 / number : number;
}
