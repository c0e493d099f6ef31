/* SPDX-License-Identifier: MIT */

/* The simulated machine as a virtual engine: what the seam's operations cost, and its table. */

#include "core/engine/sim/sim.h"

#include <errno.h>
#include <stdlib.h>

#include "core/engine/operation.h"
#include "core/engine/sim/jitter.h"
#include "core/engine/sim/private.h"
#include "core/engine/sim/waiting.h"
#include "core/error.h"

static int begin(struct al_engine *engine)
{
    struct sim *sim = sim_of(engine);
    const struct al_sim_config *config = engine->config.model;
    sim->machine = config->machine;
    if (config->jitter > 0) {
        sim->jittered = sim_jittered(config->machine, config->jitter, engine->config.seed);
        if (sim->jittered == NULL)
            return -ENOMEM;
        sim->machine = sim->jittered;
    }
    sim->ps = sim->machine->ps;
    sim->exact = config->exact;
    sim->each_look = config->each_look;
    sim->charging = true;
    al_instructions = 0;
    al_random_seed(&sim->random, engine->config.seed, 0);
    sim->limit = NEVER;
    sim->next_unseen = NEVER;
    while (sim->store_mask + 1 < sim->ps[AL_MODEL_STORE_BUFFER])
        sim->store_mask = sim->store_mask * 2 + 1;
    sim->pus = calloc(sim->machine->n_pus, sizeof *sim->pus);
    if (sim->pus == NULL)
        return -ENOMEM;
    for (uint32_t i = 0; i < sim->machine->n_pus; i++) {
        sim->pus[i].parts = &sim->machine->pus[i];
        for (uint32_t k = 0; k < config->n_reserved; k++)
            sim->pus[i].reserved |= config->reserved[k] == sim->machine->pus[i].os_index;
    }
    int code = sim_caches_new(sim);
    if (code == 0)
        code = sim_pace_new(sim);
    if (code == 0)
        code = sim_channels_new(sim);
    return code != 0 ? code : sim_memory_new(sim);
}

static void end(struct al_engine *engine)
{
    struct sim *sim = sim_of(engine);
    const struct al_sim_config *config = engine->config.model;
    const struct sim_task *starter = (const struct sim_task *)engine->tasks[0];
    sim->report.ended_ps = starter->clock;
    sim->report.hash = engine->hash;
    sim->report.starter_alone = !starter->pu->reserved;
    if (config->report != NULL)
        *config->report = sim->report;
    for (uint32_t i = 0; i < engine->n_tasks; i++) {
        struct sim_task *task = (struct sim_task *)engine->tasks[i];
        free(task->read);
        free(task->offsets);
    }
    sim_caches_free(sim);
    sim_pace_free(sim);
    sim_channels_free(sim);
    sim_memory_free(sim);
    sim_jittered_free(sim->jittered);
    free(sim->pus);
    heap_free(&sim->heap);
    free(sim->awaiting);
    free(sim->watch);
    free(sim->unseen_at);
}

static void started(struct al_engine *engine, struct al_task *task)
{
    struct sim *sim = sim_of(engine);
    struct sim_task *new = (struct sim_task *)task;
    new->pointed[0] = new->pointed[1] = (four_lines){NO_LINE, NO_LINE, NO_LINE, NO_LINE};
    new->clock = engine->current != NULL ? current_of(sim)->clock : 0;
    new->pass = new->clock;
    sim->unseen_at = realloc(sim->unseen_at, engine->n_tasks * sizeof *sim->unseen_at);
    if (sim->unseen_at == NULL)
        al_out_of_memory("the simulator", engine->n_tasks * sizeof *sim->unseen_at);
    sim->unseen_at[task->id] = NEVER;
    sim_settle(sim, new);
}

static void ended(struct al_engine *engine)
{
    struct sim *sim = sim_of(engine);
    struct sim_task *task = current_of(sim);
    sim_run(sim, task);
    sim_finish_loads(task);
    task->pu->tasks--;
    sim_drain(sim, task);
    sim_memory_unused(sim, task->pu->parts->core);
}

static void woken(struct al_engine *engine, struct al_task *task)
{
    struct sim *sim = sim_of(engine);
    struct sim_task *self = current_of(sim), *other = (struct sim_task *)task;
    uint64_t at = self->clock;
    /* Whoever has not fallen asleep yet only notices that it need not. */
    if (task->state == AL_TASK_PARKED && at > other->asleep) {
        const struct pu *pu = other->pu;
        bool halted = pu->running == NULL && at > pu->idle_since + sim->ps[AL_MODEL_IDLE_POLL];
        /* The latency counts from the call, to which finding out who sleeps belongs. */
        uint64_t looked = sim->ps[AL_MODEL_WAKE_NOBODY],
                 latency = sim->ps[halted ? AL_MODEL_WAKE_HALTED_LATENCY : AL_MODEL_WAKE_LATENCY];
        at += latency > looked ? latency - looked : 0;
        sim_spend(sim, self, sim->ps[halted ? AL_MODEL_WAKE_HALTED : AL_MODEL_WAKE]);
    }
    sim_earlier(sim, other, at > other->asleep ? at : other->asleep);
}

/* The kernel interrupts the other cores, and waits for them. */
static void membarrier(struct sim *sim, struct sim_task *task)
{
    sim_drain(sim, task);
    sim_drain_others(sim, task);
    sim_spend(sim, task, sim->ps[AL_MODEL_WAKE_LATENCY]);
}

/* What the instructions before it have taken, and what it waits for. */
static void begin_operation(struct sim *sim, struct sim_task *task, int operation)
{
    if (operation == AL_SYNC_COMPUTE) /* stands for them */
        al_instructions = 0;
    sim_run(sim, task);
    if (operation != AL_SYNC_PAUSE && operation != AL_SYNC_YIELD)
        sim_dirty(sim, task);
    if (operation != AL_SYNC_PAUSE) {
        sim_finish_loads(task);
        task->meanwhile = 0;
    }
}

static void operation(struct al_engine *engine, int operation, uint64_t amount)
{
    struct sim *sim = sim_of(engine);
    struct sim_task *task = current_of(sim);
    begin_operation(sim, task, operation);
    switch (operation) {
    case AL_SYNC_FENCE:
        sim_drain(sim, task);
        sim_spend(sim, task, sim->ps[AL_MODEL_FENCE]);
        break;
    case AL_SYNC_MEMBARRIER:
        membarrier(sim, task);
        break;
    case AL_SYNC_PAUSE:
        sim_spend(sim, task, sim_vary(sim, sim->ps[AL_MODEL_PAUSE]));
        break;
    case AL_SYNC_YIELD:
        sim_drain(sim, task);
        sim_spend(sim, task, sim->ps[AL_MODEL_YIELD]);
        sim_rotate(sim);
        break;
    case AL_SYNC_SLEEP:
        sim_drain(sim, task);
        sim_wait_until(sim, task->clock + amount * 1000 + sim->ps[AL_MODEL_SLEEP_SLACK]);
        return;
    case AL_SYNC_PARK: /* the kernel compares the word late in the call */
        sim_drain(sim, task);
        sim_spend(sim, task, sim->ps[AL_MODEL_PARK_REFUSED]);
        break;
    case AL_SYNC_UNPARK:
        sim_drain(sim, task);
        sim_spend(sim, task, sim->ps[AL_MODEL_WAKE_NOBODY]);
        break;
    case AL_SYNC_CLOCK:
        sim_spend(sim, task, sim->ps[AL_MODEL_CLOCK]);
        break;
    case AL_SYNC_START:
        sim_drain(sim, task);
        sim_spend(sim, task, sim->ps[AL_MODEL_THREAD_START]);
        break;
    case AL_SYNC_COMPUTE:
        sim_spend(sim, task, amount * 1000000 / sim->ps[AL_MODEL_FREQUENCY]);
        break;
    case AL_SYNC_WORK:
        sim_spend(sim, task, amount * 1000);
        break;
    default:
        break;
    }
    sim_point(sim);
}

static void park(struct al_engine *engine, uint64_t ns)
{
    struct sim *sim = sim_of(engine);
    struct sim_task *task = current_of(sim);
    uint64_t all = sim->ps[AL_MODEL_PARK], over = sim->ps[AL_MODEL_PARK_REFUSED];
    task->clock += all > over ? all - over : 0;
    task->asleep = task->clock;
    if (ns == UINT64_MAX) {
        al_engine_reschedule(engine);
        return;
    }
    sim_sleep(sim, task->clock + ns * 1000 + sim->ps[AL_MODEL_SLEEP_SLACK]);
}

static const char *doing(const struct al_engine *engine, const struct al_task *task)
{
    const struct sim_task *self = (const struct sim_task *)task;
    (void)engine;
    if (task->state == AL_TASK_OTHER)
        return self->suspended ? "is spinning until something changes"
               : self->awaits  ? "waits for a cache line"
                               : "is asleep";
    return task->state == AL_TASK_READY && self->pu->running != self ? "is waiting for its PU"
                                                                     : NULL;
}

static uint64_t clock_ns(const struct al_engine *engine)
{
    return ((const struct sim_task *)engine->current)->clock / 1000;
}

static uint64_t cycles(struct al_engine *engine)
{
    struct sim *sim = sim_of(engine);
    struct sim_task *task = current_of(sim);
    sim_run(sim, task);
    sim_dirty(sim, task);
    sim_spend(sim, task, sim->ps[AL_MODEL_COUNTER]);
    engine->steps++;
    sim_point(sim);
    /* MHz x ps / 10^6, without overflow for hours of simulated time */
    return task->clock / 1000 * sim->ps[AL_MODEL_FREQUENCY] / 1000;
}

static bool set_charging(struct al_engine *engine, bool charge)
{
    struct sim *sim = sim_of(engine);
    bool was = sim->charging;
    sim_drain(sim, current_of(sim));
    sim->charging = charge;
    sim_forget(sim);
    return was;
}

const struct al_engine_ops al_engine_sim = {
    .name = "sim",
    .engine_bytes = sizeof(struct sim),
    .task_bytes = sizeof(struct sim_task),
    .begin = begin,
    .end = end,
    .started = started,
    .ended = ended,
    .woken = woken,
    .choose = sim_choose,
    .operation = operation,
    .access = sim_access,
    .touch = sim_touch,
    .prefetch = sim_prefetch,
    .charge = set_charging,
    .wait_unchanged = sim_wait_unchanged,
    .park = park,
    .doing = doing,
    .clock = clock_ns,
    .cycles = cycles,
    .place = sim_place,
    .move = sim_move,
    .allocate = sim_allocate,
    .release = sim_release,
    .size = sim_size,
};
