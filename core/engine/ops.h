/* SPDX-License-Identifier: MIT */
#ifndef AL_ENGINE_OPS_H
#define AL_ENGINE_OPS_H

/*
 * The plug-in interface of virtual engines, and what engine.c does for all of them: tasks, their
 * coroutines, joining and parking, the event log. An engine is one const struct al_engine_ops. Its
 * struct begins with struct al_engine, and its tasks' with struct al_task.
 */

#include "core/engine/engine.h"
#include "core/random.h"

/* What a task waits for. */
enum al_task_state {
    AL_TASK_READY,  /* nothing */
    AL_TASK_PARKED, /* al_engine_unpark of `word` */
    AL_TASK_JOINS,  /* the end of `other` */
    AL_TASK_OTHER,  /* something that the engine knows: a sleep, a change of what it read */
    AL_TASK_ENDED,
};

struct al_task {
    struct al_coroutine *coroutine;
    void (*function)(void *);
    void *argument;
    struct al_worker *self;
    uint32_t id; /* in the order of their start */
    enum al_task_state state;
    const void *word;      /* of AL_TASK_PARKED */
    struct al_task *other; /* of AL_TASK_JOINS */
    uint64_t parked;       /* the order in which tasks have parked: the first is woken first */
};

struct al_engine {
    const struct al_engine_ops *ops;
    struct al_engine_config config;
    uint64_t hash, steps, parks;
    uint64_t next_look; /* of config.watch: after so many steps */
    struct al_coroutine *host;
    struct al_task **tasks; /* all that were started */
    uint32_t n_tasks;
    struct al_task *current;
    struct al_engine_event *events; /* or NULL */
    uint64_t n_events;
    struct al_engine_result *result;
};

/* The instructions of reporting code since the engine last looked (core/engine/hooks.c). */
extern uint64_t al_instructions;

enum al_access_kind {
    AL_ACCESS_READ,
    AL_ACCESS_WRITE,
    AL_ACCESS_UPDATE, /* a locked instruction: reads, writes, and waits for earlier writes */
};

/* Every operation is called with the engine of the running task. */
struct al_engine_ops {
    const char *name;
    size_t engine_bytes, task_bytes; /* of the engine's own structs */

    /* Optional. Before the first task starts; 0 or a negative errno. After the last one ended. */
    int (*begin)(struct al_engine *engine);
    void (*end)(struct al_engine *engine);

    /* Optional. A task has been made, and is ready. The running task ends. */
    void (*started)(struct al_engine *engine, struct al_task *task);
    void (*ended)(struct al_engine *engine);
    /* Optional. Another task than the running one is about to become ready; its state still says
     * what it waited for. */
    void (*woken)(struct al_engine *engine, struct al_task *task);

    /* Required. The task to run now, among those that are ready; the running one need not be.
     * NULL: none is. */
    struct al_task *(*choose)(struct al_engine *engine);

    /* Required. The running task is about to do this: enum al_sync_op, and the cycles to
     * compute or nanoseconds to sleep. Lets others run first where that is due. */
    void (*operation)(struct al_engine *engine, int operation, uint64_t amount);

    /* Optional. The running task is about to access memory; `atomic` if another may access it at
     * the same time. Needs a build with AL_ACCESSES. */
    void (*access)(struct al_engine *engine, const void *address, size_t bytes,
                   enum al_access_kind kind, bool atomic);
    /* Optional. Bulk data, declared (al_touch), and a hint (al_prefetch). */
    void (*touch)(struct al_engine *engine, const void *address, size_t bytes, bool writes);
    void (*prefetch)(struct al_engine *engine, const void *address);
    /* Optional. Whether to charge for steps (al_charge). Returns what it was. */
    bool (*charge)(struct al_engine *engine, bool charge);

    /* Optional; without it the task pauses or yields. As al_engine_wait_unchanged. */
    uint64_t (*wait_unchanged)(struct al_engine *engine, int operation, uint64_t alike);

    /* Required. The running task blocks on a word; returns when it has been woken, or after about
     * ns nanoseconds. Its state is AL_TASK_PARKED. */
    void (*park)(struct al_engine *engine, uint64_t ns);
    /* Optional, both or none. All of al_park_for and of al_unpark, where a word has more than one
     * value: the engine keeps the queues of tasks. */
    void (*park_if)(struct al_engine *engine, const void *word, uint32_t expected, uint64_t ns);
    void (*unpark)(struct al_engine *engine, const void *word, uint32_t count);

    /* Optional. What a task does that is ready or AL_TASK_OTHER, as "is asleep"; NULL: nothing
     * special. */
    const char *(*doing)(const struct al_engine *engine, const struct al_task *task);

    /* Required. The running task's clock, and its counter of cycles. */
    uint64_t (*clock)(const struct al_engine *engine);
    uint64_t (*cycles)(struct al_engine *engine);

    /* Optional. As al_engine_place and al_engine_move. */
    int (*place)(struct al_engine *engine, unsigned pu);
    void (*move)(struct al_engine *engine, const void *pages, size_t bytes, unsigned pu);

    /* Optional; without them the C library's. Memory is zero if *zero is set on return. `owns`: was
     * it allocated here? */
    void *(*allocate)(struct al_engine *engine, size_t alignment, size_t bytes, bool *zero);
    void (*release)(struct al_engine *engine, void *memory);
    size_t (*size)(const struct al_engine *engine, const void *memory); /* 0: not allocated here */
    void (*release_late)(struct al_engine *engine, void *memory);       /* free_deferred */
};

extern const struct al_engine_ops al_engine_random, al_engine_sim, al_engine_check;

/* The engine of the calling thread's run, or NULL. */
extern _Thread_local struct al_engine *al_engine __attribute__((tls_model("local-exec")));

/* Let the engine choose a task, and switch to it. Returns when the caller is chosen again. Ends the
 * run if no task is ready. */
void al_engine_reschedule(struct al_engine *engine);

/* Count a step of the running task and log it: for engines, in `operation` and `access`. */
static inline void al_engine_mix(struct al_engine *engine, uint64_t value)
{
    uint64_t hash = (engine->hash ^ value) * 0x9e3779b97f4a7c15u;
    engine->hash = hash ^ hash >> 32;
}

/* What a task does, as "is parked". */
const char *al_task_doing(const struct al_engine *engine, const struct al_task *task);

/* End the run. The text is printf's. */
__attribute__((format(printf, 3, 4))) _Noreturn void
al_engine_stop(struct al_engine *engine, enum al_engine_end end, const char *format, ...);

#endif
