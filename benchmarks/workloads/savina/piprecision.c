/* SPDX-License-Identifier: MIT */

/*
 * piprecision: digits of pi from a series, one term in a message. The master gives each of `actors`
 * workers ten terms to compute, in turn, but no more than `digits` in all. When a worker returns
 * one, the master adds it to its sum and gives that worker the next, until a term is smaller than
 * the precision. When all that were given out have come back it ends the workers. Source: Savina
 * (Imam and Sarkar, 2014), "Precise Pi Computation", whose sizes are the defaults; the series is
 * that of Bailey, Borwein and Plouffe (1997).
 *
 * As in Savina, each term is a number of `digits` digits, allocated for each message, and terms
 * come back in any order. There, numbers are decimal and rounded; here they are binary, and cut
 * off.
 *
 * Messages, at least: one to the master to begin with; two for each term until the first one that
 * is smaller than the precision; two for each worker to end. Terms under way when that comes back
 * are more; how many depends on the schedule.
 *
 * The answer: the sum agrees in `digits` digits with that of Machin's formula.
 */

#include <errno.h>
#include <math.h>
#include <string.h>

#include "benchmarks/workloads/savina/savina.h"

enum option { DIGITS, WORKERS, MEMORY };

static const struct al_option options[] = {
    [DIGITS] = {"digits", AL_OPTION_UINT, "5000", 1, 1e6, NULL, "decimal digits to compute"},
    [WORKERS] = {"actors", AL_OPTION_UINT, "20", 1, 1e6, NULL, "actors that compute terms"},
    [MEMORY] = AL_MEMORY_OPTION,
    {0},
};

/* Terms that each worker has to begin with. */
enum { AHEAD = 10 };

/*
 * A number in fixed point: the first word is whole, and each that follows counts 2^-32 as much as
 * the one before it. The last two are there to be cut off.
 */
typedef uint32_t word;
enum { GUARD = 2, BITS = 32 };

/* to -= value, or to += value; both of n words. */
static void subtract(word *to, const word *value, size_t n)
{
    uint64_t borrow = 0;
    for (size_t i = n; i-- > 0;) {
        uint64_t difference = (uint64_t)to[i] - value[i] - borrow;
        to[i] = (word)difference;
        borrow = difference >> 63;
    }
}

static void add(word *to, const word *value, size_t n)
{
    uint64_t carry = 0;
    for (size_t i = n; i-- > 0;) {
        carry += (uint64_t)to[i] + value[i];
        to[i] = (word)carry;
        carry >>= BITS;
    }
}

/* value /= by */
static void divide(word *value, size_t n, word by)
{
    uint64_t rest = 0;
    for (size_t i = 0; i < n; i++) {
        rest = rest << BITS | value[i];
        value[i] = (word)(rest / by);
        rest %= by;
    }
}

/* value /= 2^by */
static void shift(word *value, size_t n, uint64_t by)
{
    size_t words = by / BITS, bits = by % BITS;
    for (size_t i = n; i-- > 0;) {
        uint64_t high = i > words ? value[i - words - 1] : 0,
                 low = i >= words ? value[i - words] : 0;
        value[i] = (word)((high << BITS | low) >> bits);
    }
}

static void set(word *value, size_t n, word whole)
{
    memset(value, 0, n * sizeof *value);
    value[0] = whole;
}

/* Term k of the series is 16^-k times four fractions. */
static const struct {
    word above, below; /* above / (8 k + below) */
} fractions[] = {{4, 1}, {2, 4}, {1, 5}, {1, 6}};

/* to: the term. scratch: as large. */
static void compute_term(word *to, word *scratch, size_t n, uint64_t k)
{
    for (size_t i = 0; i < sizeof fractions / sizeof fractions[0]; i++) {
        word *value = i == 0 ? to : scratch;
        set(value, n, fractions[i].above);
        divide(value, n, (word)(8 * k + fractions[i].below));
        if (i > 0)
            subtract(to, scratch, n);
    }
    shift(to, n, 4 * k);
}

/* Whether term k is smaller than the precision. */
static bool is_small(uint64_t k, uint64_t digits)
{
    double value = 0, eight = 8.0 * (double)k;
    for (size_t i = 0; i < sizeof fractions / sizeof fractions[0]; i++)
        value += (i == 0 ? 1.0 : -1.0) * fractions[i].above / (eight + fractions[i].below);
    return log10(value) - (double)k * log10(16) <= -(double)digits;
}

struct worker;

struct order {
    struct al_message message;
    uint64_t term;
};

struct result {
    struct al_message message;
    struct worker *from;
    uint64_t term;
    word value[];
};

struct worker {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    struct state *state;
    word *scratch;
};

struct master {
    _Alignas(AL_CACHE_LINE_BYTES) struct al_actor actor;
    struct state *state;
    uint64_t given, came; /* terms */
    uint32_t working;     /* workers that have not ended */
    bool ends;            /* a small term has come */
};

/* Read-only while the actors run, except the master and the sum. */
struct state {
    struct worker *workers;
    word *sum;
    size_t n; /* words of a number */
    uint32_t n_workers;
    uint64_t digits, least; /* terms, at least */
    struct al_go go;
    struct al_done done;
    struct master master;
};

AL_ACTOR(master)
AL_ACTOR(worker)
AL_MESSAGE(order)
AL_MESSAGE(result)
AL_RECYCLE(order)

AL_BEHAVIOUR_DECLARE(master, al_done)
AL_BEHAVIOUR_DECLARE(master, result)

AL_BEHAVIOUR(worker, order, self, msg)
{
    struct state *state = self->state;
    struct result *result = al_allocate(sizeof *result + state->n * sizeof(word));
    al_message_init(result, result, AL_DELETE);
    result->from = self;
    result->term = msg->term;
    compute_term(result->value, self->scratch, state->n, msg->term);
    al_send(master, result, &state->master, result);
    return AL_NODELETE;
}

AL_PILL_BEHAVIOUR(worker, self, pill)
{
    al_send(master, al_done, &self->state->master, &self->state->done);
    return pill->verdict;
}

/* Terms that are given to begin with. */
static uint64_t ahead(uint64_t digits, uint64_t workers)
{
    return digits < AHEAD * workers ? digits : AHEAD * workers;
}

static void give(struct master *self, struct worker *to)
{
    struct order *order = al_message_init(order, al_new(order), AL_DELETE);
    order->term = self->given++;
    al_send(worker, order, to, order);
}

AL_BEHAVIOUR(master, al_go, self, msg)
{
    struct state *state = self->state;
    for (uint64_t i = 0; i < ahead(state->digits, state->n_workers); i++)
        give(self, &state->workers[i % state->n_workers]);
    return AL_NODELETE;
}

AL_BEHAVIOUR_DEFINE(master, result, self, msg)
{
    struct state *state = self->state;
    add(state->sum, msg->value, state->n);
    self->came++;
    self->ends |= is_small(msg->term, state->digits);
    if (!self->ends)
        give(self, msg->from);
    if (self->came < self->given)
        return AL_NODELETE;
    for (uint32_t i = 0; i < state->n_workers; i++)
        al_send_pill(&state->workers[i].actor, &al_finished_msg);
    return AL_NODELETE;
}

AL_BEHAVIOUR_DEFINE(master, al_done, self, msg)
{
    return --self->working == 0 ? AL_FINISHED : AL_NODELETE;
}

static uint64_t bits_of(uint64_t digits)
{
    return (uint64_t)((double)digits * log2(10));
}

static size_t words_of(uint64_t digits)
{
    return 2 + bits_of(digits) / BITS + GUARD;
}

static void *prepare(const union al_value *values, uint64_t seed)
{
    (void)seed;
    uint32_t workers = (uint32_t)values[WORKERS].uint;
    uint64_t digits = values[DIGITS].uint, least = 0;
    size_t n = words_of(digits);
    while (!is_small(least++, digits))
        ;
    struct state *state = al_allocate_lines(1, sizeof *state);
    *state = (struct state){.workers = al_allocate_lines(workers, sizeof *state->workers),
                            .sum = al_allocate_zeroed(n, sizeof(word)),
                            .n = n,
                            .n_workers = workers,
                            .digits = digits,
                            .least = least > ahead(digits, workers) ? least
                                                                    : ahead(digits, workers),
                            .master = {.state = state, .working = workers}};
    for (uint32_t i = 0; i < workers; i++)
        state->workers[i] = (struct worker){.state = state,
                                            .scratch = al_allocate_lines(1, n * sizeof(word))};
    al_message_init(al_go, &state->go, AL_NODELETE);
    al_message_init(al_done, &state->done, AL_NODELETE);
    return state;
}

static double bytes(const union al_value *values, uint32_t n_workers)
{
    (void)n_workers;
    double size = (double)words_of(values[DIGITS].uint) * sizeof(word);
    return (double)values[WORKERS].uint * (sizeof(struct worker) + (AHEAD + 1) * size);
}

static uint64_t messages(const void *argument)
{
    const struct state *state = argument;
    return 1 + 2 * (state->least + state->n_workers);
}

static uint64_t delivered(const void *argument)
{
    const struct state *state = argument;
    return 1 + 2 * (state->master.given + state->n_workers);
}

static void start(void *argument)
{
    struct state *state = argument;
    for (uint32_t i = 0; i < state->n_workers; i++)
        al_actor_init(worker, &state->workers[i]);
    al_send(master, al_go, al_actor_init(master, &state->master), &state->go);
}

/* to += times arctan(1 / x), or to -= that. power, scratch: as large as to. */
static void add_arctangent(word *to, size_t n, word times, word x, bool negative, word *power,
                           word *scratch)
{
    set(power, n, times);
    divide(power, n, x);
    for (uint32_t i = 0; 4 * i < BITS * n; i++) { /* each power is a 25th of the one before */
        memcpy(scratch, power, n * sizeof(word));
        divide(scratch, n, 2 * i + 1);
        ((i % 2 != 0) != negative ? subtract : add)(to, scratch, n);
        divide(power, n, x * x);
    }
}

static int check(void *argument, struct al_error *error)
{
    const struct state *state = argument;
    size_t n = state->n, alike = 1 + bits_of(state->digits) / BITS;
    word *pi = al_allocate_zeroed(n, sizeof *pi), *power = al_allocate(n * sizeof *power),
         *scratch = al_allocate(n * sizeof *scratch);
    add_arctangent(pi, n, 16, 5, false, power, scratch);
    add_arctangent(pi, n, 4, 239, true, power, scratch);
    subtract(pi, state->sum, n);
    if (pi[0] != 0) { /* negative: take its opposite */
        set(power, n, 0);
        subtract(power, pi, n);
        memcpy(pi, power, n * sizeof(word));
    }
    size_t i = 0;
    while (i < alike && pi[i] == 0)
        i++;
    al_free(pi);
    al_free(power);
    al_free(scratch);
    if (i == alike)
        return 0;
    return al_error_set(error, -EBADMSG, "the sum of %llu terms is pi only to %zu bits, not %llu",
                        (unsigned long long)state->master.came, i > 0 ? (i - 1) * BITS : 0,
                        (unsigned long long)bits_of(state->digits));
}

static void release(void *argument)
{
    struct state *state = argument;
    for (uint32_t i = 0; i < state->n_workers; i++)
        al_free(state->workers[i].scratch);
    al_free(state->workers);
    al_free(state->sum);
    al_free(state);
}

const struct al_benchmark_ops al_benchmark_piprecision = {
    .plugin = {"piprecision", "digits of pi, of which each message computes a term", options},
    .stresses = "a master that gives out work of a microsecond, and adds up large results",
    .more_messages = true,
    .small = "digits=100 actors=4",
    .sim = "digits=3000 actors=96",
    .bytes = bytes,
    .prepare = prepare,
    .messages = messages,
    .delivered = delivered,
    .start = start,
    .check = check,
    .release = release,
};
