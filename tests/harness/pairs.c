/* SPDX-License-Identifier: MIT */

/* Pairs of trials: those that are quiet are so on both sides, and failures pair up as well. */

#include "benchmarks/harness/results/pairs.h"

#include <math.h>
#include <stdlib.h>

#include "tests/support/tap.h"

#define BLOCKS 8

static const double limit_ns = 150;

/* Quiet trials in these blocks, as bits. */
static void make(struct al_cell *cell, double values[SERIES][BLOCKS], unsigned quiet)
{
    *cell = (struct al_cell){.n = BLOCKS, .quiet_limit = limit_ns};
    for (int s = 0; s < SERIES; s++)
        cell->values[s] = values[s];
    for (int i = 0; i < BLOCKS; i++) {
        values[SESSION][i] = 0;
        values[BLOCK][i] = i;
        values[PER_MESSAGE][i] = 100 + i;
        values[HANDOFF][i] = (quiet >> i & 1) != 0 ? limit_ns - 1 : limit_ns + 1;
    }
}

static size_t quiet_pairs(unsigned quiet, unsigned other)
{
    static double values[2][SERIES][BLOCKS];
    struct al_cell cells[2];
    struct al_ratio ratio;
    make(&cells[0], values[0], quiet);
    make(&cells[1], values[1], other);
    if (!al_cells_quiet_paired(&cells[0], &cells[1], &ratio))
        return 0;
    size_t n = al_ratio_interval(&ratio, 0.5).n;
    al_ratio_release(&ratio);
    return n;
}

/* The cell ends in blocks 0 to 7 and fails in 8 to 10, the base in 2 to 9 and in 10. */
static bool pairs_with_failures(void)
{
    static double values[2][SERIES][BLOCKS];
    static double cell_at[][2] = {{8, 0}, {9, 0}, {10, 0}}, base_at[][2] = {{10, 0}};
    struct al_cell cell, base;
    double *above, *below;
    make(&cell, values[0], 0xff);
    make(&base, values[1], 0xff);
    for (size_t i = 0; i < BLOCKS; i++)
        values[1][BLOCK][i] += 2;
    cell.n_failed = 3;
    cell.failed_at = cell_at;
    base.n_failed = 1;
    base.failed_at = base_at;
    size_t n = al_cells_pairs(&cell, &base, &above, &below);
    bool good = n == 8;
    for (size_t i = 0; i < n; i++)
        good &= (i < 6 ? above[i] == 102 + (double)i : isinf(above[i])) &&
                below[i] == 100 + (double)i;
    free(above);
    free(below);
    struct al_ratio ratio;
    good &= al_cells_quiet_paired(&cell, &base, &ratio) && ratio.n[0] == 6;
    al_ratio_release(&ratio);
    return good;
}

int main(void)
{
    struct tap tap = {0};
    tap_ok(&tap,
           quiet_pairs(0xff, 0xff) == 8 && quiet_pairs(0xff, 0x0f) == 4 &&
               quiet_pairs(0x0f, 0xff) == 4 && quiet_pairs(0x3c, 0x0f) == 2 &&
               quiet_pairs(0xf0, 0x0f) == 0,
           "a pair is quiet if both of its trials are");
    tap_ok(&tap, pairs_with_failures(),
           "failures pair up by block, are never quiet, and two of them are no pair");
    return tap_done(&tap);
}
