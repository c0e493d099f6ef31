/* SPDX-License-Identifier: MIT */

/*
 * A locked instruction has its effect when its task runs after the line has come. A request that
 * overtook it, as transfers vary, would get a value from before, and nobody would take that away
 * again. So it waits, and looks again every STEP_PS whether the line has been updated or has come
 * to its own core.
 *
 * Of many cores that want one line, all but one wait like that most of the time. So a task that
 * looks in vain is not switched to: sim_pass_awaiting() moves its clock on from look to look, past
 * all of them that happen before the next task goes on. Invariants
 *   (1) awaiting[i].clock is when the task looks next; its id is not in the heap, and it keeps its
 *       PU
 *   (2) while a task runs, all looks are behind its clock at its last choice (sim_choose)
 */

#include <stdlib.h>

#include "core/engine/sim/private.h"
#include "core/engine/sim/waiting.h"
#include "core/error.h"

#define STEP_PS 1000

static bool awaits(const struct sim *sim, uint32_t core, uint32_t line)
{
    return sim->lines[line].updating && sim_elsewhere(sim, core, line);
}

static void add(struct sim *sim, const struct sim_task *task, uint32_t line)
{
    if (sim->n_awaiting == sim->awaiting_capacity) {
        sim->awaiting_capacity = sim->awaiting_capacity * 2 + 16;
        size_t bytes = sim->awaiting_capacity * sizeof *sim->awaiting;
        sim->awaiting = realloc(sim->awaiting, bytes);
        if (sim->awaiting == NULL)
            al_out_of_memory("the simulator", bytes);
    }
    sim->awaiting[sim->n_awaiting++] = (struct awaiting){
        .clock = task->clock,
        .id = task->task.id,
        .line = line,
        .core = task->core->number,
    };
}

/* It goes on at its next look. */
static void end_wait(struct sim *sim, uint32_t i)
{
    struct sim_task *task = (struct sim_task *)sim->engine.tasks[sim->awaiting[i].id];
    task->awaits = false;
    task->clock = sim->awaiting[i].clock;
    sim->awaiting[i] = sim->awaiting[--sim->n_awaiting];
    heap_push(&sim->heap, task->clock, task->task.id);
}

void sim_look_alone(struct sim *sim, const struct sim_task *task)
{
    uint32_t i = 0;
    while (sim->awaiting[i].id != task->task.id)
        i++;
    end_wait(sim, i);
}

void sim_await_update(struct sim *sim, uint32_t line)
{
    struct sim_task *task = current_of(sim);
    if (!awaits(sim, task->core->number, line))
        return;
    task->clock++; /* lets only a task run that has the same clock */
    sim_point(sim);
    task->clock--;
    while (awaits(sim, task->core->number, line)) {
        task->clock += STEP_PS;
        if (task->clock <= sim->limit)
            continue;
        if (task->pu->waiting == NULL && !sim->each_look) { /* or its slice may end */
            add(sim, task, line);
            task->awaits = true;
            task->task.state = AL_TASK_OTHER;
        }
        al_engine_reschedule(&sim->engine);
    }
}

heap_key sim_first_look(const struct sim *sim)
{
    heap_key first = NOBODY;
    for (uint32_t i = 0; i < sim->n_awaiting; i++) {
        heap_key key = heap_key_of(sim->awaiting[i].clock, sim->awaiting[i].id);
        first = key < first ? key : first;
    }
    return first;
}

/* The first task whose look before this one's turn is not in vain; n_awaiting: there is none. */
static uint32_t first_served(const struct sim *sim, heap_key *first)
{
    uint32_t served = sim->n_awaiting;
    for (uint32_t i = 0; i < sim->n_awaiting; i++) {
        const struct awaiting *one = &sim->awaiting[i];
        heap_key key = heap_key_of(one->clock, one->id);
        if (key < *first && !awaits(sim, one->core, one->line)) {
            *first = key;
            served = i;
        }
    }
    return served;
}

/* Looks before this turn are in vain. Returns whether there are any. */
static bool pass_looks(struct sim *sim, heap_key first)
{
    bool any = false;
    for (uint32_t i = 0; i < sim->n_awaiting; i++) {
        struct awaiting *one = &sim->awaiting[i];
        for (; heap_key_of(one->clock, one->id) < first; one->clock += STEP_PS)
            any = true;
    }
    return any;
}

bool sim_pass_awaiting(struct sim *sim, heap_key own)
{
    bool any = false;
    for (;;) {
        heap_key first = heap_first(&sim->heap);
        first = own < first ? own : first;
        uint32_t served = first_served(sim, &first);
        bool leaves = sim->next_unseen != NEVER && sim->next_unseen <= heap_clock(first);
        if (leaves)
            first = heap_key_of(sim->next_unseen, 0);
        if (first != NOBODY)
            any |= pass_looks(sim, first);
        if (!leaves) {
            if (served < sim->n_awaiting)
                end_wait(sim, served);
            return any;
        }
        sim_stores_leave(sim);
    }
}
