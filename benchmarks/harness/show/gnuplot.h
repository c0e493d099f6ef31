/* SPDX-License-Identifier: MIT */
#ifndef AL_GNUPLOT_H
#define AL_GNUPLOT_H

#include <stdbool.h>
#include <stdio.h>

#include "benchmarks/harness/results/lines.h"

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
