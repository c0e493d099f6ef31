/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/results/sweep_file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "benchmarks/harness/results/labels.h"
#include "benchmarks/harness/results/reader.h"

json_t *al_sweep_read(const char *records)
{
    if (strcmp(records, "-") == 0)
        return NULL;
    struct stat found;
    bool folder = stat(records, &found) == 0 && S_ISDIR(found.st_mode);
    const char *slash = strrchr(records, '/');
    char *path = folder          ? al_text("%s/sweep.json", records)
                 : slash != NULL ? al_text("%.*s/sweep.json", (int)(slash - records), records)
                                 : al_text("sweep.json");
    int file = al_open_regular(path);
    json_t *sweep = file >= 0 ? json_loadfd(file, 0, NULL) : NULL;
    if (file >= 0)
        close(file);
    free(path);
    if (json_is_object(sweep))
        return sweep;
    json_decref(sweep);
    return NULL;
}

enum al_interval_kind al_sweep_interval(const json_t *sweep)
{
    const char *kind = json_string_value(json_object_get(sweep, "interval"));
    return kind != NULL && strcmp(kind, "percentile") == 0 ? AL_PERCENTILE : AL_ORDER;
}

/* How many blocks have trials of as many cells as any block has. */
static size_t whole_blocks(const struct al_summary *summary)
{
    json_t *count;
    const char *block;
    json_int_t most = 0;
    size_t whole = 0;
    json_object_foreach(summary->blocks, block, count)
    {
        json_int_t n = json_integer_value(count);
        whole = n > most ? 1 : whole + (n == most);
        most = n > most ? n : most;
    }
    return whole;
}

/* How many blocks are done: as the sweep says, which knows its cells, or else as it seems. */
static size_t blocks_of(const json_t *sweep, const struct al_summary *summary)
{
    json_int_t said = json_integer_value(json_object_get(sweep, "blocks"));
    return said > 0 ? (size_t)said : whole_blocks(summary);
}

/* The planned looks, ascending and positive; none if the list is anything else. The caller
 * frees. */
static size_t *looks_of(const json_t *sweep, const char *key, size_t *n)
{
    const json_t *list = json_object_get(sweep, key), *look;
    size_t *looks = al_needed(calloc(json_array_size(list) + 1, sizeof *looks)), i;
    json_int_t before = 0;
    *n = 0;
    json_array_foreach(list, i, look)
    {
        if (json_integer_value(look) <= before) {
            *n = 0;
            break;
        }
        before = json_integer_value(look);
        looks[(*n)++] = (size_t)before;
    }
    return looks;
}

const char *al_sweep_baseline(const json_t *sweep)
{
    const char *asked = json_string_value(json_object_get(sweep, "baseline"));
    return asked != NULL ? al_today("scheduler", asked) : NULL;
}

struct al_rules al_sweep_rules(const json_t *sweep, const struct al_summary *summary)
{
    const json_t *margin = json_object_get(sweep, "margin_percent");
    double percent = json_number_value(margin);
    size_t n, *looks = looks_of(sweep, "looks", &n);
    struct al_rules rules = {.level = summary->level,
                             .margin_percent = percent > 0 ? percent : AL_MARGIN_PERCENT,
                             .share = n > 0 ? al_look_share(looks, n, blocks_of(sweep, summary))
                                            : 1};
    free(looks);
    return rules;
}

void al_sweep_looked(const json_t *sweep, struct al_summary *summary)
{
    size_t n, *looks = looks_of(sweep, "width_looks", &n);
    if (n > 0)
        summary->looked_level = 1 - (1 - summary->level) / (double)n;
    free(looks);
}

int al_sweep_cells(const char *records, const char *command, struct al_summary *summary,
                   json_t **sweep)
{
    *sweep = al_sweep_read(records);
    summary->intake.command = command;
    summary->level = AL_LEVEL;
    summary->resamples = AL_RESAMPLES;
    summary->seed = AL_SEED;
    summary->kind = al_sweep_interval(*sweep);
    int code = al_cells_read(summary, records);
    al_sweep_looked(*sweep, summary);
    return code;
}

json_t *al_sweep_looks_json(const json_t *sweep, const struct al_summary *summary)
{
    size_t n, *looks = looks_of(sweep, "looks", &n);
    json_t *planned = al_needed(json_array());
    for (size_t i = 0; i < n; i++)
        al_json_append(planned, json_integer((json_int_t)looks[i]));
    size_t blocks = n > 0 ? blocks_of(sweep, summary) : 0;
    json_t *all = json_pack("{s:o, s:I, s:f}", "planned", planned, "at", (json_int_t)blocks,
                            "share", al_look_share(looks, n, blocks));
    free(looks);
    if (n > 0)
        return all;
    json_decref(all);
    return json_null();
}
