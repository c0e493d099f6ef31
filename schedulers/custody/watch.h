/* SPDX-License-Identifier: MIT */
#ifndef AL_CUSTODY_WATCH_H
#define AL_CUSTODY_WATCH_H

/*
 * Watching for workers that are inside long behaviours, to seize what waits there (seize.h). Those
 * without work do it, between looks for work. Of those that sleep one does, the watcher, which
 * wakes up now and then:
 *
 *     a sleeper   says that it sleeps, then becomes the watcher, if nobody is
 *     the watcher naps; but if all others are without work, it says so, `quiet`, looks at them
 *                 again, and sleeps until it is woken
 *     who gets work  says that it has some, and then, if it is quiet, wakes the watcher; if that is
 *                 itself, it no longer is, and if nobody is, it wakes somebody else, who will be
 *
 * Promise: while a worker has work and another one sleeps, a worker naps, or is awake without work.
 * tests/models/watch.py looks at every interleaving, and shows what goes wrong without each step.
 *
 * Memory order: in each pair of steps, one writes, then reads what the other has written before its
 * read; a fence between the two lets one of them see the other: the fences of the idle policy where
 * the role is passed on, and a membarrier of the watcher for what is quiet.
 */

#include "core/plugin/scheduler.h"

/* Whom an idle worker has seen in the same behaviour, and since when. */
struct al_watched {
    const void *at;
    uint64_t delivered, since; /* cycles */
};

struct al_watch {
    /* Whoever holds the lock looks at all workers, when it is time. */
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_spinlock lock;
    struct al_atomic_u64 deadline; /* cycles */

    /* read when a worker gets work after a time without, and rarely written */
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_atomic_u32 watcher; /* + 1; 0: nobody */
    struct al_atomic_u32 quiet;                                     /* written by the watcher */
    struct al_watched *workers;                                     /* NULL: nobody seizes */
    uint64_t us, cycles; /* what makes a behaviour a long one; cycles: 0: not known yet */
};

/* Look whether a worker is inside a long behaviour, if it is time, and seize what it has. True: now
 * there is work. By a worker without work, if there is a watch. */
bool al_custody_watch(struct al_worker *self);
/* The operation `nap`: it makes the worker the watcher, if nobody is. */
uint64_t al_custody_nap(struct al_worker *self);
/* Wake the watcher, which is that worker, + 1; or, if it is this one or nobody, somebody who will
 * be. By a worker that gets work. */
void al_custody_pass_watch(struct al_worker *self, uint32_t watcher);
/* Make what that needs; 0 or -ENOMEM. The starting thread. */
int al_custody_watch_init(struct al_runtime *system, uint64_t us);

#endif
