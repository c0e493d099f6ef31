/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/measure/floors.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/measure/calibration.h"
#include "benchmarks/harness/text/json.h"

const struct al_floor_text al_floor_texts[AL_FLOORS] = {
    [AL_FLOOR_COUNTER] = {"counter", "read the cycle counter"},
    [AL_FLOOR_UPDATE] = {"update", "read a word, add to it and write it"},
    [AL_FLOOR_ENVELOPE] = {"envelope", "write an envelope and read another"},
    [AL_FLOOR_BLOCK] = {"block", "take a block from a free list of one's own and give it back"},
    [AL_FLOOR_MALLOC] = {"malloc", "malloc and free a block of 64 bytes"},
    [AL_FLOOR_FENCE] = {"fence", "a sequentially consistent fence"},
    [AL_FLOOR_EXCHANGE] = {"exchange", "exchange a word that nobody else has"},
    [AL_FLOOR_LOCK] = {"lock", "take and release a spinlock that nobody else has"},
    [AL_FLOOR_POLLED] = {"polled", "take and release a spinlock at which the second PU looks"},
    [AL_FLOOR_HANDOFF] = {"handoff", "hand a line to the second PU"},
    [AL_FLOOR_PUBLISH_1] = {"publish_1", "an envelope to the second PU, each published"},
    [AL_FLOOR_PUBLISH_4] = {"publish_4", "the same, published by fours"},
    [AL_FLOOR_PUBLISH_16] = {"publish_16", "the same, published by sixteens"},
    [AL_FLOOR_PUBLISH_64] = {"publish_64", "the same, published by sixty-fours"},
};

/* Besides the messages: a step each for al_calibrate_instructions, _allocator and al_floors_loops,
 * and for what is on two PUs. */
enum { STEPS_ALONE = 3, STEPS_PAIR = AL_FLOORS - AL_FLOORS_ALONE };

struct run {
    struct al_floors *floors;
    struct al_calibrator *calibrator;
    struct al_samples *ns; /* AL_FLOORS */
    size_t step, n_steps;
    int code;
};

/* Begin a step, unless an earlier one failed. */
static bool begin(struct run *run, const char *what)
{
    struct al_floors *floors = run->floors;
    if (run->code != 0)
        return false;
    if (floors->progress != NULL)
        floors->progress(floors->argument, run->step, run->n_steps, what);
    run->step++;
    return true;
}

static void run_alone(struct run *run)
{
    struct al_calibrator *calibrator = run->calibrator;
    unsigned pu = run->floors->pus[0];
    if (begin(run, "instructions"))
        run->code = al_calibrate_instructions(calibrator, pu);
    if (begin(run, "malloc and free"))
        run->code = al_calibrate_allocator(calibrator, pu, pu);
    if (begin(run, "steps of a message"))
        run->code = al_floors_loops(calibrator, pu, run->ns);
}

static void run_pair(struct run *run)
{
    struct al_calibrator *calibrator = run->calibrator;
    unsigned pu = run->floors->pus[0], other = run->floors->pus[1];
    if (begin(run, al_floor_texts[AL_FLOOR_POLLED].name))
        run->code = al_floors_polled(calibrator, pu, other, &run->ns[AL_FLOOR_POLLED]);
    if (begin(run, al_floor_texts[AL_FLOOR_HANDOFF].name))
        run->code = al_calibrate_handoff(calibrator, pu, other, pu, false,
                                         &run->ns[AL_FLOOR_HANDOFF]);
    for (int i = AL_FLOOR_PUBLISH_1; i < AL_FLOORS; i++) {
        if (begin(run, al_floor_texts[i].name))
            run->code = al_floors_spsc(calibrator, pu, other,
                                       UINT64_C(1) << 2 * (i - AL_FLOOR_PUBLISH_1), &run->ns[i]);
    }
}

/* As calibration.h says: of what one PU does alone a low quantile, of two PUs the median. */
static double alone(const struct al_samples *samples)
{
    return al_samples_quantile(samples, AL_CALIBRATION_ALONE);
}

static void conclude(struct run *run)
{
    const struct al_samples *known = run->calibrator->samples;
    double *ns = run->floors->ns;
    for (int i = 0; i < AL_FLOORS_ALONE; i++)
        ns[i] = alone(&run->ns[i]);
    ns[AL_FLOOR_COUNTER] = alone(&known[AL_MODEL_COUNTER]);
    ns[AL_FLOOR_FENCE] = alone(&known[AL_MODEL_FENCE]);
    ns[AL_FLOOR_MALLOC] = alone(&known[AL_MODEL_MALLOC]) + alone(&known[AL_MODEL_FREE]);
    for (int i = AL_FLOORS_ALONE; i < AL_FLOORS; i++)
        ns[i] = al_samples_median(&run->ns[i]);
}

/* The first two PUs of the placement. */
static int choose_pus(struct al_floors *floors, struct al_error *error)
{
    unsigned *pus;
    size_t n;
    int code = al_topology_order(floors->topology, "close", &pus, &n, error);
    if (code != 0)
        return code;
    floors->n_pus = n < 2 ? n : 2;
    memcpy(floors->pus, pus, floors->n_pus * sizeof *pus);
    free(pus);
    return 0;
}

int al_floors_run(struct al_floors *floors, struct al_error *error)
{
    int code = choose_pus(floors, error);
    if (code != 0)
        return code;
    size_t n = al_floors_message_steps(floors);
    struct run run = {
        .floors = floors,
        .step = n,
        .n_steps = STEPS_ALONE + (floors->n_pus > 1 ? STEPS_PAIR : 0) + n,
    };
    code = al_floors_messages(floors, run.n_steps, error);
    if (code != 0)
        return code;
    run.calibrator = al_needed(calloc(1, sizeof *run.calibrator));
    run.ns = al_needed(calloc(AL_FLOORS, sizeof *run.ns));
    run.calibrator->topology = floors->topology;
    run.calibrator->repeats = floors->repeats;
    run_alone(&run);
    if (floors->n_pus > 1)
        run_pair(&run);
    conclude(&run);
    al_calibrator_release(run.calibrator);
    free(run.calibrator);
    free(run.ns);
    return al_calibration_check(run.code, error);
}
