/* SPDX-License-Identifier: MIT */

/*
 * chameneos: creatures that meet in pairs at one place. Each of `creatures` creatures asks the mall
 * for a meeting. The mall lets the first wait, and passes on to it what the second one asks; the
 * first takes the colour that follows from both, tells the second to do so, and both ask again.
 * After `meetings` meetings the mall sends each creature that asks away, which reports how many
 * meetings it has had. Source: Savina (Imam and Sarkar, 2014), "Chameneos", whose sizes are the
 * defaults; first in Kaiser and Pradat-Peyre, "Chameneos, a concurrency game" (2003).
 *
 * As in Savina, messages are allocated for each send. The mall passes on a copy, since here a
 * message lives only until the behaviour that receives it has returned.
 *
 * Messages: one to the mall and to each creature to begin with. A meeting takes two questions, one
 * of them passed on, and the answer of the creature that waited. Each creature asks once more, is
 * sent away, and reports.
 *
 * The answer: the creatures have reported two meetings for each of `meetings`, and all have faded.
 * Who meets whom depends on the schedule.
 */

#include <errno.h>

#include "benchmarks/workloads/support/hub.h"

enum option { CREATURES, MEETINGS, MEMORY };

static const struct al_option options[] = {
    [CREATURES] = {"creatures", AL_OPTION_UINT, "100", 2, 1e7, NULL, "creatures that meet"},
    [MEETINGS] = {"meetings", AL_OPTION_UINT, "200000", 1, 1e12, NULL, "meetings of two"},
    [MEMORY] = AL_MEMORY_OPTION,
    {0},
};

enum colour { RED, YELLOW, BLUE, FADED };

struct creature;

struct meet {
    struct al_message message;
    enum colour colour;
    struct creature *from;
};

struct change {
    struct al_message message;
    enum colour colour;
};

struct leave {
    struct al_message message;
};

struct count {
    struct al_message message;
    uint64_t meetings;
};

struct creature {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    struct mall *mall;
    enum colour colour;
    uint64_t meetings;
};

struct mall {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    struct state *state;
    struct creature *waits; /* or NULL */
    uint64_t left;          /* meetings */
    uint64_t reports;       /* to come */
    uint64_t sum;           /* of the meetings reported */
};

struct state {
    struct mall mall;
    struct creature *creatures;
    uint32_t n;
    uint64_t meetings;
    struct al_go go;
};

AL_ACTOR(creature)
AL_ACTOR(mall)
AL_MESSAGE(change)
AL_MESSAGE(count)
AL_MESSAGE(leave)
AL_MESSAGE(meet)
AL_RECYCLE(change)
AL_RECYCLE(count)
AL_RECYCLE(leave)
AL_RECYCLE(meet)

AL_BEHAVIOUR_DECLARE(mall, meet)

/* Two of one colour keep it; two of different colours take the third. */
static enum colour complement(enum colour one, enum colour other)
{
    return one == other ? one : (enum colour)(RED + YELLOW + BLUE - one - other);
}

static void ask(struct creature *self)
{
    struct meet *meet = al_message_init(meet, al_new(meet), AL_DELETE);
    meet->colour = self->colour;
    meet->from = self;
    al_send(mall, meet, self->mall, meet);
}

AL_BEHAVIOUR(creature, al_go, self, msg)
{
    ask(self);
    return AL_NODELETE;
}

AL_BEHAVIOUR(creature, change, self, msg)
{
    self->colour = msg->colour;
    self->meetings++;
    ask(self);
    return AL_NODELETE;
}

/* The mall has passed on what another creature has asked. */
AL_BEHAVIOUR(creature, meet, self, msg)
{
    self->colour = complement(self->colour, msg->colour);
    self->meetings++;
    struct change *change = al_message_init(change, al_new(change), AL_DELETE);
    change->colour = self->colour;
    al_send(creature, change, msg->from, change);
    ask(self);
    return AL_NODELETE;
}

AL_BEHAVIOUR(mall, count, self, msg)
{
    self->sum += msg->meetings;
    return al_count_down(&self->reports);
}

AL_BEHAVIOUR(creature, leave, self, msg)
{
    self->colour = FADED;
    struct count *count = al_message_init(count, al_new(count), AL_DELETE);
    count->meetings = self->meetings;
    al_send(mall, count, self->mall, count);
    return AL_FINISHED;
}

AL_BEHAVIOUR_DEFINE(mall, meet, self, msg)
{
    if (self->left == 0) {
        al_send(creature, leave, msg->from, al_message_init(leave, al_new(leave), AL_DELETE));
    } else if (self->waits == NULL) {
        self->waits = msg->from;
    } else {
        self->left--;
        struct creature *first = self->waits;
        self->waits = NULL;
        struct meet *passed = al_message_init(meet, al_new(meet), AL_DELETE);
        passed->colour = msg->colour;
        passed->from = msg->from;
        al_send(creature, meet, first, passed);
    }
    return AL_NODELETE;
}

AL_BEHAVIOUR(mall, al_go, self, msg)
{
    struct state *state = self->state;
    for (uint32_t i = 0; i < state->n; i++)
        al_send(creature, al_go, al_actor_init(creature, &state->creatures[i]), &state->go);
    return AL_NODELETE;
}

static void *prepare(const union al_value *values, uint64_t seed)
{
    (void)seed;
    uint32_t n = (uint32_t)values[CREATURES].uint;
    struct state *state = al_allocate_lines(1, sizeof *state);
    *state = (struct state){
        .creatures = al_allocate_lines(n, sizeof *state->creatures),
        .n = n,
        .meetings = values[MEETINGS].uint,
        .mall = {.state = state, .left = values[MEETINGS].uint, .reports = n},
    };
    for (uint32_t i = 0; i < n; i++)
        state->creatures[i] = (struct creature){.mall = &state->mall, .colour = i % FADED};
    al_message_init(al_go, &state->go, AL_NODELETE);
    return state;
}

static double bytes(const union al_value *values, uint32_t n_workers)
{
    (void)n_workers;
    return (double)values[CREATURES].uint * (sizeof(struct creature) + sizeof(struct meet));
}

static uint64_t messages(const void *argument)
{
    const struct state *state = argument;
    return 1 + 4 * (uint64_t)state->n + 4 * state->meetings;
}

static void start(void *argument)
{
    struct state *state = argument;
    al_send(mall, al_go, al_actor_init(mall, &state->mall), &state->go);
}

static int check(void *argument, struct al_error *error)
{
    const struct state *state = argument;
    for (uint32_t i = 0; i < state->n; i++) {
        if (state->creatures[i].colour != FADED)
            return al_error_set(error, -EBADMSG, "creature %u has not been sent away", i);
    }
    if (state->mall.sum == 2 * state->meetings)
        return 0;
    return al_error_set(error, -EBADMSG, "the creatures report %llu meetings, not %llu",
                        (unsigned long long)state->mall.sum,
                        (unsigned long long)(2 * state->meetings));
}

static void release(void *argument)
{
    struct state *state = argument;
    al_free(state->creatures);
    al_free(state);
}

const struct al_benchmark_ops al_benchmark_chameneos = {
    .plugin = {"chameneos", "creatures that meet in pairs at one place", options},
    .stresses = "a hub that every message passes, or its answer",
    .small = "creatures=10 meetings=200",
    .sim = "creatures=768 meetings=20000",
    .bytes = bytes,
    .prepare = prepare,
    .messages = messages,
    .start = start,
    .check = check,
    .release = release,
};
