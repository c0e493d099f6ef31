/* SPDX-License-Identifier: MIT */

/* Simulated trials that end, and those that cannot: these are records, too, which say how far they
 * came and what each worker waits for. */

#include "benchmarks/harness/measure/simulated.h"

#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/measure/record.h"
#include "benchmarks/harness/results/schema.h"
#include "schedulers/registry.h"
#include "tests/harness/stuck_workload.h"
#include "tests/support/tap.h"

enum { WORKERS = 4, PATIENCE_S = 1 };

static struct tap tap;
static struct al_topology *topology;
static struct al_model *model;

/* The record of two iterations with this strategy. */
static json_t *run(enum way way, const char *scheduler, const char *victim)
{
    struct al_error error = {""};
    struct al_choice choice = {.scheduler = scheduler, .victim = victim};
    struct al_trial trial = {.benchmark = &al_stuck_workload,
                             .topology = topology,
                             .iterations = 2,
                             .model = model,
                             .machine = "two-sockets",
                             .config = {.workers = WORKERS,
                                        .seed = 1,
                                        .simulated = true,
                                        .topology = topology,
                                        .stall_s = PATIENCE_S}};
    trial.parameters = (struct al_selection){.plugin = &al_stuck_workload.plugin};
    trial.parameters.values[0].uint = way;
    int code = al_choose(&choice, &trial.config, &error);
    CHECK(code == 0, "%s", error.text);
    struct al_outcome outcome;
    code = al_simulate(&trial, &outcome, &error);
    CHECK(code == 0, "%s", error.text);
    json_t *record = al_record(&trial, &outcome);
    CHECK(record != NULL, "no record");
    const char *problem = al_record_problem(record);
    CHECK(problem == NULL, "%s", problem);
    al_outcome_free(&outcome);
    return record;
}

static void test_ends(void)
{
    json_t *record = run(ENDS, "inverted", "longest"), *first = json_object_get(record, "time_ns");
    CHECK(strcmp(json_string_value(json_object_get(record, "outcome")), "ok") == 0, "not ok");
    CHECK(json_array_size(first) == 2, "not two times");
    json_t *again = run(ENDS, "inverted", "longest");
    CHECK(json_equal(first, json_object_get(again, "time_ns")), "another time with equal seeds");
    double busy = json_number_value(json_object_get(record, "starter_busy"));
    CHECK(busy > 0 && busy <= 1, "starter busy: %g", busy);
    json_decref(record);
    json_decref(again);
    tap_ok(&tap, true, "a trial that ends");
}

/* The parts of the line that a wrong trial ends with, in their order. */
static void expect(const char *what, enum way way, const char *scheduler, const char *victim,
                   const char *const *parts)
{
    json_t *record = run(way, scheduler, victim);
    const char *text = json_string_value(json_object_get(record, "error")), *at = text;
    CHECK(strcmp(json_string_value(json_object_get(record, "outcome")), "wrong") == 0, "not wrong");
    CHECK(json_array_size(json_object_get(record, "time_ns")) == 0, "it has a time");
    CHECK(text != NULL, "no error");
    for (; *parts != NULL; parts++) {
        const char *found = strstr(at, *parts);
        CHECK(found != NULL, "no '%s' in '%s'", *parts, text);
        at = found + strlen(*parts);
    }
    json_decref(record);
    tap_ok(&tap, true, "%s", what);
}

#define EXPECT(what, way, scheduler, victim, ...)                                                  \
    expect(what, way, scheduler, victim, (const char *const[]){__VA_ARGS__, NULL})

int main(void)
{
    struct al_error error;
    int code = al_topology_load(MACHINE, &topology, &error);
    CHECK(code == 0, "%s", error.text);
    code = al_model_load(topology, &model, &error);
    CHECK(code == 0, "%s", error.text);
    test_ends();
    EXPECT("all wait, and nobody for anybody", FORGOTTEN, "central", NULL, "deadlock: at ",
           " of simulated time, 5 messages sent, 5 delivered, 1 actor alive; starter: joins worker "
           "0; workers 0-3: spinning until something changes");
    EXPECT("thieves that find nothing", FORGOTTEN, "inverted", "longest", "livelock: at ",
           "5 delivered, 1 actor alive; starter: joins worker 0; worker");
    EXPECT("parked workers", FORGOTTEN, "mercury", NULL, "5 delivered", "parked");
    EXPECT("a behaviour that never returns", ENDLESS, "central", NULL, "livelock: at ",
           "1 actor alive; starter: joins worker 0; worker", ": running");
    EXPECT("a check that fails", FATAL, "inverted", NULL, "runner has gone wrong (at ",
           "1 actor alive");
    al_model_free(model);
    al_topology_free(topology);
    return tap_done(&tap);
}
