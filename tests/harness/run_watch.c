/* SPDX-License-Identifier: MIT */

/* What `actorlab run` does about a signal that came during an iteration. Where the run ends anyway,
 * it tells its outcome itself: the look must return, and not end the process. */

#include "benchmarks/harness/commands/run.h"

#include <signal.h>

#include "tests/support/tap.h"

int main(void)
{
    struct tap tap = {0};
    struct al_run run = {.trial.iterations = 5};
    struct al_run_watch watch = {0};
    signal(SIGINT, SIG_DFL);
    al_run_watch_begin(&watch, &run);
    raise(SIGINT);
    run.trial.look(run.trial.look_argument, &(struct al_outcome){.n_times = 5});
    tap_ok(&tap, true, "all iterations have ended");
    run.trial.look(run.trial.look_argument, &(struct al_outcome){.wrong = true});
    tap_ok(&tap, true, "the first answer was wrong");
    return tap_done(&tap);
}
