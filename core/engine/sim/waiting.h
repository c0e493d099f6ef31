/* SPDX-License-Identifier: MIT */
#ifndef AL_SIM_WAITING_H
#define AL_SIM_WAITING_H

/* Tasks that need not run, because they would only see that nothing has changed. */

#include "core/engine/sim/private.h"

/* updates.c: tasks that wait for a locked instruction of another. */
void sim_await_update(struct sim *sim, uint32_t line); /* the running task does, if there is one */
/* All but the running task have looked in vain before the next turn, which is at `own` or earlier,
 * or go on now. Returns whether any has looked. */
bool sim_pass_awaiting(struct sim *sim, heap_key own);
heap_key sim_first_look(const struct sim *sim);
/* From now on the task, which awaits an update, runs at each look. */
void sim_look_alone(struct sim *sim, const struct sim_task *task);

/* waiting.c: tasks that repeat a pass until something changes. */
uint64_t sim_wait_unchanged(struct al_engine *engine, int operation, uint64_t alike);
void sim_note_read(struct sim *sim, struct sim_task *task, uint32_t line);
/* A suspended task goes on with its first pass that begins at `now` or later. */
void sim_resume(struct sim *sim, struct sim_task *task, uint64_t now);
/* Somebody takes a watched line at `now`: those that wait for a change of it go on. */
void sim_changed(struct sim *sim, uint32_t line, uint64_t now);

/* The running task writes to the line: those that wait for a change of it go on. */
static inline void sim_written(struct sim *sim, uint32_t line, uint64_t now)
{
    struct line *state = &sim->lines[line];
    state->wrote = sim->report.switches;
    state->dirty = true;
    if (state->watch != 0)
        sim_changed(sim, line, now);
}

#endif
