/* SPDX-License-Identifier: MIT */

/* Work-stealing deques: an owner that pushes and takes, and thieves. Each item is taken once. */

#include "core/engine/check/scenario.h"
#include "schedulers/queues/deque_chase_lev.h"
#include "schedulers/queues/deque_locked.h"
#include "schedulers/queues/deque_steal_half.h"
#include "tests/systematic/items.h"

enum kind { CHASE_LEV, STEAL_HALF, LOCKED };
enum size { KIND, STEALS, SLOTS };
enum { ITEMS_USED = 3 };

static const struct al_scenario *scenario;
static union {
    struct al_deque_chase_lev chase_lev;
    struct al_deque_steal_half steal_half;
    struct al_deque_locked locked;
} * deque;
static struct items items;

static void push(unsigned item)
{
    void *what = item_pointer(item);
    switch (scenario->sizes[KIND]) {
    case CHASE_LEV:
        al_deque_chase_lev_push_owner(&deque->chase_lev, what);
        break;
    case STEAL_HALF:
        al_deque_steal_half_push_owner(&deque->steal_half, what);
        break;
    default:
        al_deque_locked_push_bottom_mpmc(&deque->locked, what);
    }
}

static void take(void)
{
    void *item;
    switch (scenario->sizes[KIND]) {
    case CHASE_LEV:
        item = al_deque_chase_lev_take_bottom_owner(&deque->chase_lev);
        break;
    case STEAL_HALF:
        item = al_deque_steal_half_take_bottom_owner(&deque->steal_half);
        break;
    default:
        item = al_deque_locked_take_bottom_mpmc(&deque->locked);
    }
    item_taken(&items, 0, item);
}

static void steal(unsigned thread)
{
    bool lost;
    void *taken[AL_STEAL_MOST];
    uint32_t n;
    switch (scenario->sizes[KIND]) {
    case CHASE_LEV:
        item_taken(&items, thread, al_deque_chase_lev_take_top_any(&deque->chase_lev, &lost));
        break;
    case STEAL_HALF:
        n = al_deque_steal_half_take_half_any(&deque->steal_half, taken);
        for (uint32_t i = 0; i < n; i++)
            item_taken(&items, thread, taken[i]);
        break;
    default:
        item_taken(&items, thread, al_deque_locked_take_top_mpmc(&deque->locked));
    }
}

static void set_up(const struct al_scenario *self)
{
    scenario = self;
    deque = al_aligned_alloc(2 * AL_CACHE_LINE_BYTES, sizeof *deque);
    switch (self->sizes[KIND]) {
    case CHASE_LEV:
        al_deque_chase_lev_init(&deque->chase_lev, self->sizes[SLOTS]);
        break;
    case STEAL_HALF:
        al_deque_steal_half_init(&deque->steal_half, self->sizes[SLOTS]);
        break;
    default:
        al_deque_locked_init(&deque->locked, self->sizes[SLOTS]);
    }
    items_begin(&items, ITEMS_USED);
    push(0); /* there is something to steal at once */
}

/* The owner fills the deque beyond its slots, so that its ring grows, and uses the slots again. */
static void thread(unsigned number)
{
    if (number > 0) {
        for (unsigned i = 0; i < scenario->sizes[STEALS]; i++)
            steal(number);
        return;
    }
    push(1);
    take();
    push(2);
    take();
}

/* All items are there from the start, and both ends take two. */
static void set_up_full(const struct al_scenario *self)
{
    set_up(self);
    push(1);
    push(2);
}

static void thread_takes(unsigned number)
{
    for (unsigned i = 0; i < 2; i++) {
        if (number == 0)
            take();
        else
            steal(number);
    }
}

/* The owner only pushes, into slots from which thieves have taken. */
static void thread_pushes(unsigned number)
{
    if (number == 0) {
        push(1);
        push(2);
    }
    for (unsigned i = 0; number > 0 && i < scenario->sizes[STEALS]; i++)
        steal(number);
}

static void look(void)
{
    for (unsigned i = 0; i < ITEMS_USED; i++)
        take();
    items_check(&items);
}

static const struct al_scenario scenarios[] = {
#define DEQUE_OF(text, n, begins, runs, ...)                                                       \
    {                                                                                              \
        .name = "deque/" text, .shows = "each item is taken once", .threads = n,                   \
        .sizes = {__VA_ARGS__}, .set_up = begins, .thread = runs, .look = look                     \
    }
#define DEQUE(text, n, ...) DEQUE_OF(text, n, set_up, thread, __VA_ARGS__)
#define BOTH_ENDS(text, n, ...)                                                                    \
    DEQUE_OF(text "/both-ends", n, set_up_full, thread_takes, __VA_ARGS__)
#define PUSHES(text, kind)                                                                         \
    DEQUE_OF(text "/pushes", 2, set_up, thread_pushes, kind, 2, 2),                                \
        DEQUE_OF(text "/pushes-2-thieves", 3, set_up, thread_pushes, kind, 1, 2)
    DEQUE("chase-lev/1-thief", 2, CHASE_LEV, 2, 2),
    DEQUE("chase-lev/2-thieves", 3, CHASE_LEV, 1, 2),
    DEQUE("chase-lev/2-thieves-twice", 3, CHASE_LEV, 2, 2),
    DEQUE("chase-lev/reuses-slots", 3, CHASE_LEV, 1, 1),
    BOTH_ENDS("chase-lev", 2, CHASE_LEV, 2, 4),
    PUSHES("chase-lev", CHASE_LEV),
    DEQUE("steal-half/1-thief", 2, STEAL_HALF, 2, 2),
    DEQUE("steal-half/2-thieves", 3, STEAL_HALF, 1, 2),
    DEQUE("steal-half/reuses-slots", 2, STEAL_HALF, 2, 1),
    BOTH_ENDS("steal-half", 2, STEAL_HALF, 2, 4),
    PUSHES("steal-half", STEAL_HALF),
    DEQUE("locked/1-thief", 2, LOCKED, 2, 2),
    DEQUE("locked/2-thieves", 3, LOCKED, 1, 2),
    DEQUE("locked/reuses-slots", 2, LOCKED, 2, 1),
    BOTH_ENDS("locked", 2, LOCKED, 2, 4),
    PUSHES("locked", LOCKED),
};
AL_SCENARIOS(scenarios)
