/* SPDX-License-Identifier: MIT */

/* Semaphores and condition variables: no wake-up is lost, and whoever is woken sees why. */

#include "core/engine/check/scenario.h"
#include "core/sync/blocking.h"

static const struct al_scenario *scenario;
static struct {
    struct al_semaphore semaphore;
    struct al_mutex mutex;
    struct al_condition condition;
    unsigned items; /* under the mutex */
    unsigned made[8];
} * shared;
enum size { POSTS };

static void set_up(const struct al_scenario *self)
{
    scenario = self;
    shared = al_calloc(1, sizeof *shared);
}

/* Thread 0 waits as often as the others post. */
static void semaphore_thread(unsigned number)
{
    unsigned posts = scenario->sizes[POSTS];
    if (number > 0) {
        for (unsigned i = 0; i < posts; i++) {
            shared->made[number] = 1;
            al_semaphore_post(&shared->semaphore);
        }
        return;
    }
    for (unsigned i = 0; i < (scenario->threads - 1) * posts; i++)
        al_semaphore_wait(&shared->semaphore);
    for (unsigned i = 1; i < scenario->threads; i++) {
        if (shared->made[i] == 0)
            al_scenario_fail("the waiter has not seen what thread %u has made", i);
    }
}

static void limited_thread(unsigned number)
{
    if (number > 0) {
        shared->made[0] = 1;
        al_semaphore_post(&shared->semaphore);
        return;
    }
    if (!al_semaphore_wait_for(&shared->semaphore, 1000))
        al_semaphore_wait(&shared->semaphore);
    if (shared->made[0] == 0)
        al_scenario_fail("the waiter has not seen what was made");
}

/* Thread 0 takes as many items as the others make. */
static void condition_thread(unsigned number)
{
    if (number > 0) {
        al_mutex_lock(&shared->mutex);
        shared->items++;
        al_condition_signal(&shared->condition, 1);
        al_mutex_unlock(&shared->mutex);
        return;
    }
    for (unsigned left = scenario->threads - 1; left > 0;) {
        al_mutex_lock(&shared->mutex);
        while (shared->items == 0)
            al_condition_wait(&shared->condition, &shared->mutex);
        left -= shared->items;
        shared->items = 0;
        al_mutex_unlock(&shared->mutex);
    }
}

/* All but the last wait for an item each, and the last makes them one by one. */
static void waiters_thread(unsigned number)
{
    bool makes = number == scenario->threads - 1;
    for (unsigned i = 0; i < (makes ? scenario->threads - 1 : 1); i++) {
        al_mutex_lock(&shared->mutex);
        if (makes) {
            shared->items++;
            al_condition_signal(&shared->condition, 1);
        } else {
            while (shared->items == 0)
                al_condition_wait(&shared->condition, &shared->mutex);
            shared->items--;
        }
        al_mutex_unlock(&shared->mutex);
    }
}

static const struct al_scenario scenarios[] = {
#define WAITS(text, n, truth, runs, is_deep, ...)                                                  \
    {                                                                                              \
        .name = text, .shows = truth, .threads = n, .sizes = {__VA_ARGS__}, .set_up = set_up,      \
        .thread = runs, .deep = is_deep                                                            \
    }
    WAITS("semaphore/1-poster", 2, "no post is lost", semaphore_thread, false, 2),
    WAITS("semaphore/2-posters", 3, "no post is lost", semaphore_thread, false, 1),
    WAITS("semaphore/2-posters-twice", 3, "no post is lost", semaphore_thread, false, 2),
    WAITS("semaphore/limited", 2, "a limited wait loses no post", limited_thread, false, 1),
    WAITS("condition/1-maker", 2, "no signal is lost", condition_thread, false, 0),
    WAITS("condition/2-makers", 3, "no signal is lost", condition_thread, true, 0),
    WAITS("condition/2-waiters", 3, "each signal wakes a waiter", waiters_thread, true, 0),
};
AL_SCENARIOS(scenarios)
