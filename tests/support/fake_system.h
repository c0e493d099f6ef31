/* SPDX-License-Identifier: MIT */
#ifndef AL_FAKE_SYSTEM_H
#define AL_FAKE_SYSTEM_H

/* A system for testing a victim heuristic alone: its workers do not run, the test chooses the
 * machine and sets the queue lengths. */

#include <stdlib.h>
#include <string.h>

#include "core/machine/locality.h"
#include "core/machine/topology.h"
#include "core/plugin/scheduler.h"
#include "schedulers/registry.h"
#include "tests/support/tap.h"

struct fake {
    struct al_runtime *system;
    uint64_t *lengths;
};

static uint64_t fake_length(const struct al_worker *worker)
{
    return *(const uint64_t *)worker->scheduler;
}

static const struct al_scheduler_ops fake_ops = {.length = fake_length};

/* Begin again, with empty queues and no memory of earlier picks. */
static inline void fake_reset(struct fake *fake, uint64_t seed)
{
    struct al_runtime *system = fake->system;
    struct al_error error;
    if (system->victim_ops->fini != NULL)
        system->victim_ops->fini(system);
    for (uint32_t i = 0; i < system->n_workers; i++) {
        al_random_seed(&system->workers[i].random, seed, i);
        fake->lengths[i] = 0;
    }
    if (system->victim_ops->init != NULL)
        CHECK(system->victim_ops->init(system, &error) == 0, "%s", error.text);
}

/* pus: a list of PUs, as a pin policy takes it; n: how many of them, or 0 for all. Options have
 * their defaults. */
static inline struct fake fake_new(const char *victim, const char *spec, const char *pus,
                                   uint32_t n)
{
    struct al_error error;
    struct al_topology *topology;
    unsigned *order;
    size_t n_pus;
    CHECK(al_topology_load(spec, &topology, &error) == 0, "%s", error.text);
    CHECK(al_topology_order(topology, pus, &order, &n_pus, &error) == 0, "%s", error.text);
    CHECK(n <= n_pus, "%zu PUs", n_pus);
    n = n != 0 ? n : (uint32_t)n_pus;
    struct fake fake = {aligned_alloc(_Alignof(struct al_runtime), sizeof *fake.system),
                        calloc(n, sizeof *fake.lengths)};
    struct al_worker *workers = aligned_alloc(_Alignof(struct al_worker), n * sizeof *workers);
    CHECK(fake.system != NULL && fake.lengths != NULL && workers != NULL, "memory");
    memset(fake.system, 0, sizeof *fake.system);
    memset(workers, 0, n * sizeof *workers);
    fake.system->ops = &fake_ops;
    fake.system->workers = workers;
    fake.system->n_workers = n;
    CHECK(al_locality_new(topology, order, n, &fake.system->locality, &error) == 0, "%s",
          error.text);
    fake.system->victim.plugin = al_plugin_find(al_victims, "victim", victim, &error);
    CHECK(fake.system->victim.plugin != NULL, "%s", error.text);
    fake.system->victim_ops = AL_OPS(fake.system->victim.plugin, al_victim_ops);
    struct al_selection *selection = &fake.system->victim;
    CHECK(al_options_parse(&selection, 1, NULL, 0, &error) == 0, "%s", error.text);
    for (uint32_t i = 0; i < n; i++) {
        workers[i].system = fake.system;
        workers[i].id = i;
        workers[i].scheduler = &fake.lengths[i];
    }
    free(order);
    al_topology_free(topology);
    fake_reset(&fake, 1);
    return fake;
}

static inline void fake_free(struct fake *fake)
{
    if (fake->system->victim_ops->fini != NULL)
        fake->system->victim_ops->fini(fake->system);
    al_locality_free(fake->system->locality);
    free(fake->system->workers);
    free(fake->system);
    free(fake->lengths);
}

static inline uint32_t fake_pick(struct fake *fake, uint32_t thief)
{
    return fake->system->victim_ops->pick(&fake->system->workers[thief]);
}

static inline void fake_learn(struct fake *fake, uint32_t thief, uint32_t victim, bool fruitful)
{
    al_victim_learn(fake->system->victim_ops, &fake->system->workers[thief], victim, fruitful);
}

static inline void fake_rest(struct fake *fake, uint32_t thief)
{
    al_victim_rest(fake->system->victim_ops, &fake->system->workers[thief]);
}

#endif
