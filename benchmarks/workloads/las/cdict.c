/* SPDX-License-Identifier: MIT */

/*
 * cdict: a dictionary as an actor. `actors` workers send it read and write requests, and each waits
 * for the reply before its next request. The dictionary creates the workers and serves them from a
 * hash table in constant time; all keys are there from the start. A value has `value_bytes`. It is
 * copied from the request into the table, or from the table into the reply, and requests and
 * replies are allocated for each send. Source: CDICT of the LAS paper, section V.A; Savina's
 * Concurrent Dictionary, whose sizes are the defaults. The paper's Figure 2 varies the size of the
 * value, with writes=20.
 *
 * Messages: one to the dictionary to begin with; one to each worker to begin with and `messages`
 * replies; from each worker `messages` requests and a farewell.
 *
 * Requests of different workers come in any order. But a value has a stamp that tells which request
 * wrote it, and all its bytes follow from key and stamp, so a reader recognises a value that is
 * torn or belongs to another key. At the end each key must have been written as often as the seeds
 * determine, and its value must be the last that the worker in its stamp wrote to it.
 */

#include <errno.h>

#include "benchmarks/workloads/support/contents.h"
#include "benchmarks/workloads/support/hub.h"

enum option { ACTORS, MESSAGES, WRITES, KEYS, VALUE_BYTES, MEMORY };

static const struct al_option options[] = {
    [ACTORS] = {"actors", AL_OPTION_UINT, "20", 1, 1e6, NULL, "workers that use the dictionary"},
    [MESSAGES] = {"messages", AL_OPTION_UINT, "10000", 1, 1e9, NULL, "requests of each worker"},
    [WRITES] = {"writes", AL_OPTION_UINT, "10", 0, 100, NULL, "requests that write, in percent"},
    [KEYS] = {"keys", AL_OPTION_UINT, "524287", 1, 1 << 30, NULL, "keys in the dictionary"},
    [VALUE_BYTES] = {"value_bytes", AL_OPTION_UINT, "8", 1, 1 << 20, NULL,
                     "size of a value, in bytes"},
    [MEMORY] = AL_MEMORY_OPTION,
    {0},
};

struct entry {
    uint64_t stamp;  /* the request that wrote the value (stamp_of); 0: there from the start */
    uint64_t writes; /* to this key */
    unsigned char value[];
};

struct slot {
    uint64_t key;
    struct entry *entry; /* NULL: the slot is empty */
};

struct worker;

struct dictionary {
    struct al_hub hub;
    struct state *state;
    struct slot *slots; /* hash table with open addressing, at most half full */
    uint32_t shift;     /* 64 - log2 of the number of slots */
};

/* A worker's request, as drawn. */
struct request {
    bool is_write;
    uint32_t key;
};

struct worker {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    struct state *state;
    struct al_random random;
    struct request request; /* waits for its reply */
    uint64_t requests;      /* sent */
    uint64_t read, written; /* replies to reads and to writes */
    uint64_t wrong;         /* values read that were wrong */
};

struct write {
    struct al_message message;
    struct worker *worker;
    uint64_t stamp;
    uint32_t key;
    unsigned char value[];
};

struct read {
    struct al_message message;
    struct worker *worker;
    uint32_t key;
};

struct written {
    struct al_message message;
};

struct result {
    struct al_message message;
    uint64_t stamp;
    uint32_t key;
    unsigned char value[];
};

/* Workers and sizes are read only while the actors run. */
struct state {
    struct dictionary dictionary;
    struct al_service service;
    struct worker *workers;
    unsigned char *entries;
    size_t entry_bytes; /* from one entry to the next */
    uint32_t keys, value_bytes, writes;
};

AL_ACTOR_DERIVED(dictionary, al_hub, hub)
AL_INHERIT(dictionary, al_hub, al_done)
AL_ACTOR(worker)
AL_MESSAGE(write)
AL_MESSAGE(read)
AL_MESSAGE(written)
AL_MESSAGE(result)
AL_RECYCLE(read)
AL_RECYCLE(written)

AL_BEHAVIOUR_DECLARE(worker, al_go)
AL_BEHAVIOUR_DECLARE(worker, written)
AL_BEHAVIOUR_DECLARE(worker, result)

/* The dictionary */

/* The key's slot, or the empty slot where it belongs. */
static struct slot *find(const struct dictionary *dictionary, uint32_t key)
{
    uint64_t mask = ~(uint64_t)0 >> dictionary->shift;
    /* Fibonacci hashing (Knuth, The Art of Computer Programming 3, section 6.4). */
    uint64_t i = key * 0x9e3779b97f4a7c15u >> dictionary->shift;
    while (dictionary->slots[i].entry != NULL && dictionary->slots[i].key != key)
        i = (i + 1) & mask;
    return &dictionary->slots[i];
}

AL_BEHAVIOUR(dictionary, al_go, self, msg)
{
    struct state *state = self->state;
    for (uint64_t i = 0; i < state->service.actors; i++) {
        struct worker *worker = &state->workers[i];
        *worker = (struct worker){.state = state};
        al_service_seed(&state->service, i, &worker->random);
        al_actor_init(worker, worker);
        al_send(worker, al_go, worker, msg);
    }
    return AL_NODELETE;
}

AL_BEHAVIOUR(dictionary, write, self, msg)
{
    struct entry *entry = find(self, msg->key)->entry;
    al_contents_copy(entry->value, msg->value, self->state->value_bytes);
    entry->stamp = msg->stamp;
    entry->writes++;
    struct written *reply = al_new(written);
    al_send(worker, written, msg->worker, al_message_init(written, reply, AL_DELETE));
    return AL_NODELETE;
}

AL_BEHAVIOUR(dictionary, read, self, msg)
{
    const struct entry *entry = find(self, msg->key)->entry;
    struct result *reply = al_allocate(sizeof *reply + self->state->value_bytes);
    al_message_init(result, reply, AL_DELETE);
    reply->key = msg->key;
    reply->stamp = entry->stamp;
    al_contents_copy(reply->value, entry->value, self->state->value_bytes);
    al_send(worker, result, msg->worker, reply);
    return AL_NODELETE;
}

/* Workers */

/* A worker's next random choices; drawn again to check the answers. */
static struct request draw(struct al_random *random, const struct state *state)
{
    bool is_write = al_random_below(random, 100) < state->writes;
    return (struct request){is_write, al_random_below(random, state->keys)};
}

/* The stamp of a worker's n-th request. n begins at 1, so that a stamp is never 0. */
static uint64_t stamp_of(uint64_t worker, uint64_t n)
{
    return worker << 32 | n;
}

static enum al_verdict ask(struct worker *self)
{
    struct state *state = self->state;
    if (self->requests == state->service.requests) {
        al_send(dictionary, al_done, &state->dictionary, &state->service.done);
        return AL_FINISHED;
    }
    self->requests++;
    self->request = draw(&self->random, state);
    uint32_t key = self->request.key;
    if (self->request.is_write) {
        struct write *write = al_allocate(sizeof *write + state->value_bytes);
        al_message_init(write, write, AL_DELETE);
        write->worker = self;
        write->key = key;
        write->stamp = stamp_of((uint64_t)(self - state->workers), self->requests);
        al_contents_write(write->value, state->value_bytes, key, write->stamp);
        al_send(dictionary, write, &state->dictionary, write);
    } else {
        struct read *read = al_new(read);
        al_message_init(read, read, AL_DELETE);
        read->worker = self;
        read->key = key;
        al_send(dictionary, read, &state->dictionary, read);
    }
    return AL_NODELETE;
}

AL_BEHAVIOUR_DEFINE(worker, al_go, self, msg)
{
    return ask(self);
}

AL_BEHAVIOUR_DEFINE(worker, written, self, msg)
{
    self->written++;
    return ask(self);
}

AL_BEHAVIOUR_DEFINE(worker, result, self, msg)
{
    self->read++;
    self->wrong += msg->key != self->request.key ||
                   !al_contents_are(msg->value, self->state->value_bytes, msg->key, msg->stamp);
    return ask(self);
}

/* Called by the harness */

static size_t entry_bytes(uint64_t value_bytes)
{
    return (sizeof(struct entry) + value_bytes + 7) / 8 * 8;
}

/* A power of two; at least twice the keys. */
static uint64_t slots_for(uint64_t keys)
{
    return (uint64_t)2 << (64 - __builtin_clzll(keys));
}

static double bytes(const union al_value *values, uint32_t n_workers)
{
    (void)n_workers;
    double workers = (double)values[ACTORS].uint, keys = (double)values[KEYS].uint;
    return workers * (sizeof(struct worker) + 2 * (double)values[VALUE_BYTES].uint) +
           keys * (double)entry_bytes(values[VALUE_BYTES].uint) +
           (double)slots_for(values[KEYS].uint) * sizeof(struct slot);
}

static void release(void *argument)
{
    struct state *state = argument;
    al_free(state->dictionary.slots);
    al_free(state->entries);
    al_free(state->workers);
    al_free(state);
}

static void *prepare(const union al_value *values, uint64_t seed)
{
    uint64_t actors = values[ACTORS].uint, keys = values[KEYS].uint;
    size_t stride = entry_bytes(values[VALUE_BYTES].uint);
    struct state *state = al_allocate(sizeof *state);
    struct dictionary *dictionary = &state->dictionary;
    *state = (struct state){
        .dictionary = {.hub.working = actors,
                       .state = state,
                       .slots = al_allocate_zeroed(slots_for(keys), sizeof *dictionary->slots),
                       .shift = 64 - (uint32_t)__builtin_ctzll(slots_for(keys))},
        .service = {.actors = actors, .requests = values[MESSAGES].uint, .seed = seed},
        .workers = al_allocate_lines(actors, sizeof *state->workers),
        .entries = al_allocate_zeroed(keys, stride),
        .entry_bytes = stride,
        .keys = (uint32_t)keys,
        .value_bytes = (uint32_t)values[VALUE_BYTES].uint,
        .writes = (uint32_t)values[WRITES].uint,
    };
    for (uint32_t key = 0; key < keys; key++) {
        struct entry *entry = (void *)(state->entries + key * state->entry_bytes);
        al_contents_write(entry->value, state->value_bytes, key, 0);
        *find(dictionary, key) = (struct slot){key, entry};
    }
    return state;
}

static uint64_t messages(const void *argument)
{
    const struct state *state = argument;
    return al_service_messages(&state->service);
}

static void start(void *argument)
{
    struct state *state = argument;
    al_service_init(&state->service);
    al_actor_init_at(dictionary, &state->dictionary, AL_PLACE_HUB);
    al_send(dictionary, al_go, &state->dictionary, &state->service.go);
}

/* What a key should have, from the seeds. */
struct expected {
    uint64_t writes;
    bool is_last; /* its value is the last that the worker in its stamp wrote */
};

/* Draw the requests of each worker again. */
static int replay(const struct state *state, struct expected *expected, struct al_error *error)
{
    for (uint64_t i = 0; i < state->service.actors; i++) {
        const struct worker *worker = &state->workers[i];
        struct al_random random;
        uint64_t written = 0;
        al_service_seed(&state->service, i, &random);
        for (uint64_t n = 1; n <= state->service.requests; n++) {
            struct request request = draw(&random, state);
            if (!request.is_write)
                continue;
            written++;
            expected[request.key].writes++;
            uint64_t stamp = find(&state->dictionary, request.key)->entry->stamp;
            if (stamp >> 32 == i)
                expected[request.key].is_last = stamp == stamp_of(i, n);
        }
        if (worker->written != written || worker->read != state->service.requests - written ||
            worker->wrong != 0)
            return al_error_set(
                error, -EBADMSG,
                "worker %llu read %llu values, %llu of them wrong, and wrote %llu; right "
                "would be %llu, none, and %llu",
                (unsigned long long)i, (unsigned long long)worker->read,
                (unsigned long long)worker->wrong, (unsigned long long)worker->written,
                (unsigned long long)(state->service.requests - written),
                (unsigned long long)written);
    }
    return 0;
}

static int check(void *argument, struct al_error *error)
{
    const struct state *state = argument;
    struct expected *expected = al_allocate_zeroed(state->keys, sizeof *expected);
    int code = replay(state, expected, error);
    for (uint32_t key = 0; key < state->keys && code == 0; key++) {
        const struct entry *entry = find(&state->dictionary, key)->entry;
        bool is_last = expected[key].writes == 0 ? entry->stamp == 0 : expected[key].is_last;
        if (entry->writes != expected[key].writes)
            code = al_error_set(error, -EBADMSG, "key %u was written %llu times instead of %llu",
                                key, (unsigned long long)entry->writes,
                                (unsigned long long)expected[key].writes);
        else if (!is_last || !al_contents_are(entry->value, state->value_bytes, key, entry->stamp))
            code = al_error_set(error, -EBADMSG,
                                "the value of key %u is not that of request %u of worker %u, or "
                                "that was not the worker's last to it",
                                key, (uint32_t)entry->stamp, (uint32_t)(entry->stamp >> 32));
    }
    al_free(expected);
    return code;
}

static uint64_t alike(const union al_value *values)
{
    return values[ACTORS].uint;
}

const struct al_benchmark_ops al_benchmark_cdict = {
    .plugin = {"cdict", "workers read and write a dictionary: one actor with a hash table",
               options},
    .stresses = "a hub that all workers wait for: where workers run, and where messages lie",
    .small = "messages=100 keys=1023",
    .sim = "actors=256 messages=1000 keys=8191",
    .alike = alike,
    .bytes = bytes,
    .prepare = prepare,
    .messages = messages,
    .start = start,
    .check = check,
    .release = release,
};
