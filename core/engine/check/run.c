/* SPDX-License-Identifier: MIT */
#include "core/engine/check/run.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/engine/check/choose.h"
#include "core/engine/check/heap.h"
#include "core/engine/check/plain.h"
#include "core/engine/check/search.h"
#include "core/engine/check/trace.h"
#include "core/engine/operation.h"

struct check_task *check_task(const struct check_run *run, unsigned t)
{
    return t + 1 < run->engine.n_tasks ? (struct check_task *)run->engine.tasks[t + 1] : NULL;
}

struct check_run *check_in_thread(void)
{
    struct al_engine *engine = al_engine;
    bool inside = engine != NULL && engine->current != NULL && engine->current->id != 0;
    return inside ? check_run_of(engine) : NULL;
}

void check_depend(struct check_run *run, unsigned t, unsigned n)
{
    if (n > 0)
        check_join(&run->search->needed, &run->search->graph.events[t][n - 1].porf);
}

void check_end(struct check_run *run, enum check_outcome outcome)
{
    run->search->outcome = outcome;
    al_engine_stop(&run->engine, AL_ENGINE_FATAL, "%s", "");
}

void check_fail(struct check_run *run, enum check_outcome outcome, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(run->search->result->reason, sizeof run->search->result->reason, format, arguments);
    va_end(arguments);
    const struct check_task *task = (const struct check_task *)run->engine.current;
    if (task->task.id == 0)
        run->search->needs_all = true;
    else
        check_depend(run, check_thread(&task->task), task->n);
    check_end(run, outcome);
}

void check_party(struct check_run *run, unsigned thread, const char *what, const void *code)
{
    struct check_search *search = run->search;
    struct check_party *party = &search->parties[search->n_parties++];
    *party = (struct check_party){thread, what, {{code}}};
    if (code == NULL)
        check_frames(&party->frames);
}

void al_scenario_fail(const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    check_fail(check_run_of(al_engine), CHECK_FAILED, "%s", text);
}

void al_scenario_name(const void *object, uint64_t bytes, const char *name)
{
    struct check_search *search = check_run_of(al_engine)->search;
    if (search->n_names < sizeof search->names / sizeof *search->names)
        search->names[search->n_names++] = (struct check_name){(uint64_t)(uintptr_t)object, bytes,
                                                               name};
}

/* Whether an event of the graph has been done in this run. */
static bool is_done(const struct check_run *run, check_id id)
{
    const struct check_task *task = check_task(run, CHECK_THREAD(id));
    return task != NULL && task->n > CHECK_INDEX(id);
}

/* Whether a task can do its next event, or has to be run until it knows what that is. */
static bool can_go(const struct check_run *run, unsigned t)
{
    const struct check_graph *graph = &run->search->graph;
    const struct check_task *task = check_task(run, t);
    if (task == NULL || task->task.state != AL_TASK_READY || task->stuck || !task->allowed)
        return false;
    if (!task->pending)
        return true;
    if (task->n >= graph->n[t])
        return false;
    const struct check_event *event = &graph->events[t][task->n];
    if (event->kind != CHECK_READ)
        return true;
    if (event->await != CHECK_ANY && !check_likes(event->await, event->awaited, event->value))
        return false;
    return event->rf == CHECK_NONE || is_done(run, event->rf);
}

static struct al_task *next(struct check_run *run)
{
    struct al_engine *engine = &run->engine;
    if (engine->tasks[0]->state == AL_TASK_READY)
        return engine->tasks[0];
    unsigned current = check_thread(engine->current);
    for (;;) {
        if (engine->current->id != 0 && can_go(run, current))
            return engine->current;
        for (unsigned t = 0; t < CHECK_THREADS; t++) {
            if (can_go(run, t))
                return engine->tasks[t + 1];
        }
        check_extend(run);
    }
}

static struct al_task *choose(struct al_engine *engine)
{
    struct check_run *run = check_run_of(engine);
    struct check_task *task = (struct check_task *)next(run);
    if (!task->begun) { /* with the program's code */
        task->begun = true;
        run->inside = false;
    }
    return &task->task;
}

/* Where the program does something else than the last time that it had read the same. */
static _Noreturn void refuse(struct check_run *run, const struct check_task *task)
{
    check_party(run, check_thread(&task->task), "does this", task->operation.code);
    check_fail(run, CHECK_REFUSED,
               "thread %u has read the same as before, and yet its operation %u is another: a "
               "scenario must not depend on time, addresses or earlier runs",
               check_thread(&task->task), task->n + 1u);
}

/* Whether a later write of the word has been done in this run. */
static bool is_overwritten(const struct check_run *run, check_id id)
{
    const struct check_graph *graph = &run->search->graph;
    while ((id = check_event_of(graph, id)->co_next) != CHECK_NONE) {
        if (is_done(run, id))
            return true;
    }
    return false;
}

static void done(struct check_run *run, struct check_task *task, struct check_event *event)
{
    const struct check_operation *operation = &task->operation;
    unsigned t = check_thread(&task->task);
    check_id id = CHECK_ID(t, task->n);
    struct check_word *word = &run->search->graph.words[event->word];
    task->n++;
    run->search->result->events++;
    if (event->kind == CHECK_WRITE || event->kind == CHECK_CHOICE) {
        task->look = task->n;
        task->vain = 0;
    }
    if ((event->kind != CHECK_READ && event->kind != CHECK_WRITE) ||
        word->address >= CHECK_NO_MEMORY)
        return;
    check_access(run, t, task->n - 1u, &event->hb, word->address, word->bytes,
                 event->kind == CHECK_READ ? CHECK_ATOMIC_READ : CHECK_ATOMIC_WRITE,
                 operation->code);
    if (event->kind == CHECK_WRITE && !is_overwritten(run, id))
        memcpy((void *)(uintptr_t)word->address, &event->value, word->bytes);
}

struct check_event *check_do(struct check_run *run, const struct check_operation *operation)
{
    struct check_graph *graph = &run->search->graph;
    struct check_task *task = (struct check_task *)run->engine.current;
    unsigned t = check_thread(&task->task);
    bool was = check_enter(run);
    task->operation = *operation;
    if (operation->kind == CHECK_READ)
        task->last_read = *operation;
    task->pending = true;
    while (!can_go(run, t)) {
        al_engine_reschedule(&run->engine);
        run->inside = true; /* another thread may have left it meanwhile */
    }
    task->pending = false;
    check_id id = CHECK_ID(t, task->n);
    struct check_event *event = check_event(graph, id);
    bool access = event->kind == CHECK_READ || event->kind == CHECK_WRITE;
    if (event->kind != operation->kind || event->code != operation->code ||
        (access && (graph->words[event->word].address != operation->address ||
                    graph->words[event->word].life != operation->life)))
        refuse(run, task);
    if (event->kind == CHECK_WRITE && event->value != operation->operand)
        refuse(run, task);
    if (id == run->search->revisited) {
        /* It reads something else than when it was added: that may have changed what it is. */
        check_id rf = event->rf;
        uint64_t value = check_value(graph, event->word, rf);
        check_graph_unread(graph, id);
        event->flags = (uint8_t)(check_operation_flags(operation, value) |
                                 (event->flags & CHECK_BLOCKED));
        check_graph_read(graph, id, rf);
    }
    done(run, task, event);
    if (run->search->frames != NULL)
        check_frames(&run->search->frames[t][CHECK_INDEX(id)]);
    check_leave(run, was);
    return event;
}

/* A pause after a look that has found nothing. */
static void pause_after_look(struct check_run *run)
{
    struct check_task *task = (struct check_task *)run->engine.current;
    const struct al_scenario *scenario = run->search->scenario;
    bool looked = task->n > task->look &&
                  run->search->graph.events[check_thread(&task->task)][task->n - 1].kind ==
                      CHECK_READ;
    check_choose_others(run->search, check_thread(&task->task));
    if (looked && task->vain++ >= scenario->vain_looks) {
        check_in_vain(run, task);
        al_engine_reschedule(&run->engine);
    }
    task->look = task->n;
}

static void operation(struct al_engine *engine, int operation, uint64_t amount)
{
    (void)amount;
    struct check_run *run = check_run_of(engine);
    if (engine->current->id == 0)
        return;
    const void *code = __builtin_return_address(0);
    bool was = check_enter(run);
    switch (operation) {
    case AL_SYNC_FENCE:
        check_fence(CHECK_FENCE, code);
        break;
    case AL_SYNC_MEMBARRIER:
        check_fence(CHECK_MEMBARRIER, code);
        break;
    case AL_SYNC_PAUSE:
    case AL_SYNC_YIELD:
        pause_after_look(run);
        break;
    case AL_SYNC_CLOCK:
        if (run->search->scenario->stops_clock)
            break;
        check_party(run, check_thread(engine->current), "reads the clock", NULL);
        check_fail(run, CHECK_REFUSED, "a scenario must not depend on time");
    default:
        break;
    }
    check_leave(run, was);
}

static uint64_t no_clock(const struct al_engine *engine)
{
    (void)engine;
    return 0;
}

static uint64_t no_cycles(struct al_engine *engine)
{
    (void)engine;
    return 0;
}

static void park_never(struct al_engine *engine, uint64_t ns)
{
    (void)engine, (void)ns;
    abort(); /* see park_if */
}

static int begin(struct al_engine *engine)
{
    check_run_of(engine)->search = (struct check_search *)(uintptr_t)engine->config.model;
    return 0;
}

/* A thread that another one starts begins behind a fence of that one. */
static void started(struct al_engine *engine, struct al_task *started)
{
    struct check_run *run = check_run_of(engine);
    struct check_task *task = (struct check_task *)started;
    if (engine->current == NULL || engine->current->id == 0) {
        task->allowed = true;
        return;
    }
    unsigned t = check_thread(started), starter = check_thread(engine->current);
    if (t >= CHECK_THREADS)
        check_fail(run, CHECK_REFUSED, "this scenario has more than %d threads", CHECK_THREADS);
    check_fence(CHECK_FENCE, __builtin_return_address(0));
    run->search->graph.begins[t] = CHECK_ID(starter,
                                            ((const struct check_task *)engine->current)->n - 1);
    task->allowed = true;
}

/* The rest of a thread is the checker's own. */
static void ended(struct al_engine *engine)
{
    check_enter(check_run_of(engine));
}

const struct al_engine_ops al_engine_check = {
    .name = "check",
    .engine_bytes = sizeof(struct check_run),
    .task_bytes = sizeof(struct check_task),
    .begin = begin,
    .choose = choose,
    .operation = operation,
    .started = started,
    .ended = ended,
    .park = park_never,
    .park_if = check_park,
    .unpark = check_unpark,
    .clock = no_clock,
    .cycles = no_cycles,
    .allocate = check_allocate,
    .release = check_release,
    .size = check_size,
    .release_late = check_release_late,
};
