/* SPDX-License-Identifier: MIT */
#include "schedulers/queues/work_deque.h"

const char *const al_deque_choices[] = {"locked", "chase-lev", "steal-half", NULL};

const char *const al_deque_lock_choices[] = {[AL_LOCK_EXCHANGE] = "exchange",
                                             [AL_LOCK_CFORALL] = "cforall",
                                             [AL_LOCK_TICKET] = "ticket",
                                             NULL};

/* Slots of a new deque: 512 bytes, so that few workloads need to grow it. It doubles when full. */
#define SLOTS 64

void al_deque_init(struct al_deque *deque, enum al_deque_kind kind, enum al_deque_owner owner,
                   enum al_lock_kind lock)
{
    deque->kind = kind == AL_DEQUE_LOCKED && lock != AL_LOCK_EXCHANGE ? AL_DEQUE_CHOSEN_LOCK : kind;
    deque->lock = (struct al_lock_choice){.kind = lock};
    deque->owner = owner;
    al_deque_locked_init(&deque->locked, SLOTS);
    if (kind == AL_DEQUE_CHASE_LEV)
        al_deque_chase_lev_init(&deque->chase_lev, SLOTS);
    else if (kind == AL_DEQUE_STEAL_HALF)
        al_deque_steal_half_init(&deque->steal_half, SLOTS);
}

void al_deque_fini(struct al_deque *deque)
{
    al_deque_locked_fini(&deque->locked);
    if (deque->kind == AL_DEQUE_CHASE_LEV)
        al_deque_chase_lev_fini(&deque->chase_lev);
    else if (deque->kind == AL_DEQUE_STEAL_HALF)
        al_deque_steal_half_fini(&deque->steal_half);
}

/* Another lock than the default; apart, so that the default's code stays as it is. */

static __attribute__((noinline)) void push_bottom_chosen(struct al_deque *deque, void *item)
{
    al_deque_locked_push_bottom_by(&deque->locked, item, &deque->lock);
}

static __attribute__((noinline)) void push_top_chosen(struct al_deque *deque, void *item)
{
    al_deque_locked_push_top_by(&deque->locked, item, &deque->lock);
}

static __attribute__((noinline)) void *take_bottom_chosen(struct al_deque *deque)
{
    return al_deque_locked_take_bottom_by(&deque->locked, &deque->lock);
}

static __attribute__((noinline)) void *take_top_chosen(struct al_deque *deque)
{
    return al_deque_locked_take_top_by(&deque->locked, &deque->lock);
}

void al_deque_push_owner(struct al_deque *deque, void *item)
{
    if (deque->kind == AL_DEQUE_LOCKED)
        al_deque_locked_push_bottom_mpmc(&deque->locked, item);
    else if (deque->kind == AL_DEQUE_CHASE_LEV)
        al_deque_chase_lev_push_owner(&deque->chase_lev, item);
    else if (deque->kind == AL_DEQUE_CHOSEN_LOCK)
        push_bottom_chosen(deque, item);
    else
        al_deque_steal_half_push_owner(&deque->steal_half, item);
}

void al_deque_push_behind_any(struct al_deque *deque, void *item)
{
    if (deque->kind == AL_DEQUE_LOCKED && deque->owner == AL_OWNER_LIFO)
        al_deque_locked_push_top_mpmc(&deque->locked, item);
    else if (deque->kind == AL_DEQUE_CHOSEN_LOCK)
        (deque->owner == AL_OWNER_LIFO ? push_top_chosen : push_bottom_chosen)(deque, item);
    else
        al_deque_locked_push_bottom_mpmc(&deque->locked, item);
}

static void *pop_lifo(struct al_deque *deque)
{
    if (deque->kind == AL_DEQUE_LOCKED)
        return al_deque_locked_take_bottom_mpmc(&deque->locked);
    if (deque->kind == AL_DEQUE_CHASE_LEV)
        return al_deque_chase_lev_take_bottom_owner(&deque->chase_lev);
    if (deque->kind == AL_DEQUE_CHOSEN_LOCK)
        return take_bottom_chosen(deque);
    return al_deque_steal_half_take_bottom_owner(&deque->steal_half);
}

static void *pop_fifo(struct al_deque *deque)
{
    if (deque->kind == AL_DEQUE_LOCKED)
        return NULL; /* al_deque_pop_owner takes from the locked deque */
    if (deque->kind == AL_DEQUE_STEAL_HALF)
        return al_deque_steal_half_take_top_any(&deque->steal_half);
    if (deque->kind == AL_DEQUE_CHOSEN_LOCK)
        return take_top_chosen(deque);
    bool lost;
    void *item;
    do
        item = al_deque_chase_lev_take_top_any(&deque->chase_lev, &lost);
    while (lost); /* each round that is lost was another thread's success */
    return item;
}

void *al_deque_pop_owner(struct al_deque *deque)
{
    void *item = deque->owner == AL_OWNER_LIFO ? pop_lifo(deque) : pop_fifo(deque);
    if (item == NULL && !(deque->kind == AL_DEQUE_LOCKED && deque->owner == AL_OWNER_LIFO) &&
        deque->kind != AL_DEQUE_CHOSEN_LOCK)
        item = al_deque_locked_take_top_mpmc(&deque->locked);
    return item;
}

uint32_t al_deque_steal_any(struct al_deque *victim, void *items[AL_STEAL_MOST], bool *lost)
{
    *lost = false;
    items[0] = NULL;
    if (victim->kind == AL_DEQUE_CHASE_LEV) {
        items[0] = al_deque_chase_lev_take_top_any(&victim->chase_lev, lost);
    } else if (victim->kind == AL_DEQUE_STEAL_HALF) {
        uint32_t taken = al_deque_steal_half_take_half_any(&victim->steal_half, items);
        if (taken > 0)
            return taken;
    } else if (victim->kind == AL_DEQUE_CHOSEN_LOCK) {
        items[0] = (victim->owner == AL_OWNER_FIFO ? take_bottom_chosen : take_top_chosen)(victim);
        return items[0] != NULL;
    } else if (victim->owner == AL_OWNER_FIFO) {
        items[0] = al_deque_locked_take_bottom_mpmc(&victim->locked);
        return items[0] != NULL;
    }
    if (items[0] == NULL && !*lost)
        items[0] = al_deque_locked_take_top_mpmc(&victim->locked);
    return items[0] != NULL;
}

void *al_deque_keep_owner(struct al_deque *own, void *const *items, uint32_t n)
{
    /* The owner is to go on with the oldest, then the others in their order. */
    if (own->owner == AL_OWNER_FIFO) {
        for (uint32_t i = 1; i < n; i++)
            al_deque_push_owner(own, items[i]);
    } else {
        for (uint32_t i = n; i-- > 1;)
            al_deque_push_owner(own, items[i]);
    }
    return items[0];
}

uint64_t al_deque_length(const struct al_deque *deque)
{
    uint64_t length = al_deque_locked_length(&deque->locked);
    if (deque->kind == AL_DEQUE_CHASE_LEV)
        length += al_deque_chase_lev_length(&deque->chase_lev);
    else if (deque->kind == AL_DEQUE_STEAL_HALF)
        length += al_deque_steal_half_length(&deque->steal_half);
    return length;
}

uint64_t al_deque_bytes(const struct al_deque *deque)
{
    uint64_t bytes = al_ring_bytes(&deque->locked.ring);
    if (deque->kind == AL_DEQUE_STEAL_HALF)
        bytes += al_ring_bytes(&deque->steal_half.ring);
    if (deque->kind == AL_DEQUE_CHASE_LEV) {
        const struct al_chase_lev_ring *ring = al_ptr_load_relaxed(&deque->chase_lev.ring);
        for (; ring != NULL; ring = ring->outgrown)
            bytes += (ring->mask + 1) * sizeof *ring->slots;
    }
    return bytes;
}
