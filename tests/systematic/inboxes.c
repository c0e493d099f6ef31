/* SPDX-License-Identifier: MIT */

/* The inbox of an actor: senders push, and whoever finds the actor waiting runs it. No message is
 * lost or overtaken, and one thread at a time runs the actor. */

#include "core/engine/check/scenario.h"
#include "schedulers/queues/inbox.h"

enum size { MESSAGES };
enum { MOST = 8 };

static const struct al_scenario *scenario;
static struct actor {
    struct al_inbox inbox;
    unsigned next[8];   /* of each sender: the message that is due. Written by whoever runs it */
    unsigned delivered; /* likewise */
} * actor;
static struct al_list_node *nodes[8][MOST];
static struct sent {
    unsigned sender, number;
} sent[8][MOST];

static void set_up(const struct al_scenario *self)
{
    scenario = self;
    actor = al_calloc(1, sizeof *actor);
    al_inbox_init(&actor->inbox);
    for (unsigned s = 0; s < self->threads; s++) {
        for (unsigned i = 0; i < self->sizes[MESSAGES]; i++)
            nodes[s][i] = al_malloc(sizeof *nodes[s][i]);
    }
}

/* Run the actor until it waits. */
static void run(void)
{
    uint64_t gulps = 0, gulped = 0;
    for (;;) {
        struct al_list_node *node = al_inbox_pop_mpsc(&actor->inbox, &gulps, &gulped);
        if (node == NULL) {
            if (al_inbox_wait_mpsc(&actor->inbox))
                return;
            continue;
        }
        const struct sent *message = (const struct sent *)node->envelope.message;
        if (actor->next[message->sender] != message->number)
            al_scenario_fail("message %u of thread %u comes when %u is due", message->number,
                             message->sender, actor->next[message->sender]);
        actor->next[message->sender]++;
        actor->delivered++;
        (void)al_inbox_length_mpsc(&actor->inbox); /* which looks at the messages */
        al_free(node);
    }
}

static void thread(unsigned number)
{
    for (unsigned i = 0; i < scenario->sizes[MESSAGES]; i++) {
        sent[number][i] = (struct sent){number, i};
        struct al_message *message = (struct al_message *)&sent[number][i];
        *nodes[number][i] = (struct al_list_node){{NULL, message, NULL}, NULL};
        if (al_inbox_push_mpsc(&actor->inbox, nodes[number][i]))
            run();
    }
}

static void look(void)
{
    if (actor->delivered != scenario->threads * scenario->sizes[MESSAGES])
        al_scenario_fail("%u of %u messages were delivered", actor->delivered,
                         scenario->threads * scenario->sizes[MESSAGES]);
}

static const struct al_scenario scenarios[] = {
#define INBOX(text, n, is_deep, ...)                                                               \
    {                                                                                              \
        .name = "inbox/" text,                                                                     \
        .shows = "each message is delivered once, in the order of its sender, by one thread at a " \
                 "time",                                                                           \
        .threads = n, .sizes = {__VA_ARGS__}, .set_up = set_up, .thread = thread, .look = look,    \
        .deep = is_deep                                                                            \
    }
    INBOX("2-senders", 2, false, 2),
    INBOX("3-senders", 3, false, 1),
    INBOX("3-senders-twice", 3, true, 2),
};
AL_SCENARIOS(scenarios)
