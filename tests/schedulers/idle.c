/* SPDX-License-Identifier: MIT */

/*
 * Idle policies. On the virtual engine (AL_VIRTUAL), whose clock counts only operations and time
 * slept: how long each wait is, and which looks steal. On threads: a system with nothing to do
 * costs no processor time, and wakes up.
 */

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/actor.h"
#include "core/system_private.h"
#include "tests/support/choose.h"
#include "tests/support/run_seed.h"
#include "tests/support/tap.h"

#ifdef AL_VIRTUAL

struct fixture {
    struct tap *tap;
    struct al_runtime *system; /* the beginning of a struct al_system */
    struct al_worker *worker;
    const struct al_idle_ops *ops;
};

static uint64_t no_length(const struct al_worker *worker)
{
    (void)worker;
    return 0;
}

static const struct al_scheduler_ops empty = {.length = no_length};

/* A worker of a system that does not run, with this policy. */
static struct fixture fixture_new(struct tap *tap, const char *policy,
                                  const struct al_setting *settings, size_t n)
{
    struct al_error error;
    struct fixture fixture = {
        tap,
        aligned_alloc(_Alignof(struct al_system), sizeof(struct al_system)),
        aligned_alloc(_Alignof(struct al_worker), sizeof *fixture.worker),
        NULL,
    };
    CHECK(fixture.system != NULL && fixture.worker != NULL, "no memory");
    memset(fixture.system, 0, sizeof(struct al_system));
    memset(fixture.worker, 0, sizeof *fixture.worker);
    struct al_selection *selection = &fixture.system->idle;
    selection->plugin = al_plugin_find(al_idles, "idle policy", policy, &error);
    CHECK(selection->plugin != NULL, "%s", error.text);
    CHECK(al_options_parse(&selection, 1, settings, n, &error) == 0, "%s", error.text);
    fixture.ops = AL_OPS(selection->plugin, al_idle_ops);
    fixture.worker->system = fixture.system;
    fixture.system->ops = &empty;
    fixture.system->n_workers = 1;
    if (fixture.ops->init != NULL)
        CHECK(fixture.ops->init(fixture.system, &error) == 0, "%s", error.text);
    return fixture;
}

static void fixture_free(struct fixture *fixture)
{
    if (fixture->ops->fini != NULL)
        fixture->ops->fini(fixture->system);
    free(fixture->worker);
    free(fixture->system);
}

/* How long the wait after so many failed looks takes by the clock, on which one operation takes
 * 1. */
static uint64_t wait_of(const struct fixture *fixture, uint64_t misses)
{
    uint64_t before = al_engine_clock();
    fixture->ops->wait(fixture->worker, misses, 0);
    return al_engine_clock() - before;
}

/*
 * CAF manual, section "Work Stealing": "the aggressive strategy performs 100 steal attempts with no
 * sleep interval in between. The moderate strategy tries to steal 500 times with 50 microseconds
 * sleep between two steal attempts. Finally, the relaxed strategy runs indefinitely but sleeps for
 * 10 milliseconds". In CAF 0.17.6's code these are 100 and 500 looks, of which every 10th and every
 * 5th steals, starting with the first; after them every look steals.
 */
struct interval {
    uint64_t first, last; /* looks for work, counted from 1 */
    uint64_t every;       /* one look in so many steals */
    uint64_t sleep_ns;    /* the wait after each failed look */
    uint64_t n_steals, total_ns;
    uint64_t steps; /* operations that a wait consists of */
};

/* Before a long sleep, a worker announces it and checks once more for work and for the end. */
#define RELAXED_STEPS 5

static const struct interval caf[3] = {
    {1, 100, 10, 0, 10, 0, 1},
    {101, 600, 5, 50000, 100, 25000000, 1},
    {601, 1000, 1, 10000000, 400, 4000000000, RELAXED_STEPS},
};

/* Other numbers, which share no multiples. */
static const struct al_setting odd_settings[] = {
    {"aggressive_attempts", "7"}, {"aggressive_steal", "3"}, {"moderate_attempts", "11"},
    {"moderate_steal", "4"},      {"moderate_sleep", "2"},   {"relaxed_steal", "3"},
    {"relaxed_sleep", "5"},
};
static const struct interval odd[3] = {
    {1, 7, 3, 0, 3, 0, 1},                       /* 1, 4, 7 */
    {8, 18, 4, 2000, 3, 22000, 1},               /* 8, 12, 16 */
    {19, 60, 3, 5000, 14, 210000, RELAXED_STEPS} /* 19, 22 … 58 */
};

static void follow(const struct fixture *fixture, const struct interval *intervals)
{
    for (size_t i = 0; i < 3; i++) {
        const struct interval *interval = &intervals[i];
        uint64_t n_steals = 0, total_ns = 0, wrong = 0;
        for (uint64_t look = interval->first; look <= interval->last; look++) {
            bool steals = fixture->ops->steals(fixture->worker, look - 1);
            uint64_t waited = wait_of(fixture, look);
            wrong += steals != ((look - interval->first) % interval->every == 0) ||
                     waited != interval->sleep_ns + interval->steps;
            n_steals += steals;
            total_ns += waited - interval->steps;
        }
        tap_ok(fixture->tap,
               wrong == 0 && n_steals == interval->n_steals && total_ns == interval->total_ns,
               "polling: looks %llu to %llu steal %llu times and sleep %llu ns",
               (unsigned long long)interval->first, (unsigned long long)interval->last,
               (unsigned long long)n_steals, (unsigned long long)total_ns);
    }
    tap_ok(fixture->tap, fixture->ops->steals(fixture->worker, 0) && wait_of(fixture, 1) == 1,
           "polling: after work was found it begins again");
}

/* CAF's manual: each of the 100 and the 500 attempts is one to steal. */
static const struct al_setting manual_settings[] = {{"counting", "steals"}};
static const struct interval manual[3] = {
    {1, 100, 1, 0, 100, 0, 1},
    {101, 600, 1, 50000, 500, 25000000, 1},
    {601, 1000, 1, 10000000, 400, 4000000000, RELAXED_STEPS},
};

static void test_polling(void *argument)
{
    struct fixture fixture = fixture_new(argument, "polling", NULL, 0);
    follow(&fixture, caf);
    fixture_free(&fixture);
    fixture = fixture_new(argument, "polling", odd_settings,
                          sizeof odd_settings / sizeof *odd_settings);
    follow(&fixture, odd);
    fixture_free(&fixture);
    fixture = fixture_new(argument, "polling", manual_settings, 1);
    follow(&fixture, manual);
    fixture_free(&fixture);
}

/* Short waits consist of pauses, longer ones are sleeps: 32 pauses take about a microsecond. */
static void test_backoff(void *argument)
{
    static const uint64_t pauses[] = {2, 4, 8, 16, 32, 64, 128, 256};
    static const uint64_t us[] = {16, 32, 64, 128, 256, 512, 1000, 1000, 1000};
    struct fixture fixture = fixture_new(argument, "backoff", NULL, 0);
    uint64_t misses = 1;
    bool spins = true, sleeps = true, longest = true;
    for (size_t i = 0; i < sizeof pauses / sizeof *pauses; i++)
        spins &= wait_of(&fixture, misses++) == pauses[i];
    for (size_t i = 0; i < sizeof us / sizeof *us; i++)
        sleeps &= wait_of(&fixture, misses++) == us[i] * 1000 + 1;
    for (; misses < 100; misses++)
        longest &= wait_of(&fixture, misses) == 1000001;
    longest &= wait_of(&fixture, UINT64_MAX) == 1000001;
    tap_ok(fixture.tap, spins, "backoff: from 2 pauses to 256, each wait twice the one before");
    tap_ok(fixture.tap, sleeps, "backoff: from 16 us to 1 ms likewise");
    tap_ok(fixture.tap, longest, "backoff: never longer");
    tap_ok(fixture.tap, wait_of(&fixture, 1) == 2, "backoff: short again after work was found");
    fixture_free(&fixture);
}

static void sleeper(void *argument)
{
    (void)argument;
    al_sleep_ns(1000000);
}

static void test_clock(void *argument)
{
    struct al_thread threads[2];
    uint64_t before = al_clock_ns(), steps = al_engine_clock();
    al_pause();
    bool counts = al_engine_clock() == steps + 1;
    for (int i = 0; i < 2; i++)
        CHECK(al_thread_start(&threads[i], sleeper, NULL) == 0, "no thread");
    for (int i = 0; i < 2; i++)
        al_thread_join(&threads[i]);
    uint64_t passed = al_clock_ns() - before;
    tap_ok(argument, counts && passed > 2000000 && passed < 2000100,
           "the engine's clock counts operations and all sleeps: %llu", (unsigned long long)passed);
}

int main(void)
{
    struct tap tap = {0};
    void (*const tests[])(void *) = {test_clock, test_polling, test_backoff};
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        run_seed(1, tests[i], &tap);
    return tap_done(&tap);
}

#else

#define SETTLE_NS  100000000 /* until the workers sleep */
#define MEASURE_NS 200000000
#define TRIES      5 /* a sanitizer's own thread adds to it */

struct letter {
    struct al_message message;
};

struct recluse {
    struct al_actor actor;
    uint32_t received;
};

AL_ACTOR(recluse)
AL_MESSAGE(letter)

AL_BEHAVIOUR(recluse, letter, self, msg)
{
    self->received++;
    return AL_FINISHED;
}

static uint64_t cpu_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* What a system costs whose only actor has no message, in percent of a core; and how long it takes
 * to end. */
static void measure(const char *scheduler, const char *idle, uint64_t settle_ns, double *percent,
                    double *end_ms)
{
    /* Under `polling` workers sleep for 20 s, unless work from outside ends that. */
    static const struct al_setting relaxed[] = {
        {"aggressive_attempts", "0"}, {"moderate_attempts", "0"}, {"relaxed_sleep", "20000000"}};
    bool polls = strcmp(idle, "polling") == 0;
    struct al_config config = {.workers = 2,
                               .oversubscribe = true,
                               .pin = "none",
                               .settings = relaxed,
                               .n_settings = polls ? sizeof relaxed / sizeof *relaxed : 0};
    choose_plugins(&config, scheduler, NULL, idle);
    struct al_system *system;
    struct al_error error;
    struct recluse recluse = {.received = 0};
    struct letter letter;
    CHECK(al_system_start(&config, &system, &error) == 0, "%s", error.text);
    al_actor_init(recluse, &recluse);
    al_message_init(letter, &letter, AL_NODELETE);
    al_sleep_ns(settle_ns);
    uint64_t clock = al_clock_ns(), cpu = cpu_ns();
    al_sleep_ns(MEASURE_NS);
    *percent = 100 * (double)(cpu_ns() - cpu) / (double)(al_clock_ns() - clock);
    clock = al_clock_ns();
    al_send(recluse, letter, &recluse, &letter);
    CHECK(al_system_stop(system, NULL) == 0 && recluse.received == 1, "%u received",
          recluse.received);
    *end_ms = (double)(al_clock_ns() - clock) / 1e6;
}

int main(void)
{
    static const struct {
        const char *scheduler, *idle;
    } sleepers[] = {{"inverted", "park"}, {"deque", "park"},  {"las", "park"},
                    {"mercury", "park"},  {"mercury", "own"}, {"sharing", "own"},
                    {"deque", "polling"}, {"las", "polling"}};
    struct tap tap = {0};
    for (size_t i = 0; i < sizeof sleepers / sizeof *sleepers; i++) {
        double percent = 100, end_ms = 1e4;
        alarm(60); /* one that is not woken would wait for ever */
        for (int k = 0; k < TRIES && (percent >= 1 || end_ms >= 1000); k++)
            /* On a busy host a worker takes its time until it sleeps. */
            measure(sleepers[i].scheduler, sleepers[i].idle, (uint64_t)SETTLE_NS << k, &percent,
                    &end_ms);
        tap_ok(&tap, percent < 1 && end_ms < 1000,
               "%s, %s: idle at %.2f%% of a core, over %.2f ms after a message",
               sleepers[i].scheduler, sleepers[i].idle, percent, end_ms);
    }
    return tap_done(&tap);
}

#endif
