/* SPDX-License-Identifier: MIT */

/*
 * barber: a barber who sleeps while nobody waits. A factory creates `customers` customers, with a
 * pause after each, and sends them to the waiting room. If that has `seats` customers already, the
 * customer goes back to the factory, which sends it again; else it waits, or wakes the barber. The
 * barber serves those that wait in the order of their arrival. A customer that has been served
 * tells the factory, and is deleted. Source: Savina (Imam and Sarkar, 2014), "Sleeping Barber",
 * whose sizes are the defaults.
 *
 * Two of Savina's races are not here. It closes the room when the factory has heard of the last
 * customer, though the barber's question for the next one may be on its way; here the room waits
 * for that. And a customer may be told to wait after it has been served, since that comes from
 * another actor; here who serves it says whether it has been told.
 *
 * As in Savina, who enters is allocated for each send, and all other messages are shared objects.
 *
 * Messages, at least: for each customer its entry, an order to wait or, to the room itself, one to
 * call the first, its way to the barber, begin and end of its service, the barber's question, and
 * the news to the factory. One to the factory to begin with, one that lets the barber sleep, and
 * one to close to both the room and the barber. A customer that is turned away adds three, and each
 * time that the barber falls asleep adds one. How often depends on the schedule.
 *
 * The answer: the barber has served `customers` customers, and as many have told the factory.
 */

#include <errno.h>

#include "benchmarks/workloads/savina/savina.h"

enum option { CUSTOMERS, SEATS, PRODUCTION, HAIRCUT, MEMORY };

static const struct al_option options[] = {
    [CUSTOMERS] = {"customers", AL_OPTION_UINT, "5000", 1, 1e9, NULL, "customers to be served"},
    [SEATS] = {"seats", AL_OPTION_UINT, "1000", 1, 1e9, NULL, "customers that can wait at once"},
    [PRODUCTION] = {"production", AL_OPTION_UINT, "1000", 1, 65536, NULL,
                    "longest pause between two customers, in calls of a generator"},
    [HAIRCUT] = {"haircut", AL_OPTION_UINT, "1000", 1, 65536, NULL,
                 "longest service, in calls of a generator"},
    [MEMORY] = AL_MEMORY_OPTION,
    {0},
};

/* Savina's generator begins with this if nothing else is given. */
enum { DEFAULT_SEED = 74755, LEAST = 10 };

struct customer;
struct factory;

struct enter {
    struct al_message message;
    struct customer *customer;
};

/* To the barber. */
struct serve {
    struct al_message message;
    struct customer *customer;
    bool told; /* to wait */
};

struct returned {
    struct al_message message;
    struct customer *customer;
};

struct next {
    struct al_message message;
};

struct full {
    struct al_message message;
};

struct wait {
    struct al_message message;
};

struct begin {
    struct al_message message;
};

/* A service is over, of a customer that has been told to wait or that has not. */
struct served {
    struct al_message message;
    bool told;
};

struct close {
    struct al_message message;
};

struct customer {
    struct al_actor actor;
    struct state *state;
    bool waited, served;
};

struct seat {
    struct customer *customer;
    bool told; /* to wait */
};

struct room {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    struct state *state;
    struct seat *seat; /* a ring of `seats` */
    uint64_t first, n, seats;
    bool asleep;  /* the barber is */
    bool closing; /* when the barber is asleep */
};

struct barber {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    struct state *state;
    struct al_savina_random random;
    uint64_t haircut, served, naps, busy;
};

struct factory {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    struct state *state;
    struct al_savina_random random;
    uint64_t customers, production, left, turned_away, busy;
};

/* Read-only while the actors run, except room, barber and factory. */
struct state {
    struct al_go go;
    struct al_done done;
    struct next next;
    struct full full;
    struct wait wait;
    struct begin begin;
    struct served served, served_told;
    struct close close;
    struct room room;
    struct barber barber;
    struct factory factory;
};

AL_ACTOR(barber)
AL_ACTOR(customer)
AL_ACTOR(factory)
AL_ACTOR(room)
AL_MESSAGE(begin)
AL_MESSAGE(close)
AL_MESSAGE(enter)
AL_MESSAGE(full)
AL_MESSAGE(next)
AL_MESSAGE(returned)
AL_MESSAGE(serve)
AL_MESSAGE(served)
AL_MESSAGE(wait)
AL_RECYCLE(customer)
AL_RECYCLE(enter)
AL_RECYCLE(returned)
AL_RECYCLE(serve)

AL_BEHAVIOUR_DECLARE(factory, al_done)
AL_BEHAVIOUR_DECLARE(factory, returned)
AL_BEHAVIOUR_DECLARE(room, enter)
AL_BEHAVIOUR_DECLARE(room, next)

/* A customer that has been told to wait may learn that it has been served before it learns that. */
static enum al_verdict leave(struct customer *self, bool told)
{
    if (!self->served || (told && !self->waited))
        return AL_NODELETE;
    al_send(factory, al_done, &self->state->factory, &self->state->done);
    return AL_DELETE;
}

AL_BEHAVIOUR(customer, wait, self, msg)
{
    self->waited = true;
    return leave(self, true);
}

AL_BEHAVIOUR(customer, full, self, msg)
{
    struct returned *returned = al_message_init(returned, al_new(returned), AL_DELETE);
    returned->customer = self;
    al_send(factory, returned, &self->state->factory, returned);
    return AL_NODELETE;
}

AL_BEHAVIOUR(customer, begin, self, msg)
{
    return AL_NODELETE;
}

AL_BEHAVIOUR(customer, served, self, msg)
{
    self->served = true;
    return leave(self, msg->told);
}

AL_BEHAVIOUR(barber, serve, self, msg)
{
    struct state *state = self->state;
    struct customer *customer = msg->customer;
    al_send(customer, begin, customer, &state->begin);
    self->busy = al_busy(self->busy, al_savina_below(&self->random, self->haircut) + LEAST);
    self->served++;
    al_send(customer, served, customer, msg->told ? &state->served_told : &state->served);
    al_send(room, next, &state->room, &state->next);
    return AL_NODELETE;
}

/* Nobody waits: sleep. */
AL_BEHAVIOUR(barber, wait, self, msg)
{
    self->naps++;
    return AL_NODELETE;
}

AL_BEHAVIOUR(barber, close, self, msg)
{
    return AL_FINISHED;
}

static enum al_verdict close_if_asleep(struct room *self)
{
    if (!self->closing || !self->asleep)
        return AL_NODELETE;
    al_send(barber, close, &self->state->barber, &self->state->close);
    return AL_FINISHED;
}

AL_BEHAVIOUR_DEFINE(room, enter, self, msg)
{
    struct state *state = self->state;
    if (self->n == self->seats) {
        al_send(customer, full, msg->customer, &state->full);
        return AL_NODELETE;
    }
    uint64_t end = self->first + self->n++;
    self->seat[end < self->seats ? end : end - self->seats] = (struct seat){
        .customer = msg->customer, .told = !self->asleep};
    if (self->asleep)
        al_send(room, next, self, &state->next);
    else
        al_send(customer, wait, msg->customer, &state->wait);
    self->asleep = false;
    return AL_NODELETE;
}

AL_BEHAVIOUR_DEFINE(room, next, self, msg)
{
    struct state *state = self->state;
    if (self->n == 0) {
        self->asleep = true;
        al_send(barber, wait, &state->barber, &state->wait);
        return close_if_asleep(self);
    }
    const struct seat *seat = &self->seat[self->first];
    struct serve *serve = al_message_init(serve, al_new(serve), AL_DELETE);
    serve->customer = seat->customer;
    serve->told = seat->told;
    self->first = self->first + 1 < self->seats ? self->first + 1 : 0;
    self->n--;
    al_send(barber, serve, &state->barber, serve);
    return AL_NODELETE;
}

AL_BEHAVIOUR(room, close, self, msg)
{
    self->closing = true;
    return close_if_asleep(self);
}

static void send_in(struct factory *self, struct customer *customer)
{
    struct enter *enter = al_message_init(enter, al_new(enter), AL_DELETE);
    enter->customer = customer;
    al_send(room, enter, &self->state->room, enter);
}

AL_BEHAVIOUR(factory, al_go, self, msg)
{
    for (uint64_t i = 0; i < self->customers; i++) {
        struct customer *customer = al_new(customer);
        *customer = (struct customer){.state = self->state};
        send_in(self, al_actor_init(customer, customer));
        self->busy = al_busy(self->busy, al_savina_below(&self->random, self->production) + LEAST);
    }
    return AL_NODELETE;
}

AL_BEHAVIOUR_DEFINE(factory, returned, self, msg)
{
    self->turned_away++;
    send_in(self, msg->customer);
    return AL_NODELETE;
}

AL_BEHAVIOUR_DEFINE(factory, al_done, self, msg)
{
    if (al_count_down(&self->left) == AL_NODELETE)
        return AL_NODELETE;
    al_send(room, close, &self->state->room, &self->state->close);
    return AL_FINISHED;
}

static void *prepare(const union al_value *values, uint64_t seed)
{
    (void)seed;
    uint64_t customers = values[CUSTOMERS].uint, seats = values[SEATS].uint;
    struct al_savina_random random = {DEFAULT_SEED};
    struct state *state = al_allocate_lines(1, sizeof *state);
    *state = (struct state){
        .room = {.state = state,
                 .seat = al_allocate(seats * sizeof *state->room.seat),
                 .seats = seats,
                 .asleep = true},
        .barber = {.state = state, .random = random, .haircut = values[HAIRCUT].uint},
        .factory = {.state = state,
                    .random = random,
                    .customers = customers,
                    .production = values[PRODUCTION].uint,
                    .left = customers},
    };
    al_message_init(al_go, &state->go, AL_NODELETE);
    al_message_init(al_done, &state->done, AL_NODELETE);
    al_message_init(next, &state->next, AL_NODELETE);
    al_message_init(full, &state->full, AL_NODELETE);
    al_message_init(wait, &state->wait, AL_NODELETE);
    al_message_init(begin, &state->begin, AL_NODELETE);
    al_message_init(served, &state->served, AL_NODELETE);
    al_message_init(served, &state->served_told, AL_NODELETE);
    state->served_told.told = true;
    al_message_init(close, &state->close, AL_NODELETE);
    return state;
}

static double bytes(const union al_value *values, uint32_t n_workers)
{
    (void)n_workers;
    return (double)values[CUSTOMERS].uint * (sizeof(struct customer) + sizeof(struct enter)) +
           (double)values[SEATS].uint * sizeof(struct seat);
}

static uint64_t messages(const void *argument)
{
    const struct state *state = argument;
    return 7 * state->factory.customers + 4;
}

static uint64_t delivered(const void *argument)
{
    const struct state *state = argument;
    return messages(state) + 3 * state->factory.turned_away + state->barber.naps - 1;
}

static void start(void *argument)
{
    struct state *state = argument;
    al_actor_init(barber, &state->barber);
    al_actor_init(room, &state->room);
    al_send(factory, al_go, al_actor_init(factory, &state->factory), &state->go);
}

static int check(void *argument, struct al_error *error)
{
    const struct state *state = argument;
    uint64_t customers = state->factory.customers, served = state->barber.served;
    if (served == customers && state->factory.left == 0 && state->room.n == 0)
        return 0;
    return al_error_set(error, -EBADMSG,
                        "the barber has served %llu customers of %llu, %llu of them came back, "
                        "and %llu wait",
                        (unsigned long long)served, (unsigned long long)customers,
                        (unsigned long long)(customers - state->factory.left),
                        (unsigned long long)state->room.n);
}

static void release(void *argument)
{
    struct state *state = argument;
    al_free(state->room.seat);
    al_free(state);
}

const struct al_benchmark_ops al_benchmark_barber = {
    .plugin = {"barber", "customers that wait for one barber, and come again", options},
    .stresses = "a line of hubs, of which one computes while the others wait for it",
    .more_messages = true,
    .small = "customers=50 seats=5 production=20 haircut=20",
    .sim = "customers=2000 seats=400",
    .bytes = bytes,
    .prepare = prepare,
    .messages = messages,
    .delivered = delivered,
    .start = start,
    .check = check,
    .release = release,
};
