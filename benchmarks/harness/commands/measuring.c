/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/commands/measuring.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "benchmarks/harness/measure/noise.h"

#define CLEARED "\r\033[K" /* the line; stderr itself would escape that */

/* The steps before this one took so long; what has passed of this one counts as done, but no more
 * than one step. */
static double left(const struct al_progress *progress, size_t n_steps, time_t now)
{
    double step_s = difftime(progress->at, progress->began) / (double)progress->step;
    double since_s = difftime(now, progress->at);
    return step_s * (double)(n_steps - progress->step) - (since_s < step_s ? since_s : step_s);
}

void al_progress_show(void *argument, size_t step, size_t n_steps, const char *what)
{
    struct al_progress *progress = argument;
    time_t now = time(NULL);
    step += progress->round * n_steps;
    n_steps *= progress->rounds;
    if (step != progress->step) {
        progress->step = step;
        progress->at = now;
    }
    size_t enough = progress->alike ? 0 : 2;
    double left_s = step > enough ? left(progress, n_steps, now) : 0;
    if (difftime(now, progress->began) + left_s < progress->least_s)
        return;
    dprintf(STDERR_FILENO, CLEARED "%zu of %s%zu: %s", step + 1,
            progress->at_most ? "at most " : "", n_steps, what);
    if (step > enough)
        dprintf(STDERR_FILENO, ", %s %.0f s left", progress->at_most ? "at most" : "about", left_s);
}

void al_progress_end(void)
{
    if (isatty(STDERR_FILENO))
        dprintf(STDERR_FILENO, CLEARED);
}

bool al_can_write(const char *path, struct al_error *error)
{
    FILE *file = fopen(path, "a");
    if (file == NULL || fclose(file) != 0) {
        al_error_set(error, -errno, "could not write '%s': %s", path, strerror(errno));
        return false;
    }
    return true;
}

void al_warn_if_disturbed(const char *command, double share)
{
    if (share > AL_CALM_SHARE)
        fprintf(stderr,
                "actorlab %s: other programs, or other machines of the host, used %.0f%% of the "
                "PUs meanwhile: measure again on an idle machine\n",
                command, 100 * share);
}
