/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/show/run.h"

#include <inttypes.h>
#include <stdlib.h>

#include "benchmarks/harness/measure/simulated.h"
#include "benchmarks/harness/results/doubts.h"
#include "benchmarks/harness/text/format.h"
#include "benchmarks/harness/text/json.h"
#include "core/counted.h"

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
        fprintf(file, "%s overridden", al_counted(n, "parameter").text);
    if (model->hypothetical || n > 0)
        fputc(')', file);
}

void al_simulated_print(const struct al_trial *trial, const struct al_outcome *outcome, FILE *file)
{
    const struct al_sim_report *counts = &outcome->simulated;
    if (trial->model == NULL)
        return;
    fprintf(
        file,
        "  simulated: %s, %s, %s between cores, which waited %s for one another; %s left out; %s; "
        "took %s of this host (%s accesses/s)\n",
        al_counted(counts->accesses, "access").text, al_counted(counts->misses, "miss").text,
        al_counted(counts->transfers, "transfer").text,
        al_format_duration((double)counts->queued_ps / 1000).text,
        al_counted(counts->left_out, "idle look").text,
        al_counted(counts->page_faults, "page fault").text,
        al_format_duration(outcome->host_s * 1e9).text,
        al_format_count(al_simulated_speed(outcome)).text);
    double share = al_simulated_starter_busy(trial, outcome);
    if (share >= 0)
        fprintf(file, "  starting thread: busy %.1f%% of the last iteration, %s\n", share * 100,
                counts->starter_alone ? "on a PU of its own" : "on a PU of a worker");
}

/* Which part of the workers took part in all measured iterations, or -1. */
static double took_part(const struct al_report *report)
{
    double *received = al_needed(calloc(report->n_workers, sizeof *received));
    for (uint32_t i = 0; i < report->n_workers; i++)
        received[i] = (double)report->workers[i].counters.messages_received;
    double share = al_took_part(received, report->n_workers);
    free(received);
    return share;
}

void al_doubts_print(const struct al_trial *trial, const struct al_outcome *outcome, FILE *file)
{
    const struct al_report *report = &outcome->report;
    struct al_evidence evidence = AL_EVIDENCE_NONE;
    if (outcome->n_times == 0)
        return;
    if (trial->model != NULL) {
        evidence = al_evidence_before(&trial->parameters, &report->scheduler, &report->idle,
                                      report->n_workers);
        evidence.starter_busy = al_simulated_starter_busy(trial, outcome);
        evidence.took_part = took_part(report);
        evidence.time_ns = (double)outcome->time_ns[outcome->n_times - 1];
    }
    evidence.overrun = outcome->overrun;
    evidence.messages = (double)outcome->messages;
    unsigned doubts = al_doubts(&evidence);
    for (unsigned d = 0; d < AL_DOUBTS; d++) {
        if ((doubts & 1U << d) != 0)
            fprintf(file, "this may decide the result: %s\n", al_doubt_texts[d]);
    }
}
