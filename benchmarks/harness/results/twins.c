/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/results/twins.h"

#include <math.h>
#include <stdlib.h>

#include "benchmarks/harness/results/identity.h"
#include "benchmarks/harness/results/pairs.h"

bool al_twin_ratio(const struct al_cell *cell, double level, struct al_interval *out)
{
    struct al_ratio ratio;
    if (cell->twin == NULL || !al_cells_paired(cell->twin, cell, &ratio))
        return false;
    *out = al_ratio_interval(&ratio, level);
    al_ratio_release(&ratio);
    return true;
}

double al_band(const struct al_interval *twin)
{
    return twin->low > 0 ? fmax(1 / twin->low, twin->high) : INFINITY;
}

/* The place of a cell's work; a new one if it is the first. */
static size_t place_of(struct al_bands *bands, const struct al_cell *cell)
{
    char *work = al_identity_text(cell->identity, AL_WORK);
    const json_t *known = json_object_get(bands->places, work);
    size_t place = known != NULL ? (size_t)json_integer_value(known) : bands->n++;
    if (known == NULL) {
        al_json_set(bands->places, work, json_integer((json_int_t)place));
        bands->all[place] = 1;
    }
    free(work);
    return place;
}

void al_bands_make(const struct al_summary *summary, struct al_bands *out)
{
    *out = (struct al_bands){.places = al_needed(json_object()),
                             .all = al_needed(calloc(summary->count + 1, sizeof(double))),
                             .needs = al_needed(calloc(summary->count + 1, sizeof(size_t)))};
    size_t least = al_ratio_least_n(true, 1 - summary->level);
    for (size_t c = 0; c < summary->count; c++) {
        struct al_interval interval;
        if (!al_twin_ratio(&summary->cells[c], summary->level, &interval))
            continue;
        double band = al_band(&interval);
        size_t place = place_of(out, &summary->cells[c]);
        out->all[place] = fmax(out->all[place], band);
        if (!isfinite(band) && least - interval.n > out->needs[place])
            out->needs[place] = least - interval.n;
        if (isfinite(band))
            out->widest = fmax(out->widest, band);
    }
}

static double band_of(const struct al_bands *bands, const struct al_cell *cell, size_t *needs)
{
    char *work = al_identity_text(cell->identity, AL_WORK);
    const json_t *place = json_object_get(bands->places, work);
    free(work);
    if (place == NULL)
        return 1;
    size_t i = (size_t)json_integer_value(place);
    *needs = bands->needs[i] > *needs ? bands->needs[i] : *needs;
    return bands->all[i];
}

double al_bands_of(const struct al_bands *bands, const struct al_cell *cell,
                   const struct al_cell *base, size_t *needs)
{
    return fmax(band_of(bands, cell, needs), band_of(bands, base, needs));
}

double al_bands_percent(const struct al_bands *bands)
{
    return bands->widest > 0 ? 100 * (bands->widest - 1) : -1;
}

void al_bands_release(struct al_bands *bands)
{
    json_decref(bands->places);
    free(bands->all);
    free(bands->needs);
}
