/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/results/quiet.h"

#include <stdlib.h>

bool al_cell_is_quiet(const struct al_cell *cell, size_t i)
{
    double handoff = i < cell->n ? cell->values[HANDOFF][i] : -1;
    return handoff >= 0 && handoff <= cell->quiet_limit;
}

static struct al_stratum *find_stratum(struct al_strata *strata, const struct al_cell *cell)
{
    json_t *workers = json_object_get(cell->identity, "workers");
    json_t *pin = json_object_get(cell->identity, "pin");
    for (size_t s = 0; s < strata->n; s++) {
        if (json_equal(strata->all[s].workers, workers) && json_equal(strata->all[s].pin, pin))
            return &strata->all[s];
    }
    strata->all = al_needed(reallocarray(strata->all, strata->n + 1, sizeof *strata->all));
    strata->all[strata->n] = (struct al_stratum){.workers = workers, .pin = pin};
    return &strata->all[strata->n++];
}

/* Adds those hand-offs of a cell that are known to a list with room for them. */
static size_t add_known(const struct al_cell *cell, double *list, size_t n)
{
    for (size_t i = 0; i < cell->n; i++) {
        if (cell->values[HANDOFF][i] >= 0)
            list[n++] = cell->values[HANDOFF][i];
    }
    return n;
}

static bool is_of(struct al_strata *strata, const struct al_stratum *stratum,
                  const struct al_cell *cell)
{
    return find_stratum(strata, cell) == stratum;
}

/* Both of a cell and its twin. */
static void set_limit(struct al_cell *cell, struct al_stratum *stratum)
{
    cell->quiet_limit = stratum->limit;
    for (size_t i = 0; i < cell->n; i++)
        stratum->quiet += al_cell_is_quiet(cell, i);
    if (cell->twin != NULL)
        set_limit(cell->twin, stratum);
}

static bool has_handoff(const struct al_cell *cell)
{
    for (size_t i = 0; i < cell->n; i++) {
        if (cell->values[HANDOFF][i] >= 0)
            return true;
    }
    return cell->twin != NULL && has_handoff(cell->twin);
}

static void measure(struct al_summary *summary, struct al_strata *strata, size_t s, double *list)
{
    struct al_stratum *stratum = &strata->all[s];
    for (size_t c = 0; c < summary->count; c++) {
        const struct al_cell *cell = &summary->cells[c];
        if (!has_handoff(cell) || !is_of(strata, stratum, cell))
            continue;
        stratum->trials = add_known(cell, list, stratum->trials);
        if (cell->twin != NULL)
            stratum->trials = add_known(cell->twin, list, stratum->trials);
    }
    stratum->median = al_median(list, stratum->trials); /* sorts */
    stratum->lower_quartile = al_quantile(list, stratum->trials, 0.25);
    stratum->limit = AL_QUIET_WITHIN * stratum->lower_quartile;
    for (size_t c = 0; c < summary->count; c++) {
        if (has_handoff(&summary->cells[c]) && is_of(strata, stratum, &summary->cells[c]))
            set_limit(&summary->cells[c], stratum);
    }
}

/* Ascending workers; strata of as many keep the order of their cells. */
static void sort_strata(struct al_strata *strata)
{
    for (size_t s = 1; s < strata->n; s++) {
        struct al_stratum moved = strata->all[s];
        size_t place = s;
        for (; place > 0 &&
               json_number_value(strata->all[place - 1].workers) > json_number_value(moved.workers);
             place--)
            strata->all[place] = strata->all[place - 1];
        strata->all[place] = moved;
    }
}

void al_strata_make(struct al_summary *summary, struct al_strata *out)
{
    size_t values = 0;
    *out = (struct al_strata){0};
    for (size_t c = 0; c < summary->count; c++) {
        const struct al_cell *cell = &summary->cells[c];
        values += cell->n + (cell->twin != NULL ? cell->twin->n : 0);
        if (has_handoff(cell))
            find_stratum(out, cell);
    }
    sort_strata(out);
    double *list = al_needed(calloc(values + 1, sizeof *list));
    for (size_t s = 0; s < out->n; s++)
        measure(summary, out, s, list);
    free(list);
}

void al_strata_release(struct al_strata *strata)
{
    free(strata->all);
}
