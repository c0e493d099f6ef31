/* SPDX-License-Identifier: MIT */

/*
 * The options of inverted that are not the chapter's: which few messages are stolen, how long a
 * thief waits after attempts in vain, and where a worker's new actors go. On threads, and on the
 * virtual engine (AL_VIRTUAL) with many seeds.
 */

#include <unistd.h>

#include "core/actor.h"
#include "schedulers/inverted/outbox.h"
#include "schedulers/inverted/thrift.h"
#include "tests/support/choose.h"
#include "tests/support/run_seed.h"

#ifdef AL_VIRTUAL
#define ROUNDS 200
#else
#define ROUNDS 20
#endif

#define N_YOUNG 12

struct greeting {
    struct al_message message;
};

/* Stays in its behaviour for so many yields, or until `left` is set. */
struct hog {
    struct al_actor actor;
    struct al_atomic_u32 begun;
    const struct al_atomic_u32 *left; /* or NULL */
    uint32_t yields, ran_on;
};

struct guest {
    struct al_actor actor;
    struct al_atomic_u32 ran;
    uint32_t ran_on;
};

/* Creates others. */
struct maker {
    struct al_actor actor;
    struct guest *young;
    struct greeting *greeting;
    uint32_t ran_on;
};

AL_ACTOR(hog)
AL_ACTOR(guest)
AL_ACTOR(maker)
AL_MESSAGE(greeting)

AL_BEHAVIOUR(hog, greeting, self, msg)
{
    (void)msg;
    self->ran_on = al_self()->id;
    /* release, here and below: partner is the acquire of whoever waits for it, publishes ran_on */
    al_u32_store_release(&self->begun, 1);
    if (self->left != NULL) {
        while (al_u32_load_acquire(self->left) == 0)
            al_yield();
    } else {
        for (uint32_t i = 0; i < self->yields; i++)
            al_yield();
    }
    return AL_FINISHED;
}

AL_BEHAVIOUR(guest, greeting, self, msg)
{
    (void)msg;
    self->ran_on = al_self()->id;
    al_u32_store_release(&self->ran, 1);
    return AL_FINISHED;
}

AL_BEHAVIOUR(maker, greeting, self, msg)
{
    (void)msg;
    self->ran_on = al_self()->id;
    for (uint32_t i = 0; i < N_YOUNG; i++)
        al_send(guest, greeting, al_actor_init(guest, &self->young[i]), self->greeting);
    return AL_FINISHED;
}

struct job {
    uint64_t seed;
    uint32_t workers;
    const char *victim;
    struct al_setting settings[3];
};

static struct al_system *start_system(const struct job *job)
{
    struct al_config config = {
        .workers = job->workers,
        .seed = job->seed,
        .oversubscribe = true,
        .pin = "none",
        .settings = job->settings,
        .n_settings = sizeof job->settings / sizeof *job->settings,
    };
    choose_plugins(&config, "inverted", job->victim, "spin");
    struct al_system *system;
    struct al_error error;
    CHECK(al_system_start(&config, &system, &error) == 0, "%s", error.text);
    return system;
}

static void stop_system(struct al_system *system)
{
    CHECK(al_system_stop(system, NULL) == 0, "not received");
}

/* Give both actors to worker 0, and the guest its message once the hog has begun. */
static void run_hog_and_guest(const struct job *job, struct hog *hog, struct guest *guest)
{
    struct greeting greeting;
    struct al_system *system = start_system(job);
    al_message_init(greeting, &greeting, AL_NODELETE);
    al_actor_enter_hog(hog, AL_PLACE_WORKER, 0);
    al_actor_enter_guest(guest, AL_PLACE_WORKER, 0);
    al_send(hog, greeting, hog, &greeting);
    while (al_u32_load_acquire(&hog->begun) == 0)
        al_yield();
    al_send(guest, greeting, guest, &greeting);
    stop_system(system);
}

/* The owner of the guest's mailbox does not come to it before a thief has taken it. */
static void run_left_alone(void *argument)
{
    const struct job *job = argument;
    struct guest guest = {.ran_on = AL_NO_WORKER};
    struct hog hog = {.left = &guest.ran};
    run_hog_and_guest(job, &hog, &guest);
    CHECK(guest.ran_on != hog.ran_on, "seed %llu: not stolen", (unsigned long long)job->seed);
}

/* Nothing is taken from an owner that has few messages, however long a thief looks. */
static void run_few(void *argument)
{
    const struct job *job = argument;
    struct guest guest = {.ran_on = AL_NO_WORKER};
    struct hog hog = {.yields = 500};
    run_hog_and_guest(job, &hog, &guest);
    CHECK(hog.ran_on == 0 && guest.ran_on == 0,
          "seed %llu: the hog ran on worker %u and the guest on %u; few messages were stolen",
          (unsigned long long)job->seed, hog.ran_on, guest.ran_on);
}

/* Without stealing, a worker runs the actors that it created. */
static void run_local(void *argument)
{
    const struct job *job = argument;
    struct greeting greeting;
    struct guest young[N_YOUNG] = {0};
    struct maker maker = {.young = young, .greeting = &greeting};
    struct al_system *system = start_system(job);
    al_message_init(greeting, &greeting, AL_NODELETE);
    al_actor_enter_maker(&maker, AL_PLACE_WORKER, (uint32_t)(job->seed % job->workers));
    al_send(maker, greeting, &maker, &greeting);
    stop_system(system);
    for (uint32_t i = 0; i < N_YOUNG; i++)
        CHECK(young[i].ran_on == maker.ran_on,
              "seed %llu: created on worker %u, actor %u ran on worker %u",
              (unsigned long long)job->seed, maker.ran_on, i, young[i].ran_on);
}

static void run_rounds(void (*function)(void *), struct job job)
{
    for (job.seed = 0; job.seed < ROUNDS; job.seed++) {
        alarm(120);
        run_seed(job.seed, function, &job);
    }
}

static void test_backoff(struct tap *tap)
{
    const uint64_t first = AL_STEAL_BACKOFF_FIRST_CYCLES, most = 5 * first / 2;
    struct al_steal_backoff backoff = {0};
    bool good = al_steal_backoff_due(&backoff);
    al_steal_backoff_failed(&backoff, most);
    good &= backoff.wait_cycles == first;
    al_steal_backoff_failed(&backoff, most);
    good &= backoff.wait_cycles == 2 * first;
    for (int i = 0; i < 100; i++) {
        al_steal_backoff_failed(&backoff, most);
        good &= backoff.wait_cycles == most;
    }
    tap_ok(tap, good, "back-off: each attempt in vain doubles the wait, up to the limit");
    al_steal_backoff_rest(&backoff);
    al_steal_backoff_failed(&backoff, 1);
    good = backoff.wait_cycles == 1;
    backoff.next = al_cycles() + ((uint64_t)1 << 60);
    good &= !al_steal_backoff_due(&backoff);
    backoff.next = al_cycles();
    good &= al_steal_backoff_due(&backoff);
    backoff.next = al_cycles() + ((uint64_t)1 << 60);
    al_steal_backoff_rest(&backoff);
    tap_ok(tap, good && al_steal_backoff_due(&backoff),
           "back-off: an attempt is due when the wait has passed, or work was found");
}

static void test_watch(struct tap *tap)
{
    struct al_thrift *thrift = al_thrift_new(2);
    CHECK(thrift != NULL, "no memory");
    struct al_watch *watch = &thrift[1].watches[0];
    const uint64_t ages = (uint64_t)1 << 40, at_once = 0;
    al_thrift_passed(&thrift[0]);
    bool good = !al_thrift_left_alone(watch, &thrift[0], at_once); /* a first look */
    al_thrift_passed(&thrift[0]);
    good &= !al_thrift_left_alone(watch, &thrift[0], at_once); /* it has come round */
    good &= !al_thrift_left_alone(watch, &thrift[0], ages);    /* too early */
    watch->since -= 2;
    good &= al_thrift_left_alone(watch, &thrift[0], at_once);
    good &= !al_thrift_left_alone(watch, &thrift[0], ages);
    al_thrift_passed(&thrift[0]);
    good &= !al_thrift_left_alone(watch, &thrift[0], at_once);
    tap_ok(tap, good, "an owner leaves messages alone if it ends no pass for steal_patience");
    al_thrift_free(thrift, 2);
}

static void ignore(void *context, const struct al_envelope *envelope)
{
    (void)context;
    (void)envelope;
}

/* Two mailboxes whose numbers share a slot. */
static void test_outbox(struct tap *tap)
{
    static struct al_outbox outbox = {.growth = 2};
    struct al_mailbox first, second;
    al_mailbox_init(&first, AL_QUEUE_COPY, 4);
    al_mailbox_init(&second, AL_QUEUE_COPY, 4);
    al_outbox_add(&outbox, &first, 3, NULL, NULL, NULL);
    al_outbox_add(&outbox, &second, 3 + AL_OUTBOX_SLOTS, NULL, NULL, NULL);
    bool good = al_copy_queue_length(&first.copy) == 1 && al_copy_queue_length(&second.copy) == 0;
    al_outbox_flush(&outbox);
    good &= al_copy_queue_length(&first.copy) == 1 && al_copy_queue_length(&second.copy) == 1;
    tap_ok(tap, good,
           "outbox: a mailbox that needs a slot flushes what is there to its own mailbox");
    al_copy_queue_fini(&first.copy, ignore, NULL);
    al_copy_queue_fini(&first.kept, ignore, NULL);
    al_copy_queue_fini(&second.copy, ignore, NULL);
    al_copy_queue_fini(&second.kept, ignore, NULL);
}

static void run_units(void *argument)
{
    test_outbox(argument);
    test_backoff(argument);
    test_watch(argument);
}

int main(void)
{
    struct tap tap = {0};
    run_seed(0, run_units, &tap);
    struct job alone = {
        .workers = 2,
        .settings = {{"steal_least", "8"}, {"steal_patience", "100"}, {"steal_backoff", "2000"}}};
    run_rounds(run_left_alone, alone);
    tap_ok(&tap, true, "a message that its owner leaves alone is stolen");
    struct job few = {.workers = 2,
                      .settings = {{"steal_least", "2"},
                                   {"steal_patience", "1000000000000"},
                                   {"steal_backoff", "0"}}};
    run_rounds(run_few, few);
    tap_ok(&tap, true, "a lone message is not stolen from an owner that is given time");
    struct job local = {.workers = 4,
                        .victim = "none",
                        .settings = {{"tickets", "local"}, {"shards", "3"}, {"growth", "3"}}};
    run_rounds(run_local, local);
    tap_ok(&tap, true, "tickets=local: new actors run on their creator's worker");
    return tap_done(&tap);
}
