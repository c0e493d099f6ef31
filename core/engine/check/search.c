/* SPDX-License-Identifier: MIT */
#include "core/engine/check/search.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/engine/check/choose.h"
#include "core/error.h"

static check_id add(struct check_run *run, unsigned t, const struct check_operation *operation)
{
    struct check_graph *graph = &run->search->graph;
    uint64_t initial = 0;
    if (operation->address != 0 && operation->address < CHECK_NO_MEMORY)
        memcpy(&initial, (const void *)(uintptr_t)operation->address, operation->bytes);
    check_id id = check_operation_add(operation, graph, t, initial);
    if (id == CHECK_NONE && graph->n[t] == CHECK_EVENTS)
        check_fail(run, CHECK_FAILED, "thread %u does not end: it has done %d operations", t,
                   CHECK_EVENTS);
    if (id == CHECK_NONE)
        check_fail(run, CHECK_REFUSED, "this scenario shares more than %d words", CHECK_WORDS);
    unsigned word = check_event(graph, id)->word;
    if (operation->address != 0 && graph->words[word].bytes != operation->bytes)
        check_fail(run, CHECK_REFUSED, "thread %u accesses %u bytes of a word of %u", t,
                   operation->bytes, graph->words[word].bytes);
    return id;
}

static bool read_in_vain(const struct check_wait *wait, uint64_t value)
{
    for (unsigned i = 0; i < wait->n_values; i++) {
        if (wait->values[i] == value)
            return true;
    }
    return false;
}

/* Whether a write is new to a thread that waits; all are to others. */
static bool is_new(const struct check_graph *graph, unsigned t, check_id write)
{
    const struct check_wait *wait = &graph->waits[t];
    return wait->word == 0 || (write != CHECK_NONE && check_event_of(graph, write)->stamp >
                                                          wait->stamps[wait->n_stamps - 1]);
}

/*
 * What thread t's next read may be of: each write that is new to it, if the model allows it and the
 * thread, as far as is known, likes its value; and if it does not like the co-last, CHECK_WAIT.
 */
static unsigned read_options(struct check_run *run, unsigned t, check_id options[CHECK_EVENTS])
{
    struct check_search *search = run->search;
    struct check_graph *graph = &search->graph;
    const struct check_operation *operation = &check_task(run, t)->last_read;
    check_id id = add(run, t, operation), all[CHECK_EVENTS];
    unsigned word = check_event(graph, id)->word, n = 0;
    unsigned n_all = check_read_options(search->options->model, graph, id, all);
    graph->n[t]--; /* it has read nothing */
    graph->stamps--;
    for (unsigned i = 0; i < n_all; i++) {
        uint64_t value = check_value(graph, word, all[i]);
        if (is_new(graph, t, all[i]) && check_likes(operation->await, operation->awaited, value) &&
            !read_in_vain(&graph->waits[t], value))
            options[n++] = all[i];
    }
    if (n == 0 || options[0] != all[0])
        options[n++] = CHECK_WAIT;
    return n;
}

/* Thread t waits from now on for a write to this word. */
static void begin_wait(struct check_graph *graph, unsigned t, unsigned word)
{
    struct check_wait *wait = &graph->waits[t];
    wait->word = (uint16_t)(word + 1);
    if (wait->n_stamps == sizeof wait->stamps / sizeof *wait->stamps)
        wait->n_stamps--; /* some runs are done twice */
    wait->stamps[wait->n_stamps++] = graph->stamps++;
}

void check_apply_read(struct check_search *search, unsigned t,
                      const struct check_operation *operation, check_id option)
{
    struct check_graph *graph = &search->graph;
    check_id id = check_operation_add(operation, graph, t, 0);
    struct check_event *event = check_event(graph, id);
    if (option == CHECK_WAIT) {
        graph->n[t]--;
        begin_wait(graph, t, event->word);
        return;
    }
    uint64_t value = check_value(graph, event->word, option);
    event->flags = (uint8_t)check_operation_flags(operation, value);
    check_graph_read(graph, id, option);
    search->seen = graph->waits[t];
    graph->waits[t] = (struct check_wait){0};
}

static void extend_read(struct check_run *run, unsigned t)
{
    struct check_search *search = run->search;
    struct check_task *task = check_task(run, t);
    const struct check_operation *operation = &task->last_read;
    check_id options[CHECK_EVENTS];
    unsigned n = read_options(run, t, options);
    unsigned first = check_choose_option(run, CHECK_ITEM_READ, t, operation, options, n);
    check_apply_read(search, t, operation, options[first]);
    if (task->stuck && options[first] != CHECK_WAIT)
        check_end(run, CHECK_AGAIN); /* from before its look in vain */
}

/*
 * Whether what is dropped for the sake of a write would be added again as the search adds things at
 * first: each read reads the co-last write, each write is the co-last, of those that were there
 * before or that the write depends on; nothing has been given to an earlier read.
 */
static bool is_maximal(struct check_graph *graph, check_id id, check_id write)
{
    const struct check_event *event = check_event(graph, id);
    const struct check_clock *kept = &check_event(graph, write)->porf;
#define PREVIOUS(other)                                                                            \
    (check_event(graph, other)->stamp <= event->stamp || check_before(other, kept))
    if (event->kind == CHECK_CHOICE)
        return event->value == 0;
    if (event->kind != CHECK_READ && event->kind != CHECK_WRITE)
        return true;
    if (event->kind == CHECK_WRITE) {
        check_id read = graph->words[event->word].reads;
        for (; read != CHECK_NONE; read = check_event(graph, read)->read_next) {
            if (check_event(graph, read)->rf == id && PREVIOUS(read))
                return false;
        }
    }
    check_id last = event->kind == CHECK_WRITE ? id : event->rf;
    if (last != CHECK_NONE && !PREVIOUS(last))
        return false;
    check_id next = check_co_next(graph, event->word, last);
    for (; next != CHECK_NONE; next = check_event(graph, next)->co_next) {
        if (PREVIOUS(next))
            return false;
    }
#undef PREVIOUS
    return true;
}

/* How many events of each thread stay if a read is to read a write: those that were there before
 * the read, and those that the write depends on. */
static void kept_for(struct check_graph *graph, check_id read, check_id write,
                     uint16_t keep[CHECK_THREADS])
{
    unsigned stamp = check_event(graph, read)->stamp;
    for (unsigned t = 0; t < CHECK_THREADS; t++) {
        keep[t] = check_event(graph, write)->porf.of[t];
        while (keep[t] < graph->n[t] && graph->events[t][keep[t]].stamp <= stamp)
            keep[t]++;
    }
}

static void revisit(struct check_run *run, check_id read, check_id write,
                    const struct check_operation *operation)
{
    struct check_search *search = run->search;
    struct check_graph *graph = &search->graph;
    uint16_t keep[CHECK_THREADS];
    kept_for(graph, read, write, keep);
    if (!is_maximal(graph, read, write))
        return;
    for (unsigned t = 0; t < CHECK_THREADS; t++) {
        for (unsigned i = keep[t]; i < graph->n[t]; i++) {
            if (!is_maximal(graph, CHECK_ID(t, i), write))
                return;
        }
    }
    check_push_revisit(search, read, write, operation, keep);
}

static void extend_write(struct check_run *run, unsigned t)
{
    struct check_search *search = run->search;
    struct check_graph *graph = &search->graph;
    const struct check_operation *operation = &check_task(run, t)->operation;
    check_id id = add(run, t, operation), options[CHECK_EVENTS];
    unsigned n = check_write_options(search->options->model, graph, id, options), first = 0;
    if (search->options->way == CHECK_DPOR) {
        check_id read = graph->words[check_event(graph, id)->word].reads;
        for (; read != CHECK_NONE; read = check_event(graph, read)->read_next) {
            if (!check_before(read, &check_event(graph, id)->porf))
                revisit(run, read, id, operation);
        }
    }
    if (n == 0) /* another read-modify-write has read the same */
        check_end(run, CHECK_DROPPED);
    if (n > 1 || search->options->way == CHECK_REPLAY) {
        check_graph_pop(graph, t);
        first = check_choose_option(run, CHECK_ITEM_WRITE, t, operation, options, n);
        id = add(run, t, operation);
    }
    check_graph_place(graph, id, options[first]);
}

static void extend_choice(struct check_run *run, unsigned t)
{
    struct check_search *search = run->search;
    const struct check_operation *operation = &check_task(run, t)->operation;
    check_id options[CHECK_EVENTS];
    for (unsigned i = 0; i < operation->choices; i++)
        options[i] = (check_id)i;
    unsigned first = check_choose_option(run, CHECK_ITEM_CHOICE, t, operation, options,
                                         operation->choices);
    check_event(&search->graph, add(run, t, operation))->value = first;
}

/* Whether a thread has taken all the steps that the scenario allows. It stands still then, as if it
 * were parked for ever, so that the others go on: what they do may be new to it. */
static bool is_held(const struct check_run *run, unsigned t)
{
    unsigned steps = run->search->scenario->steps;
    return steps != 0 && run->search->graph.n[t] >= steps;
}

/* Whether thread t has something to do, or something to read that it has not read in vain. */
static bool is_able(struct check_run *run, unsigned t)
{
    const struct check_task *task = check_task(run, t);
    if (task == NULL || task->task.state == AL_TASK_ENDED || !task->allowed || is_held(run, t))
        return false;
    /* Blocked: only a later write may revisit what it has read. */
    const struct check_graph *graph = &run->search->graph;
    if (task->n < graph->n[t] || (task->stuck && graph->waits[t].word == 0))
        return false;
    if (graph->waits[t].word == 0)
        return true;
    check_id options[CHECK_EVENTS];
    return read_options(run, t, options) > 1 || options[0] != CHECK_WAIT;
}

/* Whether a thread that cannot go on has read what is co-last: wherever it looked, or, if it is
 * parked, last. */
static bool looks_in_vain(const struct check_run *run, unsigned t)
{
    const struct check_graph *graph = &run->search->graph;
    const struct check_task *task = check_task(run, t);
    unsigned first = task->last_read.await == CHECK_ANY ? task->look : task->n;
    for (unsigned i = first; i < graph->n[t]; i++) {
        const struct check_event *event = &graph->events[t][i];
        if (event->kind == CHECK_READ && check_co_next(graph, event->word, event->rf) != CHECK_NONE)
            return false;
    }
    return true;
}

/* No thread is able. */
static _Noreturn void nothing_left(struct check_run *run)
{
    char text[256] = "";
    for (unsigned t = 0; t < CHECK_THREADS; t++) {
        const struct check_task *task = check_task(run, t);
        if (task == NULL || task->task.state == AL_TASK_ENDED)
            continue;
        if (is_held(run, t)) {
            run->search->result->cut++;
            check_end(run, CHECK_DROPPED);
        }
        /* A limited wait ends some time, and one that has not begun has not happened. */
        enum check_await await = task->last_read.await;
        if (await == CHECK_ABSENT_IN_TIME || await == CHECK_EXPECTED || !looks_in_vain(run, t))
            check_end(run, CHECK_DROPPED);
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s thread %u %s", used > 0 ? "," : "", t,
                 await == CHECK_ANY ? "looks in vain" : "is parked");
    }
    run->search->needs_all = true;
    check_fail(run, CHECK_FAILED, "nothing goes on:%s", text);
}

/* The threads that are able, as bits. */
static unsigned able(struct check_run *run)
{
    unsigned threads = 0;
    for (unsigned t = 0; t < CHECK_THREADS; t++) {
        const struct check_task *task = check_task(run, t);
        /* A read-modify-write that has read writes next. */
        if (task != NULL && task->pending && task->operation.kind == CHECK_WRITE &&
            (task->operation.success & CHECK_EXCLUSIVE) != 0)
            return 1u << t;
        if (is_able(run, t))
            threads |= 1u << t;
    }
    return threads;
}

void check_extend(struct check_run *run)
{
    struct check_search *search = run->search;
    unsigned threads = able(run);
    if (check_orders_too_many)
        check_fail(run, CHECK_REFUSED, "this scenario has more fences than the model looks at");
    if (threads == 0)
        nothing_left(run);
    unsigned t = check_choose_thread(run, threads);
    bool waits = search->graph.waits[t].word != 0; /* to read again */
    switch (waits ? CHECK_READ : check_task(run, t)->operation.kind) {
    case CHECK_READ:
        extend_read(run, t);
        break;
    case CHECK_WRITE:
        extend_write(run, t);
        break;
    case CHECK_CHOICE:
        extend_choice(run, t);
        break;
    default:
        add(run, t, &check_task(run, t)->operation);
    }
}

void check_in_vain(struct check_run *run, struct check_task *task)
{
    struct check_search *search = run->search;
    struct check_graph *graph = &search->graph;
    unsigned t = check_thread(&task->task);
    check_id id = CHECK_ID(t, task->n - 1);
    const struct check_event *event = check_event(graph, id);
    struct check_wait *wait = &graph->waits[t];
    if (event->flags & CHECK_BLOCKED) {
        task->stuck = true;
        return;
    }
    if (check_co_next(graph, event->word, event->rf) != CHECK_NONE)
        check_end(run, CHECK_DROPPED);
    if (id == search->revisited) {
        check_event(graph, id)->flags |= CHECK_BLOCKED;
        task->stuck = true;
        return;
    }
    *wait = search->seen;
    if (wait->n_values < sizeof wait->values / sizeof *wait->values) /* else it is read again */
        wait->values[wait->n_values++] = event->value;
    unsigned word = event->word;
    check_graph_pop(graph, t);
    begin_wait(graph, t, word);
    task->n--;
    task->stuck = true;
}
