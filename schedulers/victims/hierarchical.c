/* SPDX-License-Identifier: MIT */

/*
 * Hierarchical victim selection. Source: LAS paper, section IV.B.3 and Algorithm 1:
 *
 *    1: T: Memory hierarchy tree
 *    2: C: Set of cores under v
 *    3: p: Number of threads polling under local NUMA node
 *    4: r: Number of steal attempts for v
 *    5: procedure CHOOSEVICTIM(v)
 *    6:   if r = Size(C) and v != root(T) then
 *    7:     v <- parent(v)
 *    8:   if v is in local NUMA node then
 *    9:     S = {s | all non-empty local deques}
 *   10:     if S = {} then
 *   11:       v <- parent(v)
 *   12:     else if size(S) = 1 and p > size(C)/2 then
 *   13:       return {}
 *   14:     else return random from S
 *   15:   return random from C
 *
 * How this file reads it, beside the paper's words from the same section:
 *
 *   T     The thief's levels (core/machine/locality.h). A level that the machine lacks, or on which
 *         the thief has no other worker, is no vertex. The root is a vertex of its own, even where
 *         a node or a distance has all workers. "The root is a place-holder representing the whole
 *         system, while intermediate levels represent NUMA nodes and groups".
 *   v     A search starts at the lowest vertex with another worker: "the thief worker thread first
 *         steals from worker threads executing on nearby cores in the same NUMA node with shared
 *         caches". The paper does not say when v returns there: here when the thief finds work, by
 *         stealing or otherwise, since "when a worker runs out of work, it becomes a thief".
 *   C     Cores stand for the workers on them. Size(C) counts the thief, as the set does; "random
 *         from C" leaves it out: a thief steals "from other workers".
 *   p     Workers of the thief's node whose last choice was a victim and whose v is local, the
 *         thief included: "the number of threads per NUMA node that are polling the local node".
 *         Whoever searches farther away polls other nodes, and whoever backed off polls nothing,
 *         as the aim is "to reduce the number of threads that are simultaneously polling a deque".
 *         So no more than half of the threads poll the only deque, and the others do not keep them
 *         from it: "If there is only a single non-empty deque and more than half of threads under
 *         that node are polling that deque, the thief thread backs off". p counts the NUMA node
 *         although it is compared with the C of v; half of C is not rounded.
 *   r     Choices made at v, including the empty result, which "means that the thief has to try
 *         again". It starts at 0 when v changes by line 7 or 11; the choice that follows the
 *         change, in the same call, is the first at the new v.
 *   8     The node itself is in the local NUMA node; distances and the root are not: "If there is
 *         no work available in the local NUMA node, the hierarchical victim selection policy tries
 *         to steal jobs from worker threads of other NUMA nodes with increasing NUMA distance".
 *   9     Of the workers under v, since "nearby cores … with shared caches" come first, and without
 *         the thief, whose deque is empty. A deque is non-empty if its length, "an approximate
 *         size", is not 0.
 *   11    Continues with line 15 and the new C, and reads no lengths even if the new v is local:
 *         "the thief immediately moves up to the next higher level".
 *   13    AL_NO_WORKER: the thief "backs off and tries again later", as its idle policy says.
 */

#include "schedulers/victims/victims.h"

#include "core/machine/locality.h"
#include "schedulers/victims/thieves.h"

struct thief {
    _Alignas(2 * AL_CACHE_LINE_BYTES) uint32_t v, r; /* v: index of the level */
    bool polling;                                    /* counted in p */
};

/* Written by the thieves of the node. Relaxed: p publishes nothing, and a stale one only makes the
 * thief try once too often or too seldom. */
struct node {
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_atomic_u32 p;
};

/* An element of the array in victim_state: the thieves, then the nodes. */
union element {
    struct thief thief;
    struct node node;
};

static struct thief *state_of(const struct al_worker *thief)
{
    return &((union element *)thief->system->victim_state)[thief->id].thief;
}

static struct node *node_of(const struct al_worker *thief)
{
    const struct al_runtime *system = thief->system;
    return &((union element *)
                 system->victim_state)[system->n_workers +
                                       al_locality_node_of(system->locality, thief->id)]
                .node;
}

static int hierarchical_init(struct al_runtime *system, struct al_error *error)
{
    size_t n = system->n_workers + al_locality_n_nodes(system->locality);
    return al_thieves_new(system, n, sizeof(union element), error);
}

static const struct al_level *climb(const struct al_worker *thief, struct thief *state)
{
    state->v++;
    state->r = 0;
    return al_locality_level(thief->system->locality, thief->id, state->v);
}

/* A random element of S (line 9); *n is its size. */
static uint32_t random_busy(struct al_worker *thief, const struct al_level *level, uint32_t *n)
{
    const struct al_runtime *system = thief->system;
    uint32_t chosen = AL_NO_WORKER;
    *n = 0;
    for (uint32_t i = 0; i < level->n; i++) {
        uint32_t id = level->workers[i];
        if (id == thief->id || system->ops->length(&system->workers[id]) == 0)
            continue;
        /* The k-th replaces the one chosen so far with probability 1/k, so all are equally
         * likely. */
        if (++*n == 1 || al_random_below(&thief->random, *n) == 0)
            chosen = id;
    }
    return chosen;
}

/* Another worker of the level, uniformly. Workers are sorted, so those from the thief's place on
 * move up by one. */
static uint32_t random_other(struct al_worker *thief, const struct al_level *level)
{
    uint32_t i = al_random_below(&thief->random, level->n - 1);
    return level->workers[i + (level->workers[i] >= thief->id)];
}

/* Count the thief in p, or no longer. */
static void set_polling(const struct al_worker *thief, struct thief *state, bool polling)
{
    if (state->polling != polling)
        al_u32_add_relaxed(&node_of(thief)->p, polling ? 1 : (uint32_t)-1);
    state->polling = polling;
}

static uint32_t hierarchical_pick(struct al_worker *thief)
{
    const struct al_locality *locality = thief->system->locality;
    struct thief *state = state_of(thief);
    const struct al_level *level = al_locality_level(locality, thief->id, state->v);
    bool root = state->v + 1 == al_locality_n_levels(locality, thief->id);
    if (state->r == level->n && !root) /* lines 6, 7 */
        level = climb(thief, state);
    if (level->local) { /* 8 */
        uint32_t n;
        uint32_t victim = random_busy(thief, level, &n);
        if (n != 0) { /* 12 to 14 */
            state->r++;
            uint64_t p = (uint64_t)al_u32_load_relaxed(&node_of(thief)->p) + !state->polling;
            bool back_off = n == 1 && 2 * p > level->n;
            set_polling(thief, state, !back_off);
            return back_off ? AL_NO_WORKER : victim;
        }
        level = climb(thief, state); /* 11 */
    }
    set_polling(thief, state, level->local);
    state->r++;
    return random_other(thief, level); /* 15 */
}

static void hierarchical_rest(struct al_worker *thief)
{
    struct thief *state = state_of(thief);
    set_polling(thief, state, false);
    *state = (struct thief){0};
}

/* A fruitful attempt ends the search: `rest` is not called if the first attempt is fruitful. */
static void hierarchical_learn(struct al_worker *thief, uint32_t victim, bool fruitful)
{
    (void)victim;
    if (fruitful)
        hierarchical_rest(thief);
}

const struct al_victim_ops al_victim_hierarchical = {
    .plugin = {"hierarchical",
               "LAS, Algorithm 1: busy workers nearby first, then farther and farther away", NULL},
    .declines = true,
    .init = hierarchical_init,
    .fini = al_thieves_free,
    .pick = hierarchical_pick,
    .learn = hierarchical_learn,
    .rest = hierarchical_rest,
};
