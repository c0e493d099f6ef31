/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/results/measures.h"

const char *const al_measure_names[MEASURES + 1] = {
    [TIME] = "time_ns",
    [PER_MESSAGE] = "ns_per_message",
    [RATE] = "messages_per_s",
    [PEAK] = "peak_rss_bytes",
};

const struct al_measure al_measures[MEASURES] = {
    [TIME] = {"wall time in %s", {"ns", "µs", "ms", "s"}, false},
    [PER_MESSAGE] = {"%s per message", {"ns", "µs", "ms", "s"}, false},
    [RATE] = {"%smessages per s", {"", "thousand ", "million ", "billion "}, true},
    [PEAK] = {"peak memory in %s", {"B", "kB", "MB", "GB"}, false},
};
