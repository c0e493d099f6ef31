/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/results/measures.h"

#include <stdio.h>
#include <string.h>

const struct al_measure al_measures[MEASURES] = {
    [TIME] = {"time_ns", "wall time in %s", {"ns", "µs", "ms", "s"}, false},
    [PER_MESSAGE] = {"ns_per_message", "%s per message", {"ns", "µs", "ms", "s"}, false},
    [RATE] = {"messages_per_s",
              "%smessages per s",
              {"", "thousand ", "million ", "billion "},
              true},
    [PEAK] = {"peak_rss_bytes", "peak memory in %s", {"B", "kB", "MB", "GB"}, false},
};

enum measure al_measure_named(const char *command, const char *name)
{
    for (enum measure m = 0; m < MEASURES; m++) {
        if (strcmp(al_measures[m].name, name) == 0)
            return m;
    }
    fprintf(stderr, "actorlab %s: unknown measure '%s'; valid: %s, %s, %s, %s\n", command, name,
            al_measures[0].name, al_measures[1].name, al_measures[2].name, al_measures[3].name);
    return MEASURES;
}
