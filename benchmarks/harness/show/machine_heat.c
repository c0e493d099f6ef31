/* SPDX-License-Identifier: MIT */

/* The hand-offs between all cores as a heat map. */

#include "benchmarks/harness/show/machine_drawing.h"

#include <inttypes.h>
#include <stdlib.h>

#include "benchmarks/harness/text/json.h"
#include "core/machine/model.h"

#define MOST_CELL 48

/* A run of equal cells in a row, which the next rows may continue. */
struct run {
    uint32_t from, to, ps, first_row;
};

struct runs {
    struct run *all;
    size_t n;
};

/* A core's hand-off with itself is drawn apart: here it is that of its neighbour, so that it breaks
 * no run. */
static uint32_t ps_at(const struct al_machine *machine, uint32_t row, uint32_t column)
{
    if (row == column)
        column += column + 1 < machine->n_cores ? 1 : UINT32_MAX;
    return machine->handoff[(size_t)row * machine->n_cores + column];
}

static void find_runs(const struct al_machine *machine, uint32_t row, struct runs *runs)
{
    runs->n = 0;
    for (uint32_t i = 0; i < machine->n_cores; i++) {
        uint32_t ps = ps_at(machine, row, i);
        if (runs->n > 0 && runs->all[runs->n - 1].ps == ps)
            runs->all[runs->n - 1].to = i + 1;
        else
            runs->all[runs->n++] = (struct run){i, i + 1, ps, row};
    }
}

static void draw_run(const struct al_drawing *drawing, const struct run *run, uint32_t end)
{
    fprintf(drawing->file,
            "<rect x=\"%" PRIu32 "\" y=\"%" PRIu32 "\" width=\"%" PRIu32 "\" height=\"%" PRIu32
            "\" fill=\"%s\"/>\n",
            run->from, run->first_row, run->to - run->from, end - run->first_row,
            al_drawing_colour(drawing, run->ps).text);
}

/* Rows of equal runs become one rectangle each, so that 1,024 cores do not take a million. */
static void draw_cells(const struct al_drawing *drawing)
{
    const struct al_machine *machine = drawing->machine;
    uint32_t n = machine->n_cores;
    struct runs open = {al_needed(calloc(n, sizeof *open.all)), 0};
    struct runs next = {al_needed(calloc(n, sizeof *next.all)), 0};
    for (uint32_t row = 0; row <= n; row++) {
        next.n = 0;
        if (row < n)
            find_runs(machine, row, &next);
        size_t k = 0;
        for (size_t i = 0; i < open.n; i++) {
            while (k < next.n && next.all[k].from < open.all[i].from)
                k++;
            if (k < next.n && next.all[k].from == open.all[i].from &&
                next.all[k].to == open.all[i].to && next.all[k].ps == open.all[i].ps)
                next.all[k].first_row = open.all[i].first_row;
            else
                draw_run(drawing, &open.all[i], row);
        }
        struct runs old = open;
        open = next;
        next = old;
    }
    free(open.all);
    free(next.all);
}

/* The diagonal: between PUs of a core, or nothing. */
static void draw_diagonal(const struct al_drawing *drawing)
{
    bool smt = drawing->machine->n_pus > drawing->machine->n_cores;
    for (uint32_t i = 0; i < drawing->machine->n_cores; i++)
        fprintf(drawing->file,
                "<rect x=\"%" PRIu32 "\" y=\"%" PRIu32
                "\" width=\"1\" height=\"1\" fill=\"%s\"/>\n",
                i, i,
                smt ? al_drawing_colour(
                          drawing,
                          drawing->machine->handoff[(size_t)i * (drawing->machine->n_cores + 1)])
                          .text
                    : AL_DRAWING_GRID);
}

static const struct al_pu_parts *parts_of(const struct al_machine *machine, uint32_t core)
{
    return &machine->pus[machine->core_pu[core]];
}

/* White lines between packages, and the numbers of the cores that they begin with. */
static void draw_packages(const struct al_drawing *drawing, double left, double top, double size)
{
    const struct al_machine *machine = drawing->machine;
    double cell = size / machine->n_cores;
    for (uint32_t i = 0; i < machine->n_cores; i++) {
        bool begins = i == 0 || parts_of(machine, i)->package != parts_of(machine, i - 1)->package;
        double at = i * cell;
        if (!begins && i + 1 < machine->n_cores)
            continue;
        if (begins && i > 0)
            fprintf(drawing->file,
                    "<path d=\"M%g %gv%gM%g %gh%g\" stroke=\"white\" stroke-width=\"2\"/>\n",
                    left + at, top, size, left, top + at, size);
        double middle = at + cell / 2 < size - 9 ? at + cell / 2 : size - 9;
        fprintf(drawing->file,
                "<text x=\"%g\" y=\"%g\" text-anchor=\"%s\">%" PRIu32 "</text>\n"
                "<text x=\"%g\" y=\"%g\" text-anchor=\"end\">%" PRIu32 "</text>\n",
                left + (i == 0   ? 0
                        : begins ? middle
                                 : size),
                top - 5,
                i == 0   ? "start"
                : begins ? "middle"
                         : "end",
                i, left - 6,
                top + (i == 0   ? 9
                       : begins ? middle + 4
                                : size),
                i);
    }
}

double al_drawing_heat(const struct al_drawing *drawing, double left, double top, double size)
{
    const double edge = 34;
    double cell = (size - edge) / drawing->machine->n_cores;
    cell = cell < MOST_CELL ? cell : MOST_CELL;
    double inner = cell * drawing->machine->n_cores;
    fprintf(drawing->file,
            "<g font-size=\"11\" fill=\"" AL_DRAWING_MUTED "\">\n<g shape-rendering=\"crispEdges\" "
            "transform=\"translate(%g %g) scale(%g)\">\n",
            left + edge, top + edge / 2, cell);
    draw_cells(drawing);
    draw_diagonal(drawing);
    fputs("</g>\n", drawing->file);
    draw_packages(drawing, left + edge, top + edge / 2, inner);
    fputs("</g>\n", drawing->file);
    return edge / 2 + inner;
}
