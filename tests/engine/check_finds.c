/* SPDX-License-Identifier: MIT */

/* What the checker finds: a scenario for each kind of error, and what it says of it. */

#include "core/engine/check/search.h"

#include "core/sync/sync.h"
#include "tests/support/tap.h"

static struct al_atomic_u32 flag, word;
static struct al_atomic_ptr pointer;
static unsigned memory, runs;

static void set_up(const struct al_scenario *self)
{
    (void)self;
    al_u32_store_relaxed(&flag, 0);
    al_u32_store_relaxed(&word, 0);
    al_ptr_store_relaxed(&pointer, NULL);
    memory = 0;
}

/* Thread 1 reads what thread 0 has written, without an order that says so. */
static void race(unsigned number)
{
    if (number == 0) {
        memory = 1;
        al_u32_store_relaxed(&flag, 1);
    } else if (al_u32_load_acquire(&flag) != 0) {
        __asm__ volatile("" : : "r"(memory));
    }
}

static void published(unsigned number)
{
    if (number == 0) {
        memory = 1;
        al_u32_store_release(&flag, 1);
    } else if (al_u32_load_acquire(&flag) != 0 && memory != 1) {
        al_scenario_fail("what was published has not come");
    }
}

/* Two halves of a lock that is none. */
static void lost_update(unsigned number)
{
    (void)number;
    uint32_t value = al_u32_load_relaxed(&word);
    al_u32_store_relaxed(&word, value + 1);
}

static void look_for_two(void)
{
    if (al_u32_load_relaxed(&word) != 2)
        al_scenario_fail("an update is lost");
}

/* The sleeper looks, and the waker comes before it sleeps. */
static void lost_wakeup(unsigned number)
{
    if (number == 1) {
        al_unpark(&word, 1);
        al_u32_store_relaxed(&word, 1);
    } else if (al_u32_load_relaxed(&word) == 0) {
        al_park(&word, 0);
    }
}

static void never(unsigned number)
{
    while (number == 0 && al_u32_load_relaxed(&word) != 2)
        al_pause();
    if (number == 1)
        al_u32_store_relaxed(&word, 1);
}

static void endless(unsigned number)
{
    while (al_u32_load_relaxed(&word) == 0)
        al_u32_store_relaxed(&flag, number);
}

static void freed(unsigned number)
{
    if (number == 0) {
        uint32_t *new = al_calloc(1, sizeof *new);
        al_ptr_store_release(&pointer, new);
        al_u32_store_release(&flag, 1);
        al_free(new);
        return;
    }
    uint32_t *other = al_ptr_load_acquire(&pointer);
    if (other != NULL)
        __asm__ volatile("" : : "r"(*other));
}

/* A node that is taken, freed and put back in between looks as if nothing had happened (ABA). */
static void *first;

static void aba(unsigned number)
{
    if (number == 0) {
        void *node = al_malloc(16);
        first = node;
        al_ptr_store_release(&pointer, node);
        al_u32_store_release(&flag, 1);
        return;
    }
    if (al_u32_load_acquire(&flag) == 0)
        return;
    void *expected = al_ptr_load_acquire(&pointer);
    if (number == 1) {
        if (expected == NULL || !al_ptr_cas_acq_rel(&pointer, &expected, NULL))
            return;
        al_free(expected);
        void *again = al_malloc(16);
        al_u32_store_release(&word, again == expected);
        al_ptr_store_release(&pointer, again);
    } else if (expected != NULL && al_ptr_cas_acq_rel(&pointer, &expected, NULL) &&
               al_u32_load_acquire(&word) != 0) {
        al_scenario_fail("a new node passes for the old one");
    }
}

static void reads_clock(unsigned number)
{
    (void)number;
    (void)al_clock_ns();
}

static void remembers(unsigned number)
{
    if (number == 0 && runs++ > 0)
        al_u32_store_relaxed(&word, 1);
    al_u32_store_relaxed(&flag, number);
}

static void fails_once(unsigned number)
{
    al_u32_store_relaxed(&flag, number);
    if (number == 0 && runs++ == 0)
        al_scenario_fail("the first run");
}

static void two_sizes(unsigned number)
{
    if (number == 0)
        al_u32_store_relaxed(&word, 1);
    else
        (void)al_u16_load_relaxed((const struct al_atomic_u16 *)&word);
}

/* More fences than a model orders. */
static void fences(unsigned number)
{
    for (unsigned i = 0; i < 40; i++) {
        al_u32_store_relaxed(&word, number);
        al_fence_light();
        al_membarrier();
    }
}

/* Thread 1 uses a pointer that thread 0 has not set yet. */
static void crash(unsigned number)
{
    static unsigned object;
    if (number == 0)
        al_ptr_store_release(&pointer, &object);
    else
        *(volatile unsigned *)al_ptr_load_acquire(&pointer) = 1;
}

/* Thread 0 starts another one, which sees all that it has done before, not what it does then. */
static struct al_thread child;

static void read_all(void *argument)
{
    (void)argument;
    if (memory != 1 || al_u32_load_relaxed(&word) != 1)
        al_scenario_fail("a new thread misses what was before it");
    al_u32_store_relaxed(&flag, 1);
}

static void starts(unsigned number)
{
    if (number == 1) {
        (void)al_u32_load_relaxed(&flag);
        al_u32_store_relaxed(&flag, 2);
        return;
    }
    memory = 1;
    al_u32_store_relaxed(&word, 1);
    if (al_thread_start(&child, read_all, NULL) != 0)
        al_scenario_fail("no thread");
    (void)al_u32_load_relaxed(&flag);
}

static void starts_early(unsigned number)
{
    starts(number);
    if (number == 0)
        memory = 2;
}

static const struct found {
    const char *name;
    void (*thread)(unsigned number);
    void (*look)(void);
    enum check_outcome outcome;
    const char *says; /* begins with it */
    bool reuse;
} founds[] = {
    {"a race", race, NULL, CHECK_FAILED, "data race", false},
    {"no race", published, NULL, CHECK_COMPLETE, "", false},
    {"a lost update", lost_update, look_for_two, CHECK_FAILED, "an update is lost", false},
    {"a lost wake-up", lost_wakeup, NULL, CHECK_FAILED, "nothing goes on: thread 0 is parked",
     false},
    {"a vain wait", never, NULL, CHECK_FAILED, "nothing goes on: thread 0 looks in vain", false},
    {"a loop", endless, NULL, CHECK_FAILED, "thread 0 does not end", false},
    {"a thread that is started", starts, NULL, CHECK_COMPLETE, "", false},
    {"a race with a thread that is started", starts_early, NULL, CHECK_FAILED, "data race", false},
    {"a crash", crash, NULL, CHECK_FAILED, "thread 1 crashes: ", false},
    {"freed memory", freed, NULL, CHECK_FAILED, "memory that has been freed", false},
    {"no ABA, if memory does not come back", aba, NULL, CHECK_COMPLETE, "", false},
    {"ABA", aba, NULL, CHECK_FAILED, "a new node passes", true},
    {"a clock", reads_clock, NULL, CHECK_REFUSED, "a scenario must not depend on time", false},
    {"memory of earlier runs", remembers, NULL, CHECK_REFUSED, "thread 0 has read the same", false},
    {"too many fences", fences, NULL, CHECK_REFUSED, "this scenario has more fences", false},
    {"a failure that does not happen again", fails_once, NULL, CHECK_REFUSED,
     "a failure does not happen again", false},
    {"a word of two sizes", two_sizes, NULL, CHECK_REFUSED, "thread 1 accesses 2 bytes", false},
};

/* A thread that goes round for ever is cut short, and the other one goes on. */
static void test_steps(struct tap *tap)
{
    struct al_scenario scenario = {
        .name = "steps", .threads = 2, .set_up = set_up, .thread = endless, .steps = 20};
    struct check_options options = {.model = &check_sc};
    struct check_result result;
    bool done = check_search(&scenario, &options, &result) == 0;
    tap_ok(tap,
           done && result.outcome == CHECK_COMPLETE && result.cut > 0 &&
               result.cut == result.dropped && result.complete == 0,
           "so many steps: %llu of %llu cut short", (unsigned long long)result.cut,
           (unsigned long long)result.dropped);
}

/* Each execution once, with a thread that another one starts. */
static void test_starts(struct tap *tap, const struct check_model *model)
{
    struct al_scenario scenario = {
        .name = "starts", .threads = 2, .set_up = set_up, .thread = starts};
    struct check_options options = {.model = model, .count_graphs = true};
    struct check_result dpor, all;
    bool done = check_search(&scenario, &options, &dpor) == 0;
    options.way = CHECK_ALL;
    done = check_search(&scenario, &options, &all) == 0 && done;
    tap_ok(tap, done && dpor.complete == 9 && all.graphs == 9,
           "a thread starts another one under %s: %llu executions, %llu by enumeration%s%s",
           model->name, (unsigned long long)dpor.complete, (unsigned long long)all.graphs,
           all.reason[0] != '\0' ? ": " : "", all.reason);
}

static struct check_result look_for_lost_update(const struct check_options *options)
{
    struct al_scenario scenario = {.name = "a lost update",
                                   .threads = 2,
                                   .set_up = set_up,
                                   .thread = lost_update,
                                   .look = look_for_two};
    struct check_result result;
    if (check_search(&scenario, options, &result) != 0)
        result.outcome = CHECK_REFUSED;
    return result;
}

/* A lost update takes one preemption, and two things in order. */
static void test_bounds(struct tap *tap)
{
    struct check_options options = {.model = &check_sc, .runs = 2000, .seed = 1};
    for (options.bound = 0; options.bound < 2; options.bound++) {
        options.way = CHECK_BOUNDED;
        bool found = look_for_lost_update(&options).outcome == CHECK_FAILED;
        tap_ok(tap, found == (options.bound > 0), "a lost update with %u preemptions",
               options.bound);
    }
    for (options.bound = 1; options.bound < 3; options.bound++) {
        options.way = CHECK_PCT;
        bool found = look_for_lost_update(&options).outcome == CHECK_FAILED;
        tap_ok(tap, found == (options.bound > 1), "a lost update with pct %u", options.bound);
    }
}

/* A run that was drawn is the same again from its own seed. */
static void test_again(struct tap *tap)
{
    static const enum check_way ways[] = {CHECK_RANDOM, CHECK_PCT};
    for (size_t w = 0; w < 2; w++) {
        struct check_options options = {
            .model = &check_c11, .way = ways[w], .bound = 3, .runs = 100000, .seed = 7};
        struct check_result first = look_for_lost_update(&options);
        unsigned same = 0;
        options.seed = first.seed;
        options.runs = 1;
        for (unsigned i = 0; i < 100; i++) {
            struct check_result again = look_for_lost_update(&options);
            same += again.outcome == CHECK_FAILED && again.complete + again.dropped == 0;
        }
        tap_ok(tap, first.outcome == CHECK_FAILED && same == 100, "%u of 100 runs again", same);
    }
}

/* A failure comes again by its schedule, each time. */
static void test_replay(struct tap *tap, const struct al_scenario *scenario,
                        const struct check_options *options, const struct check_result *first)
{
    struct check_options replay = {.model = options->model,
                                   .way = CHECK_REPLAY,
                                   .reuse = options->reuse,
                                   .schedule = first->schedule};
    unsigned same = 0;
    for (unsigned i = 0; i < 100; i++) {
        struct check_result again;
        same += check_search(scenario, &replay, &again) == 0 && again.outcome == CHECK_FAILED &&
                (strcmp(again.reason, first->reason) == 0 || scenario->thread == freed);
    }
    tap_ok(tap, same == 100, "%s under %s: %u of 100 replays", scenario->name, options->model->name,
           same);
}

int main(void)
{
    struct tap tap = {0};
    static const struct check_model *const models[] = {&check_sc, &check_tso, &check_c11};
    for (size_t i = 0; i < sizeof founds / sizeof *founds; i++) {
        const struct found *found = &founds[i];
        /* Sequential consistency needs no fences. */
        for (size_t m = found->thread == fences; m < 3; m++) {
            struct al_scenario scenario = {.name = found->name,
                                           .threads = found->thread == aba ? 3 : 2,
                                           .set_up = set_up,
                                           .thread = found->thread,
                                           .look = found->look};
            struct check_options options = {
                .model = models[m], .reuse = found->reuse, .traces = true};
            struct check_result result;
            runs = 0;
            bool done = check_search(&scenario, &options, &result) == 0;
            bool traced = result.n_lines > 0;
            bool wanted = found->outcome == CHECK_FAILED;
            tap_ok(&tap,
                   done && result.outcome == found->outcome &&
                       (traced == wanted || found->outcome == CHECK_REFUSED) &&
                       strncmp(result.reason, found->says, strlen(found->says)) == 0,
                   "%s under %s: %s", found->name, models[m]->name, result.reason);
            if (result.schedule != NULL)
                test_replay(&tap, &scenario, &options, &result);
            check_result_free(&result);
        }
    }
    test_steps(&tap);
    for (size_t m = 0; m < 3; m++)
        test_starts(&tap, models[m]);
    test_bounds(&tap);
    test_again(&tap);
    return tap_done(&tap);
}
