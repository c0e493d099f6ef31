/* SPDX-License-Identifier: MIT */

/*
 * The outbox of the strategy inverted: an owner adds numbered messages for two mailboxes, and
 * flushes now and then, while another worker relieves it again and again. Promise: each mailbox
 * gets all of its messages once, in their order. On threads, and on the virtual engine with many
 * seeds.
 */

#include "core/actor.h"
#include "schedulers/inverted/outbox.h"
#include "tests/support/run_seed.h"
#include "tests/support/tap.h"

#define MAILBOXES   2
#define FLUSH_PARTS 8 /* one message in so many is followed by a flush */
#ifdef AL_VIRTUAL
#define SEEDS       300
#define MESSAGES    40
#define YIELD_PARTS 2 /* likewise: the virtual engine changes threads nowhere in an addition */
#else
#define SEEDS       20
#define MESSAGES    200000
#define YIELD_PARTS 1000
#endif

struct bench {
    struct al_outbox outbox;
    struct al_mailbox mailboxes[MAILBOXES];
    uint64_t seed;
    struct al_atomic_u32 ended;
    struct al_atomic_u64 visits; /* the visitor's */
    uint64_t n_visits;
};

static struct bench bench;

static void visit(void *argument)
{
    (void)argument;
    while (al_u32_load_acquire(&bench.ended) == 0) {
        al_outbox_relieve(&bench.outbox);
        al_u64_store_relaxed(&bench.visits, al_u64_load_relaxed(&bench.visits) + 1);
        al_yield();
    }
}

static void ignore(void *context, const struct al_envelope *envelope)
{
    (void)context;
    (void)envelope;
}

static void own(void *argument)
{
    struct al_thread visitor;
    struct al_random random;
    (void)argument;
    CHECK(al_membarrier_ready(), "this kernel has no membarrier(2)");
    al_random_seed(&random, bench.seed, 0);
    for (uint32_t i = 0; i < MAILBOXES; i++)
        al_mailbox_init(&bench.mailboxes[i], AL_QUEUE_COPY, 4);
    CHECK(al_thread_start(&visitor, visit, NULL) == 0, "no thread");
    while (al_u64_load_relaxed(&bench.visits) == 0)
        al_yield();
    for (uintptr_t i = 0; i < MESSAGES; i++) {
        struct al_message *message = (struct al_message *)(i * sizeof *message);
        size_t number = i % MAILBOXES;
        al_outbox_add(&bench.outbox, &bench.mailboxes[number], number, NULL, message, NULL);
        if (al_random_below(&random, FLUSH_PARTS) == 0)
            al_outbox_flush(&bench.outbox);
        if (al_random_below(&random, YIELD_PARTS) == 0)
            al_yield();
    }
    al_outbox_flush(&bench.outbox);
    /* Who gets the actor next sends behind that. */
    for (size_t number = 0; number < MAILBOXES; number++) {
        struct al_mailbox *mailbox = &bench.mailboxes[number];
        al_spinlock_lock(&mailbox->lock.spin);
        uintptr_t n = al_copy_queue_length(&mailbox->copy);
        CHECK(n == MESSAGES / MAILBOXES, "%llu messages in mailbox %zu", (unsigned long long)n,
              number);
        for (uintptr_t i = 0; i < n; i++)
            CHECK((uintptr_t)mailbox->copy.slots[i].message ==
                      (i * MAILBOXES + number) * sizeof(struct al_message),
                  "message %llu came where another was due", (unsigned long long)i);
        al_spinlock_unlock(&mailbox->lock.spin);
    }
    al_u32_store_release(&bench.ended, 1);
    al_thread_join(&visitor);
    bench.n_visits = al_u64_load_relaxed(&bench.visits);
    for (uint32_t i = 0; i < MAILBOXES; i++) {
        al_copy_queue_fini(&bench.mailboxes[i].copy, ignore, NULL);
        al_copy_queue_fini(&bench.mailboxes[i].kept, ignore, NULL);
    }
}

int main(void)
{
    struct tap tap = {0};
    uint64_t visits = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        bench = (struct bench){.outbox.growth = 2, .seed = seed};
        run_seed(seed, own, NULL);
        visits += bench.n_visits;
    }
    tap_ok(&tap, visits > SEEDS, "%d seeds: all messages arrive once, in their order (%llu visits)",
           SEEDS, (unsigned long long)visits);
    return tap_done(&tap);
}
