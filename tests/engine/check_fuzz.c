/* SPDX-License-Identifier: MIT */

/*
 * The checker's search against plain enumeration, on random programs: it must complete each
 * execution graph that there is exactly once, and find an error if and only if there is one.
 *
 *   test-check-fuzz [SEED [N]]   N programs from this seed on
 */

#include "tests/engine/check_programs.h"

#include <stdlib.h>

#include "tests/support/tap.h"

enum { PROGRAMS = 400, DRAWN = 200 };

static const struct check_model *const models[] = {&check_sc, &check_tso, &check_c11};

/* What a step may do: in half of the programs only with words, in the others also wait. */
static struct step random_step(struct al_random *random, bool waits)
{
    static const enum word_operation accesses[] = {
        LOAD, LOAD_ACQUIRE, STORE, STORE_RELEASE, STORE, LOAD,  EXCHANGE,   EXCHANGE_ACQ_REL,
        CAS,  CAS_ACQ_REL,  ADD,   ADD_ACQ_REL,   FENCE, LIGHT, MEMBARRIER, CHOOSE};
    static const enum word_operation waiting[] = {AWAIT, AWAIT_EITHER, PARK, PARK_FOR, UNPARK};
    struct step step = {.word = (unsigned)al_random_below(random, 2),
                        .value = 1 + (uint32_t)al_random_below(random, 2)};
    if (waits && al_random_below(random, 3) == 0)
        step.operation = waiting[al_random_below(random, sizeof waiting / sizeof *waiting)];
    else
        step.operation = accesses[al_random_below(random, sizeof accesses / sizeof *accesses)];
    if (step.operation == PARK || step.operation == PARK_FOR)
        step.value = 0;
    return step;
}

/* Critical sections, on a word of their own. */
static unsigned lock_steps(struct al_random *random, struct step *steps)
{
    steps[0] = (struct step){LOCK, 2, 0};
    steps[1] = random_step(random, false);
    steps[2] = (struct step){UNLOCK, 2, 0};
    return 3;
}

static struct program random_program(uint64_t seed)
{
    struct al_random random;
    al_random_seed(&random, seed, 0);
    struct program program = {.name = "random"};
    bool waits = seed % 2 == 1;
    program.threads = 2 + (unsigned)al_random_below(&random, 2);
    for (unsigned t = 0; t < program.threads; t++) {
        unsigned n = 1 + (unsigned)al_random_below(&random, program.threads == 2 ? 4 : 3);
        for (unsigned i = 0; i < n;) {
            if (waits && i + 3 <= n && al_random_below(&random, 3) == 0)
                i += lock_steps(&random, &program.steps[t][i]);
            else
                program.steps[t][i++] = random_step(&random, waits);
        }
    }
    return program;
}

/* Executions that dpor, and runs that were drawn, have found in all programs. */
static uint64_t in_all, at_random, by_priority;

/* Draw runs of a program of which dpor has found nothing wrong. True: nor have they, and no
 * execution that dpor has not. */
static bool draw(const struct program *program, struct check_options options, unsigned vain,
                 unsigned steps, const struct check_result *dpor, uint64_t *found)
{
    struct check_result drawn = search_program(program, &options, vain, steps);
    *found += drawn.graphs;
    return drawn.outcome == CHECK_COMPLETE && drawn.graphs <= dpor->graphs;
}

/* Whether all ways of searching agree. */
static bool agree(const struct program *program, const struct check_model *model, unsigned vain,
                  unsigned steps)
{
    struct check_options options = {.model = model, .count_graphs = true, .seconds = 20};
    struct check_result dpor = search_program(program, &options, vain, steps);
    options.way = CHECK_ALL;
    struct check_result all = search_program(program, &options, vain, steps);
    options.way = CHECK_BOUNDED;
    options.bound = 1000; /* as good as none */
    struct check_result bounded = search_program(program, &options, vain, steps);
    if (dpor.ended || all.ended || bounded.ended)
        return true;
    bool alike = dpor.outcome == all.outcome && dpor.outcome == bounded.outcome;
    if (dpor.outcome == CHECK_COMPLETE) {
        options.runs = DRAWN;
        options.bound = 3;
        options.way = CHECK_RANDOM;
        alike &= dpor.complete == all.graphs && dpor.graphs == all.graphs;
        alike &= dpor.graphs == bounded.graphs;
        alike &= draw(program, options, vain, steps, &dpor, &at_random);
        options.way = CHECK_PCT;
        alike &= draw(program, options, vain, steps, &dpor, &by_priority);
        in_all += dpor.graphs;
    }
    if (!alike) {
        print_program(program);
        printf("# %s, %u looks in vain: dpor %llu complete, %llu different, %llu dropped: %d %s; "
               "all %llu different: %d %s; bounded %llu different: %d %s\n",
               model->name, vain, (unsigned long long)dpor.complete,
               (unsigned long long)dpor.graphs, (unsigned long long)dpor.dropped, dpor.outcome,
               dpor.reason, (unsigned long long)all.graphs, all.outcome, all.reason,
               (unsigned long long)bounded.graphs, bounded.outcome, bounded.reason);
    }
    return alike;
}

int main(int argc, char **argv)
{
    struct tap tap = {0};
    uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    uint64_t n = argc > 2 ? strtoull(argv[2], NULL, 10) : PROGRAMS;
    for (size_t m = 0; m < 3; m++) {
        uint64_t failed = 0;
        for (uint64_t seed = first; seed < first + n; seed++) {
            struct program program = random_program(seed);
            /* Some are cut short. */
            unsigned steps = seed % 5 == 0 ? 1 + (unsigned)(seed / 5 % 6) : 0;
            if (!agree(&program, models[m], (unsigned)(seed / 2 % 2), steps)) {
                printf("# seed %llu\n", (unsigned long long)seed);
                failed++;
            }
        }
        tap_ok(&tap, failed == 0, "%llu random programs under %s: %llu differ",
               (unsigned long long)n, models[m]->name, (unsigned long long)failed);
    }
    tap_ok(&tap, at_random > in_all / 2 && by_priority > in_all / 4,
           "of %llu executions %d runs each have found %llu at random, %llu by priorities",
           (unsigned long long)in_all, DRAWN, (unsigned long long)at_random,
           (unsigned long long)by_priority);
    return tap_done(&tap);
}
