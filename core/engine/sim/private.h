/* SPDX-License-Identifier: MIT */
#ifndef AL_SIM_PRIVATE_H
#define AL_SIM_PRIVATE_H

/* Shared by core/engine/sim/, and private to it. Times are in picoseconds. */

#include "core/engine/sim/blocks.h"
#include "core/engine/sim/channels.h"
#include "core/engine/sim/heap.h"
#include "core/engine/sim/pace.h"
#include "core/engine/sim/sim.h"
#include "core/engine/sim/tags.h"

#define LINE_SHIFT 6
#define PAGE_SHIFT 12
#define NO_LINE    UINT32_MAX

/* ---- The lines of the simulated memory, numbered by their place in it. */

/*
 * Where copies of a line are. Invariants
 *   (1) owner != 0: core owner - 1 has the only valid copy, which may be modified; sharers is its
 *       bit alone, and l3 is 0
 *   (2) a core has a valid copy if its tags have the line with its current epoch, which changes
 *       when a core takes the line for itself
 *   (3) the bit in sharers of a core with a valid copy is set. Where each core has a bit and an L2
 *       of its own, no other is; else the directory is a coarse one, and bits of cores that have
 *       evicted the line may be left (Gupta, Weber and Mowry 1990: coarse vectors)
 *   (4) the bit in l3 of an L3 that holds the line with its current epoch is set
 */
struct line {
    uint64_t sharers; /* cores with a valid copy: a bit for cores_per_bit of them */
    uint64_t l3;      /* L3s (modulo 64) that hold it */
    uint64_t free_at; /* when the last transfer that queued for it is over */
    uint64_t came;    /* when the last transfer arrived */
    uint64_t wrote;   /* the turn in which it was last written; see struct sim_task */
    uint32_t owner;   /* core + 1, or 0 */
    uint32_t taker;   /* core + 1 that has it at free_at */
    uint32_t writer;  /* PU + 1 that has written it, if no other has read it since; or 0 */
    uint32_t epoch;   /* how often it was taken */
    uint32_t watch;   /* first watch of tasks that wait for a change, or 0 */
    bool passed;      /* from one core to another, at least once */
    bool dirty;       /* memory has not its value */
    bool updating;    /* a locked instruction has taken the line, and has not had its effect yet */
};

/* ---- Cores and PUs. */

#define PENDING 32
/* A core looks so many accesses ahead: fewer than a reorder buffer holds, as it also waits for
 * branches that depend on loads (docs/explanation/simulator.md). */
#define AHEAD 32
/* Of so many addresses that loads have found, the lines behind them. */
#define POINTERS      8 /* two of four_lines */
#define POINTED_LINES 4 /* a power of 2 */
#define STREAMS       8
#define STORES_MOST   1024

struct core {
    struct tags l1;
    const struct al_pu_parts *parts; /* of its first PU */
    uint64_t bit;                    /* in line->sharers */
    uint32_t number;
    uint32_t running; /* tasks that run on its PUs right now, and do not wait */
    uint32_t held;    /* PUs that tasks have, whether they wait or not */
    struct package *package;
    uint32_t next_stream;
    uint32_t streams[STREAMS]; /* last lines of sequences of misses */
    struct {
        uint32_t line;
        uint64_t ready;
    } pending[PENDING];    /* lines on their way, by line modulo PENDING */
    uint64_t misses_end;   /* when the last line comes that is on its way */
    uint64_t next_miss_at; /* when the next miss can begin: so many are under way at once */
    struct bin cache[CLASSES], bins[CLASSES];
    char *slab[CLASSES], *slab_end[CLASSES];
    struct free_block *large[ALL_CLASSES];
};

/* A store on its way to its line. */
struct store {
    uint64_t comes; /* when its line comes */
    uint64_t done;  /* when it leaves the buffer: then, or later, unless its line has gone since */
    uint32_t line;
    uint32_t bytes; /* of an unseen one: no other core sees it before it leaves; else 0 */
    void *address;
    uint64_t other; /* if memory has its value, the one before; else its value */
};

/* A store buffer, in the order of the stores. */
struct stores {
    uint32_t first, n, unseen;
    struct store ring[STORES_MOST]; /* first + i, by store_mask */
};

struct pu {
    const struct al_pu_parts *parts;
    struct sim_task *running;        /* or NULL */
    struct sim_task *waiting, *last; /* tasks that are ready but for the PU, first come first */
    uint64_t since;                  /* when the running one got it */
    uint64_t idle_since;             /* if nothing runs on it: since when */
    uint32_t tasks;                  /* that live here */
    bool reserved;                   /* for a worker */
};

/* ---- Tasks. */

/* A task waits for a change of this line, which its passes read at `offset` from their begin. */
struct watch {
    uint32_t line, next, previous; /* next and previous watch of the line; 0: none */
    uint32_t of, next_of_task;     /* the task's id, and its next watch */
    uint64_t offset;
};

/* Four lines to compare at once. */
typedef uint32_t four_lines __attribute__((vector_size(16)));

#define MEMO 16

/* What most accesses need comes first, and what few need last. */
struct sim_task {
    struct al_task task;
    uint64_t clock;
    struct pu *pu;
    struct core *core; /* the PU's */
    /* its passes through a waiting loop (waiting.c) */
    uint32_t clean; /* clean passes in a row */
    bool dirty;     /* the pass wrote, missed, or did what a repetition would do anew */
    bool suspended;
    bool awaits; /* an update of a line, in sim->awaiting */
    uint32_t n_read, read_capacity;
    uint32_t *read;    /* lines that the pass has read */
    uint64_t *offsets; /* when, from its begin */
    uint64_t pass;     /* when the pass began */
    /* its loads */
    uint64_t accesses;
    uint32_t n_pointers;
    uint64_t loaded;          /* when all of them have their values */
    uint64_t came;            /* likewise those that waited for a line or an address */
    uint64_t locked;          /* when the last locked instruction on an own line ends */
    const void *locked_at;    /* and the word that it changes */
    uint64_t meanwhile;       /* see sim_spend */
    uint64_t meanwhile_until; /* by accesses: from then on, none */
    uint32_t awaited;         /* the line that the last one has waited for, if not loaded since */
    uint64_t loads[AHEAD];    /* when the last ones have, by accesses modulo AHEAD */
    four_lines pointed[2];    /* the lines that pointers point to, the last found first */
    uint64_t pointers[POINTERS]; /* when they were found */
    /* the rest of its passes */
    uint64_t turn;                 /* how many switches there had been when the pass began */
    uint64_t period;               /* how long the last clean pass took */
    uint64_t until;                /* when a suspended task goes on unless something changes */
    uint32_t watches;              /* while suspended: the first; 0: none */
    struct sim_task *next_waiting; /* in its PU's list */
    uint64_t asleep;               /* when it last fell asleep */
    struct stores stores;
};

/* A task that awaits an update of a line (updates.c). */
struct awaiting {
    uint64_t clock; /* when it looks next */
    uint32_t id, line, core;
};

struct sim {
    struct al_engine engine;
    const struct al_machine *machine;
    struct al_machine *jittered; /* the same with other costs, and owned; or NULL */
    const uint64_t *ps;          /* machine->ps */
    bool charging, exact, each_look;
    struct al_random random;
    uint64_t limit;      /* the clock up to which the running task may go on */
    struct heap heap;    /* of the tasks that will go on by themselves */
    uint32_t memo[MEMO]; /* lines that the running task may access at no cost: line << 1, and bit 0
                            if it may write; 0: none */
    struct line *lines;
    struct page *pages;
    char *memory, *memory_end, *memory_next;
    size_t memory_bytes;
    char *locks, *locks_end;
    struct core *cores;
    struct package *packages;
    int32_t full_speed; /* a core on which more tasks run is slower */
    struct traffic traffic;
    struct tags *l2, *l3;
    uint64_t *tags; /* the entries of all tags */
    size_t tag_bytes;
    uint32_t cores_per_bit; /* in line->sharers */
    bool full_map;          /* sharers are those that have a copy, and no others */
    uint32_t *l3_core;      /* for each L3, one of its cores */
    uint32_t *node_package; /* for each node, its package */
    struct pu *pus;
    uint32_t store_mask;  /* of store buffers: a power of two - 1 */
    uint64_t *unseen_at;  /* for each task; see stores.c */
    uint64_t next_unseen; /* the least of them */
    struct watch *watch;
    uint32_t n_watch, watch_capacity, free_watch;
    struct awaiting *awaiting;
    uint32_t n_awaiting, awaiting_capacity;
    struct al_sim_report report;
};

static inline struct sim *sim_of(struct al_engine *engine)
{
    return (struct sim *)engine;
}

static inline struct sim_task *current_of(struct sim *sim)
{
    return (struct sim_task *)sim->engine.current;
}

/* Forget the memo: another task runs. */
static inline void sim_forget(struct sim *sim)
{
    for (uint32_t i = 0; i < MEMO; i++)
        sim->memo[i] = 0;
}

/* cores.c: who runs where and when. */
void sim_ready(struct sim *sim, struct sim_task *task); /* it goes on at its clock */
void sim_earlier(struct sim *sim, struct sim_task *task, uint64_t clock); /* the same, at this */
void sim_wait_until(struct sim *sim, uint64_t clock);    /* the running task sleeps */
void sim_sleep(struct sim *sim, uint64_t clock);         /* likewise, with the state that it has */
void sim_rotate(struct sim *sim);                        /* it lets others have its PU */
void sim_settle(struct sim *sim, struct sim_task *task); /* a new task gets a PU */
struct al_task *sim_choose(struct al_engine *engine);
int sim_place(struct al_engine *engine, unsigned os_index);

/* The running task's clock has passed another's: let that one run. */
static inline void sim_point(struct sim *sim)
{
    if (__builtin_expect(current_of(sim)->clock > sim->limit, 0))
        al_engine_reschedule(&sim->engine);
}

/* How long it takes the core, while as many cores of its package as now run. */
static inline uint64_t sim_paced(const struct sim *sim, const struct core *core, uint64_t ps)
{
    return __builtin_expect(sim->full_speed > 0, 1) ? ps : package_takes(core->package, ps);
}

/*
 * Spend processor time, of which SMT siblings share what there is. What is behind a locked
 * instruction that waits is executed meanwhile, as far ahead as the core looks, but others see
 * nothing of it before its effect. So the clock waits for that, and what follows is free for as
 * long. Invariant: meanwhile <= how long the last one has waited - what has been spent since.
 */
static inline void sim_spend(struct sim *sim, struct sim_task *task, uint64_t ps)
{
    if (__builtin_expect((int32_t)task->core->running > sim->full_speed, 0)) {
        if (task->core->running > 1)
            ps = ps * 100 / sim->ps[AL_MODEL_SMT];
        ps = package_takes(task->core->package, ps);
    }
    if (__builtin_expect(task->meanwhile != 0, 0)) {
        uint64_t done = task->meanwhile < ps ? task->meanwhile : ps;
        task->meanwhile -= done;
        ps -= done;
    }
    task->clock += ps;
}

/* Spend what the instructions since the last look take. */
static inline void sim_run(struct sim *sim, struct sim_task *task)
{
    uint64_t n = al_instructions;
    al_instructions = 0;
    if (sim->charging)
        sim_spend(sim, task, n * sim->ps[AL_MODEL_INSTRUCTION]);
}

/* What the task does would not be the same in another pass: see waiting.c. */
static inline void sim_dirty(struct sim *sim, struct sim_task *task)
{
    (void)sim;
    task->dirty = true;
    if (task->clean != 0) {
        task->clean = 0;
        task->core->running++;
    }
}

/*
 * Transfers and pauses do not all take the same time: by up to a sixteenth more or less, drawn from
 * the run's seed. Without it cores that want one lock in loops of equal length keep step, and the
 * same one finds it held for ever, which no machine does. Source: Alameldeen and Wood, "Variability
 * in architectural simulations of multi-threaded workloads" (2003), who add random times to misses.
 */
static inline uint64_t sim_vary(struct sim *sim, uint64_t ps)
{
    if (sim->exact)
        return ps;
    return ps - ps / 16 + ps * (al_random_next(&sim->random) & 127) / 1024;
}

static inline uint64_t share(uint64_t ps, uint64_t percent)
{
    return ps * percent / 100;
}

/* coherence.c: what it costs a task, which need not run, to have a line, and what that does to
 * others. Returns 0 if it is there as needed. */
uint64_t sim_fetch_for(struct sim *sim, const struct sim_task *task, uint32_t line,
                       enum al_access_kind kind, uint64_t now);
/* The same of the running task. */
static inline uint64_t sim_fetch(struct sim *sim, uint32_t line, enum al_access_kind kind,
                                 uint64_t now)
{
    return sim_fetch_for(sim, current_of(sim), line, kind, now);
}
/* The same of a task that waits for the line, from its clock on, which moves. It costs so many
 * percent of that. */
uint64_t sim_fetch_at(struct sim *sim, uint32_t line, enum al_access_kind kind, uint64_t percent);
/* The locked instruction for which the task has fetched the line takes effect now. */
static inline void sim_updates(struct sim *sim, uint32_t line)
{
    sim->lines[line].updating = false;
}
/* The running task is the first to touch the line's page: the kernel gives it a cleared one, which
 * is then in the core's caches. */
void sim_fault(struct sim *sim, uint32_t line);
/* Whether the task's core has the only copy, in its L1, and nobody has asked for it. */
bool sim_owns(const struct sim *sim, const struct sim_task *task, uint32_t line);
/* Whether a core has a valid copy. */
bool sim_has(const struct sim *sim, uint32_t core, uint32_t line);

/* caches.c */
int sim_caches_new(struct sim *sim);
void sim_caches_free(struct sim *sim);

/* accesses.c */
void sim_access(struct al_engine *engine, const void *address, size_t bytes,
                enum al_access_kind kind, bool atomic);
void sim_touch(struct al_engine *engine, const void *address, size_t bytes, bool writes);
void sim_prefetch(struct al_engine *engine, const void *address);
void sim_finish_loads(struct sim_task *task); /* wait for the values of all loads */

/* stores.c: the running task stores to this line, which comes at this time. address: of an atomic
 * store, of which memory still has the value before; or NULL. */
void sim_store(struct sim *sim, struct sim_task *task, uint32_t line, uint64_t comes, void *address,
               uint32_t bytes);
/* When a line comes that a store of the task waits for; 0: none does. The core has asked for the
 * line, and a further store needs no transfer of its own, even if others have asked since: they get
 * the line after this core has had it. */
uint64_t sim_stores_to(const struct sim *sim, struct sim_task *task, uint32_t line);
void sim_drain(struct sim *sim, struct sim_task *task); /* wait for the store buffer */
/* ... for those of all other tasks, with what they have now */
void sim_drain_others(struct sim *sim, struct sim_task *task);
void sim_stores_hide(struct sim *sim, struct sim_task *task); /* it no longer runs */
void sim_stores_show(struct sim *sim, struct sim_task *task); /* it runs */
void sim_stores_leave(struct sim *sim); /* the next unseen store, while no task's are shown */
/* The running task frees memory: its stores there need not leave. */
void sim_stores_freed(struct sim *sim, struct sim_task *task, const void *memory, size_t bytes);

/* memory.c */
/* Zero memory, of which what is used is there. NULL: there is none. */
void *sim_reserve(size_t bytes);
int sim_memory_new(struct sim *sim);
void sim_memory_free(struct sim *sim);
void *sim_allocate(struct al_engine *engine, size_t alignment, size_t bytes, bool *zero);
void sim_release(struct al_engine *engine, void *memory);
void sim_memory_unused(struct sim *sim, uint32_t core); /* a thread of the core ends */
size_t sim_size(const struct al_engine *engine, const void *memory);
void sim_move(struct al_engine *engine, const void *pages, size_t bytes, unsigned os_index);

static inline struct page *sim_page(const struct sim *sim, uint32_t line)
{
    return &sim->pages[line >> (PAGE_SHIFT - LINE_SHIFT)];
}

static inline uint32_t sim_line(const struct sim *sim, const void *address)
{
    size_t offset = (size_t)((const char *)address - sim->memory);
    return offset < sim->memory_bytes ? (uint32_t)(offset >> LINE_SHIFT) : NO_LINE;
}

/* How long that waits for the memory's channels. */
static inline uint64_t sim_memory_wait(struct sim *sim)
{
    if (__builtin_expect(sim->traffic.channels == NULL, 1) || sim->traffic.node == NO_NODE)
        return 0;
    return sim_channels_take(sim, sim->traffic.node, sim->traffic.at);
}

/* A cache has given up the line: an L3 with this bit in line->l3, or another. */
static inline void sim_left_cache(struct sim *sim, uint32_t line, uint64_t l3)
{
    sim->lines[line].l3 &= ~l3;
    if (__builtin_expect(sim->traffic.channels != NULL, 0))
        sim_channels_left(sim, line);
}

/* Whether another core owns the line. */
static inline bool sim_elsewhere(const struct sim *sim, uint32_t core, uint32_t line)
{
    return sim->lines[line].owner != 0 && sim->lines[line].owner != core + 1;
}

#endif
