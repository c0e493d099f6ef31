/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/commands/measuring.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "benchmarks/harness/measure/calm.h"

#define CLEARED "\r\033[K" /* the line; stderr itself would escape that */

void al_progress_show(void *argument, size_t step, size_t n_steps, const char *what)
{
    const struct al_progress *progress = argument;
    double s = difftime(time(NULL), progress->began);
    step += progress->round * n_steps;
    n_steps *= progress->rounds;
    size_t enough = progress->alike ? 0 : 2;
    double left_s = step > enough ? s / (double)step * (double)(n_steps - step) : 0;
    if (s + left_s < progress->least_s)
        return;
    dprintf(STDERR_FILENO, CLEARED "%zu of %zu: %s", step + 1, n_steps, what);
    if (step > enough)
        dprintf(STDERR_FILENO, ", about %.0f s left", left_s);
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
