/* SPDX-License-Identifier: MIT */
#ifndef AL_CHECK_CHOOSE_H
#define AL_CHECK_CHOOSE_H

/*
 * Which thread goes on next, and which option its event has, by each way of searching (search.h).
 *
 *   dpor      the first thread, and every option
 *   all       every thread, and every option, from each graph that has not been seen
 *   bounded   the same with so many preemptions at most: a thread that could go on stands still
 *             for another one. Under sc a read then reads what has been written last; under weak
 *             memory it also reads all else that the model allows, which is not counted. Source:
 *             Musuvathi, Qadeer: Iterative context bounding for systematic testing of multithreaded
 *             programs (PLDI 2007)
 *   random    any thread, and any option
 *   pct       threads have priorities, drawn at random, and the highest of those that can go on
 *             does. At bound - 1 of the run's steps, drawn at random, the thread that goes on falls
 *             behind all others, or, under weak memory, its event has any option. So errors are
 *             found that need `bound` things in order, with a probability that has a lower bound.
 *             Source: Burckhardt and others: A randomized scheduler with probabilistic guarantees
 *             of finding bugs (ASPLOS 2010); for weak memory compare Gao and others: Probabilistic
 *             concurrency testing for weak memory programs (ASPLOS 2023)
 *
 *   replay    what a schedule says, and behind its end the first thread, and what was written last
 *
 * random and pct make one run after another, each from its own seed, so that a run can be repeated
 * without those before it. How long it will be is not known then, so pct draws that as well: a
 * power of two.
 */

#include "core/engine/check/items.h"

/* Whether the way draws runs, instead of going through all of them. */
static inline bool check_draws(const struct check_search *search)
{
    return search->options->way == CHECK_RANDOM || search->options->way == CHECK_PCT;
}

/* The run with this seed begins. For ways that draw. */
void check_choose_begin(struct check_search *search, uint64_t seed);
/* Of these threads, as bits, the one that goes on. */
unsigned check_choose_thread(struct check_run *run, unsigned threads);
/* Of n options of thread t's next event, which is not in the graph yet, the one that it has. Those
 * that are to be tried later are kept. */
unsigned check_choose_option(struct check_run *run, enum check_item_kind kind, unsigned t,
                             const struct check_operation *operation, const check_id *options,
                             unsigned n);
/* Thread t looks in vain, so others come first. */
void check_choose_others(struct check_search *search, unsigned t);

#endif
