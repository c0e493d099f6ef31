/* SPDX-License-Identifier: MIT */
#include "core/stall.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/cancel.h"
#include "core/counted.h"
#include "core/system_private.h"
#include "core/timers.h"

#define NS_PER_S       UINT64_C(1000000000)
#define LENGTHS_MOST   64      /* of queues, in the line */
#define AWAIT_SLEEP_NS 100000  /* between two looks of al_await */
#define BUSY_NS        1000000 /* of processor time: more than a worker needs that only sleeps */

struct watch {
    struct al_system *system;
    uint64_t progress, since_ns; /* sends, deliveries, lives so far; since when so many */
    struct seen {
        uint64_t idle_looks, cpu_ns;
    } * seen; /* of each worker, when nothing had happened for the first time; NULL: not yet */
    uint64_t detached_cpu_ns; /* of all threads of detached actors, likewise */
};

struct totals {
    uint64_t sent, received, created, terminated;
};

/* The counters belong to their workers, which may write them meanwhile: what is read is a hint. */
static void add(struct totals *totals, const struct al_worker *worker)
{
    totals->sent += al_peek(&worker->counters.messages_sent);
    totals->received += al_peek(&worker->counters.messages_received);
    /* relaxed: hints, too */
    totals->created += al_u64_load_relaxed(&worker->created);
    totals->terminated += al_u64_load_relaxed(&worker->terminated);
}

static struct totals add_up(const struct al_system *system)
{
    struct totals totals = {0};
    for (uint32_t i = 0; i <= system->shown.n_workers; i++)
        add(&totals, &system->shown.workers[i]);
    /* acquire: as in count_terminated (core/termination.c) */
    for (struct al_worker *w = al_ptr_load_acquire(&system->detached); w != NULL; w = w->next)
        add(&totals, w);
    return totals;
}

static struct watch watch_new(struct al_system *system)
{
    return (struct watch){.system = system, .progress = UINT64_MAX};
}

/* Give up: does not return. */
static _Noreturn void give_up(const struct al_system *system, const struct totals *totals)
{
    char text[2048];
    size_t used = 0;
    used += (size_t)snprintf(text, sizeof text,
                             "no message was delivered for %u s: %" PRIu64 " sent, %" PRIu64
                             " received, %s alive; queue lengths by worker:",
                             system->stall_s, totals->sent, totals->received,
                             al_counted(totals->created - totals->terminated, "actor").text);
    uint32_t n = system->shown.n_workers, shown = n < LENGTHS_MOST ? n : LENGTHS_MOST;
    for (uint32_t i = 0; i < shown; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, " %" PRIu64,
                                 system->shown.ops->length(&system->shown.workers[i]));
    if (shown < n)
        snprintf(text + used, sizeof text - used, " (and %u more)", n - shown);
    if (system->stalled != NULL)
        system->stalled(system->stalled_argument, text);
    al_fatal("%s", text);
}

/* The processor time of the threads of detached actors. A new one may have no handle yet. */
static uint64_t detached_cpu_ns(const struct al_system *system)
{
    uint64_t sum = 0;
    /* acquire: as in add_up */
    for (struct al_worker *w = al_ptr_load_acquire(&system->detached); w != NULL; w = w->next) {
        struct al_thread thread = {.handle = al_peek_handle(&w->thread)};
        sum += thread.handle != 0 ? al_thread_cpu_ns(&thread) : 0;
    }
    return sum;
}

/* What each worker has done until now. */
static void see(struct watch *watch)
{
    const struct al_system *system = watch->system;
    if (watch->seen == NULL)
        watch->seen = al_malloc(system->shown.n_workers * sizeof *watch->seen);
    if (watch->seen == NULL)
        al_out_of_memory("a watch over workers", system->shown.n_workers * sizeof *watch->seen);
    for (uint32_t i = 0; i < system->shown.n_workers; i++)
        watch->seen[i] = (struct seen){al_peek(&system->shown.workers[i].idle_looks),
                                       al_thread_cpu_ns(&system->shown.workers[i].thread)};
    watch->detached_cpu_ns = detached_cpu_ns(system);
}

/* Whether a worker has computed since then without looking for work, or a detached actor has, or a
 * message is to be sent later. */
static bool busy(const struct watch *watch)
{
    const struct al_system *system = watch->system;
    if (detached_cpu_ns(system) > watch->detached_cpu_ns + BUSY_NS)
        return true;
    uint64_t now = al_clock_ns();
    /* acquire: as in add_up */
    for (struct al_worker *w = al_ptr_load_acquire(&system->detached); w != NULL; w = w->next) {
        if (al_timers_wait(w, now))
            return true;
    }
    for (uint32_t i = 0; i < system->shown.n_workers; i++) {
        const struct seen *seen = &watch->seen[i];
        if (al_timers_wait(&system->shown.workers[i], now))
            return true;
        if (al_peek(&system->shown.workers[i].idle_looks) == seen->idle_looks &&
            al_thread_cpu_ns(&system->shown.workers[i].thread) > seen->cpu_ns + BUSY_NS)
            return true;
    }
    return false;
}

static bool has_to_look(const struct al_system *system)
{
    return system->stall_s != 0 || system->waiting != NULL;
}

/* Called periodically. Does not return if nothing has happened for too long. */
static void look(struct watch *watch)
{
    if (watch->system->waiting != NULL)
        watch->system->waiting(watch->system->waiting_argument);
    if (watch->system->stall_s == 0)
        return;
    struct totals totals = add_up(watch->system);
    /* What is sent counts, too: a timer may have sent it just now, after a long wait. */
    uint64_t progress = totals.sent + totals.received + totals.created + totals.terminated;
    uint64_t now = al_clock_ns();
    if (progress != watch->progress) {
        watch->progress = progress;
        watch->since_ns = now;
        al_free(watch->seen);
        watch->seen = NULL;
    } else if (watch->seen == NULL) {
        see(watch);
    } else if (now - watch->since_ns > watch->system->stall_s * NS_PER_S) {
        if (!busy(watch))
            give_up(watch->system, &totals);
        watch->since_ns = now;
        see(watch);
    }
}

/* Nothing is delivered any more, and workers that slept for long may take as long to leave. After a
 * cancel the messages that wait are. */
static bool is_over(const struct al_system *system)
{
    return al_runtime_over(&system->shown) && !al_cancelled(system);
}

/* No worker leaves before the system is over, so one that is watched has not been joined yet; or it
 * was cancelled, and what they did does not change any more. */
static void join(struct watch *watch, struct al_thread *thread)
{
    while (has_to_look(watch->system) && !is_over(watch->system)) {
        if (al_thread_join_for(thread, NS_PER_S / 2))
            return;
        if (!is_over(watch->system))
            look(watch);
    }
    al_thread_join(thread);
}

void al_stall_join(struct al_system *system)
{
    struct watch watch = watch_new(system);
    for (uint32_t i = 0; i < system->shown.n_workers; i++)
        join(&watch, &system->shown.workers[i].thread);
    for (struct al_worker *w = al_ptr_load_acquire(&system->detached); w != NULL; w = w->next)
        join(&watch, &w->thread);
    al_free(watch.seen);
}

void al_await(const struct al_atomic_u64 *word, uint64_t least)
{
    struct watch watch = watch_new(al_system_of(al_self()->system));
    /* acquire: partner is the release of whoever counts. Without it the caller could read what was
     * written before the count as it was. */
    while (al_u64_load_acquire(word) < least && !al_cancelled(watch.system)) {
        al_sleep_ns(AWAIT_SLEEP_NS);
        if (has_to_look(watch.system))
            look(&watch);
    }
    al_free(watch.seen);
}
