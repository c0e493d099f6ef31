/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/results/lines.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/results/labels.h"

const struct al_measure al_measures[MEASURES] = {
    [TIME] = {"time_ns", "wall time in %s", {"ns", "µs", "ms", "s"}, false},
    [PER_MESSAGE] = {"ns_per_message", "%s per message", {"ns", "µs", "ms", "s"}, false},
    [RATE] = {"messages_per_s",
              "%smessages per s",
              {"", "thousand ", "million ", "billion "},
              true},
    [PEAK] = {"peak_rss_bytes", "peak memory in %s", {"B", "kB", "MB", "GB"}, false},
};

/* Those of the identity that may tell lines apart. The first ones are written as bare values, the last as key=value. */
static const char *const identity[] = {"scheduler", "victim", "idle",        "pin",
                                       "topology",  "engine", "binary_hash", "topology_hash"};
static const char *const sections[] = {"parameters", "options"};
#define BARE       6
#define IDENTITY   (sizeof identity / sizeof *identity)
#define N_SECTIONS (sizeof sections / sizeof *sections)

enum measure al_measure_named(const char *command, const char *name)
{
    for (enum measure m = 0; m < MEASURES; m++) {
        if (strcmp(al_measures[m].name, name) == 0)
            return m;
    }
    fprintf(stderr, "actorlab %s: unknown measure '%s'; valid: %s, %s, %s, %s\n", command, name,
            al_measures[0].name, al_measures[1].name, al_measures[2].name, al_measures[3].name);
    return MEASURES;
}

const json_t *al_key_value(const struct al_cell *cell, const struct al_key *key)
{
    const json_t *from = key->section != NULL ? json_object_get(cell->identity, key->section)
                                              : cell->identity;
    return json_object_get(from, key->name);
}

/* Numbers by size, before everything else by letters. */
static int compare_values(const json_t *a, const json_t *b)
{
    if (json_is_number(a) && json_is_number(b)) {
        double x = json_number_value(a), y = json_number_value(b);
        return (x > y) - (x < y);
    }
    if (json_is_number(a) != json_is_number(b))
        return json_is_number(a) ? -1 : 1;
    char *left = al_value_text(a), *right = al_value_text(b);
    int order = strcmp(left, right);
    free(left);
    free(right);
    return order;
}

static const char *strategy_of(const struct al_cell *cell)
{
    return json_string_value(json_object_get(cell->identity, "scheduler"));
}

/* Of the lines that the cells are of: strategies first, in the order that all figures share. */
static int compare_lines(const struct al_lines *lines, const struct al_cell *a,
                         const struct al_cell *b)
{
    int order = 0;
    for (size_t k = 0; k < lines->n_keys && order == 0; k++) {
        const struct al_key *key = &lines->keys[k];
        if (key->section == NULL && strcmp(key->name, "scheduler") == 0)
            order = al_palette_compare(strategy_of(a), strategy_of(b));
        else
            order = compare_values(al_key_value(a, key), al_key_value(b, key));
    }
    return order;
}

static int compare_by_line(const void *left, const void *right, void *lines)
{
    return compare_lines(lines, ((const struct al_point *)left)->cell,
                         ((const struct al_point *)right)->cell);
}

static int compare_points(const void *left, const void *right)
{
    const struct al_point *a = left, *b = right;
    int order = strcmp(a->benchmark, b->benchmark);
    if (order == 0)
        order = (a->line > b->line) - (a->line < b->line);
    if (order == 0)
        order = (a->workers > b->workers) - (a->workers < b->workers);
    return order;
}

/* Every key there is: first the identity's, then parameters and options in order of appearance. */
static struct al_key *all_keys(const struct al_lines *lines, size_t *count)
{
    struct al_key *keys = al_needed(calloc(IDENTITY, sizeof *keys));
    size_t n = 0;
    while (n < IDENTITY) {
        keys[n] = (struct al_key){NULL, identity[n]};
        n++;
    }
    for (size_t s = 0; s < N_SECTIONS; s++) {
        json_t *known = al_needed(json_object());
        for (size_t p = 0; p < lines->n; p++) {
            const char *name;
            json_t *value;
            json_object_foreach(json_object_get(lines->points[p].cell->identity, sections[s]), name,
                                value)
            {
                if (json_object_get(known, name) != NULL)
                    continue;
                al_json_set(known, name, json_true());
                keys = al_needed(reallocarray(keys, n + 1, sizeof *keys));
                keys[n++] = (struct al_key){sections[s], name};
            }
        }
        json_decref(known);
    }
    *count = n;
    return keys;
}

/*
 * Keeps the keys that tell points of the same benchmark and worker count apart, each only if the kept ones before it do
 * not: what follows from these, as an idle policy from its scheduler or a number of queues from that of workers, is none.
 */
static void find_keys(struct al_lines *lines)
{
    size_t n;
    struct al_key *keys = all_keys(lines, &n);
    char **places = al_needed(calloc(lines->n + 1, sizeof *places));
    for (size_t p = 0; p < lines->n; p++) {
        if (asprintf(&places[p], "%s\n%" JSON_INTEGER_FORMAT, lines->points[p].benchmark,
                     lines->points[p].workers) < 0)
            al_no_memory();
    }
    for (size_t k = 0; k < n; k++) {
        json_t *seen = al_needed(json_object());
        bool varies = false;
        for (size_t p = 0; p < lines->n && !varies; p++) {
            json_t *value = json_incref((json_t *)al_key_value(lines->points[p].cell, &keys[k]));
            value = value != NULL ? value : json_null();
            const json_t *first = json_object_get(seen, places[p]);
            varies = first != NULL && !json_equal(first, value);
            al_json_set(seen, places[p], value);
        }
        json_decref(seen);
        if (!varies)
            continue;
        for (size_t p = 0; p < lines->n; p++) {
            char *longer, *value = json_dumps(al_key_value(lines->points[p].cell, &keys[k]),
                                              JSON_ENCODE_ANY | JSON_COMPACT | JSON_SORT_KEYS);
            if (asprintf(&longer, "%s\n%s", places[p], value != NULL ? value : "") < 0)
                al_no_memory();
            free(value);
            free(places[p]);
            places[p] = longer;
        }
        keys[lines->n_keys++] = keys[k];
    }
    for (size_t p = 0; p < lines->n; p++)
        free(places[p]);
    free(places);
    lines->keys = keys;
}

/* Whether the values of a key tell the cell's line from another that agrees with it in all keys before. */
static bool tells_apart(const struct al_lines *lines, const struct al_cell *const *firsts,
                        const struct al_cell *cell, size_t key)
{
    for (size_t l = 0; l < lines->n_lines; l++) {
        size_t k = 0;
        while (k < key && compare_values(al_key_value(firsts[l], &lines->keys[k]),
                                         al_key_value(cell, &lines->keys[k])) == 0)
            k++;
        if (k == key && compare_values(al_key_value(firsts[l], &lines->keys[k]),
                                       al_key_value(cell, &lines->keys[k])) != 0)
            return true;
    }
    return false;
}

static bool is_bare(const struct al_key *key)
{
    for (size_t i = 0; i < BARE; i++) {
        if (strcmp(key->name, identity[i]) == 0)
            return key->section == NULL;
    }
    return false;
}

/* "inverted shards=4", "deque locked": the values that tell a line from others. */
static char *label_of(const struct al_lines *lines, const struct al_cell *const *firsts,
                      const struct al_cell *cell)
{
    char *label = NULL;
    size_t length;
    FILE *out = al_needed(open_memstream(&label, &length));
    for (size_t k = 0; k < lines->n_keys; k++) {
        const struct al_key *key = &lines->keys[k];
        char *value = al_value_text(al_key_value(cell, key));
        if (value[0] != '\0' && tells_apart(lines, firsts, cell, k)) {
            fflush(out);
            /* An option may be named after its strategy: not "deque deque=locked". */
            bool bare = is_bare(key) || strcmp(label, key->name) == 0;
            fprintf(out, "%s%s%s%s", length > 0 ? " " : "", bare ? "" : key->name, bare ? "" : "=",
                    value);
        }
        free(value);
    }
    if (fclose(out) != 0)
        al_no_memory();
    if (length > 0)
        return label;
    free(label);
    return al_value_text(json_object_get(cell->identity, "scheduler"));
}

/* Numbers the lines, in order of their values, and names them. */
static void number_lines(struct al_lines *lines)
{
    const struct al_cell **firsts = al_needed(calloc(lines->n + 1, sizeof *firsts));
    qsort_r(lines->points, lines->n, sizeof *lines->points, compare_by_line, lines);
    for (size_t p = 0; p < lines->n; p++) {
        struct al_point *point = &lines->points[p];
        if (p == 0 || compare_lines(lines, firsts[lines->n_lines - 1], point->cell) != 0)
            firsts[lines->n_lines++] = point->cell;
        point->line = lines->n_lines - 1;
    }
    lines->labels = al_needed(calloc(lines->n_lines + 1, sizeof *lines->labels));
    for (size_t l = 0; l < lines->n_lines; l++)
        lines->labels[l] = label_of(lines, firsts, firsts[l]);
    const char **strategies = al_needed(calloc(lines->n_lines + 1, sizeof *strategies));
    lines->looks = al_needed(calloc(lines->n_lines + 1, sizeof *lines->looks));
    for (size_t l = 0; l < lines->n_lines; l++)
        strategies[l] = strategy_of(firsts[l]);
    al_palette_looks(strategies, lines->n_lines, lines->looks);
    free(strategies);
    free(firsts);
}

void al_lines_make(const struct al_summary *summary, enum measure measure, const char *benchmark,
                   struct al_lines *out)
{
    *out = (struct al_lines){.measure = measure};
    struct al_bootstrap *bootstrap = al_needed(
        al_bootstrap_new(summary->resamples, summary->level, summary->seed));
    out->points = al_needed(calloc(summary->count + 1, sizeof *out->points));
    for (size_t c = 0; c < summary->count; c++) {
        const struct al_cell *cell = &summary->cells[c];
        const char *name = json_string_value(json_object_get(cell->identity, "benchmark"));
        if (cell->n == 0 || (benchmark != NULL && strcmp(benchmark, name) != 0))
            continue;
        struct al_point *point = &out->points[out->n++];
        *point = (struct al_point){
            .cell = cell,
            .benchmark = name,
            .workers = json_integer_value(json_object_get(cell->identity, "workers"))};
        /* Records hold nothing that would be refused, so only memory can be the matter. */
        if (al_bootstrap_interval(bootstrap, cell->values[measure], cell->n, AL_PERCENTILE, NULL,
                                  &point->value) != 0)
            al_no_memory();
    }
    al_bootstrap_free(bootstrap);
    find_keys(out);
    number_lines(out);
    qsort(out->points, out->n, sizeof *out->points, compare_points);
}

void al_lines_release(struct al_lines *lines)
{
    for (size_t l = 0; l < lines->n_lines; l++)
        free(lines->labels[l]);
    free(lines->labels);
    free(lines->looks);
    free(lines->keys);
    free(lines->points);
}

bool al_lines_next(const struct al_lines *lines, struct al_panel *panel)
{
    const struct al_point *first = panel->points != NULL ? panel->points + panel->n : lines->points;
    const struct al_point *end = lines->points + lines->n;
    if (first == end)
        return false;
    const struct al_measure *measure = &al_measures[lines->measure];
    *panel = (struct al_panel){first->benchmark, first, 0, 1, "", INFINITY, 0};
    for (; first + panel->n < end; panel->n++) {
        const struct al_point *point = &first[panel->n];
        if (strcmp(point->benchmark, panel->benchmark) != 0)
            break;
        panel->least = fmin(panel->least, point->value.median);
        panel->most = fmax(panel->most, point->value.median);
    }
    int unit = 0;
    while (unit < 3 && panel->least / panel->divisor >= 1000) {
        panel->divisor *= 1000;
        unit++;
    }
    panel->least /= panel->divisor;
    panel->most /= panel->divisor;
    const char *place = strstr(measure->label, "%s");
    snprintf(panel->label, sizeof panel->label, "%.*s%s%s", (int)(place - measure->label),
             measure->label, measure->units[unit], place + 2);
    return true;
}

struct al_text al_panel_processes(const struct al_panel *panel)
{
    size_t least = SIZE_MAX, most = 0;
    for (size_t p = 0; p < panel->n; p++) {
        size_t n = panel->points[p].value.n;
        least = n < least ? n : least;
        most = n > most ? n : most;
    }
    struct al_text out;
    if (least == most)
        snprintf(out.text, sizeof out.text, "%zu", most);
    else
        snprintf(out.text, sizeof out.text, "%zu to %zu", least, most);
    return out;
}

const char *al_lines_head(const struct al_lines *lines)
{
    return lines->n_keys == 1 ? lines->keys[0].name : "strategy";
}
