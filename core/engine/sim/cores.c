/* SPDX-License-Identifier: MIT */

/*
 * Who runs where, and when. The heap holds the tasks that will go on by themselves, ordered by
 * (clock, id): those that have a PU, and those that sleep until their clock. A task that is ready
 * while another has its PU waits in the PU's list.
 */

#include <stdlib.h>

#include "core/engine/sim/private.h"
#include "core/error.h"

static bool before(const struct sim_task *a, const struct sim_task *b)
{
    return a->clock != b->clock ? a->clock < b->clock : a->task.id < b->task.id;
}

static void put(struct sim *sim, uint32_t place, struct sim_task *task)
{
    sim->heap[place] = task;
    task->place = place;
}

static void sift_up(struct sim *sim, uint32_t place, struct sim_task *task)
{
    while (place > 0 && before(task, sim->heap[(place - 1) / 2])) {
        put(sim, place, sim->heap[(place - 1) / 2]);
        place = (place - 1) / 2;
    }
    put(sim, place, task);
}

static void sift_down(struct sim *sim, uint32_t place, struct sim_task *task)
{
    for (;;) {
        uint32_t child = 2 * place + 1;
        if (child + 1 < sim->n_heap && before(sim->heap[child + 1], sim->heap[child]))
            child++;
        if (child >= sim->n_heap || !before(sim->heap[child], task))
            break;
        put(sim, place, sim->heap[child]);
        place = child;
    }
    put(sim, place, task);
}

static void push(struct sim *sim, struct sim_task *task)
{
    if (sim->n_heap == sim->heap_capacity) {
        sim->heap_capacity = sim->heap_capacity * 2 + 64;
        sim->heap = realloc(sim->heap, sim->heap_capacity * sizeof(struct sim_task *));
        if (sim->heap == NULL)
            al_out_of_memory("the simulator", sim->heap_capacity * sizeof(struct sim_task *));
    }
    sift_up(sim, sim->n_heap++, task);
}

static void take_out(struct sim *sim, struct sim_task *task)
{
    uint32_t place = task->place;
    struct sim_task *last = sim->heap[--sim->n_heap];
    task->place = NOWHERE;
    if (last == task)
        return;
    if (place > 0 && before(last, sim->heap[(place - 1) / 2]))
        sift_up(sim, place, last);
    else
        sift_down(sim, place, last);
}

/* Up to which clock the running task may go on: until another's turn, or the end of its slice. */
static void set_limit(struct sim *sim, const struct sim_task *task)
{
    const struct sim_task *next = sim->n_heap > 0 ? sim->heap[0] : NULL;
    uint64_t limit = next == NULL                    ? NEVER
                     : task->task.id < next->task.id ? next->clock
                     : next->clock > 0               ? next->clock - 1
                                                     : 0;
    uint64_t slice = task->pu->waiting != NULL ? task->pu->since + sim->ps[AL_MODEL_SLICE] : NEVER;
    sim->limit = limit < slice ? limit : slice;
}

static void acquire(struct sim *sim, struct sim_task *task)
{
    task->pu->running = task;
    task->pu->since = task->clock;
    if (task->clean == 0)
        sim->cores[task->pu->parts->core].running++;
}

/* Give the PU to the task that has waited longest for it, at this time. */
static void pass_on(struct sim *sim, struct pu *pu, uint64_t now)
{
    struct sim_task *next = pu->waiting;
    pu->running = NULL;
    pu->idle_since = now;
    if (next == NULL)
        return;
    pu->waiting = next->next_waiting;
    if (pu->waiting == NULL)
        pu->last = NULL;
    next->clock = (next->clock > now ? next->clock : now) + sim->ps[AL_MODEL_SWITCH];
    acquire(sim, next);
    push(sim, next);
}

static void wait_for_pu(struct sim *sim, struct sim_task *task)
{
    struct pu *pu = task->pu;
    if (pu->running != NULL && pu->running->suspended)
        sim_resume(sim, pu->running, task->clock); /* or its slice would never end */
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
        sim->cores[task->pu->parts->core].running--;
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
    if (task->place != NOWHERE)
        take_out(sim, task);
    task->clock = clock;
    sim_ready(sim, task);
}

struct al_task *sim_choose(struct al_engine *engine)
{
    struct sim *sim = sim_of(engine);
    struct sim_task *from = current_of(sim), *to;
    if (from != NULL && from->task.state == AL_TASK_READY) {
        if (from->pu->waiting != NULL && from->clock > from->pu->since + sim->ps[AL_MODEL_SLICE]) {
            give_up_pu(sim, from);
            wait_for_pu(sim, from);
        } else if (from->pu->running == from) {
            push(sim, from);
        }
    } else if (from != NULL && from->pu->running == from && !from->suspended) {
        give_up_pu(sim, from);
    }
    for (;;) {
        if (sim->n_heap == 0)
            return NULL;
        to = sim->heap[0];
        take_out(sim, to);
        to->task.state = AL_TASK_READY;
        if (to->pu->running == to)
            break;
        if (to->pu->running == NULL) {
            acquire(sim, to);
            break;
        }
        wait_for_pu(sim, to);
    }
    if (to != from) {
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
    task->pu = find_pu(sim);
    task->pu->tasks++;
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
        task->pu = pu;
        pu->tasks++;
        sim_forget(sim);
        if (pu->running == NULL) {
            acquire(sim, task);
            set_limit(sim, task);
        } else {
            wait_for_pu(sim, task);
            al_engine_reschedule(engine);
        }
        return (int)os_index;
    }
    return -1;
}
