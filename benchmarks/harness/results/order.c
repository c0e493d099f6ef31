/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/results/cells.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/results/identity.h"
#include "benchmarks/harness/results/keys.h"
#include "benchmarks/harness/results/palette.h"
#include "benchmarks/harness/text/json.h"

/* How many values come before this one in what was written; all of them if it was not. */
static size_t rank_of(const json_t *written, const json_t *value)
{
    size_t i = 0, n = json_array_size(written);
    while (i < n && !json_equal(json_array_get(written, i), value))
        i++;
    return i;
}

static int compare_values(const json_t *order, const char *left_key, const json_t *left,
                          const char *right_key, const json_t *right)
{
    size_t a = rank_of(json_object_get(order, left_key), left);
    size_t b = rank_of(json_object_get(order, right_key), right);
    return a != b ? (a > b) - (a < b) : al_value_order(left, right);
}

/* Key by key, in the order of each object; the one with fewer keys comes first. */
static int compare_sections(const json_t *order, json_t *left, json_t *right)
{
    void *a = json_object_iter(left), *b = json_object_iter(right);
    int result = 0;
    while (a != NULL && b != NULL && result == 0) {
        result = compare_values(order, json_object_iter_key(a), json_object_iter_value(a),
                                json_object_iter_key(b), json_object_iter_value(b));
        a = json_object_iter_next(left, a);
        b = json_object_iter_next(right, b);
    }
    return result != 0 ? result : (a != NULL) - (b != NULL);
}

static int compare_key(const json_t *order, const struct al_identity_key *key, const json_t *a,
                       const json_t *b)
{
    json_t *left = json_object_get(a, key->name), *right = json_object_get(b, key->name);
    if (json_equal(left, right))
        return 0;
    if ((key->roles & AL_SECTION) != 0)
        return compare_sections(order, left, right);
    if (strcmp(key->name, "scheduler") == 0) /* strategies have one order everywhere */
        return al_palette_compare(json_string_value(left), json_string_value(right));
    return compare_values(order, key->name, left, key->name, right);
}

struct order {
    const json_t *values;
    bool in_groups;
};

/* Plain keys first, then parameters and options, then workers; in groups, workers follow the
 * workload. */
static int rank_of_key(const struct al_identity_key *key, bool in_groups)
{
    if (strcmp(key->name, "workers") == 0)
        return in_groups ? 1 : 4;
    return strcmp(key->name, "benchmark") == 0 ? 0 : (key->roles & AL_SECTION) != 0 ? 3 : 2;
}

static int compare_cells(const void *left, const void *right, void *data)
{
    const struct al_cell *a = *(struct al_cell *const *)left, *b = *(struct al_cell *const *)right;
    const struct order *order = data;
    int result = 0;
    for (int rank = 0; rank <= 4; rank++) {
        for (size_t k = 0; k < AL_IDENTITY_KEYS && result == 0; k++) {
            if (rank_of_key(&al_identity_keys[k], order->in_groups) == rank)
                result = compare_key(order->values, &al_identity_keys[k], a->identity, b->identity);
        }
    }
    return result != 0 ? result : (a > b) - (a < b);
}

void al_cells_sort(struct al_cell **cells, size_t n, const json_t *order)
{
    struct order data = {.values = order};
    qsort_r(cells, n, sizeof *cells, compare_cells, &data);
}

void al_summary_sort(struct al_summary *summary)
{
    size_t n = summary->count;
    struct al_cell **places = al_needed(calloc(n + 1, sizeof *places));
    struct al_cell *sorted = al_needed(calloc(n + 1, sizeof *sorted));
    for (size_t c = 0; c < n; c++)
        places[c] = &summary->cells[c];
    struct order order = {.in_groups = true};
    qsort_r(places, n, sizeof *places, compare_cells, &order);
    for (size_t c = 0; c < n; c++)
        sorted[c] = *places[c];
    free(summary->cells);
    free(places);
    summary->cells = sorted;
    json_decref(summary->index);
    summary->index = NULL;
}
