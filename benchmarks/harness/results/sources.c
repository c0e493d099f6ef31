/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/results/labels.h"

#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/text/format.h"
#include "benchmarks/harness/text/json.h"
#include "core/source.h"

struct kind {
    const char *key, *section, *owner;
};

static const struct kind kinds[] = {
    {AL_MEMORY, "parameters", "benchmark"},
    {AL_ENVELOPES, "options", "scheduler"},
};

/* A copy queue holds its envelopes itself, whatever a list would do. */
static bool allocates(const json_t *section)
{
    const char *queue = json_string_value(json_object_get(section, "queue"));
    return queue == NULL || strcmp(queue, "copy") != 0;
}

static void add_owner(json_t *values, const char *value, const char *owner)
{
    json_t *owners = json_object_get(values, value);
    if (owners == NULL) {
        owners = al_needed(json_object());
        al_json_set(values, value, owners);
    }
    al_json_set(owners, owner, json_true());
}

/* {"malloc": {"bang": true}}: who has which value. A new reference. */
static json_t *owners_by_value(struct al_cell *const *cells, size_t n, const struct kind *kind)
{
    json_t *values = al_needed(json_object());
    for (size_t c = 0; c < n; c++) {
        const json_t *identity = cells[c]->identity;
        const json_t *section = json_object_get(identity, kind->section);
        const char *value = json_string_value(json_object_get(section, kind->key));
        const char *owner = json_string_value(json_object_get(identity, kind->owner));
        if (value == NULL || owner == NULL || !allocates(section))
            continue;
        add_owner(values, value, owner);
    }
    return values;
}

/* Write who was told to add how many ns to each message, if anybody was. */
static void write_added(struct al_cell *const *cells, size_t n, FILE *out)
{
    json_t *values = al_needed(json_object());
    for (size_t c = 0; c < n; c++) {
        const json_t *identity = cells[c]->identity;
        const char *owner = json_string_value(json_object_get(identity, "scheduler"));
        json_int_t ns = json_integer_value(
            json_object_get(json_object_get(identity, "options"), AL_LIBRARY_OPTION));
        if (ns == 0 || owner == NULL)
            continue;
        char value[32];
        snprintf(value, sizeof value, "%lld", (long long)ns);
        add_owner(values, value, owner);
    }
    const char *ns, *before = "Added to each message:";
    json_t *owners;
    json_object_foreach(values, ns, owners)
    {
        char *names = al_printable_keys(owners);
        fprintf(out, "%s%s %s=%s ns in %s", ftell(out) == 0 || *before == ';' ? "" : " ", before,
                AL_LIBRARY_OPTION, ns, names);
        free(names);
        before = ";";
    }
    if (*before == ';')
        fputc('.', out);
    json_decref(values);
}

char *al_sources_of(struct al_cell *const *cells, size_t n)
{
    struct al_growing text;
    FILE *out = al_growing_open(&text);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        json_t *values = owners_by_value(cells, n, &kinds[k]);
        for (size_t v = 0; al_source_names[v] != NULL; v++) {
            json_t *owners = json_object_get(values, al_source_names[v]);
            if (owners == NULL)
                continue;
            char *names = al_printable_keys(owners);
            fprintf(out, "%s %s=%s in %s", ftell(out) == 0 ? "Allocation:" : ";", kinds[k].key,
                    al_source_names[v], names);
            free(names);
        }
        json_decref(values);
    }
    if (ftell(out) != 0)
        fputc('.', out);
    write_added(cells, n, out);
    return al_growing_close(&text);
}

void al_sources_print(const struct al_summary *summary, size_t columns, FILE *out)
{
    struct al_cell **cells = al_needed(calloc(summary->count + 1, sizeof *cells));
    for (size_t c = 0; c < summary->count; c++)
        cells[c] = &summary->cells[c];
    char *text = al_sources_of(cells, summary->count);
    if (text[0] != '\0')
        al_wrap(text, 0, 2, columns, out);
    free(text);
    free(cells);
}
