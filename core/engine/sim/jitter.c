/* SPDX-License-Identifier: MIT */

/*
 * A machine whose costs differ a little from the model's. Results that change with it are
 * accidents of the model's numbers, such as loops that keep step; running with several seeds shows
 * how much they change.
 */

#include "core/engine/sim/jitter.h"

#include <stdlib.h>
#include <string.h>

#include "core/random.h"

/* A cost has one factor wherever it occurs: pairs of one class stay alike. */
static uint64_t jittered(uint64_t cost, double percent, uint64_t seed, uint64_t parameter)
{
    struct al_random random;
    al_random_seed(&random, seed, parameter);
    double unit = (double)(al_random_next(&random) >> 11) / 0x1p53; /* in [0, 1) */
    return (uint64_t)((double)cost * (1 + percent / 100 * (2 * unit - 1)) + .5);
}

/* Percentages and times are costs; what remains are sizes and units. */
static bool is_cost(enum al_model_key key)
{
    return key != AL_MODEL_STORE_BUFFER && key != AL_MODEL_FREQUENCY;
}

/* Of times between pairs, the draws begin behind those of parameters. It is a constant, and new
 * parameters come last: they change no draw of others. */
enum { PAIRS = 47 };

static uint32_t *copy(const uint32_t *pairs, size_t n, double percent, uint64_t seed)
{
    uint32_t *copies = malloc(n * sizeof *copies);
    for (size_t i = 0; copies != NULL && i < n; i++)
        copies[i] = (uint32_t)jittered(pairs[i], percent, seed, PAIRS + pairs[i]);
    return copies;
}

struct al_machine *sim_jittered(const struct al_machine *machine, double percent, uint64_t seed)
{
    struct al_machine *new = malloc(sizeof *new);
    if (new == NULL)
        return NULL;
    *new = *machine; /* its other arrays are the model's */
    for (uint64_t key = 0; key < AL_MODEL_KEYS; key++) {
        if (is_cost((enum al_model_key)key))
            new->ps[key] = jittered(machine->ps[key], percent, seed, key);
    }
    if (new->ps[AL_MODEL_SMT] > 100)
        new->ps[AL_MODEL_SMT] = 100;
    if (machine->ps[AL_MODEL_CORES_ALL] == 100 || new->ps[AL_MODEL_CORES_ALL] > 100)
        new->ps[AL_MODEL_CORES_ALL] = 100; /* also what has no effect has none */
    new->handoff = copy(machine->handoff, (size_t)machine->n_cores * machine->n_cores, percent,
                        seed);
    new->memory = copy(machine->memory, (size_t)machine->n_nodes * machine->n_nodes, percent, seed);
    if (new->handoff == NULL || new->memory == NULL) {
        sim_jittered_free(new);
        return NULL;
    }
    return new;
}

void sim_jittered_free(struct al_machine *machine)
{
    if (machine == NULL)
        return;
    free(machine->handoff);
    free(machine->memory);
    free(machine);
}
