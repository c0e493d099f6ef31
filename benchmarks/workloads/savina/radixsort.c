/* SPDX-License-Identifier: MIT */

/*
 * radixsort: a line of actors, each of which sorts by one bit. The source sends `values` values to
 * the first of `bits` sorters. A sorter passes on those whose bit is 0 at once, and the others, in
 * the order of their arrival, after the last value has come. The last sorter sends to a validator.
 * Source: Savina (Imam and Sarkar, 2014), "Radix Sort", whose sizes are the defaults.
 *
 * As in Savina, values are drawn by its generator, which gives 16 bits: of 60 sorters 44 pass on
 * what they get. A value is allocated for each sorter; in Savina for the first.
 *
 * Messages: one to the source to begin with, and each value to each sorter and to the validator.
 *
 * The answer: the values come in ascending order, and their sum is that of those that were sent.
 */

#include <errno.h>

#include "benchmarks/workloads/savina/savina.h"

enum option { VALUES, BITS, MEMORY };

static const struct al_option options[] = {
    [VALUES] = {"values", AL_OPTION_UINT, "100000", 1, 1e9, NULL, "values to sort"},
    [BITS] = {"bits", AL_OPTION_UINT, "60", 1, 63, NULL, "bits to sort by; a sorter for each"},
    [MEMORY] = AL_MEMORY_OPTION,
    {0},
};

/* Savina's. */
enum { SEED = 2048 };

struct sorter;

struct value {
    struct al_message message;
    uint64_t value;
};

struct validator {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    uint64_t left, last, sum, unsorted;
};

struct sorter {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    struct sorter *next; /* NULL: the validator is */
    struct validator *validator;
    uint64_t bit;
    uint64_t left;  /* values to come */
    uint64_t *ones; /* those with the bit */
    uint64_t n;
};

struct source {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    struct state *state;
};

/* Read-only while the actors run, except the validator. */
struct state {
    struct sorter *sorters; /* the first one has the lowest bit */
    uint32_t bits;
    uint64_t values;
    struct al_go go;
    struct source source;
    struct validator validator;
};

AL_ACTOR(sorter)
AL_ACTOR(source)
AL_ACTOR(validator)
AL_MESSAGE(value)
AL_RECYCLE(value)

AL_BEHAVIOUR_DECLARE(sorter, value)

static struct value *new_value(uint64_t number)
{
    struct value *value = al_message_init(value, al_new(value), AL_DELETE);
    value->value = number;
    return value;
}

static uint64_t draw(struct al_savina_random *random, uint32_t bits)
{
    return al_savina_next(random) & (((uint64_t)1 << bits) - 1);
}

AL_BEHAVIOUR(validator, value, self, msg)
{
    self->unsorted += msg->value < self->last;
    self->last = msg->value;
    self->sum += msg->value;
    return al_count_down(&self->left);
}

static void pass_on(struct sorter *self, uint64_t number)
{
    if (self->next != NULL)
        al_send(sorter, value, self->next, new_value(number));
    else
        al_send(validator, value, self->validator, new_value(number));
}

AL_BEHAVIOUR_DEFINE(sorter, value, self, msg)
{
    if ((msg->value & self->bit) == 0)
        pass_on(self, msg->value);
    else
        self->ones[self->n++] = msg->value;
    if (al_count_down(&self->left) == AL_NODELETE)
        return AL_NODELETE;
    for (uint64_t i = 0; i < self->n; i++)
        pass_on(self, self->ones[i]);
    return AL_FINISHED;
}

AL_BEHAVIOUR(source, al_go, self, msg)
{
    struct state *state = self->state;
    struct al_savina_random random = {SEED};
    for (uint64_t i = 0; i < state->values; i++)
        al_send(sorter, value, state->sorters, new_value(draw(&random, state->bits)));
    return AL_FINISHED;
}

static void *prepare(const union al_value *values, uint64_t seed)
{
    (void)seed;
    uint32_t bits = (uint32_t)values[BITS].uint;
    uint64_t n = values[VALUES].uint;
    struct state *state = al_allocate_lines(1, sizeof *state);
    *state = (struct state){.sorters = al_allocate_lines(bits, sizeof *state->sorters),
                            .bits = bits,
                            .values = n,
                            .source.state = state,
                            .validator.left = n};
    for (uint32_t i = 0; i < bits; i++)
        state->sorters[i] = (struct sorter){
            .next = i + 1 < bits ? &state->sorters[i + 1] : NULL,
            .validator = &state->validator,
            .bit = (uint64_t)1 << i,
            .left = n,
            .ones = al_allocate_zeroed(n, sizeof(uint64_t)),
        };
    al_message_init(al_go, &state->go, AL_NODELETE);
    return state;
}

/* As if all values had come to a sorter, and none been passed on. */
static double bytes(const union al_value *values, uint32_t n_workers)
{
    (void)n_workers;
    double n = (double)values[VALUES].uint;
    return n * ((double)values[BITS].uint * sizeof(uint64_t) + sizeof(struct value));
}

static uint64_t messages(const void *argument)
{
    const struct state *state = argument;
    return 1 + state->values * (state->bits + 1);
}

static void start(void *argument)
{
    struct state *state = argument;
    al_actor_init(validator, &state->validator);
    for (uint32_t i = 0; i < state->bits; i++)
        al_actor_init(sorter, &state->sorters[i]);
    al_send(source, al_go, al_actor_init(source, &state->source), &state->go);
}

static int check(void *argument, struct al_error *error)
{
    const struct state *state = argument;
    struct al_savina_random random = {SEED};
    uint64_t sum = 0;
    for (uint64_t i = 0; i < state->values; i++)
        sum += draw(&random, state->bits);
    if (state->validator.unsorted != 0)
        return al_error_set(error, -EBADMSG, "%llu values are less than the one before",
                            (unsigned long long)state->validator.unsorted);
    if (state->validator.sum == sum)
        return 0;
    return al_error_set(error, -EBADMSG, "the sum of the values is %llu, not %llu",
                        (unsigned long long)state->validator.sum, (unsigned long long)sum);
}

static void release(void *argument)
{
    struct state *state = argument;
    for (uint32_t i = 0; i < state->bits; i++)
        al_free(state->sorters[i].ones);
    al_free(state->sorters);
    al_free(state);
}

const struct al_benchmark_ops al_benchmark_radixsort = {
    .plugin = {"radixsort", "a line of actors, each of which sorts by one bit", options},
    .stresses = "a long pipeline through which bursts of messages go",
    .small = "values=200 bits=16",
    .sim = "values=3000",
    .bytes = bytes,
    .prepare = prepare,
    .messages = messages,
    .start = start,
    .check = check,
    .release = release,
};
