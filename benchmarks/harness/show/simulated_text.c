/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/show/simulated_text.h"

#include <inttypes.h>
#include <stdlib.h>

#include "benchmarks/harness/measure/simulated.h"
#include "benchmarks/harness/text/format.h"

#define BUSY_SHARE 0.1 /* of the time; a starter that is busy for longer may decide the result */

static size_t count_overridden(const struct al_model *model)
{
    size_t n = 0;
    for (size_t key = 0; key < AL_MODEL_KEYS; key++)
        n += model->values[key].overridden;
    return n;
}

void al_simulated_on_print(const struct al_trial *trial, FILE *file)
{
    const struct al_model *model = trial->model;
    if (model == NULL)
        return;
    char *title = al_printable(model->title);
    size_t n = count_overridden(model);
    fprintf(file, ", simulated on %s", title);
    free(title);
    if (model->hypothetical || n > 0)
        fprintf(file, " (%s%s", model->hypothetical ? "hypothetical" : "",
                model->hypothetical && n > 0 ? ", " : "");
    if (n > 0)
        fprintf(file, "%zu parameter%s overridden", n, n == 1 ? "" : "s");
    if (model->hypothetical || n > 0)
        fputc(')', file);
}

void al_simulated_print(const struct al_trial *trial, const struct al_outcome *outcome, FILE *file)
{
    const struct al_sim_report *counts = &outcome->simulated;
    if (trial->model == NULL)
        return;
    fprintf(file,
            "  simulated: %" PRIu64 " accesses, %" PRIu64 " misses, %" PRIu64
            " transfers between cores, which waited %s for one another; %" PRIu64
            " idle looks left out; %" PRIu64 " page faults; took %s of this host (%s accesses/s)\n",
            counts->accesses, counts->misses, counts->transfers,
            al_format_duration((double)counts->queued_ps / 1000).text, counts->left_out,
            counts->page_faults, al_format_duration(outcome->host_s * 1e9).text,
            al_format_count(al_simulated_speed(outcome)).text);
    double share = al_simulated_starter_busy(trial, outcome);
    if (share >= 0)
        fprintf(file, "  starting thread: busy %.1f%% of the last iteration, %s\n", share * 100,
                counts->starter_alone ? "on a PU of its own" : "on a PU of a worker");
}

void al_simulated_note_print(const struct al_trial *trial, const struct al_outcome *outcome,
                             FILE *file)
{
    double share = al_simulated_starter_busy(trial, outcome);
    if (share > BUSY_SHARE)
        fprintf(file,
                "the starting thread was busy %.0f%% of the time, which may decide the result; a "
                "larger workload makes it less\n",
                share * 100);
}
