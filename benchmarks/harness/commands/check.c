/* SPDX-License-Identifier: MIT */

/* `actorlab check`: runs the program of scenarios, which is compiled for the checker. */

#include "benchmarks/harness/commands/check.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "benchmarks/harness/commands/arguments.h"
#include "benchmarks/harness/measure/child.h"
#include "benchmarks/harness/measure/places.h"
#include "benchmarks/harness/text/json.h"

static const char *const memories[] = {[AL_CHECK_EACH] = "each",
                                       [AL_CHECK_SC] = "sc",
                                       [AL_CHECK_TSO] = "tso",
                                       [AL_CHECK_C11] = "c11",
                                       NULL};
static const char *const searches[] = {
    [AL_CHECK_DPOR] = "dpor",     [AL_CHECK_ALL] = "all", [AL_CHECK_BOUNDED] = "bounded",
    [AL_CHECK_RANDOM] = "random", [AL_CHECK_PCT] = "pct", NULL};
static const char *const freed[] = {[AL_CHECK_POISON] = "poison", [AL_CHECK_REUSE] = "reuse", NULL};

static const struct al_argument arguments[] = {
    {"list", NULL, AL_ARGUMENT_FLAG, offsetof(struct al_check_choices, list),
     .help = "list the scenarios, and what each shows"},
    {"memory", "MODEL", AL_ARGUMENT_WORD, offsetof(struct al_check_choices, memory),
     .help =
         "what threads may read: what was written last; the same with store buffers, as on x86; "
         "whatever the memory orders of the code allow",
     .standard = "each", .words = memories},
    {"search", "WAY", AL_ARGUMENT_WORD, offsetof(struct al_check_choices, search),
     .help =
         "each execution once; the same by trying every thread at every step, which takes longer "
         "and is there to compare with; those in which a thread gives way where it need not at "
         "most --bound times; one execution after another at random; the same by random "
         "priorities, which change --bound - 1 times",
     .standard = "dpor", .words = searches},
    {"bound", "N", AL_ARGUMENT_UINT, offsetof(struct al_check_choices, bound),
     .help =
         "of `bounded`: how often a thread may give way; of `pct`, from 1 on: how many steps an "
         "error may need in order",
     .standard = "3", .max = 16},
    {"limit", "S", AL_ARGUMENT_REAL, offsetof(struct al_check_choices, limit),
     .help = "end each search after so many seconds; 0: never", .standard = "600", .max = 1e9},
    {"deep", NULL, AL_ARGUMENT_FLAG, offsetof(struct al_check_choices, deep),
     .help = "without a SCENARIO: also those that take minutes"},
    {"freed", "WHAT", AL_ARGUMENT_WORD, offsetof(struct al_check_choices, freed),
     .help =
         "memory that a thread has freed: whoever uses it is wrong; the thread gets it again at "
         "once, so that addresses repeat",
     .standard = "poison", .words = freed},
    {"seed", "S", AL_ARGUMENT_UINT, offsetof(struct al_check_choices, seed),
     .help = "of the first execution of `random` and `pct`; each later one has the next",
     .standard = "1", .max = AL_SEED_MOST},
    {"runs", "N", AL_ARGUMENT_UINT, offsetof(struct al_check_choices, runs),
     .help = "executions that `random` and `pct` try", .standard = "100000", .min = 1, .max = 1e12},
    {"resume", "FILE", AL_ARGUMENT_FILE, offsetof(struct al_check_choices, resume),
     .help =
         "keep in FILE how far `random` or `pct` is, and go on there: when all scenarios have had "
         "their --runs, the next time draws others"},
    {"save", "FILE", AL_ARGUMENT_FILE, offsetof(struct al_check_choices, save),
     .help = "write the first failure to FILE, step by step, for --replay"},
    {"replay", "FILE", AL_ARGUMENT_FILE, offsetof(struct al_check_choices, replay),
     .help = "make the execution of this file again, and no other"},
    {"timeline", "FILE", AL_ARGUMENT_FILE, offsetof(struct al_check_choices, timeline),
     .help = "write the first failure to FILE in the trace event format, which ui.perfetto.dev and "
             "Chromium's chrome://tracing open"},
    {0},
};

static int check_main(int argc, char **argv)
{
    char path[PATH_MAX];
    struct al_error error;
    struct al_parsed parsed;
    struct al_check_choices choices = {0};
    /* Reading the words reorders them. */
    char **words = al_needed(calloc((size_t)argc + 1, sizeof *words));
    memcpy(words, argv, (size_t)argc * sizeof *words);
    int code = AL_EXIT_USAGE;
    if (al_arguments_read(&al_check_command, argc, argv, &choices, &parsed)) {
        if (al_child_place(AL_SYSTEMATIC_BUILT, AL_SYSTEMATIC_INSTALLED, path, sizeof path,
                           &error) != 0) {
            code = al_refuse("check", "%s", error.text);
        } else {
            words[0] = path;
            execv(path, words);
            code = al_refuse("check", "cannot run %s: %s; in a clone `ninja -C build` builds it",
                             path, strerror(errno));
        }
    }
    free(words);
    return code;
}

const struct al_command al_check_command = {
    .name = "check",
    .help = "run scenarios of protocols in every way in which they can go",
    .operand = "SCENARIO",
    .most = 4096,
    .usage = "[SCENARIO…] [options]",
    .about =
        "A scenario has a few threads that do a few things to a structure. The checker runs it "
        "once for each execution that the threads can tell apart, with every value that a memory "
        "model lets them read, and reports what is wrong, data races, uses of freed memory, and "
        "threads that wait for ever. SCENARIO is a name or a pattern, such as 'deque/*'; without "
        "any, all that take seconds are run. Strategies of plug-ins (--plugin FILE.so) have "
        "scenarios called system/NAME/…. Those of 'combined/*' are whole systems, of each strategy "
        "with each heuristic, idle policy and pair of options: too large for all executions, but "
        "not for --search pct.",
    .more = "Exits with 1 if a scenario fails, 2 if one cannot be checked.",
    .arguments = arguments,
    .run = check_main,
};
