/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/show/results.h"

#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/commands/arguments.h"
#include "benchmarks/harness/results/cells.h"
#include "benchmarks/harness/results/sweep_file.h"
#include "benchmarks/harness/text/format.h"

const char *const al_interval_keys[] = {
    [AL_ORDER] = "order", [AL_PERCENTILE] = "percentile", [AL_BCA] = "bca", NULL};

struct choices {
    bool json;
    const char *dump;
    unsigned interval; /* enum al_interval_kind */
    double level;
    uint64_t resamples, seed;
};

static const struct al_argument arguments[] = {
    {"json", NULL, AL_ARGUMENT_FLAG, offsetof(struct choices, json),
     .help = "print one JSON object instead of the table"},
    {"interval", "KIND", AL_ARGUMENT_WORD, offsetof(struct choices, interval),
     .help = "between ranks, whose coverage is exact, or a bootstrap's, of which bca is bias-"
             "corrected and accelerated; the sweep's own kind comes before the default",
     .standard = "order", .words = al_interval_keys},
    AL_ARGUMENT_LEVEL(offsetof(struct choices, level)),
    AL_ARGUMENT_RESAMPLES(offsetof(struct choices, resamples)),
    AL_ARGUMENT_SEED(offsetof(struct choices, seed), "seed of the resampling"),
    {"dump-replicates", "FILE", AL_ARGUMENT_FILE, offsetof(struct choices, dump),
     .help = "write the resampled medians to a new FILE, one JSON line per measure"},
    {0},
};

static int summarize_main(int argc, char **argv)
{
    struct choices choices = {0};
    struct al_parsed parsed;
    if (!al_arguments_read(&al_summarize_command, argc, argv, &choices, &parsed))
        return AL_EXIT_USAGE;
    struct al_summary summary = {.level = choices.level,
                                 .resamples = choices.resamples,
                                 .seed = choices.seed,
                                 .kind = choices.interval};
    json_t *sweep = al_sweep_read(parsed.operands[0]);
    if (!al_argument_given(&parsed, "interval"))
        summary.kind = al_sweep_interval(sweep);
    const char *dump_name = choices.dump;
    FILE *dump = NULL;
    int code = AL_EXIT_OK;
    for (size_t i = 0; i < parsed.n_operands && code != AL_EXIT_USAGE; i++) {
        int result = al_cells_read(&summary, parsed.operands[i]);
        code = result > code ? result : code;
    }
    /* Never onto an existing file, which might be the records themselves. */
    if (code != AL_EXIT_USAGE && dump_name != NULL && (dump = fopen(dump_name, "wx")) == NULL) {
        fprintf(stderr, "actorlab summarize: cannot create '%s': %s\n", dump_name, strerror(errno));
        code = AL_EXIT_WRITE;
    }
    if (code <= AL_EXIT_FAILED) {
        al_summary_sort(&summary);
        al_sweep_looked(sweep, &summary);
        struct al_bootstrap *bootstrap = al_needed(
            al_bootstrap_new(summary.resamples, summary.level, summary.seed));
        al_cells_intervals(&summary, bootstrap, dump);
        if (choices.json)
            al_summarize_json(&summary, bootstrap);
        else
            al_summarize_table(&summary, json_object_get(sweep, "axes"));
        al_bootstrap_free(bootstrap);
        if (dump != NULL && (ferror(dump) | fclose(dump)) != 0) {
            fprintf(stderr, "actorlab summarize: could not write '%s': %s\n", dump_name,
                    strerror(errno));
            code = AL_EXIT_WRITE;
        }
    }
    al_cells_release(&summary);
    json_decref(sweep);
    return code;
}

const struct al_command al_summarize_command = {
    .name = "summarize",
    .help = "show medians and intervals of recorded runs",
    .operand = "RECORDS",
    .least = 1,
    .most = SIZE_MAX,
    .usage = "RECORDS… [options]",
    .about = "Prints medians and intervals of recorded runs. RECORDS is a results folder, "
             "a file of records, or - for standard input.",
    .arguments = arguments,
    .run = summarize_main,
};
