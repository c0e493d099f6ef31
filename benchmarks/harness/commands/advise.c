/* SPDX-License-Identifier: MIT */

/* `actorlab advise`: which strategy for which workload, from recorded runs. */

#include <stdio.h>
#include <stdlib.h>

#include "benchmarks/harness/commands/arguments.h"
#include "benchmarks/harness/results/advice.h"
#include "benchmarks/harness/show/results.h"
#include "benchmarks/harness/text/json.h"

struct choices {
    const char *profile, *among;
    uint64_t workers;
    bool evaluate;
};

static const struct al_argument arguments[] = {
    {"profile", "FILE", AL_ARGUMENT_FILE, offsetof(struct choices, profile),
     .help = "advise for the workload with this profile, of `actorlab run --profile=FILE` or "
             "written by hand; - is standard input (default: list the workloads that were "
             "measured)"},
    {"workers", "N", AL_ARGUMENT_UINT, offsetof(struct choices, workers),
     .help = "for so many workers (default: those of the profile, or all that were measured)",
     .min = 1, .max = 1e6},
    {"among", "NAME,…", AL_ARGUMENT_NAME, offsetof(struct choices, among),
     .help = "only these strategies"},
    {"evaluate", NULL, AL_ARGUMENT_FLAG, offsetof(struct choices, evaluate),
     .help = "leave out each workload in turn, and print how far the advice from the others is "
             "from its best strategy"},
    {0},
};

static void advise(const struct al_machine *machine, const struct choices *choices,
                   const struct al_profile_values *profile)
{
    struct al_advice advice;
    uint32_t *counts, workers = (uint32_t)choices->workers;
    al_advice_make(machine, &advice);
    if (workers == 0 && profile != NULL)
        workers = profile->workers;
    if (choices->evaluate) {
        al_advice_evaluate(&advice, stdout);
    } else if (profile == NULL) {
        al_winners_table(machine, &advice, stdout);
    } else if (workers != 0) {
        al_advice_print(&advice, profile, workers, stdout);
    } else {
        size_t n = al_advice_worker_counts(&advice, &counts);
        for (size_t i = 0; i < n; i++)
            al_advice_print(&advice, profile, counts[i], stdout);
        free(counts);
    }
    al_advice_release(&advice);
}

static int advise_main(int argc, char **argv)
{
    struct choices choices = {0};
    struct al_parsed parsed;
    struct al_profile_values profile;
    struct al_error error;
    if (!al_arguments_read(&al_advise_command, argc, argv, &choices, &parsed))
        return AL_EXIT_USAGE;
    if (choices.evaluate && choices.profile != NULL)
        return al_refuse("advise", "--evaluate with --profile; valid: one of them");
    if (choices.workers != 0 && choices.profile == NULL)
        return al_refuse("advise", "--workers without --profile; valid: both");
    if (choices.profile != NULL && al_profile_read(choices.profile, &profile, &error) != 0)
        return al_refuse("advise", "%s", error.text);
    struct al_results results;
    al_results_init(&results, "advise");
    results.schedulers = choices.among != NULL ? al_json_names(choices.among) : NULL;
    int code = al_results_read(&results, parsed.operands, parsed.n_operands);
    if (code != AL_EXIT_USAGE) {
        json_t *known = al_results_known(&results, true);
        code = al_are_known("advise", "among", results.schedulers, known) ? code : AL_EXIT_USAGE;
        json_decref(known);
    }
    for (size_t m = 0; m < results.n && code != AL_EXIT_USAGE; m++) {
        char *name = al_machine_name(results.machines[m]);
        printf("%s%s:\n", m > 0 ? "\n" : "", name);
        free(name);
        advise(results.machines[m], &choices, choices.profile != NULL ? &profile : NULL);
    }
    if (results.n == 0 && code != AL_EXIT_USAGE)
        puts("No records.");
    al_results_release(&results);
    return code;
}

const struct al_command al_advise_command = {
    .name = "advise",
    .help = "say which strategy suits a workload, from recorded runs",
    .operand = "RECORDS",
    .least = 1,
    .most = SIZE_MAX,
    .usage = "RECORDS… [options]",
    .about = "Says which strategy, victim heuristic and idle policy suit a workload: those that "
             "were fastest on the workloads whose profiles are most similar. RECORDS is a results "
             "folder, a file of records, or - for standard input.",
    .arguments = arguments,
    .run = advise_main,
};
