/* SPDX-License-Identifier: MIT */
#ifndef AL_TRACE_H
#define AL_TRACE_H

/*
 * A timeline: what each worker did, and when. docs/reference/timeline.md explains the events to
 * readers.
 *
 * A worker's events follow one another without gaps. An event ends where the worker turns to
 * something else, so that one read of the clock (10 to 20 ns) ends one event and begins the next.
 * Events shorter than a clock read are aggregated:
 *   - batches are one event until they have AL_TRACE_MESSAGES messages;
 *   - after AL_TRACE_ATTEMPTS attempts in a row without a candidate, the idle event counts more.
 * The messages of an event are the difference of the worker's counter, so timelines need counters.
 *
 * Without a timeline worker->trace is NULL. Loops that run actors are compiled once for each case;
 * attempts to steal and waits test the pointer.
 *
 * A worker writes its own events, and they are read after it has ended (al_thread_join).
 */

#include "core/worker.h"

#define AL_TRACE_MESSAGES 64
#define AL_TRACE_ATTEMPTS 16

enum al_trace_kind {
    AL_TRACE_RUN_ACTOR,   /* n messages in one batch: a turn of this actor */
    AL_TRACE_RUN_MAILBOX, /* n messages in one batch: a gulp from this mailbox */
    AL_TRACE_RUN_MANY,    /* n messages in `batches` batches; 0: the strategy has none */
    AL_TRACE_GULP,        /* n messages taken from this mailbox */
    AL_TRACE_STEAL,       /* an attempt that took `queues` queues with n messages from a victim */
    AL_TRACE_STEAL_NO,    /* an attempt without a candidate */
    AL_TRACE_STEAL_LOST,  /* an attempt that lost the swap */
    AL_TRACE_IDLE,  /* n looks without work, and the attempts that have no event of their own */
    AL_TRACE_SLEEP, /* for a time that the idle policy sets */
    AL_TRACE_PARK,  /* asleep until woken */
};

struct al_trace_event {
    uint64_t began; /* al_cycles() */
    uint64_t cycles : 56, kind : 8;
    uint64_t n;
    union {
        uint64_t subject; /* mailbox: its number; actor: its address */
        uint64_t batches, attempts;
        struct {
            uint32_t victim, queues; /* victim: AL_NO_WORKER if none was picked */
        };
    };
};

/* The timeline of one worker. */
struct al_trace {
    uint64_t since;            /* end of the last event */
    uint64_t woke;             /* when the last wait ended */
    uint64_t received;         /* messages covered by events so far */
    uint64_t batches, subject; /* batches since `since`; subject and kind of the last batch */
    enum al_trace_kind kind;
    uint64_t looks, attempts; /* since `since`; attempts: those without an event */
    uint32_t failed;          /* failed attempts since the worker last ran an actor */
    uint64_t attempt;         /* when the present attempt began */

    /* A ring: when it is full, the oldest event is overwritten. */
    uint64_t n; /* events so far */
    uint32_t capacity, next;
    struct al_trace_event events[];
};

/* Allocate a trace for `capacity` events, with its pages pre-faulted; NULL: no memory. free()
 * it. */
struct al_trace *al_trace_new(uint32_t capacity);

/* The number of events that have not been overwritten. */
static inline uint64_t al_trace_left(const struct al_trace *trace)
{
    return trace->n < trace->capacity ? trace->n : trace->capacity;
}

/* The i-th of these, oldest first. */
static inline const struct al_trace_event *al_trace_event(const struct al_trace *trace, uint64_t i)
{
    uint64_t first = trace->n < trace->capacity ? 0 : trace->next;
    return &trace->events[(first + i) % trace->capacity];
}

/* The rest is called by the worker whose trace it is. */

/* Before and after the worker's loop. */
void al_trace_begin(struct al_worker *self);
void al_trace_end(struct al_worker *self);

/* For al_trace_between: end the present event. */
void al_trace_cut(struct al_worker *self);

/* Between two batches; the next has about `next` messages (0: unknown). Only with a trace. */
static inline void al_trace_between(struct al_worker *self, uint64_t next)
{
    struct al_trace *trace = self->trace;
    uint64_t received = self->counters.messages_received - trace->received;
    if (trace->looks + trace->attempts != 0 || received >= AL_TRACE_MESSAGES ||
        (received != 0 && next >= AL_TRACE_MESSAGES))
        al_trace_cut(self);
}

/* A batch begins; kind: AL_TRACE_RUN_ACTOR or AL_TRACE_RUN_MAILBOX. Only with a trace. */
static inline void al_trace_batch(struct al_worker *self, enum al_trace_kind kind, uint64_t subject)
{
    self->trace->batches++;
    self->trace->kind = kind;
    self->trace->subject = subject;
}

/* The batch has just been gulped, and none of its messages delivered. Only with a trace. */
void al_trace_gulped(struct al_worker *self, uint64_t length);

/* Before and after an attempt to steal; outcome: AL_TRACE_STEAL to AL_TRACE_STEAL_LOST. Only with a
 * trace. */
void al_trace_attempt(struct al_worker *self);
void al_trace_attempted(struct al_worker *self, enum al_trace_kind outcome, uint32_t victim,
                        uint32_t queues, uint64_t messages);

/* Implementation of the functions below. */
void al_trace_looked(struct al_worker *self);
void al_trace_fall_asleep(struct al_worker *self);
void al_trace_wake_up(struct al_worker *self, enum al_trace_kind kind);

/* After a look that found no work, before the worker waits. */
static inline void al_trace_idle(struct al_worker *self)
{
    if (self->trace != NULL)
        al_trace_looked(self);
}

/* After the worker has waited. */
static inline void al_trace_waited(struct al_worker *self)
{
    if (self->trace != NULL)
        self->trace->woke = al_cycles();
}

/* Before and after a call that puts the thread to sleep, following al_trace_idle; kind:
 * AL_TRACE_SLEEP or AL_TRACE_PARK. */
static inline void al_trace_asleep(struct al_worker *self)
{
    if (self->trace != NULL)
        al_trace_fall_asleep(self);
}

static inline void al_trace_awake(struct al_worker *self, enum al_trace_kind kind)
{
    if (self->trace != NULL)
        al_trace_wake_up(self, kind);
}

#endif
