/* SPDX-License-Identifier: MIT */

/* `actorlab check`: scenarios of protocols, each in every way in which it can go. */

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/commands/arguments.h"
#include "core/engine/check/search.h"
#include "core/error.h"

enum memory { ALL, SC, TSO, C11 };
static const char *const memories[] = {
    [ALL] = "all", [SC] = "sc", [TSO] = "tso", [C11] = "c11", NULL};
static const struct check_model *const models[] = {
    [SC] = &check_sc, [TSO] = &check_tso, [C11] = &check_c11};

static const char *const searches[] = {
    [CHECK_DPOR] = "dpor", [CHECK_ALL] = "all", [CHECK_RANDOM] = "random", NULL};
static const char *const frees[] = {"poison", "reuse", NULL};

struct choices {
    unsigned memory, search, freed;
    uint64_t seed, runs;
    double limit;
    bool list, deep;
};

static const struct al_argument arguments[] = {
    {"list", NULL, AL_ARGUMENT_FLAG, offsetof(struct choices, list),
     .help = "list the scenarios, and what each shows"},
    {"memory", "MODEL", AL_ARGUMENT_WORD, offsetof(struct choices, memory),
     .help = "sequentially consistent; store buffers, as of x86; no more than the orders that the "
             "program asks for",
     .standard = "all", .words = memories},
    {"search", "WAY", AL_ARGUMENT_WORD, offsetof(struct choices, search),
     .help =
         "each execution once; the same by trying everything at every step, which takes longer; "
         "one execution after another at random",
     .standard = "dpor", .words = searches},
    {"seed", "S", AL_ARGUMENT_UINT, offsetof(struct choices, seed), .help = "of a random search",
     .standard = "1", .max = 9007199254740992.0},
    {"runs", "N", AL_ARGUMENT_UINT, offsetof(struct choices, runs),
     .help = "how many executions a random search tries", .standard = "100000", .min = 1,
     .max = 1e12},
    {"limit", "S", AL_ARGUMENT_REAL, offsetof(struct choices, limit),
     .help = "stop a search after so many seconds; 0: never", .standard = "600", .max = 1e9},
    {"freed", "WHAT", AL_ARGUMENT_WORD, offsetof(struct choices, freed),
     .help = "what becomes of memory that a thread frees: an access to it is an error; the thread "
             "is given it again",
     .standard = "poison", .words = frees},
    {"deep", NULL, AL_ARGUMENT_FLAG, offsetof(struct choices, deep),
     .help = "also those that take minutes"},
    {0},
};

static int check_main(int argc, char **argv);

static const struct al_command command = {
    .name = "check",
    .help = "run scenarios of protocols in every way in which they can go",
    .operand = "SCENARIO",
    .least = 0,
    .most = 4096,
    .usage = "[OPTION]… [SCENARIO]…",
    .about =
        "Runs the threads of each scenario in every order that they can tell apart, and with "
        "every value that a memory model lets them read. SCENARIO is a name or a pattern, such "
        "as 'deque/*'; without any, all run.\n",
    .arguments = arguments,
    .run = check_main,
};

static bool is_chosen(const struct al_scenario *scenario, const struct al_parsed *parsed, bool deep)
{
    if (parsed->n_operands == 0)
        return deep || !scenario->deep;
    for (size_t i = 0; i < parsed->n_operands; i++) {
        if (fnmatch(parsed->operands[i], scenario->name, 0) == 0)
            return true;
    }
    return false;
}

static void list(const struct al_parsed *parsed)
{
    const struct al_scenario *scenario;
    for (size_t i = 0; (scenario = al_scenario_at(i)) != NULL; i++) {
        if (is_chosen(scenario, parsed, true))
            printf("%-36s %s\n", scenario->name, scenario->shows);
    }
}

/* True: nothing is wrong. */
static bool check(const struct al_scenario *scenario, const struct check_model *model,
                  const struct choices *choices)
{
    struct check_options options = {
        .model = model,
        .way = (enum check_way)choices->search,
        .seed = choices->seed,
        .runs = choices->runs,
        .seconds = choices->limit,
        .reuse = choices->freed == 1,
        .traces = true,
    };
    struct check_result result;
    if (check_search(scenario, &options, &result) != 0)
        al_out_of_memory("the checker", sizeof result);
    printf("%-36s %-4s %10llu%s executions of up to %3u steps, %llu dropped, %.2f s  %s\n",
           scenario->name, model->name, (unsigned long long)result.complete,
           result.ended ? "+" : " ", result.longest, (unsigned long long)result.dropped,
           result.seconds, result.reason);
    if (result.trace != NULL)
        fputs(result.trace, stdout);
    fflush(stdout);
    free(result.trace);
    return result.outcome == CHECK_COMPLETE;
}

static int check_main(int argc, char **argv)
{
    struct al_parsed parsed;
    struct choices choices = {0};
    if (!al_arguments_read(&command, argc, argv, &choices, &parsed))
        return AL_EXIT_USAGE;
    if (choices.list) {
        list(&parsed);
        return AL_EXIT_OK;
    }
    size_t n = 0, failed = 0;
    const struct al_scenario *scenario;
    for (size_t i = 0; (scenario = al_scenario_at(i)) != NULL; i++) {
        if (!is_chosen(scenario, &parsed, choices.deep))
            continue;
        for (unsigned m = SC; m <= C11; m++) {
            if (choices.memory != ALL && choices.memory != m)
                continue;
            n++;
            failed += !check(scenario, models[m], &choices);
        }
    }
    printf("%zu passed, %zu failed\n", n - failed, failed);
    return failed == 0 ? AL_EXIT_OK : AL_EXIT_FAILED;
}

int main(int argc, char **argv)
{
    return check_main(argc, argv);
}
