/* SPDX-License-Identifier: MIT */

/* What all virtual engines share: tasks and their coroutines, joining and parking, the event log,
 * the end of a run. */

#include "core/engine/engine.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/engine/ops.h"
#include "core/error.h"
#include "core/engine/operation.h"

/* Of tasks that wait, so many are named in the text of a run that did not end. */
#define TASKS_NAMED 16

_Thread_local struct al_engine *al_engine;

bool al_engine_runs(void)
{
    return al_engine != NULL;
}

const char *al_task_doing(const struct al_engine *engine, const struct al_task *task)
{
    static const char *const names[] = {
        [AL_TASK_READY] = "can run", [AL_TASK_PARKED] = "is parked", [AL_TASK_JOINS] = "joins",
        [AL_TASK_OTHER] = "waits",   [AL_TASK_ENDED] = "has ended",
    };
    if (task == engine->current && task->state == AL_TASK_READY)
        return "is running";
    const char *special = engine->ops->doing != NULL ? engine->ops->doing(engine, task) : NULL;
    return special != NULL ? special : names[task->state];
}

/* What each task that has not ended does. */
uint64_t al_instructions;

static void describe_tasks(const struct al_engine *engine, char *text, size_t size)
{
    size_t used = 0, unnamed = 0;
    for (uint32_t i = 0; i < engine->n_tasks; i++) {
        const struct al_task *task = engine->tasks[i];
        if (task->state == AL_TASK_ENDED)
            continue;
        if (used >= size - 64 || i >= TASKS_NAMED) {
            unnamed++;
            continue;
        }
        used += (size_t)snprintf(text + used, size - used, "%s thread %u %s", used > 0 ? "," : ":",
                                 task->id, al_task_doing(engine, task));
        if (task->state == AL_TASK_JOINS)
            used += (size_t)snprintf(text + used, size - used, " %u", task->other->id);
    }
    if (unnamed != 0)
        snprintf(text + used, size - used, ", and %zu more", unnamed);
}

static void no_operation(struct al_engine *engine, int operation, uint64_t amount)
{
    (void)engine, (void)operation, (void)amount;
}

/* After a run has ended, the operations of its observer schedule no task, and do not end it
 * again. */
static void look_back(struct al_engine *engine)
{
    const struct al_engine_ops *ops = engine->ops;
    struct al_engine_ops stopped = *ops;
    stopped.operation = no_operation;
    engine->ops = &stopped;
    engine->config.step_limit = 0;
    engine->next_look = UINT64_MAX;
    engine->config.watch->ended(engine->config.watch->argument);
    engine->ops = ops;
}

void al_engine_stop(struct al_engine *engine, enum al_engine_end end, const char *format, ...)
{
    struct al_engine_result *result = engine->result;
    result->end = end;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(result->text, sizeof result->text, format, arguments);
    va_end(arguments);
    size_t used = (size_t)length < sizeof result->text ? (size_t)length : sizeof result->text - 1;
    if (end == AL_ENGINE_DEADLOCK || end == AL_ENGINE_LIVELOCK)
        describe_tasks(engine, result->text + used, sizeof result->text - used);
    if (engine->config.watch != NULL && engine->config.watch->ended != NULL)
        look_back(engine);
    al_coroutine_release(engine->tasks[0]); /* partner: the acquire in run */
    al_coroutine_switch(engine->current->coroutine, engine->host);
    abort(); /* nobody comes back to a run that was stopped */
}

void al_engine_fail(const char *text)
{
    al_engine_stop(al_engine, AL_ENGINE_FATAL, "%s", text);
}

static void look(struct al_engine *engine)
{
    const struct al_engine_watch *watch = engine->config.watch;
    engine->next_look = engine->steps + watch->every;
    watch->look(watch->argument);
}

void al_engine_reschedule(struct al_engine *engine)
{
    if (engine->steps >= engine->next_look)
        look(engine);
    struct al_task *from = engine->current, *to = engine->ops->choose(engine);
    if (to == NULL)
        al_engine_stop(engine, AL_ENGINE_DEADLOCK, "deadlock after %llu steps",
                       (unsigned long long)engine->steps);
    if (to == from)
        return;
    engine->current = to;
    al_coroutine_switch(from->coroutine, to->coroutine);
}

void al_engine_operation(int operation, uint64_t amount)
{
    struct al_engine *engine = al_engine;
    if (++engine->steps > engine->config.step_limit && engine->config.step_limit != 0)
        al_engine_stop(engine, AL_ENGINE_LIVELOCK,
                       "no end after %llu steps: livelock, or a lost wake-up",
                       (unsigned long long)engine->config.step_limit);
    if (engine->steps >= engine->next_look)
        look(engine);
    if (engine->steps <= engine->n_events)
        engine->events[engine->steps - 1] = (struct al_engine_event){
            engine->hash, engine->current->id, operation};
    al_engine_mix(engine, (uint64_t)engine->current->id << 8 | (unsigned)operation);
    engine->ops->operation(engine, operation, amount);
}

void al_engine_log(uint64_t value)
{
    al_engine_mix(al_engine, value);
}

uint64_t al_engine_clock(void)
{
    return al_engine->ops->clock(al_engine);
}

uint64_t al_engine_cycles(void)
{
    return al_engine->ops->cycles(al_engine);
}

uint64_t al_engine_wait_unchanged(int operation, uint64_t alike)
{
    if (al_engine->ops->wait_unchanged != NULL)
        return al_engine->ops->wait_unchanged(al_engine, operation, alike);
    al_engine_operation(operation, 0);
    return 0;
}

void al_engine_prefetch(const void *address)
{
    if (al_engine != NULL && al_engine->ops->prefetch != NULL)
        al_engine->ops->prefetch(al_engine, address);
}

void al_engine_touch(const void *address, size_t bytes, bool writes)
{
    if (al_engine->ops->touch != NULL)
        al_engine->ops->touch(al_engine, address, bytes, writes);
    else
        al_engine_operation(AL_SYNC_TOUCH, 0);
}

struct al_worker *al_engine_self(void)
{
    return al_engine != NULL ? al_engine->current->self : NULL;
}

void al_engine_self_set(struct al_worker *worker)
{
    al_engine->current->self = worker;
}

bool al_engine_charge(bool charge)
{
    if (al_engine == NULL || al_engine->ops->charge == NULL)
        return true;
    return al_engine->ops->charge(al_engine, charge);
}

int al_engine_place(unsigned pu)
{
    return al_engine->ops->place != NULL ? al_engine->ops->place(al_engine, pu) : -1;
}

void al_engine_move(const void *pages, size_t bytes, unsigned pu)
{
    if (al_engine->ops->move != NULL)
        al_engine->ops->move(al_engine, pages, bytes, pu);
}

/* A task may run again, for which it has waited. */
static void wake(struct al_engine *engine, struct al_task *task)
{
    if (engine->ops->woken != NULL)
        engine->ops->woken(engine, task);
    task->state = AL_TASK_READY;
    task->word = NULL;
    task->other = NULL;
}

static void task_main(void *argument)
{
    struct al_task *task = argument;
    al_coroutine_acquire(task);
    task->function(task->argument);
    al_coroutine_release(task);
    struct al_engine *engine = al_engine;
    if (engine->ops->ended != NULL)
        engine->ops->ended(engine);
    task->state = AL_TASK_ENDED;
    al_engine_mix(engine, task->id);
    if (task->id == 0)
        al_coroutine_switch(task->coroutine, engine->host);
    for (uint32_t i = 0; i < engine->n_tasks; i++) {
        struct al_task *other = engine->tasks[i];
        if (other->state == AL_TASK_JOINS && other->other == task)
            wake(engine, other);
    }
    al_engine_reschedule(engine);
}

int al_engine_spawn(uintptr_t *handle, void (*function)(void *), void *argument)
{
    struct al_engine *engine = al_engine;
    struct al_task **tasks = realloc(engine->tasks, (engine->n_tasks + 1) * sizeof *tasks);
    if (tasks == NULL)
        return -ENOMEM;
    engine->tasks = tasks;
    struct al_task *task = calloc(1, engine->ops->task_bytes);
    if (task == NULL)
        return -ENOMEM;
    task->function = function;
    task->argument = argument;
    task->id = engine->n_tasks;
    task->coroutine = al_coroutine_new(engine->config.backend, task_main, task);
    if (task->coroutine == NULL) {
        free(task);
        return -ENOMEM;
    }
    tasks[engine->n_tasks++] = task;
    if (engine->ops->started != NULL)
        engine->ops->started(engine, task);
    al_coroutine_release(task); /* after the engine's own table has grown, too */
    *handle = (uintptr_t)task;
    return 0;
}

void al_engine_join(uintptr_t handle)
{
    struct al_task *task = (struct al_task *)handle, *self = al_engine->current;
    if (task->state != AL_TASK_ENDED) {
        self->state = AL_TASK_JOINS;
        self->other = task;
        al_engine_reschedule(al_engine);
    }
    al_coroutine_acquire(task);
}

void al_engine_park(const void *word, uint64_t ns)
{
    struct al_task *self = al_engine->current;
    self->state = AL_TASK_PARKED;
    self->word = word;
    self->parked = al_engine->parks++;
    al_engine->ops->park(al_engine, ns);
    self->word = NULL;
}

/* The task that has been parked on the word for the longest, or NULL. */
static struct al_task *parked_on(const struct al_engine *engine, const void *word)
{
    struct al_task *first = NULL;
    for (uint32_t i = 0; i < engine->n_tasks; i++) {
        struct al_task *task = engine->tasks[i];
        if (task->state == AL_TASK_PARKED && task->word == word &&
            (first == NULL || task->parked < first->parked))
            first = task;
    }
    return first;
}

bool al_engine_park_if(const void *word, uint32_t expected, uint64_t ns)
{
    const struct al_engine_ops *ops = al_engine->ops;
    if (ops->park_if == NULL)
        return false;
    ops->park_if(al_engine, word, expected, ns);
    return true;
}

void al_engine_unpark(const void *word, uint32_t count)
{
    if (al_engine->ops->unpark != NULL) {
        al_engine->ops->unpark(al_engine, word, count);
        return;
    }
    struct al_task *task;
    for (; count > 0 && (task = parked_on(al_engine, word)) != NULL; count--)
        wake(al_engine, task);
}

void al_engine_run(const struct al_engine_config *config, void (*function)(void *), void *argument,
                   struct al_engine_result *result)
{
    al_engine_run_logged(config, function, argument, result, NULL, 0);
}

/* Run the first task until it has ended or the run was stopped. */
static void run(struct al_engine *engine, void (*function)(void *), void *argument)
{
    uintptr_t first;
    engine->host = al_coroutine_host(engine->config.backend);
    al_engine = engine;
    if (engine->host == NULL || (engine->ops->begin != NULL && engine->ops->begin(engine) != 0) ||
        al_engine_spawn(&first, function, argument) != 0)
        al_out_of_memory("the virtual engine", engine->ops->engine_bytes);
    engine->current = engine->ops->choose(engine);
    al_coroutine_switch(engine->host, engine->current->coroutine);
    al_coroutine_acquire(engine->tasks[0]);
    for (uint32_t i = 0; i < engine->n_tasks; i++) {
        if (engine->tasks[i]->state != AL_TASK_ENDED && engine->result->end == AL_ENGINE_DONE) {
            engine->result->end = AL_ENGINE_UNJOINED;
            snprintf(engine->result->text, sizeof engine->result->text,
                     "thread %u was never joined", engine->tasks[i]->id);
        }
    }
    /* In reverse, so that the next run's tasks have the stacks that this one's had. */
    for (uint32_t i = engine->n_tasks; i-- > 0;)
        al_coroutine_free(engine->tasks[i]->coroutine);
    if (engine->ops->end != NULL)
        engine->ops->end(engine);
    for (uint32_t i = 0; i < engine->n_tasks; i++)
        free(engine->tasks[i]);
    free(engine->tasks);
    free(engine->host);
    al_engine = NULL;
}

void al_engine_run_logged(const struct al_engine_config *config, void (*function)(void *),
                          void *argument, struct al_engine_result *result,
                          struct al_engine_event *events, uint64_t n_events)
{
    const struct al_engine_ops *ops = config->ops != NULL ? config->ops : &al_engine_random;
    struct al_engine *engine = calloc(1, ops->engine_bytes);
    if (engine == NULL)
        al_out_of_memory("the virtual engine", ops->engine_bytes);
    engine->ops = ops;
    engine->config = *config;
    bool watched = config->watch != NULL && config->watch->look != NULL;
    engine->next_look = watched ? config->watch->every : UINT64_MAX;
    engine->events = events;
    engine->n_events = n_events;
    engine->result = result;
    *result = (struct al_engine_result){.end = AL_ENGINE_DONE};
    run(engine, function, argument);
    result->hash = engine->hash;
    result->steps = engine->steps;
    free(engine);
}
