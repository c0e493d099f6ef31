/* SPDX-License-Identifier: MIT */

/* Calibrating: which PUs are measured on, what follows from values, and the gate before it. */

#include "benchmarks/harness/measure/calibration.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "benchmarks/harness/measure/noise.h"
#include "tests/support/tap.h"

#define TWO_PACKAGES "package:2 [numa] l3:2(size=4194304) l2:3(size=524288) core:1 pu:1"

static struct al_calibration *plan(const char *spec, struct al_topology **topology)
{
    struct al_calibration *calibration = malloc(sizeof *calibration);
    struct al_error error;
    CHECK(calibration != NULL && al_topology_load(spec, topology, &error) == 0, "%s", spec);
    CHECK(al_calibration_new(calibration, *topology, 3, &error) == 0, "%s", error.text);
    return calibration;
}

static void release(struct al_calibration *calibration, struct al_topology *topology)
{
    al_calibration_free(calibration);
    free(calibration);
    al_topology_free(topology);
}

static size_t n_of_class(const struct al_calibration *calibration, enum al_model_key class)
{
    size_t n = 0;
    for (size_t i = 0; i < calibration->n_pairs; i++)
        n += calibration->pairs[i].class == class;
    return n;
}

static void test_plan(struct tap *tap)
{
    struct al_topology *topology;
    struct al_calibration *calibration = plan(TWO_PACKAGES, &topology);
    bool distinct = true;
    for (size_t i = 0; i < calibration->n_pairs; i++) {
        const struct al_calibration_pair *a = &calibration->pairs[i];
        distinct &= a->pu != a->other;
        for (size_t k = 0; k < i; k++) {
            const struct al_calibration_pair *b = &calibration->pairs[k];
            distinct &= !(a->pu == b->pu && a->other == b->other) &&
                        !(a->pu == b->other && a->other == b->pu);
        }
    }
    tap_ok(tap, distinct, "pairs of different PUs, none twice");
    tap_ok(tap,
           n_of_class(calibration, AL_MODEL_HANDOFF_L3) >= 2 &&
               n_of_class(calibration, AL_MODEL_HANDOFF_PACKAGE) >= 2 &&
               n_of_class(calibration, AL_MODEL_HANDOFF_MACHINE) >= 2 &&
               n_of_class(calibration, AL_MODEL_HANDOFF_CORE) == 0,
           "several of each class that there is");
    const struct al_calibration_pair *nearest = al_calibration_between_cores(calibration, false);
    tap_ok(tap, nearest != NULL && nearest->class == AL_MODEL_HANDOFF_L3, "the nearest pair");
    unsigned pu, other, home;
    tap_ok(tap,
           al_calibration_away(calibration, &pu, &other, &home) && pu / 6 == other / 6 &&
               pu / 3 != other / 3 && pu / 6 != home / 6,
           "a pair beyond an L3, and a home in another package");
    tap_ok(tap,
           al_calibration_memory_pair(calibration, AL_MODEL_MEMORY_MACHINE, &pu, &home) &&
               pu / 6 != home / 6 &&
               !al_calibration_memory_pair(calibration, AL_MODEL_MEMORY_PACKAGE, &pu, &home),
           "memories");
    tap_ok(tap, calibration->calibrator.l3 == 65536 && calibration->calibrator.l2 == 8192,
           "lines of the caches");
    release(calibration, topology);
    calibration = plan("l3:1 core:3 pu:1", &topology);
    tap_ok(tap, calibration->n_pairs == 3, "three PUs: three pairs, not six");
    release(calibration, topology);
    calibration = plan("core:1 pu:1", &topology);
    tap_ok(tap,
           calibration->n_pairs == 0 && al_calibration_between_cores(calibration, false) == NULL,
           "one PU: no pairs");
    release(calibration, topology);
}

static void test_values(struct tap *tap)
{
    struct al_topology *topology;
    struct al_calibration *calibration = plan("l3:1 core:2 pu:1", &topology);
    struct al_calibration_pair *pair = &calibration->pairs[0];
    for (int i = 1; i <= 11; i++) {
        al_samples_add(&calibration->calibrator.samples[AL_MODEL_PAUSE], i == 11 ? 1000 : 12 - i);
        al_samples_add(&calibration->calibrator.samples[AL_MODEL_WAKE], i == 11 ? 1000 : 12 - i);
        al_samples_add(&pair->handoff, 50);
        al_samples_add(&pair->passes[AL_PASS_DEPENDENT], 40);
        al_samples_add(&pair->passes[AL_PASS_INDEPENDENT], 10);
        al_samples_add(&pair->passes[AL_PASS_SEQUENTIAL], 60); /* which cannot be */
        al_samples_add(&pair->passes[AL_PASS_UPDATE], 45);
    }
    al_calibration_conclude(calibration, "a test");
    const struct al_model_value *values = calibration->values;
    tap_ok(tap,
           values[AL_MODEL_WAKE].value == 7 && values[AL_MODEL_WAKE].low == 3 &&
               values[AL_MODEL_WAKE].high == 11,
           "median and range; one value far off changes neither");
    tap_ok(tap,
           values[AL_MODEL_PAUSE].value == 3 && values[AL_MODEL_PAUSE].low == 3 &&
               values[AL_MODEL_PAUSE].high == 11,
           "the 10th percentile of what one PU does alone");
    tap_ok(tap,
           values[AL_MODEL_HANDOFF_L3].value == 50 &&
               fabs(values[AL_MODEL_READ].value - 80) < 1e-9 &&
               fabs(values[AL_MODEL_INVALIDATE].value - 90) < 1e-9,
           "shares of a hand-off");
    tap_ok(tap,
           fabs(values[AL_MODEL_OVERLAP].value - 25) < 1e-9 && values[AL_MODEL_STREAM].value == 100,
           "shares of a dependent load, within what the parameter can be");
    tap_ok(tap,
           values[AL_MODEL_PAUSE].quality == AL_MODEL_MEASURED &&
               strcmp(values[AL_MODEL_PAUSE].source, "a test") == 0 &&
               values[AL_MODEL_LINE_BUSY].quality == AL_MODEL_ESTIMATED,
           "what was measured, and what was not");
    release(calibration, topology);
}

/* What two rounds find counts alike. */
static void test_pool(struct tap *tap)
{
    struct al_topology *topologies[3];
    struct al_calibration *all = plan("l3:1 core:2 pu:1", &topologies[0]);
    for (int i = 1; i <= 2; i++) {
        struct al_calibration *round = plan("l3:1 core:2 pu:1", &topologies[i]);
        al_samples_add(&round->calibrator.samples[AL_MODEL_WAKE], 10 * i);
        al_samples_add(&round->pairs[0].handoff, 20 * i);
        al_samples_add(&round->pairs[0].passes[AL_PASS_DEPENDENT], 12 * i);
        al_calibration_pool(all, round);
        release(round, topologies[i]);
    }
    al_calibration_conclude(all, "a test");
    tap_ok(tap,
           all->values[AL_MODEL_WAKE].value == 15 && all->values[AL_MODEL_HANDOFF_L3].value == 30 &&
               fabs(all->values[AL_MODEL_READ].value - 60) < 1e-9,
           "rounds are pooled");
    release(all, topologies[0]);
}

/* However much was measured of each pair. */
static void test_many(struct tap *tap)
{
    struct al_topology *topology;
    struct al_calibration *calibration = plan("l3:1 core:3 pu:1", &topology);
    for (size_t i = 0; i < AL_SAMPLES_MOST; i++) {
        al_samples_add(&calibration->pairs[0].handoff, 10);
        al_samples_add(&calibration->pairs[1].handoff, 60);
        al_samples_add(&calibration->pairs[2].handoff, 20);
    }
    al_calibration_conclude(calibration, "a test");
    tap_ok(tap, calibration->values[AL_MODEL_HANDOFF_L3].value == 20, "all pairs count alike");
    release(calibration, topology);
}

static void write_stat(const char *root, const char *text)
{
    char path[300];
    snprintf(path, sizeof path, "%s/proc/stat", root);
    FILE *file = fopen(path, "w");
    CHECK(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0, "%s", path);
}

static void test_calm(struct tap *tap)
{
    char root[] = "/tmp/actorlab-calm-XXXXXX", path[300];
    struct al_error error = {""};
    CHECK(mkdtemp(root) != NULL, "%s", root);
    snprintf(path, sizeof path, "%s/proc", root);
    CHECK(mkdir(path, 0700) == 0, "%s", path);
    tap_ok(tap, al_calm_wait(root, 0, &error), "unknown: go on");
    write_stat(root, "cpu 1 2 3\nprocs_running 1\n");
    tap_ok(tap, al_calm_wait(root, 0, &error), "nobody else runs");
    write_stat(root, "cpu 1 2 3\nprocs_running 4001\n");
    tap_ok(tap,
           !al_calm_wait(root, 20000000, &error) &&
               strstr(error.text, "4000 threads of other programs") != NULL,
           "busy: %s", error.text);
    snprintf(path, sizeof path, "rm -r %s", root);
    CHECK(system(path) == 0, "%s", path);
}

int main(void)
{
    struct tap tap = {0};
    test_plan(&tap);
    test_values(&tap);
    test_pool(&tap);
    test_many(&tap);
    test_calm(&tap);
    return tap_done(&tap);
}
