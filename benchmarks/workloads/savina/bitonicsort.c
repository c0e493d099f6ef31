/* SPDX-License-Identifier: MIT */

/*
 * bitonicsort: a sorting network of actors, through which the values go one by one. The source
 * sends `values` values, a power of 2, through a merge stage for each length from 2 on. A merge
 * stage of length P is a line of steps, for lengths L of P, P / 2, ..., 2. A step deals sequences
 * of L values to partitions in turn, and joins what they send in the same order. A partition deals
 * its values to L / 2 comparators, one each in turn, and joins what they send likewise. A
 * comparator waits for two values, and sends the smaller one first, or last. Source: Savina (Imam
 * and Sarkar, 2014), "Bitonic Sort", whose size is the default; first in StreamIt.
 *
 * As in Savina, there are actors that only pass on what they get: one for each stage, step and
 * partition, and behind the joiner of each stage; values are drawn by its generator,
 * which gives 16 bits. A value is allocated for each actor; in Savina some pass on what they get.
 *
 * Messages: one to the source to begin with; each value to each actor on its way; and an order to
 * end for each actor, to joiners and what is behind partitions from each comparator or partition.
 *
 * The answer: the values come in ascending order, and their sum is that of those that were sent.
 */

#include <errno.h>

#include "benchmarks/workloads/savina/savina.h"
#include "benchmarks/workloads/support/fifo.h"

enum option { VALUES, MEMORY };

static const struct al_option options[] = {
    [VALUES] = {"values", AL_OPTION_UINT, "4096", 2, 65536, NULL, "values to sort; a power of 2"},
    [MEMORY] = AL_MEMORY_OPTION,
    {0},
};

/* Savina's. */
enum { SEED = 2048 };

enum kind { PASS, SPLITTER, JOINER, COMPARATOR, VALIDATOR };

struct value {
    struct al_message message;
    uint32_t from; /* of those that a joiner joins */
    uint64_t value;
};

/* An actor of the network. */
struct element {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    struct state *state;
    enum kind kind;
    uint32_t order;       /* what values that it sends come from */
    struct element *next; /* of a splitter: NULL */
    uint32_t length, run; /* values to deal or to join at once, and how many of these it has had */
    uint32_t turn, n;     /* whose turn it is of those that it deals to or joins, and of how many */
    uint32_t ends;        /* orders to end, to come */
    bool descending, has; /* of a comparator: it sends the larger one first; it has one value */
    uint64_t value;       /* that one; of the validator: the last one */
    union {
        struct element **receivers; /* of a splitter */
        struct al_fifo *inputs;     /* of a joiner */
    };
};

/* Elements come from blocks, which are freed with the state. */
struct block {
    struct block *next;
    struct element *elements;
    uint32_t n;
};

struct source {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    struct state *state;
};

/* Read-only while the actors run, except the sum. */
struct state {
    struct block *blocks;
    struct element *first;
    uint32_t values;
    uint64_t layers; /* that each value passes */
    uint64_t ends;   /* orders to end in all */
    struct al_go go;
    struct al_done done;
    struct source source;
    uint64_t sum, came, unsorted; /* written by the validator */
};

AL_ACTOR(element)
AL_ACTOR(source)
AL_MESSAGE(value)
AL_RECYCLE(value)

AL_BEHAVIOUR_DECLARE(element, al_done)
AL_BEHAVIOUR_DECLARE(element, value)

static void send_value(struct element *to, uint32_t from, uint64_t number)
{
    struct value *value = al_message_init(value, al_new(value), AL_DELETE);
    value->from = from;
    value->value = number;
    al_send(element, value, to, value);
}

/* It has dealt or joined another value: after `length` it is the next one's turn. */
static void take_turn(struct element *self)
{
    if (++self->run < self->length)
        return;
    self->run = 0;
    self->turn = self->turn + 1 < self->n ? self->turn + 1 : 0;
}

static void join(struct element *self, const struct value *value)
{
    al_fifo_put(&self->inputs[value->from], value->value);
    while (self->inputs[self->turn].n > 0) {
        send_value(self->next, self->order, al_fifo_take(&self->inputs[self->turn]));
        take_turn(self);
    }
}

static void compare(struct element *self, uint64_t value)
{
    self->has = !self->has;
    if (self->has) {
        self->value = value;
        return;
    }
    uint64_t least = value < self->value ? value : self->value;
    uint64_t most = value < self->value ? self->value : value;
    send_value(self->next, self->order, self->descending ? most : least);
    send_value(self->next, self->order, self->descending ? least : most);
}

static void validate(struct element *self, uint64_t value)
{
    struct state *state = self->state;
    state->unsorted += value < self->value;
    state->sum += value;
    state->came++;
    self->value = value;
}

AL_BEHAVIOUR_DEFINE(element, value, self, msg)
{
    switch (self->kind) {
    case PASS:
        send_value(self->next, self->order, msg->value);
        break;
    case SPLITTER:
        send_value(self->receivers[self->turn], self->order, msg->value);
        take_turn(self);
        break;
    case JOINER:
        join(self, msg);
        break;
    case COMPARATOR:
        compare(self, msg->value);
        break;
    case VALIDATOR:
        validate(self, msg->value);
        break;
    }
    return AL_NODELETE;
}

AL_BEHAVIOUR_DEFINE(element, al_done, self, msg)
{
    if (--self->ends > 0)
        return AL_NODELETE;
    for (uint32_t i = 0; self->kind == SPLITTER && i < self->n; i++)
        al_send(element, al_done, self->receivers[i], msg);
    if (self->next != NULL)
        al_send(element, al_done, self->next, msg);
    return AL_FINISHED;
}

static uint64_t draw(struct al_savina_random *random)
{
    return al_savina_next(random);
}

AL_BEHAVIOUR(source, al_go, self, msg)
{
    struct state *state = self->state;
    struct al_savina_random random = {SEED};
    for (uint32_t i = 0; i < state->values; i++)
        send_value(state->first, 0, draw(&random));
    al_send(element, al_done, state->first, &state->done);
    return AL_FINISHED;
}

/* So many elements of a kind, in front of the next one. */
static struct element *elements(struct state *state, uint32_t n, enum kind kind,
                                struct element *next)
{
    struct block *block = al_allocate(sizeof *block);
    *block = (struct block){
        .next = state->blocks, .elements = al_allocate_lines(n, sizeof(struct element)), .n = n};
    state->blocks = block;
    for (uint32_t i = 0; i < n; i++)
        block->elements[i] = (struct element){
            .state = state, .kind = kind, .order = i, .next = next, .length = 1, .ends = 1};
    state->ends += n;
    return block->elements;
}

static struct element *pass(struct state *state, uint32_t order, struct element *next)
{
    struct element *element = elements(state, 1, PASS, next);
    element->order = order;
    return element;
}

static struct element *joiner(struct state *state, uint32_t n, uint32_t length,
                              struct element *next)
{
    struct element *element = elements(state, 1, JOINER, next);
    element->inputs = al_allocate_zeroed(n, sizeof *element->inputs);
    element->n = element->ends = n;
    element->length = length;
    state->ends += n - 1;
    return element;
}

static struct element *splitter(struct state *state, uint32_t n, uint32_t length)
{
    struct element *element = elements(state, 1, SPLITTER, NULL);
    element->receivers = al_allocate(n * sizeof(struct element *));
    element->n = n;
    element->length = length;
    return element;
}

static struct element *partition(struct state *state, uint32_t order, uint32_t length,
                                 bool descending, struct element *next)
{
    uint32_t n = length / 2;
    struct element *comparators = elements(state, n, COMPARATOR,
                                           joiner(state, n, 1, pass(state, order, next)));
    struct element *deals = splitter(state, n, 1);
    for (uint32_t i = 0; i < n; i++) {
        comparators[i].descending = descending;
        deals->receivers[i] = &comparators[i];
    }
    return pass(state, 0, deals);
}

/* A step for sequences of this length, of a stage for sequences of `of`. */
static struct element *step(struct state *state, uint32_t length, uint32_t of, struct element *next)
{
    uint32_t n = state->values / length;
    bool last = of == state->values;
    struct element *joins = joiner(state, n, length, last ? next : pass(state, 0, next));
    struct element *comparators = length == 2 ? elements(state, n, COMPARATOR, joins) : NULL;
    struct element *deals = splitter(state, n, length);
    for (uint32_t i = 0; i < n; i++) {
        bool descending = i / (of / length) % 2 != 0;
        if (length == 2)
            comparators[i].descending = descending;
        deals->receivers[i] = length == 2 ? &comparators[i]
                                          : partition(state, i, length, descending, joins);
    }
    state->layers += 3 + (length == 2 ? 1 : 5) + !last;
    return pass(state, 0, deals);
}

/* Built from its end. */
static struct element *network(struct state *state)
{
    struct element *next = pass(state, 0, elements(state, 1, VALIDATOR, NULL));
    for (uint32_t of = state->values; of >= 2; of /= 2) {
        for (uint32_t length = 2; length <= of; length *= 2)
            next = step(state, length, of, next);
        next = pass(state, 0, next);
        state->layers++;
    }
    state->layers += 3; /* the whole network, and the two at its end */
    return pass(state, 0, next);
}

static int check_parameters(const union al_value *values, struct al_error *error)
{
    uint64_t n = values[VALUES].uint;
    if ((n & (n - 1)) == 0)
        return 0;
    return al_error_set(error, -EINVAL, "values=%llu; valid: a power of 2", (unsigned long long)n);
}

static void *prepare(const union al_value *values, uint64_t seed)
{
    (void)seed;
    struct state *state = al_allocate_lines(1, sizeof *state);
    *state = (struct state){.values = (uint32_t)values[VALUES].uint, .source.state = state};
    state->first = network(state);
    al_message_init(al_go, &state->go, AL_NODELETE);
    al_message_init(al_done, &state->done, AL_NODELETE);
    return state;
}

/* There are fewer than 2 n comparators and others in a step, of which there are log n squared. */
static double bytes(const union al_value *values, uint32_t n_workers)
{
    (void)n_workers;
    double n = (double)values[VALUES].uint, log = 64 - __builtin_clzll(values[VALUES].uint);
    return n * log * log * (sizeof(struct element) + sizeof(struct al_fifo));
}

static uint64_t messages(const void *argument)
{
    const struct state *state = argument;
    return 1 + state->values * state->layers + state->ends;
}

static void start(void *argument)
{
    struct state *state = argument;
    for (struct block *block = state->blocks; block != NULL; block = block->next) {
        for (uint32_t i = 0; i < block->n; i++)
            al_actor_init(element, &block->elements[i]);
    }
    al_send(source, al_go, al_actor_init(source, &state->source), &state->go);
}

static int check(void *argument, struct al_error *error)
{
    const struct state *state = argument;
    struct al_savina_random random = {SEED};
    uint64_t sum = 0;
    for (uint32_t i = 0; i < state->values; i++)
        sum += draw(&random);
    if (state->came != state->values)
        return al_error_set(error, -EBADMSG, "%llu values, not %u", (unsigned long long)state->came,
                            state->values);
    if (state->unsorted != 0)
        return al_error_set(error, -EBADMSG, "%llu values are less than the one before",
                            (unsigned long long)state->unsorted);
    if (state->sum == sum)
        return 0;
    return al_error_set(error, -EBADMSG, "the sum of the values is %llu, not %llu",
                        (unsigned long long)state->sum, (unsigned long long)sum);
}

static void free_element(struct element *element)
{
    if (element->kind == SPLITTER)
        al_free(element->receivers);
    if (element->kind != JOINER)
        return;
    for (uint32_t i = 0; i < element->n; i++)
        al_fifo_free(&element->inputs[i]);
    al_free(element->inputs);
}

static void release(void *argument)
{
    struct state *state = argument;
    for (struct block *block = state->blocks, *next; block != NULL; block = next) {
        next = block->next;
        for (uint32_t i = 0; i < block->n; i++)
            free_element(&block->elements[i]);
        al_free(block->elements);
        al_free(block);
    }
    al_free(state);
}

const struct al_benchmark_ops al_benchmark_bitonicsort = {
    .plugin = {"bitonicsort", "a sorting network of actors", options},
    .stresses = "very many small actors in long pipelines with branches",
    .small = "values=32",
    .sim = "values=256",
    .bytes = bytes,
    .check_parameters = check_parameters,
    .prepare = prepare,
    .messages = messages,
    .start = start,
    .check = check,
    .release = release,
};
