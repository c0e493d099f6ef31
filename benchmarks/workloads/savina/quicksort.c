/* SPDX-License-Identifier: MIT */

/*
 * quicksort: a tree of actors that sorts. An actor that gets fewer than `threshold` values sorts
 * them. Another divides them into those less than, equal to and greater than the one in the middle,
 * creates an actor for the first and one for the last, and joins what these return with the rest.
 * Each ends with its result. Source: Savina (Imam and Sarkar, 2014), "Parallel Quicksort", whose
 * sizes are the defaults.
 *
 * As in Savina, each list of values is an array of its own, which is copied when it is divided
 * and when results are joined (once, after both; there after each of the two), and the values are
 * drawn by its generator, which gives 16 bits. An actor with fewer values sorts by the
 * same recursion.
 *
 * Messages: an order to each actor, and the result of each but the first. How many actors there are
 * follows from the values; it is counted beforehand.
 *
 * The answer: the values are in ascending order, and each is there as often as before.
 */

#include <errno.h>
#include <string.h>

#include "benchmarks/workloads/savina/savina.h"

enum option { VALUES, THRESHOLD, MEMORY };

static const struct al_option options[] = {
    [VALUES] = {"values", AL_OPTION_UINT, "1000000", 1, 1e9, NULL, "values to sort"},
    [THRESHOLD] = {"threshold", AL_OPTION_UINT, "2048", 2, 1e9, NULL,
                   "values from which on an actor divides them"},
    [MEMORY] = AL_MEMORY_OPTION,
    {0},
};

/* Savina's. */
enum { SEED = 1024, MOST = 65536 };

/* For each value that is looked at (savina.h): the mean of counting and copying the three parts of
 * values that no branch predictor knows. */
enum { CYCLES = 5 };

struct list {
    uint64_t n;
    uint64_t *values; /* NULL: none */
};

/* What the values less than, equal to and greater than a pivot are. */
enum part { LESS, EQUAL, GREATER, PARTS };

struct sort {
    struct al_message message;
    struct list list;
};

struct result {
    struct al_message message;
    struct list list;
    enum part part;
};

struct sorter {
    struct al_actor actor;
    struct state *state;
    struct sorter *parent; /* NULL: it is the first */
    enum part part;        /* of the parent's values */
    uint32_t results;      /* to come */
    struct list parts[PARTS];
};

struct state {
    struct list values, result;
    uint64_t threshold, sorters;
    struct sort first;
};

AL_ACTOR(sorter)
AL_MESSAGE(result)
AL_MESSAGE(sort)
AL_RECYCLE(result)
AL_RECYCLE(sort)
AL_RECYCLE(sorter)

AL_BEHAVIOUR_DECLARE(sorter, result)
AL_BEHAVIOUR_DECLARE(sorter, sort)

static struct list list_of(uint64_t n)
{
    return (struct list){n, n > 0 ? al_allocate(n * sizeof(uint64_t)) : NULL};
}

static size_t bytes_of(const struct list *list)
{
    return list->n * sizeof list->values[0];
}

static bool belongs(enum part part, uint64_t value, uint64_t pivot)
{
    return part == LESS ? value < pivot : part == EQUAL ? value == pivot : value > pivot;
}

AL_UNREPORTED static uint64_t count_part(const struct list *list, enum part part, uint64_t pivot)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < list->n; i++)
        n += belongs(part, list->values[i], pivot);
    return n;
}

AL_UNREPORTED static void copy_part(const struct list *list, enum part part, uint64_t pivot,
                                    uint64_t *to)
{
    for (uint64_t i = 0; i < list->n; i++) {
        if (belongs(part, list->values[i], pivot))
            *to++ = list->values[i];
    }
}

static struct list filter(const struct list *list, enum part part, uint64_t pivot)
{
    struct list found = list_of(count_part(list, part, pivot));
    copy_part(list, part, pivot, found.values);
    al_touch(list->values, bytes_of(list), AL_TOUCH_READ);
    al_touch(found.values, bytes_of(&found), AL_TOUCH_WRITE);
    al_compute(2 * list->n * CYCLES);
    return found;
}

/* Into a new list; the parts are freed. */
static struct list join(struct list parts[PARTS])
{
    struct list whole = list_of(parts[LESS].n + parts[EQUAL].n + parts[GREATER].n);
    uint64_t *to = whole.values;
    for (int i = 0; i < PARTS; i++) {
        if (parts[i].n > 0)
            memcpy(to, parts[i].values, bytes_of(&parts[i]));
        to += parts[i].n;
        al_free(parts[i].values);
    }
    return whole;
}

/* Sort without further actors; the list is freed. */
static struct list sorted(struct list list)
{
    if (list.n < 2)
        return list;
    uint64_t pivot = list.values[list.n / 2];
    struct list parts[PARTS];
    for (enum part i = 0; i < PARTS; i++)
        parts[i] = filter(&list, i, pivot);
    al_free(list.values);
    parts[LESS] = sorted(parts[LESS]);
    parts[GREATER] = sorted(parts[GREATER]);
    return join(parts);
}

static void sort_part(struct sorter *parent, struct state *state, enum part part, struct list list)
{
    struct sorter *sorter = al_new(sorter);
    *sorter = (struct sorter){.state = state, .parent = parent, .part = part, .results = 2};
    struct sort *sort = al_message_init(sort, al_new(sort), AL_DELETE);
    sort->list = list;
    al_send(sorter, sort, al_actor_init(sorter, sorter), sort);
}

static enum al_verdict end(struct sorter *self, struct list list)
{
    if (self->parent == NULL) {
        self->state->result = list;
        return AL_DELETE;
    }
    struct result *result = al_message_init(result, al_new(result), AL_DELETE);
    result->list = list;
    result->part = self->part;
    al_send(sorter, result, self->parent, result);
    return AL_DELETE;
}

AL_BEHAVIOUR_DEFINE(sorter, sort, self, msg)
{
    struct state *state = self->state;
    struct list list = msg->list;
    if (list.n < state->threshold)
        return end(self, sorted(list));
    uint64_t pivot = list.values[list.n / 2];
    sort_part(self, state, LESS, filter(&list, LESS, pivot));
    sort_part(self, state, GREATER, filter(&list, GREATER, pivot));
    self->parts[EQUAL] = filter(&list, EQUAL, pivot);
    al_free(list.values);
    return AL_NODELETE;
}

AL_BEHAVIOUR_DEFINE(sorter, result, self, msg)
{
    self->parts[msg->part] = msg->list;
    return --self->results > 0 ? AL_NODELETE : end(self, join(self->parts));
}

/* How many actors sort this list. */
static uint64_t count_sorters(const struct list *list, uint64_t threshold)
{
    if (list->n < threshold)
        return 1;
    uint64_t n = 1, pivot = list->values[list->n / 2];
    for (enum part i = LESS; i <= GREATER; i += GREATER - LESS) {
        struct list part = list_of(count_part(list, i, pivot));
        copy_part(list, i, pivot, part.values);
        n += count_sorters(&part, threshold);
        al_free(part.values);
    }
    return n;
}

static void *prepare(const union al_value *values, uint64_t seed)
{
    (void)seed;
    struct al_savina_random random = {SEED};
    struct state *state = al_allocate(sizeof *state);
    *state = (struct state){.values = list_of(values[VALUES].uint),
                            .threshold = values[THRESHOLD].uint};
    for (uint64_t i = 0; i < state->values.n; i++)
        state->values.values[i] = al_savina_next(&random);
    state->sorters = count_sorters(&state->values, state->threshold);
    return state;
}

/* Each level of the tree may have all values at once, as a list and as its parts. */
static double bytes(const union al_value *values, uint32_t n_workers)
{
    (void)n_workers;
    return 4.0 * (double)values[VALUES].uint * sizeof(uint64_t);
}

static uint64_t messages(const void *argument)
{
    const struct state *state = argument;
    return 2 * state->sorters - 1;
}

/* The values are needed again to check the result. */
static void start(void *argument)
{
    struct state *state = argument;
    struct list copy = list_of(state->values.n);
    memcpy(copy.values, state->values.values, bytes_of(&copy));
    sort_part(NULL, state, EQUAL, copy);
}

static int check(void *argument, struct al_error *error)
{
    const struct state *state = argument;
    const struct list *values = &state->values, *result = &state->result;
    if (result->n != values->n)
        return al_error_set(error, -EBADMSG, "%llu values, not %llu", (unsigned long long)result->n,
                            (unsigned long long)values->n);
    uint64_t *count = al_allocate_zeroed(MOST, sizeof *count), wrong = 0;
    for (uint64_t i = 0; i < values->n; i++) {
        count[values->values[i]]++;
        count[result->values[i] % MOST]--;
        wrong += i > 0 && result->values[i] < result->values[i - 1];
    }
    for (uint64_t i = 0; i < MOST; i++)
        wrong += count[i] != 0;
    al_free(count);
    if (wrong == 0)
        return 0;
    return al_error_set(error, -EBADMSG, "%llu values are out of order, or not those given",
                        (unsigned long long)wrong);
}

static void release(void *argument)
{
    struct state *state = argument;
    al_free(state->values.values);
    al_free(state->result.values);
    al_free(state);
}

const struct al_benchmark_ops al_benchmark_quicksort = {
    .plugin = {"quicksort", "a tree of actors that divide values and sort them", options},
    .stresses = "a tree of tasks that move much memory",
    .small = "values=5000 threshold=200",
    .sim = "values=100000 threshold=256",
    .bytes = bytes,
    .prepare = prepare,
    .messages = messages,
    .start = start,
    .check = check,
    .release = release,
};
