/* SPDX-License-Identifier: MIT */

/*
 * LAS, locality-aware actor scheduling: work stealing that knows the memory hierarchy. Source: LAS
 * paper, section IV.B; docs/explanation/las.md. The order of victims is the heuristic
 * `hierarchical` (Algorithm 1). Here is where actors are placed:
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
#include "schedulers/actor_centric/stealing.h"
#include "schedulers/idle/idles.h"
#include "schedulers/victims/victims.h"

enum option { PLACEMENT = AL_STEALING_OPTIONS };

enum placement { LAS_L, LAS_A };

static const char *const placement_choices[] = {"las_l", "las_a", NULL}; /* enum placement */

static const struct al_option options[] = {
    AL_STEALING_COMMON_OPTIONS("locked"),
    [PLACEMENT] = {"placement", AL_OPTION_ENUM, "las_l", 0, 0, placement_choices,
                   "an unblocked actor goes to the sender's deque, or to that of its last worker"},
    [AL_STEALING_BACKOFF] = AL_STEAL_BACKOFF_OPTION,
    [AL_STEALING_LOCK] = AL_STEALING_LOCK_OPTION,
    {0},
};

struct las {
    struct al_base base;
    enum placement placement;
    struct al_spinlock hub_lock;
    uint32_t *hubs; /* by node; under the lock */
};

static int las_init(struct al_runtime *system, struct al_error *error)
{
    int code = al_stealing_new(system, sizeof(struct las), error);
    if (code != 0)
        return code;
    struct las *las = system->scheduler_state;
    las->placement = system->scheduler.values[PLACEMENT].uint;
    las->hubs = al_calloc(al_locality_n_nodes(system->locality), sizeof *las->hubs);
    if (las->hubs != NULL)
        return 0;
    al_free(las);
    return al_error_set(error, -ENOMEM, "no memory for the strategy las");
}

static void las_fini(struct al_runtime *system)
{
    al_free(((struct las *)system->scheduler_state)->hubs);
    al_stealing_fini(system);
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

/* A worker for a new hub, on the node with the fewest hubs; of several such nodes, the one farthest
 * from the other hubs. */
static uint32_t place_hub(const struct al_runtime *system, struct las *las)
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
        return al_base_enter_in_turn(self, actor, placement, worker);
    struct al_ready_actor *ready = al_base_home(self, actor, placement);
    ready->is_hub = true;
    return ready->first_worker = place_hub(self->system, las);
}

static __attribute__((noinline)) void schedule(struct al_worker *self, struct al_ready_actor *ready)
{
    struct al_runtime *system = self->system;
    const struct las *las = system->scheduler_state;
    bool outside = self->id == system->n_workers;
    /* relaxed: the worker that ran the actor wrote it; the push that found it waiting ordered
     * that */
    uint32_t id = al_u32_load_relaxed(&ready->last_worker);
    if (id == AL_NO_WORKER && ready->is_hub) /* new */
        id = ready->first_worker;
    else if (las->placement == LAS_L)
        id = AL_NO_WORKER;
    if (id >= system->n_workers && outside)
        id = al_base_worker_from_outside(system, ready);
    if (id < system->n_workers) {
        al_stealing_push_behind(self, id, ready);
    } else {
        al_deque_push_owner(al_deque_of(self), ready);
        al_idle_wake(system, AL_ANYONE);
    }
}

static void las_send(struct al_worker *self, struct al_actor *actor, struct al_message *message,
                     al_behaviour *behaviour)
{
    al_base_send(self, actor, message, behaviour, schedule);
}

const struct al_scheduler_ops al_scheduler_las = {
    .plugin = {"las",
               "locality-aware: victims by Algorithm 1, placement las_l or las_a, hubs apart",
               options},
    .victim = &al_victim_hierarchical,
    .idle = &al_idle_polling,
    .steals = true,
    .presets = al_base_presets,
    .init = las_init,
    .fini = las_fini,
    .worker_init = al_stealing_worker_init,
    .run = al_stealing_run,
    .enter = las_enter,
    .leave = al_base_leave,
    .send = las_send,
    .length = al_stealing_length,
    .held = al_stealing_held,
};
