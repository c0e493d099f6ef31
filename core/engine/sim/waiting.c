/* SPDX-License-Identifier: MIT */

/*
 * Tasks that wait in a loop. A pass is what a task does between two calls of
 * al_engine_wait_unchanged. It is clean if all that it read was in its own L1, it wrote nothing,
 * and it did nothing that a repetition would do anew, such as reading the clock. After two clean
 * passes of the same length a task is suspended until another core takes one of the lines that the
 * pass read: until then all passes would be alike. It then goes on at the begin of the pass that
 * would have been the first to see the change, as if it had made all those before.
 *
 * Going on at once instead changes what is simulated: it shifts the moments at which spinning
 * workers see changes, and with them who wins a race.
 */

#include "core/engine/sim/waiting.h"

#include <stdlib.h>

#include "core/engine/operation.h"
#include "core/engine/sim/private.h"
#include "core/error.h"

#define READS_MOST 4096 /* of one line after another */

static void grow_reads(struct sim_task *task)
{
    uint32_t capacity = task->read_capacity * 2 + 32;
    task->read = realloc(task->read, capacity * sizeof *task->read);
    task->offsets = realloc(task->offsets, capacity * sizeof *task->offsets);
    if (task->read == NULL || task->offsets == NULL)
        al_out_of_memory("the simulator", capacity * sizeof *task->offsets);
    task->read_capacity = capacity;
}

/* Of reads of one line the last is the first to see a change: it stands for those before it. */
void sim_note_read(struct sim *sim, struct sim_task *task, uint32_t line)
{
    if (task->n_read != 0 && task->read[task->n_read - 1] == line) {
        task->offsets[task->n_read - 1] = task->clock - task->pass;
        return;
    }
    if (task->n_read == READS_MOST) {
        sim_dirty(sim, task);
        return;
    }
    if (task->n_read == task->read_capacity)
        grow_reads(task);
    task->read[task->n_read] = line;
    task->offsets[task->n_read++] = task->clock - task->pass;
}

/* Watch 0 is not used: it stands for none. */
static uint32_t new_watch(struct sim *sim)
{
    uint32_t id = sim->free_watch;
    if (id != 0) {
        sim->free_watch = sim->watch[id].next;
        return id;
    }
    if (sim->n_watch + 1 >= sim->watch_capacity) {
        sim->watch_capacity = sim->watch_capacity * 2 + 256;
        sim->watch = realloc(sim->watch, sim->watch_capacity * sizeof *sim->watch);
        if (sim->watch == NULL)
            al_out_of_memory("the simulator", sim->watch_capacity * sizeof *sim->watch);
    }
    return ++sim->n_watch;
}

static void watch_line(struct sim *sim, struct sim_task *task, uint32_t index)
{
    uint32_t id = new_watch(sim);
    struct line *line = &sim->lines[task->read[index]];
    sim->watch[id] = (struct watch){
        .line = task->read[index],
        .next = line->watch,
        .of = task->task.id,
        .offset = task->offsets[index],
        .next_of_task = task->watches,
    };
    if (line->watch != 0)
        sim->watch[line->watch].previous = id;
    line->watch = id;
    task->watches = id;
}

static void unwatch(struct sim *sim, struct sim_task *task)
{
    uint32_t next;
    for (uint32_t id = task->watches; id != 0; id = next) {
        struct watch *watch = &sim->watch[id];
        next = watch->next_of_task;
        if (watch->previous != 0)
            sim->watch[watch->previous].next = watch->next;
        else
            sim->lines[watch->line].watch = watch->next;
        if (watch->next != 0)
            sim->watch[watch->next].previous = watch->previous;
        watch->next = sim->free_watch;
        sim->free_watch = id;
    }
    task->watches = 0;
}

/* The begin of the pass that first sees a change at `now`, of what passes read at this offset. */
static uint64_t first_pass(const struct sim_task *task, uint64_t offset, uint64_t now)
{
    uint64_t first = task->pass + offset;
    if (first >= now)
        return task->pass;
    return task->pass + (now - first + task->period - 1) / task->period * task->period;
}

void sim_changed(struct sim *sim, uint32_t line, uint64_t now)
{
    while (sim->lines[line].watch != 0) {
        struct sim_task *task =
            (struct sim_task *)sim->engine.tasks[sim->watch[sim->lines[line].watch].of];
        uint64_t at = task->until;
        for (uint32_t id = task->watches; id != 0; id = sim->watch[id].next_of_task) {
            uint64_t pass = sim->watch[id].line == line
                                ? first_pass(task, sim->watch[id].offset, now)
                                : NEVER;
            at = pass < at ? pass : at;
        }
        unwatch(sim, task);
        sim_earlier(sim, task, at);
    }
}

void sim_resume(struct sim *sim, struct sim_task *task, uint64_t now)
{
    uint64_t at = first_pass(task, 0, now);
    unwatch(sim, task);
    sim_earlier(sim, task, at < task->until ? at : task->until);
}

/* Whether nobody has taken or written what the pass has read since then. Another PU of the core
 * writes without taking. */
static bool still_there(const struct sim *sim, const struct sim_task *task)
{
    for (uint32_t i = 0; i < task->n_read; i++) {
        if (sim->lines[task->read[i]].wrote > task->turn ||
            !sim_has(sim, task->core->number, task->read[i]))
            return false;
    }
    return true;
}

static uint64_t suspend(struct sim *sim, struct sim_task *task, uint64_t alike)
{
    uint64_t most = (NEVER - task->clock) / task->period;
    task->until = alike < most ? task->clock + alike * task->period : NEVER;
    for (uint32_t i = 0; i < task->n_read; i++)
        watch_line(sim, task, i);
    task->task.state = AL_TASK_OTHER;
    task->suspended = true;
    if (task->until != NEVER) {
        task->clock = task->until;
        sim_ready(sim, task);
    }
    al_engine_reschedule(&sim->engine);
    task->suspended = false;
    unwatch(sim, task);
    uint64_t left_out = (task->clock - task->pass) / task->period;
    sim->report.left_out += left_out;
    return left_out;
}

uint64_t sim_wait_unchanged(struct al_engine *engine, int operation, uint64_t alike)
{
    struct sim *sim = sim_of(engine);
    struct sim_task *task = current_of(sim);
    bool yields = operation == AL_SYNC_YIELD;
    sim_run(sim, task);
    sim_finish_loads(task);
    task->meanwhile = 0;
    sim_spend(sim, task, sim->ps[yields ? AL_MODEL_YIELD : AL_MODEL_PAUSE]);
    engine->steps++;
    if (task->clock == task->pass)
        task->clock++; /* on a machine on which nothing costs, waiting must end all the same */
    uint64_t period = task->clock - task->pass, left_out = 0;
    bool repeats = !task->dirty && task->clean != 0 && period == task->period;
    if (!task->dirty && task->clean++ == 0)
        task->core->running--;
    task->dirty = false;
    task->period = period;
    task->pass = task->clock;
    if (repeats && alike > 0 && sim->charging && task->pu->waiting == NULL &&
        still_there(sim, task))
        left_out = suspend(sim, task, alike);
    task->pass = task->clock;
    task->turn = sim->report.switches;
    task->n_read = 0;
    if (yields)
        sim_rotate(sim);
    sim_point(sim);
    return left_out;
}
