/* SPDX-License-Identifier: MIT */

/*
 * The observer (core/observe/observer.h) under every actor-centric strategy: a worker's resumes
 * come in pairs, messages are received within them and nowhere else, and the completion of an actor
 * is told once, before its destructor. On threads, and on the virtual engine (AL_VIRTUAL) with many
 * seeds.
 */

#include "core/observe/observer.h"

#include <string.h>
#include <unistd.h>

#include "core/actor.h"
#include "core/machine/topology.h"
#include "core/plugin/scheduler.h"
#include "tests/support/choose.h"
#include "tests/support/run_seed.h"
#include "tests/support/tap.h"

#ifdef AL_VIRTUAL
#define SEEDS 100
#else
#define SEEDS 20
#endif

#define N_WORKERS 3
#define DEPTH     4
#define N_ACTORS  ((2 << DEPTH) - 1)
#define NOTES     3

/* Written by one worker each; the last by the thread of the only detached actor. */
struct seat {
    _Alignas(2 * AL_CACHE_LINE_BYTES) const struct al_actor *resumed;
    uint64_t before, after, completions;
};

struct watch {
    struct seat seats[N_WORKERS + 1];
    bool present; /* an observer was given */
    struct al_atomic_u32 received, destroyed;
};

struct job {
    const struct al_topology *topology;
    const char *scheduler, *max_throughput;
    uint64_t seed;
    bool observed, partial; /* partial: the observer has no hook but one */
};

struct grow {
    struct al_message message;
    uint32_t depth;
};

struct note {
    struct al_message message;
};

struct tree {
    uint64_t padding; /* the embedded actor is not at the start */
    struct al_actor actor;
    struct watch *watch;
    uint32_t notes;
    struct al_atomic_u32 resumed, completed;
};

AL_ACTOR_WITH_DESTRUCTOR(tree, fell)
AL_MESSAGE(grow)
AL_MESSAGE(note)

static struct tree *tree_of(const struct al_actor *actor)
{
    return (struct tree *)((char *)(uintptr_t)actor - offsetof(struct tree, actor));
}

static struct seat *seat_of(void *context, uint32_t worker)
{
    struct watch *watch = context;
    CHECK(worker <= N_WORKERS && worker == al_self()->id, "worker %u calls as %u", al_self()->id,
          worker);
    return &watch->seats[worker];
}

static void before_resume(void *context, uint32_t worker, const struct al_actor *actor)
{
    struct seat *seat = seat_of(context, worker);
    CHECK(seat->resumed == NULL, "worker %u resumes a second actor", worker);
    CHECK(al_u32_exchange_acquire(&tree_of(actor)->resumed, 1) == 0, "resumed by two workers");
    seat->resumed = actor;
    seat->before++;
}

static void after_resume(void *context, uint32_t worker, const struct al_actor *actor)
{
    struct seat *seat = seat_of(context, worker);
    CHECK(seat->resumed == actor, "worker %u ends what it did not begin", worker);
    for (int i = 0; i < 8; i++)
        al_yield(); /* if the actor were waiting already, another worker would resume it now */
    CHECK(al_u32_exchange_acquire(&tree_of(actor)->resumed, 0) == 1, "not resumed");
    seat->resumed = NULL;
    seat->after++;
}

/* It ends the resume; after_resume is not called then. */
static void after_completion(void *context, uint32_t worker, const struct al_actor *actor)
{
    struct seat *seat = seat_of(context, worker);
    CHECK(seat->resumed == actor, "worker %u completes what it does not run", worker);
    CHECK(al_u32_exchange_acquire(&tree_of(actor)->completed, 1) == 0, "completed twice");
    seat->resumed = NULL;
    seat->completions++;
}

/* Called by a behaviour: the observer knows that the worker has resumed this actor. */
static void check_resumed(const struct tree *tree)
{
    const struct watch *watch = tree->watch;
    const struct al_actor *resumed = watch->seats[al_self()->id].resumed;
    CHECK(resumed == (watch->present ? &tree->actor : NULL), "runs outside of a resume");
}

static void fell(struct tree *tree)
{
    CHECK(al_u32_load_relaxed(&tree->completed) == tree->watch->present,
          "the destructor comes before the completion");
    al_u32_add_relaxed(&tree->watch->destroyed, 1);
}

static struct note the_note;

AL_BEHAVIOUR(tree, note, self, msg)
{
    check_resumed(self);
    al_u32_add_relaxed(&self->watch->received, 1);
    return ++self->notes == NOTES ? AL_DELETE : AL_NODELETE;
}

AL_BEHAVIOUR_DECLARE(tree, grow)

static struct tree *plant(struct watch *watch, uint32_t depth, enum al_placement placement)
{
    struct tree *tree = malloc(sizeof *tree);
    struct grow *grow = malloc(sizeof *grow);
    CHECK(tree != NULL && grow != NULL, "no memory");
    *tree = (struct tree){.watch = watch};
    al_actor_init_at(tree, tree, placement);
    al_message_init(grow, grow, AL_DELETE);
    grow->depth = depth;
    return al_send(tree, grow, tree, grow);
}

/* Pauses in between, so that the receiver may be asleep, about to sleep, or not yet begun. */
static void water(struct tree *tree)
{
    for (int i = 0; i < NOTES; i++) {
        al_yield();
        al_send(tree, note, tree, &the_note);
    }
}

/* Each has two branches. Those of even depth terminate after their notes, the others by a pill. */
AL_BEHAVIOUR_DEFINE(tree, grow, self, msg)
{
    check_resumed(self);
    al_u32_add_relaxed(&self->watch->received, 1);
    for (uint32_t i = 0; msg->depth > 0 && i < 2; i++) {
        struct tree *branch = plant(self->watch, msg->depth - 1, AL_PLACE_ANYWHERE);
        if (msg->depth % 2 == 1)
            water(branch);
    }
    if (msg->depth % 2 == 1)
        al_send_pill(&self->actor, &al_delete_msg);
    return AL_NODELETE;
}

static void run_watch(void *argument)
{
    const struct job *job = argument;
    static struct watch watch;
    memset(&watch, 0, sizeof watch);
    watch.present = job->observed && !job->partial;
    struct al_observer observer = {.context = &watch,
                                   .before_resume = before_resume,
                                   .after_resume = after_resume,
                                   .after_completion = after_completion};
    if (job->partial)
        observer = (struct al_observer){.context = &watch};
    struct al_setting setting = {"max_throughput", job->max_throughput};
    struct al_config config = {.workers = N_WORKERS,
                               .seed = job->seed,
                               .oversubscribe = true,
                               .pin = "none",
                               .topology = job->topology,
                               .observer = job->observed ? &observer : NULL,
                               .settings = &setting,
                               .n_settings = 1};
    choose_prompt(&config, job->scheduler, NULL);
    struct al_system *system;
    struct al_error error;
    al_message_init(note, &the_note, AL_NODELETE);
    CHECK(al_system_start(&config, &system, &error) == 0, "%s", error.text);
    water(plant(&watch, DEPTH, AL_PLACE_ANYWHERE));
    water(plant(&watch, 0, AL_PLACE_DETACHED));
    CHECK(al_system_stop(system, NULL) == 0, "not received");
    uint64_t before = 0, after = 0, completions = 0, calls;
    for (uint32_t i = 0; i <= N_WORKERS; i++) {
        CHECK(watch.seats[i].resumed == NULL, "worker %u has not ended a resume", i);
        before += watch.seats[i].before;
        after += watch.seats[i].after;
        completions += watch.seats[i].completions;
    }
    calls = before + after + completions;
    CHECK(al_u32_load_relaxed(&watch.destroyed) == N_ACTORS + 1, "%u destroyed",
          al_u32_load_relaxed(&watch.destroyed));
    CHECK(watch.present || calls == 0, "%llu calls without an observer", (unsigned long long)calls);
    CHECK(!watch.present || completions == N_ACTORS + 1, "%llu completions",
          (unsigned long long)completions);
    CHECK(before == after + completions, "%llu resumes, but %llu ends", (unsigned long long)before,
          (unsigned long long)(after + completions));
    /* With at most one message per turn there are at least as many turns as messages. (The detached
     * actor has longer turns, but pills, which are not counted here, make up for them.) */
    CHECK(!watch.present || strcmp(job->max_throughput, "1") != 0 ||
              before >= al_u32_load_relaxed(&watch.received),
          "%llu resumes for %u messages", (unsigned long long)before,
          al_u32_load_relaxed(&watch.received));
}

static void run_seeds(struct job job)
{
    alarm(120);
    for (job.seed = 0; job.seed < SEEDS; job.seed++)
        run_seed(job.seed, run_watch, &job);
}

int main(void)
{
    static const char *const schedulers[] = {"deque", "las", "mercury", "sharing"};
    struct tap tap = {0};
    struct al_topology *topology;
    struct al_error error;
    CHECK(al_topology_load("node:2 core:2 pu:1", &topology, &error) == 0, "%s", error.text);
    for (size_t i = 0; i < sizeof schedulers / sizeof *schedulers; i++) {
        run_seeds((struct job){topology, schedulers[i], "300", 0, true, false});
        run_seeds((struct job){topology, schedulers[i], "1", 0, true, false});
        tap_ok(&tap, true, "%s: resumes in pairs, one completion each", schedulers[i]);
        run_seeds((struct job){topology, schedulers[i], "300", 0, false, false});
        run_seeds((struct job){topology, schedulers[i], "300", 0, true, true});
        tap_ok(&tap, true, "%s: without an observer, or hooks, no call", schedulers[i]);
    }
    al_topology_free(topology);
    return tap_done(&tap);
}
