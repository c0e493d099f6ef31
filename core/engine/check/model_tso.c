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

enum {
    FENCES = 64, /* of each kind, at most */
    ORDERS = 64, /* that a graph does not have by itself, at most */
    TRIES = 4096,
};

typedef uint64_t marks[2][CHECK_THREADS][(CHECK_EVENTS + 63) / 64];

struct walk {
    const struct check_graph *graph;
    bool buffers;
    unsigned n_orders;
    struct order orders[ORDERS];
    marks seen, open;
    struct check_step *steps; /* optional: those that have been left, the last first */
    unsigned n_steps;
    uint16_t left[2][CHECK_THREADS][CHECK_EVENTS]; /* which step that was, from 1 */
};

/* Barriers and light fences. */
struct fences {
    check_id barriers[FENCES], lights[FENCES];
    unsigned n_barriers, n_lights, tries;
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
    for (unsigned t = 0; t < CHECK_THREADS; t++) {
        if (graph->begins[t] == id && graph->n[t] > 0 && visit(walk, ISSUE, CHECK_ID(t, 0)))
            return true;
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
        walk->steps[walk->n_steps] = (struct check_step){id, node == COMMIT};
    walk->left[node][t][CHECK_INDEX(id)] = (uint16_t)++walk->n_steps;
    return cycle;
}

static void forget(struct walk *walk)
{
    memset(walk->seen, 0, sizeof walk->seen);
    memset(walk->open, 0, sizeof walk->open);
    walk->n_steps = 0;
}

/* Not `left`, which is large, and written before it is read. */
static void begin(struct walk *walk, struct fences *fences, const struct check_graph *graph,
                  bool buffers)
{
    walk->graph = graph;
    walk->buffers = buffers;
    walk->n_orders = 0;
    walk->steps = NULL;
    forget(walk);
    fences->n_barriers = fences->n_lights = fences->tries = 0;
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

/* False: there are too many. */
static bool find_fences(const struct check_graph *graph, struct fences *fences)
{
    for (unsigned t = 0; t < CHECK_THREADS; t++) {
        for (unsigned i = 0; i < graph->n[t]; i++) {
            unsigned kind = graph->events[t][i].kind;
            if (kind != CHECK_MEMBARRIER && kind != CHECK_LIGHT)
                continue;
            if (fences->n_barriers == FENCES || fences->n_lights == FENCES)
                return false;
            if (kind == CHECK_MEMBARRIER)
                fences->barriers[fences->n_barriers++] = CHECK_ID(t, i);
            else
                fences->lights[fences->n_lights++] = CHECK_ID(t, i);
        }
    }
    return true;
}

static unsigned left(const struct walk *walk, enum node node, check_id id)
{
    return walk->left[node][CHECK_THREAD(id)][CHECK_INDEX(id)];
}

/* Whether the sequence that the walk has found has one before the other. What it has left last
 * comes first. */
static bool is_ordered(const struct walk *walk, check_id barrier, check_id light)
{
    unsigned at = left(walk, ISSUE, barrier);
    if (at > left(walk, ISSUE, light))
        return true;
    for (check_id id = light; CHECK_INDEX(id--) > 0;) {
        if (is_buffered(walk, check_event_of(walk->graph, id)))
            return left(walk, COMMIT, id) > at; /* the last to leave the buffer */
    }
    return true;
}

/*
 * Find a sequence in which each barrier and each light fence of another thread are ordered. Most
 * are in any; for two that are not, both ways are tried. False: there is none.
 */
static bool choose_orders(struct walk *walk, struct fences *fences)
{
    if (!acyclic(walk))
        return false;
    if (++fences->tries == TRIES)
        check_orders_too_many = true;
    for (unsigned b = 0; b < fences->n_barriers; b++) {
        for (unsigned l = 0; l < fences->n_lights; l++) {
            check_id barrier = fences->barriers[b], light = fences->lights[l];
            if (CHECK_THREAD(barrier) == CHECK_THREAD(light) || is_ordered(walk, barrier, light))
                continue;
            if (check_orders_too_many || walk->n_orders == ORDERS) {
                check_orders_too_many = true;
                return true;
            }
            unsigned i = walk->n_orders++;
            walk->orders[i] = (struct order){barrier, light, false};
            if (choose_orders(walk, fences))
                return true;
            walk->orders[i].light_first = true;
            if (choose_orders(walk, fences))
                return true;
            walk->n_orders = i;
            return false;
        }
    }
    return true;
}

static bool consistent(const struct check_graph *graph, check_id id, bool buffers)
{
    struct walk walk;
    struct fences fences;
    begin(&walk, &fences, graph, buffers);
    if (buffers)
        check_orders_too_many |= !find_fences(graph, &fences);
    bool free = fences.n_barriers == 0 || fences.n_lights == 0;
    return free ? !visit_commit(&walk, id) : choose_orders(&walk, &fences);
}

/* In the order in which the walk leaves them, turned round, each step comes before all that it
 * leads to. */
static unsigned order(const struct check_graph *graph, bool buffers, struct check_step *steps)
{
    struct walk walk;
    struct fences fences;
    begin(&walk, &fences, graph, buffers);
    if (buffers)
        (void)find_fences(graph, &fences);
    (void)choose_orders(&walk, &fences);
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
