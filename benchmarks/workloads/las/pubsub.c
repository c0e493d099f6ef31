/* SPDX-License-Identifier: MIT */

/*
 * pubsub: publishers send each message to all their subscribers, and each subscriber hears several
 * publishers. When a tick wakes it, a publisher publishes `burst` messages and sends itself the
 * next tick, so that it yields between bursts. With `rate`, the ticks come at random times that
 * nothing changes (schedule.h). The workload records the latency of each message at each
 * subscriber, from just before the first of its sends, or from when it was due. Source: PUBSUB of
 * the LAS paper, section V.A, which gives no sizes; the default has many publishers with about a
 * hundred subscribers each.
 *
 * A publication is one object on the queues of all its subscribers at once. None of them knows that
 * it is the last to receive it, so publications are kept until the end, in an array of their
 * publisher that is first touched when they are published. A reference count would free them
 * earlier, but it would be contended.
 *
 * Messages: each publisher receives ceil(messages / burst) ticks, with `rate` one more, which
 * begins its schedule, and each subscriber `messages` from each of its `subscriptions`; no actor
 * waits. Each message carries a random word. The sum of the words that a subscriber receives must
 * be that of its publishers' words, which follow from the seeds, in any order.
 */

#include <errno.h>
#include <string.h>

#include "benchmarks/workloads/support/hub.h"
#include "benchmarks/workloads/support/schedule.h"

enum option { PUBLISHERS, SUBSCRIBERS, SUBSCRIPTIONS, MESSAGES, BURST, RATE };

static const struct al_option options[] = {
    [PUBLISHERS] = {"publishers", AL_OPTION_UINT, "100", 1, 1e6, NULL, "publishers"},
    [SUBSCRIBERS] = {"subscribers", AL_OPTION_UINT, "1000", 1, 1e7, NULL, "subscribers"},
    [SUBSCRIPTIONS] = {"subscriptions", AL_OPTION_UINT, "10", 1, 1e6, NULL,
                       "publishers that each subscriber hears, drawn at random"},
    [MESSAGES] = {"messages", AL_OPTION_UINT, "500", 1, 1e9, NULL,
                  "messages that each publisher publishes"},
    [BURST] = {"burst", AL_OPTION_UINT, "1", 1, 1e9, NULL,
               "messages published before a publisher yields"},
    [RATE] = {"rate", AL_OPTION_REAL, "0", 0, 1e12, NULL,
              "messages that all publishers publish in a second; 0: one after the other"},
    {0},
};

struct publication {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_message message;
    uint64_t published; /* al_latency_now() at publication */
    uint64_t word;
};

struct subscriber {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    uint64_t left; /* messages to receive */
    uint64_t sum;  /* of the words received */
};

struct publisher {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    struct al_go tick;
    struct al_random random;
    struct publication *publications;
    struct subscriber **subscribers;
    uint64_t n_subscribers;
    uint64_t published, messages, burst;
    struct al_schedule schedule; /* of its ticks */
};

/* Read-only while the actors run; each actor writes only its own fields and publications. */
struct state {
    struct publisher *publishers;
    struct subscriber *subscribers;
    struct publication *publications; /* of all publishers */
    struct subscriber **places;       /* the subscribers of all publishers */
    uint32_t *subscriptions;          /* the publishers that each subscriber hears */
    uint64_t n_publishers, n_subscribers, per_subscriber, messages, burst, seed, began_ns;
    bool open;
};

AL_ACTOR(publisher)
AL_ACTOR(subscriber)
AL_MESSAGE(publication)

AL_BEHAVIOUR(subscriber, publication, self, msg)
{
    al_latency_record(msg->published);
    self->sum += msg->word;
    return al_count_down(&self->left);
}

/* due: when, as al_latency_now(); 0: now. */
static void publish(struct publisher *self, uint64_t due)
{
    struct publication *publication = &self->publications[self->published++];
    al_message_init(publication, publication, AL_NODELETE);
    publication->word = al_random_next(&self->random);
    publication->published = due != 0 ? due : al_latency_now();
    for (uint64_t i = 0; i < self->n_subscribers; i++)
        al_send(subscriber, publication, self->subscribers[i], publication);
}

AL_BEHAVIOUR(publisher, al_go, self, msg)
{
    struct al_schedule *schedule = &self->schedule;
    bool open = al_schedule_is_open(schedule);
    if (!open || !al_schedule_begin(schedule)) {
        uint64_t due = open ? al_schedule_take(schedule) : 0;
        for (uint64_t i = 0; i < self->burst && self->published < self->messages; i++)
            publish(self, due);
        if (self->published == self->messages)
            return AL_FINISHED;
    }
    if (open)
        al_send_at(publisher, al_go, self, msg, (uint64_t)schedule->due);
    else
        al_send(publisher, al_go, self, msg);
    return AL_NODELETE;
}

static double bytes(const union al_value *values, uint32_t n_workers)
{
    (void)n_workers;
    double publishers = (double)values[PUBLISHERS].uint;
    double subscribers = (double)values[SUBSCRIBERS].uint;
    double subscriptions = subscribers * (double)values[SUBSCRIPTIONS].uint;
    return publishers * sizeof(struct publisher) + subscribers * sizeof(struct subscriber) +
           publishers * (double)values[MESSAGES].uint * sizeof(struct publication) +
           subscriptions * (sizeof(struct subscriber *) + sizeof(uint32_t));
}

static void release(void *argument)
{
    struct state *state = argument;
    al_free(state->publishers);
    al_free(state->subscribers);
    al_free(state->publications);
    al_free(state->places);
    al_free(state->subscriptions);
    al_free(state);
}

/* Draw the publishers of each subscriber by a partial Fisher-Yates shuffle, so that none comes
 * twice. */
static void draw_subscriptions(struct state *state)
{
    uint32_t *order = al_allocate(state->n_publishers * sizeof *order);
    struct al_random random;
    for (uint32_t p = 0; p < state->n_publishers; p++)
        order[p] = p;
    al_random_seed(&random, state->seed, state->n_publishers);
    for (uint64_t s = 0; s < state->n_subscribers; s++) {
        for (uint32_t k = 0; k < state->per_subscriber; k++) {
            uint32_t other = k + al_random_below(&random, (uint32_t)state->n_publishers - k);
            uint32_t chosen = order[other];
            order[other] = order[k];
            order[k] = chosen;
        }
        memcpy(state->subscriptions + s * state->per_subscriber, order,
               state->per_subscriber * sizeof *order);
    }
    al_free(order);
}

/* List the subscribers of each publisher. */
static void invert_subscriptions(struct state *state)
{
    uint64_t n = state->n_subscribers * state->per_subscriber;
    for (uint64_t i = 0; i < n; i++)
        state->publishers[state->subscriptions[i]].n_subscribers++;
    struct subscriber **place = state->places;
    for (uint64_t p = 0; p < state->n_publishers; p++) {
        struct publisher *publisher = &state->publishers[p];
        publisher->subscribers = place;
        place += publisher->n_subscribers;
        publisher->n_subscribers = 0;
    }
    for (uint64_t i = 0; i < n; i++) {
        struct publisher *publisher = &state->publishers[state->subscriptions[i]];
        publisher->subscribers[publisher->n_subscribers++] =
            &state->subscribers[i / state->per_subscriber];
    }
}

static int check_parameters(const union al_value *values, struct al_error *error)
{
    uint64_t n_publishers = values[PUBLISHERS].uint, per_subscriber = values[SUBSCRIPTIONS].uint;
    if (per_subscriber > n_publishers)
        return al_error_set(error, -EINVAL, "subscriptions=%llu exceeds publishers=%llu",
                            (unsigned long long)per_subscriber, (unsigned long long)n_publishers);
    if (values[RATE].real == 0)
        return 0;
    /* At least a whole burst of each publisher, since so long is the gap between two. */
    double burst = (double)values[BURST].uint, messages = (double)values[MESSAGES].uint;
    return al_schedule_check((double)n_publishers * (messages > burst ? messages : burst),
                             values[RATE].real, error);
}

static void *prepare(const union al_value *values, uint64_t seed)
{
    uint64_t n_publishers = values[PUBLISHERS].uint, n_subscribers = values[SUBSCRIBERS].uint;
    uint64_t per_subscriber = values[SUBSCRIPTIONS].uint, messages = values[MESSAGES].uint;
    uint64_t n = n_subscribers * per_subscriber;
    struct state *state = al_allocate(sizeof *state);
    *state = (struct state){
        .publishers = al_allocate_lines(n_publishers, sizeof *state->publishers),
        .subscribers = al_allocate_lines(n_subscribers, sizeof *state->subscribers),
        .publications = al_allocate_lines(n_publishers * messages, sizeof *state->publications),
        .places = al_allocate(n * sizeof *state->places),
        .subscriptions = al_allocate(n * sizeof *state->subscriptions),
        .n_publishers = n_publishers,
        .n_subscribers = n_subscribers,
        .per_subscriber = per_subscriber,
        .messages = messages,
        .burst = values[BURST].uint,
        .seed = seed,
        .open = values[RATE].real > 0,
    };
    draw_subscriptions(state);
    for (uint64_t p = 0; p < n_publishers; p++) {
        struct publisher *publisher = &state->publishers[p];
        *publisher = (struct publisher){.publications = &state->publications[p * messages],
                                        .messages = messages,
                                        .burst = state->burst};
        al_random_seed(&publisher->random, seed, p);
        al_random_seed(&publisher->schedule.random, seed, n_publishers + 1 + p);
        if (state->open)
            publisher->schedule.gap_ns = 1e9 / values[RATE].real * (double)n_publishers *
                                         (double)state->burst;
    }
    for (uint64_t s = 0; s < n_subscribers; s++)
        state->subscribers[s] = (struct subscriber){.left = messages * per_subscriber};
    invert_subscriptions(state);
    return state;
}

static uint64_t messages(const void *argument)
{
    const struct state *state = argument;
    uint64_t ticks = (state->messages + state->burst - 1) / state->burst + state->open;
    return state->n_publishers * ticks +
           state->n_subscribers * state->per_subscriber * state->messages;
}

static uint64_t due_ns(const void *argument)
{
    const struct state *state = argument;
    double last = (double)state->began_ns;
    for (uint64_t p = 0; p < state->n_publishers; p++)
        last = fmax(last, state->publishers[p].schedule.last);
    return (uint64_t)last - state->began_ns;
}

static void start(void *argument)
{
    struct state *state = argument;
    state->began_ns = al_clock_ns();
    for (uint64_t s = 0; s < state->n_subscribers; s++)
        al_actor_init(subscriber, &state->subscribers[s]);
    for (uint64_t p = 0; p < state->n_publishers; p++) {
        struct publisher *publisher = &state->publishers[p];
        al_actor_init_at(publisher, publisher, AL_PLACE_HUB);
        al_send(publisher, al_go, publisher, al_message_init(al_go, &publisher->tick, AL_NODELETE));
    }
}

static int check(void *argument, struct al_error *error)
{
    const struct state *state = argument;
    uint64_t *sums = al_allocate_zeroed(state->n_publishers, sizeof *sums);
    for (uint64_t p = 0; p < state->n_publishers; p++) {
        struct al_random random;
        al_random_seed(&random, state->seed, p);
        for (uint64_t i = 0; i < state->messages; i++)
            sums[p] += al_random_next(&random);
    }
    int code = 0;
    for (uint64_t s = 0; s < state->n_subscribers && code == 0; s++) {
        const struct subscriber *subscriber = &state->subscribers[s];
        uint64_t sum = 0;
        for (uint64_t k = 0; k < state->per_subscriber; k++)
            sum += sums[state->subscriptions[s * state->per_subscriber + k]];
        if (subscriber->left != 0 || subscriber->sum != sum)
            code = al_error_set(error, -EBADMSG,
                                "subscriber %llu lacks %llu messages, and the sum of their words "
                                "is %#llx instead of %#llx",
                                (unsigned long long)s, (unsigned long long)subscriber->left,
                                (unsigned long long)subscriber->sum, (unsigned long long)sum);
    }
    al_free(sums);
    return code;
}

static uint64_t alike(const union al_value *values)
{
    return values[SUBSCRIBERS].uint;
}

const struct al_benchmark_ops al_benchmark_pubsub = {
    .plugin = {"pubsub", "publishers send to all their subscribers: latency of each message",
               options},
    .stresses = "one sender to many receivers: long queues, and how soon each is served",
    .latencies = true,
    .small = "publishers=10 subscribers=50 subscriptions=3 messages=20",
    .sim = "publishers=96 subscribers=768 subscriptions=4 messages=100",
    .alike = alike,
    .bytes = bytes,
    .check_parameters = check_parameters,
    .prepare = prepare,
    .messages = messages,
    .due_ns = due_ns,
    .start = start,
    .check = check,
    .release = release,
};
