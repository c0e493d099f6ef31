/* SPDX-License-Identifier: MIT */
#include "tests/conformance/conformance.h"

#include <string.h>
#include <unistd.h>

#include "benchmarks/harness/measure/stuck.h"
#include "core/engine/engine.h"
#include "core/sync/sync.h"
#include "tests/conformance/repeats.h"
#include "tests/support/tap.h"

#define STEP_LIMIT   20000000
#define STUCK_BYTES  1000
#define SEED_SECONDS 60 /* stops a loop that never returns to the engine */
/* The share of the seeds. Numbers that are as small as possible, with no other option, have shown
 * most mistakes; one worker meets nobody but the starting thread. */
#define SQUEEZED_DIVISOR 2
#define PAIRS_DIVISOR    4
#define ALONE_DIVISOR    10
#define OTHER_DIVISOR    20      /* neither a strategy's own nor with workers that sleep */
#define EVENTS_MOST      1000000 /* kept of each of two runs that differ */

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
/* They are ten times slower, and builds without checks search the interleavings. */
const struct repetition repetition = {"--seeds", 30, 5000, 1, false};
#elif AL_CHECKS
const struct repetition repetition = {"--seeds", 60, 5000, 1, false};
#else
const struct repetition repetition = {"--seeds", 200, 5000, 1, false};
#endif

bool takes_floods(const struct combination *combination)
{
    (void)combination;
    return false;
}

/* How many messages were received, and who waits where: as actorlab says of a simulated run without
 * end. */
static void describe(void *argument)
{
    al_stuck_describe(al_engine, argument, STUCK_BYTES);
}

/* Returns the run's hash. */
static uint64_t run_on(enum al_coroutine_backend backend, void (*function)(void *), struct job *job)
{
    struct al_engine_result result;
    alarm(SEED_SECONDS);
    char stuck[STUCK_BYTES] = "";
    const struct al_engine_watch watch = {.argument = stuck, .ended = describe};
    const struct al_engine_config config = {
        .seed = job->config->seed, .backend = backend, .step_limit = STEP_LIMIT, .watch = &watch};
    al_engine_run(&config, function, job, &result);
    alarm(0);
    CHECK(result.end == AL_ENGINE_DONE, "%s: %s", result.text, stuck);
    return result.hash;
}

void run_job(void (*function)(void *), struct job *job)
{
    run_on(AL_COROUTINE_FASTEST, function, job);
}

static const char *operation_name(int operation)
{
    static const char *const names[] = {
        [AL_SYNC_LOAD] = "load",
        [AL_SYNC_STORE] = "store",
        [AL_SYNC_EXCHANGE] = "exchange",
        [AL_SYNC_CAS] = "compare-and-swap",
        [AL_SYNC_ADD] = "add",
        [AL_SYNC_FENCE] = "fence",
        [AL_SYNC_PAUSE] = "pause",
        [AL_SYNC_YIELD] = "yield",
        [AL_SYNC_SLEEP] = "sleep",
        [AL_SYNC_PARK] = "park",
        [AL_SYNC_UNPARK] = "unpark",
        [AL_SYNC_CLOCK] = "clock",
        [AL_SYNC_START] = "start",
        [AL_SYNC_JOIN] = "join",
        [AL_SYNC_MEMBARRIER] = "membarrier",
        [AL_SYNC_TOUCH] = "touch",
        [AL_SYNC_COMPUTE] = "compute",
        [AL_SYNC_WORK] = "work",
    };
    bool known = operation >= 0 && (size_t)operation < sizeof names / sizeof *names;
    return known && names[operation] != NULL ? names[operation] : "operation";
}

/* Run the seed twice more and say where the two runs part. */
static void show_difference(struct job *job)
{
    struct al_engine_event *events[2];
    struct al_engine_result result[2];
    const struct al_engine_config config = {.seed = job->config->seed, .step_limit = STEP_LIMIT};
    for (int i = 0; i < 2; i++) {
        events[i] = calloc(EVENTS_MOST, sizeof **events);
        CHECK(events[i] != NULL, "no memory");
        al_engine_run_logged(&config, run_scenario, job, &result[i], events[i], EVENTS_MOST);
    }
    uint64_t steps = result[0].steps < result[1].steps ? result[0].steps : result[1].steps;
    uint64_t n = steps < EVENTS_MOST ? steps : EVENTS_MOST, i = 0;
    const struct al_engine_event *a = events[0], *b = events[1];
    while (i < n && a[i].hash == b[i].hash && a[i].task == b[i].task &&
           a[i].operation == b[i].operation)
        i++;
    if (result[0].hash == result[1].hash)
        fprintf(stderr, "# two more runs were alike\n");
    else if (i == n)
        fprintf(stderr, "# the first %llu events are alike\n", (unsigned long long)n);
    else if (i > 0 && a[i].hash != b[i].hash)
        fprintf(
            stderr,
            "# two more runs part at event %llu of %llu: the %s of thread %u gave another value "
            "(thread 0 is the starter)\n",
            (unsigned long long)i, (unsigned long long)result[0].steps,
            operation_name(a[i - 1].operation), a[i - 1].task);
    else
        fprintf(stderr,
                "# two more runs part at event %llu of %llu: a %s of thread %u in one, a %s of "
                "thread %u "
                "in the other (thread 0 is the starter)\n",
                (unsigned long long)i + 1, (unsigned long long)result[0].steps,
                operation_name(a[i].operation), a[i].task, operation_name(b[i].operation),
                b[i].task);
    free(events[0]);
    free(events[1]);
}

static bool same_hash(struct job *job, uint64_t hash, enum al_coroutine_backend backend)
{
    uint64_t again = run_on(backend, run_scenario, job);
    if (again == hash)
        return true;
    fprintf(stderr,
            "# seed %llu gave two hashes: %016llx, then %016llx (backend %d)\n"
            "# Something other than the seed decides what runs: an address (order or hash of "
            "pointers), the host's "
            "clock, rand(), uninitialised memory.\n",
            (unsigned long long)job->config->seed, (unsigned long long)hash,
            (unsigned long long)again, backend);
    show_difference(job);
    fprintf(stderr, "# %s", replay);
    return false;
}

static uint64_t count_seeds(const struct options *options, const struct combination *combination)
{
    if (options->one_seed)
        return 1;
    uint64_t divisor = !combination->own && !combination->sleeps ? OTHER_DIVISOR
                       : combination->plain                      ? 1
                       : combination->config.workers == 1        ? ALONE_DIVISOR
                       : combination->chosen                     ? PAIRS_DIVISOR
                                                                 : SQUEEZED_DIVISOR;
    return (options->n + divisor - 1) / divisor;
}

static bool contains(const uint64_t *hashes, uint64_t n, uint64_t hash)
{
    for (uint64_t k = 0; k < n; k++) {
        if (hashes[k] == hash)
            return true;
    }
    return false;
}

/* Run all seeds; every tenth twice, and the first on both backends. False if one seed gave two
 * hashes, or if too many seeds gave the same. */
bool run_case(const struct options *options, const struct scenario *scenario,
              const struct combination *combination)
{
    uint64_t n = count_seeds(options, combination);
    uint64_t *hashes = malloc(n * sizeof *hashes);
    CHECK(hashes != NULL, "no memory");
    bool good = true;
    uint64_t repeated = 0;
    for (uint64_t i = 0; i < n && good; i++) {
        struct al_config config = nth_config(options, combination, i, "with seed");
        struct job job = {scenario, &config, .large = false};
        hashes[i] = run_on(AL_COROUTINE_FASTEST, run_scenario, &job);
        if (i % 10 == 0)
            good = same_hash(&job, hashes[i], AL_COROUTINE_FASTEST);
        if (i == 0 && good) /* this takes several times as long: two system calls per switch */
            good = same_hash(&job, hashes[i], AL_COROUTINE_UCONTEXT);
        repeated += contains(hashes, i, hashes[i]);
    }
    if (good && too_many_repeats(repeated, n)) {
        fprintf(stderr,
                "# of %llu seeds %llu gave a hash that another had given: they hardly decide who "
                "runs\n",
                (unsigned long long)n, (unsigned long long)repeated);
        good = false;
    }
    if (options->one_seed)
        printf("# seed %llu: hash %016llx\n", (unsigned long long)options->seed,
               (unsigned long long)hashes[0]);
    free(hashes);
    return good;
}
