/* SPDX-License-Identifier: MIT */
#include "core/observe/trace.h"

#include <stdlib.h>
#include <string.h>

struct al_trace *al_trace_new(uint32_t capacity)
{
    size_t bytes = sizeof(struct al_trace) + capacity * sizeof(struct al_trace_event);
    struct al_trace *trace = malloc(bytes);
    if (trace == NULL)
        return NULL;
    /* Not calloc: untouched pages would be faulted in while the worker is timed. */
    memset(trace, 0xff, bytes);
    *trace = (struct al_trace){.capacity = capacity};
    return trace;
}

/* Add an event from the end of the last one until `end`. A thread that is not bound may have read
 * `end` from another core's counter, where it can lie before that. The caller fills in the fields
 * that depend on the kind. */
static struct al_trace_event *add(struct al_trace *trace, enum al_trace_kind kind, uint64_t end,
                                  uint64_t n)
{
    end = end > trace->since ? end : trace->since;
    struct al_trace_event *event = &trace->events[trace->next];
    event->began = trace->since;
    event->cycles = end - trace->since;
    event->kind = kind;
    event->n = n;
    event->subject = 0;
    trace->since = end;
    trace->n++;
    if (++trace->next == trace->capacity)
        trace->next = 0;
    return event;
}

static void add_idle(struct al_trace *trace, uint64_t end)
{
    add(trace, AL_TRACE_IDLE, end, trace->looks)->attempts = trace->attempts;
    trace->looks = trace->attempts = 0;
}

static bool is_idle(const struct al_trace *trace)
{
    return trace->looks + trace->attempts != 0;
}

/* The worker has found work: end the idle event after its last wait, or now if it has not
 * waited. */
static void end_waiting(struct al_trace *trace, uint64_t now)
{
    if (is_idle(trace))
        add_idle(trace, trace->woke > trace->since ? trace->woke : now);
}

/* Record the messages delivered since the last event. Returns whether there were any. */
static bool end_running(struct al_worker *self, uint64_t now)
{
    struct al_trace *trace = self->trace;
    uint64_t n = self->counters.messages_received - trace->received;
    if (n == 0)
        return false;
    end_waiting(trace, now); /* strategies without batches report only waits */
    if (trace->batches == 1)
        add(trace, trace->kind, now, n)->subject = trace->subject;
    else
        add(trace, AL_TRACE_RUN_MANY, now, n)->batches = trace->batches;
    trace->received += n;
    trace->batches = 0;
    trace->failed = 0;
    return true;
}

void al_trace_begin(struct al_worker *self)
{
    self->trace->since = self->trace->woke = al_cycles();
}

void al_trace_end(struct al_worker *self)
{
    uint64_t now = al_cycles();
    if (!end_running(self, now))
        add_idle(self->trace, now);
}

void al_trace_cut(struct al_worker *self)
{
    uint64_t now = al_cycles();
    if (!end_running(self, now))
        end_waiting(self->trace, now);
}

void al_trace_gulped(struct al_worker *self, uint64_t length)
{
    struct al_trace *trace = self->trace;
    if (length < AL_TRACE_MESSAGES || self->counters.messages_received != trace->received)
        return;
    add(trace, AL_TRACE_GULP, al_cycles(), length)->subject = trace->subject;
}

void al_trace_attempt(struct al_worker *self)
{
    self->trace->attempt = al_cycles();
}

void al_trace_attempted(struct al_worker *self, enum al_trace_kind outcome, uint32_t victim,
                        uint32_t queues, uint64_t messages)
{
    struct al_trace *trace = self->trace;
    uint64_t now = al_cycles();
    end_running(self, trace->attempt);
    if (outcome != AL_TRACE_STEAL)
        trace->failed++;
    if (outcome == AL_TRACE_STEAL_NO && trace->failed > AL_TRACE_ATTEMPTS) {
        trace->attempts++;
        trace->woke = now;
        return;
    }
    if (is_idle(trace))
        add_idle(trace, trace->attempt);
    struct al_trace_event *event = add(trace, outcome, now, messages);
    event->victim = victim;
    event->queues = queues;
}

void al_trace_looked(struct al_worker *self)
{
    struct al_trace *trace = self->trace;
    if (self->counters.messages_received != trace->received) {
        end_running(self, al_cycles());
        trace->woke = trace->since;
    }
    trace->looks++;
}

void al_trace_fall_asleep(struct al_worker *self)
{
    add_idle(self->trace, al_cycles());
}

void al_trace_wake_up(struct al_worker *self, enum al_trace_kind kind)
{
    struct al_trace *trace = self->trace;
    add(trace, kind, al_cycles(), 0);
    trace->woke = trace->since;
}
