/* SPDX-License-Identifier: MIT */

/*
 * The conformance suite: every scenario on every strategy × victim heuristic × idle policy × kind of deque, and,
 * with the strategy's own heuristic and its own policy or one that sleeps, on every choice of each of its options. Built
 * three times: on threads, on threads that now and then sleep in race windows (AL_JITTER), and on the
 * virtual engine (AL_VIRTUAL), where each case runs with many seeds.
 *
 *     conformance [--case TEXT] [--seed N] [--seeds N] [--rounds N]
 *
 * --case runs the cases whose name contains TEXT; --seed one seed alone; --seeds the first N, of which
 * combinations with another heuristic or policy take a twentieth, unless it is one that sleeps; on threads what is not a
 * strategy's own runs one small round. AL_TEST_SUBSET=1 leaves it out.
 */

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "core/registry.h"
#include "core/topology.h"
#include "tests/scenarios.h"
#include "tests/tap.h"

#ifdef AL_VIRTUAL
#include "core/engine/coroutine.h"
#define STEP_LIMIT   20000000
#define SEED_SECONDS 60 /* for a loop that never comes back to the engine */
/* Of the seeds, what combinations take that are neither a strategy's own nor sleep. */
#define SEEDS_DIVISOR 20
#endif
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define SEEDS  60 /* ten times slower; interleavings are what the other builds look for */
#define ROUNDS 1
#else
#define SEEDS  200
#define ROUNDS 3
#endif

#define SETTINGS_MOST 8

struct options {
    const char *program, *filter;
    bool one_seed, subset;
    uint64_t seed, seeds, rounds;
};

/* One case: a strategy with all that can be chosen about it. */
struct combination {
    struct al_config config;
    struct al_setting settings[SETTINGS_MOST];
    size_t n_settings;
    bool own;    /* the heuristic and the policy are the strategy's own */
    bool sleeps; /* the heuristic is, and workers sleep until they are woken */
    char name[256];
};

/* What a crash or an abort is to be reported as; read by the signal handler. */
static char replay[1024];

static void on_signal(int signal_number)
{
    /* Only what may be called in a handler. */
    if (write(STDERR_FILENO, replay, strlen(replay)) < 0)
        _exit(3);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static void catch_signals(void)
{
    const int signals[] = {SIGABRT, SIGALRM, SIGSEGV, SIGBUS, SIGFPE, SIGILL};
    /* A stack of its own: the failing one may be the problem. */
    static char stack[65536];
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &(struct sigaction){.sa_handler = on_signal, .sa_flags = SA_ONSTACK},
                  NULL);
}

#ifdef AL_VIRTUAL

struct job {
    const struct scenario *scenario;
    const struct al_config *config;
};

static void run_job(void *argument)
{
    struct job *job = argument;
    job->scenario->run(job->config, false);
}

static uint64_t run_seed(const struct options *options, const struct scenario *scenario,
                         const struct combination *combination, uint64_t seed,
                         enum al_coroutine_backend backend)
{
    struct al_config config = combination->config;
    config.seed = seed;
    struct job job = {scenario, &config};
    snprintf(replay, sizeof replay, "failed with seed %llu; replay: %s --case '%s' --seed %llu\n",
             (unsigned long long)seed, options->program, combination->name,
             (unsigned long long)seed);
    struct al_engine_result result;
    alarm(SEED_SECONDS);
    al_engine_run(
        &(struct al_engine_config){.seed = seed, .backend = backend, .step_limit = STEP_LIMIT},
        run_job, &job, &result);
    alarm(0);
    return result.hash;
}

/* All seeds; every tenth twice and on both backends. False if one seed gave two hashes, or seeds do not differ. */
static bool run_case(const struct options *options, const struct scenario *scenario,
                     const struct combination *combination)
{
    uint64_t first = options->one_seed ? options->seed : 0;
    uint64_t seeds = combination->own || combination->sleeps
                         ? options->seeds
                         : (options->seeds + SEEDS_DIVISOR - 1) / SEEDS_DIVISOR;
    uint64_t n = options->one_seed ? 1 : seeds;
    uint64_t *hashes = malloc(n * sizeof *hashes);
    CHECK(hashes != NULL, "no memory");
    bool good = true;
    uint64_t repeated = 0;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t seed = first + i;
        hashes[i] = run_seed(options, scenario, combination, seed, AL_COROUTINE_FASTEST);
        if (i % 10 == 0) {
            for (int backend = AL_COROUTINE_FASTEST; backend <= AL_COROUTINE_UCONTEXT; backend++) {
                uint64_t again = run_seed(options, scenario, combination, seed,
                                          (enum al_coroutine_backend)backend);
                if (again != hashes[i]) {
                    printf("# seed %llu gave two hashes: %016llx and %016llx (backend %d)\n",
                           (unsigned long long)seed, (unsigned long long)hashes[i],
                           (unsigned long long)again, backend);
                    printf("# %s", replay);
                    good = false;
                }
            }
        }
        for (uint64_t k = 0; k < i; k++) {
            if (hashes[k] == hashes[i]) {
                repeated++;
                break;
            }
        }
    }
    /* A run of few choices may come twice in thousands. */
    if (repeated * 100 > n) {
        printf("# of %llu seeds %llu gave a hash that another had given\n", (unsigned long long)n,
               (unsigned long long)repeated);
        good = false;
    }
    if (options->one_seed)
        printf("# seed %llu: hash %016llx\n", (unsigned long long)first,
               (unsigned long long)hashes[0]);
    free(hashes);
    return good;
}

#else

static bool run_case(const struct options *options, const struct scenario *scenario,
                     const struct combination *combination)
{
    uint64_t first = options->one_seed ? options->seed : 0;
    uint64_t n = options->one_seed || !combination->own ? 1 : options->rounds;
    for (uint64_t seed = first; seed < first + n; seed++) {
        struct al_config config = combination->config;
        config.seed = seed;
        snprintf(replay, sizeof replay, "failed in case '%s', round %llu\n", combination->name,
                 (unsigned long long)seed);
        scenario->run(&config, combination->own);
    }
    return true;
}

#endif

static void run_combination(struct tap *tap, const struct options *options,
                            struct combination *combination)
{
    size_t length = strlen(combination->name);
    combination->config.settings = combination->settings;
    combination->config.n_settings = combination->n_settings;
    for (const struct scenario *scenario = scenarios; scenario->name != NULL; scenario++) {
        snprintf(combination->name + length, sizeof combination->name - length, " %s",
                 scenario->name);
        if (options->filter == NULL || strstr(combination->name, options->filter) != NULL)
            tap_ok(tap, run_case(options, scenario, combination), "%s", combination->name);
    }
    combination->name[length] = '\0';
}

static void add_setting(struct combination *combination, const char *key, const char *value)
{
    CHECK(combination->n_settings < SETTINGS_MOST, "too many settings");
    combination->settings[combination->n_settings++] = (struct al_setting){key, value};
}

static void name_setting(struct combination *combination, const char *key, const char *value)
{
    size_t length = strlen(combination->name);
    snprintf(combination->name + length, sizeof combination->name - length, " %s=%s", key, value);
}

/* Those of the settings that the plug-in knows. */
static void add_known(struct combination *combination, const struct al_plugin *plugin,
                      const struct al_setting *settings, size_t n)
{
    size_t index;
    for (size_t i = 0; i < n; i++) {
        if (al_option_matches(plugin, settings[i].key, &index))
            add_setting(combination, settings[i].key, settings[i].value);
    }
}

/* Sleeps that a test can wait for, and few looks before them. */
static void shorten_sleeps(struct combination *combination)
{
    static const struct al_setting shorter[] = {
        {"aggressive_attempts", "30"}, {"moderate_attempts", "20"}, {"relaxed_sleep", "200"},
        {"backoff_sleep", "100"},      {"park_spin", "3"},
    };
    add_known(combination, al_plugin_find(al_idles, "idle policy", combination->config.idle, NULL),
              shorter, sizeof shorter / sizeof *shorter);
}

/* The plain combination with each choice of an option, but for the default. */
static void run_choices(struct tap *tap, const struct options *options,
                        const struct combination *plain, const struct al_option *option)
{
    for (size_t k = 0; option->choices[k] != NULL; k++) {
        if (strcmp(option->choices[k], option->standard) == 0)
            continue;
        struct combination combination = *plain;
        add_setting(&combination, option->name, option->choices[k]);
        name_setting(&combination, option->name, option->choices[k]);
        run_combination(tap, options, &combination);
    }
}

/*
 * As it comes, and with each kind of deque. If heuristic and policy are the strategy's own: squeezed too, to
 * make collisions likely, and each choice of each option, squeezed.
 */
static void run_options(struct tap *tap, const struct options *options, struct combination *plain)
{
    const struct al_plugin *plugin = al_plugin_find(al_schedulers, "scheduler",
                                                    plain->config.scheduler, NULL);
    shorten_sleeps(plain);
    struct combination combination = *plain;
    run_combination(tap, options, &combination);

    static const struct al_setting squeeze[] = {
        {"shards", "2"}, {"capacity", "1"}, {"steal_after", "1"}, {"max_throughput", "1"}};
    struct combination squeezed = *plain;
    add_known(&squeezed, plugin, squeeze, sizeof squeeze / sizeof *squeeze);
    if (plain->own) {
        combination = squeezed;
        name_setting(&combination, "squeezed", "yes");
        run_combination(tap, options, &combination);
    }
    size_t n = al_options_count(plugin);
    for (size_t i = 0; i < n; i++) {
        const struct al_option *option = &plugin->options[i];
        bool each = plain->own || plain->sleeps;
        if (option->type == AL_OPTION_ENUM && (each || strcmp(option->name, "deque") == 0))
            run_choices(tap, options, each ? &squeezed : plain, option);
    }
}

/* Whether the strategy takes the heuristic and the policy. */
static bool possible(const struct al_scheduler_ops *ops, const struct al_victim_ops *victim,
                     const struct al_idle_ops *idle)
{
    bool own_sleep = idle->wait == NULL;
    return (ops->steals || victim->pick == NULL) &&
           !(own_sleep && ops->sleeps == AL_SLEEPS_BY_POLICY) &&
           !(!own_sleep && ops->sleeps == AL_SLEEPS_OWN);
}

static void run_strategy(struct tap *tap, const struct options *options,
                         const struct al_topology *topology, const struct al_plugin *scheduler,
                         uint32_t workers)
{
    const struct al_scheduler_ops *ops = AL_OPS(scheduler, al_scheduler_ops);
    for (size_t v = 0; al_victims[v] != NULL; v++) {
        for (size_t i = 0; al_idles[i] != NULL; i++) {
            bool own_victim = strcmp(al_victims[v]->name, ops->victim) == 0;
            bool own = own_victim && strcmp(al_idles[i]->name, ops->idle) == 0;
            if (!possible(ops, AL_OPS(al_victims[v], al_victim_ops),
                          AL_OPS(al_idles[i], al_idle_ops)) ||
                (options->subset && !own))
                continue;
            struct combination combination = {
                .config =
                    {
                        .scheduler = scheduler->name,
                        .victim = al_victims[v]->name,
                        .idle = al_idles[i]->name,
                        .workers = workers,
                        .oversubscribe = true,
                        .pin = "none",
                        .topology = topology,
                    },
                .own = own,
                .sleeps = own_victim && AL_OPS(al_idles[i], al_idle_ops)->wake != NULL,
            };
            snprintf(combination.name, sizeof combination.name, "%s/%s/%s workers=%u",
                     scheduler->name, al_victims[v]->name, al_idles[i]->name, workers);
            run_options(tap, options, &combination);
        }
    }
}

static void run_registry(struct tap *tap, const struct options *options,
                         const struct al_topology *topology)
{
#ifdef AL_VIRTUAL
    static const uint32_t workers[] = {1, 4};
#else
    static const uint32_t workers[] = {2, 8};
#endif
    for (size_t s = 0; al_schedulers[s] != NULL; s++) {
        for (size_t w = 0; w < sizeof workers / sizeof *workers; w++)
            run_strategy(tap, options, topology, al_schedulers[s], workers[w]);
    }
}

int main(int argc, char **argv)
{
    struct options options = {.program = argv[0], .seeds = SEEDS, .rounds = ROUNDS};
    const char *deep = getenv("AL_TEST_DEEP");
    if (deep != NULL && strcmp(deep, "1") == 0)
        options.seeds = 5000, options.rounds = 100;
    const char *subset = getenv("AL_TEST_SUBSET");
    options.subset = subset != NULL && strcmp(subset, "1") == 0;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--case") == 0)
            options.filter = argv[i + 1];
        else if (strcmp(argv[i], "--seed") == 0)
            options.one_seed = true, options.seed = strtoull(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--seeds") == 0)
            options.seeds = strtoull(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--rounds") == 0)
            options.rounds = strtoull(argv[i + 1], NULL, 10);
    }
    catch_signals();
    struct al_topology *topology;
    struct al_error error;
    if (al_topology_load("node:2 l3:2 core:2 pu:1", &topology, &error) != 0) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    struct tap tap = {0};
    run_registry(&tap, &options, topology);
    al_topology_free(topology);
    return tap_done(&tap);
}
