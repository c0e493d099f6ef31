/* SPDX-License-Identifier: MIT */

/* Counters that no workload's result depends on: stolen messages, steals by level, waits for locks,
 * wake-ups. */

#include "core/actor.h"
#include "core/sync/blocking.h"
#include "schedulers/queues/inbox.h"
#include "tests/support/choose.h"
#include "tests/support/fake_system.h"

/* The length of an actor's inbox, against a model, while messages arrive, are taken and stay. */
static void test_inbox_length(struct tap *tap)
{
    struct al_inbox inbox;
    struct al_random random;
    struct al_pool pool;
    al_pool_init(&pool, NULL, sizeof(struct al_list_node), AL_MALLOC);
    uint64_t length = 0, most = 0;
    bool good = true;
    al_random_seed(&random, 7, 0);
    al_inbox_init(&inbox);
    /* from here on the actor is ready */
    al_inbox_push_mpsc(&inbox, al_list_node(&pool, NULL, NULL, NULL));
    length++;
    for (int turn = 0; turn < 2000; turn++) {
        for (uint32_t i = al_random_below(&random, 8); i > 0; i--, length++)
            al_inbox_push_mpsc(&inbox, al_list_node(&pool, NULL, NULL, NULL));
        good &= al_inbox_length_mpsc(&inbox) == length;
        most = length > most ? length : most;
        /* Takes a few messages, as al_base_resume does in a turn. */
        uint64_t gulps = 0, gulped = inbox.n_taken, received = 0;
        for (uint32_t i = al_random_below(&random, 9); i > 0; i--) {
            struct al_list_node *node = al_inbox_pop_mpsc(&inbox, &gulps, &gulped);
            received += node != NULL;
            if (node != NULL)
                al_pool_give(&pool, node);
        }
        inbox.n_taken = gulped - received;
        length -= received;
        good &= al_inbox_length_mpsc(&inbox) == length;
    }
    tap_ok(tap, good && most > 20, "an actor's inbox tells its length, up to %llu",
           (unsigned long long)most);
    uint64_t gulps = 0, gulped = 0;
    for (struct al_list_node *node; (node = al_inbox_pop_mpsc(&inbox, &gulps, &gulped)) != NULL;)
        al_pool_give(&pool, node);
}

static void test_levels(struct tap *tap)
{
    struct fake fake = fake_new("random", "node:2 l3:2 core:2 pu:1", NULL, 0);
    uint64_t levels[8] = {0};
    struct al_worker *thief = &fake.system->workers[0];
    thief->steals_by_level = levels;
    uint32_t n = al_locality_n_levels(fake.system->locality, 0);
    al_stole(thief, 1, 1, 3); /* under the same L3 */
    al_stole(thief, 2, 1, 1); /* on the same node */
    al_stole(thief, 3, 2, 0);
    al_stole(thief, 7, 1, 5); /* on the other node */
    tap_ok(tap,
           n == 3 && levels[0] == 1 && levels[1] == 2 && levels[2] == 1 &&
               thief->counters.steals == 4 && thief->counters.queues_stolen == 5 &&
               thief->counters.messages_stolen == 9,
           "steals are counted at the level that the victim shares with the thief");
    fake_free(&fake);
}

struct holder {
    struct al_spinlock spinlock;
    struct al_mutex mutex;
    struct al_atomic_u32 held;
};

static struct al_worker waiter;

static void hold_until(uint64_t waits)
{
    while (al_peek(&waiter.counters.lock_waits) < waits)
        al_yield();
}

/* Hold both locks until somebody waits for them, first for the mutex. */
static void hold(void *argument)
{
    struct holder *holder = argument;
    al_spinlock_lock(&holder->spinlock);
    al_mutex_lock(&holder->mutex);
    al_u32_store_release(&holder->held, 1);
    hold_until(1);
    al_mutex_unlock(&holder->mutex);
    hold_until(2);
    al_spinlock_unlock(&holder->spinlock);
}

static void test_lock_waits(struct tap *tap)
{
    struct holder holder = {0};
    struct al_thread thread;
    al_self_set(&waiter);
    al_spinlock_lock(&holder.spinlock); /* free: no wait */
    al_spinlock_unlock(&holder.spinlock);
    CHECK(al_thread_start(&thread, hold, &holder) == 0, "no thread");
    while (al_u32_load_acquire(&holder.held) == 0)
        al_yield();
    al_mutex_lock(&holder.mutex);
    al_mutex_unlock(&holder.mutex);
    al_spinlock_lock(&holder.spinlock);
    al_spinlock_unlock(&holder.spinlock);
    al_thread_join(&thread);
    al_self_set(NULL);
    tap_ok(tap, waiter.counters.lock_waits == 2, "two waits for locks are counted: %llu",
           (unsigned long long)waiter.counters.lock_waits);
}

struct sleeper {
    struct al_actor actor;
};

AL_ACTOR(sleeper)

/* A message wakes workers that have slept for some time. */
static void test_wake_ups(struct tap *tap, const char *scheduler, const char *idle)
{
    static const struct al_setting spins = {"park_spin", "1"};
    bool parks = strcmp(idle, "park") == 0;
    struct al_config config = {
        .workers = 2, .oversubscribe = true, .settings = &spins, .n_settings = parks};
    choose_plugins(&config, scheduler, NULL, idle);
    struct al_system *system;
    struct al_error error = {""};
    struct al_report report;
    struct sleeper sleeper;
    CHECK(al_system_start(&config, &system, &error) == 0, "%s", error.text);
    al_sleep_ns(50000000);
    al_send_pill(&al_actor_init(sleeper, &sleeper)->actor, &al_finished_msg);
    CHECK(al_system_stop(system, &report) == 0, "messages were never received");
    uint64_t woken = 0;
    for (uint32_t i = 0; i <= report.n_workers; i++)
        woken += report.workers[i].counters.wake_ups;
    tap_ok(tap, woken >= 1, "%s, %s: %llu wake-ups are counted", scheduler, idle,
           (unsigned long long)woken);
    al_report_free(&report);
}

int main(void)
{
    struct tap tap = {0};
    test_inbox_length(&tap);
    test_levels(&tap);
    test_lock_waits(&tap);
    test_wake_ups(&tap, "deque", "park");
    test_wake_ups(&tap, "inverted", "park");
    test_wake_ups(&tap, "mercury", "own");
    test_wake_ups(&tap, "sharing", "own");
    return tap_done(&tap);
}
