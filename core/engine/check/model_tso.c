/* SPDX-License-Identifier: MIT */

/*
 * sc and tso: the order in which things happen has no cycle. An event is issued in its thread's
 * order, and a write also commits: when it is issued or, if it is buffered, later. Others see
 * commits. The edges:
 *
 *   issue e   → issue of the next in po
 *   issue w   → commit w
 *   commit w  → commit of the next in co
 *             → issue of those that read it, but for a buffered write's own thread, which may have
 *               read it before
 *             → if it is buffered: commit of the next buffered write in po, or issue of what waits
 *               for the buffer
 *   issue r   → commit of the write after the one that it reads
 *
 * With sc no write is buffered.
 */

#include "core/engine/check/model.h"
#include "core/engine/check/model_private.h"

enum node { ISSUE, COMMIT };

/* How a barrier and a light fence of another thread are ordered. */
struct order {
    check_id barrier, light;
    bool light_first;
};

enum { ORDERS = 12 }; /* 2^12 ways to order them are tried at most */

typedef uint64_t marks[2][CHECK_THREADS][(CHECK_EVENTS + 63) / 64];

struct walk {
    const struct check_graph *graph;
    bool buffers;
    unsigned n_orders;
    struct order orders[ORDERS];
    marks seen, open;
    struct check_step *steps; /* optional: those that have been left, the last first */
    unsigned n_steps;
};

static bool is_buffered(const struct walk *walk, const struct check_event *event)
{
    return walk->buffers && event->kind == CHECK_WRITE &&
           (event->flags & (CHECK_EXCLUSIVE | CHECK_LOCKED)) == 0;
}

static bool waits_for_buffer(const struct check_event *event)
{
    return event->kind == CHECK_FENCE || event->kind == CHECK_MEMBARRIER ||
           (event->flags & CHECK_LOCKED) != 0;
}

static bool visit(struct walk *walk, enum node node, check_id id);

static bool visit_commit(struct walk *walk, check_id id)
{
    return visit(walk, is_buffered(walk, check_event_of(walk->graph, id)) ? COMMIT : ISSUE, id);
}

/* What a buffered write's commit comes before in its own thread. */
static bool after_buffered(struct walk *walk, check_id id)
{
    const struct check_graph *graph = walk->graph;
    for (unsigned i = 0; i < walk->n_orders; i++) {
        const struct order *order = &walk->orders[i];
        if (order->light_first && CHECK_THREAD(order->light) == CHECK_THREAD(id) &&
            order->light > id && visit(walk, ISSUE, order->barrier))
            return true;
    }
    for (id++; CHECK_INDEX(id) < graph->n[CHECK_THREAD(id)]; id++) {
        const struct check_event *event = check_event_of(graph, id);
        if (waits_for_buffer(event))
            return visit(walk, ISSUE, id);
        if (is_buffered(walk, event))
            return visit(walk, COMMIT, id);
    }
    return false;
}

static bool after_commit(struct walk *walk, check_id id)
{
    const struct check_graph *graph = walk->graph;
    const struct check_event *event = check_event_of(graph, id);
    bool buffered = is_buffered(walk, event);
    if (event->co_next != CHECK_NONE && visit_commit(walk, event->co_next))
        return true;
    check_id read = graph->words[event->word].reads;
    for (; read != CHECK_NONE; read = check_event_of(graph, read)->read_next) {
        bool forwarded = buffered && CHECK_THREAD(read) == CHECK_THREAD(id);
        if (check_event_of(graph, read)->rf == id && !forwarded && visit(walk, ISSUE, read))
            return true;
    }
    return buffered && after_buffered(walk, id);
}

static bool after_issue(struct walk *walk, check_id id)
{
    const struct check_graph *graph = walk->graph;
    const struct check_event *event = check_event_of(graph, id);
    if (CHECK_INDEX(id) + 1 < graph->n[CHECK_THREAD(id)] && visit(walk, ISSUE, (check_id)(id + 1)))
        return true;
    if (event->kind == CHECK_WRITE)
        return is_buffered(walk, event) ? visit(walk, COMMIT, id) : after_commit(walk, id);
    if (event->kind == CHECK_READ) {
        check_id next = check_co_next(graph, event->word, event->rf);
        return next != CHECK_NONE && visit_commit(walk, next);
    }
    for (unsigned i = 0; i < walk->n_orders; i++) {
        const struct order *order = &walk->orders[i];
        check_id from = order->light_first ? order->light : order->barrier;
        if (from == id && visit(walk, ISSUE, order->light_first ? order->barrier : order->light))
            return true;
    }
    return false;
}

/* Whether a cycle can be reached. */
static bool visit(struct walk *walk, enum node node, check_id id)
{
    unsigned t = CHECK_THREAD(id), i = CHECK_INDEX(id) / 64;
    uint64_t bit = (uint64_t)1 << CHECK_INDEX(id) % 64;
    if (walk->seen[node][t][i] & bit)
        return (walk->open[node][t][i] & bit) != 0;
    walk->seen[node][t][i] |= bit;
    walk->open[node][t][i] |= bit;
    bool cycle = node == ISSUE ? after_issue(walk, id) : after_commit(walk, id);
    walk->open[node][t][i] &= ~bit;
    if (walk->steps != NULL)
        walk->steps[walk->n_steps++] = (struct check_step){id, node == COMMIT};
    return cycle;
}

static void forget(struct walk *walk)
{
    memset(walk->seen, 0, sizeof walk->seen);
    memset(walk->open, 0, sizeof walk->open);
}

/* Whether there is no cycle at all. */
static bool acyclic(struct walk *walk)
{
    forget(walk);
    for (unsigned t = 0; t < CHECK_THREADS; t++) {
        if (walk->graph->n[t] > 0 && visit(walk, ISSUE, CHECK_ID(t, 0)))
            return false;
    }
    return true;
}

/* All pairs of a barrier and a light fence of another thread. False: there are too many. */
static bool find_orders(struct walk *walk)
{
    check_id barriers[ORDERS], lights[ORDERS];
    unsigned n_barriers = 0, n_lights = 0;
    for (unsigned t = 0; t < CHECK_THREADS; t++) {
        for (unsigned i = 0; i < walk->graph->n[t]; i++) {
            unsigned kind = walk->graph->events[t][i].kind;
            if (kind != CHECK_MEMBARRIER && kind != CHECK_LIGHT)
                continue;
            if (n_barriers == ORDERS || n_lights == ORDERS)
                return false;
            if (kind == CHECK_MEMBARRIER)
                barriers[n_barriers++] = CHECK_ID(t, i);
            else
                lights[n_lights++] = CHECK_ID(t, i);
        }
    }
    for (unsigned b = 0; b < n_barriers; b++) {
        for (unsigned l = 0; l < n_lights; l++) {
            if (CHECK_THREAD(barriers[b]) == CHECK_THREAD(lights[l]))
                continue;
            if (walk->n_orders == ORDERS)
                return false;
            walk->orders[walk->n_orders++] = (struct order){barriers[b], lights[l], false};
        }
    }
    return true;
}

/* Order barriers and light fences so that there is no cycle. False: there is no such way. */
static bool choose_orders(struct walk *walk)
{
    for (uint32_t way = 0; way < 1u << walk->n_orders; way++) {
        for (unsigned i = 0; i < walk->n_orders; i++)
            walk->orders[i].light_first = way >> i & 1;
        if (acyclic(walk))
            return true;
    }
    return false;
}

static bool consistent(const struct check_graph *graph, check_id id, bool buffers)
{
    struct walk walk = {.graph = graph, .buffers = buffers};
    if (buffers)
        check_orders_too_many |= !find_orders(&walk);
    return walk.n_orders == 0 ? !visit_commit(&walk, id) : choose_orders(&walk);
}

/* In the order in which the walk leaves them, turned round, each step comes before all that it
 * leads to. */
static unsigned order(const struct check_graph *graph, bool buffers, struct check_step *steps)
{
    struct walk walk = {.graph = graph, .buffers = buffers};
    if (buffers)
        (void)find_orders(&walk);
    (void)choose_orders(&walk);
    walk.steps = steps;
    (void)acyclic(&walk);
    for (unsigned i = 0; i < walk.n_steps / 2; i++) {
        struct check_step step = steps[i];
        steps[i] = steps[walk.n_steps - 1 - i];
        steps[walk.n_steps - 1 - i] = step;
    }
    return walk.n_steps;
}

static unsigned order_sc(const struct check_graph *graph, struct check_step *steps)
{
    return order(graph, false, steps);
}

static unsigned order_tso(const struct check_graph *graph, struct check_step *steps)
{
    return order(graph, true, steps);
}

static bool consistent_sc(struct check_graph *graph, check_id id)
{
    return check_coherent(&check_sc, graph, id) && consistent(graph, id, false);
}

static bool consistent_tso(struct check_graph *graph, check_id id)
{
    return check_coherent(&check_tso, graph, id) && consistent(graph, id, true);
}

const struct check_model check_sc = {.name = "sc", .consistent = consistent_sc, .order = order_sc};
const struct check_model check_tso = {
    .name = "tso", .consistent = consistent_tso, .order = order_tso};
