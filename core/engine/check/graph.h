/* SPDX-License-Identifier: MIT */
#ifndef AL_CHECK_GRAPH_H
#define AL_CHECK_GRAPH_H

/*
 * Execution graphs: what the threads of a scenario have done to the words that they share, and who
 * has read what from whom. A graph says no more than a memory model needs to judge it, and no less
 * than is needed to run the program again: two runs with the same graph are the same to the
 * program.
 *
 *   po   program order: events[t][0], events[t][1], …
 *   rf   from a write to the reads of its value
 *   co   the order of all writes to one word: from `first` along `co_next`. The word's initial
 *        value comes before them
 *   fr   from a read to the writes that are co-after the one that it reads
 *
 * A read-modify-write is two events: a read, and an exclusive write, which is co-next to what that
 * has read. One that does not write (a compare-and-swap that fails, an exchange of a value for
 * itself) is a read.
 *
 * Clocks have a field for each thread: how many of its events come before. An event's own clocks
 * count it, too.
 *
 *   porf           (po ∪ rf)+: what an event can depend on. What a thread does comes after the
 *                  fence with which another one has started it
 *   hb             happens-before, by the orders that the program asks for
 *   released       of a write: what happens before a read of it that acquires
 *   acquirable     what has been read without acquire so far: an acquire fence adds it to hb
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    CHECK_THREADS = 8,  /* of a scenario, at most */
    CHECK_EVENTS = 255, /* of one thread, at most */
    CHECK_WORDS = 1024, /* that are shared, at most */
};

enum check_kind {
    CHECK_READ,
    CHECK_WRITE,
    CHECK_FENCE,      /* sequentially consistent */
    CHECK_MEMBARRIER, /* the same, and orders all light fences of others */
    CHECK_LIGHT,      /* a fence for the compiler alone */
    CHECK_CHOICE,     /* not of memory: one of several ways to go on */
};

enum check_flag {
    CHECK_ACQUIRE = 1,
    CHECK_RELEASE = 2,
    CHECK_LOCKED = 4,    /* on x86 a locked instruction: its thread's earlier writes come first */
    CHECK_EXCLUSIVE = 8, /* a part of a read-modify-write that writes */
    CHECK_BLOCKED = 16,  /* a read whose thread does not go on with what it reads */
};

/* An event's number: of thread t the i-th. */
typedef uint16_t check_id;
#define CHECK_ID(t, i)   ((check_id)((t) << 8 | (i)))
#define CHECK_THREAD(id) ((id) >> 8)
#define CHECK_INDEX(id)  ((id)&0xff)
#define CHECK_NONE       ((check_id)0xffff) /* as a write: the word's initial value */
#define CHECK_WAIT       ((check_id)0xfffe) /* instead of one to read: none that is there */

struct check_clock {
    uint8_t of[CHECK_THREADS];
};

struct check_event {
    uint64_t value;   /* read or written; of a choice: which */
    const void *code; /* where the program did it */
    struct check_clock porf, hb, released, acquirable;
    uint32_t stamp;     /* a later one was added later */
    uint16_t word;      /* index */
    uint16_t place;     /* of a write: its place in co, from 1 */
    check_id rf;        /* of a read: what it reads */
    check_id co_next;   /* of a write */
    check_id read_next; /* of a read: the next one of the word, in no order */
    uint8_t kind, flags;
    uint8_t await;    /* enum check_await */
    uint64_t awaited; /* see there */
};

struct check_word {
    uint64_t address;
    uint64_t initial;
    uint32_t life; /* plain writes begin a new one: what came before is not read any more */
    uint8_t bytes;
    check_id first, reads; /* of co, and of the list of reads */
};

/* A thread that waits: it does its next read when there is a new write for it. */
struct check_wait {
    uint16_t word; /* index + 1; 0: it does not wait */
    uint8_t n_stamps, n_values;
    uint32_t stamps[12]; /* when it has looked for the first time, and again */
    uint64_t values[12]; /* that it has read in vain */
};

struct check_graph {
    uint32_t stamps;
    uint16_t n_words;
    uint16_t n[CHECK_THREADS];      /* events */
    check_id begins[CHECK_THREADS]; /* the fence with which another thread has started it; or
                                     * CHECK_NONE: it was there before */
    struct check_wait waits[CHECK_THREADS];
    struct check_word words[CHECK_WORDS];
    struct check_event events[CHECK_THREADS][CHECK_EVENTS];
};

static inline struct check_event *check_event(struct check_graph *graph, check_id id)
{
    return &graph->events[CHECK_THREAD(id)][CHECK_INDEX(id)];
}

static inline const struct check_event *check_event_of(const struct check_graph *graph, check_id id)
{
    return &graph->events[CHECK_THREAD(id)][CHECK_INDEX(id)];
}

/* Whether a clock counts this event. */
static inline bool check_before(check_id id, const struct check_clock *clock)
{
    return clock->of[CHECK_THREAD(id)] > CHECK_INDEX(id);
}

static inline void check_join(struct check_clock *clock, const struct check_clock *other)
{
    for (unsigned t = 0; t < CHECK_THREADS; t++)
        clock->of[t] = clock->of[t] > other->of[t] ? clock->of[t] : other->of[t];
}

/* The place in co of what is read or written: 0 of the initial value. */
static inline unsigned check_place(const struct check_graph *graph, check_id write)
{
    return write == CHECK_NONE ? 0 : check_event_of(graph, write)->place;
}

/* The next write in co after this one; CHECK_NONE: there is none. */
static inline check_id check_co_next(const struct check_graph *graph, unsigned word, check_id write)
{
    return write == CHECK_NONE ? graph->words[word].first : check_event_of(graph, write)->co_next;
}

/* The event that comes before this one in program order; a thread's first one comes after the fence
 * with which it was started. NULL: there is none. */
static inline const struct check_event *check_graph_before(const struct check_graph *graph,
                                                           check_id id)
{
    if (CHECK_INDEX(id) > 0)
        return &graph->events[CHECK_THREAD(id)][CHECK_INDEX(id) - 1];
    check_id fence = graph->begins[CHECK_THREAD(id)];
    return fence != CHECK_NONE ? check_event_of(graph, fence) : NULL;
}

/* What a read of this write returns. */
uint64_t check_value(const struct check_graph *graph, unsigned word, check_id write);

void check_graph_clear(struct check_graph *graph);
void check_graph_copy(struct check_graph *to, const struct check_graph *from);

/* The index of a word, which is added if the graph does not have it. -1: there are too many. */
int check_graph_word(struct check_graph *graph, uint64_t address, uint32_t life, uint8_t bytes,
                     uint64_t initial);

/* Add an event of thread t after its last one; CHECK_NONE: it has too many. A write is in no co
 * yet, a read reads nothing. */
check_id check_graph_add(struct check_graph *graph, unsigned t, enum check_kind kind,
                         unsigned flags, unsigned word);
/* Let the last event of a thread, a read that has read nothing yet, read this. */
void check_graph_read(struct check_graph *graph, check_id read, check_id write);
/* Put a write, the last event of its thread, into co after this one. */
void check_graph_place(struct check_graph *graph, check_id write, check_id after);
/* Take them back. */
void check_graph_unread(struct check_graph *graph, check_id read);
void check_graph_unplace(struct check_graph *graph, check_id write);
/* Remove the last event of thread t, which nothing depends on. */
void check_graph_pop(struct check_graph *graph, unsigned t);
/* Keep of each thread so many events, and what waited at that stamp. Nothing that is kept depends
 * on what is not. */
void check_graph_keep(struct check_graph *graph, const uint16_t keep[CHECK_THREADS],
                      unsigned stamp);

/* A number for a sequence: begin with any, and add each. */
uint64_t check_mix(uint64_t hash, uint64_t value);
/* A number for graphs that are the same to the program, in whatever order they were made. */
uint64_t check_graph_hash(const struct check_graph *graph);

#endif
