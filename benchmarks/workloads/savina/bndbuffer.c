/* SPDX-License-Identifier: MIT */

/*
 * bndbuffer: producers and consumers with a buffer between them. The manager asks each of
 * `producers` producers for its first item. A producer computes an item from its last one and sends
 * it to the manager, which gives it to a consumer that waits, or else puts it in the buffer. It
 * asks the producer for its next item at once, or, if the buffer is full, when a consumer has taken
 * one from it. A consumer computes something from an item, and tells the manager that it is
 * available. A producer that is asked after its last item ends; after the last item has been
 * consumed the manager sends the consumers away. Source: Savina (Imam and Sarkar, 2014), "Producer-
 * Consumer with Bounded Buffer", whose sizes are the defaults.
 *
 * As in Savina, items are allocated for each send, and the buffer counts as full when it holds
 * `buffer` less `producers`, since each producer may have an item on its way. Savina waits for ever
 * if that is not positive; here it is refused.
 *
 * Messages: one to the manager to begin with. Each item makes four: a request for it, the item to
 * the manager and on to a consumer, and the consumer's answer. Each producer is asked once more,
 * and says farewell; each consumer is sent away.
 *
 * The answer: each producer's items follow from one another, so that their sum, modulo 2^64, of the
 * bits that stand for them, is that of a loop; the consumers have had items with the same sum.
 */

#include <errno.h>

#include "benchmarks/workloads/savina/savina.h"
#include "benchmarks/workloads/support/fifo.h"

enum option { BUFFER, PRODUCERS, CONSUMERS, ITEMS, COST, MEMORY };

static const struct al_option options[] = {
    [BUFFER] = {"buffer", AL_OPTION_UINT, "50", 2, 1e9, NULL,
                "items in the buffer and on their way to it; more than producers"},
    [PRODUCERS] = {"producers", AL_OPTION_UINT, "40", 1, 1e6, NULL, "actors that make items"},
    [CONSUMERS] = {"consumers", AL_OPTION_UINT, "40", 1, 1e6, NULL, "actors that use them"},
    [ITEMS] = {"items", AL_OPTION_UINT, "1000", 1, 1e9, NULL, "items of each producer"},
    [COST] = {"cost", AL_OPTION_UINT, "25", 0, 1e6, NULL,
              "hundreds of logarithms to make an item, and to use it; 0: one logarithm"},
    [MEMORY] = AL_MEMORY_OPTION,
    {0},
};

struct consumer;
struct producer;

struct produce {
    struct al_message message;
};

struct item {
    struct al_message message;
    double value;
    struct producer *from;
};

struct available {
    struct al_message message;
    struct consumer *consumer;
};

struct producer {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    struct state *state;
    double value;  /* of the last item */
    uint64_t left; /* items to make */
};

struct consumer {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    struct state *state;
    double value;
    uint64_t sum; /* of the bits of its items */
    struct available available;
};

struct manager {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    struct state *state;
    struct al_fifo pending; /* items in the buffer, by their bits */
    struct al_fifo blocked; /* producers that are to be asked when there is room */
    struct al_fifo idle;    /* consumers that wait for an item */
    uint64_t producing;     /* producers that have not said farewell */
};

/* Read-only while the actors run, except the manager. */
struct state {
    struct producer *producers;
    struct consumer *consumers;
    uint64_t n_producers, n_consumers, items, full, cost;
    struct al_go go;
    struct al_done done;
    struct produce produce;
    struct manager manager;
};

AL_ACTOR(consumer)
AL_ACTOR(manager)
AL_ACTOR(producer)
AL_MESSAGE(available)
AL_MESSAGE(item)
AL_MESSAGE(produce)
AL_RECYCLE(item)

AL_BEHAVIOUR_DECLARE(manager, al_done)
AL_BEHAVIOUR_DECLARE(manager, available)
AL_BEHAVIOUR_DECLARE(manager, item)

/* As in Savina the generator begins with the cost. */
static double process(double value, uint64_t cost)
{
    return al_add_logarithms(value, cost > 0 ? 100 * cost : 1, cost);
}

static struct item *new_item(double value, struct producer *from)
{
    struct item *item = al_message_init(item, al_new(item), AL_DELETE);
    item->value = value;
    item->from = from;
    return item;
}

AL_BEHAVIOUR(producer, produce, self, msg)
{
    struct state *state = self->state;
    if (self->left == 0) {
        al_send(manager, al_done, &state->manager, &state->done);
        return AL_FINISHED;
    }
    self->left--;
    self->value = process(self->value, state->cost);
    al_send(manager, item, &state->manager, new_item(self->value, self));
    return AL_NODELETE;
}

AL_BEHAVIOUR(consumer, item, self, msg)
{
    struct state *state = self->state;
    self->sum += al_bits_of(msg->value);
    self->value = process(self->value + msg->value, state->cost);
    al_send(manager, available, &state->manager, &self->available);
    return AL_NODELETE;
}

/* Consumers are sent away when all producers have ended and all consumers wait. */
static enum al_verdict end_if_idle(struct manager *self)
{
    struct state *state = self->state;
    if (self->producing > 0 || self->idle.n < state->n_consumers)
        return AL_NODELETE;
    for (uint64_t i = 0; i < state->n_consumers; i++)
        al_send_pill(&state->consumers[i].actor, &al_finished_msg);
    return AL_FINISHED;
}

AL_BEHAVIOUR_DEFINE(manager, item, self, msg)
{
    struct state *state = self->state;
    if (self->idle.n > 0)
        al_send(consumer, item, &state->consumers[al_fifo_take(&self->idle)],
                new_item(msg->value, msg->from));
    else
        al_fifo_put(&self->pending, al_bits_of(msg->value));
    if (self->pending.n < state->full)
        al_send(producer, produce, msg->from, &state->produce);
    else
        al_fifo_put(&self->blocked, (uint64_t)(msg->from - state->producers));
    return AL_NODELETE;
}

AL_BEHAVIOUR_DEFINE(manager, available, self, msg)
{
    struct state *state = self->state;
    if (self->pending.n == 0) {
        al_fifo_put(&self->idle, (uint64_t)(msg->consumer - state->consumers));
        return end_if_idle(self);
    }
    double value = al_real_of(al_fifo_take(&self->pending));
    al_send(consumer, item, msg->consumer, new_item(value, NULL));
    if (self->blocked.n > 0)
        al_send(producer, produce, &state->producers[al_fifo_take(&self->blocked)],
                &state->produce);
    return AL_NODELETE;
}

AL_BEHAVIOUR_DEFINE(manager, al_done, self, msg)
{
    self->producing--;
    return end_if_idle(self);
}

AL_BEHAVIOUR(manager, al_go, self, msg)
{
    struct state *state = self->state;
    for (uint64_t i = 0; i < state->n_consumers; i++) {
        al_actor_init(consumer, &state->consumers[i]);
        al_fifo_put(&self->idle, i);
    }
    for (uint64_t i = 0; i < state->n_producers; i++)
        al_send(producer, produce, al_actor_init(producer, &state->producers[i]), &state->produce);
    return AL_NODELETE;
}

static int check_parameters(const union al_value *values, struct al_error *error)
{
    if (values[BUFFER].uint > values[PRODUCERS].uint)
        return 0;
    return al_error_set(error, -EINVAL, "buffer=%llu; valid: more than producers=%llu",
                        (unsigned long long)values[BUFFER].uint,
                        (unsigned long long)values[PRODUCERS].uint);
}

static void *prepare(const union al_value *values, uint64_t seed)
{
    (void)seed;
    uint64_t producers = values[PRODUCERS].uint, consumers = values[CONSUMERS].uint;
    struct state *state = al_allocate_lines(1, sizeof *state);
    *state = (struct state){
        .producers = al_allocate_lines(producers, sizeof *state->producers),
        .consumers = al_allocate_lines(consumers, sizeof *state->consumers),
        .n_producers = producers,
        .n_consumers = consumers,
        .items = values[ITEMS].uint,
        .full = values[BUFFER].uint - producers,
        .cost = values[COST].uint,
        .manager = {.state = state, .producing = producers},
    };
    for (uint64_t i = 0; i < producers; i++)
        state->producers[i] = (struct producer){.state = state, .left = state->items};
    for (uint64_t i = 0; i < consumers; i++) {
        struct consumer *consumer = &state->consumers[i];
        *consumer = (struct consumer){.state = state, .available.consumer = consumer};
        al_message_init(available, &consumer->available, AL_NODELETE);
    }
    al_message_init(al_go, &state->go, AL_NODELETE);
    al_message_init(al_done, &state->done, AL_NODELETE);
    al_message_init(produce, &state->produce, AL_NODELETE);
    return state;
}

static double bytes(const union al_value *values, uint32_t n_workers)
{
    (void)n_workers;
    return (double)values[PRODUCERS].uint * (sizeof(struct producer) + sizeof(struct item)) +
           (double)values[CONSUMERS].uint * (sizeof(struct consumer) + sizeof(struct item)) +
           (double)values[BUFFER].uint * sizeof(uint64_t);
}

static uint64_t messages(const void *argument)
{
    const struct state *state = argument;
    return 1 + state->n_producers * (4 * state->items + 2) + state->n_consumers;
}

static void start(void *argument)
{
    struct state *state = argument;
    al_send(manager, al_go, al_actor_init(manager, &state->manager), &state->go);
}

static int check(void *argument, struct al_error *error)
{
    const struct state *state = argument;
    double value = 0;
    uint64_t made = 0, used = 0;
    for (uint64_t i = 0; i < state->items; i++) {
        value = process(value, state->cost);
        made += al_bits_of(value) * state->n_producers;
    }
    for (uint64_t i = 0; i < state->n_consumers; i++)
        used += state->consumers[i].sum;
    if (made == used)
        return 0;
    return al_error_set(error, -EBADMSG, "the items used have the sum %016llx, not %016llx",
                        (unsigned long long)used, (unsigned long long)made);
}

static void release(void *argument)
{
    struct state *state = argument;
    al_free(state->producers);
    al_free(state->consumers);
    al_fifo_free(&state->manager.pending);
    al_fifo_free(&state->manager.blocked);
    al_fifo_free(&state->manager.idle);
    al_free(state);
}

const struct al_benchmark_ops al_benchmark_bndbuffer = {
    .plugin = {"bndbuffer", "producers and consumers with a bounded buffer", options},
    .stresses = "a hub between actors that compute, with back-pressure",
    .small = "buffer=8 producers=5 consumers=5 items=20 cost=1",
    .sim = "buffer=480 producers=384 consumers=384 items=10 cost=1",
    .bytes = bytes,
    .check_parameters = check_parameters,
    .prepare = prepare,
    .messages = messages,
    .start = start,
    .check = check,
    .release = release,
};
