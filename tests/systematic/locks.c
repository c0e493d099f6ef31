/* SPDX-License-Identifier: MIT */

/* Locks: whoever holds one sees what the holders before have written, and nobody holds it with
 * another. Nobody waits for ever. */

#include "core/engine/check/scenario.h"
#include "core/sync/blocking.h"
#include "core/sync/lock.h"

enum size { KIND, TIMES };
/* Kinds behind those of union al_lock. */
enum { SPINLOCK = AL_LOCK_MCS + 1, TRYLOCK, MUTEX };

static const struct al_scenario *scenario;
static struct al_lock_choice choice;
static struct {
    union al_lock lock;
    struct al_spinlock spinlock;
    struct al_mutex mutex;
    unsigned count; /* under the lock */
} * shared;
static unsigned done[8];

static void set_up(const struct al_scenario *self)
{
    scenario = self;
    shared = al_calloc(1, sizeof *shared);
    unsigned kind = self->sizes[KIND];
    if (kind <= AL_LOCK_MCS && al_lock_choose(&choice, (enum al_lock_kind)kind, self->threads) != 0)
        al_scenario_fail("no memory");
    for (unsigned i = 0; i < self->threads; i++)
        done[i] = 0;
}

static bool lock(unsigned number)
{
    switch (scenario->sizes[KIND]) {
    case SPINLOCK:
        al_spinlock_lock(&shared->spinlock);
        return true;
    case TRYLOCK:
        return al_spinlock_try(&shared->spinlock);
    case MUTEX:
        al_mutex_lock(&shared->mutex);
        return true;
    default:
        al_lock_take(&choice, &shared->lock, number);
        return true;
    }
}

static void unlock(unsigned number)
{
    switch (scenario->sizes[KIND]) {
    case SPINLOCK:
    case TRYLOCK:
        al_spinlock_unlock(&shared->spinlock);
        break;
    case MUTEX:
        al_mutex_unlock(&shared->mutex);
        break;
    default:
        al_lock_release(&choice, &shared->lock, number);
    }
}

static void thread(unsigned number)
{
    for (unsigned i = 0; i < scenario->sizes[TIMES]; i++) {
        if (!lock(number))
            continue;
        shared->count++;
        done[number]++;
        unlock(number);
    }
}

static void look(void)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < scenario->threads; i++)
        sum += done[i];
    if (shared->count != sum)
        al_scenario_fail("%u threads were counted, of %u", shared->count, sum);
}

static const struct al_scenario scenarios[] = {
#define LOCK(text, n, vain, ...)                                                                   \
    {                                                                                              \
        .name = "lock/" text,                                                                      \
        .shows = "one holder at a time, who sees what those before have written", .threads = n,    \
        .sizes = {__VA_ARGS__}, .set_up = set_up, .thread = thread, .look = look,                  \
        .vain_looks = vain                                                                         \
    }
    LOCK("spinlock/2-threads", 2, 2, SPINLOCK, 2),
    LOCK("spinlock/3-threads", 3, 1, SPINLOCK, 1),
    LOCK("spinlock/3-threads-twice", 3, 0, SPINLOCK, 2),
    LOCK("try/3-threads", 3, 0, TRYLOCK, 2),
    LOCK("cforall/2-threads", 2, 2, AL_LOCK_CFORALL, 2),
    LOCK("cforall/3-threads", 3, 1, AL_LOCK_CFORALL, 1),
    LOCK("ticket/2-threads", 2, 1, AL_LOCK_TICKET, 2),
    LOCK("ticket/3-threads", 3, 0, AL_LOCK_TICKET, 2),
    LOCK("mcs/2-threads", 2, 1, AL_LOCK_MCS, 2),
    LOCK("mcs/3-threads", 3, 0, AL_LOCK_MCS, 2),
    LOCK("mutex/2-threads", 2, 0, MUTEX, 2),
    LOCK("mutex/3-threads", 3, 0, MUTEX, 1),
};
AL_SCENARIOS(scenarios)
