/* SPDX-License-Identifier: MIT */

/*
 * Workers that sleep at once, with the policy park, while the starter sends: one message after the
 * other, each soon after the last has been delivered, so when its worker is about to sleep.
 * Promise: each is delivered, although the starter passes no fence between a message and its look
 * who sleeps. On threads; a wake-up that is lost shows as a message that nobody delivers.
 */

#include <string.h>

#include "core/actor.h"
#include "tests/support/choose.h"

#define WORKERS    2
#define ACTORS     4
#define MESSAGES   20000
#define PATIENCE_S 20
#define LINES      8
#define PAUSES     64 /* before a message: fewer */

struct note {
    struct al_message message;
};

struct echo {
    struct al_actor actor;
};

static struct echo echoes[ACTORS];
static struct note note;
static struct al_atomic_u64 delivered, ended;

/* Written by the starter before a message, and by its receiver: the message stays in the starter's
 * store buffer until these lines have come back. */
static struct line {
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_atomic_u64 word;
} lines[LINES];

static void write_lines(uint64_t value)
{
    for (uint32_t i = 0; i < LINES; i++)
        al_u64_store_relaxed(&lines[i].word, value);
}

AL_ACTOR(echo)
AL_MESSAGE(note)

AL_BEHAVIOUR(echo, note, self, msg)
{
    (void)self;
    (void)msg;
    write_lines(0);
    al_u64_add_relaxed(&delivered, 1);
    return al_u64_load_relaxed(&ended) != 0 ? AL_FINISHED : AL_NODELETE;
}

static void wait_for(uint64_t n)
{
    uint64_t since = al_clock_ns();
    for (uint64_t looks = 1; al_u64_load_relaxed(&delivered) < n; looks++) {
        al_pause();
        if (looks % 4096 == 0)
            al_yield();
        CHECK(looks % 4096 != 0 || al_clock_ns() - since < PATIENCE_S * 1000000000ull,
              "nobody delivers message %llu", (unsigned long long)n);
    }
}

static void run(const char *scheduler)
{
    static const struct al_setting settings[] = {{"park_spin", "0"}};
    struct al_config config = {.workers = WORKERS, .oversubscribe = true, .seed = 1};
    struct al_system *system;
    struct al_error error;
    struct al_random random;
    choose_plugins(&config, scheduler, NULL, "park");
    config.settings = settings;
    config.n_settings = 1;
    memset(echoes, 0, sizeof echoes);
    al_u64_store_relaxed(&delivered, 0);
    al_u64_store_relaxed(&ended, 0);
    CHECK(al_system_start(&config, &system, &error) == 0, "%s", error.text);
    al_message_init(note, &note, AL_NODELETE);
    for (uint32_t i = 0; i < ACTORS; i++)
        al_actor_init(echo, &echoes[i]);
    al_random_seed(&random, 1, 0);
    for (uint64_t n = 1; n <= MESSAGES; n++) {
        for (uint32_t pauses = al_random_below(&random, PAUSES); pauses > 0; pauses--)
            al_pause();
        write_lines(n);
        al_send(echo, note, &echoes[n % ACTORS], &note);
        wait_for(n);
    }
    al_u64_store_relaxed(&ended, 1);
    for (uint32_t i = 0; i < ACTORS; i++)
        al_send(echo, note, &echoes[i], &note);
    CHECK(al_system_stop(system, NULL) == 0, "messages were never received");
}

int main(void)
{
    static const char *const schedulers[] = {"custody", "inverted", "deque"};
    struct tap tap = {0};
    for (size_t i = 0; i < sizeof schedulers / sizeof *schedulers; i++) {
        run(schedulers[i]);
        tap_ok(&tap, true, "%s: each of the starter's %d messages is delivered", schedulers[i],
               MESSAGES);
    }
    return tap_done(&tap);
}
