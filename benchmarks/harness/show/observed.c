/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/show/observed.h"

#include <math.h>

#include "benchmarks/harness/measure/handoff.h"
#include "benchmarks/harness/text/format.h"

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
