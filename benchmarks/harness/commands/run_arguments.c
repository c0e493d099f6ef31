/* SPDX-License-Identifier: MIT */

/* The command line of `actorlab run`. */

#include "benchmarks/harness/commands/run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/commands/foresee.h"
#include "benchmarks/harness/commands/arguments.h"
#include "benchmarks/harness/measure/simulated.h"
#include "benchmarks/harness/results/doubts.h"
#include "benchmarks/harness/results/labels.h"
#include "benchmarks/harness/text/json.h"
#include "core/plugin/scheduler.h"

enum size { SMALL, DEFAULT, PAPER, SIM_SIZE };

static const char *const sizes[] = {
    [SMALL] = "small", [DEFAULT] = "default", [PAPER] = "paper", [SIM_SIZE] = "sim", NULL};

enum engine { NATIVE, SIM };

static const char *const engines[] = {[NATIVE] = "native", [SIM] = "sim", NULL};

static const char *const coroutines[] = {
    [AL_COROUTINE_FASTEST] = "fastest", [AL_COROUTINE_UCONTEXT] = "ucontext", NULL};

#define AT(field) offsetof(struct al_run, field)

const struct al_argument al_run_arguments[] = {
    {"scheduler", "NAME", AL_ARGUMENT_NAME, AT(choice.scheduler),
     .help = "strategy (default: inverted)"},
    {"victim", "NAME", AL_ARGUMENT_NAME, AT(choice.victim),
     .help = "victim heuristic (default: the strategy's own)"},
    {"idle", "NAME", AL_ARGUMENT_NAME, AT(choice.idle),
     .help = "idle policy (default: the strategy's own)"},
    {"workers", "N", AL_ARGUMENT_UINT, AT(workers),
     .help = "worker threads, by default one for each usable PU", .min = 1, .max = AL_WORKERS_MOST},
    {"size", "SIZE", AL_ARGUMENT_WORD, AT(size),
     .help = "preset of the workload's parameters; small takes well under a second, paper is the "
             "source's, sim is for simulated machines",
     .standard = "default", .words = sizes},
    {"like", "FILE", AL_ARGUMENT_FILE, AT(like),
     .help = "of the workload synthetic: parameters that imitate a profile, of --profile=FILE or "
             "written by hand; - is standard input"},
    {"set", "KEY=VALUE", AL_ARGUMENT_PAIR, AT(pairs),
     .help = "a parameter of the workload or an option of a plug-in; may be repeated"},
    {"iterations", "K", AL_ARGUMENT_UINT, AT(iterations),
     .help = "measured iterations in this process", .standard = "5", .min = 1, .max = 1e6},
    {"warmup", "K", AL_ARGUMENT_UINT, AT(warmup),
     .help = "iterations before the measured ones; auto runs them until their times are "
             "steady, " AL_TEXT_OF(AL_WARMUP_MOST) " at most",
     .standard = "1", .max = 1e6, .instead = "auto"},
    AL_ARGUMENT_SEED(AT(trial.config.seed), "seed of all random choices"),
    {"timeout", "S", AL_ARGUMENT_UINT, AT(timeout_s),
     .help = "give up after S seconds of this machine's time in which no message was delivered; 0 "
             "means never",
     .standard = "60", .max = 1e6},
    {"pin", "POLICY", AL_ARGUMENT_NAME, AT(trial.config.pin),
     .help = "order of the PUs: " AL_TOPOLOGY_POLICIES " (default: close)"},
    {"topology", "SPEC", AL_ARGUMENT_NAME, AT(topology),
     .help =
         "place workers as on another machine: a file.xml of lstopo, or hwloc's synthetic form"},
    {"engine", "ENGINE", AL_ARGUMENT_WORD, AT(engine),
     .help = "native: threads on this machine; sim: on a simulated one", .standard = "native",
     .words = engines},
    {"machine", "MACHINE", AL_ARGUMENT_NAME, AT(machine),
     .help = "the machine to simulate: a name that `actorlab machine` lists, or a machine file"},
    {"model", "KEY=VALUE", AL_ARGUMENT_PAIR, AT(model),
     .help = "another value of a parameter of the machine; may be repeated"},
    {"coroutines", "KIND", AL_ARGUMENT_WORD, AT(coroutines),
     .help = "how the simulator switches stacks, to compare: both kinds give the same run",
     .standard = "fastest", .words = coroutines},
    {"oversubscribe", NULL, AL_ARGUMENT_FLAG, AT(trial.config.oversubscribe),
     .help = "allow more workers than PUs; the record says so"},
    {"json", "FILE", AL_ARGUMENT_FILE, AT(json),
     .help = "append the record to FILE; - is standard output"},
    {"no-hardware", NULL, AL_ARGUMENT_FLAG, AT(trial.no_hardware),
     .help = "do not count cycles, instructions and cache misses"},
    {"stats", NULL, AL_ARGUMENT_FLAG, AT(stats),
     .help = "print the counters of each worker, what the hardware counted, and the time to hand a "
             "cache line from PU to PU"},
    {"all-workers", NULL, AL_ARGUMENT_FLAG, AT(all_workers),
     .help = "with --stats, a column for each worker; without, more than eight have quantiles"},
    {"profile", "FILE", AL_ARGUMENT_FILE, AT(profile),
     .help = "run once more, look at each message, and put a profile of the workload into the "
             "record, and into FILE; - is standard output",
     .optional = true},
    {"trace", "FILE", AL_ARGUMENT_NAME, AT(trial.trace),
     .help = "write a timeline of each worker in the last iteration, for ui.perfetto.dev"},
    {"trace-events", "N", AL_ARGUMENT_UINT, AT(trace_events),
     .help = "keep the last N events of each worker", .standard = "262144", .min = 1,
     .max = 1 << 30},
    {0},
};

/* What goes together, into the trial. */
static int apply(struct al_run *run, const struct al_parsed *parsed, struct al_error *error)
{
    struct al_trial *trial = &run->trial;
    if (!AL_COUNTERS && al_argument_given(parsed, "timeout"))
        return al_error_set(error, -EINVAL,
                            "--timeout watches the counters, which this build does not have; "
                            "valid: a build with -Dcounters=true");
    if (trial->trace == NULL && al_argument_given(parsed, "trace-events"))
        return al_error_set(error, -EINVAL, "--trace-events without --trace; valid: --trace FILE");
    if (run->engine == SIM && run->machine == NULL)
        return al_error_set(error, -EINVAL,
                            "--engine sim without --machine; valid: --machine MACHINE, such as one "
                            "that `actorlab machine` lists");
    if (run->engine != SIM && (run->machine != NULL || run->model.n > 0))
        return al_error_set(error, -EINVAL, "%s without --engine sim; valid: %s",
                            run->machine != NULL ? "--machine" : "--model",
                            run->machine != NULL ? "both or neither" : "only with it");
    if (run->like != NULL && al_argument_given(parsed, "size"))
        return al_error_set(error, -EINVAL, "--like with --size; valid: one of them");
    if (run->engine != SIM && al_argument_given(parsed, "coroutines"))
        return al_error_set(error, -EINVAL,
                            "--coroutines without --engine sim; valid: only with it");
    if (run->engine == SIM && run->topology != NULL)
        return al_error_set(error, -EINVAL,
                            "--topology with --engine sim; valid: the topology is the machine's");
    run->profiled = al_argument_given(parsed, "profile");
    trial->iterations = (uint32_t)run->iterations;
    trial->warmup_auto = run->warmup == AL_ARGUMENT_AS_WORD;
    trial->warmup = trial->warmup_auto ? 0 : (uint32_t)run->warmup;
    trial->config.workers = (uint32_t)run->workers;
    trial->coroutines = (enum al_coroutine_backend)run->coroutines;
    trial->config.stall_s = (uint32_t)run->timeout_s;
    trial->trace_events = trial->trace != NULL ? (uint32_t)run->trace_events : 0;
    return 0;
}

/* The settings of the size; NULL: the defaults of the options. */
static const char *preset_of(const struct al_benchmark_ops *benchmark, unsigned size)
{
    switch (size) {
    case SMALL:
        return benchmark->small;
    case PAPER:
        return benchmark->paper;
    case SIM_SIZE:
        return benchmark->sim != NULL ? benchmark->sim : benchmark->small;
    default:
        return NULL;
    }
}

/* The settings of the size or the profile. */
static int find_preset(struct al_run *run, struct al_error *error)
{
    const struct al_benchmark_ops *benchmark = run->trial.benchmark;
    const char *preset = preset_of(benchmark, run->size);
    if (run->like == NULL) {
        run->preset = al_needed(strdup(preset != NULL ? preset : ""));
        return 0;
    }
    if (strcmp(benchmark->plugin.name, "synthetic") != 0)
        return al_error_set(error, -EINVAL,
                            "--like with the workload %s; valid: with synthetic, which has the "
                            "parameters for it",
                            benchmark->plugin.name);
    return al_run_like(run->like, &run->preset, error);
}

/* Those come before the user's own, which may change them. */
static size_t collect_settings(struct al_run *run)
{
    size_t most = AL_OPTIONS_MOST + run->pairs.n, n = 0;
    run->settings = al_needed(calloc(most, 2 * sizeof *run->settings));
    char *rest;
    for (char *setting = strtok_r(run->preset, " ", &rest); setting != NULL && n < AL_OPTIONS_MOST;
         setting = strtok_r(NULL, " ", &rest)) {
        char *equals = strchr(setting, '=');
        *equals = '\0';
        run->settings[n++] = (struct al_setting){setting, equals + 1};
    }
    for (size_t i = 0; i < run->pairs.n; i++)
        run->settings[n++] = run->pairs.all[i];
    return n;
}

/* So many plug-ins that have an option are named; more would be no line. */
#define OWNERS_MOST 6

/* Say whose option a key is that none of this run's plug-ins has. */
static int find_owner(const char *key, struct al_error *error)
{
    static const struct {
        const struct al_plugin *const *all;
        const char *choice;
    } kinds[] = {{al_schedulers, "--scheduler"},
                 {al_victims, "--victim"},
                 {al_idles, "--idle"},
                 {al_benchmarks, "the workload"}};
    size_t index, n = 0;
    char *text = NULL;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        for (size_t i = 0; kinds[k].all[i] != NULL; i++) {
            if (!al_option_matches(kinds[k].all[i], key, &index) || ++n > OWNERS_MOST)
                continue;
            char *longer = al_text("%s%s%s %s", text != NULL ? text : "",
                                   text != NULL ? ", or " : "", kinds[k].choice,
                                   kinds[k].all[i]->name);
            free(text);
            text = longer;
        }
    }
    int code = text == NULL ? 0
                            : al_error_set(error, -EINVAL,
                                           "option '%s' belongs to a plug-in that this run does "
                                           "not use; valid: with %s%s",
                                           key, text, n > OWNERS_MOST ? ", or others" : "");
    free(text);
    return code;
}

/* Whether each key is an option of one of the plug-ins; if not, but of another, a line says so. */
static int check_owners(struct al_selection *const *selections, size_t n_selections,
                        const struct al_setting *settings, size_t n, struct al_error *error)
{
    int code = 0;
    for (size_t i = 0; i < n && code == 0; i++) {
        size_t owners = 0, index;
        for (size_t s = 0; s < n_selections; s++)
            owners += al_option_matches(selections[s]->plugin, settings[i].key, &index);
        code = owners == 0 ? find_owner(settings[i].key, error) : 0;
    }
    return code;
}

/* Look up the plug-ins, parse all options, and tell those of the workload from the system's. */
static int select_plugins(struct al_run *run, const char *name, struct al_error *error)
{
    struct al_trial *trial = &run->trial;
    struct al_config *config = &trial->config;
    const struct al_plugin *benchmark = al_plugin_find(al_benchmarks, "workload", name, error);
    if (benchmark == NULL)
        return -EINVAL;
    trial->benchmark = AL_OPS(benchmark, al_benchmark_ops);
    trial->parameters.plugin = benchmark;
    config->latencies = trial->benchmark->latencies;
    int code = al_choose(&run->choice, config, error);
    if (code != 0)
        return code;
    struct al_selection scheduler = {.plugin = &config->scheduler->plugin},
                        victim = {.plugin = &config->victim->plugin},
                        idle = {.plugin = &config->idle->plugin};
    struct al_selection *selections[] = {&trial->parameters, &scheduler, &victim, &idle};
    code = find_preset(run, error);
    if (code != 0)
        return code;
    size_t n = collect_settings(run);
    code = check_owners(selections, 4, run->settings, n, error);
    if (code == 0)
        code = al_options_parse(selections, 4, run->settings, n, error);
    if (code == 0)
        config->memory = al_source_of(&trial->parameters, AL_MEMORY);
    struct al_setting *of_system = run->settings + n;
    for (size_t i = 0; i < n; i++) {
        size_t index;
        if (!al_option_matches(benchmark, run->settings[i].key, &index))
            of_system[config->n_settings++] = run->settings[i];
    }
    config->settings = of_system;
    return code;
}

int al_run_parse(int argc, char **argv, struct al_run *run, struct al_error *error)
{
    struct al_parsed parsed;
    *run = (struct al_run){0};
    int code = al_arguments_parse(&al_run_command, argc, argv, run, &parsed, error);
    if (code == 0)
        code = apply(run, &parsed, error);
    if (code == 0)
        code = select_plugins(run, parsed.operands[0], error);
    return code;
}

void al_run_release(struct al_run *run)
{
    al_pairs_free(&run->pairs);
    al_pairs_free(&run->model);
    free(run->settings);
    free(run->preset);
    free(run->machine_name);
}

/* Count the messages of a workload, for which it must be prepared; 0: it places its actors. */
static int count_messages(const struct al_trial *trial, uint64_t *messages, struct al_error *error)
{
    const struct al_benchmark_ops *benchmark = trial->benchmark;
    *messages = 0;
    if (benchmark->place != NULL)
        return 0;
    int code = al_trial_check_memory(trial, error);
    if (code != 0)
        return code;
    void *state = benchmark->prepare(trial->parameters.values, trial->config.seed);
    *messages = benchmark->messages(state);
    benchmark->release(state);
    return 0;
}

/* The doubts about the size of a simulated run that can be foreseen. Its options are valid. */
static unsigned foresee_doubts(const struct al_trial *trial)
{
    const struct al_config *config = &trial->config;
    struct al_selection scheduler = {.plugin = &config->scheduler->plugin},
                        victim = {.plugin = &config->victim->plugin},
                        idle = {.plugin = &config->idle->plugin};
    struct al_selection *selections[] = {&scheduler, &victim, &idle};
    struct al_error error;
    if (al_options_parse(selections, 3, config->settings, config->n_settings, &error) != 0)
        return 0;
    al_preset_apply(&scheduler, config->scheduler->presets);
    struct al_evidence evidence = al_evidence_before(&trial->parameters, &scheduler, &idle,
                                                     al_trial_workers(trial));
    return al_doubts(&evidence);
}

int al_run_foresee(int argc, char **argv, al_topology_finder *find, void *finder,
                   struct al_foreseen *foreseen, struct al_error *error)
{
    struct al_run run;
    struct al_trial *trial = &run.trial;
    struct al_model *model = NULL;
    char *spec = NULL;
    int code = al_run_parse(argc, argv, &run, error);
    if (code == 0)
        code = al_trial_check_parameters(trial, error);
    if (code == 0)
        code = al_run_topology(&run, &spec, error);
    if (code == 0)
        code = find(finder, spec, &trial->config.topology, error);
    if (code == 0)
        code = al_run_model(&run, trial->config.topology, &model, error);
    if (code == 0)
        code = al_system_check(&trial->config, error);
    if (code == 0 && model != NULL) {
        foreseen->machine = al_simulated_machine_json(trial->machine, model);
        foreseen->doubts = foresee_doubts(trial);
    }
    if (code == 0 && foreseen->with_messages)
        code = count_messages(trial, &foreseen->messages, error);
    al_model_free(model);
    free(spec);
    al_run_release(&run);
    return code;
}
