/* SPDX-License-Identifier: MIT */

/* `actorlab calibrate`: measure what the steps of a machine cost, and write its machine file; or
 * measure a simulated machine, and compare that with its file. */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "benchmarks/harness/commands/arguments.h"
#include "benchmarks/harness/commands/calibrate_contention.h"
#include "benchmarks/harness/commands/measuring.h"
#include "benchmarks/harness/measure/calibration.h"
#include "benchmarks/harness/measure/calibration_fit.h"
#include "benchmarks/harness/measure/noise.h"
#include "benchmarks/harness/measure/machines.h"
#include "benchmarks/harness/measure/probe.h"
#include "benchmarks/harness/measure/simulated.h"
#include "benchmarks/harness/show/calibration.h"
#include "benchmarks/harness/text/json.h"
#include "core/counted.h"
#include "core/engine/sim/sim.h"

enum engine { NATIVE, SIM };
static const char *const engines[] = {[NATIVE] = "native", [SIM] = "sim", NULL};

enum gate { GATE_WAIT, GATE_OFF };
static const char *const gates[] = {[GATE_WAIT] = "wait", [GATE_OFF] = "off", NULL};

/* How long the gate waits. */
#define PATIENCE_NS 10000000000u

/* On a shared host the neighbours, and the cores that it gives, change from second to second.
 * Measure all in so many rounds, so long after one another, and begin none after half a minute. */
#define ROUNDS       9
#define BETWEEN_NS   1000000000u
#define LAST_ROUND_S 30

struct choices {
    const char *out, *machine, *against;
    bool contention;
    unsigned engine, gate;
    uint64_t repeats, rounds;
};

#define AT(field) offsetof(struct choices, field)

static const struct al_argument arguments[] = {
    {"out", "FILE", AL_ARGUMENT_FILE, AT(out),
     .help = "write the machine file to FILE; with --contention, what was measured, as JSON"},
    {"contention", NULL, AL_ARGUMENT_FLAG, AT(contention),
     .help = "measure what contention costs instead, by 1 to 64 threads on cores of their own"},
    {"against", "FILE", AL_ARGUMENT_FILE, AT(against),
     .help = "with --contention: compare with a file that it wrote, here or elsewhere"},
    {"engine", "ENGINE", AL_ARGUMENT_WORD, AT(engine),
     .help = "native: measure this machine; sim: measure a simulated one, and compare",
     .standard = "native", .words = engines},
    {"machine", "NAME", AL_ARGUMENT_NAME, AT(machine),
     .help = "the machine to simulate: a name that `actorlab machine` lists, or a file"},
    {"gate", "GATE", AL_ARGUMENT_WORD, AT(gate),
     .help = "wait: wait at most 10 s for an idle machine, and refuse to measure a busy one; "
             "off: measure anyway",
     .standard = "wait", .words = gates},
    {"repeats", "N", AL_ARGUMENT_UINT, AT(repeats),
     .help = "how often to measure each quantity (default: " AL_SHOWN(
         AL_CALIBRATION_REPEATS) ", simulated " AL_SHOWN(AL_CALIBRATION_REPEATS_SIM) ")",
     .min = 1, .max = 1000},
    {"rounds", "N", AL_ARGUMENT_UINT, AT(rounds),
     .help = "natively: how many rounds of all measurements, a second apart, of which none begins "
             "after half a minute (default: " AL_SHOWN(ROUNDS) ")",
     .min = 1, .max = 100},
    {0},
};

static void set_instruction(struct al_calibration *calibration, const struct al_fit *fit,
                            const char *source)
{
    char text[400];
    snprintf(text, sizeof text,
             "%s, fitted to send-static and executor by inverted and deque: %.3g, %.3g, %.3g and "
             "%.3g ns a message, simulated %.3g, %.3g, %.3g and %.3g",
             source, fit->ns[0], fit->ns[1], fit->ns[2], fit->ns[3], fit->simulated_ns[0],
             fit->simulated_ns[1], fit->simulated_ns[2], fit->simulated_ns[3]);
    al_calibration_set(calibration, AL_MODEL_INSTRUCTION, fit->value, fit->low, fit->high,
                       AL_MODEL_MEASURED, text);
}

static int write_file(const struct al_calibration *calibration, const char *title, const char *path,
                      struct al_error *error)
{
    FILE *file = fopen(path, "w");
    if (file == NULL)
        return al_error_set(error, -errno, "could not write '%s': %s", path, strerror(errno));
    int code = al_model_write(calibration->calibrator.topology, calibration->values, title, file,
                              error);
    if ((ferror(file) | fclose(file)) != 0 && code == 0)
        code = al_error_set(error, -EIO, "could not write '%s': %s", path, strerror(errno));
    return code;
}

/* Write the other parameters for the simulator, and fit `instruction`. */
static int fit_instruction(struct al_calibration *calibration, struct al_fit_times *times,
                           const char *title, const char *source, struct al_error *error)
{
    char path[] = "/tmp/actorlab-XXXXXX.xml";
    struct al_fit fit;
    int file = mkstemps(path, (int)strlen(".xml"));
    if (file == -1)
        return al_error_set(error, -errno, "cannot write to /tmp: %s", strerror(errno));
    close(file);
    int code = write_file(calibration, title, path, error);
    if (code == 0)
        code = al_fit_run(path, times, &fit, error);
    if (code == 0)
        set_instruction(calibration, &fit, source);
    unlink(path);
    return code;
}

static void describe(const struct al_topology *topology, char title[200], char source[80])
{
    char *model = al_probe_line("/proc/cpuinfo", "model name"), date[16];
    time_t now = time(NULL);
    struct tm parts;
    strftime(date, sizeof date, "%Y-%m-%d", gmtime_r(&now, &parts));
    snprintf(title, 200, "%.150s, %s", model != NULL ? model : "unknown processor",
             al_counted(al_topology_n_pus(topology), "PU").text);
    snprintf(source, 80, "actorlab calibrate, %.15s", date);
    free(model);
}

/* Measure in rounds, each with a calibration of its own, and pool what they find. Each may add the
 * same share of the samples that are kept. */
static int run_rounds(struct al_calibration *calibration, struct al_fit_times *times,
                      uint64_t rounds, struct al_error *error)
{
    struct al_progress progress = {.began = time(NULL), .rounds = rounds};
    size_t repeats = calibration->calibrator.repeats, most = AL_SAMPLES_MOST / rounds;
    int code = 0;
    for (; progress.round < rounds && code == 0; progress.round++) {
        if (progress.round > 0 && difftime(time(NULL), progress.began) > LAST_ROUND_S)
            break;
        if (progress.round > 0)
            al_sleep_ns(BETWEEN_NS);
        struct al_calibration *round = al_needed(malloc(sizeof *round));
        code = al_calibration_new(round, calibration->calibrator.topology,
                                  repeats < most ? repeats : most, error);
        if (code == 0) {
            round->argument = &progress;
            round->progress = isatty(STDERR_FILENO) ? al_progress_show : NULL;
            code = al_calibration_run(round, error);
            al_calibration_pool(calibration, round);
        }
        if (code == 0)
            code = al_fit_measure(NULL, times, error);
        al_calibration_free(round);
        free(round);
    }
    return code;
}

static int measure_natively(const struct choices *choices, struct al_calibration *calibration,
                            struct al_error *error)
{
    char title[200], source[80];
    struct al_calm calm;
    struct al_fit_times times = {0};
    if (choices->out != NULL && !al_can_write(choices->out, error))
        return AL_EXIT_WRITE;
    if (choices->gate == GATE_WAIT && !al_calm_wait("", PATIENCE_NS, error))
        return AL_EXIT_FAILED;
    al_calm_begin(&calm);
    uint64_t rounds = choices->rounds != 0 ? choices->rounds : ROUNDS;
    int code = run_rounds(calibration, &times, rounds, error);
    double disturbed = al_calm_end(&calm);
    al_progress_end();
    if (code != 0)
        return AL_EXIT_FAILED;
    describe(calibration->calibrator.topology, title, source);
    al_calibration_conclude(calibration, source);
    if (fit_instruction(calibration, &times, title, source, error) != 0)
        return AL_EXIT_FAILED;
    al_calibration_print(calibration, stdout);
    al_warn_if_disturbed("calibrate", disturbed);
    if (choices->out == NULL)
        return AL_EXIT_OK;
    return write_file(calibration, title, choices->out, error) == 0 ? AL_EXIT_OK : AL_EXIT_WRITE;
}

/* What the first task of the engine does. */
struct job {
    struct al_calibration *calibration;
    struct al_error *error;
    int code;
};

static void run_job(void *argument)
{
    struct job *job = argument;
    job->code = al_calibration_run(job->calibration, job->error);
}

static int measure_simulated(const struct choices *choices, struct al_calibration *calibration,
                             struct al_error *error)
{
    struct al_model *model;
    if (al_model_load(calibration->calibrator.topology, &model, error) != 0)
        return AL_EXIT_USAGE;
    struct al_machine *machine = al_needed(al_machine_new(model));
    struct al_sim_config sim = {.machine = machine};
    struct al_engine_config config = {.ops = &al_engine_sim, .model = &sim};
    struct al_engine_result result;
    struct job job = {calibration, error, 0};
    al_engine_run(&config, run_job, &job, &result);
    al_progress_end();
    if (result.end != AL_ENGINE_DONE)
        job.code = al_error_set(error, -EDEADLK, "%s", result.text);
    struct al_fit fit;
    struct al_fit_times times = {0};
    if (job.code == 0) {
        al_calibration_conclude(calibration, "simulated");
        job.code = al_fit_measure(choices->machine, &times, error);
    }
    if (job.code == 0)
        job.code = al_fit_run(choices->machine, &times, &fit, error);
    int code = AL_EXIT_FAILED;
    if (job.code == 0) {
        set_instruction(calibration, &fit, "simulated");
        size_t different = al_calibration_compare(calibration, model, machine, stdout);
        if (different != 0)
            al_error_set(error, -ERANGE, "%s %s from %s by more than %.0f%%",
                         al_counted(different, "parameter").text,
                         different == 1 ? "differs" : "differ", choices->machine,
                         100 * AL_CALIBRATION_TOLERANCE);
        else
            code = AL_EXIT_OK;
    }
    al_machine_free(machine);
    al_model_free(model);
    return code;
}

/* This machine, or the one to simulate. */
static int load_topology(const struct choices *choices, struct al_topology **topology,
                         struct al_error *error)
{
    char *path = NULL;
    int code = choices->machine != NULL ? al_machine_path(choices->machine, &path, error) : 0;
    if (code == 0)
        code = al_topology_load(path, topology, error);
    free(path);
    return code;
}

/* Natively when the machine is idle. */
static int measure_contention(const struct choices *choices, struct al_error *error)
{
    struct al_topology *topology;
    char title[200], source[80];
    bool simulated = choices->engine == SIM;
    struct al_contention_choices contention = {choices->out, choices->against, simulated,
                                               choices->repeats};
    struct al_calm calm;
    if (load_topology(choices, &topology, error) != 0)
        return AL_EXIT_USAGE;
    int code = AL_EXIT_FAILED;
    if (simulated) {
        code = al_contention_command(&contention, topology, choices->machine, error);
    } else if (choices->gate == GATE_OFF || al_calm_wait("", PATIENCE_NS, error)) {
        al_calm_begin(&calm);
        describe(topology, title, source);
        code = al_contention_command(&contention, topology, title, error);
        al_warn_if_disturbed("calibrate", al_calm_end(&calm));
    }
    al_topology_free(topology);
    return code;
}

static int measure(const struct choices *choices, struct al_error *error)
{
    struct al_topology *topology;
    struct al_progress progress = {.began = time(NULL), .rounds = 1};
    bool simulated = choices->engine == SIM;
    size_t usual = simulated ? AL_CALIBRATION_REPEATS_SIM : AL_CALIBRATION_REPEATS;
    struct al_calibration *calibration = al_needed(malloc(sizeof *calibration));
    if (load_topology(choices, &topology, error) != 0) {
        free(calibration);
        return AL_EXIT_USAGE;
    }
    int code = AL_EXIT_FAILED;
    if (al_calibration_new(calibration, topology, choices->repeats != 0 ? choices->repeats : usual,
                           error) == 0) {
        calibration->argument = &progress;
        calibration->progress = isatty(STDERR_FILENO) ? al_progress_show : NULL;
        code = simulated ? measure_simulated(choices, calibration, error)
                         : measure_natively(choices, calibration, error);
    }
    al_calibration_free(calibration);
    free(calibration);
    al_topology_free(topology);
    return code;
}

/* The same command, by the program that simulates. */
static int run_simulator(const struct choices *choices, struct al_error *error)
{
    char repeats[24];
    char *words[16] = {"actorlab",  "calibrate", "--engine",
                       "sim",       "--machine", (char *)choices->machine,
                       "--repeats", repeats};
    size_t n = choices->repeats != 0 ? 8 : 6;
    snprintf(repeats, sizeof repeats, "%" PRIu64, choices->repeats);
    words[n] = NULL;
    if (choices->contention)
        words[n++] = "--contention";
    if (choices->against != NULL) {
        words[n++] = "--against";
        words[n++] = (char *)choices->against;
    }
    if (choices->out != NULL) {
        words[n++] = "--out";
        words[n++] = (char *)choices->out;
    }
    words[n] = NULL;
    return al_simulate_exec(words, error) != 0 ? AL_EXIT_FAILED : AL_EXIT_OK;
}

static int calibrate_main(int argc, char **argv)
{
    struct choices choices = {0};
    struct al_parsed parsed;
    struct al_error error = {""};
    int code = AL_EXIT_USAGE;
    if (!al_arguments_read(&al_calibrate_command, argc, argv, &choices, &parsed))
        return code;
    if ((choices.engine == SIM) != (choices.machine != NULL))
        al_error_set(&error, -EINVAL, "%s; valid: both or neither",
                     choices.machine != NULL ? "--machine without --engine sim"
                                             : "--engine sim without --machine");
    else if (choices.against != NULL && !choices.contention)
        al_error_set(&error, -EINVAL, "--against without --contention; valid: both");
    else if (choices.contention && choices.rounds != 0)
        al_error_set(&error, -EINVAL, "--rounds with --contention; valid: --repeats");
    else if (choices.engine == SIM && choices.out != NULL && !choices.contention)
        al_error_set(&error, -EINVAL, "--out with --engine sim; valid: without, as it has a file");
    else if (choices.engine == SIM && choices.rounds != 0)
        al_error_set(&error, -EINVAL,
                     "--rounds with --engine sim; valid: without, as nothing disturbs it");
    else if (choices.engine == SIM && !al_is_virtual)
        code = run_simulator(&choices, &error);
    else if (choices.contention)
        code = measure_contention(&choices, &error);
    else
        code = measure(&choices, &error);
    if (error.text[0] != '\0')
        al_refuse("calibrate", "%s", error.text);
    return code;
}

const struct al_command al_calibrate_command = {
    .name = "calibrate",
    .help = "measure what the steps of a machine cost, for the simulator",
    .usage = "[--contention] [--out FILE]\n--engine sim --machine NAME",
    .about =
        "Measures the parameters of a simulated machine on this one: hand-offs of cache lines "
        "between PUs, caches, memory, instructions, threads and the allocator. It takes less "
        "than two minutes, and needs an idle machine.\n\nWith --engine sim it measures a "
        "simulated machine instead, and prints its file's values beside the measured ones; the "
        "exit code is 1 if any differ by more than 10%.\n\nWith --contention it measures small "
        "programs on contended lines, locks, memory and the allocator, here or on a simulated "
        "machine, for comparison with --against.",
    .arguments = arguments,
    .run = calibrate_main,
};
