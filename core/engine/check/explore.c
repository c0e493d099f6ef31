/* SPDX-License-Identifier: MIT */

/* One run after the other, until there is nothing left to explore. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core/engine/check/choose.h"
#include "core/engine/check/crash.h"
#include "core/engine/check/heap.h"
#include "core/engine/check/items.h"
#include "core/engine/check/plain.h"
#include "core/engine/check/schedule.h"
#include "core/engine/check/search.h"
#include "core/engine/check/set.h"
#include "core/engine/check/trace.h"
#include "core/error.h"

/* Set up, the threads, and what must be true then. */
static void thread_main(void *argument)
{
    check_run_of(al_engine)->search->scenario->thread(*(const unsigned *)argument);
}

static void scenario_main(void *argument)
{
    const struct al_scenario *scenario = argument;
    const struct al_engine *engine = al_engine;
    unsigned numbers[CHECK_THREADS];
    uintptr_t handle;
    scenario->set_up(scenario);
    if (engine->n_tasks - 1 + scenario->threads > CHECK_THREADS)
        check_fail(check_run_of(al_engine), CHECK_REFUSED, "this scenario has more than %d threads",
                   CHECK_THREADS);
    for (unsigned t = 0; t < scenario->threads; t++) {
        numbers[t] = t;
        if (al_engine_spawn(&handle, thread_main, &numbers[t]) != 0)
            al_out_of_memory("a thread", sizeof numbers);
    }
    for (uint32_t i = 1; i < engine->n_tasks; i++) /* also those that set_up has started */
        al_engine_join((uintptr_t)engine->tasks[i]);
    if (scenario->look != NULL)
        scenario->look();
}

static void run_once(struct check_search *search)
{
    struct al_engine_config config = {.ops = &al_engine_check, .model = search};
    struct al_engine_result result;
    check_heap_begin(search->heap);
    check_plain_begin(search->plain);
    search->n_names = search->n_parties = 0;
    search->needed = (struct check_clock){0};
    search->needs_all = false;
    search->outcome = CHECK_COMPLETE;
    al_engine_run(&config, scenario_main, (void *)(uintptr_t)search->scenario, &result);
    if (result.end != AL_ENGINE_DONE && search->outcome == CHECK_COMPLETE) {
        search->outcome = CHECK_FAILED; /* the code that is checked has ended it */
        snprintf(search->result->reason, sizeof search->result->reason, "%.500s", result.text);
    }
}

static void count(struct check_search *search)
{
    struct check_result *result = search->result;
    if (search->outcome != CHECK_COMPLETE) {
        result->dropped += search->outcome == CHECK_DROPPED;
        return;
    }
    unsigned events = 0;
    for (unsigned t = 0; t < CHECK_THREADS; t++)
        events += search->graph.n[t];
    result->longest = events > result->longest ? events : result->longest;
    result->complete++;
    if (search->graphs != NULL)
        result->graphs += check_set_add(search->graphs, check_graph_hash(&search->graph));
}

static void begin(struct check_search *search)
{
    check_orders_too_many = false;
    check_graph_clear(&search->graph);
    search->revisited = CHECK_NONE;
    search->chosen = search->last = -1;
    search->preemptions = search->n_moves = 0;
    if (check_draws(search))
        check_choose_begin(search, search->options->seed);
}

/* Go on with the next graph. False: there is none. */
static bool go_on(struct check_search *search)
{
    if (search->options->way == CHECK_REPLAY)
        return false;
    if (!check_draws(search))
        return check_next(search);
    check_graph_clear(&search->graph);
    uint64_t runs = search->result->complete + search->result->dropped;
    if (runs >= search->options->runs)
        return false;
    check_choose_begin(search, search->options->seed + runs);
    return true;
}

/* Run a failure again by its schedule, and note what happens where. Whether it is the same. */
static bool fails_again(struct check_search *search, const char *reason)
{
    const struct check_options *options = search->options;
    struct check_options replay = *options;
    replay.way = CHECK_REPLAY;
    replay.schedule = search->result->schedule;
    search->options = &replay;
    begin(search);
    do
        run_once(search);
    while (search->outcome == CHECK_AGAIN);
    search->options = options;
    return search->outcome == CHECK_FAILED && strcmp(search->result->reason, reason) == 0;
}

/* Trace a failure: without what it does not depend on, if it then happens as well. */
static void trace(struct check_search *search)
{
    struct check_result *result = search->result;
    struct check_graph *graph = malloc(sizeof *graph);
    search->frames = calloc(CHECK_THREADS, sizeof *search->frames);
    result->schedule = malloc(sizeof *result->schedule);
    if (graph == NULL || search->frames == NULL || result->schedule == NULL)
        al_out_of_memory("the checker", sizeof *graph);
    char reason[sizeof result->reason];
    memcpy(reason, result->reason, sizeof reason);
    check_graph_copy(graph, &search->graph);
    if (!search->needs_all) {
        uint16_t keep[CHECK_THREADS];
        for (unsigned t = 0; t < CHECK_THREADS; t++)
            keep[t] = search->needed.of[t];
        check_graph_keep(&search->graph, keep, UINT32_MAX);
    }
    check_schedule_make(result->schedule, &search->graph, search->options->model);
    if (!fails_again(search, reason)) {
        check_schedule_make(result->schedule, graph, search->options->model);
        (void)fails_again(search, reason);
        /* In another order of plain accesses it can be another one: a race, where memory that had
         * been freed was used. */
        memcpy(result->reason, reason, sizeof reason);
    }
    if (search->outcome == CHECK_FAILED) {
        check_trace(search);
    } else {
        free(result->schedule);
        result->schedule = NULL;
        search->outcome = CHECK_REFUSED;
        snprintf(result->reason, sizeof result->reason,
                 "a failure does not happen again by its schedule, so that it depends on time, "
                 "addresses or earlier runs: %.300s",
                 reason);
    }
    free(graph);
    free(search->frames);
    search->frames = NULL;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void search_all(struct check_search *search)
{
    struct check_result *result = search->result;
    double began = now();
    begin(search);
    for (uint64_t runs = 0;; runs++) {
        run_once(search);
        count(search);
        if (search->outcome == CHECK_FAILED || search->outcome == CHECK_REFUSED)
            break;
        if (search->outcome != CHECK_AGAIN && !go_on(search))
            break;
        if (runs % 256 == 255 && search->options->seconds > 0 &&
            now() - began > search->options->seconds) {
            result->ended = true;
            break;
        }
    }
    if (search->outcome == CHECK_FAILED && search->options->traces)
        trace(search);
    if (search->outcome == CHECK_REFUSED && search->options->traces)
        check_trace(search);
    result->outcome = search->outcome == CHECK_FAILED || search->outcome == CHECK_REFUSED
                          ? search->outcome
                          : CHECK_COMPLETE;
    result->seconds = now() - began;
}

void check_result_free(struct check_result *result)
{
    free(result->lines);
    free(result->schedule);
}

int check_search(const struct al_scenario *scenario, const struct check_options *options,
                 struct check_result *result)
{
    struct check_search *search = calloc(1, sizeof *search);
    if (search == NULL)
        return -ENOMEM;
    *search = (struct check_search){.scenario = scenario, .options = options, .result = result};
    search->heap = check_heap_new(CHECK_THREADS + 1);
    search->plain = check_plain_new();
    search->graphs = options->count_graphs ? check_set_new() : NULL;
    bool each = options->way == CHECK_ALL || options->way == CHECK_BOUNDED;
    search->states = each ? check_set_new() : NULL;
    *result = (struct check_result){0};
    bool memory = search->heap != NULL && search->plain != NULL;
    if (memory) {
        check_crashes_catch();
        search_all(search);
        check_crashes_release();
    }
    check_items_free(search);
    if (search->heap != NULL)
        check_heap_free(search->heap);
    check_plain_free(search->plain);
    check_set_free(search->graphs);
    check_set_free(search->states);
    free(search);
    return memory ? 0 : -ENOMEM;
}
