/* SPDX-License-Identifier: MIT */

/* `actorlab claims`: runs scripts/claims of the project that this program was built from. */

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "benchmarks/harness/commands/arguments.h"
#include "benchmarks/harness/measure/child.h"
#include "benchmarks/harness/measure/places.h"
#include "benchmarks/harness/text/json.h"

static int claims_main(int argc, char **argv)
{
    char path[PATH_MAX];
    struct al_error error;
    if (al_child_beside(AL_CLAIMS_BUILT, path, sizeof path, &error) != 0)
        return al_refuse("claims", "%s", error.text);
    char **words = al_needed(calloc((size_t)argc + 1, sizeof *words));
    memcpy(words, argv, (size_t)argc * sizeof *words);
    words[0] = path;
    execv(path, words);
    int code = errno;
    free(words);
    return al_refuse("claims", "cannot run %s: %s; it needs the project's sources beside the build",
                     path, strerror(code));
}

static const struct al_argument arguments[] = {{0}};

const struct al_command al_claims_command = {
    .name = "claims",
    .help = "test what the papers state, by running what that takes",
    .most = SIZE_MAX,
    .usage = "[RESULTS…] [options]",
    .about =
        "The same as scripts/claims, which this runs: `scripts/claims --help` lists its options.",
    .arguments = arguments,
    .run = claims_main,
    .passes_on = true,
};
