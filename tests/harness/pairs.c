/* SPDX-License-Identifier: MIT */

/* Pairs of trials: those that are quiet are so on both sides. */

#include "benchmarks/harness/results/pairs.h"

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

int main(void)
{
    struct tap tap = {0};
    tap_ok(&tap,
           quiet_pairs(0xff, 0xff) == 8 && quiet_pairs(0xff, 0x0f) == 4 &&
               quiet_pairs(0x0f, 0xff) == 4 && quiet_pairs(0x3c, 0x0f) == 2 &&
               quiet_pairs(0xf0, 0x0f) == 0,
           "a pair is quiet if both of its trials are");
    return tap_done(&tap);
}
