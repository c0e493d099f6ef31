/* SPDX-License-Identifier: MIT */

/* The virtual engine itself: it repeats runs, parks tasks, and finds deadlocks, livelocks and
 * threads that were never joined. */

#include "core/engine/engine.h"

#include <string.h>

#include "core/error.h"
#include "core/sync/sync.h"
#include "tests/support/tap.h"

#define ROUNDS 20

struct shared {
    struct al_spinlock lock;
    struct al_atomic_u32 turn;
    uint32_t count;
};

static void start(struct al_thread *thread, void (*function)(void *), void *argument)
{
    CHECK(al_thread_start(thread, function, argument) == 0, "no thread");
}

static void take_turns(struct shared *shared, uint32_t mine)
{
    for (int i = 0; i < ROUNDS; i++) {
        uint32_t turn;
        while ((turn = al_u32_load_acquire(&shared->turn)) % 2 != mine)
            al_park(&shared->turn, turn);
        shared->count++;
        al_u32_add_acq_rel(&shared->turn, 1);
        al_unpark(&shared->turn, 1);
    }
}

static void second(void *argument)
{
    take_turns(argument, 1);
}

static void park_and_unpark(void *argument)
{
    struct shared *shared = argument;
    struct al_thread thread;
    start(&thread, second, shared);
    take_turns(shared, 0);
    al_thread_join(&thread);
}

static void add(void *argument)
{
    struct shared *shared = argument;
    for (int i = 0; i < ROUNDS; i++) {
        al_spinlock_lock(&shared->lock);
        uint32_t count = shared->count;
        al_pause(); /* a choice point, at which a lost update would happen */
        shared->count = count + 1;
        al_spinlock_unlock(&shared->lock);
    }
}

static void lock_and_unlock(void *argument)
{
    struct al_thread threads[3];
    for (int i = 0; i < 3; i++)
        start(&threads[i], add, argument);
    for (int i = 0; i < 3; i++)
        al_thread_join(&threads[i]);
}

static void add_without_lock(void *argument)
{
    struct shared *shared = argument;
    uint32_t turn = al_u32_load_relaxed(&shared->turn);
    al_u32_store_relaxed(&shared->turn, turn + 1);
}

static void lose_an_update(void *argument)
{
    struct al_thread threads[2];
    for (int i = 0; i < 2; i++)
        start(&threads[i], add_without_lock, argument);
    for (int i = 0; i < 2; i++)
        al_thread_join(&threads[i]);
}

static void park_for_ever(void *argument)
{
    struct shared *shared = argument;
    al_park(&shared->turn, 0);
}

static void spin_for_ever(void *argument)
{
    (void)argument;
    for (;;)
        al_pause();
}

static void fail(void *argument)
{
    (void)argument;
    al_fatal("a check failed: %d", 7);
}

static void nothing(void *argument)
{
    (void)argument;
}

static void leave_behind(void *argument)
{
    struct al_thread thread;
    start(&thread, nothing, argument);
}

static struct al_engine_result result_of(uint64_t seed, enum al_coroutine_backend backend,
                                         void (*function)(void *), struct shared *shared)
{
    *shared = (struct shared){0};
    struct al_engine_result result;
    al_engine_run(
        &(struct al_engine_config){.seed = seed, .backend = backend, .step_limit = 100000},
        function, shared, &result);
    return result;
}

static uint64_t run(uint64_t seed, enum al_coroutine_backend backend, void (*function)(void *),
                    struct shared *shared)
{
    struct al_engine_result result = result_of(seed, backend, function, shared);
    CHECK(result.end == AL_ENGINE_DONE, "%s", result.text);
    return result.hash;
}

/* Does the run end like this, and say this? Another run must work afterwards. */
static bool ends(void (*function)(void *), enum al_engine_end end, const char *says)
{
    struct shared shared;
    struct al_engine_result result = result_of(1, AL_COROUTINE_FASTEST, function, &shared);
    if (result.end != end || strstr(result.text, says) == NULL)
        printf("# end %d, said: %s\n", result.end, result.text);
    run(1, AL_COROUTINE_FASTEST, park_and_unpark, &shared);
    return result.end == end && strstr(result.text, says) != NULL;
}

int main(void)
{
    struct tap tap = {0};
    struct shared shared;
    bool parks = true, locks = true, repeats = true, backends = true;
    int lost = 0, kept = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        uint64_t hash = run(seed, AL_COROUTINE_FASTEST, park_and_unpark, &shared);
        parks &= shared.count == 2 * ROUNDS;
        repeats &= run(seed, AL_COROUTINE_FASTEST, park_and_unpark, &shared) == hash;
        backends &= run(seed, AL_COROUTINE_UCONTEXT, park_and_unpark, &shared) == hash;
        run(seed, AL_COROUTINE_FASTEST, lock_and_unlock, &shared);
        locks &= shared.count == 3 * ROUNDS;
        run(seed, AL_COROUTINE_FASTEST, lose_an_update, &shared);
        lost += shared.turn.value == 1;
        kept += shared.turn.value == 2;
    }
    tap_ok(&tap, parks, "park and unpark lose no wake-up in 200 seeds");
    tap_ok(&tap, locks, "the spinlock excludes in 200 seeds");
    tap_ok(&tap, repeats, "the same seed repeats a run");
    tap_ok(&tap, backends, "both backends give the same run");
    tap_ok(&tap, lost > 0 && kept > 0 && lost + kept == 200,
           "an unlocked increment is lost by some seeds (%d) and not by others (%d)", lost, kept);
    tap_ok(&tap,
           ends(park_for_ever, AL_ENGINE_DEADLOCK, "deadlock after 1 steps: thread 0 is parked"),
           "a deadlock is found");
    tap_ok(&tap, ends(spin_for_ever, AL_ENGINE_LIVELOCK, "no end after 100000 steps"),
           "a livelock is found");
    tap_ok(&tap, ends(leave_behind, AL_ENGINE_UNJOINED, "thread 1 was never joined"),
           "a thread left behind is found");
    tap_ok(&tap, ends(fail, AL_ENGINE_FATAL, "a check failed: 7"),
           "a check that fails is a result");
    return tap_done(&tap);
}
