/* SPDX-License-Identifier: MIT */

/*
 * filterbank: a pipeline that splits into `channels` branches and joins again. A producer asks the
 * source for `values` values, one after another. Each value goes to all branches. A branch consists
 * of a delay, a filter that sums up the last `columns` values with coefficients, a sampler that
 * keeps one value of `columns` and makes the others 0, and again a delay and a filter. An
 * integrator waits for one value of each branch, and sends them on to be added up and counted.
 * Source: Savina (Imam and Sarkar, 2014), "Filter Bank", whose sizes are the defaults; first in
 * StreamIt.
 *
 * As in Savina, a filter sends nothing before it has `columns` values, and then multiplies them in
 * the order in which they lie in its ring, not in which they came. Values are allocated for each
 * send; in Savina some stages pass on what they get.
 *
 * Messages: to producer, source and splitter one for each value, and one more to the producer; of
 * each channel a value to three stages, and as many as its filters let through to the others; two
 * for each sum; and an order to end for each actor, to the integrator from each channel.
 *
 * The answer: what the first filters have sent, by a digest of its sequence, and each sum, which is
 * the one that follows from the first values of the branches, computed without their zeros. (With
 * the default sizes those sums are 0, as in Savina, which checks nothing.)
 */

#include "benchmarks/workloads/savina/filterbank.h"

#include <errno.h>

enum option { VALUES, COLUMNS, CHANNELS, MEMORY };

static const struct al_option options[] = {
    [VALUES] = {"values", AL_OPTION_UINT, "34816", 1, 1e9, NULL, "values of the source"},
    [COLUMNS] = {"columns", AL_OPTION_UINT, "16384", 2, 1e8, NULL, "values that a filter sums up"},
    [CHANNELS] = {"channels", AL_OPTION_UINT, "8", 1, 1e5, NULL, "branches of the pipeline"},
    [MEMORY] = AL_MEMORY_OPTION,
    {0},
};

AL_MESSAGE(next)

static bool has_ring(enum kind kind)
{
    return kind == DELAY || kind == DELAY_AGAIN || kind == FILTER || kind == FILTER_AGAIN;
}

/* Savina's. */
static void fill_coefficients(struct state *state)
{
    double columns = (double)state->columns;
    for (uint32_t j = 0; j < state->channels; j++) {
        for (uint64_t i = 0; i < state->columns; i++) {
            double x = (double)i, y = j;
            state->coefficients[0][j * state->columns + i] = x * columns + y * state->channels + y +
                                                             x + y + 1;
            state->coefficients[1][j * state->columns + i] = x * y + y * y + y + x;
        }
    }
}

/* How many values the first filter, or both, let through. */
static uint64_t let_through(const struct state *state, uint64_t filters)
{
    uint64_t lost = filters * (state->columns - 1);
    return state->values > lost ? state->values - lost : 0;
}

static void *prepare(const union al_value *values, uint64_t seed)
{
    (void)seed;
    uint32_t channels = (uint32_t)values[CHANNELS].uint;
    uint64_t columns = values[COLUMNS].uint;
    struct state *state = al_allocate_lines(1, sizeof *state);
    *state = (struct state){
        .stages = al_allocate_lines((size_t)channels * STAGES, sizeof *state->stages),
        .coefficients = {al_allocate(channels * columns * sizeof(double)),
                         al_allocate(channels * columns * sizeof(double))},
        .values = values[VALUES].uint,
        .columns = columns,
        .channels = channels,
        .producer = {.state = state, .left = values[VALUES].uint},
        .source.state = state,
        .splitter.state = state,
        .integrator = {.state = state,
                       .working = channels,
                       .empty = channels,
                       .waiting = al_allocate_zeroed(channels, sizeof(struct al_fifo))},
        .combiner.state = state,
    };
    fill_coefficients(state);
    state->sink.sums = al_allocate_zeroed(let_through(state, 2) + 1, sizeof(double));
    for (uint32_t i = 0; i < channels; i++) {
        for (enum kind kind = BANK; kind < STAGES; kind++) {
            uint64_t n = kind == DELAY || kind == DELAY_AGAIN ? columns - 1 : columns;
            branch(state, i)[kind] = (struct stage){
                .state = state,
                .kind = kind,
                .channel = i,
                .ring = has_ring(kind) ? al_allocate_zeroed(n, sizeof(double)) : NULL,
                .n = n,
            };
        }
    }
    al_message_init(al_go, &state->go, AL_NODELETE);
    al_message_init(al_done, &state->done, AL_NODELETE);
    al_message_init(next, &state->next, AL_NODELETE);
    return state;
}

static double bytes(const union al_value *values, uint32_t n_workers)
{
    (void)n_workers;
    double channels = (double)values[CHANNELS].uint;
    return channels * (6.0 * (double)values[COLUMNS].uint * sizeof(double) +
                       STAGES * sizeof(struct stage)) +
           (double)values[VALUES].uint * (sizeof(double) + channels * sizeof(struct value));
}

static uint64_t messages(const void *argument)
{
    const struct state *state = argument;
    uint64_t values = state->values, once = let_through(state, 1), twice = let_through(state, 2);
    uint64_t orders = 4 + (uint64_t)state->channels * (STAGES + 1);
    return 3 * values + 1 + state->channels * (3 * values + 3 * once + 2 * twice) + 2 * twice +
           orders;
}

/* The first filter of a channel, whose sums are computed again one after another. */
struct filter {
    const double *coefficients;
    uint64_t columns, next; /* input */
    double *ring, sum;
    bool exact; /* a double holds all sums, which are whole numbers, so that any order will do */
};

static struct filter first_filter(const struct state *state, uint32_t channel)
{
    struct filter filter = {
        .coefficients = coefficients_of(state, 0, channel),
        .columns = state->columns,
        .ring = al_allocate_zeroed(state->columns, sizeof(double)),
    };
    double largest = 0;
    for (uint64_t i = 0; i < filter.columns; i++)
        largest += filter.coefficients[i] * (SOURCE_VALUES - 1);
    filter.exact = largest < 0x1p53;
    return filter;
}

/* A value changes the sum by its difference to the one that it replaces; or else all is added up
 * again, as the actor does. */
static double next_sum(struct filter *filter)
{
    uint64_t columns = filter->columns, at = filter->next % columns, delay = columns - 1;
    double value = filter->next >= delay ? source_value(filter->next - delay) : 0;
    double before = filter->ring[at];
    filter->ring[at] = value;
    filter->next++;
    if (filter->exact)
        filter->sum += (value - before) * filter->coefficients[columns - at - 1];
    else if (filter->next >= columns)
        filter->sum = al_filterbank_sum(filter->ring, filter->coefficients, columns);
    return filter->sum;
}

/*
 * The digest of what the first filter of a channel sends. Adds to samples[i] what this channel adds
 * to the sums from i * columns on: the sampler makes all but one of `columns` values 0, which the
 * second delay moves to the last place of the second filter's ring, and that multiplies the last
 * sample by its first coefficient.
 */
static uint64_t compute_again(const struct state *state, uint32_t channel, double *samples)
{
    struct filter filter = first_filter(state, channel);
    uint64_t n = let_through(state, 1), sums = let_through(state, 2), digest = 0;
    while (filter.next + 1 < filter.columns)
        next_sum(&filter);
    for (uint64_t i = 0; i < n; i++) {
        double sum = next_sum(&filter);
        digest = digest_with(digest, sum);
        if (i % state->columns == 0 && i < sums)
            samples[i / state->columns] += sum * coefficients_of(state, 1, channel)[0];
    }
    al_free(filter.ring);
    return digest;
}

static int check_sums(const struct state *state, const double *samples, struct al_error *error)
{
    uint64_t sums = let_through(state, 2);
    if (state->sink.n != sums)
        return al_error_set(error, -EBADMSG, "%llu sums, not %llu",
                            (unsigned long long)state->sink.n, (unsigned long long)sums);
    for (uint64_t i = 0; i < sums; i++) {
        if (state->sink.sums[i] != samples[i / state->columns])
            return al_error_set(error, -EBADMSG, "sum %llu is %.17g, not %.17g",
                                (unsigned long long)i, state->sink.sums[i],
                                samples[i / state->columns]);
    }
    return 0;
}

static int check(void *argument, struct al_error *error)
{
    const struct state *state = argument;
    uint64_t n_samples = let_through(state, 2) / state->columns + 1;
    double *samples = al_allocate_zeroed(n_samples, sizeof *samples);
    int code = 0;
    for (uint32_t i = 0; i < state->channels && code == 0; i++) {
        if (branch(state, i)[SAMPLER].digest != compute_again(state, i, samples))
            code = al_error_set(error, -EBADMSG,
                                "the first filter of channel %u has sent other values, or in "
                                "another order",
                                i);
    }
    if (code == 0)
        code = check_sums(state, samples, error);
    al_free(samples);
    return code;
}

static void release(void *argument)
{
    struct state *state = argument;
    for (uint32_t i = 0; i < state->channels * STAGES; i++)
        al_free(state->stages[i].ring);
    for (uint32_t i = 0; i < state->channels; i++)
        al_fifo_free(&state->integrator.waiting[i]);
    al_free(state->integrator.waiting);
    al_free(state->stages);
    al_free(state->coefficients[0]);
    al_free(state->coefficients[1]);
    al_free(state->sink.sums);
    al_free(state);
}

const struct al_benchmark_ops al_benchmark_filterbank = {
    .plugin = {"filterbank", "a pipeline with branches, whose filters compute", options},
    .stresses = "pipelines side by side, of stages that differ in cost a thousandfold",
    .small = "values=200 columns=32 channels=3",
    .sim = "values=400 columns=100 channels=48",
    .bytes = bytes,
    .prepare = prepare,
    .messages = messages,
    .start = al_filterbank_start,
    .check = check,
    .release = release,
};
