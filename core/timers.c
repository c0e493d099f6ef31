/* SPDX-License-Identifier: MIT */
#include "core/timers.h"

#include "core/cancel.h"
#include "core/error.h"
#include "core/later.h"
#include "core/system_private.h"

enum {
    READINGS_MOST = 5,
    WAYS = 4,        /* children of a node: a line or two */
    LOOK_NS = 10000, /* a busy worker reads the clock about so often */
    LOOKS_MOST = 64, /* between two readings, however short they are: turns may become long */
};

#define APART_MOST 10000 /* cycles between two readings of clocks; a few microseconds */
#define OVERDUE_NS UINT64_C(1000000000)
#define LONGEST_NS (UINT64_C(1) << 60) /* 36 years: sums of times do not overflow */
#define LATEST_NS  (2 * LONGEST_NS)

struct timer {
    uint64_t due, order;
    struct al_envelope envelope;
};

struct al_timers {
    struct timer *heap;
    size_t n, room;
    uint64_t order;   /* of the next one that is asked for */
    uint64_t read_ns; /* when the clock was last read */
    uint64_t every;   /* looks between two readings */
};

static bool before(const struct timer *a, const struct timer *b)
{
    return a->due != b->due ? a->due < b->due : a->order < b->order;
}

static struct al_timers *timers_of(struct al_worker *self)
{
    if (self->timers == NULL) {
        self->timers = al_calloc(1, sizeof *self->timers);
        if (self->timers == NULL)
            al_out_of_memory("timers", sizeof *self->timers);
        self->timers->every = 1;
    }
    return self->timers;
}

static void make_room(struct al_timers *timers)
{
    if (timers->n < timers->room)
        return;
    timers->room = timers->room != 0 ? 2 * timers->room : 16;
    size_t bytes = timers->room * sizeof *timers->heap;
    timers->heap = al_realloc(timers->heap, bytes);
    if (timers->heap == NULL)
        al_out_of_memory("timers", bytes);
}

void al_timers_add(struct al_worker *self, uint64_t due, const struct al_envelope *envelope)
{
    struct al_timers *timers = timers_of(self);
    make_room(timers);
    struct timer timer = {.due = due == 0          ? 1
                                 : due < LATEST_NS ? due
                                                   : LATEST_NS,
                          .order = timers->order++,
                          .envelope = *envelope};
    size_t i = timers->n++;
    for (; i > 0 && before(&timer, &timers->heap[(i - 1) / WAYS]); i = (i - 1) / WAYS)
        timers->heap[i] = timers->heap[(i - 1) / WAYS];
    timers->heap[i] = timer;
    self->timer_due = timers->heap[0].due;
    self->timer_looks = 1; /* it may be due soon */
}

/* The first child of a node; n or more: it has none. */
static size_t first_child(size_t i)
{
    return i * WAYS + 1;
}

static struct timer take_first(struct al_worker *self)
{
    struct al_timers *timers = self->timers;
    struct timer *heap = timers->heap, first = heap[0];
    size_t n = --timers->n, i = 0;
    const struct timer *last = &heap[n];
    for (size_t child; (child = first_child(i)) < n;) {
        size_t least = child, end = child + WAYS < n ? child + WAYS : n;
        while (++child < end)
            least = before(&heap[child], &heap[least]) ? child : least;
        if (!before(&heap[least], last))
            break;
        heap[i] = heap[least];
        i = least;
    }
    heap[i] = *last;
    self->timer_due = n > 0 ? heap[0].due : 0;
    return first;
}

/* The clock has been read: read it less often if that was soon, and more often if it was late. */
static void pace(struct al_worker *self, uint64_t now)
{
    struct al_timers *timers = self->timers;
    uint64_t took = now - timers->read_ns, every = timers->every;
    every = took < LOOK_NS / 2 ? 2 * every : took > LOOK_NS ? every * LOOK_NS / took : every;
    every = every < LOOKS_MOST ? every : LOOKS_MOST;
    self->timer_looks = timers->every = every > 0 ? every : 1;
    timers->read_ns = now;
}

bool al_timers_send_due(struct al_worker *self)
{
    struct al_timers *timers = self->timers;
    bool any = false;
    if (timers != NULL) { /* else it was poked */
        uint64_t now = al_clock_ns();
        pace(self, now);
        while (timers->n > 0 && timers->heap[0].due <= now) {
            struct timer timer = take_first(self);
            al_post(timer.envelope.actor, timer.envelope.message, timer.envelope.behaviour);
            any = true;
        }
    }
    /* After the last store of timer_due, which may have been in place of a poke. */
    if (__builtin_expect(al_cancelled(al_system_of(self->system)), 0))
        al_cancel_sends(self);
    return any;
}

void al_timers_hurry(struct al_worker *self)
{
    self->timer_looks = 1;
    if (self->timers != NULL) /* else it was poked */
        self->timers->every = 1;
}

uint64_t al_timers_left(struct al_worker *self)
{
    if (self->timer_due == 0)
        return UINT64_MAX;
    uint64_t now = al_clock_ns();
    if (self->timer_due > now)
        return self->timer_due - now;
    al_timers_hurry(self);
    return 0;
}

void al_timers_park(struct al_worker *self, struct al_atomic_u32 *word, uint32_t expected)
{
    uint64_t left = al_timers_left(self);
    if (left == UINT64_MAX)
        al_park(word, expected);
    else if (left > 0)
        al_park_for(word, expected, left);
}

bool al_timers_wait(const struct al_worker *worker, uint64_t now)
{
    uint64_t due = al_peek(&worker->timer_due);
    return due != 0 && (due > now || now - due < OVERDUE_NS);
}

void al_timers_drop(struct al_worker *self)
{
    struct al_timers *timers = self->timers;
    while (timers != NULL && timers->n > 0) { /* a destructor may set another one */
        struct al_envelope envelope = timers->heap[--timers->n].envelope;
        self->send(self, envelope.actor, envelope.message, envelope.behaviour);
    }
    self->timer_due = 0;
}

void al_timers_fini(struct al_worker *worker)
{
    if (worker->timers != NULL)
        al_free(worker->timers->heap);
    al_free(worker->timers);
}

/* The rate of one clock in the other is that since the start of the system. */
uint64_t al_latency_at(uint64_t ns)
{
    const struct al_system *system = al_system_of(al_self()->system);
    uint64_t now_ns, now_cycles;
    uint32_t readings = 0;
    do { /* again if it was interrupted in between */
        now_cycles = al_cycles();
        now_ns = al_clock_ns();
    } while (al_cycles() - now_cycles > APART_MOST && ++readings < READINGS_MOST);
    double elapsed = (double)(now_ns - system->started_ns);
    double rate = elapsed > 0 ? (double)(now_cycles - system->started_cycles) / elapsed : 1;
    return now_cycles - (uint64_t)(int64_t)((double)(int64_t)(now_ns - ns) * rate);
}

void al_post_at(struct al_actor *actor, struct al_message *message, al_behaviour *behaviour,
                uint64_t due)
{
    struct al_worker *self = al_self();
    if (self == &self->system->workers[self->system->n_workers])
        al_fatal("al_send_at and al_send_after are for behaviours");
    al_timers_add(self, due, &(struct al_envelope){actor, message, behaviour});
}

void al_post_after(struct al_actor *actor, struct al_message *message, al_behaviour *behaviour,
                   uint64_t ns)
{
    al_post_at(actor, message, behaviour, al_clock_ns() + (ns < LONGEST_NS ? ns : LONGEST_NS));
}
