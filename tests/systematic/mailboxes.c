/* SPDX-License-Identifier: MIT */

/* Mailboxes of the inverted executor: senders push under the lock, and workers gulp what waits, of
 * whom one at a time delivers it. */

#include "schedulers/inverted/mailbox.h"
#include "tests/systematic/workers.h"

enum size { SENDERS, MESSAGES, KIND };

static const struct al_scenario *scenario;
static struct al_system *workers;
static struct al_mailbox *mailbox;
static struct al_copy_queue *locals;
/* What the actors are: written by whoever holds the mailbox. */
static struct actors {
    unsigned next[8], delivered, inside;
} * actors;
static struct al_lock_choice choice;

static const struct al_lock_choice *chosen(void)
{
    return scenario->sizes[KIND] == AL_LOCK_EXCHANGE ? NULL : &choice;
}

static void set_up(const struct al_scenario *self)
{
    scenario = self;
    workers = workers_new(self->threads, NULL);
    mailbox = al_aligned_alloc(_Alignof(struct al_mailbox), sizeof *mailbox);
    al_mailbox_init(mailbox, AL_QUEUE_COPY, 2); /* grows with the third message */
    locals = al_calloc(self->threads, sizeof *locals);
    for (unsigned i = 0; i < self->threads; i++)
        al_copy_queue_init(&locals[i], 2);
    actors = al_calloc(1, sizeof *actors);
    if (al_lock_choose(&choice, (enum al_lock_kind)self->sizes[KIND], self->threads) != 0)
        al_scenario_fail("no memory");
}

/* The message says who has sent it, as which. */
static void push(struct al_worker *self, unsigned number)
{
    struct al_message *message = (struct al_message *)(uintptr_t)(self->id << 8 | number);
    al_mailbox_lock(self, mailbox, chosen());
    al_copy_queue_push_serial(&mailbox->copy, NULL, message, NULL, AL_COPY_QUEUE_DOUBLES);
    al_mailbox_unlock(self, mailbox, chosen());
}

static void deliver(uintptr_t message)
{
    uintptr_t sender = message >> 8, number = message & 0xff;
    if (actors->next[sender] != number)
        al_scenario_fail("message %u of thread %u comes when %u is due", (unsigned)number,
                         (unsigned)sender, actors->next[sender]);
    actors->next[sender]++;
    actors->delivered++;
}

static void gulp(struct al_worker *self)
{
    struct al_copy_queue *local = &locals[self->id];
    if (al_copy_queue_length(&mailbox->copy) == 0 || !al_mailbox_begin(self, mailbox, chosen()))
        return;
    const struct al_envelope *envelopes = mailbox->copy.slots;
    uint32_t n = al_copy_queue_gulp_serial(local, &mailbox->copy);
    al_mailbox_unlock(self, mailbox, chosen());
    for (uint32_t i = 0; i < n; i++)
        deliver((uintptr_t)envelopes[i].message);
    al_mailbox_end(mailbox);
    al_copy_queue_release_serial(local, n, AL_RECLAIM_HALF, 2);
}

static void thread(unsigned number)
{
    struct al_worker *self = &workers->shown.workers[number];
    for (unsigned i = 0; i < scenario->sizes[MESSAGES]; i++) {
        if (number < scenario->sizes[SENDERS])
            push(self, i);
        else
            gulp(self);
    }
}

static void look(void)
{
    gulp(&workers->shown.workers[scenario->threads]);
    unsigned sent = scenario->sizes[SENDERS] * scenario->sizes[MESSAGES];
    if (actors->delivered != sent)
        al_scenario_fail("%u of %u messages were delivered", actors->delivered, sent);
}

static const struct al_scenario scenarios[] = {
#define MAILBOX(text, n, ...)                                                                      \
    {                                                                                              \
        .name = "mailbox/" text,                                                                   \
        .shows = "each message is delivered once, in the order of its sender, by one worker at a " \
                 "time",                                                                           \
        .threads = n, .sizes = {__VA_ARGS__}, .set_up = set_up, .thread = thread, .look = look     \
    }
    MAILBOX("1-sender-1-worker", 2, 1, 2, AL_LOCK_EXCHANGE),
    MAILBOX("2-senders-1-worker", 3, 2, 1, AL_LOCK_EXCHANGE),
    MAILBOX("1-sender-2-workers", 3, 1, 2, AL_LOCK_EXCHANGE),
    MAILBOX("2-senders-2-workers", 4, 2, 1, AL_LOCK_EXCHANGE),
    MAILBOX("2-senders-1-worker-twice", 3, 2, 2, AL_LOCK_EXCHANGE),
    MAILBOX("ticket", 3, 2, 1, AL_LOCK_TICKET),
    MAILBOX("mcs", 3, 2, 1, AL_LOCK_MCS),
};
AL_SCENARIOS(scenarios)
