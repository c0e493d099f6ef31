/* SPDX-License-Identifier: MIT */

/*
 * The conformance suite: every scenario on every combination (combinations.h). Built four times:
 * on threads, on threads that sleep in race windows now and then (AL_JITTER), on the virtual engine
 * (AL_VIRTUAL), where each case runs with many seeds, and on a simulated machine (machine.c).
 *
 *     conformance-virtual, conformance-sim [--list] [--case TEXT] [--seed N | --seeds N]
 *     conformance-native, conformance-jitter [--list] [--case TEXT] [--seed N | --rounds N]
 *
 * --list prints the names of the cases; --case runs those whose name contains TEXT, or begins with
 * it after a ^; --seed runs one seed alone; --seeds the first N. Pairs of options take a share of
 * the seeds (seeds.c), and combinations with another heuristic or policy less, unless it is one
 * that sleeps. --rounds is how often a strategy with all its defaults runs on threads; the rest
 * runs once, and in small what has another heuristic or policy, or options and more than two
 * workers. On threads and on the simulated machine a third of the scenarios runs with another
 * heuristic or policy, the next third with the next one, and so on, but all of those that --case
 * names, and all with a policy that sleeps until it is woken; the virtual engine runs all.
 * AL_TEST_SUBSET=1 leaves out other heuristics and policies, which is what is done with sleeping
 * threads unless AL_TEST_DEEP=1 or --case names some.
 * Exit codes: 0 all passed, 1 some failed, 2 usage.
 */

#include "tests/conformance/conformance.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "benchmarks/harness/plugins/load.h"
#include "core/machine/topology.h"
#include "tests/conformance/nearest.h"
#include "tests/support/tap.h"

/* The state of a run of the suite. */
struct suite {
    const struct options *options;
    struct tap tap;
    struct nearest nearest;      /* of the names that the filter left out */
    uint64_t n_names, n_foreign; /* n_foreign: combinations with another heuristic or policy */
};

char replay[1024];

struct al_config nth_config(const struct options *options, const struct combination *combination,
                            uint64_t i, const char *when)
{
    struct al_config config = combination->config;
    config.seed = (options->one_seed ? options->seed : 0) + i;
    snprintf(replay, sizeof replay, "failed %s %llu; replay: %s --case '%s' --seed %llu\n", when,
             (unsigned long long)config.seed, options->program, combination->name,
             (unsigned long long)config.seed);
    return config;
}

static void on_signal(int signal_number)
{
    /* Calls only what a signal handler may call. */
    if (write(STDERR_FILENO, replay, strlen(replay)) < 0)
        _exit(3);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static void catch_signals(void)
{
    const int signals[] = {SIGABRT, SIGALRM, SIGSEGV, SIGBUS, SIGFPE, SIGILL};
    /* On a stack of its own, since the failing stack may be the problem. */
    static char stack[65536];
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &(struct sigaction){.sa_handler = on_signal, .sa_flags = SA_ONSTACK},
                  NULL);
}

/* Notes whether a system would refuse the options. */
static void run_check(void *argument)
{
    struct job *job = argument;
    struct al_error error = {""};
    int code = al_system_check(job->config, &error);
    CHECK(code == 0 || code == -EINVAL, "%s", error.text);
    job->refused = code != 0;
}

void run_scenario(void *argument)
{
    struct job *job = argument;
    job->scenario->run(job->config, job->large);
}

/* Whether --case names it. */
static bool is_named(const char *filter, const char *name)
{
    return filter == NULL || (filter[0] == '^' ? strncmp(name, filter + 1, strlen(filter + 1)) == 0
                                               : strstr(name, filter) != NULL);
}

static void run_combination(void *argument, struct combination *combination)
{
    struct suite *suite = argument;
    const struct options *options = suite->options;
    size_t length = strlen(combination->name);
    suite->n_foreign += !combination->own && !combination->sleeps;
    for (const struct scenario *scenario = scenarios; scenario->name != NULL; scenario++) {
        if ((scenario->own && !combination->own) || (scenario->flood && !takes_floods(combination)))
            continue;
        snprintf(combination->name + length, sizeof combination->name - length, " %s",
                 scenario->name);
        suite->n_names++;
        if (!is_named(options->filter, combination->name)) {
            nearest_add(&suite->nearest, options->filter, combination->name);
        } else if (options->list) {
            suite->tap.n++;
            puts(combination->name);
        } else if (combination->own || combination->sleeps || options->filter != NULL ||
                   (suite->n_foreign + (uint64_t)(scenario - scenarios)) % options->parts == 0) {
            tap_ok(&suite->tap, run_case(options, scenario, combination), "%s", combination->name);
        }
    }
    combination->name[length] = '\0';
}

static bool starts(void *argument, struct combination *combination)
{
    const struct suite *suite = argument;
    /* It does not depend on the number of workers. */
    struct al_config config = combination->config;
    config.workers = 1;
    struct job job = {.config = &config};
    snprintf(replay, sizeof replay, "failed to check '%s'; replay: %s --list\n", combination->name,
             suite->options->program);
    run_job(run_check, &job);
    return !job.refused;
}

static bool parse_number(const char *text, uint64_t least, uint64_t *number)
{
    char *end;
    errno = 0;
    *number = strtoull(text, &end, 10);
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0 && *number >= least;
}

/* False, after one line that says what is wrong. */
static bool parse_arguments(int argc, char **argv, struct options *options)
{
    for (int i = 1; i < argc; i++) {
        const char *name = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
        bool seed = strcmp(name, "--seed") == 0, count = strcmp(name, repetition.option) == 0;
        if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
            printf("usage: %s [--list] [--case TEXT] [--seed N] [%s N]\n"
                   "--list prints the names of all cases, --case runs those whose names have TEXT, "
                   "or\n"
                   "begin with it after a ^; --seed repeats one seed, and %s says how often each\n"
                   "runs.\n",
                   options->program, repetition.option, repetition.option);
            exit(0);
        }
        if (strcmp(name, "--list") == 0) {
            options->list = true;
            continue;
        }
        if (!seed && !count && strcmp(name, "--case") != 0) {
            fprintf(stderr,
                    "%s: unknown argument '%s' (valid: --list, --case TEXT, --seed N, %s N)\n",
                    options->program, name, repetition.option);
            return false;
        }
        if (value == NULL) {
            fprintf(stderr, "%s: %s needs a value\n", options->program, name);
            return false;
        }
        uint64_t number;
        if ((seed || count) && !parse_number(value, count, &number)) {
            fprintf(stderr, "%s: %s %s: not a whole number from %d to 2^64 - 1\n", options->program,
                    name, value, count);
            return false;
        }
        if (seed)
            options->one_seed = true, options->seed = number;
        else if (count)
            options->n = number;
        else
            options->filter = value;
        i++;
    }
    return true;
}

/* Report that no case has the text in its name. */
static int complain_of_filter(const struct suite *suite)
{
    const struct options *options = suite->options;
    /* A name that lacks half of the letters is hardly what was meant. */
    bool near = suite->nearest.distance < strlen(options->filter) / 2;
    fprintf(stderr, "%s: --case '%s': in none of the %llu names%s%s%s%s; --list prints them\n",
            options->program, options->filter, (unsigned long long)suite->n_names,
            options->subset ? " that AL_TEST_SUBSET=1 leaves" : "", near ? "; did you mean '" : "",
            near ? suite->nearest.text : "", near ? "'?" : "");
    return 2;
}

int main(int argc, char **argv)
{
    struct options options = {.program = argv[0], .n = repetition.n, .parts = repetition.parts};
    if (!al_plugins_load(&argc, argv))
        return 2;
    const char *deep = getenv("AL_TEST_DEEP"), *subset = getenv("AL_TEST_SUBSET");
    bool is_deep = deep != NULL && strcmp(deep, "1") == 0;
    if (is_deep) {
        options.n = repetition.n_deep;
        options.parts = 1;
    }
    if (!parse_arguments(argc, argv, &options))
        return 2;
    options.subset = subset != NULL ? strcmp(subset, "1") == 0
                                    : repetition.subset && !is_deep && options.filter == NULL;
    catch_signals();
    struct al_topology *topology;
    struct al_error error;
    if (al_topology_load("node:2 l3:2 core:2 pu:1", &topology, &error) != 0) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    struct suite suite = {.options = &options};
    for_each_combination(&(struct combinations){options.subset, run_combination, starts, &suite},
                         topology);
    al_topology_free(topology);
    if (suite.tap.n == 0)
        return complain_of_filter(&suite);
    return options.list ? 0 : tap_done(&suite.tap);
}
