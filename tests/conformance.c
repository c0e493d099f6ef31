/* SPDX-License-Identifier: MIT */

/*
 * The conformance suite: every scenario on every strategy × victim heuristic × idle policy in the
 * registry, and on every choice of each strategy's options. Built three times: on threads, on
 * threads that now and then sleep in race windows (AL_JITTER), and on the virtual engine
 * (AL_VIRTUAL), where each case runs with many seeds.
 *
 *     conformance [--case TEXT] [--seed N] [--seeds N] [--rounds N]
 *
 * --case runs the cases whose name contains TEXT; --seed one seed alone; --seeds the first N.
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
#define STEP_LIMIT 20000000
#endif

#define SETTINGS_MOST 4

struct options {
    const char *program, *filter;
    bool one_seed;
    uint64_t seed, seeds, rounds;
};

/* One case: a strategy with all that can be chosen about it. */
struct combination {
    struct al_config config;
    struct al_setting settings[SETTINGS_MOST];
    size_t n_settings;
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
    const int signals[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};
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
    al_engine_run(
        &(struct al_engine_config){.seed = seed, .backend = backend, .step_limit = STEP_LIMIT},
        run_job, &job, &result);
    return result.hash;
}

/* All seeds; every tenth twice and on both backends. False if hashes are not as they should be. */
static bool run_case(const struct options *options, const struct scenario *scenario,
                     const struct combination *combination)
{
    uint64_t first = options->one_seed ? options->seed : 0;
    uint64_t n = options->one_seed ? 1 : options->seeds;
    uint64_t *hashes = malloc(n * sizeof *hashes);
    CHECK(hashes != NULL, "no memory");
    bool good = true;
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
                printf("# seeds %llu and %llu gave the same hash\n",
                       (unsigned long long)(first + k), (unsigned long long)seed);
                printf("# %s", replay);
                good = false;
            }
        }
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
    uint64_t n = options->one_seed ? 1 : options->rounds;
    for (uint64_t seed = first; seed < first + n; seed++) {
        struct al_config config = combination->config;
        config.seed = seed;
        snprintf(replay, sizeof replay, "failed in case '%s', round %llu\n", combination->name,
                 (unsigned long long)seed);
        scenario->run(&config, true);
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
    size_t length = strlen(combination->name);
    snprintf(combination->name + length, sizeof combination->name - length, " %s=%s", key, value);
}

/* As it comes; squeezed, to make collisions likely; and each choice of each option, squeezed. */
static void run_options(struct tap *tap, const struct options *options,
                        const struct combination *plain)
{
    const struct al_plugin *plugin = al_plugin_find(al_schedulers, "scheduler",
                                                    plain->config.scheduler, NULL);
    struct combination combination = *plain;
    run_combination(tap, options, &combination);

    static const struct al_setting squeeze[] = {
        {"shards", "2"}, {"capacity", "1"}, {"steal_after", "1"}};
    struct combination squeezed = *plain;
    size_t index;
    for (size_t i = 0; i < sizeof squeeze / sizeof *squeeze; i++) {
        if (al_option_matches(plugin, squeeze[i].key, &index))
            add_setting(&squeezed, squeeze[i].key, squeeze[i].value);
    }
    if (squeezed.n_settings > 0) {
        combination = squeezed;
        run_combination(tap, options, &combination);
    }
    size_t n = al_options_count(plugin);
    for (size_t i = 0; i < n; i++) {
        const struct al_option *option = &plugin->options[i];
        for (size_t k = 0; option->type == AL_OPTION_ENUM && option->choices[k] != NULL; k++) {
            if (strcmp(option->choices[k], option->standard) == 0)
                continue;
            combination = squeezed;
            add_setting(&combination, option->name, option->choices[k]);
            run_combination(tap, options, &combination);
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
        for (size_t v = 0; al_victims[v] != NULL; v++) {
            if (!AL_OPS(al_schedulers[s], al_scheduler_ops)->steals &&
                AL_OPS(al_victims[v], al_victim_ops)->pick != NULL)
                continue;
            for (size_t i = 0; al_idles[i] != NULL; i++) {
                for (size_t w = 0; w < sizeof workers / sizeof *workers; w++) {
                    struct combination combination = {.config = {
                                                          .scheduler = al_schedulers[s]->name,
                                                          .victim = al_victims[v]->name,
                                                          .idle = al_idles[i]->name,
                                                          .workers = workers[w],
                                                          .oversubscribe = true,
                                                          .pin = "none",
                                                          .topology = topology,
                                                      }};
                    snprintf(combination.name, sizeof combination.name, "%s/%s/%s workers=%u",
                             al_schedulers[s]->name, al_victims[v]->name, al_idles[i]->name,
                             workers[w]);
                    run_options(tap, options, &combination);
                }
            }
        }
    }
}

int main(int argc, char **argv)
{
    struct options options = {.program = argv[0], .seeds = 200, .rounds = 3};
    const char *deep = getenv("AL_TEST_DEEP");
    if (deep != NULL && strcmp(deep, "1") == 0)
        options.seeds = 5000, options.rounds = 100;
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
    if (al_topology_load("pu:8", &topology, &error) != 0) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    struct tap tap = {0};
    run_registry(&tap, &options, topology);
    al_topology_free(topology);
    return tap_done(&tap);
}
