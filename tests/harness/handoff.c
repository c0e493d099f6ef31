/* SPDX-License-Identifier: MIT */

/* The hand-off probe: which PUs, what it finds on this machine, and that it ends. */

#include "benchmarks/harness/measure/handoff.h"

#include <dirent.h>
#include <dlfcn.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/machine/topology.h"
#include "core/sync/sync.h"
#include "tests/support/tap.h"

#define NO_PU 8191 /* a number that no test machine has, and that fits into an affinity mask */

/* Whether workers on PUs 10, 11, 12 … are probed at these, a list with spaces. */
static bool chosen(size_t n_pus, uint32_t n_workers, const char *expected)
{
    unsigned pus[100], to[AL_HANDOFF_MOST];
    char text[128] = "";
    for (size_t i = 0; i < n_pus; i++)
        pus[i] = 10 + (unsigned)i;
    size_t n = al_handoff_choose(pus, n_pus, n_workers, to);
    for (size_t i = 0; i < n; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%u", i > 0 ? " " : "", to[i]);
    if (strcmp(text, expected) != 0)
        printf("# %zu PUs, %u workers: '%s', not '%s'\n", n_pus, n_workers, text, expected);
    return strcmp(text, expected) == 0;
}

static void test_choice(struct tap *tap)
{
    tap_ok(tap, chosen(4, 3, "11 12"), "the PUs of the other workers, in their order");
    tap_ok(tap, chosen(4, 1, "11"), "one worker: the next PU of the order");
    tap_ok(tap, chosen(1, 1, "") && chosen(1, 5, ""), "one PU: none");
    tap_ok(tap, chosen(3, 7, "11 12"), "more workers than PUs: each PU once");
    tap_ok(tap, chosen(9, 9, "11 12 13 14 15 16 17 18"), "nine workers: all");
    tap_ok(tap, chosen(100, 100, "11 25 39 53 67 81 95 109"),
           "more: evenly spread from the first to the last");
    tap_ok(tap, chosen(100, 10, "11 12 13 14 15 16 17 19"), "and none twice");
}

/* Try again where other processes keep the PUs busy. */
static void probe(const struct al_topology *topology, unsigned from, const unsigned *to, size_t n,
                  struct al_handoff *handoff)
{
    for (int attempt = 0; attempt < 50; attempt++) {
        al_handoff_between(topology, from, to, n, AL_HANDOFF_LIMIT_NS, handoff);
        if (!handoff->known || !isnan(handoff->median_ns))
            return;
    }
}

static void test_pair(struct tap *tap, const struct al_topology *topology, const unsigned *pus)
{
    struct al_handoff handoff;
    unsigned to[] = {pus[1], NO_PU};
    probe(topology, pus[0], to, 1, &handoff);
    printf("# %g ns\n", handoff.ns[0]);
    tap_ok(tap,
           handoff.known && handoff.from == pus[0] && handoff.n == 1 && handoff.to[0] == pus[1] &&
               handoff.ns[0] > 1 && handoff.ns[0] < 1e6 && handoff.median_ns == handoff.ns[0] &&
               handoff.took_ns > (uint64_t)(2 * 500 * handoff.ns[0]),
           "a line passes from PU to PU");
    probe(topology, pus[0], to, 2, &handoff);
    tap_ok(tap,
           handoff.known && handoff.ns[0] > 1 && isnan(handoff.ns[1]) &&
               handoff.median_ns == handoff.ns[0],
           "a PU that cannot be bound to is not known, the others are");
    al_handoff_between(topology, NO_PU, to, 1, AL_HANDOFF_LIMIT_NS, &handoff);
    tap_ok(tap, !handoff.known, "without the first PU nothing is");
}

static void test_limit(struct tap *tap, const struct al_topology *topology, const unsigned *pus)
{
    struct al_handoff handoff;
    unsigned to[AL_HANDOFF_MOST];
    for (size_t i = 0; i < AL_HANDOFF_MOST; i++)
        to[i] = pus[1];
    uint64_t began_ns = al_clock_ns();
    al_handoff_between(topology, pus[0], to, 1, 1000, &handoff);
    tap_ok(tap, handoff.known && isnan(handoff.ns[0]), "no answer within the limit: not known");
    al_handoff_between(topology, pus[0], to, AL_HANDOFF_MOST, 1000, &handoff);
    bool none = handoff.known && isnan(handoff.median_ns);
    for (size_t i = 0; i < AL_HANDOFF_MOST; i++)
        none &= isnan(handoff.ns[i]);
    tap_ok(tap, none && al_clock_ns() - began_ns < 5000000000u,
           "nor from any of eight, and the probe ends");
}

static struct al_topology *load(const char *spec)
{
    struct al_topology *topology;
    struct al_error error;
    CHECK(al_topology_load(spec, &topology, &error) == 0, "%s", error.text);
    return topology;
}

/* While this is set, no thread returns from being bound. */
static struct al_atomic_u32 holds;

/* The C library's, for hwloc: as slow as on a PU that a process of higher priority keeps busy. */
int sched_setaffinity(pid_t thread, size_t bytes, const cpu_set_t *set)
{
    while (al_u32_load_relaxed(&holds) != 0)
        al_sleep_ns(1000000);
    return (int)syscall(SYS_sched_setaffinity, thread, bytes, set);
}

static int destroyed; /* topologies */

/* libhwloc's, counted. */
void hwloc_topology_destroy(void *topology);
void hwloc_topology_destroy(void *topology)
{
    void (*real)(void *) = (void (*)(void *))dlsym(RTLD_NEXT, "hwloc_topology_destroy");
    CHECK(real != NULL, "no hwloc_topology_destroy");
    destroyed++;
    real(topology);
}

static int count_threads(void)
{
    int n = 0;
    DIR *folder = opendir("/proc/self/task");
    CHECK(folder != NULL, "/proc/self/task");
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
        n += entry->d_name[0] != '.';
    closedir(folder);
    return n;
}

/* Threads that are bound only when the caller has freed the topology. */
static void test_abandoned(struct tap *tap, const unsigned *pus)
{
    struct al_topology *topology = load(NULL);
    struct al_handoff handoff;
    int before = count_threads();
    al_u32_store_relaxed(&holds, 1);
    al_handoff_between(topology, pus[0], &pus[1], 1, 1000, &handoff);
    tap_ok(tap, handoff.known && isnan(handoff.ns[0]) && count_threads() == before + 2,
           "threads that do not end are abandoned: not known");
    int had = destroyed;
    al_topology_free(topology);
    tap_ok(tap, destroyed == had, "a topology outlives its owner while they may use it");
    al_u32_store_relaxed(&holds, 0);
    for (int wait = 0; wait < 10000 && count_threads() > before; wait++)
        al_sleep_ns(1000000);
    tap_ok(tap, count_threads() == before, "they end, though the topology was freed meanwhile");
    topology = load(NULL);
    probe(topology, pus[0], &pus[1], 1, &handoff);
    had = destroyed;
    al_topology_free(topology);
    tap_ok(tap, destroyed == had + 1, "without them, it does not");
}

/* Whether a probe of workers that are placed like this finds nothing to measure. */
static bool is_unknown(struct al_topology *topology, const char *pin)
{
    struct al_config config = {.topology = topology, .pin = pin};
    struct al_handoff handoff;
    al_handoff_probe(&config, 2, &handoff);
    json_t *json = al_handoff_json(&handoff);
    bool null = json_is_null(json);
    json_decref(json);
    return !handoff.known && null;
}

static void test_json(struct tap *tap)
{
    struct al_handoff handoff = {.known = true,
                                 .from = 3,
                                 .n = 2,
                                 .to = {4, 5},
                                 .ns = {80.5, NAN},
                                 .median_ns = 80.5,
                                 .took_ns = 7};
    json_t *json = al_handoff_json(&handoff);
    char *text = json_dumps(json, JSON_COMPACT);
    const char *expected = "{\"from\":3,\"to\":[4,5],\"ns\":[80.5,null],\"median_ns\":80.5,"
                           "\"took_ns\":7}";
    tap_ok(tap, strcmp(text, expected) == 0, "in a record: %s", text);
    free(text);
    json_decref(json);
}

int main(void)
{
    struct tap tap = {0};
    struct al_topology *here = load(NULL), *other = load("core:4 pu:1");
    struct al_error error;
    unsigned *pus;
    size_t n;
    cpu_set_t before, after;
    CHECK(al_topology_order(here, NULL, &pus, &n, &error) == 0, "%s", error.text);
    CHECK(sched_getaffinity(0, sizeof before, &before) == 0, "the affinity mask");
    test_choice(&tap);
    if (n > 1) {
        test_pair(&tap, here, pus);
        test_limit(&tap, here, pus);
        test_abandoned(&tap, pus);
    } else {
        tap_ok(&tap, is_unknown(here, NULL), "a machine with one PU");
    }
    tap_ok(&tap, is_unknown(here, "none"), "workers that are not bound");
    tap_ok(&tap, is_unknown(other, NULL), "another machine's topology");
    test_json(&tap);
    tap_ok(&tap, sched_getaffinity(0, sizeof after, &after) == 0 && CPU_EQUAL(&before, &after),
           "the calling thread stays where it may run");
    free(pus);
    al_topology_free(here);
    al_topology_free(other);
    return tap_done(&tap);
}
