/* SPDX-License-Identifier: MIT */
#include "core/system.h"

#include <errno.h>
#include <string.h>

#include "core/cancel.h"
#include "core/counted.h"
#include "core/machine/locality.h"
#include "core/machine/topology.h"
#include "core/memory/lines.h"
#include "core/memory/object.h"
#include "core/observe/histogram.h"
#include "core/observe/trace.h"
#include "core/report.h"
#include "core/stall.h"
#include "core/system_private.h"
#include "core/termination.h"
#include "core/watermark.h"

/* Thread and memory go to the worker's PU and its node; the report says whether that worked. */
static void bind_worker(struct al_worker *self)
{
    const struct al_topology *topology = al_system_of(self->system)->topology;
    self->bound = al_topology_bind(topology, (unsigned)self->pu);
    self->node = al_topology_move_memory(topology, self, sizeof *self, (unsigned)self->pu);
}

static void run(struct al_worker *self)
{
    if (self->trace != NULL)
        al_trace_begin(self);
    self->system->ops->run(self);
    if (self->trace != NULL)
        al_trace_end(self);
    if (al_cancelled(al_system_of(self->system))) /* its last behaviour may have set a timer */
        al_cancel_sends(self);
}

static void worker_main(void *argument)
{
    struct al_worker *self = argument;
    struct al_system *system = al_system_of(self->system);
    al_self_set(self);
    al_sleep_precisely(); /* for timers and naps; and behaviours that sleep do so alike */
    if (self->pu >= 0)
        bind_worker(self);
    if (system->latencies)
        self->latencies = al_histogram_new();
    int code = system->shown.ops->worker_init != NULL ? system->shown.ops->worker_init(self) : 0;
    if (code == 0 && system->trace_events != 0) {
        self->trace = al_trace_new(system->trace_events);
        code = self->trace != NULL ? 0 : -ENOMEM;
    }
    if (system->hooks != NULL)
        system->hooks->started(system->hooks_argument, self->id);
    uint32_t none = 0;
    if (code != 0) /* the first to fail is reported; relaxed: published by the count below */
        al_u32_cas_relaxed(&system->failed, &none, (uint32_t)-code);
    else if (system->hooks != NULL) /* before the count, after which the timed part may begin */
        system->hooks->begins(system->hooks_argument, self->id);
    /* acq_rel: each worker publishes what its worker_init made, and sees that of the others below
     */
    al_u32_add_acq_rel(&system->ready, 1);
    while (al_u32_load_acquire(&system->ready) < system->shown.n_workers)
        al_yield_unchanged(AL_ALWAYS);
    if (al_u32_load_relaxed(&system->failed) == 0)
        run(self);
    if (system->hooks != NULL)
        system->hooks->ended(system->hooks_argument, self->id);
    if (self->bound >= 0) /* was it there to the end? */
        self->bound = al_topology_seen(system->topology, (unsigned)self->pu);
    al_self_set(NULL);
}

/* Start the threads and wait until each has initialised itself. On failure none is left. */
static int start_workers(struct al_system *system, struct al_error *error)
{
    uint32_t started = 0;
    int code = 0;
    while (started < system->shown.n_workers && code == 0) {
        struct al_worker *worker = &system->shown.workers[started];
        code = al_thread_start(&worker->thread, worker_main, worker);
        if (code == 0)
            started++;
    }
    if (code != 0) {
        al_u32_store_relaxed(&system->failed, (uint32_t)-code);
        /* release those that wait for the ones that never came */
        al_u32_add_acq_rel(&system->ready, system->shown.n_workers - started);
    }
    /* acquire: partner is the acq_rel in worker_main */
    while (al_u32_load_acquire(&system->ready) < system->shown.n_workers)
        al_yield_unchanged(AL_ALWAYS);
    uint32_t failed = al_u32_load_relaxed(&system->failed);
    if (failed == 0)
        return 0;
    for (uint32_t i = 0; i < started; i++)
        al_thread_join(&system->shown.workers[i].thread);
    bool too_many = failed == ENOMEM || failed == EAGAIN;
    return al_error_set(error, -(int)failed, "could not start %u workers: %s%s",
                        system->shown.n_workers, strerror((int)failed),
                        too_many ? "; valid: fewer, or options with which each needs less memory"
                                 : "");
}

/* The workers take PUs in this order, again and again if there are more workers. */
static int find_locality(struct al_system *system, const unsigned *pus, size_t n_pus,
                         struct al_error *error)
{
    unsigned *taken = al_malloc(system->shown.n_workers * sizeof *taken);
    if (taken == NULL)
        return al_error_set(error, -ENOMEM, "no memory for %u workers", system->shown.n_workers);
    for (uint32_t i = 0; i < system->shown.n_workers; i++)
        taken[i] = pus[i % n_pus];
    int code = al_locality_new(system->topology, taken, system->shown.n_workers,
                               &system->shown.locality, error);
    al_free(taken);
    return code;
}

/* On cache lines of their own: a thief writes them. */
static uint64_t *new_levels(const struct al_locality *locality, uint32_t worker)
{
    size_t bytes = al_locality_n_levels(locality, worker) * sizeof(uint64_t);
    uint64_t *levels = al_lines_new(bytes);
    if (levels == NULL)
        al_out_of_memory("a worker's counters", bytes);
    return levels;
}

static int new_depots(struct al_system *system, struct al_error *error)
{
    size_t bytes = AL_DEPOTS * sizeof *system->shown.depots;
    system->shown.depots = al_aligned_alloc(_Alignof(struct al_depot), bytes);
    if (system->shown.depots == NULL)
        return al_error_set(error, -ENOMEM, "no memory for free lists");
    memset(system->shown.depots, 0, bytes);
    return 0;
}

/* Decide how many workers there are and on which PU each runs. */
static int place_workers(struct al_system *system, const struct al_config *config,
                         struct al_error *error)
{
    if (config->topology != NULL) {
        system->topology = config->topology;
    } else {
        int code = al_topology_load(NULL, &system->owned_topology, error);
        if (code != 0)
            return code;
        system->topology = system->owned_topology;
    }
    unsigned *pus;
    size_t n_pus;
    bool charged = al_charge(false);
    int code = al_topology_order(system->topology, config->pin, &pus, &n_pus, error);
    (void)al_charge(charged);
    if (code != 0)
        return code;
    size_t limit = config->simulated ? SIZE_MAX : al_thread_limit();
    size_t usable = n_pus < limit ? n_pus : limit;
    system->shown.n_workers = config->workers != 0 ? config->workers : (uint32_t)usable;
    system->shown.oversubscribed = system->shown.n_workers > usable;
    if (system->shown.n_workers > AL_WORKERS_MOST)
        code = al_error_set(error, -EINVAL, "%u workers are too many; valid: 1 to %u",
                            system->shown.n_workers, AL_WORKERS_MOST);
    else if (system->shown.oversubscribed && !config->oversubscribe)
        code = al_error_set(error, -EINVAL,
                            "%s, but %s; valid: 1 to %zu, or more with "
                            "--oversubscribe",
                            al_counted(system->shown.n_workers, "worker").text,
                            al_counted(usable, "usable PU").text, usable);
    if (code == 0)
        code = find_locality(system, pus, n_pus, error);
    size_t bytes = (system->shown.n_workers + 1) * sizeof *system->shown.workers;
    if (code == 0) {
        system->shown.workers = al_aligned_alloc(_Alignof(struct al_worker), bytes);
        if (system->shown.workers == NULL)
            code = al_error_set(error, -ENOMEM, "no memory for %u workers",
                                system->shown.n_workers);
    }
    if (code == 0) {
        memset(system->shown.workers, 0, bytes);
        bool pinned = al_topology_pins(system->topology, config->pin);
        for (uint32_t i = 0; i <= system->shown.n_workers; i++) {
            struct al_worker *worker = &system->shown.workers[i];
            worker->system = &system->shown;
            al_object_pools_init(worker, &system->shown);
            worker->id = i;
            worker->pu = pinned && i < system->shown.n_workers ? (int)pus[i % n_pus] : -1;
            worker->bound = -1;
            worker->node = -1;
            worker->timer_looks = 1; /* for a poke (core/cancel.h) */
            al_random_seed(&worker->random, config->seed, i);
            if (AL_COUNTERS && i < system->shown.n_workers)
                worker->steals_by_level = new_levels(system->shown.locality, i);
        }
    }
    al_free(pus);
    return code;
}

static void release(struct al_system *system)
{
    struct al_worker *detached = al_ptr_load_acquire(&system->detached);
    while (detached != NULL) {
        struct al_worker *next = detached->next;
        al_free(detached->latencies);
        al_timers_fini(detached);
        al_object_pools_fini(detached);
        al_free(detached);
        detached = next;
    }
    for (uint32_t i = 0; system->shown.workers != NULL && i <= system->shown.n_workers; i++) {
        al_object_pools_fini(&system->shown.workers[i]);
        al_free(system->shown.workers[i].latencies);
        al_timers_fini(&system->shown.workers[i]);
        al_free(system->shown.workers[i].trace);
        al_free(system->shown.workers[i].steals_by_level);
    }
    al_free(system->shown.workers);
    al_free(system->shown.depots);
    al_locality_free(system->shown.locality);
    al_topology_free(system->owned_topology);
    al_free(system);
}

int al_system_new(const struct al_config *config, struct al_system **result, struct al_error *error)
{
    struct al_system *system = al_aligned_alloc(_Alignof(struct al_system), sizeof *system);
    if (system == NULL)
        return al_error_set(error, -ENOMEM, "no memory for an actor system");
    memset(system, 0, sizeof *system);
    system->shown.seed = config->seed;
    system->shown.observer = config->observer;
    system->latencies = config->latencies;
    system->shown.stamps_by_clock = !al_cycles_steady();
    system->trace_events = config->trace_events;
    system->ended = config->ended;
    system->ended_argument = config->ended_argument;
    system->actor_ended = config->actor_ended;
    system->actor_ended_argument = config->actor_ended_argument;
    system->hooks = config->hooks;
    system->hooks_argument = config->hooks_argument;
    system->stall_s = AL_COUNTERS ? config->stall_s : 0;
    system->stalled = config->stalled;
    system->stalled_argument = config->stalled_argument;
    system->waiting = config->waiting;
    system->waiting_argument = config->waiting_argument;
    al_clock_pair(&system->started_ns, &system->started_cycles);
    int n_plugins = 0;
    /* A long way to write a configuration takes longer to read than a short one. That is not
     * simulated, so that equal configurations take equal times. */
    bool charged = al_charge(false);
    int code = al_plugins_select(system, config, error);
    (void)al_charge(charged);
    if (code == 0)
        code = new_depots(system, error);
    if (code == 0)
        code = place_workers(system, config, error);
    if (code == 0)
        code = al_plugins_init(system, &n_plugins, error);
    if (code == 0 && config->shared)
        al_outside_share(system);
    if (code != 0) {
        al_plugins_fini(system, n_plugins);
        release(system);
        return code;
    }
    *result = system;
    return 0;
}

int al_system_check(const struct al_config *config, struct al_error *error)
{
    struct al_system *system;
    int code = al_system_new(config, &system, error);
    if (code != 0)
        return code;
    al_plugins_fini(system, 3);
    release(system);
    return 0;
}

int al_system_start(const struct al_config *config, struct al_system **result,
                    struct al_error *error)
{
    if (al_self() != NULL)
        return al_error_set(error, -EBUSY, "this thread has a running actor system: stop it first");
    struct al_system *system;
    int code = al_system_new(config, &system, error);
    if (code != 0)
        return code;
    code = start_workers(system, error);
    if (code != 0) {
        al_plugins_fini(system, 3);
        release(system);
        return code;
    }
    al_self_set(&system->shown.workers[system->shown.n_workers]);
    *result = system;
    return 0;
}

void al_system_close(struct al_system *system)
{
    uint32_t running = AL_PHASE_RUNNING; /* else it was cancelled, and remains so */
    /* release: partners are the acquires in al_runtime_open, and in al_system_finish_if_quiescent,
     * which must see the count of what was created before */
    (void)al_u32_cas_acq_rel(&system->phase, &running, AL_PHASE_STOPPING);
    al_system_finish_if_quiescent(system);
}

int al_system_stop(struct al_system *system, struct al_report *report)
{
    al_system_close(system);
    al_stall_join(system);
    al_outside_end(system);
    uint64_t queue_bytes = system->shown.ops->held != NULL ? system->shown.ops->held(&system->shown)
                                                           : 0;
    uint64_t queue_peak_bytes = AL_COUNTERS ? queue_bytes + al_watermark_above_now(system) : 0;
    if (system->ended != NULL)
        system->ended(system->ended_argument);
    al_plugins_fini(system, 3);
    uint64_t unreceived = AL_CHECK_STOP(system);
    if (report != NULL) {
        al_report_fill(report, system);
        report->ended_ns = al_u64_load_relaxed(&system->ended_ns);
        report->queue_bytes = queue_bytes;
        report->queue_peak_bytes = queue_peak_bytes;
        report->unreceived = unreceived;
    }
    bool cancelled = al_cancelled(system);
    al_self_set(NULL);
    release(system);
    return cancelled ? -ECANCELED : unreceived == 0 ? 0 : -EBADMSG;
}
