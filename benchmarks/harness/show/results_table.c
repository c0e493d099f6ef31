/* SPDX-License-Identifier: MIT */

/* What `actorlab results` prints for people. */

#include "benchmarks/harness/show/results.h"

void al_results_table(const struct al_results *results, FILE *out)
{
    (void)results;
    (void)out;
}
