/* SPDX-License-Identifier: MIT */

/* Part of benchmarks/harness/show/floors.h: JSON. */

#include "benchmarks/harness/show/floors.h"

#include "benchmarks/harness/text/json.h"

static json_t *steps_of(const struct al_floors *floors)
{
    json_t *steps = al_needed(json_object());
    size_t n = floors->n_pus > 1 ? AL_FLOORS : AL_FLOORS_ALONE;
    for (size_t i = 0; i < n; i++)
        al_json_set(steps, al_floor_texts[i].name, al_json_real(floors->ns[i]));
    return steps;
}

static json_t *message_of(const struct al_floors *floors, size_t w)
{
    const double *ns = floors->message_ns[w];
    json_t *strategies = al_needed(json_object());
    for (size_t k = 0; k < floors->n_strategies; k++)
        al_json_set(strategies, floors->strategies[k],
                    json_pack("{s:o, s:o}", "ns", al_json_real(ns[1 + k]), "ratio",
                              al_json_real(ns[1 + k] / ns[0])));
    return json_pack("{s:s, s:o, s:o}", "size", al_floor_workloads[w].size, "ring_ns",
                     al_json_real(ns[0]), "strategies", strategies);
}

json_t *al_floors_json(const struct al_floors *floors)
{
    json_t *pus = al_needed(json_array()), *messages = al_needed(json_object());
    for (size_t i = 0; i < floors->n_pus; i++)
        al_json_append(pus, json_integer(floors->pus[i]));
    for (size_t w = 0; w < AL_FLOOR_WORKLOADS; w++)
        al_json_set(messages, al_floor_workloads[w].name, message_of(floors, w));
    return al_needed(json_pack("{s:o, s:o, s:o}", "pus", pus, "steps_ns", steps_of(floors),
                               "messages", messages));
}
