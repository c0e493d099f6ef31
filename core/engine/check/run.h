/* SPDX-License-Identifier: MIT */
#ifndef AL_CHECK_RUN_H
#define AL_CHECK_RUN_H

/*
 * One run of a scenario: its threads do again what the search's graph has, and then what the search
 * chooses (search.h).
 */

#include "core/engine/check/graph.h"
#include "core/engine/check/operation.h"
#include "core/engine/check/plain.h"
#include "core/engine/ops.h"

struct check_search;

struct check_task {
    struct al_task task;
    struct check_operation operation; /* that it is about to do, or has done last */
    struct check_operation last_read; /* that it has done, or is about to */
    bool allowed;                     /* to begin: the fence of who has started it has been done */
    bool begun;
    bool pending;  /* it is about to */
    bool stuck;    /* it has looked in vain, and waits for something new */
    uint16_t n;    /* events that it has done */
    uint16_t look; /* the first event since it last paused or wrote */
    uint16_t vain; /* pauses since it last wrote */
};

struct check_run {
    struct al_engine engine;
    struct check_search *search;
    bool inside; /* the checker's own code runs: what it accesses is no part of the scenario */
};

/* How a run ended. */
enum check_outcome {
    CHECK_COMPLETE, /* all threads have ended */
    CHECK_FAILED,   /* search->failure has the reason */
    CHECK_REFUSED,  /* the same: the scenario is not one that can be checked */
    CHECK_DROPPED,  /* another run covers what this would lead to */
    CHECK_AGAIN,    /* the graph has changed: run it */
};

static inline struct check_run *check_run_of(struct al_engine *engine)
{
    return (struct check_run *)engine;
}

/* Which thread a task is: those that set_up starts come before those of the scenario. The first
 * task sets up, waits for the scenario's threads, and looks. */
static inline unsigned check_thread(const struct al_task *task)
{
    return task->id - 1;
}

/* Thread t's task, from 0; NULL: it has not begun. */
struct check_task *check_task(const struct check_run *run, unsigned t);
/* Let the running task do this, once it has been chosen. Returns the event. */
struct check_event *check_do(struct check_run *run, const struct check_operation *operation);
/* End the run. */
_Noreturn void check_end(struct check_run *run, enum check_outcome outcome);
/* Say what a failure is about, before check_fail. code: where; NULL: where the caller is. */
void check_party(struct check_run *run, unsigned thread, const char *what, const void *code);
/* Say that a failure depends on the first n events of thread t, before check_fail. Without that it
 * depends on what the running thread has done. */
void check_depend(struct check_run *run, unsigned t, unsigned n);
/* End the run with a reason. CHECK_REFUSED: it is the scenario's own mistake. */
__attribute__((format(printf, 3, 4))) _Noreturn void
check_fail(struct check_run *run, enum check_outcome outcome, const char *format, ...);

/* The run that the calling code is in, as one of the scenario's threads; else NULL. */
struct check_run *check_in_thread(void);

/* The checker's own code begins. Returns what it was before, for check_leave. */
static inline bool check_enter(struct check_run *run)
{
    bool was = run->inside;
    run->inside = true;
    return was;
}

static inline void check_leave(struct check_run *run, bool was)
{
    run->inside = was;
}

/* Accesses, for hooks; `code` is where they are. Outside of threads they go to memory. */
uint64_t check_load(const volatile void *at, unsigned bytes, int order, const void *code);
void check_store(volatile void *at, unsigned bytes, uint64_t value, int order, const void *code);
/* Returns the old value. */
uint64_t check_update(volatile void *at, unsigned bytes, enum check_update update, uint64_t operand,
                      uint64_t expected, int order, int failure, const void *code);
void check_fence(enum check_kind kind, const void *code);

/* A plain access, for hooks. `atomic`: volatile. */
void check_report(const void *address, uint64_t bytes, enum al_access_kind kind, bool atomic,
                  const void *code);
/* Thread t, which has done n events, makes an access; the run ends if it must not. */
void check_access(struct check_run *run, unsigned t, unsigned n, const struct check_clock *hb,
                  uint64_t address, uint64_t bytes, enum check_access access, const void *code);

/* As in struct al_engine_ops. */
void *check_allocate(struct al_engine *engine, size_t alignment, size_t bytes, bool *zero);
void check_release(struct al_engine *engine, void *memory);
void check_release_late(struct al_engine *engine, void *memory);
size_t check_size(const struct al_engine *engine, const void *memory);
void check_park(struct al_engine *engine, const void *word, uint32_t expected, uint64_t ns);
void check_unpark(struct al_engine *engine, const void *word, uint32_t count);

#endif
