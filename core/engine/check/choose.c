/* SPDX-License-Identifier: MIT */
#include "core/engine/check/choose.h"

#include "core/engine/check/schedule.h"
#include "core/engine/check/set.h"

enum {
    SHORTEST = 8,  /* steps of a run that pct thinks of, */
    DOUBLINGS = 8, /* doubled less often than this */
};

static void fall_behind(struct check_pct *pct, unsigned t)
{
    pct->priorities[t] = --pct->lowest;
}

void check_choose_begin(struct check_search *search, uint64_t seed)
{
    struct check_pct *pct = &search->pct;
    search->result->seed = seed;
    al_random_seed(&search->random, seed, 0);
    if (search->options->way != CHECK_PCT)
        return;
    pct->step = 0;
    pct->lowest = UINT32_MAX / 2;
    for (unsigned t = 0; t < CHECK_THREADS; t++) {
        unsigned other = (unsigned)al_random_below(&search->random, t + 1);
        pct->priorities[t] = pct->priorities[other];
        pct->priorities[other] = pct->lowest + t;
    }
    uint64_t length = (uint64_t)SHORTEST << al_random_below(&search->random, DOUBLINGS);
    for (unsigned i = 0; i + 1 < search->options->bound; i++)
        pct->steps[i] = (uint32_t)al_random_below(&search->random, length);
}

static bool is_drawn(const struct check_search *search)
{
    const struct check_pct *pct = &search->pct;
    for (unsigned i = 0; i + 1 < search->options->bound; i++) {
        if (pct->steps[i] == pct->step)
            return true;
    }
    return false;
}

static unsigned highest(const struct check_pct *pct, unsigned threads)
{
    unsigned best = (unsigned)__builtin_ctz(threads);
    for (unsigned t = best + 1; t < CHECK_THREADS; t++) {
        if ((threads >> t & 1) != 0 && pct->priorities[t] > pct->priorities[best])
            best = t;
    }
    return best;
}

/* At a step that has been drawn either a thread falls behind, or an event has any option. */
static unsigned choose_by_priority(struct check_search *search, unsigned threads)
{
    struct check_pct *pct = &search->pct;
    bool drawn = is_drawn(search), weak = search->options->model != &check_sc;
    pct->step++;
    pct->any_option = drawn && weak && al_random_below(&search->random, 2) == 0;
    if (drawn && !pct->any_option)
        fall_behind(pct, highest(pct, threads));
    return highest(pct, threads);
}

static unsigned choose_at_random(struct check_search *search, unsigned threads)
{
    unsigned skip = (unsigned)al_random_below(&search->random,
                                              (uint64_t)__builtin_popcount(threads));
    while (skip-- > 0)
        threads &= threads - 1;
    return (unsigned)__builtin_ctz(threads);
}

/* The first of those that are allowed; the others are tried later. */
static unsigned choose_each(struct check_run *run, unsigned threads)
{
    struct check_search *search = run->search;
    bool bounded = search->options->way == CHECK_BOUNDED;
    /* Another thread instead of the one that went on last is a preemption. */
    bool counts = bounded && search->last >= 0 && (threads >> search->last & 1) != 0;
    unsigned t = (unsigned)search->chosen;
    if (search->chosen < 0) {
        uint64_t state = check_graph_hash(&search->graph);
        if (bounded)
            state = check_mix(check_mix(state, (unsigned)search->last), search->preemptions);
        if (check_set_add(search->states, state) == 0)
            check_end(run, CHECK_DROPPED);
        if (counts && search->preemptions == search->options->bound)
            threads = 1u << search->last;
        if ((threads & (threads - 1)) != 0)
            check_push_threads(search, threads);
        t = (unsigned)__builtin_ctz(threads);
    }
    search->chosen = -1;
    search->preemptions += counts && t != (unsigned)search->last;
    search->last = (int)t;
    return t;
}

/* The step that comes next; NULL: all have been made. */
static const struct check_move *next_move(const struct check_search *search)
{
    const struct check_schedule *schedule = search->options->schedule;
    return search->n_moves < schedule->n ? &schedule->moves[search->n_moves] : NULL;
}

static _Noreturn void misfit(struct check_run *run)
{
    check_fail(run, CHECK_REFUSED,
               "step %u of the schedule cannot be made: the scenario, or the code that it checks, "
               "is not that of which it was saved",
               run->search->n_moves + 1);
}

static unsigned replay_thread(struct check_run *run, unsigned threads)
{
    const struct check_move *move = next_move(run->search);
    if (move == NULL)
        return (unsigned)__builtin_ctz(threads);
    if ((threads >> move->thread & 1) == 0 ||
        (run->search->graph.waits[move->thread].word == 0 &&
         check_task(run, move->thread)->operation.kind != move->kind))
        misfit(run);
    if (move->kind != CHECK_READ && move->kind != CHECK_WRITE && move->kind != CHECK_CHOICE)
        run->search->n_moves++; /* nothing is left to choose */
    return move->thread;
}

static unsigned replay_option(struct check_run *run, const check_id *options, unsigned n,
                              unsigned latest)
{
    const struct check_move *move = next_move(run->search);
    if (move == NULL)
        return latest;
    for (unsigned i = 0; i < n; i++) {
        if (options[i] == move->of) {
            run->search->n_moves++;
            return i;
        }
    }
    misfit(run);
}

unsigned check_choose_thread(struct check_run *run, unsigned threads)
{
    switch (run->search->options->way) {
    case CHECK_DPOR:
        break;
    case CHECK_ALL:
    case CHECK_BOUNDED:
        return choose_each(run, threads);
    case CHECK_RANDOM:
        return choose_at_random(run->search, threads);
    case CHECK_PCT:
        return choose_by_priority(run->search, threads);
    case CHECK_REPLAY:
        return replay_thread(run, threads);
    }
    return (unsigned)__builtin_ctz(threads);
}

unsigned check_choose_option(struct check_run *run, enum check_item_kind kind, unsigned t,
                             const struct check_operation *operation, const check_id *options,
                             unsigned n)
{
    struct check_search *search = run->search;
    bool choice = kind == CHECK_ITEM_CHOICE;
    /* What the event has if all happens one after the other: if the thread does not like what was
     * written last, it waits. */
    unsigned latest = !choice && options[n - 1] == CHECK_WAIT ? n - 1 : 0;
    switch (search->options->way) {
    case CHECK_RANDOM:
        return (unsigned)al_random_below(&search->random, n);
    case CHECK_PCT:
        return choice || search->pct.any_option ? (unsigned)al_random_below(&search->random, n)
                                                : latest;
    case CHECK_REPLAY:
        return replay_option(run, options, n, latest);
    case CHECK_BOUNDED:
        if (!choice && search->options->model == &check_sc)
            return latest;
        break;
    default:
        break;
    }
    if (n > 1)
        check_push(search, kind, t, operation, options, n);
    return 0;
}

void check_choose_others(struct check_search *search, unsigned t)
{
    if (search->options->way == CHECK_PCT)
        fall_behind(&search->pct, t);
}
