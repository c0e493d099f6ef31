/* SPDX-License-Identifier: MIT */

/*
 * Store buffers. A store leaves its core when its line has come, and not before those that came
 * before it, nor before the loads before it have their values: total store order, as on x86. Until
 * then its own core sees it, and no other does: a lock that is given back after an access to a line
 * far away looks held until that line has come.
 *
 * That is only kept up for atomic stores to lines that have been with several cores, and for those
 * behind them, since a program without data races can tell in no other case. While their task runs,
 * memory has their values; while another runs, the ones before. Invariants
 *   (1) while a task runs, memory has what it has stored; of other tasks, what has left their
 *       buffers
 *   (2) stores leave a buffer in the order in which they came, when no task runs that is behind the
 *       time at which they leave (sim_stores_leave)
 *   (3) unseen_at[id] is the time at which the first unseen store of a task is to leave, or NEVER;
 *       next_unseen is the least of them
 */

#include "core/engine/sim/private.h"
#include "core/engine/sim/waiting.h"

static struct store *store_at(const struct sim *sim, struct stores *stores, uint32_t i)
{
    return &stores->ring[(stores->first + i) & sim->store_mask];
}

static uint64_t value_of(const struct store *store)
{
    const void *at = store->address;
    return store->bytes == 1   ? *(const volatile uint8_t *)at
           : store->bytes == 2 ? *(const volatile uint16_t *)at
           : store->bytes == 4 ? *(const volatile uint32_t *)at
                               : *(const volatile uint64_t *)at;
}

/* Put the other value there. */
static void put_other(const struct store *store)
{
    if (store->bytes == 1)
        *(volatile uint8_t *)store->address = (uint8_t)store->other;
    else if (store->bytes == 2)
        *(volatile uint16_t *)store->address = (uint16_t)store->other;
    else if (store->bytes == 4)
        *(volatile uint32_t *)store->address = (uint32_t)store->other;
    else
        *(volatile uint64_t *)store->address = store->other;
}

/* Exchange the value there for the other one; of a store that has left, nothing. */
static void exchange(struct store *store)
{
    if (store->bytes == 0)
        return;
    uint64_t before = value_of(store);
    put_other(store);
    store->other = before;
}

/* The task's first unseen store; stores->n: it has none. */
static uint32_t first_unseen(const struct sim *sim, struct stores *stores)
{
    uint32_t i = stores->unseen == 0 ? stores->n : 0;
    while (i < stores->n && store_at(sim, stores, i)->bytes == 0)
        i++;
    return i;
}

/* Keep invariant (3) after a change of the task's first unseen store. */
static void note_unseen(struct sim *sim, struct sim_task *task)
{
    struct stores *stores = &task->stores;
    uint32_t first = first_unseen(sim, stores);
    uint64_t *at = &sim->unseen_at[task->task.id], before = *at;
    *at = first < stores->n ? store_at(sim, stores, first)->done : NEVER;
    if (*at <= sim->next_unseen) {
        sim->next_unseen = *at;
    } else if (before == sim->next_unseen) {
        sim->next_unseen = NEVER;
        for (uint32_t i = 0; i < sim->engine.n_tasks; i++)
            sim->next_unseen = sim->unseen_at[i] < sim->next_unseen ? sim->unseen_at[i]
                                                                    : sim->next_unseen;
    }
}

static void forget_seen(const struct sim *sim, struct sim_task *task)
{
    struct stores *stores = &task->stores;
    while (stores->n > 0 && store_at(sim, stores, 0)->done <= task->clock &&
           store_at(sim, stores, 0)->bytes == 0) {
        stores->first++;
        stores->n--;
    }
}

void sim_store(struct sim *sim, struct sim_task *task, uint32_t line, uint64_t comes, void *address,
               uint32_t bytes)
{
    struct stores *stores = &task->stores;
    forget_seen(sim, task);
    bool seen = address != NULL && sim->lines[line].passed; /* others can tell when it leaves */
    uint64_t done = seen && task->came > comes ? task->came : comes;
    if (stores->n == 0 && done <= task->clock)
        return;
    while (stores->n >= sim->ps[AL_MODEL_STORE_BUFFER]) { /* wait for the first to leave */
        uint64_t leaves = store_at(sim, stores, 0)->done;
        task->clock = leaves > task->clock ? leaves : task->clock;
        if (store_at(sim, stores, 0)->bytes != 0)
            al_engine_reschedule(&sim->engine);
        forget_seen(sim, task);
    }
    uint64_t last = stores->n > 0 ? store_at(sim, stores, stores->n - 1)->done : 0;
    done = done > last ? done : last;
    bool unseen = address != NULL &&
                  (stores->unseen != 0 || (done > task->clock && sim->lines[line].passed));
    struct store *store = store_at(sim, stores, stores->n++);
    *store = (struct store){.comes = comes, .done = done, .line = line};
    if (!unseen)
        return;
    store->address = address;
    store->bytes = bytes;
    store->other = value_of(store);
    if (stores->unseen++ == 0)
        note_unseen(sim, task);
    sim->limit = done < sim->limit ? done : sim->limit;
}

uint64_t sim_stores_to(const struct sim *sim, struct sim_task *task, uint32_t line)
{
    for (uint32_t i = task->stores.n; i-- > 0;) {
        const struct store *store = store_at(sim, &task->stores, i);
        if (store->done <= task->clock)
            return 0;
        if (store->line == line)
            return store->comes;
    }
    return 0;
}

void sim_drain(struct sim *sim, struct sim_task *task)
{
    struct stores *stores = &task->stores;
    while (stores->n > 0) {
        uint64_t last = store_at(sim, stores, stores->n - 1)->done;
        task->clock = last > task->clock ? last : task->clock;
        if (stores->unseen != 0)
            al_engine_reschedule(&sim->engine);
        forget_seen(sim, task);
    }
}

void sim_drain_others(struct sim *sim, struct sim_task *task)
{
    for (uint32_t id = 0; id < sim->engine.n_tasks; id++) {
        struct sim_task *other = (struct sim_task *)sim->engine.tasks[id];
        struct stores *stores = &other->stores;
        uint32_t end = stores->first + stores->n;
        while (other != task && stores->unseen != 0 &&
               (int32_t)(end - stores->first - first_unseen(sim, stores)) > 0) {
            uint64_t leaves = sim->unseen_at[id];
            task->clock = leaves > task->clock ? leaves : task->clock;
            al_engine_reschedule(&sim->engine);
        }
    }
}

void sim_stores_hide(struct sim *sim, struct sim_task *task)
{
    for (uint32_t i = task->stores.n; i-- > 0;)
        exchange(store_at(sim, &task->stores, i));
}

void sim_stores_show(struct sim *sim, struct sim_task *task)
{
    for (uint32_t i = 0; i < task->stores.n; i++)
        exchange(store_at(sim, &task->stores, i));
}

/* A task's first unseen store takes effect, or asks for its line again if that has gone to another
 * core meanwhile; those behind it wait, too. */
static void leave(struct sim *sim, struct sim_task *task)
{
    struct stores *stores = &task->stores;
    uint32_t first = first_unseen(sim, stores);
    struct store *store = store_at(sim, stores, first);
    uint64_t ps = 0;
    if (store->done > store->comes && sim->lines[store->line].owner != task->core->number + 1) {
        ps = sim_fetch_for(sim, task, store->line, AL_ACCESS_WRITE, store->done);
        store->comes = store->done + ps;
    }
    if (ps == 0) {
        put_other(store);
        store->bytes = 0;
        stores->unseen--;
        sim_written(sim, store->line, store->done);
        sim->lines[store->line].wrote++; /* it is between two turns: it belongs to the next */
    }
    uint64_t done = store->done + ps;
    for (uint32_t i = first; i < stores->n; i++) {
        struct store *behind = store_at(sim, stores, i);
        behind->done = behind->done > done ? behind->done : done;
    }
    note_unseen(sim, task);
}

void sim_stores_leave(struct sim *sim)
{
    uint32_t id = 0;
    while (sim->unseen_at[id] != sim->next_unseen)
        id++;
    leave(sim, (struct sim_task *)sim->engine.tasks[id]);
}

void sim_stores_freed(struct sim *sim, struct sim_task *task, const void *memory, size_t bytes)
{
    for (uint32_t i = 0; task->stores.unseen != 0 && i < task->stores.n; i++) {
        struct store *store = store_at(sim, &task->stores, i);
        if (store->bytes != 0 && (size_t)((char *)store->address - (const char *)memory) < bytes) {
            store->bytes = 0;
            task->stores.unseen--;
        }
    }
    note_unseen(sim, task);
}
