/* SPDX-License-Identifier: MIT */

/* `actorlab export`: recorded runs in the formats of other tools. */

#include "benchmarks/harness/results/sweep_file.h"
#include "benchmarks/harness/show/export.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "benchmarks/harness/commands/arguments.h"
#include "benchmarks/harness/results/measures.h"
#include "benchmarks/harness/results/cells.h"
#include "benchmarks/harness/results/reader.h"

enum format { CSV, HYPERFINE, LATEX, GNUPLOT };

static const char *const formats[] = {
    [CSV] = "csv", [HYPERFINE] = "hyperfine", [LATEX] = "latex", [GNUPLOT] = "gnuplot", NULL};

struct choices {
    const char *records, *benchmark, *out;
    unsigned format;  /* enum format */
    unsigned measure; /* enum measure */
    bool summary, ratios;
};

static const struct al_argument arguments[] = {
    {"format", "FORMAT", AL_ARGUMENT_WORD, offsetof(struct choices, format), .words = formats,
     .help = "one row per process, hyperfine's --export-json, a booktabs table per benchmark, or "
             "BENCHMARK.dat and BENCHMARK.gp in a folder"},
    {"summary", NULL, AL_ARGUMENT_FLAG, offsetof(struct choices, summary),
     .help = "with csv: one row per cell, with medians and intervals"},
    {"ratios", NULL, AL_ARGUMENT_FLAG, offsetof(struct choices, ratios),
     .help = "with latex: the ratios to the sweep's baseline, with verdicts"},
    {"measure", "MEASURE", AL_ARGUMENT_WORD, offsetof(struct choices, measure),
     .help = "with latex and gnuplot", .standard = "ns_per_message", .words = al_measure_names},
    {"benchmark", "B", AL_ARGUMENT_NAME, offsetof(struct choices, benchmark),
     .help = "export this benchmark only"},
    {"out", "FILE", AL_ARGUMENT_FILE, offsetof(struct choices, out),
     .help = "write to FILE instead of standard output; with gnuplot a folder"},
    {0},
};

/* Whether the output would overwrite what it is made from. */
static bool is_own_input(const struct choices *choices)
{
    char *records = al_records_path(choices->records);
    struct stat from, to;
    bool is_stdin = strcmp(choices->records, "-") == 0;
    bool same = (is_stdin ? fstat(STDIN_FILENO, &from) : stat(records, &from)) == 0 &&
                stat(choices->out, &to) == 0 && from.st_dev == to.st_dev &&
                from.st_ino == to.st_ino;
    free(records);
    return same;
}

/* What goes together; else one line on stderr. */
static bool check_choices(const struct choices *choices, const struct al_parsed *parsed)
{
    enum format format = choices->format;
    if (!al_argument_given(parsed, "format"))
        al_refuse("export", "no --format; valid: --format csv, hyperfine, latex or gnuplot");
    else if (choices->summary && format != CSV)
        al_refuse("export", "--summary with --format %s; valid: --format csv", formats[format]);
    else if (choices->ratios && format != LATEX)
        al_refuse("export", "--ratios with --format %s; valid: --format latex", formats[format]);
    else if (choices->ratios && al_argument_given(parsed, "measure"))
        al_refuse("export",
                  "--ratios with --measure: they are of times per message; valid: one of both");
    else if (al_argument_given(parsed, "measure") && format != LATEX && format != GNUPLOT)
        al_refuse("export", "--measure with --format %s; valid: --format latex or gnuplot",
                  formats[format]);
    else if (format == GNUPLOT && choices->out == NULL)
        al_refuse("export", "--format gnuplot without a folder for its files; valid: --out DIR");
    else if (choices->out != NULL && is_own_input(choices))
        al_refuse("export", "--out '%s' would overwrite the records; valid: another file",
                  choices->out);
    else
        return true;
    return false;
}

/* As `actorlab results` makes it; zero for what has no verdicts. */
static void make_study(const struct choices *choices, const json_t *sweep,
                       struct al_summary *summary, struct al_study *out)
{
    if (choices->format != LATEX)
        return;
    struct al_bootstrap *bootstrap = al_needed(
        al_bootstrap_new(summary->resamples, summary->level, summary->seed));
    struct al_study_request request = {.baseline = al_sweep_baseline(sweep),
                                       .order = json_object_get(sweep, "axes"),
                                       .rules = al_sweep_rules(sweep, summary)};
    al_cells_intervals(summary, bootstrap, NULL);
    al_study_make(summary, &request, out);
    al_bootstrap_free(bootstrap);
}

static int write_file(const struct choices *choices, const struct al_summary *summary,
                      const struct al_lines *lines, const struct al_study *study)
{
    FILE *out = choices->out != NULL ? fopen(choices->out, "w") : stdout;
    if (out != NULL) {
        if (choices->format == HYPERFINE)
            al_export_hyperfine(lines, out);
        else if (choices->ratios)
            al_export_latex_ratios(summary, lines, study, out);
        else if (choices->format == LATEX)
            al_export_latex(summary, lines, study, out);
        else if (choices->summary)
            al_export_csv_summary(summary, choices->benchmark, out);
        else
            al_export_csv(summary, choices->benchmark, out);
    }
    if (out == stdout || (out != NULL && (ferror(out) | fclose(out)) == 0))
        return AL_EXIT_OK;
    fprintf(stderr, "actorlab export: could not write '%s': %s\n", choices->out, strerror(errno));
    return AL_EXIT_WRITE;
}

static size_t count_records(const json_t *records, const char *benchmark)
{
    size_t i, n = 0;
    const json_t *record;
    json_array_foreach(records, i, record)
        n += benchmark == NULL ||
             strcmp(benchmark, json_string_value(json_object_get(record, "benchmark"))) == 0;
    return n;
}

/* AL_EXIT_OK, or what keeps the records from being exported. */
static int check_records(const struct choices *choices, const struct al_summary *summary,
                         const struct al_lines *lines, const struct al_study *study)
{
    size_t n = choices->format == CSV ? count_records(summary->records, choices->benchmark)
                                      : lines->n;
    bool alone = choices->ratios && n > 0;
    if (alone ? al_has_ratios(study, choices->benchmark) : n > 0)
        return AL_EXIT_OK;
    fprintf(stderr, "actorlab export: '%s' has no %s%s%s\n", choices->records,
            alone                    ? "two cells to compare"
            : choices->format == CSV ? "record"
                                     : "record with outcome ok",
            choices->benchmark != NULL ? " of " : "",
            choices->benchmark != NULL ? choices->benchmark : "");
    return AL_EXIT_FAILED;
}

static int export_main(int argc, char **argv)
{
    struct choices choices = {0};
    struct al_parsed parsed;
    if (!al_arguments_read(&al_export_command, argc, argv, &choices, &parsed))
        return AL_EXIT_USAGE;
    choices.records = parsed.operands[0];
    if (!check_choices(&choices, &parsed))
        return AL_EXIT_USAGE;
    if (choices.format == HYPERFINE)
        choices.measure = TIME;
    json_t *sweep;
    struct al_summary summary = {.records = al_needed(json_array())};
    struct al_lines lines = {0};
    struct al_study study = {0};
    int code = al_sweep_cells(choices.records, "export", &summary, &sweep);
    if (code <= AL_EXIT_FAILED) {
        al_summary_sort(&summary);
        if (choices.format != CSV)
            al_lines_make(&summary, choices.measure, choices.benchmark, &lines);
        if (choices.format == GNUPLOT)
            al_lines_part(&lines);
        make_study(&choices, sweep, &summary, &study);
        int result = check_records(&choices, &summary, &lines, &study);
        if (result == AL_EXIT_OK)
            result = choices.format == GNUPLOT ? al_export_gnuplot(&lines, choices.out)
                                               : write_file(&choices, &summary, &lines, &study);
        code = result > code ? result : code;
    }
    al_study_release(&study);
    al_lines_release(&lines);
    al_cells_release(&summary);
    json_decref(sweep);
    return code;
}

const struct al_command al_export_command = {
    .name = "export",
    .help = "write recorded runs as CSV, hyperfine's JSON, LaTeX or for gnuplot",
    .operand = "RECORDS",
    .least = 1,
    .most = 1,
    .usage = "RECORDS --format FORMAT [options]",
    .about = "Writes recorded runs in the formats of other tools. RECORDS is a results folder, a "
             "file of records, or - for standard input.",
    .arguments = arguments,
    .run = export_main,
};
