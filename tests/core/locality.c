/* SPDX-License-Identifier: MIT */

/* Levels and distances of workers, on synthetic machines and machines from XML, against sets made
 * by hand. A level is written as its name, * if it is local, and its workers. */

#include "core/machine/locality.h"

#include <stdlib.h>

#include "core/machine/topology.h"
#include "tests/support/levels.h"

/* 4 packages in a ring, 2 nodes each: 12 in the package, 20 to a neighbour, 30 across. */
#define EIGHT_NODES AL_TOPOLOGIES "/eight-nodes.xml"
/* No matrix. Packages of 2 nodes, 1, and 1; nodes of 5, 2, 2 and 1 PUs; SMT and L3 here and
 * there. */
#define IRREGULAR AL_TOPOLOGIES "/irregular.xml"
/* From node 0: 10 20 40; from node 1: 30 10 20; from node 2: 10 15 12. hwloc's ids of nodes run
 * backwards. */
#define ODD AL_TOPOLOGIES "/odd-distances.xml"

/* Two nodes and a core share one of hwloc's ids, and two other cores another. */
#define SAME_IDS AL_TOPOLOGIES "/same-ids.xml"
/* The first PU of a core of two has a node of its own, nested in it. */
#define MEMORY_IN_PU AL_TOPOLOGIES "/memory-in-pu.xml"

static void test_levels(struct tap *tap)
{
    const char *two = "package:2 numa:1 l3:1 core:24 pu:1", *smt = "node:2 core:4 pu:2";
    const char *cluster = "package:2 l3:1 numa:2 core:2 pu:1";
    tap_ok(tap, levels_are("pu:8", NULL, 0, 3, "node* 0-7; root 0-7"), "one node");
    tap_ok(tap, levels_are("pu:8", NULL, 1, 0, "root 0"), "one worker: the root alone");
    tap_ok(tap, levels_are("pu:8", "4,5", 5, 2, "core* 0 2 4; node* 0-4; root 0-4"),
           "several workers on a PU share the core");
    tap_ok(
        tap,
        levels_are("package:2 l3:1 core:24 pu:1", NULL, 0, 30, "l3* 24-47; node* 0-47; root 0-47"),
        "an L3 in a node");
    tap_ok(tap, levels_are(two, NULL, 0, 30, "node* 24-47; root 0-47"),
           "an L3, a node and a package with equal workers: the node");
    tap_ok(tap, levels_are(two, "spread", 6, 1, "node* 1 3 5; root 0-5"), "workers spread");
    tap_ok(tap, levels_are(smt, "smt", 0, 3, "core* 2-3; node* 0-7; root 0-15"), "SMT");
    tap_ok(tap, levels_are(smt, NULL, 8, 3, "node* 0-3; root 0-7"), "a PU of each core");
    tap_ok(tap, levels_are(cluster, NULL, 0, 0, "node* 0-1; l3 0-3; root 0-7"),
           "a cache larger than the node is not local");
}

static void test_xml(struct tap *tap)
{
    const char *far = "; distance 20 0-15 24-31; distance 30 0-31; root 0-31";
    char expected[256];
    snprintf(expected, sizeof expected, "l2* 0-1; node* 0-3; distance 12 0-7%s", far);
    tap_ok(tap, levels_are(EIGHT_NODES, NULL, 0, 0, expected), "distances of node 0");
    snprintf(expected, sizeof expected, "l2* 6-7; node* 4-7; distance 12 0-7%s", far);
    tap_ok(tap, levels_are(EIGHT_NODES, NULL, 0, 7, expected), "distances of node 1");
    tap_ok(tap,
           levels_are(EIGHT_NODES, NULL, 0, 20,
                      "l2* 20-21; node* 20-23; distance 12 16-23; distance 20 8-31; "
                      "distance 30 0-31; root 0-31"),
           "distances of node 5");
    tap_ok(tap,
           levels_are(EIGHT_NODES, "0,4,8,12,16,20,24,28", 0, 0,
                      "distance 12 0-1; distance 20 0-3 6-7; distance 30 0-7; root 0-7"),
           "a worker per node: no node level");
    tap_ok(tap, levels_are(EIGHT_NODES, "0,1,16,17", 0, 2, "node* 2-3; distance 30 0-3; root 0-3"),
           "two of eight nodes, a cache with the node's workers");
    tap_ok(tap,
           levels_are(ODD, NULL, 0, 0, "node* 0-1; distance 20 0-3; distance 40 0-5; root 0-5") &&
               levels_are(ODD, NULL, 0, 2, "node* 2-3; distance 20 2-5; distance 30 0-5; root 0-5"),
           "distances differ by direction");
    tap_ok(tap,
           levels_are(ODD, NULL, 0, 4, "node* 4-5; distance 10 0-1 4-5; distance 15 0-5; root 0-5"),
           "another node seems nearer than the own");
    tap_ok(tap,
           levels_are(IRREGULAR, "0-4,8,12,16,17,32", 0, 0,
                      "core* 0-1; l3* 0-3; node* 0-4; package 0-6; root 0-9"),
           "irregular: the most levels");
    tap_ok(tap,
           levels_are(IRREGULAR, "0-4,8,12,16,17,32", 0, 4, "node* 0-4; package 0-6; root 0-9"),
           "irregular: alone on an L3");
    tap_ok(tap,
           levels_are(IRREGULAR, "0-4,8,12,16,17,32", 0, 5, "node* 5-6; package 0-6; root 0-9"),
           "irregular: caches of one worker");
    tap_ok(tap, levels_are(IRREGULAR, "0-4,8,12,16,17,32", 0, 7, "node* 7-8; root 0-9"),
           "irregular: core, node and package are the same");
    tap_ok(tap, levels_are(IRREGULAR, "0-4,8,12,16,17,32", 0, 9, "root 0-9"),
           "irregular: alone on a node and a package");
    tap_ok(tap,
           levels_are(SAME_IDS, "smt", 0, 0, "core* 0-1; node* 0-3; distance 21 0-7; root 0-7") &&
               levels_are(SAME_IDS, "smt", 0, 7, "core* 6-7; node* 4-7; distance 22 0-7; root 0-7"),
           "nodes and cores with the same ids");
}

static void test_distances(struct tap *tap)
{
    struct al_locality *eight = load_locality(EIGHT_NODES, NULL, 0);
    struct al_locality *irregular = load_locality(IRREGULAR, "0-4,8,12,16,17,32", 0);
    struct al_locality *odd = load_locality(ODD, NULL, 0);
    struct al_locality *two = load_locality(EIGHT_NODES, "16,0,17,1,18", 0);
    char text[128] = "";
    const uint32_t others[] = {0, 1, 3, 4, 8, 24, 16};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        snprintf(text + 2 * i, 3, "%u ", al_locality_distance(eight, 0, others[i]));
    tap_ok(tap, strcmp(text, "0 0 1 2 3 3 4 ") == 0, "distances of worker 0: %s", text);
    tap_ok(tap, al_locality_distance(irregular, 9, 0) == 0, "the root is the only level");

    tap_ok(tap, al_locality_n_nodes(eight) == 8 && al_locality_n_nodes(irregular) == 4, "nodes");
    tap_ok(tap, al_locality_node_of(eight, 0) == 0 && al_locality_node_of(eight, 31) == 7,
           "nodes in the order of the topology");
    tap_ok(tap, al_locality_node_of(odd, 0) == 0 && al_locality_node_of(odd, 5) == 2,
           "not in that of ids");
    tap_ok(tap, al_locality_n_nodes(two) == 2 && al_locality_node_of(two, 0) == 1,
           "without those that have no workers, and not in the order of workers");
    text[0] = '\0';
    print_workers(text, sizeof text, al_locality_node_workers(two, 1));
    tap_ok(tap, strcmp(text, "0 2 4") == 0, "the workers of a node: %s", text);
    text[0] = '\0';
    print_workers(text, sizeof text, al_locality_node_workers(irregular, 3));
    tap_ok(tap, strcmp(text, "9") == 0, "a node of one worker: %s", text);

    tap_ok(tap,
           al_locality_node_distance(eight, 2, 2) == 10 &&
               al_locality_node_distance(eight, 2, 3) == 12 &&
               al_locality_node_distance(eight, 2, 5) == 20 &&
               al_locality_node_distance(eight, 2, 7) == 30 &&
               al_locality_node_distance(two, 0, 1) == 30 &&
               al_locality_node_distance(odd, 0, 2) == 40 &&
               al_locality_node_distance(odd, 2, 0) == 10,
           "distances of nodes from the matrix");
    tap_ok(tap,
           al_locality_node_distance(irregular, 0, 0) == 10 &&
               al_locality_node_distance(irregular, 0, 1) == 20 &&
               al_locality_node_distance(irregular, 0, 2) == 30 &&
               al_locality_node_distance(irregular, 3, 0) == 20,
           "distances of nodes from the tree");

    al_locality_free(eight);
    al_locality_free(irregular);
    al_locality_free(two);
    al_locality_free(odd);
    al_locality_free(NULL);
}

static void test_descriptions(struct tap *tap)
{
    struct al_locality *eight = load_locality(EIGHT_NODES, NULL, 0);
    struct al_locality *irregular = load_locality(IRREGULAR, "0-4,8,12,16,17,32", 0);
    struct al_locality *backwards = load_locality(IRREGULAR, "32,8,12,0-2,4", 0);
    char text[128];
    al_locality_describe(eight, text, sizeof text);
    tap_ok(tap, strcmp(text, "l2, node, distance 12, distance 20, distance 30, root") == 0,
           "described: %s", text);
    al_locality_describe(irregular, text, sizeof text);
    tap_ok(tap, strcmp(text, "core, l3, node, package, root") == 0, "described: %s", text);
    al_locality_describe(backwards, text, sizeof text);
    tap_ok(tap, strcmp(text, "core, l3, node, package, root") == 0,
           "described by size, in whatever order they are met: %s", text);
    al_locality_describe(eight, text, 8);
    tap_ok(tap, strcmp(text, "l2, nod") == 0, "cut short: %s", text);
    al_locality_free(eight);
    al_locality_free(irregular);
    al_locality_free(backwards);
}

static void test_many(struct tap *tap)
{
    struct al_topology *topology;
    struct al_locality *locality;
    struct al_error error = {""};
    enum { N = 4096 };
    unsigned pus[N];
    CHECK(al_topology_load("package:4 numa:4 l3:4 core:8 pu:2", &topology, &error) == 0, "%s",
          error.text);
    for (uint32_t i = 0; i < N; i++)
        pus[i] = i * 7 % 1024; /* four workers on each PU */
    CHECK(al_locality_new(topology, pus, N, &locality, &error) == 0, "%s", error.text);
    tap_ok(tap, well_formed(locality, N) && al_locality_n_levels(locality, 77) == 5,
           "4096 workers on 1024 PUs: each level in the next");
    al_locality_free(locality);
    pus[2] = 9999;
    tap_ok(tap,
           al_locality_new(topology, pus, 3, &locality, &error) < 0 &&
               strstr(error.text, "worker 2 was assigned PU 9999") != NULL,
           "no such PU: %s", error.text);
    al_topology_free(topology);

    const char *specs[] = {
        EIGHT_NODES, IRREGULAR, SAME_IDS, MEMORY_IN_PU, "package:2 l3:1 numa:2 core:2 pu:1",
        "pu:1"};
    bool well = true;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        for (uint32_t n = 1; n <= 40; n++) {
            locality = load_locality(specs[i], n % 2 == 0 ? "spread" : "close", n);
            well &= well_formed(locality, n);
            al_locality_free(locality);
        }
    }
    tap_ok(tap, well, "1 to 40 workers on other machines");
}

int main(void)
{
    struct tap tap = {0};
    test_levels(&tap);
    test_xml(&tap);
    test_distances(&tap);
    test_descriptions(&tap);
    test_many(&tap);
    return tap_done(&tap);
}
