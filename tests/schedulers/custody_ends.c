/* SPDX-License-Identifier: MIT */

/*
 * The strategy custody: systems that end while a worker waits for the answer to its request. Either
 * the victim never looks around again, so that there is no answer; or the answer comes when the
 * thief has gone, and shards that it brings stay where they are. On threads, and on the virtual
 * engine (AL_VIRTUAL) with many seeds.
 *
 * Worker 0 gets everything: a `first` that makes messages, a hog that stays in its behaviour until
 * somebody asks, and crowds that receive the rest. Quanta are as long as they can be, so that it
 * looks around while there is much to give, then runs the hog without another look.
 */

#include <errno.h>
#include <string.h>

#include "core/actor.h"
#include "core/system_private.h"
#include "schedulers/custody/custody.h"
#include "tests/support/choose.h"
#include "tests/support/run_seed.h"
#include "tests/support/short_sleeps.h"

#if defined AL_VIRTUAL && defined __SANITIZE_THREAD__
#define SEEDS      2 /* each takes ten times as long */
#define SEEDS_DEEP 100
#elif defined AL_VIRTUAL
#define SEEDS      10
#define SEEDS_DEEP 2000
#else
#define SEEDS      1
#define SEEDS_DEEP 200
#endif

/* The first quantum has one message, or 16 after a time without work; the next ones have 256. So
 * the hog comes in the second one, and with the crowds' words behind it ends before the third,
 * or with the belated ones does not. */
#define N_WORDS    100
#define N_BELATED  300
#define N_CROWDS   2
#define N_SETTINGS (6 + SHORT_SLEEPS_MOST)

struct word {
    struct al_message message;
};

struct last {
    struct al_message message;
};

struct begin {
    struct al_message message;
};

struct scene;

struct first {
    struct al_actor actor;
    struct scene *scene;
};

struct hog {
    struct al_actor actor;
    struct scene *scene;
};

struct crowd {
    struct al_actor actor;
    uint32_t received;
};

struct scene {
    struct al_config config;
    struct al_setting settings[N_SETTINGS];
    struct al_system *system;
    bool late;         /* the hog ends last, and messages for the others are left */
    uint32_t n_crowds; /* that get belated words */
    struct first first;
    struct hog hog;
    struct crowd crowds[N_CROWDS];
    struct word word;
    struct last last;
    struct begin begin;
    struct al_atomic_u32 asked;
    /* what was found at the end, of the answer to the request that the hog saw */
    uint64_t unanswered, granted_late, refused_late;
};

AL_ACTOR(first)
AL_ACTOR(hog)
AL_ACTOR(crowd)
AL_MESSAGE(word)
AL_MESSAGE(last)
AL_MESSAGE(begin)

AL_BEHAVIOUR(crowd, word, self, msg)
{
    self->received++;
    return AL_NODELETE;
}

AL_BEHAVIOUR(crowd, last, self, msg)
{
    return AL_FINISHED;
}

AL_BEHAVIOUR(hog, begin, self, msg)
{
    const struct al_custodian *mine = al_self()->scheduler;
    while (al_u32_load_relaxed(&mine->request) == 0)
        al_yield();
    al_u32_store_relaxed(&self->scene->asked, 1); /* relaxed: it publishes nothing */
    return AL_FINISHED;
}

static void send_words(struct scene *scene, uint32_t n, uint32_t n_crowds)
{
    for (uint32_t i = 0; i < n; i++)
        al_send(crowd, word, &scene->crowds[i % n_crowds], &scene->word);
}

static void end_crowds(struct scene *scene)
{
    for (uint32_t i = 0; i < N_CROWDS; i++)
        al_send(crowd, last, &scene->crowds[i], &scene->last);
}

/* All of it is delivered after this behaviour. Belated words are for crowds that have ended. */
AL_BEHAVIOUR(first, begin, self, msg)
{
    struct scene *scene = self->scene;
    send_words(scene, N_WORDS, N_CROWDS);
    if (scene->late)
        end_crowds(scene);
    al_send(hog, begin, &scene->hog, &scene->begin);
    if (scene->late)
        send_words(scene, N_BELATED, scene->n_crowds);
    else
        end_crowds(scene);
    return AL_FINISHED;
}

/* When the workers have ended. */
static void look(void *argument)
{
    struct scene *scene = argument;
    const struct al_runtime *system = &scene->system->shown;
    for (uint32_t i = 0; i < system->n_workers; i++) {
        const struct al_custodian *thief = system->workers[i].scheduler;
        const void *grant = al_ptr_load_relaxed(&thief->grant);
        if (thief->asking.whom == 0) {
            CHECK(grant == NULL, "worker %u has an answer and has not asked", i);
            continue;
        }
        const struct al_custodian *victim = system->workers[thief->asking.whom - 1].scheduler;
        uint32_t request = al_u32_load_relaxed(&victim->request);
        CHECK((request == i + 1) == (grant == NULL),
              "worker %u has asked worker %u; the request is %u, the answer %p", i,
              thief->asking.whom - 1, request, grant);
        scene->unanswered += grant == NULL;
        scene->refused_late += grant == AL_REFUSED;
        scene->granted_late += grant != NULL && grant != AL_REFUSED;
    }
}

static void check_report(const struct scene *scene, const struct al_report *report)
{
    for (uint32_t i = 0; i < report->n_workers; i++) {
        const struct al_counters *counters = &report->workers[i].counters;
        uint64_t ends = counters->steals + counters->steals_no_candidate +
                        counters->steals_lost_swap;
        CHECK(counters->steal_attempts == ends, "worker %u: %llu attempts, %llu had an end", i,
              (unsigned long long)counters->steal_attempts, (unsigned long long)ends);
    }
    for (uint32_t i = 0; i < N_CROWDS; i++)
        CHECK(scene->crowds[i].received >= N_WORDS / N_CROWDS, "crowd %u received %u words", i,
              scene->crowds[i].received);
}

static void run_scene(void *argument)
{
    struct scene *scene = argument;
    struct al_error error;
    struct al_report report;
    CHECK(al_system_start(&scene->config, &scene->system, &error) == 0, "%s", error.text);
    al_message_init(word, &scene->word, AL_NODELETE);
    al_message_init(last, &scene->last, AL_NODELETE);
    al_message_init(begin, &scene->begin, AL_NODELETE);
    scene->first.scene = scene->hog.scene = scene;
    al_actor_init_on(first, &scene->first, 0);
    al_actor_init_on(hog, &scene->hog, 0);
    for (uint32_t i = 0; i < N_CROWDS; i++)
        al_actor_init_on(crowd, &scene->crowds[i], 0);
    al_send(first, begin, &scene->first, &scene->begin);
    /* Worker 0 sees the end of the system only after an answer; this thread may see it before. */
    while (scene->late && al_u32_load_relaxed(&scene->asked) == 0)
        al_yield();
    int code = al_system_stop(scene->system, &report);
    CHECK(code == 0 || (scene->late && code == -EBADMSG), "messages were never received");
    check_report(scene, &report);
    al_report_free(&report);
}

/* How requests ended, over all seeds. */
struct ends {
    uint64_t n, unanswered, granted_late, refused_late;
};

static void run_seeds(struct ends *ends, const struct al_choice *choice, uint32_t workers,
                      bool late, uint32_t n_crowds)
{
    const char *deep = getenv("AL_TEST_DEEP");
    uint64_t seeds = deep != NULL && strcmp(deep, "1") == 0 ? SEEDS_DEEP : SEEDS;
    for (uint64_t seed = 0; seed < seeds; seed++) {
        struct scene scene = {
            .settings = {{"epoch", "0"}, {"worth", "0"}, {"quantum", "1073741824"}, {"seize", "0"}},
            .late = late,
            .n_crowds = n_crowds,
        };
        struct al_error error;
        CHECK(al_choose(choice, &scene.config, &error) == 0, "%s", error.text);
        size_t n = 4;
        if (late) /* answered at once, not after a quantum in which the victim watches */
            scene.settings[n++] = (struct al_setting){"exchange_message", "0"};
        oversubscribe(&scene.config, scene.settings, n, workers, seed);
        scene.config.ended = look;
        scene.config.ended_argument = &scene;
        run_seed(seed, run_scene, &scene);
        ends->n++;
        ends->unanswered += scene.unanswered;
        ends->granted_late += scene.granted_late;
        ends->refused_late += scene.refused_late;
    }
}

static void test_heuristic(struct tap *tap, const char *victim)
{
    static const uint32_t workers[] = {2, 4, 8};
    struct ends unanswered = {0}, late = {0};
    for (size_t i = 0; al_idles[i] != NULL; i++) {
        struct al_choice choice = {"custody", victim, al_idles[i]->name};
        struct al_config config = {0};
        struct al_error error;
        if (al_choose(&choice, &config, &error) != 0) /* the policy is for other strategies */
            continue;
        /* With more than one thief `longest` may pick one that sleeps, again and again. */
        size_t n_workers = strcmp(victim, "longest") == 0 ? 1 : sizeof workers / sizeof *workers;
        for (size_t w = 0; w < n_workers; w++)
            run_seeds(&unanswered, &choice, workers[w], false, 0);
        for (uint32_t n_crowds = 1; n_crowds <= N_CROWDS; n_crowds++)
            run_seeds(&late, &choice, 2, true, n_crowds);
    }
    /* On a thread that has lost its PU for long, messages seem long, and quanta become short. On
     * the virtual engine one of some thousand victims looks around once more, and answers. */
    uint64_t least = AL_SYNC_THREADS ? 1 : unanswered.n - unanswered.n / 100;
    tap_ok(tap, unanswered.n != 0 && unanswered.unanswered >= least,
           "%s: of %llu systems %llu ended while a request had no answer", victim,
           (unsigned long long)unanswered.n, (unsigned long long)unanswered.unanswered);
    /* Threads meet as they please. */
    bool found = late.granted_late != 0 && late.refused_late != 0;
    tap_ok(tap, AL_SYNC_THREADS || found,
           "%s: of %llu thieves %llu were given shards and %llu refused when they had gone", victim,
           (unsigned long long)late.n, (unsigned long long)late.granted_late,
           (unsigned long long)late.refused_late);
}

int main(void)
{
    struct tap tap = {0};
    for (size_t v = 0; al_victims[v] != NULL; v++)
        if (AL_OPS(al_victims[v], al_victim_ops)->pick != NULL)
            test_heuristic(&tap, al_victims[v]->name);
    return tap_done(&tap);
}
