/* SPDX-License-Identifier: MIT */

/* What the conformance suite relies on: the covering of pairs, and when repeated hashes are too
 * many. */

#include <stdio.h>
#include <string.h>

#include "tests/conformance/pairwise.h"
#include "tests/conformance/repeats.h"
#include "tests/support/tap.h"

/* Enums of 2, 4 and 3 levels, and two numbers that do not go together when both are squeezed. */
static struct pairwise example(void)
{
    struct pairwise pairs = {.n_factors = 5, .n_levels = {2, 4, 3, 2, 2}, .first_squeezed = 3};
    pairs.refused[0][1][2][2] = true;
    pairs.refused[3][0][4][0] = true;
    return pairs;
}

static bool in_some_row(const struct pairwise *pairs, uint32_t i, uint32_t a, uint32_t k,
                        uint32_t b)
{
    for (uint32_t r = 0; r < pairs->n_rows; r++) {
        if (pairs->rows[r][i] == a && pairs->rows[r][k] == b)
            return true;
    }
    return false;
}

/* Every pair is covered if it is allowed, and never if it is refused. */
static bool covers(const struct pairwise *pairs)
{
    for (uint32_t i = 0; i < pairs->n_factors; i++) {
        for (uint32_t k = i + 1; k < pairs->n_factors; k++) {
            for (uint32_t a = 0; a < pairs->n_levels[i]; a++) {
                for (uint32_t b = 0; b < pairs->n_levels[k]; b++) {
                    if (in_some_row(pairs, i, a, k, b) == pairs->refused[i][a][k][b])
                        return false;
                }
            }
        }
    }
    return true;
}

/* Pairs of the first factors are covered with the numbers squeezed: the first at 0, the second at
 * 1. */
static bool squeezes(const struct pairwise *pairs)
{
    struct pairwise squeezed = *pairs;
    squeezed.n_rows = 0;
    for (uint32_t r = 0; r < pairs->n_rows; r++) {
        if (pairs->rows[r][3] == 0 && pairs->rows[r][4] == 1)
            memcpy(squeezed.rows[squeezed.n_rows++], pairs->rows[r], sizeof pairs->rows[r]);
    }
    squeezed.n_factors = 3;
    return covers(&squeezed);
}

int main(void)
{
    struct tap tap = {0};
    static struct pairwise pairs, single, impossible;
    pairs = example();
    tap_ok(&tap, pairwise_cover(&pairs) && covers(&pairs),
           "each pair that is not refused is in a row");
    tap_ok(&tap, squeezes(&pairs), "pairs of choices come with squeezed numbers");
    tap_ok(&tap, pairs.n_rows <= 22, "in far fewer rows than the 96 combinations: %u",
           pairs.n_rows);
    single = (struct pairwise){.n_factors = 1, .n_levels = {3}, .first_squeezed = 1};
    tap_ok(&tap, pairwise_cover(&single) && single.n_rows == 3, "a single factor takes each level");
    impossible = (struct pairwise){.n_factors = 3, .n_levels = {1, 1, 1}, .first_squeezed = 3};
    impossible.refused[0][0][2][0] = true;
    tap_ok(&tap, !pairwise_cover(&impossible), "a pair that fits into no row is reported");

    tap_ok(&tap, !too_many_repeats(1, 10) && !too_many_repeats(1, 99) && !too_many_repeats(2, 200),
           "a repeated hash or two may be chance");
    tap_ok(&tap, !too_many_repeats(0, 1) && !too_many_repeats(50, 5000), "no more than expected");
    tap_ok(&tap, too_many_repeats(4, 5) && too_many_repeats(9, 10) && too_many_repeats(50, 200),
           "seeds that do not matter are found");
    return tap_done(&tap);
}
