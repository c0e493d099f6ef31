/* SPDX-License-Identifier: MIT */

/*
 * sieve: a line of actors that finds prime numbers. The producer sends the odd numbers below
 * `numbers` to the first filter. A filter holds up to `primes` primes. It drops a number that one
 * of them divides, and passes any other on to the next filter; if there is none it has found a
 * prime, which it keeps, or, if it is full, gives to a new filter as its first. The filters end
 * after the last number, one after another. Source: Savina (Imam and Sarkar, 2014), "Sieve of
 * Eratosthenes", whose sizes are the defaults.
 *
 * As in Savina, a number is allocated for the first filter; here for each filter, since a message
 * lives only until the behaviour that receives it has returned.
 *
 * Messages: one to the producer to begin with; each number to each filter that it reaches; and one
 * to each filter to end. All follow from the numbers, and are counted by a sequential sieve.
 *
 * The answer: the filters hold the primes below `numbers`, in order.
 */

#include <errno.h>

#include "benchmarks/workloads/savina/savina.h"

enum option { NUMBERS, PRIMES, MEMORY };

static const struct al_option options[] = {
    [NUMBERS] = {"numbers", AL_OPTION_UINT, "100000", 4, 1e9, NULL,
                 "find the primes below this number"},
    [PRIMES] = {"primes", AL_OPTION_UINT, "1000", 1, 1e8, NULL, "primes that a filter holds"},
    [MEMORY] = AL_MEMORY_OPTION,
    {0},
};

struct number {
    struct al_message message;
    uint64_t value;
};

struct filter {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    struct state *state;
    struct filter *next;
    uint64_t n;
    uint64_t primes[];
};

struct producer {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    struct state *state;
};

/* Read-only while the actors run. */
struct state {
    uint64_t numbers, most, n_messages;
    uint64_t *primes; /* of the sequential sieve */
    uint64_t n_primes;
    struct filter *first;
    struct al_go go;
    struct al_done done;
    struct producer producer;
};

AL_ACTOR(filter)
AL_ACTOR(producer)
AL_MESSAGE(number)
AL_RECYCLE(number)

AL_BEHAVIOUR_DECLARE(filter, al_done)
AL_BEHAVIOUR_DECLARE(filter, number)

/* For each division (savina.h). */
enum { CYCLES = 7 };

static struct filter *new_filter(struct state *state, uint64_t prime)
{
    struct filter *filter = al_allocate_lines(1, sizeof *filter +
                                                     state->most * sizeof filter->primes[0]);
    *filter = (struct filter){.state = state, .n = 1};
    filter->primes[0] = prime;
    return al_actor_init(filter, filter);
}

static void send_number(struct filter *to, uint64_t value)
{
    struct number *number = al_message_init(number, al_new(number), AL_DELETE);
    number->value = value;
    al_send(filter, number, to, number);
}

/* How many primes have been tried, the last of which may divide the value. */
AL_UNREPORTED static uint64_t divisions(const uint64_t *primes, uint64_t n, uint64_t value,
                                        bool *divided)
{
    for (uint64_t i = 0; i < n; i++) {
        if (value % primes[i] == 0) {
            *divided = true;
            return i + 1;
        }
    }
    *divided = false;
    return n;
}

AL_BEHAVIOUR_DEFINE(filter, number, self, msg)
{
    struct state *state = self->state;
    bool divided;
    uint64_t n = divisions(self->primes, self->n, msg->value, &divided);
    al_touch(self->primes, n * sizeof self->primes[0], AL_TOUCH_READ);
    al_compute(n * CYCLES);
    if (divided)
        return AL_NODELETE;
    if (self->next != NULL)
        send_number(self->next, msg->value);
    else if (self->n < state->most)
        self->primes[self->n++] = msg->value;
    else
        self->next = new_filter(state, msg->value);
    return AL_NODELETE;
}

AL_BEHAVIOUR_DEFINE(filter, al_done, self, msg)
{
    if (self->next != NULL)
        al_send(filter, al_done, self->next, msg);
    return AL_FINISHED;
}

AL_BEHAVIOUR(producer, al_go, self, msg)
{
    struct state *state = self->state;
    for (uint64_t value = 3; value < state->numbers; value += 2)
        send_number(state->first, value);
    al_send(filter, al_done, state->first, &state->done);
    return AL_FINISHED;
}

/*
 * A sequential sieve, which also counts messages. A number that is no prime reaches the filter that
 * holds its smallest divisor, and those before it. A prime reaches all that there are: as many as
 * the primes before it fill.
 */
static void find_primes(struct state *state)
{
    uint64_t n = state->numbers, filled = 0;
    uint32_t *divisor = al_allocate_zeroed(n, sizeof *divisor); /* the smallest; its index + 1 */
    state->primes = al_allocate(n / 2 * sizeof *state->primes);
    state->n_messages = 1;
    for (uint64_t value = 2; value < n; value++) {
        if (divisor[value] != 0) {
            state->n_messages += value % 2 != 0 ? (divisor[value] - 1) / state->most + 1 : 0;
            continue;
        }
        uint64_t i = state->n_primes++;
        state->primes[i] = value;
        state->n_messages += value != 2 ? filled : 0;
        filled = i / state->most + 1;
        for (uint64_t multiple = value * value; multiple < n; multiple += value) {
            if (divisor[multiple] == 0)
                divisor[multiple] = (uint32_t)i + 1;
        }
    }
    state->n_messages += filled;
    al_free(divisor);
}

static void *prepare(const union al_value *values, uint64_t seed)
{
    (void)seed;
    struct state *state = al_allocate_lines(1, sizeof *state);
    *state = (struct state){
        .numbers = values[NUMBERS].uint, .most = values[PRIMES].uint, .producer.state = state};
    find_primes(state);
    al_message_init(al_go, &state->go, AL_NODELETE);
    al_message_init(al_done, &state->done, AL_NODELETE);
    return state;
}

/* As if all numbers were on their way at once. */
static double bytes(const union al_value *values, uint32_t n_workers)
{
    (void)n_workers;
    double n = (double)values[NUMBERS].uint;
    return n / 2 * (sizeof(struct number) + sizeof(uint64_t)) + n * sizeof(uint32_t) +
           (double)values[PRIMES].uint * sizeof(uint64_t);
}

static uint64_t messages(const void *argument)
{
    return ((const struct state *)argument)->n_messages;
}

static void start(void *argument)
{
    struct state *state = argument;
    state->first = new_filter(state, 2);
    al_send(producer, al_go, al_actor_init(producer, &state->producer), &state->go);
}

static int check(void *argument, struct al_error *error)
{
    const struct state *state = argument;
    uint64_t n = 0;
    for (const struct filter *filter = state->first; filter != NULL; filter = filter->next) {
        for (uint64_t i = 0; i < filter->n; i++, n++) {
            if (n >= state->n_primes || filter->primes[i] != state->primes[n])
                return al_error_set(error, -EBADMSG, "number %llu is %llu, which is not that prime",
                                    (unsigned long long)n, (unsigned long long)filter->primes[i]);
        }
    }
    if (n == state->n_primes)
        return 0;
    return al_error_set(error, -EBADMSG, "%llu primes, not %llu", (unsigned long long)n,
                        (unsigned long long)state->n_primes);
}

static void release(void *argument)
{
    struct state *state = argument;
    for (struct filter *filter = state->first, *next; filter != NULL; filter = next) {
        next = filter->next;
        al_free(filter);
    }
    al_free(state->primes);
    al_free(state);
}

const struct al_benchmark_ops al_benchmark_sieve = {
    .plugin = {"sieve", "a line of filters that finds prime numbers", options},
    .stresses = "a pipeline whose first stages have more to do than its last",
    .small = "numbers=2000 primes=50",
    .sim = "numbers=20000 primes=50",
    .bytes = bytes,
    .prepare = prepare,
    .messages = messages,
    .start = start,
    .check = check,
    .release = release,
};
