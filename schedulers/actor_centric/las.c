/* SPDX-License-Identifier: MIT */

/*
 * LAS, locality-aware actor scheduling: work stealing that knows the memory hierarchy. Source: LAS paper,
 * section IV.B; docs/explanation/las.md. The order of victims is the heuristic `hierarchical` (Algorithm 1); here is where
 * actors are placed:
 *
 *   a new actor         at the head of the deque of the worker that made it ready
 *   las_l, unblocked    at the head of the deque of the worker that sent the message
 *   las_a, unblocked    at the tail of the deque of the worker that ran it last
 *   a hub               at first on a NUMA node far from those of earlier hubs
 *   from outside        on the workers in turn, as in CAF
 *
 * A worker's deque and state are allocated on its own thread, so on its own node.
 */

#include <errno.h>

#include "core/machine/locality.h"
#include "core/plugin/scheduler.h"
#include "schedulers/actor_centric/actor_worker.h"
#include "schedulers/idle/idles.h"
#include "schedulers/victims/victims.h"

enum option { PRESET, PLACEMENT, DEQUE, MAX_THROUGHPUT };

static const char *const placement_choices[] = {"las_l", "las_a", NULL};

static const struct al_option options[] = {
    [PRESET] = AL_ACTOR_PRESET_OPTION,
    [PLACEMENT] = {"placement", AL_OPTION_ENUM, "las_l", 0, 0, placement_choices,
                   "an unblocked actor goes to the sender's deque, or to that of its last worker"},
    [DEQUE] = {"deque", AL_OPTION_ENUM, "locked", 0, 0, al_deque_choices, AL_DEQUE_HELP},
    [MAX_THROUGHPUT] = AL_MAX_THROUGHPUT_OPTION,
    {0},
};

struct las {
    uint64_t max_throughput;
    bool affine; /* las_a */

    /* written by whoever sends, or makes actors, from outside, or makes a hub */
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_atomic_u64 ticket;
    struct al_spinlock hub_lock;
    uint32_t *hubs; /* by node; under the lock */
};

struct las_worker {
    struct al_actor_worker actors;
    struct al_deque deque;
};

static struct al_deque *deque_of(const struct al_worker *worker)
{
    return &((struct las_worker *)worker->scheduler)->deque;
}

static int las_init(struct al_system *system, struct al_error *error)
{
    const union al_value *values = system->scheduler.values;
    struct las *las = aligned_alloc(_Alignof(struct las), sizeof *las);
    uint32_t *hubs = calloc(al_locality_n_nodes(system->locality), sizeof *hubs);
    if (las == NULL || hubs == NULL) {
        free(las);
        free(hubs);
        return al_error_set(error, -ENOMEM, "no memory for the strategy las");
    }
    *las = (struct las){
        .max_throughput = al_max_throughput(values[MAX_THROUGHPUT]),
        .affine = values[PLACEMENT].uint != 0,
        .hubs = hubs,
    };
    system->scheduler_state = las;
    return 0;
}

static int las_worker_init(struct al_worker *self)
{
    const union al_value *values = self->system->scheduler.values;
    struct las_worker *worker = aligned_alloc(_Alignof(struct las_worker), sizeof *worker);
    if (worker == NULL)
        return -ENOMEM;
    worker->actors.running = NULL;
    al_deque_init(&worker->deque, (enum al_deque_kind)values[DEQUE].uint, AL_OWNER_LIFO);
    self->scheduler = worker;
    return 0;
}

/* All actors have terminated, so no deque holds any. */
static void las_fini(struct al_system *system)
{
    struct las *las = system->scheduler_state;
    for (uint32_t i = 0; i < system->n_workers; i++) {
        struct las_worker *worker = system->workers[i].scheduler;
        if (worker != NULL)
            al_deque_fini(&worker->deque);
        free(worker);
    }
    free(las->hubs);
    free(las);
}

/* The smallest distance from a node to one that has more than `few` hubs. */
static uint32_t distance_to_hubs(const struct al_locality *locality, const struct las *las,
                                 uint32_t node, uint32_t few)
{
    uint32_t nearest = UINT32_MAX;
    for (uint32_t i = 0; i < al_locality_n_nodes(locality); i++) {
        uint32_t distance = al_locality_node_distance(locality, node, i);
        if (las->hubs[i] > few && distance < nearest)
            nearest = distance;
    }
    return nearest;
}

/* A worker for a new hub: on the node with the fewest hubs; of several, the one farthest from the others' hubs. */
static uint32_t place_hub(const struct al_system *system, struct las *las)
{
    const struct al_locality *locality = system->locality;
    uint32_t n_nodes = al_locality_n_nodes(locality), few = UINT32_MAX, best = 0, farthest = 0;
    al_spinlock_lock(&las->hub_lock);
    for (uint32_t i = 0; i < n_nodes; i++)
        few = las->hubs[i] < few ? las->hubs[i] : few;
    for (uint32_t i = 0; i < n_nodes; i++) {
        if (las->hubs[i] != few)
            continue;
        uint32_t distance = distance_to_hubs(locality, las, i, few);
        if (distance > farthest) {
            farthest = distance;
            best = i;
        }
    }
    uint32_t turn = las->hubs[best]++;
    al_spinlock_unlock(&las->hub_lock);
    const struct al_level *level = al_locality_node_workers(locality, best);
    return level->workers[turn % level->n];
}

static uint32_t las_enter(struct al_worker *self, struct al_actor *actor,
                          enum al_placement placement, uint32_t worker)
{
    struct las *las = self->system->scheduler_state;
    if (placement != AL_PLACE_HUB)
        return al_actor_worker_enter_in_turn(self, actor, placement, worker, &las->ticket);
    struct al_ready_actor *ready = al_actor_worker_enter(self, actor, placement);
    ready->is_hub = true;
    return ready->first_worker = place_hub(self->system, las);
}

static __attribute__((noinline)) void schedule(struct al_worker *self, struct al_ready_actor *ready)
{
    struct al_system *system = self->system;
    struct las *las = system->scheduler_state;
    bool outside = self->id == system->n_workers;
    /* relaxed: written by the worker that ran the actor; the push that found it waiting ordered that */
    uint32_t id = al_u32_load_relaxed(&ready->last_worker);
    if (id == AL_NO_WORKER && ready->is_hub) /* new */
        id = ready->first_worker;
    else if (!las->affine)
        id = AL_NO_WORKER;
    if (id >= system->n_workers && outside)
        id = al_actor_worker_from_outside(system, ready, &las->ticket);
    if (id < system->n_workers) {
        al_deque_push_behind_any(deque_of(&system->workers[id]), ready);
        if (id == self->id)
            al_idle_wake(system, id);
        else
            al_idle_nudge(system, id);
        return;
    }
    al_deque_push_owner(deque_of(self), ready);
    al_idle_wake(system, AL_ANYONE);
}

static void las_send(struct al_worker *self, struct al_actor *actor, struct al_message *message,
                     al_behaviour *behaviour)
{
    struct al_ready_actor *ready = al_actor_worker_send(actor, message, behaviour);
    if (ready != NULL)
        schedule(self, ready);
}

static void las_run(struct al_worker *self)
{
    const struct las *las = self->system->scheduler_state;
    al_actor_worker_run(self, deque_of, las->max_throughput);
}

static uint64_t las_length(const struct al_worker *worker)
{
    return al_deque_length(deque_of(worker));
}

static uint64_t las_held(const struct al_system *system)
{
    return al_actor_worker_held(system, deque_of);
}

const struct al_scheduler_ops al_scheduler_las = {
    .plugin = {"las",
               "locality-aware: victims by Algorithm 1, placement las_l or las_a, hubs apart",
               options},
    .victim = &al_victim_hierarchical,
    .idle = &al_idle_polling,
    .steals = true,
    .presets = al_actor_presets,
    .init = las_init,
    .fini = las_fini,
    .worker_init = las_worker_init,
    .run = las_run,
    .enter = las_enter,
    .leave = al_actor_worker_leave,
    .send = las_send,
    .length = las_length,
    .held = las_held,
};
