/* SPDX-License-Identifier: MIT */

/* `actorlab export`: recorded runs in the formats of other tools. */

#include "benchmarks/harness/commands/export.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "benchmarks/harness/commands/commands.h"
#include "benchmarks/harness/results/reader.h"

static const char help[] =
    "usage: actorlab export RECORDS --format csv|hyperfine|latex|gnuplot [options]\n\n"
    "RECORDS: a results folder, a file of records, or - for standard input.\n"
    "  --format csv        one row per process\n"
    "  --format hyperfine  the JSON that `hyperfine --export-json` writes\n"
    "  --format latex      a booktabs table per benchmark\n"
    "  --format gnuplot    BENCHMARK.dat and BENCHMARK.gp per benchmark, into --out DIR\n"
    "  --summary           with csv: one row per cell, with medians and intervals\n"
    "  --measure M         with latex and gnuplot: time_ns, ns_per_message (default),\n"
    "                      messages_per_s or peak_rss_bytes\n"
    "  --benchmark B       only this one\n"
    "  --out FILE          in place of standard output\n";

enum format { CSV, HYPERFINE, LATEX, GNUPLOT, FORMATS };

static const char *const formats[FORMATS] = {"csv", "hyperfine", "latex", "gnuplot"};

struct arguments {
    const char *records, *format_name, *measure_name, *benchmark, *out;
    enum format format;
    enum measure measure;
    bool summary;
};

static int refuse(const char *problem, const char *what, const char *valid)
{
    fprintf(stderr, "actorlab export: %s%s%s%s; valid: %s\n", problem, what != NULL ? " '" : "",
            what != NULL ? what : "", what != NULL ? "'" : "", valid);
    return AL_EXIT_USAGE;
}

/* Whether the output would overwrite what it is made from. */
static bool is_own_input(const struct arguments *arguments)
{
    char *records = al_records_path(arguments->records);
    struct stat from, to;
    bool same = stat(records, &from) == 0 && stat(arguments->out, &to) == 0 &&
                from.st_dev == to.st_dev && from.st_ino == to.st_ino;
    free(records);
    return same;
}

/* What goes together. */
static int check_arguments(struct arguments *arguments)
{
    static const char names[] = "csv, hyperfine, latex, gnuplot";
    if (arguments->records == NULL)
        return refuse("no records", NULL, "a results folder, a file of records, or -");
    if (arguments->format_name == NULL)
        return refuse("no --format", NULL, names);
    while (arguments->format < FORMATS &&
           strcmp(formats[arguments->format], arguments->format_name) != 0)
        arguments->format++;
    enum format format = arguments->format;
    if (format == FORMATS)
        return refuse("unknown format", arguments->format_name, names);
    if (arguments->summary && format != CSV)
        return refuse("--summary is not for --format", arguments->format_name, "csv");
    if (arguments->measure_name != NULL && format != LATEX && format != GNUPLOT)
        return refuse("--measure is not for --format", arguments->format_name, "latex, gnuplot");
    if (format == GNUPLOT && arguments->out == NULL)
        return refuse("--format gnuplot writes several files", NULL, "--out DIR");
    if (arguments->out != NULL && is_own_input(arguments))
        return refuse("--out would overwrite the records,", arguments->out, "another file");
    arguments->measure = format == HYPERFINE ? TIME : PER_MESSAGE;
    if (arguments->measure_name != NULL)
        arguments->measure = al_measure_named("export", arguments->measure_name);
    return arguments->measure == MEASURES ? AL_EXIT_USAGE : -1;
}

/* -1 to go on, or the exit code. */
static int parse_arguments(struct arguments *arguments, int argc, char **argv)
{
    const struct {
        const char *flag, **where;
    } flags[] = {
        {"--format", &arguments->format_name},
        {"--out", &arguments->out},
        {"--measure", &arguments->measure_name},
        {"--benchmark", &arguments->benchmark},
    };
    for (int i = 1; i < argc; i++) {
        const char **where = argv[i][0] != '-' || argv[i][1] == '\0' ? &arguments->records : NULL;
        if (where != NULL) {
            if (*where != NULL)
                return refuse("a second RECORDS", argv[i], "one");
            *where = argv[i];
            continue;
        }
        if (strcmp(argv[i], "--help") == 0) {
            fputs(help, stdout);
            return AL_EXIT_OK;
        }
        if (strcmp(argv[i], "--summary") == 0) {
            arguments->summary = true;
            continue;
        }
        for (size_t f = 0; f < sizeof flags / sizeof *flags; f++) {
            if (strcmp(argv[i], flags[f].flag) == 0)
                where = flags[f].where;
        }
        if (where == NULL || i + 1 == argc)
            return refuse(where == NULL ? "unknown option" : "no value after", argv[i],
                          "--format, --summary, --measure, --benchmark, --out");
        *where = argv[++i];
    }
    return check_arguments(arguments);
}

static int write_file(const struct arguments *arguments, const struct al_summary *summary,
                      const struct al_lines *lines)
{
    FILE *out = arguments->out != NULL ? fopen(arguments->out, "w") : stdout;
    if (out != NULL) {
        if (arguments->format == HYPERFINE)
            al_export_hyperfine(lines, out);
        else if (arguments->format == LATEX)
            al_export_latex(summary, lines, out);
        else if (arguments->summary)
            al_export_csv_summary(summary, arguments->benchmark, out);
        else
            al_export_csv(summary, arguments->benchmark, out);
    }
    if (out == stdout || (out != NULL && (ferror(out) | fclose(out)) == 0))
        return AL_EXIT_OK;
    fprintf(stderr, "actorlab export: could not write '%s': %s\n", arguments->out, strerror(errno));
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
static int check_records(const struct arguments *arguments, const struct al_summary *summary,
                         const struct al_lines *lines)
{
    size_t n = arguments->format == CSV ? count_records(summary->records, arguments->benchmark)
                                        : lines->n;
    if (n > 0)
        return AL_EXIT_OK;
    fprintf(stderr, "actorlab export: '%s' has no %s%s%s\n", arguments->records,
            arguments->format == CSV ? "record" : "record with outcome ok",
            arguments->benchmark != NULL ? " of " : "",
            arguments->benchmark != NULL ? arguments->benchmark : "");
    return AL_EXIT_FAILED;
}

int al_export_main(int argc, char **argv)
{
    struct arguments arguments = {0};
    int code = parse_arguments(&arguments, argc, argv);
    if (code >= 0)
        return code;
    struct al_summary summary = {.intake = {.command = "export"},
                                 .level = 0.95,
                                 .resamples = 10000,
                                 .seed = 1,
                                 .records = al_needed(json_array())};
    struct al_lines lines = {0};
    code = al_cells_read(&summary, arguments.records);
    if (code <= AL_EXIT_FAILED) {
        if (arguments.format != CSV)
            al_lines_make(&summary, arguments.measure, arguments.benchmark, &lines);
        int result = check_records(&arguments, &summary, &lines);
        if (result == AL_EXIT_OK)
            result = arguments.format == GNUPLOT ? al_export_gnuplot(&lines, arguments.out)
                                                 : write_file(&arguments, &summary, &lines);
        code = result > code ? result : code;
    }
    al_lines_release(&lines);
    al_cells_release(&summary);
    return code;
}
