/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/measure/stuck.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "benchmarks/harness/text/format.h"
#include "core/counted.h"
#include "core/plugin/scheduler.h"
#include "core/worker.h"

/* Of workers whose queues hold messages, so many are named. */
#define QUEUES_NAMED 8

struct totals {
    uint64_t sent, received, created, terminated;
};

/* The engine runs one task at a time, so none of them is writing. */
static struct totals add_up(const struct al_engine *engine)
{
    struct totals totals = {0};
    for (uint32_t i = 0; i < engine->n_tasks; i++) {
        const struct al_worker *worker = engine->tasks[i]->self;
        if (worker == NULL)
            continue;
        totals.sent += worker->counters.messages_sent;
        totals.received += worker->counters.messages_received;
        /* relaxed: nobody runs */
        totals.created += al_u64_load_relaxed(&worker->created);
        totals.terminated += al_u64_load_relaxed(&worker->terminated);
    }
    return totals;
}

uint64_t al_stuck_progress(const struct al_engine *engine)
{
    struct totals totals = add_up(engine);
    return totals.sent + totals.received + totals.created + totals.terminated + engine->n_tasks;
}

/* A text that grows to a limit. */
struct line {
    char *text;
    size_t size, used;
};

__attribute__((format(printf, 2, 3))) static void add(struct line *line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line->text + line->used, line->size - line->used, format, arguments);
    va_end(arguments);
    size_t left = line->size - line->used - 1;
    line->used += (size_t)length < left ? (size_t)length : left;
}

/* The starter has the number after the workers'; so has the thread of a detached actor. */
static bool is_worker(const struct al_worker *self)
{
    return self != NULL && self->id < self->system->n_workers;
}

static const struct al_task *task_of(const struct al_engine *engine, uint32_t id)
{
    for (uint32_t i = 0; i < engine->n_tasks; i++) {
        const struct al_task *task = engine->tasks[i];
        if (task->state != AL_TASK_ENDED && is_worker(task->self) && task->self->id == id)
            return task;
    }
    return NULL;
}

static void add_doing(struct line *line, const struct al_engine *engine, const struct al_task *task)
{
    const char *doing = al_task_doing(engine, task);
    add(line, "%s", strncmp(doing, "is ", 3) == 0 ? doing + 3 : doing);
    if (task->state == AL_TASK_JOINS && is_worker(task->other->self))
        add(line, " worker %u", task->other->self->id);
}

/* "; workers 0-2, 5: parked": the workers that do the same as this one, which is the first. */
static void add_alike(struct line *line, const struct al_engine *engine, uint32_t first,
                      uint32_t n_workers)
{
    const struct al_task *task = task_of(engine, first);
    const char *doing = al_task_doing(engine, task);
    uint32_t from = first, until = first, n = 0;
    struct line list = {(char[160]){""}, 160, 0};
    for (uint32_t id = first + 1; id <= n_workers; id++) {
        const struct al_task *other = id < n_workers ? task_of(engine, id) : NULL;
        bool same = other != NULL && strcmp(al_task_doing(engine, other), doing) == 0;
        if (same && id == until + 1) {
            until = id;
        } else if (same || id == n_workers) {
            add(&list, until > from ? "%s%u-%u" : "%s%u", n > 0 ? ", " : "", from, until);
            n += until - from + 1;
            from = until = id;
        }
    }
    add(line, "; worker%s %s: ", n > 1 ? "s" : "", list.text);
    add_doing(line, engine, task);
}

static void add_workers(struct line *line, const struct al_engine *engine, uint32_t n_workers)
{
    for (uint32_t id = 0; id < n_workers; id++) {
        const struct al_task *task = task_of(engine, id);
        bool first = task != NULL;
        for (uint32_t before = 0; before < id && first; before++) {
            const struct al_task *other = task_of(engine, before);
            first = other == NULL ||
                    strcmp(al_task_doing(engine, other), al_task_doing(engine, task)) != 0;
        }
        if (first)
            add_alike(line, engine, id, n_workers);
    }
}

/* What waits in queues. */
static void add_queues(struct line *line, const struct al_runtime *system)
{
    uint32_t named = 0;
    for (uint32_t i = 0; i < system->n_workers && named < QUEUES_NAMED; i++) {
        uint64_t length = system->ops->length(&system->workers[i]);
        if (length == 0)
            continue;
        add(line, "%s worker %u's %" PRIu64, named++ == 0 ? "; queue lengths:" : ",", i, length);
    }
    if (named == QUEUES_NAMED)
        add(line, ", …");
}

void al_stuck_describe(struct al_engine *engine, char *text, size_t size)
{
    struct line line = {text, size, 0};
    struct totals totals = add_up(engine);
    const struct al_task *starter = engine->tasks[0];
    add(&line,
        "at %s of simulated time, %" PRIu64 " messages sent, %" PRIu64
        " delivered, %s alive; starter: ",
        al_format_duration((double)engine->ops->clock(engine)).text, totals.sent, totals.received,
        al_counted(totals.created - totals.terminated, "actor").text);
    add_doing(&line, engine, starter);
    const struct al_worker *any = starter->self;
    for (uint32_t i = 0; i < engine->n_tasks && any == NULL; i++)
        any = engine->tasks[i]->self;
    if (any != NULL)
        add_workers(&line, engine, any->system->n_workers);
    if (starter->self != NULL) /* not before all workers have begun */
        add_queues(&line, starter->self->system);
}
