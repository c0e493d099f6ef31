/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/results/advice.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/results/identity.h"

const struct al_cell *al_advice_cell(const struct al_advice *advice, size_t group)
{
    const struct al_study *study = &advice->machine->study;
    return study->cells[study->members[study->groups[group]]];
}

const char *al_advice_workload(const struct al_advice *advice, size_t group)
{
    return json_string_value(json_object_get(al_advice_cell(advice, group)->identity, "benchmark"));
}

uint32_t al_advice_workers(const struct al_advice *advice, size_t group)
{
    return (uint32_t)json_integer_value(
        json_object_get(al_advice_cell(advice, group)->identity, "workers"));
}

/* Of the workload with the most workers; "" if no record has its profile. */
static const char *kind_of(const struct al_advice *advice, size_t group)
{
    uint32_t most = 0;
    const char *kind = "";
    for (size_t g = 0; g < advice->machine->study.n_groups; g++) {
        uint32_t workers = al_advice_workers(advice, g);
        if (!advice->profiled[g] || workers < most ||
            strcmp(al_advice_workload(advice, g), al_advice_workload(advice, group)) != 0)
            continue;
        most = workers;
        kind = al_profile_kind(&advice->profiles[g]);
    }
    return kind;
}

void al_advice_make(const struct al_machine *machine, struct al_advice *out)
{
    const struct al_study *study = &machine->study;
    struct al_error error;
    *out = (struct al_advice){
        .machine = machine,
        .profiles = al_needed(calloc(study->n_groups + 1, sizeof *out->profiles)),
        .profiled = al_needed(calloc(study->n_groups + 1, sizeof *out->profiled)),
        .kinds = al_needed(calloc(study->n_groups + 1, sizeof *out->kinds)),
        .loss = al_needed(calloc(study->n + 1, sizeof *out->loss))};
    for (size_t g = 0; g < study->n_groups; g++) {
        const struct al_cell *first = al_advice_cell(out, g);
        char *work = al_identity_text(first->identity, AL_WORK);
        const json_t *profile = json_object_get(machine->cells.profiles, work);
        out->profiled[g] = al_profile_parse(profile, &out->profiles[g], &error) == 0;
        out->profiles[g].workers = al_advice_workers(out, g);
        free(work);
        for (size_t m = study->groups[g]; m < study->groups[g + 1]; m++) {
            const struct al_cell *cell = study->cells[study->members[m]];
            out->loss[study->members[m]] = cell->intervals[PER_MESSAGE].median /
                                           first->intervals[PER_MESSAGE].median;
        }
    }
    for (size_t g = 0; g < study->n_groups; g++)
        out->kinds[g] = kind_of(out, g);
    for (size_t c = 0; c < study->to_fastest.n; c++) {
        const struct al_comparison *one = &study->to_fastest.all[c];
        if (!isnan(one->ratio.estimate))
            out->loss[al_study_place(study, one->cell)] = one->ratio.estimate;
    }
}

void al_advice_release(struct al_advice *advice)
{
    free(advice->profiles);
    free(advice->profiled);
    free(advice->kinds);
    free(advice->loss);
}

size_t al_advice_all(const struct al_advice *advice, uint32_t workers, const char *without,
                     struct al_similar *similar)
{
    size_t n = 0;
    for (size_t g = 0; g < advice->machine->study.n_groups; g++) {
        if (al_advice_workers(advice, g) == workers &&
            (without == NULL || strcmp(al_advice_workload(advice, g), without) != 0))
            similar[n++] = (struct al_similar){g, NAN};
    }
    return n;
}

/* The number of workers of a group that has a profile that is nearest to this one. */
static uint32_t nearest_workers(const struct al_advice *advice, uint32_t workers)
{
    uint32_t nearest = 0;
    double least = INFINITY;
    for (size_t g = 0; g < advice->machine->study.n_groups; g++) {
        uint32_t its = al_advice_workers(advice, g);
        double apart = fabs(log((double)its / workers));
        if (advice->profiled[g] && (apart < least || (apart == least && its < nearest))) {
            least = apart;
            nearest = its;
        }
    }
    return nearest;
}

static int by_distance(const void *left, const void *right)
{
    const struct al_similar *a = left, *b = right;
    if (a->apart != b->apart)
        return a->apart < b->apart ? -1 : 1;
    return (a->group > b->group) - (a->group < b->group);
}

size_t al_advice_similar(const struct al_advice *advice, const struct al_profile_values *profile,
                         uint32_t workers, const char *without,
                         struct al_similar similar[AL_ADVICE_NEAREST])
{
    struct al_similar *all = al_needed(calloc(advice->machine->study.n_groups + 1, sizeof *all));
    size_t n = al_advice_all(advice, nearest_workers(advice, workers), without, all), kept = 0;
    for (size_t i = 0; i < n; i++) {
        double apart = al_profile_apart(profile, &advice->profiles[all[i].group]);
        if (advice->profiled[all[i].group] && !isnan(apart))
            all[kept++] = (struct al_similar){all[i].group, apart};
    }
    qsort(all, kept, sizeof *all, by_distance);
    similar[0] = (struct al_similar){SIZE_MAX, NAN};
    for (n = 0; n < kept && n < AL_ADVICE_NEAREST; n++)
        similar[n] = all[n];
    free(all);
    while (n > 0 && similar[n - 1].apart > AL_ADVICE_APART)
        n--;
    return n;
}

size_t al_advice_place(const struct al_advice *advice, size_t group, size_t strategy)
{
    const struct al_study *study = &advice->machine->study;
    size_t best = SIZE_MAX;
    for (size_t m = study->groups[group]; m < study->groups[group + 1]; m++) {
        size_t place = study->members[m];
        if (study->strategies.of[place] == strategy &&
            (best == SIZE_MAX || advice->loss[place] < advice->loss[best]))
            best = place;
    }
    return best;
}

size_t al_advice_choose(const struct al_advice *advice, const struct al_similar *similar, size_t n,
                        size_t in, double *loss)
{
    size_t chosen = AL_NO_PART;
    *loss = INFINITY;
    for (size_t s = 0; s < advice->machine->study.strategies.n && n > 0; s++) {
        double sum = 0;
        bool there = in == SIZE_MAX || al_advice_place(advice, in, s) != SIZE_MAX;
        for (size_t i = 0; i < n && there; i++) {
            size_t place = al_advice_place(advice, similar[i].group, s);
            there = place != SIZE_MAX;
            sum += there ? log(advice->loss[place]) : 0;
        }
        if (there && exp(sum / (double)n) < *loss) {
            *loss = exp(sum / (double)n);
            chosen = s;
        }
    }
    return chosen;
}
