/* SPDX-License-Identifier: MIT */
#ifndef AL_EXPORT_H
#define AL_EXPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "benchmarks/harness/results/lines.h"
#include "benchmarks/harness/results/study.h"

/*
 * Recorded runs in the formats of other tools (docs/reference/exports.md). The stream's
 * error flag says whether everything was written.
 */

/*
 * A row for each record (summary->records), or for each cell; of one benchmark, or of all for NULL.
 * RFC 4180, with a head.
 */
void al_export_csv(const struct al_summary *summary, const char *benchmark, FILE *out);
void al_export_csv_summary(const struct al_summary *summary, const char *benchmark, FILE *out);

/* What `hyperfine --export-json` of version 1 writes. Lines of TIME. */
void al_export_hyperfine(const struct al_lines *lines, FILE *out);

/* A table for each benchmark; needs the package booktabs. The study says which cells win. */
void al_export_latex(const struct al_summary *summary, const struct al_lines *lines,
                     const struct al_study *study, FILE *out);

/* The same of the ratios to the baseline and their verdicts; of benchmarks that have any. */
void al_export_latex_ratios(const struct al_summary *summary, const struct al_lines *lines,
                            const struct al_study *study, FILE *out);

/* Whether this benchmark has ratios to the baseline, or any for NULL. */
bool al_has_ratios(const struct al_study *study, const char *benchmark);

/*
 * BENCHMARK.dat and BENCHMARK.gp for each benchmark. Returns an exit code, after one line on stderr
 * if it is not AL_EXIT_OK.
 */
int al_export_gnuplot(const struct al_lines *lines, const char *folder);

/*
 * A panel as commands and data for gnuplot. Text from records goes into quotes and comments only,
 * where gnuplot interprets nothing.
 */

/*
 * For each line a comment with its label and its points: workers, median, low, high, processes,
 * oversubscribed (0, 1), mixed kinds (0, 1). Then the single processes of the same line: workers,
 * value. Two empty lines between these.
 */
void al_gnuplot_data(FILE *out, const struct al_lines *lines, const struct al_panel *panel);

/*
 * Axes, legend and one plot command of `data`: a file in quotes, or a data block. in_text: for a
 * terminal of characters, where lines have characters of their own and single processes are left
 * out; else with colours, dashes and markers.
 */
void al_gnuplot_plot(FILE *out, const struct al_lines *lines, const struct al_panel *panel,
                     const char *data, bool in_text);

#endif
