/* SPDX-License-Identifier: MIT */
#ifndef AL_HARDWARE_H
#define AL_HARDWARE_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "core/system.h"

struct al_hardware;

/*
 * Counters of the processor and the kernel for each thread of a trial, as far as the machine has
 * and permits them. Each worker opens and starts its own before it counts as ready, and the
 * timed part begins when all are ready; it reads and closes them when its loop has ended. So none
 * of this runs while messages are delivered. The wait for the other workers is counted, too.
 *
 * Cycles, instructions and cache misses are perf_event_open's. Context switches and page faults are
 * getrusage's: perf_event_open counts them, too, but that makes every context switch about 1 us
 * longer, and needs a permission. How long a thread waited for a PU, and how long it had one, is in
 * /proc/thread-self/schedstat.
 */

enum al_hardware_event {
    AL_HARDWARE_CYCLES,
    AL_HARDWARE_INSTRUCTIONS,
    AL_HARDWARE_CACHE_MISSES,
    AL_HARDWARE_OPENED, /* how many are opened; the others are read before and after the loop */
    AL_HARDWARE_CONTEXT_SWITCHES = AL_HARDWARE_OPENED,
    AL_HARDWARE_PAGE_FAULTS,
    AL_HARDWARE_WAITED, /* ns, ready to run, but for a PU */
    AL_HARDWARE_RAN,    /* ns, on a PU */
    AL_HARDWARE_EVENTS, /* how many */
};

/* By enum al_hardware_event: the keys of a record. */
extern const char *const al_hardware_names[AL_HARDWARE_EVENTS];

/*
 * A reading of an opened counter. A processor with fewer counters than events lets them take turns:
 * then running is less than enabled, and the value is that of the time in which it ran.
 */
struct al_hardware_reading {
    uint64_t value, enabled_ns, running_ns;
};

/* The layer that talks to the kernel, which tests replace. Called by the thread that is counted. */
struct al_hardware_ops {
    /* A stopped counter of the calling thread. Returns a handle, or a negative errno. */
    int (*open)(void *context, enum al_hardware_event event);
    /* Start or stop all counters that the calling thread has opened. */
    void (*count)(void *context, bool on);
    /* 0 or a negative errno. */
    int (*read)(void *context, int handle, struct al_hardware_reading *reading);
    void (*close)(void *context, int handle);
    /* What the kernel has counted of an event that is not opened, since the calling thread began. 0
     * or a negative errno. */
    int (*usage)(void *context, enum al_hardware_event event, uint64_t *value);
};

/* The kernel's; its context is NULL. */
extern const struct al_hardware_ops al_hardware_linux;

/* Its open, for any event: type and config are those of struct perf_event_attr. */
int al_hardware_open(uint32_t type, uint64_t config, bool in_kernel);

/* The sums over all measured iterations. */

/*
 * For up to n_workers workers and the starting thread. Events are not opened unless `opens`, nor if
 * that would need more open files than this process may have. Free with al_hardware_free, which
 * accepts NULL.
 */
struct al_hardware *al_hardware_new(const struct al_hardware_ops *ops, void *context,
                                    uint32_t n_workers, bool opens);
void al_hardware_free(struct al_hardware *hardware);

/*
 * For the workers of a measured iteration; the argument is the struct al_hardware. The thread that
 * starts and stops the system calls them itself, with AL_NO_WORKER for its number;
 * its `ended` is the last, with which the iteration counts.
 */
extern const struct al_worker_hooks al_hardware_hooks;

/*
 * The sum of a worker's counter, or of the starting thread's (AL_NO_WORKER), scaled to the whole
 * time if it took turns. False: it is not known, because it was denied, could not be read, or never
 * ran. Only whole iterations count, so that workers may still run. The starting thread.
 */
bool al_hardware_sum(const struct al_hardware *hardware, uint32_t worker,
                     enum al_hardware_event event, uint64_t *sum);

/* The key `hardware` of a record: null if no counter of any thread is known. */
json_t *al_hardware_json(const struct al_hardware *hardware, uint32_t n_workers);

/* Why there are no hardware counters, for `actorlab env`: what to tell people. */
struct al_hardware_support {
    bool all;           /* cycles, instructions and cache misses can be counted */
    char text[128];     /* "none: no PMU in this guest" */
    const char *advice; /* how to change it; NULL: nothing is to be changed */
};

/*
 * Of this machine (root: "") by opening the counters, which are closed again; else of the folder
 * that holds a proc and a sys, by what those say.
 */
void al_hardware_support(const char *root, struct al_hardware_support *support);

/* The same if opening the events failed with these errnos; 0: it did not. For tests. */
void al_hardware_explain(const char *root, const int errors[], struct al_hardware_support *support);

#endif
