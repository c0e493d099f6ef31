/* SPDX-License-Identifier: MIT */

/*
 * The strategy custody: systems that start and stop again and again in one process, with every
 * heuristic and idle policy, more and fewer workers than PUs, and options that change; every other
 * one ends with messages that may never be received. Nothing that one allocates outlives it. On
 * threads, and on the virtual engine (AL_VIRTUAL).
 */

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "core/actor.h"
#include "core/machine/topology.h"
#include "schedulers/custody/chunk.h"
#include "tests/support/blocks.h"
#include "tests/support/choose.h"
#include "tests/support/run_seed.h"
#include "tests/support/short_sleeps.h"

/* At least; and at least one of each combination. */
#ifdef AL_VIRTUAL
#define STARTS 1000
#else
#define STARTS 50
#endif
#define STARTS_DEEP 1000

#if defined AL_VIRTUAL || defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define RESIDENT_MATTERS 0 /* a sanitizer keeps what was freed */
#else
#define RESIDENT_MATTERS 1
#endif
/* Bytes by which the resident memory may grow after the first tenth of the starts: what allocator
 * and kernel keep of them depends on how threads meet. Blocks are counted exactly; this is for what
 * is none, such as the stacks of threads, of which deep runs start thousands. */
#define RESIDENT_MORE (8 << 20)

#define N_MEMBERS  8
#define N_EACH     2    /* messages from each member to each */
#define N_PATIENCE 1000 /* yields until a leaver leaves anyway */

/* Recycled: each is created by its sender and deleted where it is received. */
struct note {
    struct al_message message;
    uint64_t payload[3];
};

struct word {
    struct al_message message;
};

struct stop {
    struct al_message message;
};

struct party;

/* Sends N_EACH notes to each member, one for each that it receives. */
struct member {
    struct al_actor actor;
    struct party *party;
    uint32_t sent, received;
};

/* The last to terminate, with messages on their way to the heir, which has terminated. */
struct leaver {
    struct al_actor actor;
    struct party *party;
};

struct heir {
    struct al_actor actor;
    struct al_atomic_u32 ended;
};

struct party {
    struct member members[N_MEMBERS];
    struct leaver leaver;
    struct heir heir;
    struct word word;
    struct stop stop;
    struct al_atomic_u32 n_ended; /* members */
    bool leaves;
};

AL_ACTOR(member)
AL_ACTOR(leaver)
AL_ACTOR(heir)
AL_MESSAGE(note)
AL_MESSAGE(word)
AL_MESSAGE(stop)
AL_RECYCLE(note)

AL_BEHAVIOUR(heir, word, self, msg)
{
    return AL_NODELETE;
}

AL_BEHAVIOUR(heir, stop, self, msg)
{
    al_u32_store_relaxed(&self->ended, 1); /* relaxed: a hint */
    return AL_FINISHED;
}

/* The stop and the words fill a chunk, which another worker gets when the last word is sent. That
 * one stays with this worker until the leaver has terminated. */
AL_BEHAVIOUR(leaver, stop, self, msg)
{
    struct party *party = self->party;
    al_send(heir, stop, &party->heir, msg);
    for (uint32_t i = 0; party->leaves && i < AL_CHUNK_ENVELOPES; i++)
        al_send(heir, word, &party->heir, &party->word);
    for (uint32_t i = 0; i < N_PATIENCE && al_u32_load_relaxed(&party->heir.ended) == 0; i++)
        al_yield();
    return AL_FINISHED;
}

AL_BEHAVIOUR_DECLARE(member, note)

static void send_note(struct member *to)
{
    struct note *note = al_message_init(note, al_new(note), AL_DELETE);
    note->payload[0] = note->payload[2] = (uintptr_t)to;
    al_send(member, note, to, note);
}

AL_BEHAVIOUR_DEFINE(member, note, self, msg)
{
    struct party *party = self->party;
    CHECK(msg->payload[0] == (uintptr_t)self && msg->payload[2] == (uintptr_t)self,
          "a note was overwritten");
    if (self->received++ < N_MEMBERS * N_EACH) {
        send_note(&party->members[self->sent++ % N_MEMBERS]);
        return AL_NODELETE;
    }
    if (al_u32_add_relaxed(&party->n_ended, 1) == N_MEMBERS - 1)
        al_send(leaver, stop, &party->leaver, &party->stop);
    return AL_FINISHED;
}

static void start_party(struct party *party, bool placed)
{
    al_message_init(word, &party->word, AL_NODELETE);
    al_message_init(stop, &party->stop, AL_NODELETE);
    party->leaver.party = party;
    al_actor_init_on(leaver, &party->leaver, 0);
    al_actor_init_on(heir, &party->heir, al_workers() - 1);
    for (uint32_t i = 0; i < N_MEMBERS; i++) {
        party->members[i].party = party;
        if (placed)
            al_actor_init_on(member, &party->members[i], 0);
        else
            al_actor_init(member, &party->members[i]);
    }
    for (uint32_t i = 0; i < N_MEMBERS; i++)
        send_note(&party->members[i]);
}

#define MOST_OPTIONS 4

static const struct al_setting options[][MOST_OPTIONS] = {
    {{0}},
    {{"scatter", "1"}, {"quantum", "0"}, {"epoch", "100"}},
    {{"shards", "1"}},
    {{"shards", "64"}, {"deal", "1"}},
    {{"quantum", "0"}, {"worth", "0"}, {"flush", "0"}, {"exchange_message", "0"}},
    {{"epoch", "1"}, {"hold", "1"}},
    {{"epoch", "0"}, {"worth", "0"}, {"exchange_message", "0"}, {"exchange_chunk", "0"}},
};

struct start {
    struct al_config config;
    struct al_setting settings[MOST_OPTIONS + 1 + SHORT_SLEEPS_MOST];
    uint64_t number, left; /* left: messages without a receiver */
};

/* Whether messages are left at the end of the number-th. */
static bool leaves(uint64_t number)
{
    return number / 7 % 2 != 0;
}

static void start_and_stop(void *argument)
{
    struct start *start = argument;
    struct party party = {.leaves = leaves(start->number)};
    struct al_system *system;
    struct al_error error;
    struct al_report report;
    CHECK(al_system_start(&start->config, &system, &error) == 0, "%s", error.text);
    start_party(&party, start->number / 3 % 2 != 0);
    int code = al_system_stop(system, &report);
    CHECK(code == 0 || (party.leaves && code == -EBADMSG), "messages were never received");
    CHECK(al_u32_load_relaxed(&party.n_ended) == N_MEMBERS, "%u members ended",
          al_u32_load_relaxed(&party.n_ended));
    for (uint32_t i = 0; i <= report.n_workers; i++)
        start->left += report.workers[i].counters.messages_sent -
                       report.workers[i].counters.messages_received;
    CHECK(start->left == 0 || party.leaves, "%llu messages were left",
          (unsigned long long)start->left);
    al_report_free(&report);
}

/* The combinations of heuristic, idle policy and number of workers. */
struct combinations {
    const struct al_topology *topology;
    struct al_config all[256];
    uint32_t n;
};

static void combine(struct combinations *combinations)
{
#ifdef AL_VIRTUAL
    static const uint32_t workers[] = {1, 2, 3};
#else
    static const uint32_t workers[] = {1, 2, 4, 8};
#endif
    for (size_t v = 0; al_victims[v] != NULL; v++)
        for (size_t i = 0; al_idles[i] != NULL; i++)
            for (size_t w = 0; w < sizeof workers / sizeof *workers; w++) {
                struct al_choice choice = {"custody", al_victims[v]->name, al_idles[i]->name};
                struct al_config config = {.workers = workers[w],
                                           .oversubscribe = true,
                                           .topology = combinations->topology};
                struct al_error error;
                if (al_choose(&choice, &config, &error) != 0) /* it is for other strategies */
                    continue;
                CHECK(combinations->n < sizeof combinations->all / sizeof config, "too many");
                combinations->all[combinations->n++] = config;
            }
}

/* The number-th start. Returns how many messages it left. */
static uint64_t run_start(const struct combinations *combinations, uint64_t number)
{
    size_t n_options = sizeof options / sizeof *options, n = 0;
    struct start start = {.number = number, .config = combinations->all[number % combinations->n]};
    /* In each round other ones for a combination: the two numbers have no common divisor. */
    const struct al_setting *chosen = options[number % n_options];
    for (; n < MOST_OPTIONS && chosen[n].key != NULL; n++)
        start.settings[n] = chosen[n];
    if (leaves(number)) /* what the leaver sends last stays with its worker */
        start.settings[n++] = (struct al_setting){"seize", "0"};
    n += short_sleeps(start.config.idle, start.settings + n);
    start.config.settings = start.settings;
    start.config.n_settings = n;
    start.config.seed = number;
    start.config.pin = AL_SYNC_THREADS && number % 5 == 0 ? "close" : "none";
    run_seed(number, start_and_stop, &start);
    return start.left;
}

static uint64_t resident_bytes(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    CHECK(file != NULL && fscanf(file, "%*u %lu", &pages) == 1, "cannot read /proc/self/statm");
    fclose(file);
    return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

int main(void)
{
    struct tap tap = {0};
    static struct combinations combinations;
    struct al_topology *topology;
    struct al_error error;
    CHECK(al_topology_load(AL_SYNC_THREADS ? NULL : "node:2 core:2 pu:1", &topology, &error) == 0,
          "%s", error.text);
    combinations.topology = topology;
    combine(&combinations);
    const char *deep = getenv("AL_TEST_DEEP");
    bool is_deep = deep != NULL && strcmp(deep, "1") == 0;
    uint64_t n = combinations.n, n_leaving = 0, resident = 0;
    n *= ((is_deep ? STARTS_DEEP : STARTS) + n - 1) / n;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t before = blocks_now();
        n_leaving += run_start(&combinations, i) != 0;
        int64_t kept = (int64_t)(blocks_now() - before);
        CHECK(kept == 0, "start %llu allocated %lld blocks more than were freed",
              (unsigned long long)i, (long long)kept);
        if (i == n / 10)
            resident = resident_bytes();
    }
    tap_ok(&tap, true, "%llu systems left no memory; %llu ended with messages on their way",
           (unsigned long long)n, (unsigned long long)n_leaving);
    /* Threads meet as they please; on the engine seeds have them meet at the end. */
    tap_ok(&tap, AL_SYNC_THREADS || !AL_COUNTERS || n_leaving != 0, "some left messages");
    uint64_t now = resident_bytes();
    tap_ok(&tap, !RESIDENT_MATTERS || now < resident + RESIDENT_MORE,
           "the process had %llu bytes after a tenth of them, and %llu after all",
           (unsigned long long)resident, (unsigned long long)now);
    al_topology_free(topology);
    return tap_done(&tap);
}
