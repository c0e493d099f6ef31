/* SPDX-License-Identifier: MIT */

/*
 * The random engine: before each operation a seeded random choice decides which task runs next.
 *
 * Even seeds choose uniformly. Odd seeds also stall a task occasionally for up to a few thousand
 * steps, as a preemption would, which opens the windows of lock-free code.
 */

#include <stdlib.h>

#include "core/engine/ops.h"
#include "core/error.h"
#include "core/engine/operation.h"

/* With odd seeds one choice in CHOICES_PER_STALL stalls the running task for 1 to 2^12 steps. */
#define CHOICES_PER_STALL  48
#define STALL_BITS_AT_MOST 12

struct task {
    struct al_task task;
    uint64_t stalled_until; /* a number of steps */
};

struct engine {
    struct al_engine engine;
    struct al_random random;
    uint64_t slept_ns;
    struct task **ready; /* as many as tasks: the candidates, while one is drawn */
    void *freed;         /* list of what was freed late; each begins with the next one's address */
};

static struct engine *of(struct al_engine *engine)
{
    return (struct engine *)engine;
}

static int begin(struct al_engine *engine)
{
    al_random_seed(&of(engine)->random, engine->config.seed, 0);
    return 0;
}

static void end(struct al_engine *engine)
{
    void *freed = of(engine)->freed;
    while (freed != NULL) {
        void *next = *(void **)freed;
        free(freed);
        freed = next;
    }
    free(of(engine)->ready);
}

static void started(struct al_engine *engine, struct al_task *task)
{
    (void)task;
    struct task **ready = realloc(of(engine)->ready, engine->n_tasks * sizeof *ready);
    if (ready == NULL)
        al_out_of_memory("the virtual engine", engine->n_tasks * sizeof *ready);
    of(engine)->ready = ready;
}

/* Draw one of the tasks that can run, uniformly; a stalled one only if all of them are stalled. */
static struct al_task *choose(struct al_engine *engine)
{
    struct task **ready = of(engine)->ready;
    uint32_t n = 0, n_stalled = 0;
    for (uint32_t i = 0; i < engine->n_tasks; i++) {
        struct task *task = (struct task *)engine->tasks[i];
        if (task->task.state != AL_TASK_READY)
            continue;
        /* Fill `ready` from the front; with stalled tasks, from the back. */
        if (task->stalled_until > engine->steps)
            ready[engine->n_tasks - ++n_stalled] = task;
        else
            ready[n++] = task;
    }
    if (n == 0 && n_stalled == 0)
        return NULL;
    struct task **from = n > 0 ? ready : ready + engine->n_tasks - n_stalled;
    n = n > 0 ? n : n_stalled;
    return &(n > 1 ? from[al_random_below(&of(engine)->random, n)] : *from)->task;
}

static void operation(struct al_engine *engine, int operation, uint64_t amount)
{
    struct al_random *random = &of(engine)->random;
    if (engine->config.seed % 2 == 1 && al_random_below(random, CHOICES_PER_STALL) == 0) {
        uint32_t most = 2u << al_random_below(random, STALL_BITS_AT_MOST);
        ((struct task *)engine->current)->stalled_until = engine->steps +
                                                          al_random_below(random, most);
    }
    al_engine_reschedule(engine);
    if (operation == AL_SYNC_SLEEP)
        of(engine)->slept_ns += amount; /* for all tasks; the sleeper may be drawn next */
}

static void park(struct al_engine *engine, uint64_t ns)
{
    if (ns == UINT64_MAX) {
        al_engine_reschedule(engine);
    } else { /* as if the time were up: whoever parks must look again anyway */
        engine->current->state = AL_TASK_READY;
        of(engine)->slept_ns += ns;
    }
}

/* One nanosecond for each step so far, plus the time slept by all tasks. */
static uint64_t clock_ns(const struct al_engine *engine)
{
    return engine->steps + ((const struct engine *)engine)->slept_ns;
}

static uint64_t cycles(struct al_engine *engine)
{
    return clock_ns(engine);
}

static void release_late(struct al_engine *engine, void *memory)
{
#if AL_ENGINE_ASAN
    (void)engine;
    free(memory); /* its quarantine keeps the address from coming back */
#else
    /* The list lies in the memory itself: ThreadSanitizer would report a growing table as a
     * race. */
    *(void **)memory = of(engine)->freed;
    of(engine)->freed = memory;
#endif
}

const struct al_engine_ops al_engine_random = {
    .name = "random",
    .engine_bytes = sizeof(struct engine),
    .task_bytes = sizeof(struct task),
    .begin = begin,
    .end = end,
    .started = started,
    .choose = choose,
    .operation = operation,
    .park = park,
    .clock = clock_ns,
    .cycles = cycles,
    .release_late = release_late,
};
