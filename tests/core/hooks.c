/* SPDX-License-Identifier: MIT */

/* The hooks around a worker's loop: each is called once, by the worker itself, in their order. */

#include <errno.h>
#include <string.h>

#include "core/actor.h"
#include "tests/support/choose.h"
#include "tests/support/tap.h"

enum { WORKERS = 3 };

#define SLOW_NS 20000000u /* how long `begins` takes */

struct log {
    struct al_atomic_u32 begun;  /* workers */
    struct al_atomic_u32 others; /* calls by another thread than the worker */
    struct {
        char text[8]; /* s, b and e, in the order of the calls */
    } workers[WORKERS];
};

static void note(struct log *log, uint32_t worker, char what)
{
    if (worker >= WORKERS || al_self() == NULL || al_self()->id != worker) {
        al_u32_add_relaxed(&log->others, 1);
        return;
    }
    char *text = log->workers[worker].text;
    if (strlen(text) < sizeof log->workers[worker].text - 1)
        text[strlen(text)] = what;
}

static void started(void *argument, uint32_t worker)
{
    note(argument, worker, 's');
}

static void begins(void *argument, uint32_t worker)
{
    struct log *log = argument;
    note(log, worker, 'b');
    al_sleep_ns(SLOW_NS);
    al_u32_add_relaxed(&log->begun, 1);
}

static void ended(void *argument, uint32_t worker)
{
    note(argument, worker, 'e');
}

static const struct al_worker_hooks hooks = {started, begins, ended};

struct guest {
    struct al_actor actor;
};

struct greeting {
    struct al_message message;
};

AL_ACTOR(guest)
AL_MESSAGE(greeting)

AL_BEHAVIOUR(guest, greeting, self, msg)
{
    (void)self, (void)msg;
    return AL_FINISHED;
}

/* Whether the workers were called like this, and each by itself. */
static bool are(const struct log *log, const char *const expected[WORKERS])
{
    bool good = al_u32_load_relaxed(&log->others) == 0;
    for (int i = 0; i < WORKERS; i++) {
        bool same = strcmp(log->workers[i].text, expected[i]) == 0;
        if (!same)
            printf("# worker %d: '%s', not '%s'\n", i, log->workers[i].text, expected[i]);
        good &= same;
    }
    return good;
}

static int fail_second(struct al_worker *self)
{
    return self->id == 1 ? -ENOMEM : 0;
}

int main(void)
{
    struct tap tap = {0};
    struct log log = {0};
    struct al_config config = {
        .workers = WORKERS, .oversubscribe = true, .hooks = &hooks, .hooks_argument = &log};
    choose_prompt(&config, "central", NULL);
    struct al_system *system;
    struct al_error error;
    struct guest guest;
    struct greeting greeting;
    CHECK(al_system_start(&config, &system, &error) == 0, "%s", error.text);
    tap_ok(&tap, al_u32_load_relaxed(&log.begun) == WORKERS,
           "`begins` has returned in all workers when the system has started");
    al_message_init(greeting, &greeting, AL_NODELETE);
    al_send(guest, greeting, al_actor_init(guest, &guest), &greeting);
    CHECK(al_system_stop(system, NULL) == 0, "messages were never received");
    tap_ok(&tap, are(&log, (const char *const[]){"sbe", "sbe", "sbe"}),
           "around each worker's loop");

    struct al_scheduler_ops failing = *config.scheduler;
    failing.worker_init = fail_second;
    config.scheduler = &failing;
    log = (struct log){0};
    tap_ok(&tap,
           al_system_start(&config, &system, &error) == -ENOMEM &&
               are(&log, (const char *const[]){"sbe", "se", "sbe"}),
           "a system that does not start: what was started is ended");
    return tap_done(&tap);
}
