/* SPDX-License-Identifier: MIT */

/* Victim heuristics, one by one, on workers that do not run. Algorithm 1 has its own test,
 * tests/schedulers/hierarchical.c. */

#include "core/plugin/scheduler.h"
#include "tests/support/fake_system.h"
#include "tests/support/sets.h"

static const char eight_nodes[] = AL_TOPOLOGIES "/eight-nodes.xml";

/* Picks, each reported as a failure. */
static bool picks_are(struct fake *fake, uint32_t thief, const char *expected)
{
    char text[128] = "";
    while (strlen(text) < strlen(expected)) {
        uint32_t victim = fake_pick(fake, thief);
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%d", used > 0 ? " " : "", (int)victim);
        if (victim != AL_NO_WORKER)
            fake_learn(fake, thief, victim, false);
    }
    if (strcmp(text, expected) != 0)
        printf("# %s instead of %s\n", text, expected);
    return strcmp(text, expected) == 0;
}

/* The set of picks over many seeds; each pick follows a call of `before`. */
static bool random_from(struct fake *fake, uint32_t thief, void (*before)(struct fake *),
                        const char *expected)
{
    bool seen[SET_MOST] = {false};
    for (uint64_t seed = 0; seed < 1500; seed++) {
        fake_reset(fake, seed);
        if (before != NULL)
            before(fake);
        seen[fake_pick(fake, thief)] = true;
    }
    char text[128] = "";
    set_print(text, sizeof text, seen, SET_MOST);
    if (strcmp(text, expected) != 0)
        printf("# %s instead of %s\n", text, expected);
    return strcmp(text, expected) == 0;
}

/* What every heuristic must do: never pick the thief, nor an id that no worker has, whatever the
 * lengths and outcomes. */
static void test_all(struct tap *tap)
{
    for (size_t v = 0; al_victims[v] != NULL; v++) {
        if (AL_OPS(al_victims[v], al_victim_ops)->pick == NULL)
            continue;
        bool valid = true, aimed = true, declined = false;
        for (uint32_t n = 2; n <= 32; n += n < 4 ? 1 : 7) {
            struct fake fake = fake_new(al_victims[v]->name, eight_nodes, NULL, n);
            const struct al_victim_ops *ops = fake.system->victim_ops;
            struct al_random random;
            al_random_seed(&random, n, 1);
            for (int i = 0; i < 5000; i++) {
                uint32_t thief = al_random_below(&random, n);
                fake.lengths[al_random_below(&random, n)] = al_random_below(&random, 3);
                uint32_t victim = fake_pick(&fake, thief);
                valid &= victim == AL_NO_WORKER || (victim < n && victim != thief);
                declined |= victim == AL_NO_WORKER;
                if (victim != AL_NO_WORKER)
                    fake_learn(&fake, thief, victim, al_random_below(&random, 4) == 0);
                if (al_random_below(&random, 8) == 0)
                    fake_rest(&fake, thief);
                if (ops->aim != NULL && al_random_below(&random, 8) == 0) {
                    uint32_t at = al_random_below(&random, n);
                    ops->aim(&fake.system->workers[thief], at);
                    uint32_t next = fake_pick(&fake, thief);
                    aimed &= at == thief ? next != thief : next == at;
                }
            }
            fake_free(&fake);
        }
        tap_ok(tap, valid && aimed, "%s: another worker or none; aim is followed",
               al_victims[v]->name);
        tap_ok(tap, declined == AL_OPS(al_victims[v], al_victim_ops)->declines,
               "%s: names nobody if it says that it may, and only then", al_victims[v]->name);
    }
}

static void test_round_robin(struct tap *tap)
{
    struct fake fake = fake_new("round-robin", "pu:4", NULL, 0);
    void (*aim)(struct al_worker *, uint32_t) = fake.system->victim_ops->aim;
    tap_ok(tap, picks_are(&fake, 1, "2 3 0 2 3 0 2"), "round-robin: in turn, without itself");
    tap_ok(tap, picks_are(&fake, 3, "0 1 2 0") && picks_are(&fake, 0, "1 2 3 1"),
           "round-robin: each thief by itself");
    fake_learn(&fake, 1, fake_pick(&fake, 1), true);
    tap_ok(tap, picks_are(&fake, 1, "3 0 2"), "round-robin: stays after success");
    aim(&fake.system->workers[1], 0);
    tap_ok(tap, picks_are(&fake, 1, "0 2 3"), "round-robin: aim sets the counter");
    fake_free(&fake);
    fake = fake_new("round-robin", "pu:2", NULL, 0);
    tap_ok(tap, picks_are(&fake, 0, "1 1 1") && picks_are(&fake, 1, "0 0"),
           "round-robin: two workers");
    fake_free(&fake);
}

static void test_shared_counter(struct tap *tap)
{
    struct fake fake = fake_new("round-robin", "pu:4", NULL, 0);
    fake.system->victim.values[0].uint = 1;
    void (*aim)(struct al_worker *, uint32_t) = fake.system->victim_ops->aim;
    tap_ok(tap,
           picks_are(&fake, 0, "1 2") && picks_are(&fake, 1, "3 0 2") && picks_are(&fake, 3, "0"),
           "counter=shared: one goes on where another stopped, without itself");
    fake_learn(&fake, 2, fake_pick(&fake, 2), true);
    tap_ok(tap, picks_are(&fake, 3, "1 2") && picks_are(&fake, 3, "0"),
           "counter=shared: all stay where one had success");
    aim(&fake.system->workers[1], 2);
    tap_ok(tap, picks_are(&fake, 0, "2 3"), "counter=shared: aim sets it for all");
    fake_free(&fake);
}

static void nearest_three(struct fake *fake)
{
    for (int i = 0; i < 3; i++)
        fake_learn(fake, 0, fake_pick(fake, 0), false);
}

static void nearest_seven(struct fake *fake)
{
    for (int i = 0; i < 7; i++)
        fake_learn(fake, 0, fake_pick(fake, 0), false);
}

/* True if a round of 31 picks tries every other worker, the nearest first. */
static bool nearest_round(struct fake *fake)
{
    const struct al_locality *locality = fake->system->locality;
    bool seen[32] = {false}, right = true;
    uint32_t last = 0;
    for (int i = 0; i < 31; i++) {
        uint32_t victim = fake_pick(fake, 0), distance = al_locality_distance(locality, 0, victim);
        right &= !seen[victim] && distance >= last;
        seen[victim] = true;
        last = distance;
        fake_learn(fake, 0, victim, false);
    }
    return right;
}

static void test_nearest(struct tap *tap)
{
    struct fake fake = fake_new("nearest", eight_nodes, NULL, 0);
    bool rounds = true;
    for (uint64_t seed = 0; seed < 100; seed++) {
        fake_reset(&fake, seed);
        for (int i = 0; i < 3; i++)
            rounds &= nearest_round(&fake);
    }
    tap_ok(tap, rounds, "nearest: all, the nearest first, none twice, round after round");
    tap_ok(tap, random_from(&fake, 0, NULL, "1"), "nearest: the other core of the L2 first");
    tap_ok(tap, random_from(&fake, 0, nearest_three, "4-7"), "nearest: any of the next node");
    tap_ok(tap, random_from(&fake, 0, nearest_seven, "8-15 24-31"),
           "nearest: any of those equally far");
    fake_reset(&fake, 7);
    nearest_seven(&fake);
    fake_rest(&fake, 0);
    bool begins = nearest_round(&fake);
    nearest_seven(&fake);
    fake_learn(&fake, 0, fake_pick(&fake, 0), true);
    tap_ok(tap, begins && nearest_round(&fake),
           "nearest: from the nearest again after rest, and after success");
    fake_free(&fake);
}

static void test_longest_queue(struct tap *tap)
{
    struct fake fake = fake_new("longest-queue", "pu:5", NULL, 0);
    tap_ok(tap, picks_are(&fake, 2, "-1"), "longest-queue: none if all are empty");
    fake.lengths[2] = 99;
    tap_ok(tap, picks_are(&fake, 2, "-1"), "longest-queue: the thief's own does not count");
    fake.lengths[0] = 3;
    fake.lengths[4] = 7;
    fake.lengths[3] = 5;
    tap_ok(tap, picks_are(&fake, 2, "4 4") && picks_are(&fake, 0, "2"),
           "longest-queue: the longest");
    fake.lengths[0] = 7;
    tap_ok(tap, picks_are(&fake, 2, "4") && picks_are(&fake, 4, "2"),
           "longest-queue: of equal ones the first after the thief");
    fake.lengths[2] = 7;
    tap_ok(tap, picks_are(&fake, 4, "0") && picks_are(&fake, 0, "2"),
           "longest-queue: likewise around the end");
    fake_free(&fake);
}

static void last_failed(struct fake *fake)
{
    fake_learn(fake, 1, 3, true);
    fake_learn(fake, 1, 3, false);
}

static void last_found(struct fake *fake)
{
    fake_learn(fake, 1, 0, true);
    fake_learn(fake, 1, 3, true);
    fake_learn(fake, 0, 2, true);
    fake_rest(fake, 1);
}

static void test_last_success(struct tap *tap)
{
    struct fake fake = fake_new("last-success", "pu:5", NULL, 0);
    tap_ok(tap, random_from(&fake, 1, NULL, "0 2-4"), "last-success: at first any other");
    tap_ok(tap, random_from(&fake, 1, last_found, "3"), "last-success: the last with work");
    tap_ok(tap, random_from(&fake, 1, last_failed, "0 2-4"), "last-success: after failure any");
    fake_free(&fake);
}

/* All workers but the thief and worker 1 have tried to steal, one after another. */
static void all_but_one(struct fake *fake)
{
    for (uint32_t i = 2; i < fake->system->n_workers; i++)
        fake_pick(fake, i);
}

/* Where the cycle counters of different PUs cannot be compared, the stamps come from the clock. */
static void test_stamps(struct tap *tap)
{
    static const char *const names[] = {"longest", "longest-sampled"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct fake fake = fake_new(names[i], "pu:2", NULL, 0);
        fake.system->stamps_by_clock = true;
        uint64_t before = al_clock_ns();
        fake_reset(&fake, 1);
        fake_pick(&fake, 0);
        /* Both heuristics keep the stamp of worker 0 first. */
        uint64_t stamp = al_u64_load_relaxed(fake.system->victim_state);
        tap_ok(tap, before <= stamp && stamp <= al_clock_ns(),
               "%s: stamps come from the clock where the TSC is not steady", names[i]);
        fake_free(&fake);
    }
}

static void test_longest(struct tap *tap)
{
    struct fake fake = fake_new("longest", "pu:8", NULL, 0);
    tap_ok(tap, random_from(&fake, 0, all_but_one, "1"), "longest: longest ago");
    fake_free(&fake);
    fake = fake_new("longest-sampled", "pu:8", NULL, 0);
    union al_value *samples = &fake.system->victim.values[0];
    tap_ok(tap, samples->uint == 2, "longest-sampled: two samples by default");
    samples->uint = 7;
    tap_ok(tap, random_from(&fake, 0, all_but_one, "1"), "longest-sampled: all of them");
    samples->uint = 1;
    tap_ok(tap, random_from(&fake, 0, all_but_one, "1-7"), "longest-sampled: one is random");
    samples->uint = 2;
    tap_ok(tap, random_from(&fake, 0, NULL, "1-7"), "longest-sampled: two, in the beginning");
    /* Of 49 pairs, 13 have worker 1; only one has nobody but worker 7. */
    unsigned n[8] = {0};
    for (uint64_t seed = 0; seed < 4900; seed++) {
        fake_reset(&fake, seed);
        all_but_one(&fake);
        n[fake_pick(&fake, 0)]++;
    }
    tap_ok(tap, n[0] == 0 && n[1] > 1200 && n[1] < 1400 && n[7] > 60 && n[7] < 140,
           "longest-sampled: the older of two (%u and %u of 4900)", n[1], n[7]);
    fake_free(&fake);
}

static void test_random(struct tap *tap)
{
    struct fake fake = fake_new("random", "pu:5", NULL, 0);
    tap_ok(tap, random_from(&fake, 3, NULL, "0-2 4"), "random: any other");
    fake_free(&fake);
}

int main(void)
{
    struct tap tap = {0};
    test_all(&tap);
    test_random(&tap);
    test_round_robin(&tap);
    test_shared_counter(&tap);
    test_nearest(&tap);
    test_longest_queue(&tap);
    test_last_success(&tap);
    test_longest(&tap);
    test_stamps(&tap);
    return tap_done(&tap);
}
