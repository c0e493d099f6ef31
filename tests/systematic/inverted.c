/* SPDX-License-Identifier: MIT */

/* Who wakes whom in `inverted` (schedulers/inverted/wake.h), while thieves swap slots; and who
 * hands over what waits in outboxes (outbox.c). */

#include "schedulers/inverted/inverted.h"
#include "schedulers/inverted/outbox.h"
#include "schedulers/inverted/qpcas.h"
#include "tests/systematic/systems.h"

/* Worker 1 takes the mailbox of worker 0 for its own. What a thief looks at before that has no part
 * in who wakes whom. */
static void take(struct al_runtime *system)
{
    struct al_inverted *inverted = system->scheduler_state;
    const struct al_share *mine = system->workers[1].scheduler,
                          *theirs = system->workers[0].scheduler;
    if (al_qpcas(&inverted->owned[mine->first], &inverted->owned[theirs->first]) != AL_SWAP_DONE)
        al_scenario_fail("nobody else swaps");
    al_idle_wake(system, 0);
}

static void take_and_send(struct al_worker *self)
{
    take(self->system);
    system_send(NULL);
}

/* Both workers say that they are the ones to wake, the second behind its theft: what it has stolen
 * must name it. */
static struct al_runtime *settled;

static void remember(struct al_runtime *system)
{
    settled = system;
}

static void settle_or_take(struct al_worker *self)
{
    if (self->id == 1)
        take(self->system);
    al_inverted_settle(self);
}

static void look_who_is_named(void)
{
    const struct al_inverted *inverted = settled->scheduler_state;
    const struct al_share *share = settled->workers[1].scheduler;
    const struct al_mailbox *stolen = al_ptr_load_relaxed(&inverted->owned[share->first]);
    uint32_t named = (uint32_t)al_u64_load_relaxed(&stolen->owner);
    if (named != 1)
        al_scenario_fail("a mailbox of worker 1 names worker %u", named);
}

/* With batching: what a behaviour has sent, in its worker's outbox. */
static struct al_outbox *outbox_of(const struct al_worker *worker)
{
    return ((const struct al_share *)worker->scheduler)->outbox;
}

static void send_and_flush(struct al_worker *self)
{
    system_send(NULL);
    al_outbox_flush(outbox_of(self));
}

/* Worker 1 sends and flushes, and worker 2 hands over what waits there. */
static void send_or_relieve(struct al_worker *self)
{
    if (self->id == 1)
        send_and_flush(self);
    else
        al_outbox_relieve(outbox_of(self - 1));
}

static struct al_mailbox *mailbox;

static void find_mailbox(struct al_runtime *system)
{
    const struct al_inverted *inverted = system->scheduler_state;
    mailbox = &inverted->mailboxes[0];
}

/* Messages lie in an array in the order of their sends. */
static void receive_in_order(void)
{
    const struct al_copy_queue *queue = &mailbox->copy;
    for (uint32_t i = 0; i < al_copy_queue_length(queue); i++) {
        const struct al_envelope *envelope = &queue->slots[i];
        if (i > 0 && envelope->message <= envelope[-1].message)
            al_scenario_fail("message %u comes twice, or too late", i);
        (void)envelope->behaviour(envelope->actor, envelope->message);
    }
}

#define INVERTED .plugins = {"inverted", "none", "park"}, .settings = SYSTEM_PARK "shards=1"
#define BATCHED                                                                                    \
    .plugins = {"inverted", "none", "park"}, .settings = SYSTEM_PARK "shards=1 batching=on"

static const struct al_scenario scenarios[] = {
    SYSTEM("inverted/taken", 2, 1, INVERTED, .workers = "rx", .other = take_and_send, .homes = "1"),
    SYSTEM("inverted/taken-before", 2, 1, INVERTED, .workers = "-rs", .homes = "0", .also = take),
    SYSTEM("inverted/settled", 2, 0, INVERTED, .workers = "xx", .other = settle_or_take,
           .homes = "", .also = remember, .look = look_who_is_named),
    SYSTEM("inverted/batched", 2, 1, BATCHED, .workers = "rx", .other = send_and_flush,
           .homes = "0"),
    SYSTEM("inverted/relieved", 2, 2, BATCHED, .workers = "-xx", .other = send_or_relieve,
           .homes = "0", .also = find_mailbox, .look = receive_in_order),
};
AL_SCENARIOS(scenarios)
