/* SPDX-License-Identifier: MIT */

/* Senders that wait until an actor has room (core/bound.h), and the worker that makes it. */

#include "core/bound.h"
#include "core/engine/check/scenario.h"

enum size { MOST, TAKEN, WAITERS };

static const struct al_scenario *scenario;
static struct al_bound *bound;
static unsigned *entered, *left; /* by each thread */

static void set_up(const struct al_scenario *self)
{
    scenario = self;
    bound = al_calloc(1, sizeof *bound);
    entered = al_calloc(self->threads, sizeof *entered);
    left = al_calloc(self->threads, sizeof *left);
    al_bound_init(bound, self->sizes[MOST]);
    al_scenario_name(&bound->word, sizeof bound->word, "word");
    al_scenario_name(&bound->signals, sizeof bound->signals, "signals");
    for (unsigned i = 0; i < self->sizes[TAKEN]; i++)
        (void)al_bound_enter(bound);
}

static void leave(unsigned number)
{
    al_bound_leave(bound);
    left[number]++;
}

/* Some send a message, the others receive one. */
static void send_or_receive(unsigned number)
{
    if (number < scenario->sizes[WAITERS])
        entered[number] = al_bound_wait(bound, UINT64_MAX);
    else
        leave(number);
}

/* The same, but each message is received before its sender goes on. */
static void send_in_turn(unsigned number)
{
    send_or_receive(number);
    if (number < scenario->sizes[WAITERS])
        leave(number);
}

/* The same as the first, but one sender does not wait. */
static void send_or_give_up(unsigned number)
{
    if (number == 0)
        entered[number] = al_bound_wait(bound, 0);
    else
        send_or_receive(number);
}

static void look(void)
{
    unsigned in = scenario->sizes[TAKEN];
    for (unsigned i = 0; i < scenario->threads; i++)
        in += entered[i] - left[i];
    if (al_u64_load_relaxed(&bound->word) != in)
        al_scenario_fail("the word is %llu, with %u messages in and nobody who waits",
                         (unsigned long long)al_u64_load_relaxed(&bound->word), in);
}

#define BOUND(text, n, each, takes_long, ...)                                                      \
    {                                                                                              \
        .name = "bound/" text,                                                                     \
        .shows = "who waits for room gets it when a message is received, and no more are let in",  \
        .threads = n, .sizes = {__VA_ARGS__}, .set_up = set_up, .thread = each, .look = look,      \
        .stops_clock = true, .deep = takes_long                                                    \
    }

static const struct al_scenario scenarios[] = {
    BOUND("1-sender", 2, send_or_receive, false, 1, 1, 1),
    BOUND("2-senders", 4, send_or_receive, true, 2, 2, 2),
    BOUND("2-senders-in-turn", 3, send_in_turn, false, 1, 1, 2),
    BOUND("2-senders-one-gives-up", 4, send_or_give_up, false, 2, 2, 2),
};
AL_SCENARIOS(scenarios)
