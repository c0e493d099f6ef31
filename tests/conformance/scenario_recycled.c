/* SPDX-License-Identifier: MIT */

/*
 * recycled: messages and actors from free lists (AL_RECYCLE) go from actor to actor, so that one
 * worker frees what another has allocated, and its storage is soon used again. Promise: nobody else
 * has it before it was deleted. Each block has a seal made of its address and number, which is
 * broken when the block is given up; whoever gets it looks twice, now and then with a pause between
 * in which another one would write.
 */

#include "core/actor.h"
#include "tests/conformance/scenarios.h"
#include "tests/support/tap.h"

#define POSTS       6
#define CRATE_WORDS 20

struct seal {
    uint64_t number, marks[2];
};

/* Two sizes, hence two free lists. */
struct parcel {
    struct seal seal; /* first: what free lists write to */
    struct al_message message;
    uint32_t hops;
};

struct crate {
    struct al_message message;
    uint64_t filling[CRATE_WORDS];
    uint32_t hops;
    struct seal seal;
};

struct home {
    struct al_message message;
};

struct office;

/* Created for one parcel, which it passes on, then deleted. */
struct courier {
    struct seal seal;
    struct al_actor actor;
    struct office *office;
    struct post *to;
};

struct post {
    struct al_actor actor;
    struct office *office;
    struct al_random random;
};

struct clerk {
    struct al_actor actor;
    struct office *office;
    uint32_t came_home;
};

struct office {
    struct post posts[POSTS];
    struct clerk clerk;
    struct home home;
    uint32_t tokens;
    struct al_atomic_u64 sealed, broken; /* blocks so far */
};

AL_ACTOR(courier)
AL_ACTOR(post)
AL_ACTOR(clerk)
AL_MESSAGE(parcel)
AL_MESSAGE(crate)
AL_MESSAGE(home)
AL_RECYCLE(courier)
AL_RECYCLE(parcel)
AL_RECYCLE(crate)
AL_BEHAVIOUR_DECLARE(courier, parcel)
AL_BEHAVIOUR_DECLARE(clerk, home)
AL_BEHAVIOUR_DECLARE(post, parcel)
AL_BEHAVIOUR_DECLARE(post, crate)

static uint64_t mark_of(const struct seal *seal, uint64_t place)
{
    return (uint64_t)(uintptr_t)seal * 0x9e3779b97f4a7c15 + (seal->number << 1) + place;
}

static void put_seal(struct office *office, struct seal *seal)
{
    seal->number = al_u64_add_relaxed(&office->sealed, 1);
    seal->marks[0] = mark_of(seal, 0);
    seal->marks[1] = mark_of(seal, 1);
}

static void check_seal(const struct seal *seal, const char *what)
{
    CHECK(seal->marks[0] == mark_of(seal, 0) && seal->marks[1] == mark_of(seal, 1),
          "the storage of a %s was used again before the %s was deleted", what, what);
}

/* For the last time: the block is about to be deleted. */
static void break_seal(struct office *office, struct seal *seal, const char *what)
{
    check_seal(seal, what);
    if (seal->number % 8 == 0)
        al_yield();
    check_seal(seal, what);
    seal->marks[0] = seal->marks[1] = 0;
    al_u64_add_relaxed(&office->broken, 1);
}

static struct parcel *new_parcel(struct office *office, uint32_t hops)
{
    struct parcel *parcel = al_message_init(parcel, al_new(parcel), AL_DELETE);
    put_seal(office, &parcel->seal);
    parcel->hops = hops;
    return parcel;
}

/* Go on from a post: in a parcel, a crate, or a parcel that a courier carries. */
static void pass_on(struct post *self, uint32_t hops)
{
    struct office *office = self->office;
    if (hops == 0) {
        al_send(clerk, home, &office->clerk, &office->home);
        return;
    }
    uint32_t random = (uint32_t)al_random_next(&self->random);
    if (random % 4 == 0) {
        struct crate *crate = al_message_init(crate, al_new(crate), AL_DELETE);
        put_seal(office, &crate->seal);
        for (size_t i = 0; i < CRATE_WORDS; i++)
            crate->filling[i] = crate->seal.number;
        crate->hops = hops - 1;
        al_send(post, crate, &office->posts[(random >> 4) % POSTS], crate);
    } else if (random % 4 == 1) {
        struct courier *courier = al_actor_init(courier, al_new(courier));
        put_seal(office, &courier->seal);
        courier->office = office;
        courier->to = &office->posts[(random >> 4) % POSTS];
        al_send(courier, parcel, courier, new_parcel(office, hops - 1));
    } else {
        al_send(post, parcel, &office->posts[(random >> 4) % POSTS], new_parcel(office, hops - 1));
    }
}

AL_BEHAVIOUR_DEFINE(post, parcel, self, msg)
{
    pass_on(self, msg->hops); /* what it allocates must not be what it has received */
    break_seal(self->office, &msg->seal, "parcel");
    return AL_NODELETE;
}

AL_BEHAVIOUR_DEFINE(post, crate, self, msg)
{
    pass_on(self, msg->hops);
    for (size_t i = 0; i < CRATE_WORDS; i++)
        CHECK(msg->filling[i] == msg->seal.number, "the filling of a crate was overwritten");
    break_seal(self->office, &msg->seal, "crate");
    return AL_NODELETE;
}

AL_BEHAVIOUR_DEFINE(courier, parcel, self, msg)
{
    al_send(post, parcel, self->to, new_parcel(self->office, msg->hops));
    break_seal(self->office, &msg->seal, "parcel");
    break_seal(self->office, &self->seal, "courier");
    return AL_DELETE;
}

AL_BEHAVIOUR_DEFINE(clerk, home, self, msg)
{
    if (++self->came_home < self->office->tokens)
        return AL_NODELETE;
    for (uint32_t i = 0; i < POSTS; i++)
        al_send_pill(&self->office->posts[i].actor, &al_finished_msg);
    return AL_FINISHED;
}

void run_recycled(const struct al_config *config, bool large)
{
    uint32_t hops = large ? 10 : 8;
    struct office *office = calloc(1, sizeof *office);
    CHECK(office != NULL, "no memory");
    office->tokens = large ? 150 : 8;
    struct al_system *system = start_system(config);
    al_message_init(home, &office->home, AL_NODELETE);
    office->clerk.office = office;
    al_actor_init(clerk, &office->clerk);
    for (uint32_t i = 0; i < POSTS; i++) {
        struct post *post = al_actor_init(post, &office->posts[i]);
        post->office = office;
        al_random_seed(&post->random, config->seed, i);
    }
    for (uint32_t i = 0; i < office->tokens; i++)
        al_send(post, parcel, &office->posts[i % POSTS], new_parcel(office, hops));
    stop_system(system);
    uint64_t sealed = al_u64_load_relaxed(&office->sealed);
    uint64_t broken = al_u64_load_relaxed(&office->broken);
    CHECK(sealed == broken && sealed > (uint64_t)office->tokens * hops,
          "%llu blocks were allocated, %llu given up", (unsigned long long)sealed,
          (unsigned long long)broken);
    free(office);
}
