/* SPDX-License-Identifier: MIT */

/* The order of PUs under each policy, on synthetic machines and machines from XML, against orders
 * made by hand. */

#include "core/machine/topology.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/tap.h"

static struct al_topology *load(const char *spec)
{
    struct al_topology *topology;
    struct al_error error;
    CHECK(al_topology_load(spec, &topology, &error) == 0, "%s", error.text);
    return topology;
}

/* True if the policy's order begins with the PUs in `expected`, a list with spaces. */
static bool order_is(const char *spec, const char *policy, const char *expected)
{
    struct al_topology *topology = load(spec);
    struct al_error error;
    unsigned *pus;
    size_t n;
    CHECK(al_topology_order(topology, policy, &pus, &n, &error) == 0, "%s", error.text);
    char text[512] = "";
    for (size_t i = 0; i < n; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%u", i > 0 ? " " : "", pus[i]);
    free(pus);
    al_topology_free(topology);
    if (strcmp(text, expected) != 0)
        printf("# %s, %s: %s instead of %s\n", spec, policy, text, expected);
    return strcmp(text, expected) == 0;
}

static bool order_refused(const char *spec, const char *policy, const char *says)
{
    struct al_topology *topology = load(spec);
    struct al_error error = {""};
    unsigned *pus;
    size_t n;
    int code = al_topology_order(topology, policy, &pus, &n, &error);
    al_topology_free(topology);
    if (code >= 0 || strstr(error.text, says) == NULL)
        printf("# %s\n", error.text);
    return code < 0 && strstr(error.text, says) != NULL;
}

static bool load_refused(const char *spec, const char *says)
{
    struct al_topology *topology;
    struct al_error error = {""};
    int code = al_topology_load(spec, &topology, &error);
    if (code == 0)
        al_topology_free(topology);
    if (code >= 0 || strstr(error.text, says) == NULL)
        printf("# %s\n", error.text);
    return code < 0 && strstr(error.text, says) != NULL;
}

/* True if a file with this content is refused with one line that says this. */
static bool xml_refused(const char *content, const char *says)
{
    char path[] = "/tmp/actorlab-topology-XXXXXX.xml";
    int file = mkstemps(path, 4);
    CHECK(file >= 0, "no temporary file");
    FILE *xml = fdopen(file, "w");
    fputs(content, xml);
    fclose(xml);
    bool refused = load_refused(path, says);
    remove(path);
    return refused;
}

/* libhwloc 2.9 follows a null pointer here. (A sanitizer turns that into an exit code, so the test
 * does not expect a signal.) */
static const char crashing[] =
    "<topology version=\"2.0\"><object cpuset=\"0xff\" nodeset=\"0x7\">"
    "<object cpuset=\"0x0f\" nodeset=\"0x5\"><object cpuset=\"0x0f\" nodeset=\"0x1\"></object>"
    "<object cpuset=\"0x03\"><object cpuset=\"0x01\"></object></object>"
    "<object cpuset=\"0x0c\"></object></object>"
    "<object type=\"NUMANode\" cpuset=\"0xf0\" nodeset=\"0x2\"></object></object></topology>";

/* Here it loops until it runs out of memory. */
static const char hanging[] =
    "<topology version=\"2.0\">"
    "<object cpuset=\"0xff\" nodeset=\"0x3\" complete_nodeset=\"0x3\">"
    "<object cpuset=\"0x0f\" complete_cpuset=\"0x0f\">"
    "<object cpuset=\"0x0f\" nodeset=\"0x1\"></object><object cpuset=\"0x3\" nodeset=\"0x1\">"
    "<object type=\"NUMANode\" cpuset=\"0xf0\" nodeset=\"0x2\"></object>";

static void test_xml(struct tap *tap)
{
    tap_ok(tap, xml_refused("<?xml version=\"1.0\"?><topology><nonsense/>", "malformed topology"),
           "malformed XML");
    tap_ok(tap, xml_refused("", "malformed topology"), "an empty file");
    tap_ok(tap, xml_refused(crashing, "malformed topology"), "XML that crashes libhwloc");
    tap_ok(tap, xml_refused(hanging, "malformed topology"), "XML on which libhwloc loops");
    tap_ok(tap,
           xml_refused("<?xml version=\"1.0\"?>\n<!DOCTYPE topology SYSTEM \"hwloc3.dtd\">\n"
                       "<topology version=\"3.0\">\n  <object type=\"Machine\">\n    "
                       "<info name=\"hwlocVersion\" value=\"3.1.0\"/>\n  </object>\n</topology>",
                       "written by hwloc 3.1.0 (topology version 3.0), and this is hwloc 2"),
           "XML of a newer hwloc");
    tap_ok(tap,
           xml_refused("<topology version=\"10.1\"></topology>",
                       "written by a newer hwloc (topology version 10.1)"),
           "XML of a newer hwloc that does not give its name");
    tap_ok(tap,
           xml_refused("<topology version=\"3.0\"></topology>",
                       "reads up to version 2; valid: what `lstopo --export-xml-flags v2` writes"),
           "XML of a newer hwloc: how that hwloc writes what this one reads");
    tap_ok(tap, xml_refused("<topology version=\"3<\"></topology>", "malformed topology"),
           "a malformed version");

    char folder[] = "/tmp/actorlab-topology-XXXXXX", inside[64];
    CHECK(mkdtemp(folder) != NULL, "no temporary folder");
    snprintf(inside, sizeof inside, "%s/folder.xml", folder);
    CHECK(mkdir(inside, 0700) == 0, "no folder");
    tap_ok(tap, load_refused(inside, "Is a directory"), "a folder");
    rmdir(inside);
    CHECK(mkfifo(inside, 0600) == 0, "no FIFO");
    tap_ok(tap, load_refused(inside, "cannot read the topology"), "a FIFO that nobody writes to");
    remove(inside);
    rmdir(folder);
}

/* Threads that hold the locks of stdio and malloc most of the time. */
struct disturbance {
    pthread_barrier_t start;
    atomic_bool stop;
};

static void *disturb(void *argument)
{
    struct disturbance *disturbance = argument;
    FILE *null = fopen("/dev/null", "w");
    CHECK(null != NULL, "no /dev/null");
    pthread_barrier_wait(&disturbance->start);
    for (unsigned i = 0; !disturbance->stop; i++) {
        fprintf(null, "%u", i);
#ifndef __SANITIZE_ADDRESS__ /* whose allocator does not reset its locks on fork() */
        free(malloc(1 + i % 100000));
#endif
    }
    fclose(null);
    return NULL;
}

static void test_threads(struct tap *tap)
{
    struct disturbance disturbance = {.stop = false};
    pthread_t threads[4];
    pthread_barrier_init(&disturbance.start, NULL, 5);
    for (int i = 0; i < 4; i++)
        CHECK(pthread_create(&threads[i], NULL, disturb, &disturbance) == 0, "no thread");
    pthread_barrier_wait(&disturbance.start);
    for (int i = 0; i < 20; i++)
        al_topology_free(load(AL_TOPOLOGIES "/irregular.xml"));
    bool refused = xml_refused(crashing, "malformed topology");
    disturbance.stop = true;
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&disturbance.start);
    tap_ok(tap, refused, "with other threads about");
}

/* 2 packages of 2 L3s of 2 cores of 2 PUs; hwloc numbers the PUs depth first */
static const char smt[] = "package:2 l3:2 core:2 pu:2";

static void test_orders(struct tap *tap)
{
    tap_ok(tap, order_is(smt, "close", "0 2 4 6 8 10 12 14 1 3 5 7 9 11 13 15"),
           "close: a PU of each core, L3 by L3, package by package; siblings last");
    tap_ok(tap, order_is(smt, NULL, "0 2 4 6 8 10 12 14 1 3 5 7 9 11 13 15"), "close by default");
    tap_ok(tap, order_is(smt, "spread", "0 8 2 10 4 12 6 14 1 9 3 11 5 13 7 15"),
           "spread: packages in turn; siblings last");
    tap_ok(tap, order_is(smt, "smt", "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15"),
           "smt: siblings first");
    tap_ok(tap, order_is(smt, "package", "0 2 4 6 1 3 5 7 8 10 12 14 9 11 13 15"),
           "package: the cores of a package, then their siblings, then the next package");
    tap_ok(tap, order_is("package:2 core:2 pu:1", "package", "0 1 2 3"), "package without SMT");
    tap_ok(tap, order_is("core:2 pu:2", "package", "0 2 1 3"), "package on one package");
    tap_ok(tap, order_is(smt, "3,0,8-10", "3 0 8 9 10"), "a list");
    tap_ok(tap,
           order_is(AL_TOPOLOGIES "/two-kinds.xml", "fast", "0 2 1 3") &&
               order_is(AL_TOPOLOGIES "/two-kinds.xml", "slow", "4 5 6 7"),
           "fast and slow: one kind of core alone");
    tap_ok(tap,
           order_is("core:2 pu:2", "fast", "0 2 1 3") && order_is("core:2 pu:2", "slow", "0 2 1 3"),
           "fast and slow on a machine of one kind");
    tap_ok(tap, order_is("pu:3", "close", "0 1 2"), "no cores known");
    tap_ok(tap, order_is("package:3 core:2 pu:1", "spread", "0 2 4 1 3 5"),
           "spread over 3 packages");
    tap_ok(tap, order_is("core:2 pu:2(indexes=0,2,1,3)", "close", "0 1 2 3"),
           "the OS numbers siblings last: close follows the cores");
    tap_ok(tap,
           order_refused(smt, "nearby", "valid: close, spread, smt, package, fast, slow, none"),
           "unknown policy");
    tap_ok(
        tap,
        order_refused(smt, "0,16",
                      "names PU 16, which package:2 l3:2 core:2 pu:2 does not have; valid: 0-15"),
        "a PU that there is not");
    tap_ok(tap, order_refused(smt, "0-2,1", "names PU 1 twice"), "a PU twice");
    tap_ok(tap, order_refused(smt, "3-1", "is reversed"), "a reversed range");
    tap_ok(tap, order_refused(smt, "0;2", "malformed"), "a list with a wrong separator");
    tap_ok(tap, order_refused(smt, "0,", "malformed"), "a list that ends in a comma");
    tap_ok(tap, load_refused("package:0 core:x", "malformed topology"), "malformed synthetic");
    tap_ok(tap, load_refused("/nonexistent/machine.xml", "cannot read"),
           "an XML file that is not there");
}

static void test_identity(struct tap *tap)
{
    struct al_topology *a = load(smt), *b = load(smt), *c = load("package:2 l3:2 core:2 pu:1");
    struct al_topology *here = load(NULL);
    tap_ok(tap,
           al_topology_hash(a) == al_topology_hash(b) && al_topology_hash(a) != al_topology_hash(c),
           "the hash tells machines apart");
    tap_ok(tap, !al_topology_is_this_machine(a) && al_topology_is_this_machine(here),
           "another machine is not this one");
    tap_ok(tap,
           !al_topology_pins(a, "close") && al_topology_pins(here, "close") &&
               !al_topology_pins(here, "none"),
           "no binding to another machine's PUs, nor under none");
    al_topology_free(a);
    al_topology_free(b);
    al_topology_free(c);
    al_topology_free(here);
}

static int node_of(const char *spec, unsigned pu)
{
    struct al_topology *topology = load(spec);
    struct al_place place;
    al_topology_place(topology, pu, &place);
    al_topology_free(topology);
    return place.node;
}

static void test_nodes(struct tap *tap)
{
    tap_ok(tap,
           node_of(AL_TOPOLOGIES "/two-memories.xml", 1) == 0 &&
               node_of(AL_TOPOLOGIES "/two-memories.xml", 2) == 2,
           "of several kinds of memory the first is the node");
    tap_ok(tap,
           node_of(AL_TOPOLOGIES "/memory-in-pu.xml", 0) ==
               node_of(AL_TOPOLOGIES "/memory-in-pu.xml", 1),
           "the PUs of a core have the same node");
    tap_ok(tap,
           node_of(AL_TOPOLOGIES "/far-memory.xml", 0) == 0 &&
               node_of(AL_TOPOLOGIES "/far-memory.xml", 3) == -1,
           "cores without memory have no node, although the machine has one without cores");
}

static void test_binding(struct tap *tap)
{
    struct al_topology *here = load(NULL);
    struct al_error error;
    unsigned *pus;
    size_t n;
    CHECK(al_topology_order(here, NULL, &pus, &n, &error) == 0, "%s", error.text);
    tap_ok(tap, al_topology_bind(here, pus[n - 1]) == (int)pus[n - 1], "bound and seen on PU %u",
           pus[n - 1]);
    cpu_set_t all, one;
    CPU_ZERO(&all);
    CPU_ZERO(&one);
    for (size_t i = 0; i < n; i++)
        CPU_SET(pus[i], &all);
    CPU_SET(pus[n - 1], &one);
    CHECK(sched_setaffinity(0, sizeof all, &all) == 0, "cannot undo it");
    tap_ok(tap, (al_topology_seen(here, pus[n - 1]) == -1) == (n > 1),
           "no longer bound, wherever it is seen");
    tap_ok(tap, al_topology_bind(here, 100000) == -1, "a PU that there is not: not bound");
    free(pus);
    al_topology_free(here);
}

int main(void)
{
    struct tap tap = {0};
    test_orders(&tap);
    test_xml(&tap);
    test_threads(&tap);
    test_identity(&tap);
    test_nodes(&tap);
    test_binding(&tap);
    return tap_done(&tap);
}
