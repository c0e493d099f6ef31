/* SPDX-License-Identifier: MIT */

/* `actorlab conform`: the conformance suite, on one plug-in, in all its builds. */

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "benchmarks/harness/commands/arguments.h"
#include "benchmarks/harness/commands/measuring.h"
#include "benchmarks/harness/measure/child.h"
#include "benchmarks/harness/measure/places.h"
#include "benchmarks/workloads/benchmark.h"
#include "core/names.h"
#include "core/plugin/idle.h"
#include "core/plugin/victim.h"
#include "schedulers/registry.h"

enum engine { ALL, NATIVE, JITTER, VIRTUAL, SIM };

static const char *const engines[] = {
    [ALL] = "all",         [NATIVE] = "native", [JITTER] = "jitter",
    [VIRTUAL] = "virtual", [SIM] = "sim",       NULL};

struct choices {
    const char *filter; /* --case */
    uint64_t seed, times;
    unsigned engine; /* enum engine */
};

static const struct al_argument arguments[] = {
    {"engine", "ENGINE", AL_ARGUMENT_WORD, offsetof(struct choices, engine),
     .help =
         "what to run on: threads; those that sleep where threads race; chosen interleavings of "
         "coroutines; a simulated machine",
     .standard = "all", .words = engines},
    {"case", "TEXT", AL_ARGUMENT_NAME, offsetof(struct choices, filter),
     .help = "only cases whose names have TEXT, or begin with it after a ^"},
    {"times", "N", AL_ARGUMENT_UINT, offsetof(struct choices, times),
     .help = "how often to run each case: rounds on threads, else seeds; by default what suits the "
             "build",
     .min = 1, .max = 1e9},
    {"seed", "S", AL_ARGUMENT_UINT, offsetof(struct choices, seed),
     .help = "repeat this seed alone, as a failure says", .max = AL_SEED_MOST},
    {0},
};

/* A run of one build of the suite. */
struct suite {
    const char *name;
    size_t n, failed; /* cases so far */
    size_t n_cases;   /* in all */
    struct al_progress progress;
};

/* A line of the Test Anything Protocol. */
static void take(void *argument, const char *line)
{
    struct suite *suite = argument;
    bool well = strncmp(line, "ok ", 3) == 0, failed = strncmp(line, "not ok ", 7) == 0;
    if (!well && !failed)
        return;
    if (failed) {
        if (isatty(STDERR_FILENO))
            al_progress_end();
        printf("%s\n", line);
    }
    suite->n++;
    suite->failed += failed;
    if (isatty(STDERR_FILENO))
        al_progress_show(&suite->progress, suite->n - 1, suite->n_cases, suite->name);
}

static void count(void *argument, const char *line)
{
    (void)line;
    ++*(size_t *)argument;
}

/* Run the suite that was built for an engine on the cases with this text. True: it is there, and
 * nothing has failed. */
static bool run_suite(unsigned engine, const char *filter, const struct choices *choices,
                      bool seeded, size_t *n_run)
{
    struct suite suite = {.name = engines[engine]};
    struct al_error error;
    char built[64], installed[128], path[PATH_MAX], number[24];
    snprintf(built, sizeof built, "%s-%s", AL_CONFORMANCE_BUILT, suite.name);
    snprintf(installed, sizeof installed, "%s-%s", AL_CONFORMANCE_INSTALLED, suite.name);
    if (al_child_place(built, installed, path, sizeof path, &error) != 0 ||
        access(path, X_OK) != 0) {
        printf("%-8s not here; in a clone `ninja -C build` builds it\n", suite.name);
        return choices->engine == ALL;
    }
    char *list[] = {path, "--list", "--case", (char *)filter, NULL};
    int status = al_child_lines(list, count, &suite.n_cases);
    if (status != 0) { /* it has said why */
        printf("%-8s did not start\n", suite.name);
        return false;
    }
    char *command[] = {path, "--case", (char *)filter, NULL, NULL, NULL};
    if (seeded || choices->times != 0) {
        bool threads = engine == NATIVE || engine == JITTER;
        command[3] = seeded ? "--seed" : threads ? "--rounds" : "--seeds";
        snprintf(number, sizeof number, "%llu",
                 (unsigned long long)(seeded ? choices->seed : choices->times));
        command[4] = number;
    }
    suite.progress = (struct al_progress){.began = time(NULL), .rounds = 1, .least_s = 2};
    status = al_child_lines(command, take, &suite);
    if (isatty(STDERR_FILENO))
        al_progress_end();
    ++*n_run;
    if (WIFSIGNALED(status))
        printf("%-8s ended by signal %d (%s) after %zu of %zu cases\n", suite.name,
               WTERMSIG(status), strsignal(WTERMSIG(status)), suite.n, suite.n_cases);
    else
        printf("%-8s %zu passed, %zu failed\n", suite.name, suite.n - suite.failed, suite.failed);
    fflush(stdout);
    return status == 0;
}

/* The part of a case's name that is this plug-in's: SCHEDULER/VICTIM/IDLE, then the rest. NULL: the
 * name is none of these. A new string. */
static char *filter_of(const char *name)
{
    static const struct {
        const struct al_plugin **registry;
        const char *format;
    } kinds[] = {{al_schedulers, "^%s/"}, {al_victims, "/%s/"}, {al_idles, "/%s "}};
    char *filter = NULL;
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds && filter == NULL; kind++) {
        for (size_t i = 0; kinds[kind].registry[i] != NULL && filter == NULL; i++) {
            if (strcmp(kinds[kind].registry[i]->name, name) == 0 &&
                asprintf(&filter, kinds[kind].format, name) < 0)
                return NULL;
        }
    }
    return filter;
}

/* Run a workload, which checks its own answer, on every strategy with 1, 2 and 4 workers. */
static bool run_workload(const char *name, bool simulated, size_t *n_run)
{
    static const char *const workers[] = {"1", "2", "4"};
    size_t n = 0, failed = 0;
    char path[PATH_MAX], simulator[PATH_MAX];
    struct al_error error;
    if (al_child_beside("actorlab", path, sizeof path, &error) != 0 ||
        al_child_beside("actorlab-sim", simulator, sizeof simulator, &error) != 0 ||
        (simulated && access(simulator, X_OK) != 0))
        return true;
    FILE *nowhere = fopen("/dev/null", "w");
    for (size_t s = 0; al_schedulers[s] != NULL; s++) {
        for (size_t w = 0; w < sizeof workers / sizeof *workers; w++, n++) {
            char *command[] = {path,
                               "run",
                               (char *)name,
                               "--scheduler",
                               (char *)al_schedulers[s]->name,
                               "--workers",
                               (char *)workers[w],
                               "--size",
                               "small",
                               "--oversubscribe",
                               "--iterations",
                               "1",
                               simulated ? "--engine" : NULL,
                               "sim",
                               "--machine",
                               "xeon-5220r-2s",
                               NULL};
            if (al_child_run(command, NULL, nowhere, NULL) == 0)
                continue;
            failed++;
            printf("not ok: %s on %s with %s workers\n", name, al_schedulers[s]->name, workers[w]);
        }
    }
    if (nowhere != NULL)
        fclose(nowhere);
    ++*n_run;
    printf("%-8s %zu passed, %zu failed\n", simulated ? "sim" : "native", n - failed, failed);
    return failed == 0;
}

static int unknown(const char *name)
{
    const struct al_plugin **const registries[] = {al_schedulers, al_victims, al_idles,
                                                   al_benchmarks};
    struct al_names names = {.wanted = name, .distance = SIZE_MAX};
    struct al_error error;
    for (size_t k = 0; k < sizeof registries / sizeof *registries; k++) {
        for (size_t i = 0; registries[k][i] != NULL; i++)
            al_names_add(&names, registries[k][i]->name);
    }
    snprintf(names.text, sizeof names.text, "what `actorlab list` shows");
    (void)al_names_error(&names, "plug-in", &error);
    return al_refuse("conform", "%s", error.text);
}

static int conform_main(int argc, char **argv)
{
    struct choices choices = {0};
    struct al_parsed parsed;
    struct al_error error;
    if (!al_arguments_read(&al_conform_command, argc, argv, &choices, &parsed))
        return AL_EXIT_USAGE;
    const char *name = parsed.operands[0];
    bool well = true, seeded = al_argument_given(&parsed, "seed");
    size_t n_run = 0;
    char *filter = filter_of(name);
    if (filter == NULL && al_plugin_find((const struct al_plugin *const *)al_benchmarks, "workload",
                                         name, &error) == NULL)
        return unknown(name);
    unsetenv("AL_TEST_SUBSET"); /* which would leave it out */
    for (unsigned engine = NATIVE; engines[engine] != NULL; engine++) {
        if (choices.engine != ALL && choices.engine != engine)
            continue;
        if (filter != NULL)
            well &= run_suite(engine, choices.filter != NULL ? choices.filter : filter, &choices,
                              seeded, &n_run);
        else if (engine == NATIVE || engine == SIM)
            well &= run_workload(name, engine == SIM, &n_run);
    }
    free(filter);
    return well && n_run > 0 ? AL_EXIT_OK : AL_EXIT_FAILED;
}

const struct al_command al_conform_command = {
    .name = "conform",
    .help = "check that a plug-in keeps the promises of its kind",
    .operand = "NAME",
    .least = 1,
    .most = 1,
    .usage = "NAME [options]",
    .about =
        "Runs the conformance suite on each combination with the strategy, victim heuristic or "
        "idle policy NAME: on threads, on threads that sleep where they race, in chosen "
        "interleavings of coroutines, and on a simulated machine. A workload, which checks its "
        "own answer, runs on every strategy. A failure prints the command that repeats it.",
    .arguments = arguments,
    .run = conform_main,
};
