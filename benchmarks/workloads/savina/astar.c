/* SPDX-License-Identifier: MIT */

/*
 * astar: a search for a way through a graph that the workers share. The nodes are the points of a
 * grid of `size` to the third, with edges drawn at random to some of the neighbours with larger
 * coordinates. The master gives the first node to a worker. A worker follows edges, breadth first,
 * from the node that it is given, and sets the parent of each node that has none yet; after
 * `threshold` nodes it sends those that are left to the master, which gives them to the workers in
 * turn. When the target, at four fifths of the grid, has been reached, or nothing is left, the
 * master ends the workers. Source: Savina (Imam and Sarkar, 2014), "A-Star Search", whose sizes are
 * the defaults. There, orders have priorities, which no strategy here offers.
 *
 * Two of Savina's races are not here. Its master gives work to workers that it has ended, and may
 * end them twice. And it makes edges with a set that Java orders; here in the order of the numbers,
 * by Java's generator with the same seed.
 *
 * Messages, at least: one to the master to begin with; an order to a worker and the news that it is
 * done; the news that the target has been reached; and two for each worker to end. How many orders
 * there are depends on the schedule.
 *
 * The answer: from the target, parents lead to the first node, along edges. The master has had news
 * of every order.
 */

#include <errno.h>

#include "benchmarks/workloads/savina/savina.h"

enum option { SIZE, WORKERS, THRESHOLD, MEMORY };

static const struct al_option options[] = {
    [SIZE] = {"size", AL_OPTION_UINT, "30", 2, 1000, NULL, "points of each edge of the grid"},
    [WORKERS] = {"actors", AL_OPTION_UINT, "20", 1, 1e6, NULL, "actors that search"},
    [THRESHOLD] = {"threshold", AL_OPTION_UINT, "1024", 1, 1e9, NULL,
                   "nodes that an order searches at most"},
    [MEMORY] = AL_MEMORY_OPTION,
    {0},
};

/* Savina's: the seed of Java's generator, and calls of it for each node. */
enum { SEED = 123456, STEPS = 100 };

enum { NONE = UINT32_MAX, EDGES = 6 };

struct node {
    struct al_atomic_u32 parent; /* NONE: nobody has been here */
    uint32_t edges[EDGES];
    uint32_t n;
};

struct order {
    struct al_message message;
    uint32_t node;
};

struct found {
    struct al_message message;
};

struct completed {
    struct al_message message;
};

struct worker {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    struct state *state;
    uint32_t *queue; /* of the nodes whose edges are to be followed */
    uint64_t busy;
};

struct master {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    struct state *state;
    uint64_t given, completed; /* orders */
    uint64_t came;             /* that workers have sent back, including those not given */
    uint32_t working;          /* workers that have not ended */
    bool ending;               /* it has told the workers to end */
    bool found;
};

/* Read-only while the actors run, except the parents of nodes and the master. */
struct state {
    struct node *nodes;
    struct worker *workers;
    uint32_t n_nodes, target, n_workers;
    uint64_t threshold;
    struct al_go go;
    struct al_done done;
    struct found found;
    struct completed completed;
    struct master master;
};

AL_ACTOR(master)
AL_ACTOR(worker)
AL_MESSAGE(completed)
AL_MESSAGE(found)
AL_MESSAGE(order)
AL_RECYCLE(order)

AL_BEHAVIOUR_DECLARE(master, al_done)
AL_BEHAVIOUR_DECLARE(master, completed)
AL_BEHAVIOUR_DECLARE(master, found)
AL_BEHAVIOUR_DECLARE(master, order)
AL_BEHAVIOUR_DECLARE(worker, order)

static struct order *new_order(uint32_t node)
{
    struct order *order = al_message_init(order, al_new(order), AL_DELETE);
    order->node = node;
    return order;
}

/* Whether nobody has been at this node before. Relaxed: nothing else is read because of it. */
static bool take(struct node *node, uint32_t parent)
{
    uint32_t none = NONE;
    return al_u32_load_relaxed(&node->parent) == none &&
           al_u32_cas_relaxed(&node->parent, &none, parent);
}

/*
 * Follow edges from this node. Returns how many nodes are left in the queue, behind *first; none if
 * the target has been reached. Each node that is followed puts up to EDGES into the queue.
 */
static uint64_t search(struct worker *self, uint32_t node, uint64_t *first)
{
    struct state *state = self->state;
    uint32_t *queue = self->queue;
    uint64_t end = 0, at = 0;
    queue[end++] = node;
    while (at < end && at < state->threshold) {
        uint32_t from = queue[at++];
        struct node *node_from = &state->nodes[from];
        self->busy = al_busy(self->busy, STEPS);
        for (uint32_t i = 0; i < node_from->n; i++) {
            uint32_t to = node_from->edges[i];
            if (!take(&state->nodes[to], from))
                continue;
            if (to == state->target) {
                al_send(master, found, &state->master, &state->found);
                return 0;
            }
            queue[end++] = to;
        }
    }
    *first = at;
    return end - at;
}

AL_BEHAVIOUR_DEFINE(worker, order, self, msg)
{
    struct state *state = self->state;
    uint64_t first = 0, left = search(self, msg->node, &first);
    for (uint64_t i = 0; i < left; i++)
        al_send(master, order, &state->master, new_order(self->queue[first + i]));
    al_send(master, completed, &state->master, &state->completed);
    return AL_NODELETE;
}

AL_PILL_BEHAVIOUR(worker, self, pill)
{
    al_send(master, al_done, &self->state->master, &self->state->done);
    return pill->verdict;
}

static void give(struct master *self, uint32_t node)
{
    struct state *state = self->state;
    if (self->ending)
        return;
    struct worker *to = &state->workers[self->given++ % state->n_workers];
    al_send(worker, order, to, new_order(node));
}

static void end_workers(struct master *self)
{
    struct state *state = self->state;
    if (self->ending)
        return;
    self->ending = true;
    for (uint32_t i = 0; i < state->n_workers; i++)
        al_send_pill(&state->workers[i].actor, &al_finished_msg);
}

AL_BEHAVIOUR(master, al_go, self, msg)
{
    give(self, 0);
    return AL_NODELETE;
}

AL_BEHAVIOUR_DEFINE(master, order, self, msg)
{
    self->came++;
    give(self, msg->node);
    return AL_NODELETE;
}

AL_BEHAVIOUR_DEFINE(master, completed, self, msg)
{
    if (++self->completed == self->given)
        end_workers(self);
    return AL_NODELETE;
}

AL_BEHAVIOUR_DEFINE(master, found, self, msg)
{
    self->found = true;
    end_workers(self);
    return AL_NODELETE;
}

AL_BEHAVIOUR_DEFINE(master, al_done, self, msg)
{
    return --self->working == 0 ? AL_FINISHED : AL_NODELETE;
}

static void add_edge(struct node *from, uint32_t self, uint32_t to)
{
    bool known = to == self;
    for (uint32_t i = 0; i < from->n; i++)
        known |= from->edges[i] == to;
    if (!known)
        from->edges[from->n++] = to;
}

/* Edges to some of the neighbours, but for the node itself and the one across. */
static void add_edges(struct state *state, uint32_t size, uint32_t at,
                      struct al_java_random *random)
{
    struct node *node = &state->nodes[at];
    uint32_t i = at / size / size, j = at / size % size, k = at % size;
    for (uint32_t step = 1; step < 7; step++) {
        bool add = (step == 6 && node->n == 0) || al_java_bits(random, 1) != 0;
        uint32_t to_i = i + (step >> 2), to_j = j + (step >> 1 & 1), to_k = k + (step & 1);
        to_i = to_i < size ? to_i : size - 1;
        to_j = to_j < size ? to_j : size - 1;
        to_k = to_k < size ? to_k : size - 1;
        if (add)
            add_edge(node, at, (to_i * size + to_j) * size + to_k);
    }
}

static void *prepare(const union al_value *values, uint64_t seed)
{
    (void)seed;
    uint32_t size = (uint32_t)values[SIZE].uint, n = size * size * size, axis = size * 4 / 5;
    uint32_t workers = (uint32_t)values[WORKERS].uint;
    uint64_t threshold = values[THRESHOLD].uint < n ? values[THRESHOLD].uint : n;
    struct al_java_random random = al_java_random_of(SEED);
    struct state *state = al_allocate_lines(1, sizeof *state);
    *state = (struct state){
        .nodes = al_allocate_zeroed(n, sizeof *state->nodes),
        .workers = al_allocate_lines(workers, sizeof *state->workers),
        .n_nodes = n,
        .target = (axis * size + axis) * size + axis,
        .n_workers = workers,
        .threshold = threshold,
        .master = {.state = state, .working = workers},
    };
    for (uint32_t i = 0; i < n; i++) {
        al_u32_store_relaxed(&state->nodes[i].parent, i == 0 ? 0 : NONE);
        add_edges(state, size, i, &random);
    }
    for (uint32_t i = 0; i < workers; i++)
        state->workers[i] = (struct worker){
            .state = state,
            .queue = al_allocate_lines(1, (threshold * EDGES + 1) * sizeof(uint32_t)),
        };
    al_message_init(al_go, &state->go, AL_NODELETE);
    al_message_init(al_done, &state->done, AL_NODELETE);
    al_message_init(found, &state->found, AL_NODELETE);
    al_message_init(completed, &state->completed, AL_NODELETE);
    return state;
}

static double bytes(const union al_value *values, uint32_t n_workers)
{
    (void)n_workers;
    double size = (double)values[SIZE].uint, nodes = size * size * size;
    double threshold = (double)values[THRESHOLD].uint;
    double queue = (threshold < nodes ? threshold : nodes) * EDGES * sizeof(uint32_t);
    return nodes * sizeof(struct node) +
           (double)values[WORKERS].uint * (sizeof(struct worker) + queue);
}

static uint64_t messages(const void *argument)
{
    const struct state *state = argument;
    return 3 + 2 * (uint64_t)state->n_workers;
}

static uint64_t delivered(const void *argument)
{
    const struct state *state = argument;
    const struct master *master = &state->master;
    return 1 + master->came + master->given + master->completed + master->found +
           2 * (uint64_t)state->n_workers;
}

static void start(void *argument)
{
    struct state *state = argument;
    for (uint32_t i = 0; i < state->n_workers; i++)
        al_actor_init(worker, &state->workers[i]);
    al_send(master, al_go, al_actor_init(master, &state->master), &state->go);
}

/* Whether edges lead from the first node to the target. */
static bool is_reachable(const struct state *state)
{
    bool *seen = al_allocate_zeroed(state->n_nodes, sizeof *seen);
    seen[0] = true;
    for (uint32_t i = 0; i < state->n_nodes; i++) { /* edges lead to larger numbers */
        for (uint32_t j = 0; seen[i] && j < state->nodes[i].n; j++)
            seen[state->nodes[i].edges[j]] = true;
    }
    bool reachable = seen[state->target];
    al_free(seen);
    return reachable;
}

static bool has_edge(const struct node *from, uint32_t to)
{
    for (uint32_t i = 0; i < from->n; i++) {
        if (from->edges[i] == to)
            return true;
    }
    return false;
}

static int check(void *argument, struct al_error *error)
{
    struct state *state = argument;
    const struct master *master = &state->master;
    bool reachable = is_reachable(state);
    if (master->found != reachable)
        return al_error_set(error, -EBADMSG, "the target, which %s be reached, was %s",
                            reachable ? "can" : "cannot", master->found ? "found" : "not found");
    if (master->completed != master->given)
        return al_error_set(error, -EBADMSG, "%llu of %llu orders are done",
                            (unsigned long long)master->completed,
                            (unsigned long long)master->given);
    for (uint32_t at = state->target, steps = 0; reachable && at != 0; steps++) {
        uint32_t parent = al_u32_load_relaxed(&state->nodes[at].parent);
        if (steps > state->n_nodes || parent >= state->n_nodes ||
            !has_edge(&state->nodes[parent], at))
            return al_error_set(error, -EBADMSG, "no edge leads from %u, the parent of %u, to it",
                                parent, at);
        at = parent;
    }
    return 0;
}

static void release(void *argument)
{
    struct state *state = argument;
    for (uint32_t i = 0; i < state->n_workers; i++)
        al_free(state->workers[i].queue);
    al_free(state->workers);
    al_free(state->nodes);
    al_free(state);
}

const struct al_benchmark_ops al_benchmark_astar = {
    .plugin = {"astar", "a search through a graph that the workers share", options},
    .stresses = "tasks of unequal size, which write to shared memory",
    .more_messages = true,
    .small = "size=8 actors=4 threshold=32",
    .sim = "size=40 actors=96 threshold=16",
    .bytes = bytes,
    .prepare = prepare,
    .messages = messages,
    .delivered = delivered,
    .start = start,
    .check = check,
    .release = release,
};
