/* SPDX-License-Identifier: MIT */

/* What a message costs at least: the loops that measure, what is printed, and the line that tells
 * how far a command is. */

#include "benchmarks/harness/measure/floors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "benchmarks/harness/commands/measuring.h"
#include "benchmarks/harness/measure/child.h"
#include "benchmarks/harness/show/floors.h"
#include "tests/support/tap.h"

enum { REPEATS = 3 };

static void count(void *calls)
{
    ++*(unsigned *)calls;
}

static void test_loops(struct tap *tap)
{
    static struct al_samples ns[2];
    unsigned calls = 0;
    const struct al_calibrate_loop loops[] = {{count, &ns[0]}, {count, &ns[1]}};
    al_calibrate_loops(loops, 2, &calls, REPEATS);
    tap_ok(tap, calls == 2 * (REPEATS + 1) && ns[0].n == REPEATS && ns[1].n == REPEATS,
           "each loop runs once more than it is measured");
    ns[0] = (struct al_samples){.values = {5, 1, 3, 2, 4}, .n = 5};
    tap_ok(tap,
           al_samples_quantile(&ns[0], 0.25) == 2 && ns[0].values[0] == 5 &&
               al_samples_median(&ns[0]) == 3,
           "quantiles of samples, which stay in their order");
}

/* As many samples as there should be, and no time that cannot be. */
static bool are_times(const struct al_samples *ns)
{
    bool right = ns->n == REPEATS;
    for (size_t i = 0; i < ns->n; i++)
        right &= ns->values[i] > 0 && isfinite(ns->values[i]);
    return right;
}

static void test_steps(struct tap *tap)
{
    static const enum al_floor by_loops[] = {AL_FLOOR_UPDATE, AL_FLOOR_ENVELOPE, AL_FLOOR_BLOCK,
                                             AL_FLOOR_EXCHANGE, AL_FLOOR_LOCK};
    static struct al_calibrator calibrator = {.repeats = REPEATS};
    static struct al_samples ns[AL_FLOORS];
    struct al_topology *topology;
    struct al_error error;
    unsigned *pus;
    size_t n;
    CHECK(al_topology_load(NULL, &topology, &error) == 0 &&
              al_topology_order(topology, "close", &pus, &n, &error) == 0,
          "%s", error.text);
    calibrator.topology = topology;
    tap_ok(tap, al_floors_loops(&calibrator, pus[0], ns) == 0, "loops on one PU");
    for (size_t i = 0; i < sizeof by_loops / sizeof *by_loops; i++)
        tap_ok(tap, are_times(&ns[by_loops[i]]), "%s", al_floor_texts[by_loops[i]].name);
    unsigned other = n > 1 ? pus[1] : pus[0];
    tap_ok(tap,
           al_floors_polled(&calibrator, pus[0], other, &ns[AL_FLOOR_POLLED]) == 0 &&
               are_times(&ns[AL_FLOOR_POLLED]),
           "a lock at which another thread looks");
    for (uint64_t batch = 1; batch <= 64; batch *= 4) {
        struct al_samples *of = &ns[AL_FLOOR_PUBLISH_1];
        of->n = 0;
        tap_ok(tap, al_floors_spsc(&calibrator, pus[0], other, batch, of) == 0 && are_times(of),
               "envelopes published %u at a time", (unsigned)batch);
    }
    al_calibrator_release(&calibrator);
    free(pus);
    al_topology_free(topology);
}

static struct al_floors made_up(size_t n_pus)
{
    struct al_floors floors = {
        .strategies = {"inverted", "las"}, .n_strategies = 2, .pus = {4, 6}, .n_pus = n_pus};
    for (int i = 0; i < AL_FLOORS; i++)
        floors.ns[i] = 1.5 * (i + 1);
    for (size_t w = 0; w < AL_FLOOR_WORKLOADS; w++) {
        for (size_t k = 0; k < 3; k++)
            floors.message_ns[w][k] = (double)(w + 2) * (double)(k + 1);
    }
    return floors;
}

static char *printed(const struct al_floors *floors)
{
    char *text;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    CHECK(out != NULL, "no memory");
    al_floors_print(floors, out);
    fclose(out);
    return text;
}

static void test_text(struct tap *tap)
{
    struct al_floors floors = made_up(2), alone = made_up(1);
    char *both = printed(&floors), *one = printed(&alone);
    tap_ok(tap,
           strstr(both, "ns on PU 4\n") != NULL &&
               strstr(both, "\nns between PUs 4 and 6\n") != NULL &&
               strstr(both, "\n  hand a line to the second PU ") != NULL &&
               strstr(both, " 15.0\n") != NULL,
           "steps on two PUs");
    tap_ok(tap,
           strstr(both, "\n  bang                9.00       18.0   2.0x       27.0   3.0x\n") !=
               NULL,
           "a workload with two strategies");
    tap_ok(tap,
           strstr(one, "\nnothing between two PUs, as there is only one here\n") != NULL &&
               strstr(one, "second PU") == NULL && strstr(one, "\n  pubsub ") != NULL,
           "one PU");
    free(both);
    free(one);
}

static void test_json(struct tap *tap)
{
    struct al_floors floors = made_up(2), alone = made_up(1);
    floors.ns[AL_FLOOR_FENCE] = NAN;
    json_t *both = al_floors_json(&floors), *one = al_floors_json(&alone), *pus, *steps, *big;
    double ring, ns, ratio, handoff;
    const char *size;
    tap_ok(tap,
           json_unpack(both, "{s:o, s:o, s:{s:o}}", "pus", &pus, "steps_ns", &steps, "messages",
                       "big", &big) == 0 &&
               json_array_size(pus) == 2 && json_object_size(steps) == AL_FLOORS &&
               json_is_null(json_object_get(steps, "fence")) &&
               json_unpack(steps, "{s:F}", "handoff", &handoff) == 0 && handoff == 15,
           "steps");
    tap_ok(tap,
           json_unpack(big, "{s:s, s:F, s:{s:{s:F, s:F}}}", "size", &size, "ring_ns", &ring,
                       "strategies", "las", "ns", &ns, "ratio", &ratio) == 0 &&
               strcmp(size, al_floor_workloads[6].size) == 0 && ring == 8 && ns == 24 && ratio == 3,
           "messages");
    tap_ok(tap,
           json_array_size(json_object_get(one, "pus")) == 1 &&
               json_object_size(json_object_get(one, "steps_ns")) == AL_FLOORS_ALONE,
           "one PU");
    json_decref(both);
    json_decref(one);
}

/* What a step says on stderr. */
static void show(struct al_progress progress, size_t step, char line[100])
{
    FILE *file = al_memory_file();
    int kept = dup(STDERR_FILENO);
    CHECK(file != NULL && kept != -1 && dup2(fileno(file), STDERR_FILENO) != -1, "no file");
    al_progress_show(&progress, step, 40, "bang");
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    close(kept);
    rewind(file);
    line[fread(line, 1, 99, file)] = '\0';
    fclose(file);
}

/* The same of a command that began so long ago. */
static void say(int began_s, double least_s, bool alike, size_t step, char line[100])
{
    struct al_progress progress = {
        .began = time(NULL) - began_s, .rounds = 1, .least_s = least_s, .alike = alike};
    show(progress, step, line);
}

/* The seconds left that a command says which began 1000 s ago and has ended half of its steps; the
 * present step began so long ago. */
static int left_within(int since_s)
{
    char line[100];
    int left_s = -1;
    struct al_progress progress = {.began = time(NULL) - 1000, .rounds = 1, .step = 20};
    progress.at = progress.began + 1000 - since_s;
    show(progress, 20, line);
    (void)sscanf(line, "\r\033[K21 of 40: bang, about %d s left", &left_s);
    return left_s;
}

static void test_progress(struct tap *tap)
{
    char line[100];
    say(100, 10, false, 10, line);
    tap_ok(tap, strstr(line, "11 of 40: bang, about 30") != NULL, "what is left of a long command");
    say(0, 10, false, 10, line);
    tap_ok(tap, line[0] == '\0', "nothing of a short one");
    say(0, 0, false, 10, line);
    tap_ok(tap, strstr(line, "11 of 40: bang, about ") != NULL, "unless that is asked for");
    say(100, 10, false, 1, line);
    tap_ok(tap, strstr(line, "2 of 40: bang") != NULL && strstr(line, "left") == NULL,
           "no estimate after one of unequal steps");
    say(100, 10, true, 1, line);
    tap_ok(tap, strstr(line, "2 of 40: bang, about 39") != NULL, "one of equal steps is enough");
    show((struct al_progress){.began = time(NULL) - 100, .rounds = 1, .at_most = true}, 10, line);
    tap_ok(tap, strstr(line, "11 of at most 40: bang, at most 30") != NULL,
           "there may be fewer steps");
    /* Time may pass between the two readings of the clock. */
    int some_s = left_within(20), long_s = left_within(500);
    tap_ok(tap, some_s <= 960 && some_s > 900, "the estimate shrinks within a step: %d s", some_s);
    tap_ok(tap, long_s == 475, "but by no more than a step takes: %d s", long_s);
}

int main(void)
{
    struct tap tap = {0};
    test_loops(&tap);
    test_steps(&tap);
    test_text(&tap);
    test_json(&tap);
    test_progress(&tap);
    return tap_done(&tap);
}
