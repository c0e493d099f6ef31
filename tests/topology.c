/* SPDX-License-Identifier: MIT */

/* The order of PUs by policy, on synthetic machines and on XML, against orders made by hand. */

#include "core/topology.h"

#include <sched.h>
#include <string.h>

#include "tests/tap.h"

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

int main(void)
{
    struct tap tap = {0};
    /* 2 packages of 2 L3s of 2 cores of 2 PUs; hwloc numbers the PUs depth first */
    const char *smt = "package:2 l3:2 core:2 pu:2";
    tap_ok(&tap, order_is(smt, "close", "0 2 4 6 8 10 12 14 1 3 5 7 9 11 13 15"),
           "close: a PU of each core, L3 by L3, package by package; siblings last");
    tap_ok(&tap, order_is(smt, NULL, "0 2 4 6 8 10 12 14 1 3 5 7 9 11 13 15"), "close by default");
    tap_ok(&tap, order_is(smt, "spread", "0 8 2 10 4 12 6 14 1 9 3 11 5 13 7 15"),
           "spread: packages in turn; siblings last");
    tap_ok(&tap, order_is(smt, "smt", "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15"),
           "smt: siblings first");
    tap_ok(&tap, order_is(smt, "3,0,8-10", "3 0 8 9 10"), "a list");
    tap_ok(&tap, order_is("pu:3", "close", "0 1 2"), "no cores known");
    tap_ok(&tap, order_is("package:3 core:2 pu:1", "spread", "0 2 4 1 3 5"),
           "spread over 3 packages");
    tap_ok(&tap, order_is("core:2 pu:2(indexes=0,2,1,3)", "close", "0 1 2 3"),
           "the OS numbers siblings last: close follows the cores");
    tap_ok(&tap, order_refused(smt, "nearby", "valid: close, spread, smt, none"), "unknown policy");
    tap_ok(&tap, order_refused(smt, "0,16", "names PU 16"), "a PU that there is not");
    tap_ok(&tap, order_refused(smt, "0-2,1", "names PU 1 twice"), "a PU twice");
    tap_ok(&tap, order_refused(smt, "3-1", "is reversed"), "a reversed range");
    tap_ok(&tap, order_refused(smt, "0;2", "malformed"), "a list with a wrong separator");
    tap_ok(&tap, order_refused(smt, "0,", "malformed"), "a list that ends in a comma");
    tap_ok(&tap, load_refused("package:0 core:x", "malformed topology"), "malformed synthetic");
    tap_ok(&tap, load_refused("/nonexistent/machine.xml", "cannot read"),
           "an XML file that is not there");

    char path[] = "/tmp/actorlab-topology-XXXXXX.xml";
    int file = mkstemps(path, 4);
    CHECK(file >= 0, "no temporary file");
    FILE *xml = fdopen(file, "w");
    fputs("<?xml version=\"1.0\"?><topology><nonsense/>", xml);
    fclose(xml);
    tap_ok(&tap, load_refused(path, "malformed topology"), "malformed XML");
    remove(path);

    struct al_topology *a = load(smt), *b = load(smt), *c = load("package:2 l3:2 core:2 pu:1");
    struct al_topology *here = load(NULL);
    tap_ok(&tap,
           al_topology_hash(a) == al_topology_hash(b) && al_topology_hash(a) != al_topology_hash(c),
           "the hash tells machines apart");
    tap_ok(&tap, !al_topology_is_this_machine(a) && al_topology_is_this_machine(here),
           "another machine is not this one");
    tap_ok(&tap,
           !al_topology_pins(a, "close") && al_topology_pins(here, "close") &&
               !al_topology_pins(here, "none"),
           "no binding to another machine's PUs, nor under none");
    struct al_error error;
    unsigned *pus;
    size_t n;
    CHECK(al_topology_order(here, NULL, &pus, &n, &error) == 0, "%s", error.text);
    tap_ok(&tap, al_topology_bind(here, pus[n - 1]) == (int)pus[n - 1], "bound and seen on PU %u",
           pus[n - 1]);
    cpu_set_t all, one;
    CPU_ZERO(&all);
    CPU_ZERO(&one);
    for (size_t i = 0; i < n; i++)
        CPU_SET(pus[i], &all);
    CPU_SET(pus[n - 1], &one);
    CHECK(sched_setaffinity(0, sizeof all, &all) == 0, "cannot undo it");
    tap_ok(&tap, (al_topology_seen(here, pus[n - 1]) == -1) == (n > 1),
           "no longer bound, wherever it is seen");
    tap_ok(&tap, al_topology_bind(here, 100000) == -1, "a PU that there is not: not bound");
    free(pus);
    al_topology_free(a);
    al_topology_free(b);
    al_topology_free(c);
    al_topology_free(here);
    return tap_done(&tap);
}
