/* SPDX-License-Identifier: MIT */

/*
 * What an access costs the running task. A load has its value when its line has come, and the core
 * goes on meanwhile, but only AHEAD accesses. A store goes to the store buffer, which is emptied in
 * order, and makes the task wait only when it is full; a locked instruction and a fence wait until
 * it is empty. A miss that follows the one on the line before it is part of a sequence, which the
 * hardware has fetched ahead.
 */

#include "core/engine/sim/pointers.h"
#include "core/engine/sim/private.h"
#include "core/engine/sim/waiting.h"

/* The sequence of misses that this line is the next of; STREAMS: none. */
static uint32_t sequence_of(const struct core *core, uint32_t line)
{
    uint32_t alike = 0;
    for (uint32_t i = 0; i < STREAMS; i++) /* all are compared at once */
        alike |= (uint32_t)(core->streams[i] == line - 1) << i;
    return alike != 0 ? (uint32_t)__builtin_ctz(alike) : STREAMS;
}

/* A line has missed, which may be the next of a sequence. */
static void note_miss(struct sim *sim, struct sim_task *task, uint32_t line)
{
    struct core *core = task->core;
    uint32_t sequence = sequence_of(core, line);
    sim_dirty(sim, task);
    core->streams[sequence < STREAMS ? sequence : core->next_stream++ % STREAMS] = line;
}

/* What a miss costs, in percent of one alone: the hardware has fetched a sequence ahead. */
static uint64_t miss_percent(const struct sim *sim, const struct core *core, uint32_t line)
{
    return sequence_of(core, line) < STREAMS ? sim->ps[AL_MODEL_STREAM] : 100;
}

/* A load has its value a while after its line has come and its address is known, and the core goes
 * on meanwhile. If the value is an address, remember that. */
static void finish_load(const struct sim *sim, struct sim_task *task, uint64_t known,
                        const void *address, size_t bytes)
{
    uint64_t ready = (known > task->clock ? known : task->clock) +
                     sim_paced(sim, task->core, sim->ps[AL_MODEL_L1_HIT]);
    task->loads[task->accesses % AHEAD] = ready;
    task->loaded = ready > task->loaded ? ready : task->loaded;
    task->came = known > task->clock && ready > task->came ? ready : task->came;
    note_pointer(sim, task, address, bytes, ready);
}

void sim_finish_loads(struct sim_task *task)
{
    task->clock = task->loaded > task->clock ? task->loaded : task->clock;
}

/* A line is on its way to the core. */
static void expect(struct core *core, uint32_t line, uint64_t ready)
{
    core->pending[line % PENDING].line = line;
    core->pending[line % PENDING].ready = ready;
}

/* When a line that is on its way comes; 0: it is there. */
static uint64_t expected(struct core *core, uint32_t line, uint64_t now)
{
    typeof(core->pending[0]) *pending = &core->pending[line % PENDING];
    if (pending->line != line)
        return 0;
    if (pending->ready <= now)
        pending->line = NO_LINE;
    return pending->ready;
}

/* Ask the line's owner for it, as an atomic load does: it sees what the owner does until the
 * request comes there, and waits for that; less if other misses are under way, beside which it was
 * sent early. Returns when the line comes; 0: it has come meanwhile. */
static uint64_t ask_owner(struct sim *sim, struct sim_task *task, uint32_t line, uint64_t percent,
                          uint64_t address_at)
{
    struct core *core = task->core;
    uint64_t from = address_at > core->next_miss_at ? address_at : core->next_miss_at;
    if (from > task->clock) {
        task->clock = from; /* before, there is no request */
        sim_point(sim);
    }
    from = task->clock;
    bool beside = percent == 100 && core->misses_end > from;
    percent = beside ? sim->ps[AL_MODEL_OVERLAP] : percent;
    uint64_t ps = sim_fetch_at(sim, line, AL_ACCESS_READ, percent);
    if (ps == 0)
        return 0;
    uint64_t all = task->clock - from + ps;
    core->next_miss_at = from + (percent == 100 ? all * sim->ps[AL_MODEL_OVERLAP] / 100 : all);
    return (beside ? core->misses_end : from) + all;
}

/*
 * Load a line, whose address is known at this time. Returns when it comes; 0: it is in the own L1.
 * A miss begins when there is room for it among those under way. Plain loads take the line at once.
 */
static uint64_t load_line(struct sim *sim, struct sim_task *task, uint32_t line, bool atomic,
                          uint64_t address_at)
{
    struct core *core = task->core;
    uint64_t comes = 0;
    if (atomic && !asks_early(task) && sim_elsewhere(sim, core->number, line)) {
        comes = ask_owner(sim, task, line, miss_percent(sim, core, line), address_at);
    } else {
        uint64_t at = asked_at(task);
        at = address_at > at ? address_at : at;
        at = core->next_miss_at > at ? core->next_miss_at : at;
        uint64_t now = at > task->clock ? at : task->clock; /* others have gone on until then */
        uint64_t ps = sim_fetch(sim, line, AL_ACCESS_READ, now);
        uint64_t percent = ps != 0 ? miss_percent(sim, core, line) : 100;
        ps = ps * percent / 100;
        comes = ps != 0 ? at + ps : 0;
        if (ps != 0)
            core->next_miss_at = at + (percent < 100 ? ps : ps * sim->ps[AL_MODEL_OVERLAP] / 100);
    }
    if (comes == 0)
        return expected(core, line, task->clock);
    note_miss(sim, task, line);
    core->misses_end = comes > core->misses_end ? comes : core->misses_end;
    expect(core, line, comes);
    return comes;
}

/* Take a line for a store. Returns how long it takes. */
static uint64_t take_line(struct sim *sim, struct sim_task *task, uint32_t line,
                          enum al_access_kind kind)
{
    uint64_t ps = sim_fetch(sim, line, kind, task->clock);
    if (ps == 0)
        return 0;
    uint64_t percent = miss_percent(sim, task->core, line); /* of before this miss */
    note_miss(sim, task, line);
    return ps * percent / 100;
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

/* A plain load or store, or an atomic one at this address, of one line. Returns when a load's line
 * comes; 0: it is there. */
static uint64_t access_line(struct sim *sim, struct sim_task *task, uint32_t line,
                            enum al_access_kind kind, uint64_t address_at, void *atomic,
                            size_t bytes)
{
    if (kind != AL_ACCESS_READ)
        sim_dirty(sim, task);
    else if (task->clean != 0)
        sim_note_read(sim, task, line);
    if (known(sim, line, kind)) {
        if (kind == AL_ACCESS_WRITE && (task->stores.n != 0 || task->came > task->clock)) {
            uint64_t comes = sim_stores_to(sim, task, line); /* it may be on its way yet */
            sim_store(sim, task, line, comes != 0 ? comes : task->clock, atomic, (uint32_t)bytes);
        }
        return 0;
    }
    uint64_t comes = kind == AL_ACCESS_WRITE ? sim_stores_to(sim, task, line) : 0;
    if (comes != 0) {
        sim_written(sim, line, task->clock);
        sim_store(sim, task, line, comes, atomic, (uint32_t)bytes);
        return 0;
    }
    if (absent(sim, line))
        sim_fault(sim, line);
    comes = 0;
    if (kind == AL_ACCESS_READ)
        comes = load_line(sim, task, line, atomic != NULL, address_at);
    else
        sim_store(sim, task, line, asked_at(task) + take_line(sim, task, line, kind), atomic,
                  (uint32_t)bytes);
    /* A write to a watched line must be seen by those that watch it, and the first write of a turn
     * by those that have read the line and may wait for a change. */
    bool writable = kind != AL_ACCESS_READ && sim->lines[line].owner == task->core->number + 1 &&
                    sim->lines[line].watch == 0;
    sim->memo[line % MEMO] = comes > task->clock ? 0 : line << 1 | writable;
    return comes;
}

/*
 * A locked instruction has waited for so long, and the core has gone on meanwhile, for the same
 * share of that time as while it executes one on its own line: what locked.amid leaves of locked.
 * Sources: Smaus et al., "Speculative retirement of post-lock instructions" (AMD, US 10095637,
 * 2018); Intel's cores hold loads and stores back (SDM, vol. 3, 9.2.3), as locked.amid says.
 */
static void go_on_meanwhile(const struct sim *sim, struct sim_task *task, uint32_t line,
                            uint64_t waited)
{
    uint64_t alone = sim->ps[AL_MODEL_LOCKED], amid = sim->ps[AL_MODEL_LOCKED_AMID];
    task->meanwhile = alone > amid ? waited * (alone - amid) / alone : 0;
    task->meanwhile_until = task->accesses + AHEAD;
    task->awaited = line;
}

/*
 * A locked instruction waits for the one before it, for all loads, and until the store buffer is
 * empty. If the core owns the line, what is around it goes on meanwhile, but for what locked.amid
 * says. Otherwise it takes effect when the line has come: if it did when it was asked for, a lock
 * would look held for as long as a transfer takes, and whoever is far away would never get it. What
 * is behind it goes on as well, unless others want the line: then a core does not speculate (Smaus
 * et al., "Lock address contention predictor", AMD, US 11868818, 2024).
 */
static void locked(struct sim *sim, struct sim_task *task, uint32_t line, const void *address,
                   size_t bytes)
{
    uint64_t took = sim->ps[AL_MODEL_LOCKED], began = task->clock;
    sim_drain(sim, task);
    task->clock = task->locked > task->clock ? task->locked : task->clock;
    sim_point(sim);
    sim_dirty(sim, task);
    if (line == NO_LINE || sim_owns(sim, task, line)) {
        took = sim_paced(sim, task->core, took);
        if (line != NO_LINE)
            took += sim_fetch(sim, line, AL_ACCESS_UPDATE, task->clock);
        task->locked_at = address;
        task->locked = (task->loaded > task->clock ? task->loaded : task->clock) + took;
        task->loads[task->accesses % AHEAD] = task->loaded = task->locked;
        note_pointer(sim, task, address, bytes, task->locked);
        sim_spend(sim, task, sim->ps[AL_MODEL_LOCKED_AMID]);
        return;
    }
    task->meanwhile = 0;
    sim_finish_loads(task);
    sim_point(sim);
    sim_spend(sim, task, took);
    if (absent(sim, line))
        sim_fault(sim, line);
    sim_point(sim); /* the line may have gone to another core meanwhile */
    bool at_rest = sim->lines[line].free_at <= task->clock;
    task->clock += sim_fetch_at(sim, line, AL_ACCESS_UPDATE, 100);
    sim_point(sim);
    sim_updates(sim, line);
    if (at_rest)
        go_on_meanwhile(sim, task, line, task->clock - began);
    note_pointer(sim, task, address, bytes, task->clock);
}

/*
 * A load of the word that the last locked instruction changes waits for that, and has its value
 * then: a store buffer does not forward it. (On an EPYC of Zen 4, a load and a compare-and-swap of
 * one word take as long as an addition to it.) A store in between forwards its own value.
 */
static bool await_locked(struct sim_task *task, const void *address, enum al_access_kind kind)
{
    if (address != task->locked_at)
        return false;
    if (kind != AL_ACCESS_READ)
        task->locked_at = NULL;
    if (kind != AL_ACCESS_READ || task->locked <= task->clock)
        return false;
    task->clock = task->locked;
    return true;
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
    if (task->meanwhile != 0 && task->accesses >= task->meanwhile_until)
        task->meanwhile = 0;
    bool behind_locked = await_locked(task, address, kind);
    uint32_t line = sim_line(sim, address);
    if (kind == AL_ACCESS_UPDATE) {
        locked(sim, task, line, address, bytes);
        return;
    }
    if (kind == AL_ACCESS_READ && line == task->awaited)
        task->awaited = NO_LINE;
    if (line == NO_LINE) {
        sim_spend(sim, task, sim->ps[AL_MODEL_ACCESS]);
        if (kind != AL_ACCESS_READ || is_static(address))
            sim_dirty(sim, task);
        return;
    }
    uint64_t ready = kind == AL_ACCESS_READ ? address_known(task, line) : 0, comes = 0;
    if (atomic || !known(sim, line, kind))
        sim_point(sim);
    uint32_t first = line, last = sim_line(sim, (const char *)address + bytes - 1);
    for (;; line++) {
        sim_spend(sim, task, sim->ps[AL_MODEL_ACCESS]);
        uint64_t at = access_line(sim, task, line, kind, ready,
                                  atomic ? (void *)(uintptr_t)address : NULL, bytes);
        comes = at > comes ? at : comes;
        if (line >= last || last == NO_LINE)
            break;
    }
    if (kind != AL_ACCESS_READ)
        return;
    if (line != first) /* many loads, more than a core looks ahead */
        task->clock = comes > task->clock ? comes : task->clock;
    if (atomic && comes != 0) /* it sees what others have done until now */
        sim_point(sim);
    if (!behind_locked)
        finish_load(sim, task, comes > ready ? comes : ready, address, bytes);
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
    expect(task->core, line, task->clock + ps);
}
