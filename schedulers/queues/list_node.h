/* SPDX-License-Identifier: MIT */
#ifndef AL_LIST_NODE_H
#define AL_LIST_NODE_H

/* An envelope that is allocated for one send, and linked into a list of messages. */

#include "core/envelope.h"
#include "core/memory/pool.h"

struct al_list_node {
    struct al_envelope envelope;
    struct al_list_node *next;
};

/* From a pool, whose owner calls. Ends the program if there is no memory. It may block, so call it
 * before you take a lock. */
static inline struct al_list_node *al_list_node(struct al_pool *pool, struct al_actor *actor,
                                                struct al_message *message, al_behaviour *behaviour)
{
    struct al_list_node *node = al_pool_take_for(pool, sizeof *node);
    *node = (struct al_list_node){{actor, message, behaviour}, NULL};
    return node;
}

/* Free a list that nobody else can see, after a call of undelivered for each envelope in it. The
 * owner of the pool, which is of the depot that the nodes are from. */
static inline void
al_list_fini(struct al_list_node *node, struct al_pool *pool,
             void (*undelivered)(void *context, const struct al_envelope *envelope), void *context)
{
    for (struct al_list_node *next; node != NULL; node = next) {
        next = node->next;
        undelivered(context, &node->envelope);
        al_pool_give(pool, node);
    }
}

#endif
