/* SPDX-License-Identifier: MIT */

/*
 * Who runs where, and when. The heap holds the tasks that will go on by themselves, ordered by
 * (clock, id): those that have a PU, and those that sleep until their clock. A task that is ready
 * while another has its PU waits in the PU's list.
 */

#include "core/engine/sim/private.h"
#include "core/engine/sim/waiting.h"

static void push(struct sim *sim, const struct sim_task *task)
{
    heap_push(&sim->heap, task->clock, task->task.id);
}

/* Up to which clock the running task may go on: until another's turn, or the end of its slice. */
static void set_limit(struct sim *sim, const struct sim_task *task)
{
    heap_key next = heap_first(&sim->heap);
    if (sim->n_awaiting != 0) {
        heap_key look = sim_first_look(sim);
        next = look < next ? look : next;
    }
    uint64_t clock = heap_clock(next);
    uint64_t limit = task->task.id < (uint32_t)next ? clock : clock > 0 ? clock - 1 : 0;
    limit = sim->next_unseen < limit ? sim->next_unseen : limit;
    uint64_t slice = task->pu->waiting != NULL ? task->pu->since + sim->ps[AL_MODEL_SLICE] : NEVER;
    sim->limit = limit < slice ? limit : slice;
}

static void set_pu(struct sim *sim, struct sim_task *task, struct pu *pu)
{
    task->pu = pu;
    task->core = &sim->cores[pu->parts->core];
    pu->tasks++;
}

static void acquire(struct sim_task *task)
{
    task->pu->running = task;
    task->pu->since = task->clock;
    sim_core_runs(task->core);
    if (task->clean == 0)
        task->core->running++;
}

/* Give the PU to the task that has waited longest for it, at this time. */
static void pass_on(struct sim *sim, struct pu *pu, uint64_t now)
{
    struct sim_task *next = pu->waiting;
    pu->running = NULL;
    pu->idle_since = now;
    sim_core_rests(&sim->cores[pu->parts->core]);
    if (next == NULL)
        return;
    pu->waiting = next->next_waiting;
    if (pu->waiting == NULL)
        pu->last = NULL;
    next->clock = (next->clock > now ? next->clock : now) + sim->ps[AL_MODEL_SWITCH];
    acquire(next);
    push(sim, next);
}

static void wait_for_pu(struct sim *sim, struct sim_task *task)
{
    struct pu *pu = task->pu;
    if (pu->running != NULL && pu->running->suspended)
        sim_resume(sim, pu->running, task->clock); /* or its slice would never end */
    if (pu->running != NULL && pu->running->awaits)
        sim_look_alone(sim, pu->running);
    task->next_waiting = NULL;
    if (pu->last != NULL)
        pu->last->next_waiting = task;
    else
        pu->waiting = task;
    pu->last = task;
}

static void give_up_pu(struct sim *sim, struct sim_task *task)
{
    if (task->clean == 0)
        task->core->running--;
    pass_on(sim, task->pu, task->clock);
}

void sim_ready(struct sim *sim, struct sim_task *task)
{
    push(sim, task);
    if (sim->engine.current != NULL)
        set_limit(sim, current_of(sim));
}

void sim_earlier(struct sim *sim, struct sim_task *task, uint64_t clock)
{
    if (heap_holds(&sim->heap, task->task.id))
        heap_remove(&sim->heap, task->task.id);
    task->clock = clock;
    sim_ready(sim, task);
}

/* The first of the tasks in the heap that has its PU or gets it now. NULL: there is none. */
static struct sim_task *first(struct sim *sim)
{
    while (sim->heap.n + sim->n_awaiting > 0) {
        if (sim->n_awaiting != 0)
            (void)sim_pass_awaiting(sim, NOBODY);
        if (sim->heap.n == 0)
            return NULL;
        uint32_t id = (uint32_t)heap_first(&sim->heap);
        struct sim_task *task = (struct sim_task *)sim->engine.tasks[id];
        heap_remove(&sim->heap, id);
        task->task.state = AL_TASK_READY;
        if (task->pu->running == task)
            return task;
        if (task->pu->running == NULL) {
            acquire(task);
            return task;
        }
        wait_for_pu(sim, task);
    }
    return NULL;
}

/* Likewise, with this task in the heap, which has its PU. */
static struct sim_task *exchange(struct sim *sim, struct sim_task *task)
{
    struct heap *heap = &sim->heap;
    heap_key first_key = heap_first(heap);
    if (heap_key_of(task->clock, task->task.id) < first_key)
        return task;
    struct sim_task *next = (struct sim_task *)sim->engine.tasks[(uint32_t)first_key];
    if (next->pu->running != next) {
        push(sim, task);
        return first(sim);
    }
    heap_exchange(heap, task->clock, task->task.id);
    next->task.state = AL_TASK_READY;
    return next;
}

/* Stores leave that are to leave before any task goes on. */
static void let_stores_leave(struct sim *sim, uint64_t own)
{
    while (sim->next_unseen != NEVER) {
        uint64_t next = heap_clock(heap_first(&sim->heap));
        if (sim->next_unseen > (own < next ? own : next))
            return;
        sim_stores_leave(sim);
    }
}

struct al_task *sim_choose(struct al_engine *engine)
{
    struct sim *sim = sim_of(engine);
    struct sim_task *from = current_of(sim), *to = NULL;
    if (from != NULL && from->stores.unseen != 0)
        sim_stores_hide(sim, from);
    bool ready = from != NULL && from->task.state == AL_TASK_READY, looked = false;
    if (sim->n_awaiting == 0)
        let_stores_leave(sim, ready ? from->clock : NEVER);
    else
        looked = sim_pass_awaiting(sim, ready ? heap_key_of(from->clock, from->task.id) : NOBODY);
    if (from != NULL && from->pu->running == from) {
        if (from->task.state != AL_TASK_READY) {
            if (!from->suspended && !from->awaits)
                give_up_pu(sim, from);
        } else if (from->pu->waiting != NULL &&
                   from->clock > from->pu->since + sim->ps[AL_MODEL_SLICE]) {
            give_up_pu(sim, from);
            wait_for_pu(sim, from);
        } else {
            to = exchange(sim, from);
        }
    }
    if (to == NULL)
        to = first(sim);
    if (to == NULL)
        return NULL;
    if (to->stores.unseen != 0)
        sim_stores_show(sim, to);
    if (to != from || looked) {
        sim->report.switches++;
        sim_forget(sim);
    }
    set_limit(sim, to);
    return &to->task;
}

void sim_rotate(struct sim *sim)
{
    struct sim_task *task = current_of(sim);
    if (task->pu->waiting == NULL)
        return;
    give_up_pu(sim, task);
    wait_for_pu(sim, task);
    al_engine_reschedule(&sim->engine);
}

void sim_wait_until(struct sim *sim, uint64_t clock)
{
    current_of(sim)->task.state = AL_TASK_OTHER;
    sim_sleep(sim, clock);
}

void sim_sleep(struct sim *sim, uint64_t clock)
{
    struct sim_task *task = current_of(sim);
    give_up_pu(sim, task);
    task->clock = clock;
    push(sim, task);
    al_engine_reschedule(&sim->engine);
}

/* A PU for a task that was not placed: not a worker's, and with as few tasks as possible. */
static struct pu *find_pu(struct sim *sim)
{
    struct pu *best = NULL;
    for (uint32_t i = 0; i < sim->machine->n_pus; i++) {
        struct pu *pu = &sim->pus[i];
        if (best == NULL || pu->reserved < best->reserved ||
            (pu->reserved == best->reserved && pu->tasks < best->tasks))
            best = pu;
    }
    return best;
}

void sim_settle(struct sim *sim, struct sim_task *task)
{
    set_pu(sim, task, find_pu(sim));
    sim_ready(sim, task);
}

int sim_place(struct al_engine *engine, unsigned os_index)
{
    struct sim *sim = sim_of(engine);
    struct sim_task *task = current_of(sim);
    for (uint32_t i = 0; i < sim->machine->n_pus; i++) {
        if (sim->pus[i].parts->os_index != os_index)
            continue;
        struct pu *pu = &sim->pus[i];
        if (pu == task->pu)
            return (int)os_index;
        give_up_pu(sim, task);
        task->pu->tasks--;
        set_pu(sim, task, pu);
        sim_forget(sim);
        if (pu->running == NULL) {
            acquire(task);
            set_limit(sim, task);
        } else {
            wait_for_pu(sim, task);
            al_engine_reschedule(engine);
        }
        return (int)os_index;
    }
    return -1;
}
