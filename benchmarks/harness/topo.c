/* SPDX-License-Identifier: MIT */

/* `actorlab topo`: the machine, and the order in which workers take its PUs. */

#include <stdio.h>
#include <string.h>

#include "benchmarks/harness/commands.h"
#include "core/topology.h"

static const char usage[] =
    "usage: actorlab topo [--topology SPEC] [--pin POLICY]\n\n"
    "  --topology SPEC  a file.xml of lstopo, or hwloc's synthetic form: 'package:2 core:4 pu:2'\n"
    "  --pin POLICY     close (default), spread, smt, none, or a list of PUs: 0,2,4-7\n";

int al_topo_main(int argc, char **argv)
{
    const char *spec = NULL, *policy = NULL;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0) {
            fputs(usage, stdout);
            return AL_EXIT_OK;
        }
        const char **value = strcmp(argv[i], "--topology") == 0 ? &spec
                             : strcmp(argv[i], "--pin") == 0    ? &policy
                                                                : NULL;
        if (value == NULL || i + 1 == argc) {
            fprintf(stderr, "actorlab topo: %s '%s'; valid: --topology SPEC, --pin POLICY\n",
                    value == NULL ? "unknown option" : "no value after", argv[i]);
            return AL_EXIT_USAGE;
        }
        *value = argv[++i];
    }
    struct al_error error;
    struct al_topology *topology;
    int code = al_topology_load(spec, &topology, &error);
    if (code == 0) {
        code = al_topology_print(topology, policy, stdout, &error);
        al_topology_free(topology);
    }
    if (code != 0)
        fprintf(stderr, "actorlab topo: %s\n", error.text);
    return code == 0 ? AL_EXIT_OK : AL_EXIT_USAGE;
}
