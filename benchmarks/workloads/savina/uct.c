/* SPDX-License-Identifier: MIT */

/*
 * uct: a tree of actors of random shape, which is then walked. A node that may have children asks
 * the root, who decides: it has `children` with a chance of one half, while there are fewer than
 * `nodes` nodes. When all have asked, the root has the tree walked from above, each node computing
 * for a time that is normally distributed, and then ended. Source: Savina (Imam and Sarkar, 2014),
 * "Unbalanced Cobwebbed Tree", whose sizes are the defaults; first in Zhao and Jamali (2013).
 *
 * Two of Savina's mistakes are not here. Its root walks and ends the tree when a node asks that
 * would make it too large, while other nodes are still asking; and if the tree dies out before, it
 * waits for ever. Here it waits for all, and says yes to the last one that could make a smaller
 * tree grow, so that the number of nodes is always the same. Savina's nodes compute by loops that
 * add up nothing, which Java's compiler removes; here `cost` says how long a unit of them takes, by
 * default no time. Some of its children are marked as urgent, which changes nothing but what it
 * prints.
 *
 * Messages: one to the root to begin with; for each node an order to ask, a question, an order to
 * walk and one to end; for each node with children the root's answer, and news to its parent.
 * Negative answers are not sent.
 *
 * The answer: the tree has as many nodes as fit, each of them was walked once, and for as long as
 * the draws of all parents say.
 */

#include <errno.h>
#include <math.h>

#include "benchmarks/workloads/savina/savina.h"

enum option { NODES, CHILDREN, SIZE, DEVIATION, COST, MEMORY };

static const struct al_option options[] = {
    [NODES] = {"nodes", AL_OPTION_UINT, "200000", 2, 1e9, NULL, "nodes of the tree, at most"},
    [CHILDREN] = {"children", AL_OPTION_UINT, "10", 2, 1e6, NULL,
                  "children of a node that has any"},
    [SIZE] = {"size", AL_OPTION_UINT, "500", 1, 1e6, NULL, "mean size of a node's computation"},
    [DEVIATION] = {"deviation", AL_OPTION_UINT, "100", 0, 1e6, NULL, "its standard deviation"},
    [COST] = {"cost", AL_OPTION_UINT, "0", 0, 1e6, NULL,
              "steps of a generator for each unit of a computation"},
    [MEMORY] = AL_MEMORY_OPTION,
    {0},
};

/* Savina's: the seed, and the size of the computation before a node asks. */
enum { SEED = 2, ASKING = 100 };

struct node;

struct
try {
    struct al_message message;
};

struct question {
    struct al_message message;
    struct node *from;
};

/* Yes: the children's size. */
struct grow {
    struct al_message message;
    uint64_t size;
};

/* A child has children. */
struct granted {
    struct al_message message;
};

struct walk {
    struct al_message message;
};

struct node {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    struct state *state;
    struct node *parent;   /* NULL: the root is */
    struct node *children; /* NULL: none yet */
    uint64_t size;
    uint64_t walks, walked; /* how often it was walked, and for how long */
    uint64_t grown;         /* children of which it knows that they have children */
    bool ending;
    uint64_t busy;
    struct question question;
};

struct root {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    struct state *state;
    struct al_random random;
    struct node *children;
    uint64_t nodes;  /* of the tree */
    uint64_t asking; /* nodes that have not asked */
    uint64_t sizes;  /* of all children that it has granted */
    uint64_t grown;
};

/* Read-only while the actors run, except the root and the tallies. */
struct state {
    uint64_t nodes, size, deviation, cost;
    uint32_t n_children;
    struct al_go go;
    struct try try;
    struct granted granted;
    struct walk walk;
    struct root root;
};

AL_ACTOR(node)
AL_ACTOR(root)
AL_MESSAGE(granted)
AL_MESSAGE(grow)
AL_MESSAGE(question)
AL_MESSAGE(try)
AL_MESSAGE(walk)
AL_RECYCLE(grow)

AL_BEHAVIOUR_DECLARE(node, granted)
AL_BEHAVIOUR_DECLARE(node, try)
AL_BEHAVIOUR_DECLARE(root, granted)
AL_BEHAVIOUR_DECLARE(root, question)

/* They are kept before they ask: once all have asked, anybody may look at them. */
static void new_children(struct state *state, struct node *parent, uint64_t size,
                         struct node **kept)
{
    struct node *children = al_allocate_lines(state->n_children, sizeof *children);
    for (uint32_t i = 0; i < state->n_children; i++) {
        struct node *child = &children[i];
        *child = (struct node){
            .state = state, .parent = parent, .size = size, .question.from = child};
        al_message_init(question, &child->question, AL_NODELETE);
        al_actor_init(node, child);
    }
    *kept = children;
    for (uint32_t i = 0; i < state->n_children; i++)
        al_send(node, try, &children[i], &state->try);
}

AL_BEHAVIOUR_DEFINE(node, try, self, msg)
{
    struct state *state = self->state;
    self->busy = al_busy(self->busy, ASKING * state->cost);
    al_send(root, question, &state->root, &self->question);
    return AL_NODELETE;
}

AL_BEHAVIOUR(node, grow, self, msg)
{
    struct state *state = self->state;
    if (self->parent != NULL)
        al_send(node, granted, self->parent, &state->granted);
    else
        al_send(root, granted, &state->root, &state->granted);
    new_children(state, self, msg->size, &self->children);
    return AL_NODELETE;
}

AL_BEHAVIOUR(node, walk, self, msg)
{
    struct state *state = self->state;
    self->walks++;
    self->walked += self->size;
    self->busy = al_busy(self->busy, self->size * state->cost);
    for (uint32_t i = 0; self->children != NULL && i < state->n_children; i++)
        al_send(node, walk, &self->children[i], msg);
    return AL_NODELETE;
}

/*
 * Whether all children that have children have said so. News of it may be on their way when the end
 * is ordered, since that comes from another actor. It is known by then who has children: they have
 * all asked before.
 */
static bool has_news(const struct state *state, const struct node *children, uint64_t grown)
{
    uint64_t n = 0;
    for (uint32_t i = 0; children != NULL && i < state->n_children; i++)
        n += children[i].children != NULL;
    return n == grown;
}

AL_BEHAVIOUR_DEFINE(node, granted, self, msg)
{
    self->grown++;
    return self->ending && has_news(self->state, self->children, self->grown) ? AL_FINISHED
                                                                              : AL_NODELETE;
}

AL_PILL_BEHAVIOUR(node, self, pill)
{
    const struct state *state = self->state;
    self->ending = true;
    for (uint32_t i = 0; self->children != NULL && i < state->n_children; i++)
        al_send_pill(&self->children[i].actor, pill);
    return has_news(state, self->children, self->grown) ? AL_FINISHED : AL_NODELETE;
}

/* Normally distributed: by the polar method of Marsaglia, as Java's nextGaussian. */
static uint64_t draw_size(struct root *self)
{
    const struct state *state = self->state;
    for (;;) {
        double u = (double)(al_random_next(&self->random) >> 11) * 0x1p-52 - 1;
        double v = (double)(al_random_next(&self->random) >> 11) * 0x1p-52 - 1;
        double s = u * u + v * v;
        if (s >= 1 || s == 0)
            continue;
        double size = round(u * sqrt(-2 * log(s) / s) * (double)state->deviation +
                            (double)state->size);
        if (size > 0)
            return (uint64_t)size;
    }
}

static uint64_t grant(struct root *self)
{
    const struct state *state = self->state;
    uint64_t size = draw_size(self);
    self->nodes += state->n_children;
    self->asking += state->n_children;
    self->sizes += size * state->n_children;
    return size;
}

AL_BEHAVIOUR(root, al_go, self, msg)
{
    uint64_t size = grant(self);
    new_children(self->state, NULL, size, &self->children);
    return AL_NODELETE;
}

static enum al_verdict end(struct root *self)
{
    return self->asking == 0 && has_news(self->state, self->children, self->grown) ? AL_FINISHED
                                                                                   : AL_NODELETE;
}

AL_BEHAVIOUR_DEFINE(root, question, self, msg)
{
    struct state *state = self->state;
    bool fits = self->nodes + state->n_children <= state->nodes, last = --self->asking == 0;
    if (fits && ((al_random_next(&self->random) >> 63) != 0 || last)) {
        struct grow *grow = al_message_init(grow, al_new(grow), AL_DELETE);
        grow->size = grant(self);
        al_send(node, grow, msg->from, grow);
    }
    if (self->asking > 0)
        return AL_NODELETE;
    for (uint32_t i = 0; i < state->n_children; i++)
        al_send(node, walk, &self->children[i], &state->walk);
    for (uint32_t i = 0; i < state->n_children; i++)
        al_send_pill(&self->children[i].actor, &al_finished_msg);
    return end(self);
}

AL_BEHAVIOUR_DEFINE(root, granted, self, msg)
{
    self->grown++;
    return end(self);
}

static int check_parameters(const union al_value *values, struct al_error *error)
{
    if (values[NODES].uint > values[CHILDREN].uint)
        return 0;
    return al_error_set(error, -EINVAL, "nodes=%llu; valid: more than children=%llu",
                        (unsigned long long)values[NODES].uint,
                        (unsigned long long)values[CHILDREN].uint);
}

static void *prepare(const union al_value *values, uint64_t seed)
{
    (void)seed;
    struct state *state = al_allocate_lines(1, sizeof *state);
    *state = (struct state){.nodes = values[NODES].uint,
                            .size = values[SIZE].uint,
                            .deviation = values[DEVIATION].uint,
                            .cost = values[COST].uint,
                            .n_children = (uint32_t)values[CHILDREN].uint,
                            .root = {.state = state, .nodes = 1}};
    al_random_seed(&state->root.random, SEED, 0);
    al_message_init(al_go, &state->go, AL_NODELETE);
    al_message_init(try, &state->try, AL_NODELETE);
    al_message_init(granted, &state->granted, AL_NODELETE);
    al_message_init(walk, &state->walk, AL_NODELETE);
    return state;
}

static double bytes(const union al_value *values, uint32_t n_workers)
{
    (void)n_workers;
    return (double)values[NODES].uint * sizeof(struct node);
}

/* Families below that of the root. */
static uint64_t families(const struct state *state)
{
    return (state->nodes - 1) / state->n_children - 1;
}

static uint64_t messages(const void *argument)
{
    const struct state *state = argument;
    return 1 + 4 * state->n_children * (1 + families(state)) + 2 * families(state);
}

static void start(void *argument)
{
    struct state *state = argument;
    al_send(root, al_go, al_actor_init(root, &state->root), &state->go);
}

struct tally {
    uint64_t nodes, walked, wrong;
};

/* The one after this, parents first; NULL after the last. A tree may be too deep for recursion. */
static const struct node *next_node(const struct state *state, const struct node *node)
{
    if (node->children != NULL)
        return node->children;
    for (; node != NULL; node = node->parent) {
        const struct node *first = node->parent != NULL ? node->parent->children
                                                        : state->root.children;
        if (node + 1 < first + state->n_children)
            return node + 1;
    }
    return NULL;
}

static int check(void *argument, struct al_error *error)
{
    const struct state *state = argument;
    uint64_t nodes = 1 + state->n_children * (1 + families(state));
    struct tally tally = {.nodes = 1};
    for (const struct node *node = state->root.children; node != NULL;
         node = next_node(state, node)) {
        tally.nodes++;
        tally.walked += node->walked;
        tally.wrong += node->walks != 1;
    }
    if (tally.nodes != nodes)
        return al_error_set(error, -EBADMSG, "%llu nodes, not %llu",
                            (unsigned long long)tally.nodes, (unsigned long long)nodes);
    if (tally.wrong != 0)
        return al_error_set(error, -EBADMSG, "%llu nodes were not walked once",
                            (unsigned long long)tally.wrong);
    if (tally.walked == state->root.sizes)
        return 0;
    return al_error_set(error, -EBADMSG, "the nodes have computed %llu units, not %llu",
                        (unsigned long long)tally.walked, (unsigned long long)state->root.sizes);
}

/* Lists what is still to be freed by the parent of each family's first node. */
static void free_tree(const struct state *state, struct node *left)
{
    while (left != NULL) {
        struct node *family = left;
        left = family->parent;
        for (uint32_t i = 0; i < state->n_children; i++) {
            struct node *below = family[i].children;
            if (below != NULL) {
                below->parent = left;
                left = below;
            }
        }
        al_free(family);
    }
}

static void release(void *argument)
{
    struct state *state = argument;
    free_tree(state, state->root.children);
    al_free(state);
}

const struct al_benchmark_ops al_benchmark_uct = {
    .plugin = {"uct", "a tree of random shape, which grows and is walked", options},
    .stresses = "a hub that is asked by every new actor, and then a tree of walks",
    .small = "nodes=500",
    .sim = "nodes=20000",
    .bytes = bytes,
    .check_parameters = check_parameters,
    .prepare = prepare,
    .messages = messages,
    .start = start,
    .check = check,
    .release = release,
};
