/* SPDX-License-Identifier: MIT */
#include "tests/engine/check_programs.h"

#include <stdio.h>

#include "core/sync/sync.h"
#include "tests/support/tap.h"

static const struct program *running;

static struct {
    _Alignas(64) struct al_atomic_u32 word;
} words[WORDS + 1];

static void set_up(const struct al_scenario *self)
{
    (void)self;
    for (unsigned w = 0; w <= WORDS; w++) {
        al_u32_store_relaxed(&words[w].word, 0);
    }
}

static void await_either(struct al_atomic_u32 *word, struct al_atomic_u32 *other, uint32_t value)
{
    while (al_u32_load_relaxed(word) != value && al_u32_load_relaxed(other) != value)
        al_pause();
}

static void lock_operation(const struct step *step)
{
    struct al_spinlock *lock = (struct al_spinlock *)&words[step->word].word;
    if (step->operation == LOCK)
        al_spinlock_lock(lock);
    else
        al_spinlock_unlock(lock);
}

/* Reads and writes of one word. True: it was one of these. */
static bool do_access(const struct step *step, struct al_atomic_u32 *word)
{
    uint32_t expected = 0;
    switch (step->operation) {
    case LOAD:
        al_u32_load_relaxed(word);
        return true;
    case LOAD_ACQUIRE:
        al_u32_load_acquire(word);
        return true;
    case STORE:
        al_u32_store_relaxed(word, step->value);
        return true;
    case STORE_RELEASE:
        al_u32_store_release(word, step->value);
        return true;
    case EXCHANGE:
        al_u32_exchange_acquire(word, step->value);
        return true;
    case EXCHANGE_ACQ_REL:
        al_u32_exchange_acq_rel(word, step->value);
        return true;
    case CAS:
        (void)al_u32_cas_relaxed(word, &expected, step->value);
        return true;
    case CAS_ACQ_REL:
        (void)al_u32_cas_acq_rel(word, &expected, step->value);
        return true;
    case ADD:
        al_u32_add_relaxed(word, step->value);
        return true;
    case ADD_ACQ_REL:
        al_u32_add_acq_rel(word, step->value);
        return true;
    default:
        return false;
    }
}

/* What waits, or wakes. */
static void do_wait(const struct step *step, struct al_atomic_u32 *word)
{
    switch (step->operation) {
    case LOCK:
    case UNLOCK:
        lock_operation(step);
        break;
    case AWAIT:
        while (al_u32_load_relaxed(word) != step->value)
            al_pause();
        break;
    case AWAIT_EITHER:
        await_either(word, &words[step->word + 1].word, step->value);
        break;
    case PARK:
        while (al_u32_load_relaxed(word) == step->value)
            al_park(word, step->value);
        break;
    case PARK_FOR:
        al_park_for(word, step->value, 1000);
        break;
    case UNPARK:
        al_unpark(word, step->value);
        break;
    default:
        break;
    }
}

static void do_step(const struct step *step)
{
    struct al_atomic_u32 *word = &words[step->word].word;
    switch (step->operation) {
    case FENCE:
        al_fence_seq_cst();
        break;
    case LIGHT:
        al_fence_light();
        break;
    case MEMBARRIER:
        al_membarrier();
        break;
    case CHOOSE:
        al_u32_store_relaxed(word, al_scenario_choose(step->value));
        break;
    default:
        if (!do_access(step, word))
            do_wait(step, word);
    }
}

static void thread(unsigned number)
{
    for (const struct step *step = running->steps[number]; step->operation != END; step++)
        do_step(step);
}

struct check_result search_program(const struct program *program,
                                   const struct check_options *options, unsigned vain_looks,
                                   unsigned steps)
{
    struct al_scenario scenario = {
        .name = program->name,
        .threads = program->threads,
        .set_up = set_up,
        .thread = thread,
        .vain_looks = vain_looks,
        .steps = steps,
    };
    struct check_result result;
    running = program;
    CHECK(check_search(&scenario, options, &result) == 0, "no memory");
    return result;
}

void print_program(const struct program *program)
{
    static const char *const names[OPERATIONS] = {
        "end",         "load",     "load-acquire", "store",  "store-release", "exchange",
        "exchange-ar", "cas",      "cas-ar",       "add",    "add-ar",        "fence",
        "light",       "barrier",  "lock",         "unlock", "await",         "await-either",
        "park",        "park-for", "unpark",       "choose"};
    for (unsigned t = 0; t < program->threads; t++) {
        printf("# thread %u:", t);
        for (const struct step *step = program->steps[t]; step->operation != END; step++)
            printf(" %s(%c, %u)", names[step->operation], "xyz!"[step->word], step -> value);
        putchar('\n');
    }
}
