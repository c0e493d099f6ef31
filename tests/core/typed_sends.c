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

struct hamper {
    int handles;
    struct basket basket;
};
struct windfall {
    struct apple apple;
    int bruises;
};

#if CASE == 9 /* the field is of another type than the base */
AL_ACTOR_DERIVED(hamper, crate, basket)
#else
AL_ACTOR_DERIVED(hamper, basket, basket)
#endif
#if CASE == 10
AL_MESSAGE_DERIVED(windfall, pear, apple)
#else
AL_MESSAGE_DERIVED(windfall, apple, apple)
#endif

#if CASE == 11 /* inherited from a type that is not its base */
AL_BEHAVIOUR(crate, apple, self, msg)
{
    return AL_NODELETE;
}
AL_INHERIT(hamper, crate, apple)
#elif CASE != 12
AL_INHERIT(hamper, basket, apple)
#endif
#if CASE == 13 /* the base has no such behaviour */
AL_INHERIT(hamper, basket, pear)
#endif

AL_BEHAVIOUR(hamper, windfall, self, msg)
{
    return AL_NODELETE;
}

AL_PILL_BEHAVIOUR(hamper, self, pill)
{
    return pill->verdict;
}

void test_derived(struct hamper *hamper, struct basket *basket, struct apple *apple,
                  struct pear *pear, struct windfall *windfall);

void test_derived(struct hamper *hamper, struct basket *basket, struct apple *apple,
                  struct pear *pear, struct windfall *windfall)
{
    (void)basket, (void)pear, (void)apple;
    al_send(hamper, windfall, hamper, windfall);
    al_send(basket, apple, &hamper->basket, &windfall->apple);
    al_send_pill(&hamper->basket.actor, &al_delete_msg);
#if CASE != 11 && CASE != 13
    al_send(hamper, apple, hamper, apple); /* CASE == 12: not inherited */
#endif
#if CASE == 14 /* neither the type nor its base has a behaviour for it */
    al_send(hamper, pear, hamper, pear);
#elif CASE == 15 /* a base is not a derived actor */
    al_send(hamper, apple, basket, apple);
#elif CASE == 16 /* a base is not a derived message */
    al_send(hamper, windfall, hamper, apple);
#elif CASE == 17 /* the base does not receive what only the derived type does */
    al_send(basket, windfall, &hamper->basket, windfall);
#elif CASE == 18 /* two behaviours for one message */
}
AL_BEHAVIOUR(hamper, apple, self, msg)
{
    return AL_NODELETE;
#endif
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
