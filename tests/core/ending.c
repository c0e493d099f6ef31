/* SPDX-License-Identifier: MIT */

/* A run ends with its last actor, even if a worker sleeps on for a while. */

#include <string.h>

#include "core/actor.h"
#include "tests/support/choose.h"
#include "tests/support/tap.h"

/* On a busy machine the other worker may not have fallen asleep in time. */
#define TRIES 5

struct last {
    struct al_actor actor;
    uint64_t received_ns;
};

struct word {
    struct al_message message;
};

AL_ACTOR(last)
AL_MESSAGE(word)

AL_BEHAVIOUR(last, word, self, msg)
{
    al_sleep_ns(50000000); /* meanwhile the other worker falls asleep */
    self->received_ns = al_clock_ns();
    return AL_FINISHED;
}

/* Two workers under `polling` that sleep for 300 ms after their first failed look, even if
 * work arrives meanwhile. */
static bool ends_with_actor(const char *scheduler)
{
    static const struct al_setting sleepy[] = {{"aggressive_attempts", "0"},
                                               {"moderate_attempts", "1000000"},
                                               {"moderate_sleep", "300000"}};
    struct al_config config = {.workers = 2,
                               .oversubscribe = true,
                               .settings = sleepy,
                               .n_settings = sizeof sleepy / sizeof *sleepy};
    choose_plugins(&config, scheduler, NULL, "polling");
    struct al_system *system;
    struct al_error error = {""};
    struct al_report report;
    struct last last = {.received_ns = 0};
    struct word word;
    CHECK(al_system_start(&config, &system, &error) == 0, "%s", error.text);
    al_message_init(word, &word, AL_NODELETE);
    al_send(last, word, al_actor_init(last, &last), &word);
    CHECK(al_system_stop(system, &report) == 0, "messages were never received");
    uint64_t stopped_ns = al_clock_ns();
    /* The last worker sleeps for hundreds of milliseconds after the last actor has terminated. */
    bool good = report.ended_ns >= last.received_ns && report.ended_ns <= stopped_ns &&
                report.ended_ns - last.received_ns < stopped_ns - report.ended_ns;
    if (!good)
        printf("# received at 0, ended after %lld ns, stopped after %lld ns\n",
               (long long)(report.ended_ns - last.received_ns),
               (long long)(stopped_ns - last.received_ns));
    uint64_t created = 0, terminated = 0;
    for (uint32_t i = 0; i <= report.n_workers; i++) {
        created += report.workers[i].actors_created;
        terminated += report.workers[i].actors_terminated;
    }
    good &= created == 1 && terminated == 1;
    al_report_free(&report);
    return good;
}

int main(void)
{
    struct tap tap = {0};
    for (size_t s = 0; al_schedulers[s] != NULL; s++) {
        const struct al_scheduler_ops *ops = AL_OPS(al_schedulers[s], al_scheduler_ops);
        if (ops->sleeps == AL_SLEEPS_OWN) /* `sharing` wakes its workers at the end */
            continue;
        bool good = false;
        for (int i = 0; i < TRIES && !good; i++)
            good = ends_with_actor(ops->plugin.name);
        tap_ok(&tap, good,
               "%s: the run ends with its last actor, not when the last worker wakes up",
               ops->plugin.name);
    }
    return tap_done(&tap);
}
