/* SPDX-License-Identifier: MIT */

/*
 * Selective wake-up in the strategy mercury: whoever makes work wakes exactly one sleeping worker,
 * the right one, and tells it what to do. Runs on the virtual engine, where a test knows when all
 * others sleep. The counter of steal attempts shows which workers have looked for work since.
 */

#include <string.h>

#include "core/actor.h"
#include "core/machine/topology.h"
#include "core/system_private.h"
#include "tests/support/choose.h"
#include "tests/support/run_seed.h"
#include "tests/support/tap.h"

#define SEEDS     200
#define N_WORKERS 4 /* on "node:2 core:2 pu:1": 0 and 1 are near, 2 and 3 are */

/* The engine stalls a task for fewer steps, so a task that has not run for this many is blocked. */
#define SOLO_STEPS 5000

struct job {
    const struct al_topology *topology;
    const char *wake, *max_throughput, *victim, *first;
    uint64_t seed;
};

struct visit {
    struct al_message message;
};

enum command { HOLD, MAKE, LEAVE };

/* Stays in its behaviour, asleep, until it is told to leave; meanwhile it may make work for its
 * worker. */
struct host {
    struct al_actor actor;
    struct al_atomic_u32 command;
    struct guest *guest; /* of MAKE */
    struct visit *visit;
    uint32_t ran_on, n_runs;
    uint64_t attempts; /* to steal, of its worker when it began */
};

struct guest {
    struct al_actor actor;
    uint32_t ran_on, n_runs;
    uint64_t attempts;
    uint64_t ran_at; /* by the engine's clock */
};

AL_ACTOR(host)
AL_ACTOR(guest)
AL_MESSAGE(visit)

AL_BEHAVIOUR(guest, visit, self, msg)
{
    self->ran_on = al_self()->id;
    self->attempts = al_self()->counters.steal_attempts;
    self->ran_at = al_engine_clock();
    self->n_runs++;
    return AL_NODELETE;
}

AL_BEHAVIOUR(host, visit, self, msg)
{
    self->ran_on = al_self()->id;
    self->attempts = al_self()->counters.steal_attempts;
    self->n_runs++;
    uint32_t command;
    while ((command = al_u32_load_acquire(&self->command)) != LEAVE) {
        if (command == MAKE) {
            al_u32_store_relaxed(&self->command, HOLD);
            al_send(guest, visit, self->guest, self->visit);
        } else {
            al_park(&self->command, HOLD);
        }
    }
    return AL_NODELETE;
}

static void tell(struct host *host, enum command command)
{
    al_u32_store_release(&host->command, command);
    al_unpark(&host->command, 1);
}

/* Wait until every other task is blocked. */
static void settle(void)
{
    for (uint32_t solo = 0; solo < SOLO_STEPS; solo++) {
        uint64_t before = al_engine_clock();
        al_yield();
        if (al_engine_clock() != before + 1)
            solo = 0;
    }
}

struct attempts {
    uint64_t of[N_WORKERS];
};

/* Read after settle(): the writer sleeps, which orders the two, but ThreadSanitizer cannot know
 * that. (volatile keeps the compiler from moving the read into the caller, which is checked.) */
#define AFTER_SETTLE __attribute__((noinline, no_sanitize("thread"))) static

AFTER_SETTLE uint32_t value_of(const volatile uint32_t *value)
{
    return *value;
}

AFTER_SETTLE uint64_t begun_at(const volatile uint64_t *attempts)
{
    return *attempts;
}

static struct attempts attempts_of(const struct al_system *system)
{
    struct attempts attempts;
    for (uint32_t i = 0; i < N_WORKERS; i++)
        attempts.of[i] = begun_at(&system->shown.workers[i].counters.steal_attempts);
    return attempts;
}

/* Check that exactly this worker has looked for work since, or nobody. */
static void check_woken(const struct al_system *system, const struct attempts *before,
                        uint32_t worker, const struct job *job, const char *when)
{
    struct attempts now = attempts_of(system);
    for (uint32_t i = 0; i < N_WORKERS; i++)
        CHECK((now.of[i] != before->of[i]) == (i == worker), "seed %llu, %s: worker %u %s",
              (unsigned long long)job->seed, when, i, i == worker ? "slept on" : "was woken");
}

#define NOBODY UINT32_MAX

static struct al_system *start_system(const struct job *job)
{
    const struct al_setting settings[] = {
        {"wake", job->wake}, {"max_throughput", job->max_throughput}, {"first", job->first}};
    struct al_config config = {.workers = N_WORKERS,
                               .seed = job->seed,
                               .pin = "none",
                               .topology = job->topology,
                               .settings = settings,
                               .n_settings = 3};
    choose_plugins(&config, "mercury", job->victim, NULL);
    struct al_system *system;
    struct al_error error;
    CHECK(al_system_start(&config, &system, &error) == 0, "%s", error.text);
    return system;
}

/* Put a host on each worker, from outside, one after another; each keeps its worker busy. */
static void occupy(const struct job *job, const struct al_system *system, struct host *hosts,
                   struct visit *visit)
{
    bool taken[N_WORKERS] = {false};
    settle();
    for (uint32_t i = 0; i < N_WORKERS; i++) {
        struct attempts before = attempts_of(system);
        al_send(host, visit, al_actor_init(host, &hosts[i]), visit);
        settle();
        CHECK(value_of(&hosts[i].n_runs) == 1, "seed %llu: host %u does not run",
              (unsigned long long)job->seed, i);
        uint32_t ran_on = value_of(&hosts[i].ran_on);
        CHECK(ran_on < N_WORKERS && !taken[ran_on], "seed %llu: host %u runs on %u",
              (unsigned long long)job->seed, i, ran_on);
        taken[ran_on] = true;
        /* The actor comes with the wake-up: nobody searches for it, not even the worker that runs
         * it. */
        CHECK(begun_at(&hosts[i].attempts) == before.of[ran_on], "worker %u looked first", ran_on);
        check_woken(system, &before, NOBODY, job, "passing on");
    }
}

/* The host that is on this worker. */
static struct host *host_on(struct host *hosts, uint32_t worker)
{
    uint32_t i = 0;
    while (value_of(&hosts[i].ran_on) != worker)
        i++;
    return &hosts[i];
}

static void end_hosts(struct al_system *system, struct host *hosts)
{
    for (uint32_t i = 0; i < N_WORKERS; i++) {
        al_send_pill(&hosts[i].actor, &al_finished_msg);
        tell(&hosts[i], LEAVE);
    }
    CHECK(al_system_stop(system, NULL) == 0, "not received");
}

/* While no worker sleeps, the actor waits in the global queue for the first that has time. */
static void run_pass_on(void *argument)
{
    const struct job *job = argument;
    struct al_system *system = start_system(job);
    struct host hosts[N_WORKERS] = {0};
    struct guest guest = {.n_runs = 0};
    struct visit visit;
    al_message_init(visit, &visit, AL_NODELETE);
    occupy(job, system, hosts, &visit);
    al_send(guest, visit, al_actor_init(guest, &guest), &visit);
    settle();
    CHECK(value_of(&guest.n_runs) == 0, "runs, while all are busy");
    struct host *leaves = &hosts[job->seed % N_WORKERS];
    struct attempts before = attempts_of(system);
    tell(leaves, LEAVE);
    settle();
    uint32_t free = value_of(&leaves->ran_on);
    CHECK(value_of(&guest.n_runs) == 1 && value_of(&guest.ran_on) == free,
          "seed %llu: runs on %u, not on %u, which has time", (unsigned long long)job->seed,
          value_of(&guest.ran_on), free);
    check_woken(system, &before, free, job, "from the global queue");
    /* The same, now that one worker is known to sleep. */
    before = attempts_of(system);
    al_send(guest, visit, &guest, &visit);
    settle();
    CHECK(value_of(&guest.n_runs) == 2 && value_of(&guest.ran_on) == free, "not passed on");
    CHECK(begun_at(&guest.attempts) == before.of[free], "worker %u looked first", free);
    check_woken(system, &before, free, job, "passing on to the only one");
    al_send_pill(&guest.actor, &al_finished_msg);
    end_hosts(system, hosts);
}

/*
 * After its turn, an actor goes to a sleeping worker if another actor waits where it ran; otherwise
 * it goes on. The other actor waits because nobody steals.
 */
static void run_turns(void *argument)
{
    const struct job *job = argument;
    struct al_system *system = start_system(job);
    struct host hosts[N_WORKERS] = {0};
    struct guest guest = {.n_runs = 0};
    struct visit visit;
    al_message_init(visit, &visit, AL_NODELETE);
    occupy(job, system, hosts, &visit);
    struct host *again = &hosts[job->seed % N_WORKERS],
                *leaves = &hosts[(job->seed + 1 + job->seed / 4 % 3) % N_WORKERS];
    bool waits = job->seed / 12 % 2 != 0;
    tell(leaves, LEAVE);
    al_actor_init(guest, &guest);
    again->guest = &guest;
    again->visit = &visit;
    settle();
    al_send(host, visit, again, &visit); /* it has not received its first yet */
    uint32_t own = value_of(&again->ran_on), asleep = value_of(&leaves->ran_on);
    if (waits) {
        tell(again, MAKE);
        settle();
    }
    struct attempts before = attempts_of(system);
    tell(again, LEAVE);
    settle();
    CHECK(value_of(&again->n_runs) == 2 && value_of(&again->ran_on) == (waits ? asleep : own),
          "seed %llu: its second turn is on %u; its first was on %u, asleep was %u, %s waits",
          (unsigned long long)job->seed, value_of(&again->ran_on), own, asleep,
          waits ? "another" : "no other");
    CHECK(begun_at(&again->attempts) == before.of[waits ? asleep : own], "it looked first");
    CHECK(value_of(&guest.n_runs) == waits && (!waits || value_of(&guest.ran_on) == own),
          "seed %llu: who waited does not run", (unsigned long long)job->seed);
    al_send_pill(&guest.actor, &al_finished_msg);
    end_hosts(system, hosts);
}

/* Make work on one worker while others sleep, and check which of them takes it. */
static void make_and_check(const struct job *job, struct al_system *system, struct host *hosts,
                           uint32_t maker, uint32_t woken)
{
    struct host *host = host_on(hosts, maker);
    struct attempts before = attempts_of(system);
    uint32_t n_runs = value_of(&host->guest->n_runs);
    tell(host, MAKE);
    settle();
    CHECK(value_of(&host->guest->n_runs) == n_runs + 1 && value_of(&host->guest->ran_on) == woken,
          "seed %llu: work of %u was taken by %u instead of %u", (unsigned long long)job->seed,
          maker, value_of(&host->guest->ran_on), woken);
    /* The worker was told whom to steal from, so its first attempt succeeds. */
    CHECK(begun_at(&host->guest->attempts) == before.of[woken] + 1,
          "worker %u needed %llu attempts", woken,
          (unsigned long long)(begun_at(&host->guest->attempts) - before.of[woken]));
    check_woken(system, &before, woken, job, "making work");
}

static void run_making(void *argument)
{
    const struct job *job = argument;
    bool nearest = strcmp(job->wake, "nearest") == 0;
    struct al_system *system = start_system(job);
    struct host hosts[N_WORKERS] = {0};
    struct guest guest = {.n_runs = 0};
    struct visit visit;
    al_message_init(visit, &visit, AL_NODELETE);
    al_actor_init(guest, &guest);
    for (uint32_t i = 0; i < N_WORKERS; i++) {
        hosts[i].guest = &guest;
        hosts[i].visit = &visit;
    }
    occupy(job, system, hosts, &visit);
    /* From seed to seed another worker is the maker. First the workers of the far node sleep, then
     * the maker's neighbour, too. */
    uint32_t maker = (uint32_t)(job->seed / 2 % N_WORKERS), neighbour = maker ^ 1,
             far = maker < 2 ? 2 : 0;
    tell(host_on(hosts, far + 1), LEAVE);
    settle();
    make_and_check(job, system, hosts, maker, far + 1);
    tell(host_on(hosts, far), LEAVE);
    tell(host_on(hosts, neighbour), LEAVE);
    settle();
    make_and_check(job, system, hosts, maker, nearest ? neighbour : (maker + 1) % N_WORKERS);
    al_send_pill(&guest.actor, &al_finished_msg);
    end_hosts(system, hosts);
}

/* While all are busy, one actor waits in the global queue and one in the deque of a worker, which
 * then has time for both. */
static void run_order(void *argument)
{
    const struct job *job = argument;
    struct al_system *system = start_system(job);
    struct host hosts[N_WORKERS] = {0};
    struct guest local = {.n_runs = 0}, global = {.n_runs = 0};
    struct visit visit;
    al_message_init(visit, &visit, AL_NODELETE);
    al_actor_init(guest, &local);
    occupy(job, system, hosts, &visit);
    struct host *host = &hosts[job->seed % N_WORKERS];
    host->guest = &local;
    host->visit = &visit;
    tell(host, MAKE);
    al_send(guest, visit, al_actor_init(guest, &global), &visit);
    settle();
    CHECK(value_of(&local.n_runs) == 0 && value_of(&global.n_runs) == 0, "runs while all are busy");
    tell(host, LEAVE);
    settle();
    CHECK(value_of(&local.n_runs) == 1 && value_of(&global.n_runs) == 1, "still waits");
    bool is_local = begun_at(&local.ran_at) < begun_at(&global.ran_at);
    CHECK(is_local == (strcmp(job->first, "local") == 0), "seed %llu: the %s one ran first",
          (unsigned long long)job->seed, is_local ? "local" : "global");
    al_send_pill(&local.actor, &al_finished_msg);
    al_send_pill(&global.actor, &al_finished_msg);
    end_hosts(system, hosts);
}

static void run_seeds(struct job job, void (*function)(void *))
{
    for (job.seed = 0; job.seed < SEEDS; job.seed++)
        run_seed(job.seed, function, &job);
}

int main(void)
{
    struct tap tap = {0};
    struct al_topology *topology;
    struct al_error error;
    CHECK(al_topology_load("node:2 core:2 pu:1", &topology, &error) == 0, "%s", error.text);
    run_seeds((struct job){topology, "any", "300", NULL, "global", 0}, run_pass_on);
    tap_ok(&tap, true, "from outside: an actor comes with the wake-up of one worker, or waits");
    run_seeds((struct job){topology, "nearest", "1", "none", "global", 0}, run_turns);
    tap_ok(&tap, true, "an actor that has had its turn goes to a sleeping worker if another waits");
    run_seeds((struct job){topology, "any", "300", NULL, "global", 0}, run_making);
    tap_ok(&tap, true, "wake=any: work of a worker wakes one other, which steals it at once");
    run_seeds((struct job){topology, "nearest", "300", NULL, "global", 0}, run_making);
    tap_ok(&tap, true, "wake=nearest: the nearest one that sleeps");
    run_seeds((struct job){topology, "any", "300", NULL, "global", 0}, run_order);
    tap_ok(&tap, true, "first=global: what waits for any worker runs before a worker's own");
    run_seeds((struct job){topology, "any", "300", NULL, "local", 0}, run_order);
    tap_ok(&tap, true, "first=local: a worker's own runs before what waits for any worker");
    al_topology_free(topology);
    return tap_done(&tap);
}
