/* SPDX-License-Identifier: MIT */

/* Compiled by test_typed_sends.py: case 0 must compile, each other case must not. */

#include "core/actor.h"

struct apple {
    struct al_message message;
};
struct pear {
    struct al_message message;
};
struct basket {
    struct al_actor actor;
};
struct crate {
    struct al_actor actor;
};
struct stone {
    int weight;
};

AL_MESSAGE(apple)
AL_MESSAGE(pear)
AL_ACTOR(basket)
AL_ACTOR(crate)

AL_BEHAVIOUR(basket, apple, self, msg)
{
    return AL_NODELETE;
}

void test(struct basket *basket, struct crate *crate, struct apple *apple, struct pear *pear,
          struct stone *stone);

void test(struct basket *basket, struct crate *crate, struct apple *apple, struct pear *pear,
          struct stone *stone)
{
    (void)crate, (void)pear, (void)stone;
    al_send(basket, apple, al_send(basket, apple, basket, apple), apple);
    al_send_pill(&basket->actor, &al_finished_msg);
#if CASE == 1 /* the actor has no behaviour for this message */
    al_send(basket, pear, basket, pear);
#elif CASE == 2 /* no behaviour at all */
    al_send(crate, apple, crate, apple);
#elif CASE == 3 /* a message of another type */
    al_send(basket, apple, basket, pear);
#elif CASE == 4 /* an actor of another type */
    al_send(basket, apple, crate, apple);
#elif CASE == 5 /* not a message */
    al_send(basket, apple, basket, stone);
#elif CASE == 6 /* initialised as another type */
    al_actor_init(basket, crate);
#elif CASE == 7
    al_message_init(apple, pear, AL_DELETE);
#elif CASE == 8 /* a pill is not sent as a message */
    al_send(basket, apple, basket, &al_delete_msg);
#endif
}
