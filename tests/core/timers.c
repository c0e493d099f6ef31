/* SPDX-License-Identifier: MIT */

/*
 * The timers of one worker come in the order in which they are due, and of two that are due at once
 * the one that was asked for first comes first; none is lost, and none is early. So the heap is
 * tried with many sizes, and with times that repeat; on threads, and on the virtual engine
 * (AL_VIRTUAL).
 */

#include "core/later.h"
#include "core/random.h"
#include "tests/support/choose.h"
#include "tests/support/run_seed.h"

#define ALARMS_MOST 3000

#ifdef AL_VIRTUAL /* where reading the clock is a step, too */
#define SEEDS   5
#define LARGEST 100
#else
#define SEEDS   1
#define LARGEST ALARMS_MOST
#endif

struct alarm {
    struct al_message message;
    uint64_t due;
    uint32_t number;
};

struct go {
    struct al_message message;
};

struct clock {
    struct al_actor actor;
    struct al_random random;
    uint32_t n, n_times, came;
    uint64_t began, last_due;
    uint32_t last_number;
    const char *wrong; /* what was; or NULL */
    struct alarm alarms[ALARMS_MOST];
};

AL_ACTOR(clock)
AL_MESSAGE(alarm)
AL_MESSAGE(go)

AL_BEHAVIOUR(clock, alarm, self, msg)
{
    if (al_clock_ns() < msg->due)
        self->wrong = "it came before it was due";
    if (msg->due < self->last_due)
        self->wrong = "it was due before the last one";
    if (msg->due == self->last_due && msg->number < self->last_number)
        self->wrong = "it was asked for before the last one";
    self->last_due = msg->due;
    self->last_number = msg->number;
    return ++self->came == self->n ? AL_FINISHED : AL_NODELETE;
}

/* All in one behaviour: none can be sent before it has ended. */
AL_BEHAVIOUR(clock, go, self, msg)
{
    self->began = al_clock_ns();
    for (uint32_t i = 0; i < self->n; i++) {
        struct alarm *alarm = &self->alarms[i];
        al_message_init(alarm, alarm, AL_NODELETE);
        alarm->number = i;
        alarm->due = self->began + al_random_below(&self->random, self->n_times) * 100;
        al_send_at(clock, alarm, self, alarm, alarm->due);
    }
    return AL_NODELETE;
}

struct job {
    const struct al_config *config;
    uint32_t n, n_times; /* alarms, at so many times */
    const char *wrong;   /* what was; or NULL */
};

static void ring(void *argument)
{
    struct job *job = argument;
    static struct clock clock;
    struct go go;
    struct al_system *system;
    struct al_error error = {""};
    clock = (struct clock){.n = job->n, .n_times = job->n_times};
    al_random_seed(&clock.random, job->n, job->n_times);
    CHECK(al_system_start(job->config, &system, &error) == 0, "%s", error.text);
    al_message_init(go, &go, AL_NODELETE);
    al_send(clock, go, al_actor_init(clock, &clock), &go);
    CHECK(al_system_stop(system, NULL) == 0, "a message was lost");
    job->wrong = clock.came == job->n ? clock.wrong : "some did not come";
}

/* Returns what was wrong, or NULL. */
static const char *ring_with_seeds(const struct al_config *config, uint32_t n, uint32_t n_times)
{
    struct job job = {config, n, n_times, NULL};
    for (uint64_t seed = 1; seed <= SEEDS && job.wrong == NULL; seed++)
        run_seed(seed, ring, &job);
    return job.wrong;
}

int main(void)
{
    struct tap tap = {0};
    static const uint32_t sizes[] = {1, 2, 4, 5, 6, 17, 100, 1000, ALARMS_MOST};
    static const char *const strategies[] = {"deque", "inverted", "custody"};
    for (size_t s = 0; s < sizeof strategies / sizeof strategies[0]; s++) {
        struct al_config config = {.workers = 1};
        choose_prompt(&config, strategies[s], NULL);
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0] && sizes[i] <= LARGEST; i++) {
            const char *few = ring_with_seeds(&config, sizes[i], 3);
            const char *many = ring_with_seeds(&config, sizes[i], 100000);
            tap_ok(&tap, few == NULL && many == NULL, "%s: %u timers%s%s", strategies[s], sizes[i],
                   few != NULL || many != NULL ? ": " : "",
                   few != NULL    ? few
                   : many != NULL ? many
                                  : "");
        }
    }
    return tap_done(&tap);
}
