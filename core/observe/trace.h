/* SPDX-License-Identifier: MIT */
#ifndef AL_TRACE_H
#define AL_TRACE_H

/*
 * A timeline: what each worker did, and when. docs/reference/timeline.md says what the events mean to a reader.
 *
 * A worker's events follow one another without a gap. Each ends where the worker turns to something else, so
 * that one look at the clock (10 to 20 ns) is the end of one and the beginning of the next; and what is shorter
 * than that look is not told one by one:
 *   - batches follow one another without a look until they have AL_TRACE_MESSAGES messages;
 *   - after AL_TRACE_ATTEMPTS attempts in a row that found no candidate, further ones are counted in the idle event.
 * How many messages an event had is how far the worker's counter went: a timeline needs the counters.
 *
 * Without a timeline worker->trace is NULL. Loops that run actors are compiled for each case; attempts to steal and waits
 * test the pointer.
 *
 * A worker writes its own events and nobody else reads them before it has ended (al_thread_join).
 */

#include "core/worker.h"

#define AL_TRACE_MESSAGES 64
#define AL_TRACE_ATTEMPTS 16

enum al_trace_kind {
    AL_TRACE_RUN_ACTOR,   /* n messages, in one batch: a turn of this actor */
    AL_TRACE_RUN_MAILBOX, /* n messages, in one batch: what was gulped from this mailbox */
    AL_TRACE_RUN_MANY,    /* n messages in so many batches; 0: the strategy has none */
    AL_TRACE_GULP,        /* n messages taken from this mailbox */
    AL_TRACE_STEAL,       /* an attempt that took n messages, in queues, of a victim */
    AL_TRACE_STEAL_NO,    /* an attempt without a candidate */
    AL_TRACE_STEAL_LOST,  /* an attempt that lost the swap */
    AL_TRACE_IDLE,  /* n looks without work, and attempts without a candidate that have no event */
    AL_TRACE_SLEEP, /* for a time that the idle policy said */
    AL_TRACE_PARK,  /* from falling asleep to being awake again */
};

struct al_trace_event {
    uint64_t began; /* al_cycles() */
    uint64_t cycles : 56, kind : 8;
    uint64_t n;
    union {
        uint64_t subject; /* mailbox: its number; actor: its address */
        uint64_t batches, attempts;
        struct {
            uint32_t victim, queues; /* victim: AL_NO_VICTIM if none was picked */
        };
    };
};

/* A worker's. */
struct al_trace {
    uint64_t since;            /* end of the last event */
    uint64_t woke;             /* when the last wait ended */
    uint64_t received;         /* messages that the last events told of */
    uint64_t batches, subject; /* subject and kind: of the last batch */
    enum al_trace_kind kind;
    uint64_t looks, attempts; /* since `since`; attempts: those without an event */
    uint32_t failed;          /* attempts in a row, since it last ran */
    uint64_t attempt;         /* the beginning of the present one */

    /* A ring: when it is full, the oldest event is overwritten. */
    uint64_t n; /* events so far */
    uint32_t capacity, next;
    struct al_trace_event events[];
};

/* One for so many events, whose memory has been written to; NULL without memory. free() it. */
struct al_trace *al_trace_new(uint32_t capacity);

/* The events that are left, oldest first: the i-th of al_trace_left. */
static inline uint64_t al_trace_left(const struct al_trace *trace)
{
    return trace->n < trace->capacity ? trace->n : trace->capacity;
}

static inline const struct al_trace_event *al_trace_event(const struct al_trace *trace, uint64_t i)
{
    uint64_t first = trace->n < trace->capacity ? 0 : trace->next;
    return &trace->events[(first + i) % trace->capacity];
}

/* The rest is for the worker whose trace it is. */

/* Before its loop, and after it. */
void al_trace_begin(struct al_worker *self);
void al_trace_end(struct al_worker *self);

/* For al_trace_between: end the event before. */
void al_trace_cut(struct al_worker *self);

/* Between two batches; the next has about so many messages (0: not known). Only with a trace. */
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

/* The batch was gulped just now: none of its messages is delivered or counted. Only with a trace. */
void al_trace_gulped(struct al_worker *self, uint64_t length);

/* Before and after an attempt to steal; outcome: AL_TRACE_STEAL to AL_TRACE_STEAL_LOST. Only with a trace. */
void al_trace_attempt(struct al_worker *self);
void al_trace_attempted(struct al_worker *self, enum al_trace_kind outcome, uint32_t victim,
                        uint32_t queues, uint64_t messages);

/* For the functions below. */
void al_trace_looked(struct al_worker *self);
void al_trace_fall_asleep(struct al_worker *self);
void al_trace_wake_up(struct al_worker *self, enum al_trace_kind kind);

/* After a look that found no work, before the worker waits. */
static inline void al_trace_idle(struct al_worker *self)
{
    if (self->trace != NULL)
        al_trace_looked(self);
}

/* After it has waited. */
static inline void al_trace_waited(struct al_worker *self)
{
    if (self->trace != NULL)
        self->trace->woke = al_cycles();
}

/* Around what puts the thread to sleep, after al_trace_idle; kind: AL_TRACE_SLEEP or AL_TRACE_PARK. */
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
