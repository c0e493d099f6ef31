/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/show/run.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "benchmarks/harness/measure/handoff.h"
#include "benchmarks/harness/measure/hardware.h"
#include "benchmarks/harness/measure/trial.h"
#include "benchmarks/harness/text/format.h"
#include "benchmarks/harness/text/json.h"
#include "core/counted.h"

void al_handoff_print(const struct al_handoff *handoff, FILE *file)
{
    if (!handoff->known) {
        fprintf(file, "  hand-off of a cache line: not probed, because no other PU can be bound\n");
        return;
    }
    fprintf(file, "  hand-off of a cache line from PU %u:", handoff->from);
    for (size_t i = 0; i < handoff->n; i++) {
        fprintf(file, "%s to PU %u ", i > 0 ? "," : "", handoff->to[i]);
        if (isnan(handoff->ns[i]))
            fprintf(file, "no answer");
        else
            fprintf(file, "%s", al_format_duration(handoff->ns[i]).text);
    }
    if (!isnan(handoff->median_ns) && handoff->n > 1)
        fprintf(file, "; median %s", al_format_duration(handoff->median_ns).text);
    fprintf(file, " (probed in %s)\n", al_format_duration((double)handoff->took_ns).text);
}

static void print_event(const struct al_hardware *hardware, uint32_t n_workers, bool all,
                        enum al_hardware_event event, const char *help, FILE *file)
{
    uint64_t *values = al_needed(calloc(n_workers + 1, sizeof *values));
    uint32_t known = 0;
    for (uint32_t i = 0; i <= n_workers; i++) {
        if (al_hardware_sum(hardware, i < n_workers ? i : AL_NO_WORKER, event, &values[i]))
            known++;
        else
            values[i] = AL_STATS_UNKNOWN;
    }
    if (known > 0)
        al_stats_row(file, al_hardware_names[event], values, n_workers, all, help);
    free(values);
}

void al_hardware_print(const struct al_hardware *hardware, uint32_t n_workers, bool all, FILE *file)
{
    static const char *const help[AL_HARDWARE_EVENTS] = {
        [AL_HARDWARE_CYCLES] = "cycles of the processor, in user mode",
        [AL_HARDWARE_INSTRUCTIONS] = "instructions, in user mode",
        [AL_HARDWARE_CACHE_MISSES] = "accesses that missed the last cache, in user mode",
        [AL_HARDWARE_CONTEXT_SWITCHES] = "times that the thread left its PU",
        [AL_HARDWARE_PAGE_FAULTS] = "page faults",
        [AL_HARDWARE_WAITED] = "ns that the thread was ready to run and waited for a PU",
        [AL_HARDWARE_RAN] = "ns that the thread ran",
    };
    for (int event = 0; event < AL_HARDWARE_EVENTS; event++)
        print_event(hardware, n_workers, all, event, help[event], file);
}

void al_steady_print(const struct al_trial *trial, const struct al_outcome *outcome, FILE *file)
{
    if (al_steady(outcome->time_ns, outcome->n_times) != AL_STEADY_NO)
        return;
    struct al_drift drift = al_drift(outcome->time_ns, outcome->n_times);
    fprintf(file,
            "not steady: the second half of the iterations took %.0f%% %s than the first (p = "
            "%.2g)%s\n",
            fabs(drift.ratio - 1) * 100, drift.ratio > 1 ? "longer" : "less time", drift.p,
            trial->warmup_auto ? "" : "; --warmup auto warms up until they are");
}

void al_warm_print(const struct al_outcome *outcome, FILE *file)
{
    if (outcome->warm == AL_STEADY_NO)
        fprintf(file, "actorlab run: warm-up ended after %s, whose times still changed\n",
                al_counted(outcome->warmup, "iteration").text);
}
