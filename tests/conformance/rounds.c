/* SPDX-License-Identifier: MIT */
#include "tests/conformance/conformance.h"

#include <stdio.h>
#include <unistd.h>

#define ROUND_SECONDS 300

#ifdef AL_JITTER
#define SUBSET true /* the others run on threads that do not sleep */
#else
#define SUBSET false
#endif

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__ || AL_CHECKS
const struct repetition repetition = {"--rounds", 1, 100, 3, SUBSET};
#else
const struct repetition repetition = {"--rounds", 2, 100, 3, SUBSET};
#endif

void run_job(void (*function)(void *), struct job *job)
{
    alarm(ROUND_SECONDS);
    function(job);
    alarm(0);
}

bool takes_floods(const struct combination *combination)
{
#ifdef AL_JITTER
    (void)combination;
    return false;
#else
    return combination->own && combination->plain;
#endif
}

bool run_case(const struct options *options, const struct scenario *scenario,
              const struct combination *combination)
{
    bool often = combination->own && combination->plain && !scenario->flood;
    uint64_t n = !options->one_seed && often ? options->n : 1;
    for (uint64_t i = 0; i < n; i++) {
        struct al_config config = nth_config(options, combination, i, "in round");
        struct job job = {scenario, &config,
                          .large = combination->own && (combination->plain || config.workers <= 2)};
        run_job(run_scenario, &job);
    }
    return true;
}
