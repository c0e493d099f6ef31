/* SPDX-License-Identifier: MIT */

/*
 * What an access costs the running task. A load waits for its line. A store does not: it goes to
 * the store buffer, which is emptied in order, and makes the task wait only when it is full; a
 * locked instruction and a fence wait until it is empty. A miss that follows the one on the line
 * before it is part of a sequence, which the hardware has fetched ahead.
 */

#include "core/engine/sim/private.h"

/* The sequence of misses that this line is the next of; STREAMS: none. */
static uint32_t sequence_of(const struct core *core, uint32_t line)
{
    uint32_t i = 0;
    while (i < STREAMS && core->streams[i] + 1 != line)
        i++;
    return i;
}

/* The pointers to this line: bit i stands for the i-th last. All are compared at once. */
static uint32_t pointers_to(const struct sim_task *task, uint32_t line)
{
    four_lines first = line - task->pointed[0], second = line - task->pointed[1];
    first = (four_lines)((first & ~(POINTED_LINES - 1u)) == 0) & (four_lines){1, 2, 4, 8};
    second = (four_lines)((second & ~(POINTED_LINES - 1u)) == 0) & (four_lines){16, 32, 64, 128};
    four_lines bits = first | second;
    return bits[0] | bits[1] | bits[2] | bits[3];
}

/* What loads have found of the address of this line; NULL: it was known before. */
static const struct pointer *pointer_to(const struct sim_task *task, uint32_t line)
{
    uint32_t bits = pointers_to(task, line);
    if (bits == 0)
        return NULL;
    return &task->pointers[(task->n_pointers - 1 - (uint32_t)__builtin_ctz(bits)) % POINTERS];
}

/* A load has found the address of this line. */
static void add_pointer(struct sim_task *task, uint32_t line, struct pointer pointer)
{
    four_lines first = task->pointed[0], second = task->pointed[1];
    task->pointed[1] = __builtin_shufflevector(first, second, 3, 4, 5, 6);
    task->pointed[0] = __builtin_shufflevector(first, (four_lines){line}, 4, 0, 1, 2);
    task->pointers[task->n_pointers++ % POINTERS] = pointer;
}

/*
 * What a miss costs, in percent of one alone. A core looks a few hundred instructions ahead, so
 * that a load which misses soon after another waits for its line beside it, unless its address was
 * in the other's line.
 */
static uint64_t miss_percent(const struct sim *sim, const struct sim_task *task, uint32_t line,
                             enum al_access_kind kind)
{
    if (sequence_of(task->core, line) < STREAMS)
        return sim->ps[AL_MODEL_STREAM];
    if (kind != AL_ACCESS_READ)
        return 100;
    const struct pointer *pointer = pointer_to(task, line);
    bool beside = task->accesses - task->missed <= AHEAD &&
                  (pointer == NULL || pointer->missed != task->missed);
    return beside ? sim->ps[AL_MODEL_OVERLAP] : 100;
}

static void note_miss(struct sim *sim, struct sim_task *task, uint32_t line,
                      enum al_access_kind kind)
{
    struct core *core = task->core;
    uint32_t sequence = sequence_of(core, line);
    sim_dirty(sim, task);
    if (sequence < STREAMS) {
        core->streams[sequence] = line;
        return;
    }
    core->streams[core->next_stream++ % STREAMS] = line;
    if (kind == AL_ACCESS_READ) {
        task->missed = task->accesses;
        task->missed_line = line;
    }
}

/* When the address of a load is known, which may have been found by another load that still waits
 * for its value. */
static uint64_t address_known(const struct sim_task *task, uint32_t line)
{
    const struct pointer *pointer = pointer_to(task, line);
    return pointer != NULL ? pointer->ready : 0;
}

/* A load has its value a while after its address is known, and the core goes on meanwhile. If the
 * value is an address, remember that. */
static void finish_load(const struct sim *sim, struct sim_task *task, uint32_t line, uint64_t known,
                        const void *address, size_t bytes)
{
    uint64_t ready = (known > task->clock ? known : task->clock) + sim->ps[AL_MODEL_L1_HIT];
    task->loads[task->accesses % AHEAD] = ready;
    task->loaded = ready > task->loaded ? ready : task->loaded;
    if (bytes != sizeof(void *) || ((uintptr_t)address & (sizeof(void *) - 1)) != 0)
        return;
    uint32_t found = sim_line(sim, *(void *const *)address);
    if (found == NO_LINE)
        return;
    const struct pointer *pointer = pointer_to(task, line);
    uint64_t missed = line == task->missed_line ? task->missed
                      : pointer != NULL         ? pointer->missed
                                                : 0;
    add_pointer(task, found, (struct pointer){ready, missed});
}

void sim_finish_loads(struct sim_task *task)
{
    task->clock = task->loaded > task->clock ? task->loaded : task->clock;
}

/* Get the line. An atomic load sees what the line's owner does until its request comes there; plain
 * loads and all stores take the line at once. Returns how long it still takes. */
static uint64_t fetch(struct sim *sim, struct sim_task *task, uint32_t line,
                      enum al_access_kind kind, bool atomic, uint64_t address_at)
{
    uint64_t ps, percent;
    if (atomic && kind == AL_ACCESS_READ && sim_elsewhere(sim, task->core->number, line)) {
        if (address_at > task->clock) {
            task->clock = address_at; /* before, there is no request */
            sim_point(sim);
        }
        percent = miss_percent(sim, task, line, kind);
        ps = sim_fetch_at(sim, line, kind, percent);
    } else {
        ps = sim_fetch(sim, line, kind, task->clock);
        percent = ps != 0 ? miss_percent(sim, task, line, kind) : 100;
        ps = ps * percent / 100;
    }
    if (ps != 0)
        note_miss(sim, task, line, kind);
    return ps;
}

/* Whether the kernel has yet to give the line's page. */
static bool absent(const struct sim *sim, uint32_t line)
{
    return !sim_page(sim, line)->there && sim->ps[AL_MODEL_PAGE_FAULT] != 0;
}

/* Whether the access is a hit that the task knows of: it need not let others run before. */
static bool known(const struct sim *sim, uint32_t line, enum al_access_kind kind)
{
    uint32_t memo = sim->memo[line % MEMO];
    return memo >> 1 == line && (kind == AL_ACCESS_READ || (memo & 1) != 0);
}

/* A plain load or store, or an atomic one at this address, of one line. Whether it had to wait for
 * the line. */
static bool access_line(struct sim *sim, struct sim_task *task, uint32_t line,
                        enum al_access_kind kind, uint64_t address_at, void *atomic, size_t bytes)
{
    if (kind != AL_ACCESS_READ)
        sim_dirty(sim, task);
    else if (task->clean != 0)
        sim_note_read(sim, task, line);
    if (known(sim, line, kind)) {
        if (kind == AL_ACCESS_WRITE && task->stores.n != 0) {
            uint64_t comes = sim_stores_to(sim, task, line); /* it may be on its way yet */
            sim_store(sim, task, line, comes != 0 ? comes : task->clock, atomic, (uint32_t)bytes);
        }
        return false;
    }
    uint64_t comes = kind == AL_ACCESS_WRITE ? sim_stores_to(sim, task, line) : 0;
    if (comes != 0) {
        sim_written(sim, line, task->clock);
        sim_store(sim, task, line, comes, atomic, (uint32_t)bytes);
        return false;
    }
    if (absent(sim, line))
        sim_fault(sim, line);
    uint64_t ps = fetch(sim, task, line, kind, atomic != NULL, address_at);
    if (kind == AL_ACCESS_READ && ps != 0)
        task->clock = (address_at > task->clock ? address_at : task->clock) + ps;
    else if (kind != AL_ACCESS_READ)
        sim_store(sim, task, line, task->clock + ps, atomic, (uint32_t)bytes);
    struct core *core = task->core;
    typeof(core->pending[0]) *pending = &core->pending[line % PENDING];
    if (pending->line == line) {
        if (kind == AL_ACCESS_READ && pending->ready > task->clock)
            task->clock = pending->ready;
        pending->line = NO_LINE;
    }
    /* A write to a watched line must be seen by those that watch it, and the first write of a turn
     * by those that have read the line and may wait for a change. */
    bool writable = kind != AL_ACCESS_READ && sim->lines[line].owner == task->core->number + 1 &&
                    sim->lines[line].watch == 0;
    sim->memo[line % MEMO] = line << 1 | writable;
    return ps != 0;
}

/*
 * A locked instruction waits for the one before it, for its address, and until the store buffer is
 * empty. If the core owns the line, what is around it goes on meanwhile, but for what locked.amid
 * says. Otherwise it takes effect when the line has come: if it did when it was asked for, a lock
 * would look held for as long as a transfer takes, and whoever is far away would never get it.
 */
static void locked(struct sim *sim, struct sim_task *task, uint32_t line)
{
    uint64_t address_at = address_known(task, line), took = sim->ps[AL_MODEL_LOCKED];
    sim_drain(sim, task);
    task->clock = task->locked > task->clock ? task->locked : task->clock;
    sim_point(sim);
    sim_dirty(sim, task);
    if (line == NO_LINE || sim_owns(sim, task, line)) {
        if (line != NO_LINE)
            took += sim_fetch(sim, line, AL_ACCESS_UPDATE, task->clock);
        task->locked = (address_at > task->clock ? address_at : task->clock) + took;
        task->loads[task->accesses % AHEAD] = task->locked;
        task->loaded = task->locked > task->loaded ? task->locked : task->loaded;
        sim_spend(sim, task, sim->ps[AL_MODEL_LOCKED_AMID]);
        return;
    }
    task->clock = address_at > task->clock ? address_at : task->clock;
    sim_point(sim);
    sim_spend(sim, task, took);
    if (absent(sim, line))
        sim_fault(sim, line);
    sim_point(sim); /* the line may have gone to another core meanwhile */
    task->clock += sim_fetch_at(sim, line, AL_ACCESS_UPDATE, 100);
    sim_point(sim);
    sim_updates(sim, line);
}

/* Reads in static data that can change: nobody sees when it does. */
extern char __data_start, _end;

static bool is_static(const void *address)
{
    return (const char *)address >= &__data_start && (const char *)address < &_end;
}

void sim_access(struct al_engine *engine, const void *address, size_t bytes,
                enum al_access_kind kind, bool atomic)
{
    struct sim *sim = sim_of(engine);
    struct sim_task *task = current_of(sim);
    sim_run(sim, task);
    if (!sim->charging)
        return;
    engine->steps++;
    task->accesses++;
    sim->report.accesses++;
    uint64_t *load = &task->loads[task->accesses % AHEAD]; /* as far back as the core looks */
    task->clock = *load > task->clock ? *load : task->clock;
    *load = 0;
    uint32_t line = sim_line(sim, address);
    if (kind == AL_ACCESS_UPDATE) {
        locked(sim, task, line);
        return;
    }
    if (line == NO_LINE) {
        sim_spend(sim, task, sim->ps[AL_MODEL_ACCESS]);
        if (kind != AL_ACCESS_READ || is_static(address))
            sim_dirty(sim, task);
        return;
    }
    uint64_t ready = kind == AL_ACCESS_READ ? address_known(task, line) : 0;
    if (atomic || !known(sim, line, kind))
        sim_point(sim);
    uint32_t first = line, last = sim_line(sim, (const char *)address + bytes - 1);
    bool missed = false;
    for (;; line++) {
        sim_spend(sim, task, sim->ps[AL_MODEL_ACCESS]);
        missed |= access_line(sim, task, line, kind, ready,
                              atomic ? (void *)(uintptr_t)address : NULL, bytes);
        if (line >= last || last == NO_LINE)
            break;
    }
    if (atomic && kind == AL_ACCESS_READ && missed) /* likewise */
        sim_point(sim);
    if (kind == AL_ACCESS_READ)
        finish_load(sim, task, first, ready, address, bytes);
}

void sim_touch(struct al_engine *engine, const void *address, size_t bytes, bool writes)
{
    if (bytes != 0)
        sim_access(engine, address, bytes, writes ? AL_ACCESS_WRITE : AL_ACCESS_READ, false);
}

void sim_prefetch(struct al_engine *engine, const void *address)
{
    struct sim *sim = sim_of(engine);
    uint32_t line = sim_line(sim, address);
    struct sim_task *task = current_of(sim);
    sim_run(sim, task);
    if (!sim->charging || line == NO_LINE)
        return;
    sim_spend(sim, task, sim->ps[AL_MODEL_ACCESS]);
    if (known(sim, line, AL_ACCESS_READ) || absent(sim, line))
        return;
    sim_point(sim);
    uint64_t ps = sim_fetch(sim, line, AL_ACCESS_READ, task->clock);
    if (ps == 0)
        return;
    sim_dirty(sim, task);
    struct core *core = task->core;
    core->pending[line % PENDING].line = line;
    core->pending[line % PENDING].ready = task->clock + ps;
}
