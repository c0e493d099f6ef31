/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/measure/calibration.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/statistics/quantiles.h"
#include "benchmarks/harness/text/json.h"

/* A range is from the 10th to the 90th percentile of what was measured. */
#define RANGE 0.1

/* Below so many locked instructions, a hand-off is that of an uncontended line. */
#define NEAR 3

/* Without values of their own: what is known of other machines. */
struct estimate {
    enum al_model_key key;
    double value, low, high;
    const char *source;
};

static const struct estimate estimates[] = {
    {AL_MODEL_ACCESS, 0, 0, 0.1, "its instructions are counted"},
    {AL_MODEL_INSTRUCTION, 0.05, 0.03, 0.2, "fitted below"},
    {AL_MODEL_READ, 100, 50, 120, "a load takes as long as a compare-and-swap"},
    {AL_MODEL_INVALIDATE, 100, 50, 120, "an upgrade takes as long as a hand-off"},
    {AL_MODEL_STREAM, 30, 15, 60, "hardware prefetchers of servers"},
    {AL_MODEL_OVERLAP, 100, 50, 100, "most misses depend on one another"},
    {AL_MODEL_STORE_BUFFER, 56, 32, 112, "x86-64 servers of 2014 to 2024"},
    {AL_MODEL_SMT, 60, 50, 75, "speed of one of two busy siblings on x86-64 servers"},
    {AL_MODEL_CORES_ALL, 85, 55, 100, "base and turbo frequencies of x86-64 servers"},
    {AL_MODEL_MEMORY_BANDWIDTH, 0, 0, 0, "its cores reach no limit"},
    {AL_MODEL_LINE_BUSY, 5, 2, 20, "a directory serves a read in some ten cycles"},
    {AL_MODEL_LINE_KEPT, 25, 0, 50, "nothing on Intel's cores, half of a hand-off on AMD's"},
    {AL_MODEL_WAKE, 2000, 1000, 5000, "a futex on Linux"},
    {AL_MODEL_WAKE_LATENCY, 5000, 2000, 50000, "a futex on Linux"},
    {AL_MODEL_IDLE_POLL, 6e5, 1e4, 1e6, "Linux enters deep sleep states after such times"},
    {AL_MODEL_WAKE_HALTED, 2000, 1000, 10000, "a futex on Linux"},
    {AL_MODEL_WAKE_HALTED_LATENCY, 50000, 5000, 200000, "a futex on Linux"},
    {AL_MODEL_SLICE, 3e6, 1e6, 1e7, "the slice of Linux"},
    {AL_MODEL_SWITCH, 1000, 500, 3000, "Linux"},
    {AL_MODEL_PARK, 1000, 500, 3000, "Linux"},
    {AL_MODEL_MALLOC_FLUSH, 10, 5, 50, "jemalloc"},
    {AL_MODEL_HANDOFF_AWAY, 50, 0, 150, "no pair of PUs to measure it with"},
};

int al_calibration_new(struct al_calibration *calibration, const struct al_topology *topology,
                       size_t repeats, struct al_error *error)
{
    *calibration = (struct al_calibration){
        .calibrator = {.topology = topology, .repeats = repeats},
    };
    struct al_model sizes = {.topology = topology}; /* for nothing but the caches' sizes */
    struct al_machine *machine = al_needed(al_machine_new(&sizes));
    calibration->calibrator.l1 = machine->l1.sets * machine->l1.ways;
    calibration->calibrator.l2 = machine->l2.sets * machine->l2.ways;
    calibration->calibrator.l3 = machine->l3.sets * machine->l3.ways;
    al_machine_free(machine);
    return al_calibration_plan(calibration, error);
}

void al_calibration_free(struct al_calibration *calibration)
{
    for (size_t key = 0; key < AL_MODEL_KEYS; key++)
        free(calibration->values[key].source);
    free(calibration->pus);
}

/* What one PU does alone, in its own caches. */
static const bool is_alone[AL_MODEL_KEYS] = {
    [AL_MODEL_L1_HIT] = true,       [AL_MODEL_L2_HIT] = true,       [AL_MODEL_L3_HIT] = true,
    [AL_MODEL_LOCKED] = true,       [AL_MODEL_FENCE] = true,        [AL_MODEL_PAUSE] = true,
    [AL_MODEL_YIELD] = true,        [AL_MODEL_CLOCK] = true,        [AL_MODEL_COUNTER] = true,
    [AL_MODEL_PARK] = true,         [AL_MODEL_WAKE_NOBODY] = true,  [AL_MODEL_SWITCH] = true,
    [AL_MODEL_THREAD_START] = true, [AL_MODEL_MALLOC] = true,       [AL_MODEL_FREE] = true,
    [AL_MODEL_PAGE_FAULT] = true,   [AL_MODEL_PARK_REFUSED] = true,
};

/* Besides one for each pair: at most so many. */
enum { STEPS = 15 };

/* The run so far. */
struct steps {
    struct al_calibration *calibration;
    size_t step, n;
    int code;
};

/* Begin a step, unless an earlier one failed. */
__attribute__((format(printf, 2, 3))) static bool begin(struct steps *steps, const char *format,
                                                        ...)
{
    char what[80];
    va_list arguments;
    if (steps->code != 0)
        return false;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    if (steps->calibration->progress != NULL)
        steps->calibration->progress(steps->calibration->argument, steps->step, steps->n, what);
    steps->step++;
    return true;
}

static void run_alone(struct steps *steps)
{
    struct al_calibrator *calibrator = &steps->calibration->calibrator;
    unsigned pu = steps->calibration->pus[0];
    if (begin(steps, "instructions and system calls"))
        steps->code = al_calibrate_instructions(calibrator, pu);
    if (begin(steps, "caches"))
        steps->code = al_calibrate_caches(calibrator, pu);
    if (begin(steps, "threads"))
        steps->code = al_calibrate_threads(calibrator, pu);
}

static const enum al_model_key memories[] = {AL_MODEL_MEMORY_NODE, AL_MODEL_MEMORY_PACKAGE,
                                             AL_MODEL_MEMORY_MACHINE};
#define N_MEMORIES (sizeof memories / sizeof *memories)

static void run_memories(struct steps *steps)
{
    struct al_calibration *calibration = steps->calibration;
    for (size_t i = 0; i < N_MEMORIES; i++) {
        unsigned pu, home;
        if (!calibration->needs[memories[i]] ||
            !al_calibration_memory_pair(calibration, memories[i], &pu, &home))
            continue;
        if (begin(steps, "%s", al_model_parameters[memories[i]].name))
            steps->code = al_calibrate_memories(&calibration->calibrator, pu, home,
                                                &calibration->calibrator.samples[memories[i]]);
    }
}

static void run_pairs(struct steps *steps)
{
    struct al_calibrator *calibrator = &steps->calibration->calibrator;
    for (size_t i = 0; i < steps->calibration->n_pairs; i++) {
        struct al_calibration_pair *pair = &steps->calibration->pairs[i];
        unsigned pu = pair->pu, other = pair->other;
        if (!begin(steps, "lines between PUs %u and %u", pu, other))
            return;
        steps->code = al_calibrate_handoff(calibrator, pu, other, pu, true, &pair->handoff);
        if (steps->code == 0)
            steps->code = al_calibrate_handoff(calibrator, pu, other, pu, false, &pair->exchange);
        if (steps->code == 0)
            steps->code = al_calibrate_lines(calibrator, pu, other, pair->passes);
    }
}

/* The hand-offs of a pair whose line is at home elsewhere, beyond those at home. */
static void run_away(struct steps *steps)
{
    struct al_calibrator *calibrator = &steps->calibration->calibrator;
    struct al_samples *away = &calibrator->samples[AL_MODEL_HANDOFF_AWAY], own = {.n = 0};
    unsigned pu, other, home;
    if (!steps->calibration->needs[AL_MODEL_HANDOFF_AWAY] ||
        !al_calibration_away(steps->calibration, &pu, &other, &home) ||
        !begin(steps, "lines between PUs %u and %u that are at home at %u", pu, other, home))
        return;
    steps->code = al_calibrate_handoff(calibrator, pu, other, home, true, away);
    if (steps->code == 0)
        steps->code = al_calibrate_handoff(calibrator, pu, other, pu, true, &own);
    double own_ns = al_samples_median(&own);
    for (size_t i = 0; i < away->n; i++)
        away->values[i] = fmax(0, away->values[i] - own_ns);
}

/* What needs more than two PUs, or two of one core. */
static void run_crowds(struct steps *steps)
{
    struct al_calibration *calibration = steps->calibration;
    struct al_calibrator *calibrator = &calibration->calibrator;
    const struct al_calibration_pair *far = al_calibration_between_cores(calibration, true);
    unsigned pus[AL_READERS_MOST + 1];
    size_t n = al_calibration_sharers(calibration, pus, AL_READERS_MOST + 1);
    if (n > AL_READERS_LEAST && begin(steps, "readers of one line"))
        steps->code = al_calibrate_readers(calibrator, pus[0], pus + 1, n - 1);
    if (far != NULL && begin(steps, "a wanted line"))
        steps->code = al_calibrate_kept(calibrator, far->pu, far->other,
                                        al_samples_median(&far->handoff));
    if (far != NULL && begin(steps, "the store buffer"))
        steps->code = al_calibrate_stores(calibrator, far->pu, far->other,
                                          al_samples_median(&far->handoff));
    for (size_t i = 0; i < calibration->n_pairs; i++) {
        const struct al_calibration_pair *pair = &calibration->pairs[i];
        if (pair->class != AL_MODEL_HANDOFF_CORE)
            continue;
        if (begin(steps, "two busy PUs of a core"))
            steps->code = al_calibrate_beside(calibrator, (unsigned[]){pair->pu, pair->other}, 2,
                                              &calibrator->samples[AL_MODEL_SMT]);
        return;
    }
}

/* What all cores share. */
static void run_all_cores(struct steps *steps)
{
    struct al_calibration *calibration = steps->calibration;
    struct al_calibrator *calibrator = &calibration->calibrator;
    unsigned *pus = al_needed(calloc(calibration->n_pus, sizeof *pus));
    size_t n = al_calibration_cores(calibration, false, pus);
    if (n > 1 && begin(steps, "all cores of a package"))
        steps->code = al_calibrate_beside(calibrator, pus, n,
                                          &calibrator->samples[AL_MODEL_CORES_ALL]);
    n = al_calibration_cores(calibration, true, pus);
    if (n > 1 && begin(steps, "the memory of a node"))
        steps->code = al_calibrate_bandwidth(calibrator, pus, n);
    free(pus);
}

static void run_neighbours(struct steps *steps)
{
    const struct al_calibration_pair *pair = al_calibration_between_cores(steps->calibration,
                                                                          false);
    struct al_calibrator *calibrator = &steps->calibration->calibrator;
    unsigned pu = steps->calibration->pus[0];
    if (begin(steps, "malloc and free"))
        steps->code = al_calibrate_allocator(calibrator, pu, pair != NULL ? pair->other : pu);
    if (pair != NULL && begin(steps, "waking threads"))
        steps->code = al_calibrate_wake(calibrator, pair->pu, pair->other);
}

int al_calibration_check(int code, struct al_error *error)
{
    if (code == -EPERM)
        return al_error_set(error, code, "cannot bind threads to single PUs here");
    return code == 0 ? 0 : al_error_set(error, code, "cannot measure: %s", strerror(-code));
}

int al_calibration_run(struct al_calibration *calibration, struct al_error *error)
{
    struct steps steps = {.calibration = calibration, .n = STEPS + calibration->n_pairs};
    run_alone(&steps);
    run_memories(&steps);
    run_pairs(&steps);
    run_away(&steps);
    run_neighbours(&steps);
    run_crowds(&steps);
    run_all_cores(&steps);
    al_calibrator_release(&calibration->calibrator);
    return al_calibration_check(steps.code, error);
}

void al_calibration_set(struct al_calibration *calibration, enum al_model_key key, double value,
                        double low, double high, enum al_model_quality quality, const char *source)
{
    const struct al_model_parameter *parameter = &al_model_parameters[key];
    struct al_model_value *to = &calibration->values[key];
    value = fmin(fmax(value, parameter->least), parameter->most);
    low = fmin(fmax(low, parameter->least), value);
    high = fmax(fmin(high, parameter->most), value);
    free(to->source);
    *to = (struct al_model_value){.value = value,
                                  .low = low,
                                  .high = high,
                                  .quality = quality,
                                  .source = al_needed(strdup(source))};
}

/* Add one of every `stride` values. */
static void collect(struct al_samples *to, const struct al_samples *from, double factor,
                    size_t stride)
{
    for (size_t i = 0; i < from->n; i += stride)
        al_samples_add(to, from->values[i] * factor);
}

void al_calibration_pool(struct al_calibration *to, const struct al_calibration *from)
{
    for (size_t key = 0; key < AL_MODEL_KEYS; key++)
        collect(&to->calibrator.samples[key], &from->calibrator.samples[key], 1, 1);
    for (size_t i = 0; i < to->n_pairs; i++) {
        struct al_calibration_pair *pair = &to->pairs[i];
        collect(&pair->handoff, &from->pairs[i].handoff, 1, 1);
        collect(&pair->exchange, &from->pairs[i].exchange, 1, 1);
        for (size_t pass = 0; pass < AL_PASSES; pass++)
            collect(&pair->passes[pass], &from->pairs[i].passes[pass], 1, 1);
    }
}

/* Which values to take, so that those of all pairs find a place. */
static size_t stride_of(const struct al_calibration *calibration)
{
    size_t most = 0;
    for (size_t i = 0; i < calibration->n_pairs; i++) {
        const struct al_calibration_pair *pair = &calibration->pairs[i];
        most = pair->handoff.n > most ? pair->handoff.n : most;
        for (size_t pass = 0; pass < AL_PASSES; pass++)
            most = pair->passes[pass].n > most ? pair->passes[pass].n : most;
    }
    return most * calibration->n_pairs / AL_SAMPLES_MOST + 1;
}

/* A pass costs a share of what it takes to hand the line over; `overlap` one of what a dependent
 * load takes. */
static void collect_shares(struct al_calibration *calibration)
{
    struct al_samples *samples = calibration->calibrator.samples;
    size_t stride = stride_of(calibration);
    double locked_ns = al_samples_median(&samples[AL_MODEL_LOCKED]);
    for (size_t i = 0; i < calibration->n_pairs; i++) {
        const struct al_calibration_pair *pair = &calibration->pairs[i];
        double handoff_ns = al_samples_median(&pair->handoff),
               alone_ns = al_samples_median(&pair->passes[AL_PASS_DEPENDENT]);
        /* The ball of a near pair waits for the instructions, not for its line. */
        bool near = handoff_ns < NEAR * locked_ns;
        if (calibration->needs[pair->class])
            collect(&samples[pair->class], near ? &pair->passes[AL_PASS_TAKE] : &pair->handoff, 1,
                    stride);
        if (pair->class == AL_MODEL_HANDOFF_CORE || !(handoff_ns > 0) || !(alone_ns > 0))
            continue; /* the PUs of a core share their L1 */
        double share = 100 / handoff_ns, of_alone = 100 / alone_ns;
        collect(&samples[AL_MODEL_READ], &pair->passes[AL_PASS_DEPENDENT], share, stride);
        collect(&samples[AL_MODEL_INVALIDATE], &pair->passes[AL_PASS_UPDATE], share, stride);
        collect(&samples[AL_MODEL_OVERLAP], &pair->passes[AL_PASS_INDEPENDENT], of_alone, stride);
        collect(&samples[AL_MODEL_STREAM], &pair->passes[AL_PASS_SEQUENTIAL], of_alone, stride);
    }
}

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

void al_calibration_conclude(struct al_calibration *calibration, const char *source)
{
    for (size_t i = 0; i < sizeof estimates / sizeof *estimates; i++) {
        const struct estimate *estimate = &estimates[i];
        al_calibration_set(calibration, estimate->key, estimate->value, estimate->low,
                           estimate->high, AL_MODEL_ESTIMATED, estimate->source);
    }
    collect_shares(calibration);
    for (size_t key = 0; key < AL_MODEL_KEYS; key++) {
        struct al_samples *samples = &calibration->calibrator.samples[key];
        if (samples->n == 0)
            continue;
        qsort(samples->values, samples->n, sizeof *samples->values, compare);
        al_calibration_set(
            calibration, (enum al_model_key)key,
            al_quantile(samples->values, samples->n, is_alone[key] ? AL_CALIBRATION_ALONE : 0.5),
            al_quantile(samples->values, samples->n, RANGE),
            al_quantile(samples->values, samples->n, 1 - RANGE), AL_MODEL_MEASURED, source);
    }
}
