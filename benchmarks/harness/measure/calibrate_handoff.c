/* SPDX-License-Identifier: MIT */

/*
 * Part of benchmarks/harness/measure/calibrate.h: two threads pass a ball to and fro through one
 * line. With compare-and-swaps each try takes the line away from the other thread, as a lock or a
 * queue does; with loads and stores a thread waits on a copy. Half of a round trip is a hand-off.
 */

#include "benchmarks/harness/measure/calibrate.h"

enum { ROUNDS = 400 }; /* of a batch: some 100 us, too short for most preemptions to hit */

struct game {
    struct al_atomic_u64 *ball; /* alone in the two lines that a prefetcher fetches together */
    size_t batches;
    bool swaps;
    struct al_samples *ns;
};

struct player {
    struct game *game;
    uint64_t mine, other; /* what is on the ball when it is this player's turn, or the other's */
};

static void swap(struct al_atomic_u64 *ball, uint64_t from, uint64_t to)
{
    uint64_t expected;
    do
        expected = from;
    while (!al_u64_cas_acq_rel(ball, &expected, to)); /* partner: the other player's */
}

static void exchange(struct al_atomic_u64 *ball, uint64_t from, uint64_t to)
{
    /* acquire and release: partners of each other. The time is that of handing over data, so the
     * orders are those of it. */
    while (al_u64_load_acquire(ball) != from)
        al_pause();
    al_u64_store_release(ball, to);
}

static void play(void *argument)
{
    const struct player *player = argument;
    const struct game *game = player->game;
    for (size_t batch = 0; batch <= game->batches; batch++) {
        uint64_t began_ns = al_clock_ns();
        for (int round = 0; round < ROUNDS; round++) {
            if (game->swaps)
                swap(game->ball, player->mine, player->other);
            else
                exchange(game->ball, player->mine, player->other);
        }
        double ns = (double)(al_clock_ns() - began_ns) / (2 * ROUNDS);
        if (batch > 0 && player->mine == 0) /* the first waits for the other player */
            al_samples_add(game->ns, ns);
    }
}

int al_calibrate_handoff(struct al_calibrator *calibrator, unsigned pu, unsigned other,
                         unsigned home, bool swaps, struct al_samples *ns)
{
    struct game game = {.batches = calibrator->repeats, .swaps = swaps, .ns = ns};
    void *memory;
    int code = al_calibrate_memory(calibrator, home, 2 * AL_CACHE_LINE_BYTES, &memory);
    if (code != 0)
        return code;
    game.ball = memory;
    struct player players[] = {{&game, 0, 1}, {&game, 1, 0}};
    struct al_calibrate_thread threads[] = {
        {.function = play, .argument = &players[0], .pu = pu},
        {.function = play, .argument = &players[1], .pu = other},
    };
    return al_calibrate_run(calibrator->topology, threads, 2);
}
