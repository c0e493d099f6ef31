/* SPDX-License-Identifier: MIT */

/* The program behind `actorlab check`. */

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/commands/arguments.h"
#include "benchmarks/harness/commands/check.h"
#include "benchmarks/harness/commands/streams.h"
#include "benchmarks/harness/plugins/load.h"
#include "core/engine/check/search.h"
#include "core/error.h"
#include "core/names.h"
#include "tests/systematic/systems.h"

static const struct check_model *const models[] = {
    [AL_CHECK_SC] = &check_sc, [AL_CHECK_TSO] = &check_tso, [AL_CHECK_C11] = &check_c11};

_Static_assert((unsigned)AL_CHECK_DPOR == CHECK_DPOR && (unsigned)AL_CHECK_ALL == CHECK_ALL &&
                   (unsigned)AL_CHECK_BOUNDED == CHECK_BOUNDED &&
                   (unsigned)AL_CHECK_RANDOM == CHECK_RANDOM && (unsigned)AL_CHECK_PCT == CHECK_PCT,
               "the command's words are in the order of enum check_way");

static bool matches(const struct al_scenario *scenario, const char *pattern)
{
    return fnmatch(pattern, scenario->name, 0) == 0;
}

static bool is_chosen(const struct al_scenario *scenario, const struct al_parsed *parsed, bool deep)
{
    if (parsed->n_operands == 0)
        return deep || !scenario->deep;
    for (size_t i = 0; i < parsed->n_operands; i++) {
        if (matches(scenario, parsed->operands[i]))
            return true;
    }
    return false;
}

/* Whether each pattern is that of a scenario; else a line says which is not. */
static bool are_known(const struct al_parsed *parsed)
{
    const struct al_scenario *scenario;
    for (size_t p = 0; p < parsed->n_operands; p++) {
        struct al_names names = {.wanted = parsed->operands[p], .distance = SIZE_MAX};
        struct al_error error;
        bool known = false;
        for (size_t i = 0; (scenario = al_scenario_at(i)) != NULL && !known; i++) {
            known = matches(scenario, parsed->operands[p]);
            al_names_add(&names, scenario->name);
        }
        if (known)
            continue;
        snprintf(names.text, sizeof names.text, "what `actorlab check --list` shows");
        (void)al_names_error(&names, "scenario", &error);
        (void)al_refuse("check", "%s", error.text);
        return false;
    }
    return true;
}

static void list(const struct al_parsed *parsed)
{
    const struct al_scenario *scenario;
    for (size_t i = 0; (scenario = al_scenario_at(i)) != NULL; i++) {
        if (is_chosen(scenario, parsed, true))
            printf("%-36s %s%s\n", scenario->name, scenario->shows,
                   scenario->deep ? " (takes minutes)" : "");
    }
}

/* An example of what can happen has happened, or nothing has that must not. */
static bool is_well(const struct al_scenario *scenario, const struct check_result *result)
{
    if (scenario->example == NULL)
        return result->outcome == CHECK_COMPLETE;
    return result->outcome == CHECK_FAILED && strcmp(result->reason, scenario->example) == 0;
}

/* The command that makes this execution again, if it was drawn. Others are found by the same
 * command, since the search is the same each time. */
static void print_again(const struct al_scenario *scenario, const struct check_model *model,
                        const struct al_check_choices *choices, uint64_t seed)
{
    bool pct = choices->search == AL_CHECK_PCT;
    if (!pct && choices->search != AL_CHECK_RANDOM)
        return;
    printf("       again: actorlab check '%s' --memory %s --search %s", scenario->name, model->name,
           pct ? "pct" : "random");
    if (pct)
        printf(" --bound %llu", (unsigned long long)choices->bound);
    printf(" --seed %llu --runs 1%s\n", (unsigned long long)seed,
           choices->freed == AL_CHECK_REUSE ? " --freed reuse" : "");
}

static enum check_outcome check(const struct al_scenario *scenario, const struct check_model *model,
                                const struct al_check_choices *choices, bool named)
{
    struct check_options options = {
        .model = model,
        .way = (enum check_way)choices->search,
        .seed = choices->seed,
        .runs = choices->runs,
        .bound = (unsigned)choices->bound,
        .seconds = choices->limit,
        .reuse = choices->freed == AL_CHECK_REUSE,
        .traces = scenario->example == NULL || named,
    };
    struct check_result result;
    if (check_search(scenario, &options, &result) != 0)
        al_out_of_memory("the checker", sizeof result);
    bool well = is_well(scenario, &result);
    char cut[40] = "";
    if (result.cut > 0)
        snprintf(cut, sizeof cut, ", %llu cut short", (unsigned long long)result.cut);
    printf("%-6s %-34s %-3s  %llu%s executions, %llu left unfinished%s, %.2f s\n",
           !well                       ? "failed"
           : scenario->example != NULL ? "shown"
                                       : "ok",
           scenario->name, model->name, (unsigned long long)result.complete,
           result.ended ? "+" : "", (unsigned long long)(result.dropped - result.cut), cut,
           result.seconds);
    if (result.reason[0] != '\0')
        printf("       %s\n", result.reason);
    if (result.trace != NULL)
        fputs(result.trace, stdout);
    if (result.trace != NULL)
        print_again(scenario, model, choices, result.seed);
    fflush(stdout);
    free(result.trace);
    return well ? CHECK_COMPLETE : result.outcome == CHECK_REFUSED ? CHECK_REFUSED : CHECK_FAILED;
}

static int run(int argc, char **argv)
{
    struct al_parsed parsed;
    struct al_check_choices choices = {0};
    if (!al_plugins_load(&argc, argv))
        return AL_EXIT_USAGE;
    systems_add_plugins();
    if (!al_arguments_read(&al_check_command, argc, argv, &choices, &parsed) || !are_known(&parsed))
        return AL_EXIT_USAGE;
    if (choices.search == AL_CHECK_PCT && choices.bound == 0)
        return al_refuse("check", "--bound 0: --search pct needs at least 1");
    if (choices.list) {
        list(&parsed);
        return AL_EXIT_OK;
    }
    size_t n[CHECK_REFUSED + 1] = {0};
    const struct al_scenario *scenario;
    for (size_t i = 0; (scenario = al_scenario_at(i)) != NULL; i++) {
        if (!is_chosen(scenario, &parsed, choices.deep))
            continue;
        for (unsigned m = AL_CHECK_SC; m <= AL_CHECK_C11; m++) {
            if (choices.memory == AL_CHECK_EACH || choices.memory == m)
                n[check(scenario, models[m], &choices, parsed.n_operands > 0)]++;
        }
    }
    printf("%zu passed, %zu failed\n", n[CHECK_COMPLETE], n[CHECK_FAILED] + n[CHECK_REFUSED]);
    return n[CHECK_REFUSED] != 0  ? AL_EXIT_USAGE
           : n[CHECK_FAILED] != 0 ? AL_EXIT_FAILED
                                  : AL_EXIT_OK;
}

int main(int argc, char **argv)
{
    al_watch_streams();
    return al_streams_end(run(argc, argv));
}
