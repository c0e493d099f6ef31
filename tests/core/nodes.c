/* SPDX-License-Identifier: MIT */

/* The levels of workers on machines whose NUMA nodes are larger than packages, or some of whose
 * cores have no memory; and what holds on every machine. */

#include "core/machine/locality.h"

#include <glob.h>
#include <stdlib.h>

#include "core/machine/topology.h"
#include "tests/support/levels.h"

static void test_memory(struct tap *tap)
{
    tap_ok(tap,
           levels_are(AL_TOPOLOGIES "/one-node-two-packages.xml", NULL, 0, 5,
                      "l3* 4-5; package* 4-7; node* 0-7; root 0-7"),
           "packages inside a node");
    tap_ok(tap,
           levels_are(AL_TOPOLOGIES "/one-node-dies.xml", NULL, 0, 5,
                      "l3* 4-5; die* 4-7; package* 0-7; node* 0-15; root 0-15"),
           "dies inside a node");
    tap_ok(tap,
           levels_are(AL_TOPOLOGIES "/one-node-groups.xml", NULL, 0, 5,
                      "l3* 4-5; group* 4-7; node* 0-7; root 0-7"),
           "groups inside a node");
    tap_ok(tap,
           levels_are(AL_TOPOLOGIES "/packages-without-memory.xml", NULL, 0, 1,
                      "node* 0-1; root 0-7") &&
               levels_are(AL_TOPOLOGIES "/packages-without-memory.xml", NULL, 0, 5,
                          "package* 4-5; root 0-7"),
           "packages without memory are no node together, and not the machine's");
    tap_ok(tap,
           levels_are(AL_TOPOLOGIES "/dies-without-memory.xml", "smt", 0, 0,
                      "core* 0-1; l3* 0-3; package* 0-7; root 0-15") &&
               levels_are(AL_TOPOLOGIES "/dies-without-memory.xml", "smt", 0, 8,
                          "core* 8-9; node* 8-11; package 8-15; root 0-15") &&
               levels_are(AL_TOPOLOGIES "/dies-without-memory.xml", "smt", 0, 12,
                          "core* 12-13; die* 12-15; package 8-15; root 0-15"),
           "dies without memory, in a package that has some and in one that has none");
    tap_ok(tap,
           levels_are(AL_TOPOLOGIES "/node-without-cores.xml", NULL, 0, 3, "node* 2-3; root 0-3"),
           "a node without cores is nobody's");
    tap_ok(tap,
           levels_are(AL_TOPOLOGIES "/far-memory.xml", NULL, 0, 0, "node* 0-1; root 0-3") &&
               levels_are(AL_TOPOLOGIES "/far-memory.xml", NULL, 0, 3, "package* 2-3; root 0-3"),
           "nor of cores without memory");
    tap_ok(tap, levels_are(AL_TOPOLOGIES "/two-memories.xml", NULL, 0, 3, "node* 2-3; root 0-3"),
           "several kinds of memory");

    struct al_locality *locality = load_locality(AL_TOPOLOGIES "/packages-without-memory.xml", NULL,
                                                 0);
    char text[128];
    al_locality_describe(locality, text, sizeof text);
    tap_ok(tap,
           al_locality_n_nodes(locality) == 4 && al_locality_node_of(locality, 2) == 1 &&
               al_locality_node_of(locality, 7) == 3 &&
               al_locality_node_distance(locality, 0, 3) == 20,
           "nodes with and without memory are numbered and apart");
    al_locality_free(locality);
}

/* What holds on every machine: a node is of cores with the same memory, or of cores without any;
 * and cores of a package are nearer to one another than to those of other packages, unless the
 * machine's matrix of distances says otherwise. */
static bool fits(const struct al_topology *topology, const struct al_locality *locality,
                 const unsigned *pus, uint32_t n)
{
    char levels[256];
    al_locality_describe(locality, levels, sizeof levels);
    bool matrix = strstr(levels, "distance") != NULL;
    for (uint32_t a = 0; a < n; a += 1 + n / 64) {
        struct al_place own, other;
        uint32_t mates = 0, within = 0, beyond = UINT32_MAX;
        al_topology_place(topology, pus[a], &own);
        for (uint32_t b = 0; b < n; b++) {
            al_topology_place(topology, pus[b], &other);
            bool same = al_locality_node_of(locality, a) == al_locality_node_of(locality, b);
            if (own.node != other.node ? same : own.node >= 0 && !same)
                return false;
            uint32_t distance = al_locality_distance(locality, a, b);
            if (a != b && own.package == other.package)
                within = distance > within ? distance : within;
            else if (a != b)
                beyond = distance < beyond ? distance : beyond;
            mates += a != b && own.package == other.package;
        }
        if (!matrix && mates > 0 && within >= beyond)
            return false;
    }
    return true;
}

static void test_all_files(struct tap *tap)
{
    glob_t files = {0};
    CHECK(glob(AL_TOPOLOGIES "/*.xml", 0, NULL, &files) == 0 &&
              glob(AL_MACHINES "/configs/machines/*.xml", GLOB_APPEND, NULL, &files) == 0,
          "no files of topologies");
    for (size_t i = 0; i < files.gl_pathc; i++) {
        static const char *const policies[] = {"close", "spread"};
        bool good = true;
        for (size_t k = 0; k < 2; k++) {
            struct al_topology *topology;
            struct al_locality *locality;
            struct al_error error;
            unsigned *pus;
            size_t n;
            CHECK(al_topology_load(files.gl_pathv[i], &topology, &error) == 0, "%s", error.text);
            CHECK(al_topology_order(topology, policies[k], &pus, &n, &error) == 0, "%s",
                  error.text);
            CHECK(al_locality_new(topology, pus, (uint32_t)n, &locality, &error) == 0, "%s",
                  error.text);
            good &= well_formed(locality, (uint32_t)n) &&
                    fits(topology, locality, pus, (uint32_t)n);
            al_locality_free(locality);
            free(pus);
            al_topology_free(topology);
        }
        tap_ok(tap, good, "nodes and packages of %s", strrchr(files.gl_pathv[i], '/') + 1);
    }
    globfree(&files);
}

int main(void)
{
    struct tap tap = {0};
    test_memory(&tap);
    test_all_files(&tap);
    return tap_done(&tap);
}
