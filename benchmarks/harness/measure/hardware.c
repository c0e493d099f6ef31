/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/measure/hardware.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "benchmarks/harness/text/json.h"
#include "core/envelope.h"
#include "core/sync/sync.h"

const char *const al_hardware_names[AL_HARDWARE_EVENTS] = {
    [AL_HARDWARE_CYCLES] = "cycles",
    [AL_HARDWARE_INSTRUCTIONS] = "instructions",
    [AL_HARDWARE_CACHE_MISSES] = "cache_misses",
    [AL_HARDWARE_CONTEXT_SWITCHES] = "context_switches",
    [AL_HARDWARE_PAGE_FAULTS] = "page_faults",
    [AL_HARDWARE_WAITED] = "waited_ns",
    [AL_HARDWARE_RAN] = "ran_ns",
};

struct al_hardware {
    const struct al_hardware_ops *ops;
    void *context;
    bool opens;
    uint32_t n_threads, iterations;
    /* What is of an iteration is written by its own thread, and read by the starting thread when
     * the iteration is over; the sums are the starting thread's. */
    struct thread {
        _Alignas(2 * AL_CACHE_LINE_BYTES) int handles[AL_HARDWARE_OPENED]; /* negative: not open */
        struct counts {
            uint64_t values[AL_HARDWARE_EVENTS];
            bool unknown[AL_HARDWARE_EVENTS];
        } before, last, sums; /* before: of those that are not opened */
    } * threads;              /* the starting thread's is the last */
};

/* Whether so many files can be open, beside the few dozen that everything else needs. */
static bool has_files(uint64_t n)
{
    struct rlimit limit;
    n += 64;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return false;
    if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= n)
        return true;
    if (limit.rlim_max != RLIM_INFINITY && limit.rlim_max < n)
        return false;
    limit.rlim_cur = n;
    return setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

struct al_hardware *al_hardware_new(const struct al_hardware_ops *ops, void *context,
                                    uint32_t n_workers, bool opens)
{
    uint32_t n_threads = n_workers + 1;
    struct al_hardware *hardware = al_needed(malloc(sizeof *hardware));
    size_t bytes = n_threads * sizeof *hardware->threads;
    struct thread *threads = al_needed(aligned_alloc(_Alignof(struct thread), bytes));
    memset(threads, 0, bytes);
    opens = opens && has_files((uint64_t)n_threads * AL_HARDWARE_OPENED);
    *hardware = (struct al_hardware){ops, context, opens, n_threads, 0, threads};
    return hardware;
}

void al_hardware_free(struct al_hardware *hardware)
{
    if (hardware == NULL)
        return;
    free(hardware->threads);
    free(hardware);
}

static struct thread *thread_of(const struct al_hardware *hardware, uint32_t worker)
{
    return &hardware->threads[worker != AL_NO_WORKER ? worker : hardware->n_threads - 1];
}

static void started(void *argument, uint32_t worker)
{
    struct al_hardware *hardware = argument;
    struct thread *self = thread_of(hardware, worker);
    for (int event = 0; event < AL_HARDWARE_OPENED; event++)
        self->handles[event] = hardware->opens ? hardware->ops->open(hardware->context, event) : -1;
}

static bool is_open(const struct thread *self)
{
    bool open = false;
    for (int event = 0; event < AL_HARDWARE_OPENED; event++)
        open |= self->handles[event] >= 0;
    return open;
}

static void begins(void *argument, uint32_t worker)
{
    struct al_hardware *hardware = argument;
    struct thread *self = thread_of(hardware, worker);
    for (int event = AL_HARDWARE_OPENED; event < AL_HARDWARE_EVENTS; event++)
        self->before.unknown[event] = hardware->ops->usage(hardware->context, event,
                                                           &self->before.values[event]) != 0;
    if (is_open(self))
        hardware->ops->count(hardware->context, true);
}

/* Add what was counted, scaled to the whole time. False if it cannot be known. */
static bool add(const struct al_hardware *hardware, int handle, uint64_t *sum)
{
    struct al_hardware_reading reading;
    if (handle < 0 || hardware->ops->read(hardware->context, handle, &reading) != 0 ||
        reading.running_ns == 0)
        return false;
    double turns = (double)reading.enabled_ns / (double)reading.running_ns;
    *sum += turns <= 1 ? reading.value : (uint64_t)((double)reading.value * turns + 0.5);
    return true;
}

static void ended(void *argument, uint32_t worker)
{
    struct al_hardware *hardware = argument;
    struct thread *self = thread_of(hardware, worker);
    if (is_open(self))
        hardware->ops->count(hardware->context, false);
    struct counts *last = &self->last;
    for (int event = AL_HARDWARE_OPENED; event < AL_HARDWARE_EVENTS; event++) {
        uint64_t after = 0;
        last->unknown[event] = hardware->ops->usage(hardware->context, event, &after) != 0 ||
                               self->before.unknown[event];
        last->values[event] = after - self->before.values[event];
    }
    for (int event = 0; event < AL_HARDWARE_OPENED; event++) {
        last->values[event] = 0;
        last->unknown[event] = !add(hardware, self->handles[event], &last->values[event]);
        if (self->handles[event] >= 0)
            hardware->ops->close(hardware->context, self->handles[event]);
    }
}

/* The starting thread's is the last end of an iteration, which now counts as a whole. */
static void ended_all(void *argument, uint32_t worker)
{
    struct al_hardware *hardware = argument;
    ended(argument, worker);
    if (worker != AL_NO_WORKER)
        return;
    hardware->iterations++;
    for (uint32_t i = 0; i < hardware->n_threads; i++) {
        struct thread *thread = &hardware->threads[i];
        for (int event = 0; event < AL_HARDWARE_EVENTS; event++) {
            thread->sums.values[event] += thread->last.values[event];
            thread->sums.unknown[event] |= thread->last.unknown[event];
        }
        thread->last = (struct counts){0};
    }
}

const struct al_worker_hooks al_hardware_hooks = {
    .started = started,
    .begins = begins,
    .ended = ended_all,
};

bool al_hardware_sum(const struct al_hardware *hardware, uint32_t worker,
                     enum al_hardware_event event, uint64_t *sum)
{
    const struct thread *thread = thread_of(hardware, worker);
    *sum = thread->sums.values[event];
    return hardware->iterations > 0 && !thread->sums.unknown[event];
}

json_t *al_hardware_json(const struct al_hardware *hardware, uint32_t n_workers)
{
    if (hardware == NULL)
        return json_null();
    json_t *list = json_array();
    bool any = false;
    for (uint32_t i = 0; i <= n_workers; i++) {
        json_t *object = json_object();
        for (int event = 0; event < AL_HARDWARE_EVENTS; event++) {
            uint64_t sum;
            bool known = al_hardware_sum(hardware, i < n_workers ? i : AL_NO_WORKER, event, &sum);
            json_object_set_new(object, al_hardware_names[event],
                                known ? json_integer((json_int_t)sum) : json_null());
            any |= known;
        }
        json_array_append_new(list, object);
    }
    if (any)
        return list;
    json_decref(list);
    return json_null();
}
