/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/results/pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/results/identity.h"
#include "benchmarks/harness/results/quiet.h"

double al_cells_median(const struct al_cell *cell)
{
    double *values = al_needed(calloc(cell->n, sizeof *values));
    memcpy(values, cell->values[PER_MESSAGE], cell->n * sizeof *values);
    double median = al_median(values, cell->n);
    free(values);
    return median;
}

size_t al_cells_options(const struct al_cell *a, const struct al_cell *b, size_t *shared)
{
    json_t *left = json_object_get(a->identity, "options");
    json_t *right = json_object_get(b->identity, "options");
    const char *key;
    json_t *value;
    size_t differ = 0, common = 0;
    *shared = 0;
    json_object_foreach(left, key, value)
    {
        const json_t *other = json_object_get(right, key);
        common += other != NULL;
        *shared += other != NULL && !json_equal(value, other);
    }
    differ = json_object_size(left) + json_object_size(right) - 2 * common + *shared;
    return differ;
}

size_t al_cells_difference(const struct al_cell *a, const struct al_cell *b)
{
    size_t shared, differ = al_cells_options(a, b, &shared);
    return differ + al_identity_differs(a->identity, b->identity, AL_BROUGHT);
}

/*
 * A value's place in its sweep. Blocks of two sessions form no pairs, because the machine may have
 * changed in between.
 */
struct place {
    double session, block;
    size_t i; /* of its trial: those that failed follow those that have values */
};

static struct place place_of(const struct al_cell *cell, size_t i)
{
    if (i < cell->n)
        return (struct place){cell->values[SESSION][i], cell->values[BLOCK][i], i};
    const double *at = cell->failed_at[i - cell->n];
    return (struct place){at[1], at[0], i};
}

static double time_of(const struct al_cell *cell, size_t i)
{
    return i < cell->n ? cell->values[PER_MESSAGE][i] : INFINITY;
}

static size_t n_trials(const struct al_cell *cell)
{
    return cell->n + cell->n_failed;
}

static int compare_blocks(const struct place *a, const struct place *b)
{
    if (a->session != b->session)
        return a->session < b->session ? -1 : 1;
    return (a->block > b->block) - (a->block < b->block);
}

static int compare_places(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    int order = compare_blocks(a, b);
    return order != 0 ? order : (a->i > b->i) - (a->i < b->i);
}

/* The trials that are of a block, in the blocks' order. The caller frees. */
static struct place *places_of(const struct al_cell *cell, size_t *n)
{
    struct place *places = al_needed(calloc(n_trials(cell) + 1, sizeof *places));
    *n = 0;
    for (size_t i = 0; i < n_trials(cell); i++) {
        if (place_of(cell, i).block >= 0)
            places[(*n)++] = place_of(cell, i);
    }
    qsort(places, *n, sizeof *places, compare_places);
    return places;
}

/* Where a block has several trials of a cell, they pair up in order. Two that failed say nothing of
 * each other. */
static size_t pairs_of(const struct al_cell *a, const struct al_cell *b, bool quiet, double **above,
                       double **below)
{
    size_t n_a, n_b, n = 0;
    struct place *of_a = places_of(a, &n_a), *of_b = places_of(b, &n_b);
    *above = al_needed(calloc(n_a + 1, sizeof **above));
    *below = al_needed(calloc(n_a + 1, sizeof **below));
    for (size_t i = 0, k = 0; i < n_a && k < n_b;) {
        int order = compare_blocks(&of_a[i], &of_b[k]);
        double time = time_of(a, of_a[i].i), other = time_of(b, of_b[k].i);
        if (order == 0 && (isfinite(time) || isfinite(other)) &&
            (!quiet || (al_cell_is_quiet(a, of_a[i].i) && al_cell_is_quiet(b, of_b[k].i)))) {
            (*above)[n] = time;
            (*below)[n++] = other;
        }
        i += order <= 0;
        k += order >= 0;
    }
    free(of_a);
    free(of_b);
    return n;
}

size_t al_cells_pairs(const struct al_cell *a, const struct al_cell *b, double **above,
                      double **below)
{
    return pairs_of(a, b, false, above, below);
}

static bool paired(const struct al_cell *a, const struct al_cell *b, bool quiet,
                   struct al_ratio *out)
{
    double *above, *below;
    size_t n = pairs_of(a, b, quiet, &above, &below);
    if (n > 0 && al_ratio_paired(above, below, n, out) != 0)
        al_no_memory();
    free(above);
    free(below);
    return n > 0;
}

bool al_cells_paired(const struct al_cell *a, const struct al_cell *b, struct al_ratio *out)
{
    return paired(a, b, false, out);
}

bool al_cells_quiet_paired(const struct al_cell *a, const struct al_cell *b, struct al_ratio *out)
{
    return paired(a, b, true, out);
}

static bool has_session(const struct al_cell *cell, double session)
{
    bool has = false;
    for (size_t i = 0; i < n_trials(cell) && !has; i++)
        has = place_of(cell, i).session == session;
    return has;
}

bool al_cells_meet(const struct al_cell *a, const struct al_cell *b)
{
    bool meet = false;
    for (size_t i = 0; i < n_trials(a) && !meet; i++)
        meet = has_session(b, place_of(a, i).session);
    return meet;
}

/* The ratio of two lists, which it frees; false if either is empty. */
static bool independent(double *a, size_t n_a, double *b, size_t n_b, struct al_ratio *out)
{
    bool both = n_a > 0 && n_b > 0;
    if (both && al_ratio_independent(a, n_a, b, n_b, out) != 0)
        al_no_memory();
    free(a);
    free(b);
    return both;
}

/* The values of a cell in the sessions that the other has too; returns how many. The caller
 * frees. */
static size_t shared_values(const struct al_cell *cell, const struct al_cell *other,
                            double **values)
{
    size_t n = 0;
    *values = al_needed(calloc(n_trials(cell) + 1, sizeof **values));
    for (size_t i = 0; i < n_trials(cell); i++) {
        if (has_session(other, place_of(cell, i).session))
            (*values)[n++] = time_of(cell, i);
    }
    return n;
}

bool al_cells_independent(const struct al_cell *a, const struct al_cell *b, struct al_ratio *out)
{
    double *of_a, *of_b;
    size_t n_a = shared_values(a, b, &of_a), n_b = shared_values(b, a, &of_b);
    return independent(of_a, n_a, of_b, n_b, out);
}

/* The median of each session's values; returns how many sessions. The caller frees. */
static size_t session_medians(const struct al_cell *cell, double **medians)
{
    size_t n = 0, all = n_trials(cell);
    struct place *places = al_needed(calloc(all + 1, sizeof *places));
    double *values = al_needed(calloc(all + 1, sizeof *values));
    *medians = al_needed(calloc(all + 1, sizeof **medians));
    for (size_t i = 0; i < all; i++)
        places[i] = place_of(cell, i);
    qsort(places, all, sizeof *places, compare_places);
    for (size_t i = 0, of = 0; i < all; i++) {
        values[of++] = time_of(cell, places[i].i);
        if (i + 1 < all && places[i + 1].session == places[i].session)
            continue;
        (*medians)[n++] = al_median(values, of);
        of = 0;
    }
    free(places);
    free(values);
    return n;
}

bool al_cells_by_session(const struct al_cell *a, const struct al_cell *b, struct al_ratio *out)
{
    double *of_a, *of_b;
    size_t n_a = session_medians(a, &of_a), n_b = session_medians(b, &of_b);
    return independent(of_a, n_a, of_b, n_b, out);
}
