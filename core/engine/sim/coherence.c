/* SPDX-License-Identifier: MIT */

/*
 * Caches and coherence: what it costs a core to have a line, and what that does to the others.
 *
 * A core reads a line from its L1; its L2; another core that has the only copy; its L3; the nearest
 * core or L3 that has a copy; memory, in this order. It writes a line once all other copies are
 * gone, which takes as long as the farthest of them. Transfers of one line queue in the order of
 * their arrival: a write keeps the line busy for as long as it takes, a read for a moment.
 */

#include "core/engine/sim/private.h"
#include "core/engine/sim/waiting.h"

/* What tags hold of a line with its current contents. */
static inline uint64_t entry_of(const struct sim *sim, uint32_t line)
{
    return (uint64_t)sim->lines[line].epoch << 32 | line;
}

/* Whether the line is there; it is then the last used of its set. */
static inline bool find(const struct sim *sim, const struct tags *tags, uint32_t line)
{
    return tags_find(tags, entry_of(sim, line));
}

/* Put a line in that is not there. Returns the line that had to go, or NO_LINE. */
static inline uint32_t put_in(const struct sim *sim, const struct tags *tags, uint32_t line)
{
    uint64_t victim = tags_put_in(tags, entry_of(sim, line));
    return victim != NO_ENTRY && victim == entry_of(sim, (uint32_t)victim) ? (uint32_t)victim
                                                                           : NO_LINE;
}

/* An L3's bit in line->l3. */
static uint64_t bit(uint32_t i)
{
    return (uint64_t)1 << i % 64;
}

/* A core's bit in line->sharers. */
static uint64_t core_bit(const struct sim *sim, uint32_t core)
{
    return sim->cores[core].bit;
}

static const struct al_pu_parts *parts_of(const struct sim *sim, uint32_t core)
{
    return sim->cores[core].parts;
}

/* The line is in this L3 from now on. */
static void into_l3(struct sim *sim, uint32_t l3, uint32_t line)
{
    if (sim->machine->l3.sets == 0 || find(sim, &sim->l3[l3], line))
        return;
    sim->lines[line].l3 |= bit(l3);
    uint32_t victim = put_in(sim, &sim->l3[l3], line);
    if (victim != NO_LINE)
        sim_left_cache(sim, victim, bit(l3));
}

bool sim_has(const struct sim *sim, uint32_t core, uint32_t line)
{
    const struct line *state = &sim->lines[line];
    if ((state->sharers & core_bit(sim, core)) == 0)
        return false;
    return sim->full_map || state->owner == core + 1 || find(sim, &sim->cores[core].l1, line) ||
           find(sim, &sim->l2[parts_of(sim, core)->l2], line);
}

/* A core's L2 gives up a line, and its L1 with it: it goes to the L3. */
static void evict(struct sim *sim, uint32_t core, uint32_t line)
{
    struct line *state = &sim->lines[line];
    tags_remove(&sim->cores[core].l1, entry_of(sim, line));
    bool owned = state->owner == core + 1;
    if (sim->full_map || owned)
        state->sharers &= ~core_bit(sim, core);
    state->owner = owned ? 0 : state->owner;
    into_l3(sim, parts_of(sim, core)->l3, line);
    sim_left_cache(sim, line, 0);
}

static void into_caches(struct sim *sim, uint32_t core, uint32_t line)
{
    const struct tags *l2 = &sim->l2[parts_of(sim, core)->l2];
    if (!find(sim, &sim->cores[core].l1, line))
        put_in(sim, &sim->cores[core].l1, line);
    if (find(sim, l2, line))
        return;
    uint32_t victim = put_in(sim, l2, line);
    if (victim != NO_LINE)
        evict(sim, core, victim);
}

static uint64_t handoff(const struct sim *sim, uint32_t to, uint32_t from, uint32_t home)
{
    const struct al_machine *machine = sim->machine;
    uint64_t ps = machine->handoff[(size_t)to * machine->n_cores + from];
    const struct al_pu_parts *taker = parts_of(sim, to);
    if (home != UINT32_MAX && taker->l3 != parts_of(sim, from)->l3) {
        /* The line's home answers, which may be far from both. */
        if (sim->node_package[home] != taker->package &&
            parts_of(sim, from)->package == taker->package)
            ps += sim->ps[AL_MODEL_HANDOFF_AWAY];
    }
    return ps;
}

/* The node that the line's memory is on; UINT32_MAX: nobody has touched its page. */
static uint32_t home_of(const struct sim *sim, uint32_t line)
{
    return (uint32_t)sim_page(sim, line)->home - 1;
}

static uint64_t from_memory(struct sim *sim, uint32_t core, uint32_t line)
{
    struct page *page = sim_page(sim, line);
    uint32_t node = parts_of(sim, core)->node;
    if (page->home == 0)
        page->home = (uint8_t)(node + 1);
    sim->traffic.node = page->home - 1u;
    return sim->machine->memory[(size_t)node * sim->machine->n_nodes + page->home - 1];
}

/*
 * The hand-offs from the nearest and the farthest core that has a copy; false: there is none. Of
 * cores that share a bit, the first but for the asking one stands for all.
 */
static bool sharers_of(const struct sim *sim, uint32_t core, uint32_t line, uint64_t *nearest,
                       uint64_t *farthest)
{
    const struct line *state = &sim->lines[line];
    uint32_t home = home_of(sim, line);
    bool alone = sim->cores_per_bit == 1;
    *nearest = NEVER;
    *farthest = 0;
    for (uint64_t bits = state->sharers; bits != 0; bits &= bits - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(bits) * sim->cores_per_bit;
        if (i == core && (alone || ++i == sim->machine->n_cores))
            continue;
        if (alone && !sim_has(sim, i, line))
            continue;
        uint64_t ps = handoff(sim, core, i, home);
        *nearest = ps < *nearest ? ps : *nearest;
        *farthest = ps > *farthest ? ps : *farthest;
    }
    return *nearest != NEVER;
}

/* Likewise for the L3s that hold it, but for the core's own, by one core of each. */
static bool l3s_of(const struct sim *sim, uint32_t core, uint32_t line, uint64_t *nearest,
                   uint64_t *farthest)
{
    uint32_t home = home_of(sim, line), own = parts_of(sim, core)->l3;
    *nearest = NEVER;
    *farthest = 0;
    for (uint64_t bits = sim->lines[line].l3; bits != 0; bits &= bits - 1) {
        for (uint32_t i = (uint32_t)__builtin_ctzll(bits); i < sim->machine->n_l3; i += 64) {
            if (i == own || (sim->machine->n_l3 > 64 && !find(sim, &sim->l3[i], line)))
                continue;
            uint64_t ps = handoff(sim, core, sim->l3_core[i], home);
            *nearest = ps < *nearest ? ps : *nearest;
            *farthest = ps > *farthest ? ps : *farthest;
        }
    }
    return *nearest != NEVER;
}

/* Whether a core that shares this core's L2 has a copy there. */
static bool in_shared_l2(const struct sim *sim, uint32_t core, uint32_t line)
{
    return sim->machine->n_l2 != sim->machine->n_cores &&
           find(sim, &sim->l2[parts_of(sim, core)->l2], line);
}

static void pass_over(struct sim *sim, struct line *state)
{
    sim->report.transfers++;
    state->passed = true;
}

/* Read a line that the core does not have. */
static uint64_t read_line(struct sim *sim, uint32_t core, uint32_t line)
{
    struct line *state = &sim->lines[line];
    uint32_t l3 = parts_of(sim, core)->l3;
    uint64_t ps, farthest;
    if (state->owner != 0) {
        ps = share(handoff(sim, core, state->owner - 1, home_of(sim, line)),
                   sim->ps[AL_MODEL_READ]);
        state->owner = 0;
        pass_over(sim, state);
    } else if (in_shared_l2(sim, core, line)) {
        ps = sim_paced(sim, &sim->cores[core], sim->ps[AL_MODEL_L2_HIT]);
    } else if ((state->l3 & bit(l3)) != 0 && find(sim, &sim->l3[l3], line)) {
        ps = sim->ps[AL_MODEL_L3_HIT];
    } else if (sharers_of(sim, core, line, &ps, &farthest) ||
               l3s_of(sim, core, line, &ps, &farthest)) {
        ps = share(ps, sim->ps[AL_MODEL_READ]);
        uint64_t least = sim->ps[AL_MODEL_L3_HIT];
        ps = ps > least ? ps : least;
        pass_over(sim, state);
    } else {
        ps = from_memory(sim, core, line);
        state->sharers = core_bit(sim, core); /* others had it once, and evicted it */
        state->owner = core + 1;
        return ps;
    }
    state->sharers |= core_bit(sim, core);
    into_l3(sim, l3, line);
    return ps;
}

/* Take a line for writing that the core does not own. */
static uint64_t take_line(struct sim *sim, uint32_t core, uint32_t line)
{
    struct line *state = &sim->lines[line];
    uint32_t l3 = parts_of(sim, core)->l3;
    bool had = sim_has(sim, core, line);
    uint64_t ps = 0, nearest, farthest;
    if (state->owner != 0) {
        ps = handoff(sim, core, state->owner - 1, home_of(sim, line));
        pass_over(sim, state);
    } else {
        bool shared = sharers_of(sim, core, line, &nearest, &farthest);
        if (shared) {
            ps = share(farthest, sim->ps[AL_MODEL_INVALIDATE]);
            pass_over(sim, state);
        }
        bool elsewhere = l3s_of(sim, core, line, &nearest, &farthest);
        uint64_t other = elsewhere ? share(farthest, sim->ps[AL_MODEL_INVALIDATE]) : 0;
        ps = other > ps ? other : ps;
        bool here = (state->l3 & bit(l3)) != 0 && find(sim, &sim->l3[l3], line);
        uint64_t fetch = had ? 0 : here ? sim->ps[AL_MODEL_L3_HIT] : 0;
        ps = fetch > ps ? fetch : ps;
        if (!had && !here && !shared && !elsewhere)
            ps = from_memory(sim, core, line);
        else if (ps == 0)
            ps = sim->ps[AL_MODEL_L3_HIT] / 2; /* nobody else has it, but the L3 must be asked */
    }
    if (state->l3 != 0 || (state->sharers & ~core_bit(sim, core)) != 0 || !sim->full_map) {
        tags_remove(&sim->cores[core].l1, entry_of(sim, line));
        tags_remove(&sim->l2[parts_of(sim, core)->l2], entry_of(sim, line));
        state->epoch++; /* all other copies are of the past */
    }
    state->l3 = 0;
    state->sharers = core_bit(sim, core);
    state->owner = core + 1;
    return ps;
}

void sim_fault(struct sim *sim, uint32_t line)
{
    const uint32_t lines = 1 << (PAGE_SHIFT - LINE_SHIFT);
    struct sim_task *task = current_of(sim);
    uint32_t core = task->pu->parts->core, first = line & ~(lines - 1);
    sim_page(sim, line)->there = true;
    sim_dirty(sim, task);
    sim_spend(sim, task, sim->ps[AL_MODEL_PAGE_FAULT]);
    sim->report.page_faults++;
    traffic_ask(&sim->traffic, task->clock);
    for (line = first; line < first + lines; line++) {
        if (sim->lines[line].owner != core + 1)
            (void)take_line(sim, core, line); /* clearing a page does not read it */
        sim->lines[line].dirty = true;
        into_caches(sim, core, line);
    }
}

/* An access to a line in the core's L1: free, unless the core's other PU has written it since. */
static uint64_t between_siblings(struct sim *sim, const struct sim_task *task, struct line *state,
                                 enum al_access_kind kind)
{
    uint64_t ps = 0;
    if (kind == AL_ACCESS_READ && state->writer == 0)
        return 0;
    uint32_t pu = (uint32_t)(task->pu - sim->pus) + 1;
    if (state->writer != 0 && state->writer != pu &&
        sim->pus[state->writer - 1].parts->core == sim->pus[pu - 1].parts->core) {
        ps = kind == AL_ACCESS_READ ? share(sim->ps[AL_MODEL_HANDOFF_CORE], sim->ps[AL_MODEL_READ])
                                    : sim->ps[AL_MODEL_HANDOFF_CORE];
        state->writer = 0;
    }
    if (kind != AL_ACCESS_READ)
        state->writer = pu;
    return ps;
}

/* Reserve the line from `now` on for as long as a transfer keeps it busy; `taker` has it then.
 * Returns how long it waits for those that came before. A core that runs behind the others' clocks
 * may come after one that arrived later: it does not wait for that one. */
static uint64_t queue_up(struct sim *sim, struct line *state, uint64_t now, uint64_t busy,
                         uint32_t taker)
{
    uint64_t wait = state->free_at > now && now >= state->came ? state->free_at - now : 0;
    uint64_t end = now + wait + busy;
    state->came = now;
    state->free_at = end > state->free_at ? end : state->free_at;
    state->taker = taker + 1;
    sim->report.queued_ps += wait;
    return wait;
}

bool sim_owns(const struct sim *sim, const struct sim_task *task, uint32_t line)
{
    const struct line *state = &sim->lines[line];
    return state->owner == task->core->number + 1 && state->free_at <= task->clock &&
           find(sim, &task->core->l1, line);
}

/*
 * A core goes on with a line that it owns until another's request has reached it: whoever has just
 * got a lock can give it back and take it again meanwhile. A request for a line at rest takes half
 * of a hand-off to reach its owner. One that comes behind others waits at the line's home and
 * follows it to whoever gets it next, who keeps it for `line.kept` of a hand-off, and at least for
 * the access that it wanted it for. Let the task wait until then. Returns whether another core owns
 * the line, and, in `over`, how much of the transfer is over.
 */
static bool reach_owner(struct sim *sim, uint32_t line, enum al_access_kind kind, uint64_t percent,
                        uint64_t *over)
{
    struct sim_task *task = current_of(sim);
    uint32_t core = task->core->number;
    struct line *state = &sim->lines[line];
    *over = 0;
    if (!sim_elsewhere(sim, core, line))
        return false;
    bool behind = state->free_at > task->clock, reads = kind == AL_ACCESS_READ;
    uint32_t from = (behind ? state->taker : state->owner) - 1;
    uint64_t ps = from != core ? handoff(sim, core, from, home_of(sim, line)) : 0;
    uint64_t whole = share(reads ? share(ps, sim->ps[AL_MODEL_READ]) : ps, percent);
    *over = behind ? share(whole, sim->ps[AL_MODEL_LINE_KEPT]) : whole / 2;
    task->clock += *over + queue_up(sim, state, task->clock,
                                    reads ? sim->ps[AL_MODEL_LINE_BUSY] : ps, reads ? from : core);
    sim_point(sim);
    return true;
}

/* `reserved`: the line's queue has a place for it already. */
static uint64_t fetch(struct sim *sim, const struct sim_task *task, uint32_t line,
                      enum al_access_kind kind, uint64_t now, bool reserved)
{
    uint32_t core = task->core->number;
    struct line *state = &sim->lines[line];
    if (kind != AL_ACCESS_READ)
        sim_written(sim, line, now);
    bool valid = (state->sharers & core_bit(sim, core)) != 0;
    if (valid && (kind == AL_ACCESS_READ || state->owner == core + 1)) {
        if (find(sim, &sim->cores[core].l1, line))
            return between_siblings(sim, task, state, kind);
        if (find(sim, &sim->l2[parts_of(sim, core)->l2], line)) {
            put_in(sim, &sim->cores[core].l1, line);
            return sim_paced(sim, task->core, sim->ps[AL_MODEL_L2_HIT]);
        }
    }
    sim->report.misses++;
    traffic_ask(&sim->traffic, now);
    uint64_t ps = kind == AL_ACCESS_READ ? read_line(sim, core, line) : take_line(sim, core, line);
    ps = sim_vary(sim, ps) + sim_memory_wait(sim);
    into_caches(sim, core, line);
    state->writer = kind == AL_ACCESS_READ ? 0 : (uint32_t)(task->pu - sim->pus) + 1;
    al_engine_mix(&sim->engine, (uint64_t)line << 24 ^ (uint64_t)core << 2 ^ kind ^ now << 32);
    if (reserved)
        return ps;
    uint64_t busy = kind == AL_ACCESS_READ ? sim->ps[AL_MODEL_LINE_BUSY] : ps;
    return queue_up(sim, state, now, busy, core) + ps;
}

uint64_t sim_fetch_at(struct sim *sim, uint32_t line, enum al_access_kind kind, uint64_t percent)
{
    uint64_t over;
    bool reserved = reach_owner(sim, line, kind, percent, &over);
    sim_await_update(sim, line);
    sim->lines[line].updating |= kind == AL_ACCESS_UPDATE;
    uint64_t ps = share(fetch(sim, current_of(sim), line, kind, current_of(sim)->clock, reserved),
                        percent);
    return ps > over ? ps - over : 0;
}

uint64_t sim_fetch_for(struct sim *sim, const struct sim_task *task, uint32_t line,
                       enum al_access_kind kind, uint64_t now)
{
    return fetch(sim, task, line, kind, now, false);
}
