/* SPDX-License-Identifier: MIT */

/* Part of benchmarks/harness/measure/calibration.h: which PUs to measure on. */

#include "benchmarks/harness/measure/calibration.h"

#include <errno.h>

/* From how many PUs, evenly spread, pairs are looked for, and how many of each class these have. */
enum { FROM = 3, OF_CLASS = 2 };

static bool is_known(const struct al_calibration *calibration, unsigned pu, unsigned other)
{
    for (size_t i = 0; i < calibration->n_pairs; i++) {
        const struct al_calibration_pair *pair = &calibration->pairs[i];
        if ((pair->pu == pu && pair->other == other) || (pair->pu == other && pair->other == pu))
            return true;
    }
    return false;
}

static void add_pair(struct al_calibration *calibration, unsigned pu, unsigned other,
                     enum al_model_key class)
{
    if (calibration->n_pairs < AL_CALIBRATION_PAIRS_MOST && !is_known(calibration, pu, other))
        calibration->pairs[calibration->n_pairs++] = (struct al_calibration_pair){
            .class = class, .pu = pu, .other = other};
}

/* Of each class, the nearest other PUs of the placement's order and the farthest one. */
static void add_pairs_from(struct al_calibration *calibration, size_t from)
{
    const unsigned *pus = calibration->pus;
    size_t n[AL_MODEL_KEYS] = {0}, last[AL_MODEL_KEYS] = {0};
    for (size_t i = 0; i < calibration->n_pus; i++) {
        if (i == from)
            continue;
        enum al_model_key class = al_model_handoff_class(calibration->calibrator.topology,
                                                         pus[from], pus[i]);
        last[class] = i;
        if (++n[class] < OF_CLASS)
            add_pair(calibration, pus[from], pus[i], class);
    }
    for (size_t class = 0; class < AL_MODEL_KEYS; class ++) {
        if (n[class] > 0)
            add_pair(calibration, pus[from], pus[last[class]], (enum al_model_key) class);
    }
}

int al_calibration_plan(struct al_calibration *calibration, struct al_error *error)
{
    int code = al_topology_order(calibration->calibrator.topology, "close", &calibration->pus,
                                 &calibration->n_pus, error);
    if (code != 0)
        return code;
    al_model_needs(calibration->calibrator.topology, calibration->needs);
    for (size_t i = 0; i < FROM; i++)
        add_pairs_from(calibration, i * calibration->n_pus / FROM);
    return 0;
}

const struct al_calibration_pair *
al_calibration_between_cores(const struct al_calibration *calibration, bool farthest)
{
    const struct al_calibration_pair *found = NULL;
    for (size_t i = 0; i < calibration->n_pairs; i++) {
        const struct al_calibration_pair *pair = &calibration->pairs[i];
        if (pair->class != AL_MODEL_HANDOFF_CORE &&
            (found == NULL || (farthest ? pair->class > found->class : pair->class < found->class)))
            found = pair;
    }
    return found;
}

size_t al_calibration_sharers(const struct al_calibration *calibration, unsigned *pus, size_t most)
{
    size_t n = 0;
    for (size_t i = 0; i < calibration->n_pus && n < most; i++) {
        bool fits = true;
        for (size_t k = 0; k < n && fits; k++)
            fits = al_model_handoff_class(calibration->calibrator.topology, pus[k],
                                          calibration->pus[i]) == AL_MODEL_HANDOFF_L3;
        if (fits)
            pus[n++] = calibration->pus[i];
    }
    return n;
}

size_t al_calibration_cores(const struct al_calibration *calibration, bool of_node, unsigned *pus)
{
    const struct al_topology *topology = calibration->calibrator.topology;
    size_t n = 0;
    for (size_t i = 0; i < calibration->n_pus; i++) {
        unsigned pu = calibration->pus[i], first = calibration->pus[0];
        bool fits = n == 0 ||
                    (of_node
                         ? al_model_memory_class(topology, first, pu) == AL_MODEL_MEMORY_NODE
                         : al_model_handoff_class(topology, first, pu) != AL_MODEL_HANDOFF_MACHINE);
        for (size_t k = 0; k < n && fits; k++)
            fits = al_model_handoff_class(topology, pus[k], pu) != AL_MODEL_HANDOFF_CORE;
        if (fits)
            pus[n++] = pu;
    }
    return n;
}

bool al_calibration_memory_pair(const struct al_calibration *calibration, enum al_model_key class,
                                unsigned *pu, unsigned *home)
{
    *pu = calibration->pus[0];
    for (size_t i = 0; i < calibration->n_pus; i++) {
        *home = calibration->pus[i];
        if (al_model_memory_class(calibration->calibrator.topology, *pu, *home) == class)
            return true;
    }
    return false;
}

bool al_calibration_away(const struct al_calibration *calibration, unsigned *pu, unsigned *other,
                         unsigned *home)
{
    const struct al_calibration_pair *near = NULL, *far = NULL;
    for (size_t i = 0; i < calibration->n_pairs; i++) {
        const struct al_calibration_pair *pair = &calibration->pairs[i];
        if (near == NULL &&
            (pair->class == AL_MODEL_HANDOFF_NODE || pair->class == AL_MODEL_HANDOFF_PACKAGE))
            near = pair;
        if (near != NULL && pair->class == AL_MODEL_HANDOFF_MACHINE && pair->pu == near->pu)
            far = pair;
    }
    if (far == NULL)
        return false;
    *pu = near->pu;
    *other = near->other;
    *home = far->other;
    return true;
}
