/* SPDX-License-Identifier: MIT */

/* The program behind `actorlab check`. */

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/commands/arguments.h"
#include "benchmarks/harness/commands/check.h"
#include "benchmarks/harness/commands/streams.h"
#include "benchmarks/harness/plugins/load.h"
#include "benchmarks/harness/text/json.h"
#include "core/names.h"
#include "tests/systematic/failure.h"
#include "tests/systematic/progress.h"
#include "tests/systematic/systems.h"

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

/* Whether a pattern is one of those scenarios that are only made when somebody asks for them. */
static bool asks_for_combined(const struct al_parsed *parsed)
{
    for (size_t i = 0; i < parsed->n_operands; i++) {
        if (strncmp(parsed->operands[i], SYSTEM_COMBINED, strlen(SYSTEM_COMBINED)) == 0)
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

/* The command that makes this execution again. Where it is not drawn, it is the same as the one
 * that has found it, since the search is the same each time. */
static void print_again(const struct searched *searched, const struct al_check_choices *choices,
                        uint64_t seed)
{
    bool pct = choices->search == AL_CHECK_PCT;
    if (choices->save != NULL) {
        printf("       again: actorlab check --replay '%s'\n", choices->save);
    } else if (pct || choices->search == AL_CHECK_RANDOM) {
        printf("       again: actorlab check '%s' --memory %s --search %s",
               searched->scenario->name, searched->model->name, pct ? "pct" : "random");
        if (pct)
            printf(" --bound %llu", (unsigned long long)choices->bound);
        printf(" --seed %llu --runs 1%s\n", (unsigned long long)seed,
               searched->reuse ? " --freed reuse" : "");
    }
}

/* Print a failure, and write the files that are wanted of it, once. False after a line on stderr:
 * that was not possible. */
static bool show(const struct searched *searched, struct al_check_choices *choices,
                 const struct check_result *result)
{
    struct al_error error;
    failure_print(result, stdout);
    if (result->schedule == NULL)
        return true;
    if ((choices->save != NULL && failure_save(choices->save, searched, result, &error) != 0) ||
        (choices->timeline != NULL &&
         failure_timeline(choices->timeline, searched, result, &error) != 0)) {
        (void)al_refuse("check", "%s", error.text);
        return false;
    }
    if (choices->replay == NULL)
        print_again(searched, choices, result->seed);
    choices->save = choices->timeline = NULL; /* the first failure's */
    return true;
}

static void print_result(const struct searched *searched, const struct check_result *result,
                         bool well)
{
    char cut[40] = "";
    if (result->cut > 0)
        snprintf(cut, sizeof cut, ", %llu cut short", (unsigned long long)result->cut);
    printf("%-6s %-34s %-3s  %llu%s executions, %llu left unfinished%s, %.2f s\n",
           !well                                 ? "failed"
           : searched->scenario->example != NULL ? "shown"
                                                 : "ok",
           searched->scenario->name, searched->model->name, (unsigned long long)result->complete,
           result->ended ? "+" : "", (unsigned long long)(result->dropped - result->cut), cut,
           result->seconds);
    if (result->reason[0] != '\0')
        printf("       %s\n", result->reason);
}

/* schedule: to be made again, or NULL. named: somebody has asked for this scenario. */
static enum check_outcome check(const struct searched *searched, struct al_check_choices *choices,
                                const struct check_schedule *schedule, bool named)
{
    struct check_options options = {
        .model = searched->model,
        .way = schedule != NULL ? CHECK_REPLAY : (enum check_way)choices->search,
        .schedule = schedule,
        .seed = choices->seed,
        .runs = choices->runs,
        .bound = (unsigned)choices->bound,
        .seconds = choices->limit,
        .reuse = searched->reuse,
        .traces = searched->scenario->example == NULL || named,
    };
    struct check_result result;
    if (check_search(searched->scenario, &options, &result) != 0)
        al_out_of_memory("the checker", sizeof result);
    bool well = is_well(searched->scenario, &result);
    enum check_outcome outcome = well                              ? CHECK_COMPLETE
                                 : result.outcome == CHECK_REFUSED ? CHECK_REFUSED
                                                                   : CHECK_FAILED;
    print_result(searched, &result, well);
    if (!show(searched, choices, &result))
        outcome = CHECK_REFUSED;
    fflush(stdout);
    check_result_free(&result);
    return outcome;
}

/* Make one execution again. Returns the exit code. */
static int replay(struct al_check_choices *choices, const struct al_parsed *parsed)
{
    struct searched searched = {0};
    struct al_error error;
    if (parsed->n_operands > 0)
        return al_refuse("check", "'%s': --replay takes no SCENARIO, since its file names one",
                         parsed->operands[0]);
    struct check_schedule *schedule = al_needed(malloc(sizeof *schedule));
    int code = failure_load(choices->replay, &searched, schedule, &error);
    if (code == 0) {
        enum check_outcome outcome = check(&searched, choices, schedule, true);
        code = outcome == CHECK_REFUSED  ? AL_EXIT_USAGE
               : outcome == CHECK_FAILED ? AL_EXIT_FAILED
                                         : AL_EXIT_OK;
    } else {
        code = al_refuse("check", "%s", error.text);
    }
    free(schedule);
    return code;
}

/* Check all that is chosen, and not done yet; `progress` is of this pass. False after a line on
 * stderr: how far it is cannot be kept. n: how many searches ended how. */
static bool check_rest(struct al_check_choices *choices, const struct al_parsed *parsed,
                       struct progress *progress, size_t n[CHECK_REFUSED + 1])
{
    struct al_error error;
    const struct al_scenario *scenario;
    uint64_t done = progress->done, place = 0;
    choices->seed = progress->seed;
    for (size_t i = 0; (scenario = al_scenario_at(i)) != NULL; i++) {
        for (unsigned m = AL_CHECK_SC; m <= AL_CHECK_C11; m++) {
            struct searched searched = {scenario, failure_models[m - AL_CHECK_SC],
                                        choices->freed == AL_CHECK_REUSE};
            if (!is_chosen(scenario, parsed, choices->deep) ||
                (choices->memory != AL_CHECK_EACH && choices->memory != m) || place++ < done)
                continue;
            n[check(&searched, choices, NULL, parsed->n_operands > 0)]++;
            progress->done = place;
            if (progress_save(progress, &error) != 0)
                return al_refuse("check", "%s", error.text) == 0;
        }
    }
    /* All is done: the next time draws others. */
    progress->done = 0;
    progress->seed += choices->runs;
    if (progress_save(progress, &error) != 0)
        return al_refuse("check", "%s", error.text) == 0;
    return true;
}

static int check_all(struct al_check_choices *choices, const struct al_parsed *parsed)
{
    size_t n[CHECK_REFUSED + 1] = {0};
    struct progress progress;
    struct al_error error;
    int code = progress_load(&progress, choices, parsed, &error);
    if (code != 0)
        (void)al_refuse("check", "%s", error.text);
    else if (!check_rest(choices, parsed, &progress, n))
        code = -EIO;
    progress_free(&progress);
    if (code != 0)
        return AL_EXIT_USAGE;
    printf("%zu passed, %zu failed\n", n[CHECK_COMPLETE], n[CHECK_FAILED] + n[CHECK_REFUSED]);
    return n[CHECK_REFUSED] != 0  ? AL_EXIT_USAGE
           : n[CHECK_FAILED] != 0 ? AL_EXIT_FAILED
                                  : AL_EXIT_OK;
}

static int run(int argc, char **argv)
{
    struct al_parsed parsed;
    struct al_check_choices choices = {0};
    if (!al_plugins_load(&argc, argv))
        return AL_EXIT_USAGE;
    systems_add_plugins();
    if (!al_arguments_read(&al_check_command, argc, argv, &choices, &parsed))
        return AL_EXIT_USAGE;
    if (choices.replay != NULL || asks_for_combined(&parsed))
        systems_add_combinations();
    if (!are_known(&parsed))
        return AL_EXIT_USAGE;
    if (choices.search == AL_CHECK_PCT && choices.bound == 0)
        return al_refuse("check", "--bound 0: --search pct needs at least 1");
    if (choices.resume != NULL && choices.search != AL_CHECK_PCT &&
        choices.search != AL_CHECK_RANDOM)
        return al_refuse("check", "--resume '%s' without --search random or pct", choices.resume);
    if (choices.list) {
        list(&parsed);
        return AL_EXIT_OK;
    }
    return choices.replay != NULL ? replay(&choices, &parsed) : check_all(&choices, &parsed);
}

int main(int argc, char **argv)
{
    al_watch_streams();
    return al_streams_end(run(argc, argv));
}
