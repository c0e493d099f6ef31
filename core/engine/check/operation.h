/* SPDX-License-Identifier: MIT */
#ifndef AL_CHECK_OPERATION_H
#define AL_CHECK_OPERATION_H

/* What a thread is about to do to a word, and what comes of it. */

#include "core/engine/check/graph.h"

enum check_update {
    CHECK_KEEP, /* a read, or a write of `operand` */
    CHECK_EXCHANGE,
    CHECK_EXCHANGE_IF, /* of what is `expected` */
    CHECK_ADD,
    CHECK_AND,
    CHECK_OR,
    CHECK_XOR,
    CHECK_NAND,
    /* Of a queue of threads, four bits each (park.c). */
    CHECK_APPEND,
    CHECK_REMOVE,
    CHECK_WAKE, /* the first `operand` */
};

/* Which values a read waits for. */
enum check_await {
    CHECK_ANY,
    CHECK_EXPECTED,       /* what is `awaited`; else this execution is none */
    CHECK_ABSENT,         /* a queue that thread `awaited` is not in */
    CHECK_ABSENT_IN_TIME, /* the same, but waiting for ever is not an error */
};

struct check_operation {
    enum check_kind kind;
    unsigned success, failure; /* flags: where an update writes, and where it does not */
    enum check_update update;
    enum check_await await;
    uint64_t address;
    uint64_t operand, expected, awaited;
    const void *code;
    uint32_t life;
    uint8_t bytes, choices;
};

/* Addresses from here on are no memory: the queues of parked threads. */
#define CHECK_NO_MEMORY ((uint64_t)1 << 63)

/* A queue's threads are numbers from 1. */
uint64_t check_queue_append(uint64_t queue, unsigned thread);
uint64_t check_queue_remove(uint64_t queue, unsigned thread);
bool check_queue_has(uint64_t queue, unsigned thread);

/* Whether an update that reads this writes, and what. */
bool check_operation_writes(const struct check_operation *operation, uint64_t value,
                            uint64_t *written);
/* The flags of a read that reads this. */
unsigned check_operation_flags(const struct check_operation *operation, uint64_t value);
/* Add it to a graph as thread t's next event, in no co yet, reading nothing; of a word that the
 * graph does not have, the initial value is this. CHECK_NONE: the graph has no room. */
check_id check_operation_add(const struct check_operation *operation, struct check_graph *graph,
                             unsigned t, uint64_t initial);
/* Whether this is a value that a read waits for. */
bool check_likes(enum check_await await, uint64_t awaited, uint64_t value);

#endif
