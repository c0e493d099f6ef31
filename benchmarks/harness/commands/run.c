/* SPDX-License-Identifier: MIT */

/* `actorlab run`: the command line, the line for people, the record. */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "benchmarks/harness/commands/arguments.h"
#include "benchmarks/harness/commands/check.h"
#include "benchmarks/harness/commands/commands.h"
#include "benchmarks/harness/measure/environment.h"
#include "benchmarks/harness/measure/record.h"
#include "benchmarks/harness/measure/timeline.h"
#include "benchmarks/harness/show/stats.h"
#include "benchmarks/harness/statistics/statistics.h"
#include "benchmarks/harness/text/format.h"
#include "core/observe/trace.h"
#include "schedulers/registry.h"

#define RESAMPLES 10000
#define LEVEL     0.95

static const char usage[] =
    "usage: actorlab run WORKLOAD [options]\n\n"
    "  --scheduler NAME   strategy (default: inverted)\n"
    "  --victim NAME      victim heuristic (default: the strategy's own)\n"
    "  --idle NAME        idle policy (default: the strategy's own)\n"
    "  --workers N        worker threads (default: one for each usable PU)\n"
    "  --size SIZE        small (well under a second), default, or paper (the source's)\n"
    "  --set KEY=VALUE    a parameter of the workload or an option of a plug-in; may be repeated\n"
    "  --iterations K     measured iterations in this process (default: 5)\n"
    "  --warmup K         iterations before them (default: 1)\n"
    "  --seed X           of all random choices (default: 1)\n"
    "  --timeout S        give up when no message was delivered for S seconds (default: 60; 0: "
    "never)\n"
    "  --pin POLICY       " AL_TOPOLOGY_POLICIES " (default: close)\n"
    "  --topology SPEC    place workers as on another machine: a file.xml or a synthetic form\n"
    "  --oversubscribe    allow more workers than PUs; the record says so\n"
    "  --json FILE        append the record to FILE (-: standard output)\n"
    "  --stats            print the counters of each worker\n"
    "  --trace FILE       write a timeline of each worker in the last iteration, for "
    "ui.perfetto.dev\n"
    "  --trace-events N   of each worker, keep the last N events (default: 262144)\n\n"
    "`actorlab list` shows workloads, plug-ins and their options.\n";

/* The command's own numbers, as a table like any plug-in's. */
enum number { WORKERS, ITERATIONS, WARMUP, SEED, TIMEOUT, TRACE_EVENTS };

static const struct al_option numbers[] = {
    [WORKERS] = {"workers", AL_OPTION_UINT, "1", 1, AL_WORKERS_MOST, NULL, ""},
    [ITERATIONS] = {"iterations", AL_OPTION_UINT, "5", 1, 1e6, NULL, ""},
    [WARMUP] = {"warmup", AL_OPTION_UINT, "1", 0, 1e6, NULL, ""},
    [SEED] = {"seed", AL_OPTION_UINT, "1", 0, 9e15, NULL, ""},
    [TIMEOUT] = {"timeout", AL_OPTION_UINT, "60", 0, 1e6, NULL, ""},
    [TRACE_EVENTS] = {"trace-events", AL_OPTION_UINT, "262144", 1, 1 << 30, NULL, ""},
    {0},
};

static const struct al_plugin numbers_plugin = {"run", "", numbers};

struct arguments {
    const char *benchmark, *topology, *json, *size;
    char *preset; /* the settings of the size, cut at the spaces */
    /* argc of each at most, and a preset */
    struct al_setting *settings, *system_settings, *numbers;
    size_t n_settings, n_system_settings, n_numbers;
    bool stats, has_workers;
    struct al_choice choice;
    struct al_trial trial;
};

/* The flags that take a string, and where it goes. */
static const char **string_flag(struct arguments *arguments, const char *flag)
{
    const struct {
        const char *flag, **where;
    } flags[] = {
        {"--scheduler", &arguments->choice.scheduler},
        {"--victim", &arguments->choice.victim},
        {"--idle", &arguments->choice.idle},
        {"--pin", &arguments->trial.config.pin},
        {"--topology", &arguments->topology},
        {"--json", &arguments->json},
        {"--size", &arguments->size},
        {"--trace", &arguments->trial.trace},
    };
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        if (strcmp(flags[i].flag, flag) == 0)
            return flags[i].where;
    }
    return NULL;
}

static int parse_flag(struct arguments *arguments, const char *flag, char *value, int *used,
                      struct al_error *error)
{
    *used = 1;
    if (strcmp(flag, "--stats") == 0) {
        arguments->stats = true;
        return 0;
    }
    if (strcmp(flag, "--oversubscribe") == 0) {
        arguments->trial.config.oversubscribe = true;
        return 0;
    }
    const char **where = string_flag(arguments, flag);
    size_t number;
    bool is_number = strncmp(flag, "--", 2) == 0 &&
                     al_option_matches(&numbers_plugin, flag + 2, &number);
    bool is_setting = strcmp(flag, "--set") == 0;
    if (where == NULL && !is_number && !is_setting)
        return al_error_set(error, -EINVAL,
                            "unknown option '%s'; valid: --scheduler, --victim, --idle, --workers, "
                            "--size, --set, --iterations, --warmup, --seed, --timeout, --pin, "
                            "--topology, "
                            "--oversubscribe, --json, --stats, --trace, --trace-events",
                            flag);
    if (value == NULL)
        return al_error_set(error, -EINVAL, "'%s' needs a value", flag);
    *used = 2;
    if (where != NULL) {
        *where = value;
    } else if (is_number) {
        arguments->numbers[arguments->n_numbers++] = (struct al_setting){flag + 2, value};
        arguments->has_workers |= number == WORKERS;
    } else {
        char *equals = strchr(value, '=');
        if (equals == NULL)
            return al_error_set(error, -EINVAL, "'--set %s' is not of the form KEY=VALUE", value);
        *equals = '\0';
        arguments->settings[arguments->n_settings++] = (struct al_setting){value, equals + 1};
    }
    return 0;
}

static int parse_arguments(struct arguments *arguments, int argc, char **argv,
                           struct al_error *error)
{
    for (int i = 1, used; i < argc; i += used) {
        if (argv[i][0] != '-') {
            if (arguments->benchmark != NULL)
                return al_error_set(error, -EINVAL, "two workloads, '%s' and '%s'; valid: one",
                                    arguments->benchmark, argv[i]);
            arguments->benchmark = argv[i];
            used = 1;
            continue;
        }
        int code = parse_flag(arguments, argv[i], argv[i + 1], &used, error);
        if (code != 0)
            return code;
    }
    struct al_selection own = {.plugin = &numbers_plugin};
    int code = al_options_parse(&(struct al_selection *){&own}, 1, arguments->numbers,
                                arguments->n_numbers, error);
    if (code != 0)
        return code;
    arguments->trial.iterations = (uint32_t)own.values[ITERATIONS].uint;
    arguments->trial.warmup = (uint32_t)own.values[WARMUP].uint;
    arguments->trial.config.seed = own.values[SEED].uint;
    arguments->trial.config.stall_s = (uint32_t)own.values[TIMEOUT].uint;
    if (!AL_COUNTERS && (own.given >> TIMEOUT & 1) != 0)
        return al_error_set(error, -EINVAL,
                            "--timeout watches the counters, which this build does not have "
                            "(-Dcounters=true)");
    if (arguments->trial.trace != NULL)
        arguments->trial.trace_events = (uint32_t)own.values[TRACE_EVENTS].uint;
    else if ((own.given >> TRACE_EVENTS & 1) != 0)
        return al_error_set(error, -EINVAL, "--trace-events has no meaning without --trace FILE");
    if (arguments->has_workers)
        arguments->trial.config.workers = (uint32_t)own.values[WORKERS].uint;
    return 0;
}

/* The settings of a size go before the user's own, which may change them. */
static int apply_size(struct arguments *arguments, struct al_error *error)
{
    const struct al_benchmark_ops *benchmark = arguments->trial.benchmark;
    const char *size = arguments->size, *preset = NULL;
    if (size == NULL || strcmp(size, "default") == 0)
        return 0;
    if (strcmp(size, "small") == 0)
        preset = benchmark->small;
    else if (strcmp(size, "paper") == 0)
        preset = benchmark->paper; /* NULL: that is the default */
    else
        return al_error_set(error, -EINVAL, "unknown size '%s'; valid: small, default, paper",
                            size);
    if (preset == NULL)
        return 0;
    arguments->preset = strdup(preset);
    if (arguments->preset == NULL)
        al_out_of_memory("the command line", strlen(preset));
    size_t n = 0;
    struct al_setting settings[AL_OPTIONS_MOST];
    char *rest;
    for (char *setting = strtok_r(arguments->preset, " ", &rest);
         setting != NULL && n < AL_OPTIONS_MOST; setting = strtok_r(NULL, " ", &rest)) {
        char *equals = strchr(setting, '=');
        *equals = '\0';
        settings[n++] = (struct al_setting){setting, equals + 1};
    }
    memmove(arguments->settings + n, arguments->settings,
            arguments->n_settings * sizeof *arguments->settings);
    memcpy(arguments->settings, settings, n * sizeof *settings);
    arguments->n_settings += n;
    return 0;
}

/* Look up the plug-ins, parse all options, and tell those of the workload from the system's. */
static int select_plugins(struct arguments *arguments, struct al_error *error)
{
    struct al_trial *trial = &arguments->trial;
    struct al_config *config = &trial->config;
    if (arguments->benchmark == NULL)
        return al_error_set(error, -EINVAL, "no workload; `actorlab list` shows them");
    const struct al_plugin *benchmark = al_plugin_find(al_benchmarks, "workload",
                                                       arguments->benchmark, error);
    if (benchmark == NULL)
        return -EINVAL;
    trial->benchmark = AL_OPS(benchmark, al_benchmark_ops);
    trial->parameters.plugin = benchmark;
    config->latencies = trial->benchmark->latencies;
    if (apply_size(arguments, error) != 0)
        return -EINVAL;
    int code = al_choose(&arguments->choice, config, error);
    if (code != 0)
        return code;
    struct al_selection scheduler = {.plugin = &config->scheduler->plugin},
                        victim = {.plugin = &config->victim->plugin},
                        idle = {.plugin = &config->idle->plugin};
    struct al_selection *selections[] = {&trial->parameters, &scheduler, &victim, &idle};
    code = al_options_parse(selections, 4, arguments->settings, arguments->n_settings, error);
    for (size_t i = 0; i < arguments->n_settings; i++) {
        size_t index;
        if (!al_option_matches(benchmark, arguments->settings[i].key, &index))
            arguments->system_settings[arguments->n_system_settings++] = arguments->settings[i];
    }
    config->settings = arguments->system_settings;
    config->n_settings = arguments->n_system_settings;
    return code;
}

static void print_latencies(const struct al_report *report, FILE *file)
{
    const struct al_histogram *histogram = report->latencies;
    if (histogram == NULL)
        return;
    double unit = report->ns_per_cycle;
    fprintf(file, ", latency %s (median), %s (99%%), %s (most)",
            al_format_duration((double)al_histogram_quantile(histogram, 0.5) * unit).text,
            al_format_duration((double)al_histogram_quantile(histogram, 0.99) * unit).text,
            al_format_duration((double)histogram->max * unit).text);
}

/* Whether each worker that was to be bound was seen on its PU. */
static bool is_bound(const struct al_report *report)
{
    for (uint32_t i = 0; i < report->n_workers; i++) {
        if (report->workers[i].pu != report->workers[i].bound)
            return false;
    }
    return true;
}

/* "executor on inverted, victim longest, 2 workers": what is, or was to be, run. */
static void print_case(const char *benchmark, const struct al_plugin *scheduler,
                       const struct al_plugin *victim, const struct al_plugin *idle,
                       uint32_t n_workers, FILE *file)
{
    const struct al_scheduler_ops *ops = AL_OPS(scheduler, al_scheduler_ops);
    fprintf(file, "%s on %s", benchmark, ops->plugin.name);
    if (ops->steals)
        fprintf(file, ", victim %s", victim->name);
    if (idle != &ops->idle->plugin)
        fprintf(file, ", idle %s", idle->name);
    fprintf(file, ", %u worker%s", n_workers, n_workers == 1 ? "" : "s");
}

static void print_line(const struct al_trial *trial, const struct al_outcome *outcome, FILE *file)
{
    const struct al_report *report = &outcome->report;
    print_case(trial->benchmark->plugin.name, report->scheduler.plugin, report->victim.plugin,
               report->idle.plugin, report->n_workers, file);
    fprintf(file, "%s%s: ", report->oversubscribed ? " (oversubscribed)" : "",
            is_bound(report) ? "" : " (not bound to their PUs)");
    if (outcome->wrong) {
        fprintf(file, "WRONG: %s\n", outcome->error.text);
        return;
    }
    double *times = malloc(outcome->n_times * sizeof *times);
    if (times == NULL)
        al_out_of_memory("the times", outcome->n_times * sizeof *times);
    for (uint32_t i = 0; i < outcome->n_times; i++)
        times[i] = (double)outcome->time_ns[i];
    struct al_interval interval = {0};
    if (al_bootstrap_median(times, outcome->n_times, RESAMPLES, LEVEL, trial->config.seed, NULL,
                            &interval) != 0)
        al_out_of_memory("the interval", RESAMPLES * sizeof *times);
    free(times);
    fprintf(file, "%s", al_format_duration(interval.median).text);
    if (outcome->n_times > 1)
        fprintf(file, " [%s, %s: %.1f%% interval of %u iterations]",
                al_format_duration(interval.low).text, al_format_duration(interval.high).text,
                interval.achieved * 100, outcome->n_times);
    double messages = (double)outcome->messages;
    fprintf(file, ", %s ns per message, %s, peak memory %s",
            al_format_number(interval.median / messages, 3).text,
            al_format_rate(messages / interval.median * 1e9).text,
            al_format_bytes((double)al_peak_rss_bytes()).text);
    print_latencies(report, file);
    if (outcome->placement != NULL)
        fprintf(file, ", placement: %s", outcome->placement);
    fputc('\n', file);
}

static void print_trace(const struct al_trial *trial, const struct al_report *report, FILE *file)
{
    uint64_t left = 0, dropped = 0;
    for (uint32_t i = 0; i < report->n_workers; i++) {
        left += al_trace_left(report->workers[i].trace);
        dropped += report->workers[i].trace->n;
    }
    dropped -= left;
    fprintf(file, "timeline of the last iteration: %s, %" PRIu64 " events", trial->trace, left);
    if (dropped != 0)
        fprintf(file, "; the oldest %" PRIu64 " were dropped, --trace-events keeps more", dropped);
    fputc('\n', file);
}

/* No message is delivered any more: the threads cannot be stopped, so the process ends. */
static void stalled(void *argument, const char *text)
{
    const struct al_trial *trial = argument;
    const struct al_config *config = &trial->config;
    fprintf(stderr, "actorlab run: ");
    print_case(trial->benchmark->plugin.name, &config->scheduler->plugin, &config->victim->plugin,
               &config->idle->plugin, al_workers(), stderr);
    fprintf(stderr, ", seed %" PRIu64 ": %s\n", config->seed, text);
    fflush(NULL);
    _exit(AL_EXIT_TIMEOUT);
}

static int run(struct arguments *arguments, struct al_error *error)
{
    struct al_trial *trial = &arguments->trial;
    struct al_outcome outcome;
    /* Before anything is measured, not after. */
    if (al_argument_text("pin", trial->config.pin, error) != 0 ||
        al_argument_text("topology", arguments->topology, error) != 0 ||
        al_argument_text("trace", trial->trace, error) != 0)
        return AL_EXIT_USAGE;
    if (arguments->json != NULL && al_record_check(arguments->json, error) != 0)
        return AL_EXIT_USAGE;
    if (trial->trace != NULL && al_timeline_check(trial, trial->trace, error) != 0)
        return AL_EXIT_USAGE;
    trial->progress = isatty(STDERR_FILENO);
    trial->config.stalled = stalled;
    trial->config.stalled_argument = trial;
    int code = al_topology_load(arguments->topology, &trial->topology, error);
    if (code != 0)
        return AL_EXIT_USAGE;
    trial->config.topology = trial->topology;
    code = al_trial_run(trial, &outcome, error);
    int exit_code = code == -EINVAL              ? AL_EXIT_USAGE
                    : code != 0 || outcome.wrong ? AL_EXIT_FAILED
                                                 : AL_EXIT_OK;
    if (code == 0) {
        bool to_stdout = arguments->json != NULL && strcmp(arguments->json, "-") == 0;
        FILE *file = to_stdout ? stderr : stdout;
        print_line(trial, &outcome, file);
        if (arguments->stats)
            al_stats_print(&outcome.report, file);
        if (arguments->json != NULL) {
            json_t *record = al_record(trial, &outcome);
            if (record == NULL)
                al_out_of_memory("the record", 0);
            code = al_record_append(record, arguments->json, error);
            json_decref(record);
        }
        /* An iteration that was wrong ends the trial: the last one, which is traced, may not have been. */
        if (code == 0 && outcome.report.workers[0].trace != NULL) {
            print_trace(trial, &outcome.report, file);
            code = al_timeline_write(trial, &outcome, trial->trace, error);
        }
        if (code != 0)
            exit_code = AL_EXIT_WRITE;
    }
    al_outcome_free(&outcome);
    al_topology_free(trial->topology);
    if (code != 0)
        return exit_code;
    error->text[0] = '\0';
    return exit_code;
}

/* Settings for so many words: of the command line, of a size, of the system, and numbers. */
static struct al_setting *settings_for(int argc, struct arguments *arguments)
{
    size_t most = (size_t)argc + AL_OPTIONS_MOST;
    struct al_setting *settings = calloc(most, 3 * sizeof *settings);
    if (settings == NULL)
        al_out_of_memory("the command line", most * 3 * sizeof *settings);
    *arguments = (struct arguments){
        .settings = settings, .system_settings = settings + most, .numbers = settings + 2 * most};
    return settings;
}

int al_run_check(int argc, char **argv, al_topology_finder *find, void *finder,
                 struct al_error *error)
{
    struct arguments arguments;
    struct al_setting *settings = settings_for(argc, &arguments);
    struct al_trial *trial = &arguments.trial;
    int code = parse_arguments(&arguments, argc, argv, error);
    if (code == 0)
        code = select_plugins(&arguments, error);
    if (code == 0)
        code = al_argument_text("pin", trial->config.pin, error);
    if (code == 0)
        code = al_argument_text("topology", arguments.topology, error);
    if (code == 0)
        code = al_trial_check_parameters(trial, error);
    if (code == 0)
        code = find(finder, arguments.topology, &trial->config.topology, error);
    if (code == 0)
        code = al_system_check(&trial->config, error);
    free(arguments.preset);
    free(settings);
    return code;
}

int al_run_main(int argc, char **argv)
{
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        fputs(usage, stdout);
        return AL_EXIT_OK;
    }
    struct arguments arguments;
    struct al_setting *settings = settings_for(argc, &arguments);
    struct al_error error = {""};
    int exit_code = AL_EXIT_USAGE;
    if (parse_arguments(&arguments, argc, argv, &error) == 0 &&
        select_plugins(&arguments, &error) == 0)
        exit_code = run(&arguments, &error);
    if (error.text[0] != '\0')
        fprintf(stderr, "actorlab run: %s\n", error.text);
    free(arguments.preset);
    free(settings);
    return exit_code;
}
