/* SPDX-License-Identifier: MIT */
#include "core/engine/engine.h"

#include <errno.h>
#include <stdlib.h>

#include "core/engine/coroutine.h"
#include "core/error.h"
#include "core/random.h"

/* With odd seeds one choice in CHOICES_PER_STALL stalls the running task for 1 to 2^12 steps. */
#define CHOICES_PER_STALL  48
#define STALL_BITS_AT_MOST 12

struct task {
    struct al_coroutine *coroutine;
    void (*function)(void *);
    void *argument;
    struct al_worker *self;
    uint32_t id;
    bool finished;
    const void *parked_on;    /* blocked while not NULL */
    const struct task *joins; /* if not NULL, blocked until it has finished */
    uint64_t stalled_until;   /* a number of steps */
};

struct engine {
    struct al_engine_config config;
    struct al_random random;
    uint64_t hash, steps, slept_ns;
    struct al_coroutine *host;
    struct task **tasks; /* all that were started */
    struct task **ready; /* as large: the candidates, while a task is drawn */
    uint32_t n_tasks;
    struct task *current;
    struct al_engine_event *events; /* or NULL */
    uint64_t n_events;
    void *freed; /* list of what al_engine_free got; each begins with the next one's address */
};

static _Thread_local struct engine *engine;

static void mix(uint64_t value)
{
    engine->hash = (engine->hash ^ value) * 0x9e3779b97f4a7c15u;
    engine->hash ^= engine->hash >> 32;
}

static bool blocked(const struct task *task)
{
    return task->finished || task->parked_on != NULL ||
           (task->joins != NULL && !task->joins->finished);
}

/* Draw one of the tasks that can run, uniformly; a stalled one only if all of them are stalled. */
static struct task *draw(void)
{
    uint32_t n = 0, n_stalled = 0;
    for (uint32_t i = 0; i < engine->n_tasks; i++) {
        struct task *task = engine->tasks[i];
        if (blocked(task))
            continue;
        /* Fill `ready` from the front; with stalled tasks, from the back. */
        if (task->stalled_until > engine->steps)
            engine->ready[engine->n_tasks - ++n_stalled] = task;
        else
            engine->ready[n++] = task;
    }
    if (n == 0 && n_stalled == 0)
        al_fatal("deadlock after %llu steps: every worker is blocked",
                 (unsigned long long)engine->steps);
    struct task **from = n > 0 ? engine->ready : engine->ready + engine->n_tasks - n_stalled;
    n = n > 0 ? n : n_stalled;
    return n > 1 ? from[al_random_below(&engine->random, n)] : *from;
}

static void switch_to_another(void)
{
    struct task *from = engine->current, *to = draw();
    if (to == from)
        return;
    engine->current = to;
    al_coroutine_switch(from->coroutine, to->coroutine);
}

void al_engine_choose(int operation)
{
    if (++engine->steps > engine->config.step_limit)
        al_fatal("no end after %llu steps: livelock, or a lost wake-up",
                 (unsigned long long)engine->config.step_limit);
    if (engine->steps <= engine->n_events)
        engine->events[engine->steps - 1] = (struct al_engine_event){
            engine->hash, engine->current->id, operation};
    mix((uint64_t)engine->current->id << 8 | (unsigned)operation);
    if (engine->config.seed % 2 == 1 && al_random_below(&engine->random, CHOICES_PER_STALL) == 0)
        engine->current->stalled_until = engine->steps +
                                         al_random_below(&engine->random,
                                                         2u << al_random_below(&engine->random,
                                                                               STALL_BITS_AT_MOST));
    switch_to_another();
}

void al_engine_log(uint64_t value)
{
    mix(value);
}

uint64_t al_engine_clock(void)
{
    return engine->steps + engine->slept_ns;
}

void al_engine_sleep(uint64_t ns)
{
    engine->slept_ns += ns;
}

struct al_worker *al_engine_self(void)
{
    return engine != NULL ? engine->current->self : NULL;
}

void al_engine_self_set(struct al_worker *worker)
{
    engine->current->self = worker;
}

static void task_main(void *argument)
{
    struct task *task = argument;
    al_coroutine_acquire(task);
    task->function(task->argument);
    al_coroutine_release(task);
    task->finished = true;
    mix(task->id);
    if (task->id == 0)
        al_coroutine_switch(task->coroutine, engine->host);
    switch_to_another();
}

int al_engine_spawn(uintptr_t *handle, void (*function)(void *), void *argument)
{
    struct task **tasks = realloc(engine->tasks, (engine->n_tasks + 1) * sizeof *tasks);
    if (tasks == NULL)
        return -ENOMEM;
    engine->tasks = tasks;
    struct task **ready = realloc(engine->ready, (engine->n_tasks + 1) * sizeof *ready);
    if (ready == NULL)
        return -ENOMEM;
    engine->ready = ready;
    struct task *task = calloc(1, sizeof *task);
    if (task == NULL)
        return -ENOMEM;
    *task = (struct task){.function = function, .argument = argument, .id = engine->n_tasks};
    task->coroutine = al_coroutine_new(engine->config.backend, task_main, task);
    if (task->coroutine == NULL) {
        free(task);
        return -ENOMEM;
    }
    al_coroutine_release(task);
    tasks[engine->n_tasks++] = task;
    *handle = (uintptr_t)task;
    return 0;
}

void al_engine_join(uintptr_t handle)
{
    struct task *task = (struct task *)handle;
    engine->current->joins = task;
    if (!task->finished)
        switch_to_another();
    engine->current->joins = NULL;
    al_coroutine_acquire(task);
}

void al_engine_park(const void *word)
{
    engine->current->parked_on = word;
    switch_to_another();
}

void al_engine_unpark(const void *word, uint32_t count)
{
    for (uint32_t i = 0; i < engine->n_tasks && count > 0; i++) {
        if (engine->tasks[i]->parked_on == word) {
            engine->tasks[i]->parked_on = NULL;
            count--;
        }
    }
}

void al_engine_free(void *memory)
{
#if AL_ENGINE_ASAN
    free(memory); /* its quarantine keeps the address from coming back */
#else
    /* The list lies in the memory itself: ThreadSanitizer would report a growing table as a
     * race. */
    *(void **)memory = engine->freed;
    engine->freed = memory;
#endif
}

void al_engine_run(const struct al_engine_config *config, void (*function)(void *), void *argument,
                   struct al_engine_result *result)
{
    al_engine_run_logged(config, function, argument, result, NULL, 0);
}

void al_engine_run_logged(const struct al_engine_config *config, void (*function)(void *),
                          void *argument, struct al_engine_result *result,
                          struct al_engine_event *events, uint64_t n_events)
{
    struct engine run = {.config = *config, .events = events, .n_events = n_events};
    al_random_seed(&run.random, config->seed, 0);
    run.host = al_coroutine_host(config->backend);
    engine = &run;
    uintptr_t first;
    if (run.host == NULL || al_engine_spawn(&first, function, argument) != 0)
        al_out_of_memory("the virtual engine", sizeof run);
    run.current = run.tasks[0];
    al_coroutine_switch(run.host, run.current->coroutine);
    al_coroutine_acquire(run.tasks[0]);
    for (uint32_t i = 0; i < run.n_tasks; i++) {
        if (!run.tasks[i]->finished)
            al_fatal("a thread was never joined");
        al_coroutine_free(run.tasks[i]->coroutine);
        free(run.tasks[i]);
    }
    while (run.freed != NULL) {
        void *next = *(void **)run.freed;
        free(run.freed);
        run.freed = next;
    }
    free(run.tasks);
    free(run.ready);
    free(run.host);
    engine = NULL;
    *result = (struct al_engine_result){.hash = run.hash, .steps = run.steps};
}
