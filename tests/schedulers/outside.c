/* SPDX-License-Identifier: MIT */

/*
 * Threads that are no workers (core/outside.h): several send to the same actors while the starter
 * sends, too, and creates more actors; and they ask, and wait at a port for their answers. Promise,
 * for every strategy: each message arrives once, those of a thread to an actor in the order in
 * which it sent them; and each question comes back, answered. On threads, and on the virtual engine
 * with many seeds.
 */

#include <string.h>

#include "core/outside.h"
#include "tests/support/each_strategy.h"

#ifdef AL_VIRTUAL
#define SEEDS    20
#define MESSAGES 12      /* of each sender to each receiver */
#define PATIENCE 1000000 /* s, of the engine's clock, which leaps */
#else
#define SEEDS    2
#define MESSAGES 2000
#define PATIENCE 60
#endif
#define SENDERS   4 /* the last is the starter */
#define RECEIVERS 6 /* the starter creates half of them while the others send */
#define QUESTIONS (MESSAGES / 3)

struct numbered {
    struct al_message message;
    uint32_t sender, number;
};

struct question {
    struct al_message message;
    struct al_port *asker;
    uint32_t number, answer;
};

struct receiver {
    struct al_actor actor;
    uint32_t got[SENDERS], n; /* n: of all */
};

struct oracle {
    struct al_actor actor;
    uint32_t n;
};

static struct stage {
    struct al_config config;
    struct al_system *system;
    struct al_atomic_u32 complete; /* all receivers have been created */
    struct receiver receivers[RECEIVERS];
    struct numbered messages[RECEIVERS][SENDERS][MESSAGES];
    struct oracle oracle;
    struct question questions[SENDERS - 1][QUESTIONS];
} stage;

AL_ACTOR(receiver)
AL_ACTOR(oracle)
AL_MESSAGE(numbered)
AL_MESSAGE_WITH_DESTRUCTOR(question, answered)

AL_BEHAVIOUR(receiver, numbered, self, msg)
{
    uint32_t got = self->got[msg->sender]++;
    CHECK(msg->number == got, "message %u of sender %u arrives where %u was due", msg->number,
          msg->sender, got);
    return ++self->n == MESSAGES * SENDERS ? AL_FINISHED : AL_NODELETE;
}

AL_BEHAVIOUR(oracle, question, self, msg)
{
    msg->answer = msg->number + 1;
    return ++self->n == QUESTIONS * (SENDERS - 1) ? AL_FINISHED : AL_NODELETE;
}

static void answered(struct question *question)
{
    CHECK(al_port_put(question->asker, &question->message) == 0, "no memory");
}

static void send_one(uint32_t sender, uint32_t r, uint32_t number)
{
    struct numbered *message = &stage.messages[r][sender][number];
    al_message_init(numbered, message, AL_NODELETE);
    message->sender = sender;
    message->number = number;
    if (sender == SENDERS - 1)
        al_send(receiver, numbered, &stage.receivers[r], message);
    else
        al_system_send(stage.system, receiver, numbered, &stage.receivers[r], message);
}

/* To the receivers from `first` on, in turn. */
static void send_all(uint32_t sender, uint32_t first, uint32_t end)
{
    for (uint32_t i = 0; i < MESSAGES; i++)
        for (uint32_t r = first; r < end; r++)
            send_one(sender, r, i);
}

/* Ask several questions at a time. */
static void ask_all(struct al_port *port, struct question *questions)
{
    uint32_t asked = 0, got = 0;
    const struct question *question;
    while (got < QUESTIONS) {
        for (; asked < QUESTIONS && asked - got < 3; asked++) {
            struct question *next = al_message_init(question, &questions[asked], AL_DESTROY);
            next->asker = port;
            next->number = asked;
            al_system_send(stage.system, oracle, question, &stage.oracle, next);
        }
        for (uint32_t waits = 0; !al_port_wait(port, 1000000000); waits++)
            CHECK(waits < PATIENCE, "no answer comes");
        while ((question = al_port_take_as(question, port)) != NULL) {
            CHECK(question->number == got && question->answer == got + 1,
                  "question %u comes back as %u where %u was due", question->number,
                  question->answer, got);
            got++;
        }
    }
}

static void outside_main(void *argument)
{
    uint32_t sender = (uint32_t)(uintptr_t)argument;
    struct al_port *port;
    struct al_error error;
    CHECK(al_port_open(&port, &error) == 0, "%s", error.text);
    send_all(sender, 0, RECEIVERS / 2);
    while (al_u32_load_acquire(&stage.complete) == 0)
        al_yield();
    send_all(sender, RECEIVERS / 2, RECEIVERS);
    ask_all(port, stage.questions[sender]);
    al_port_close(port);
}

static void run_actors(void *argument)
{
    struct al_thread threads[SENDERS - 1];
    struct al_error error;
    (void)argument;
    CHECK(al_system_start(&stage.config, &stage.system, &error) == 0, "%s", error.text);
    al_actor_init(oracle, &stage.oracle);
    for (uint32_t r = 0; r < RECEIVERS / 2; r++)
        al_actor_init(receiver, &stage.receivers[r]);
    for (uintptr_t i = 0; i < SENDERS - 1; i++)
        CHECK(al_thread_start(&threads[i], outside_main, (void *)i) == 0, "no thread");
    for (uint32_t r = RECEIVERS / 2; r < RECEIVERS; r++)
        al_actor_init(receiver, &stage.receivers[r]);
    al_u32_store_release(&stage.complete, 1);
    send_all(SENDERS - 1, 0, RECEIVERS);
    struct al_report report;
    CHECK(al_system_stop(stage.system, &report) == 0, "messages were never received");
    for (uint32_t i = 0; i < SENDERS - 1; i++)
        al_thread_join(&threads[i]);
    uint64_t sent = report.workers[report.n_workers].counters.messages_sent;
    CHECK(!AL_COUNTERS || sent == MESSAGES * SENDERS * RECEIVERS + QUESTIONS * (SENDERS - 1),
          "the report has %llu messages from outside", (unsigned long long)sent);
    al_report_free(&report);
}

static struct al_config *begin_run(void)
{
    memset(&stage, 0, sizeof stage);
    stage.config.shared = true;
    return &stage.config;
}

int main(void)
{
    static const struct scene scene = {"threads outside send and ask", SEEDS, begin_run,
                                       run_actors};
    struct tap tap = {0};
    play_with_each(&tap, &scene);
    return tap_done(&tap);
}
