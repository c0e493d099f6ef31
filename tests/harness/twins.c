/* SPDX-License-Identifier: MIT */

/* Twins check a sweep: how many differ from their cells, how many would by chance, and from how
 * many on no verdict is to be trusted. */

#include "benchmarks/harness/results/twins.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/tap.h"

#define BLOCKS 10
#define TWINS  20

static struct tap tap;

static void measure(struct al_cell *cell, double values[SERIES][BLOCKS], size_t n)
{
    *cell = (struct al_cell){.n = n};
    for (int s = 0; s < SERIES; s++)
        cell->values[s] = values[s];
    for (size_t i = 0; i < n; i++) {
        values[SESSION][i] = 0;
        values[BLOCK][i] = (double)i;
        values[PER_MESSAGE][i] = 100;
    }
}

/* Twins of this many blocks each. The first `differ` are slower in each block, the others by turns
 * slower and faster. */
static struct al_twins check(const size_t *blocks, size_t n, size_t differ)
{
    static double values[2 * TWINS][SERIES][BLOCKS];
    struct al_cell cells[TWINS], twins[TWINS];
    struct al_summary summary = {.level = AL_LEVEL, .count = n, .cells = cells};
    struct al_twins found;
    for (size_t c = 0; c < n; c++) {
        measure(&cells[c], values[c], blocks[c]);
        measure(&twins[c], values[TWINS + c], blocks[c]);
        for (size_t i = 0; i < blocks[c]; i++)
            twins[c].values[PER_MESSAGE][i] += c < differ || i % 2 == 0 ? 1 : -1;
        cells[c].twin = &twins[c];
    }
    al_twins_make(&summary, &found);
    return found;
}

static bool near(double value, double expected)
{
    return fabs(value - expected) < 1e-12 * fmax(1, expected);
}

/* Of n things that happen with chance q each: the chance that k or more do. */
static double tail(size_t n, size_t k, double q)
{
    double below = 0;
    for (size_t i = 0; i < k; i++)
        below += exp(lgamma((double)n + 1) - lgamma((double)i + 1) - lgamma((double)(n - i) + 1)) *
                 pow(q, (double)i) * pow(1 - q, (double)(n - i));
    return 1 - below;
}

static bool says(const struct al_twins *twins, const char *expected)
{
    char *text = al_twins_text(twins);
    bool same = expected == NULL ? text == NULL : text != NULL && strcmp(text, expected) == 0;
    if (!same)
        printf("# '%s'\n", text != NULL ? text : "nothing");
    free(text);
    return same;
}

/* Of 10 pairs, the largest p up to 5% is 50/1024. */
static void test_equal_blocks(void)
{
    static const double q = 50. / 1024;
    size_t blocks[TWINS];
    bool good = true;
    for (size_t i = 0; i < TWINS; i++)
        blocks[i] = 10;
    for (size_t differ = 0; differ <= 6; differ++) {
        struct al_twins found = check(blocks, TWINS, differ);
        good &= found.n == TWINS && found.differ == differ && near(found.expected, TWINS * q);
        good &= fabs(found.chance - tail(TWINS, differ, q)) < 1e-10;
        good &= al_twins_are_too_many(&found) == (differ >= 5);
    }
    tap_ok(&tap, good, "of 20 twins 5 that differ are too many, and their chance is binomial");
    struct al_twins sound = check(blocks, TWINS, 1), odd = check(blocks, TWINS, 6);
    tap_ok(&tap,
           says(&sound, "A/A: 1 of 20 twins differs from its cell at 5%; 0.98 expected by chance"),
           "says how many differ, and how many would");
    tap_ok(&tap,
           says(&odd,
                "WARNING: A/A: 6 of 20 twins differ from their cells at 5%; 0.98 expected by "
                "chance. That many have a chance of 0.029%: equal cells look different here, so "
                "do not trust these verdicts (docs/explanation/statistics.md, A/A)"),
           "warns of too many");
}

/* With 6 pairs only the smallest p, 2/64, is below 5%; with 5 none is. */
static void test_unequal_blocks(void)
{
    static const double six = 2. / 64, ten = 50. / 1024;
    static const size_t blocks[] = {6, 10, 5};
    struct al_twins none = check(blocks, 3, 0), one = check(blocks, 3, 1),
                    two = check(blocks, 3, 2);
    tap_ok(&tap,
           none.n == 2 && near(none.expected, six + ten) && none.differ == 0 && none.chance == 1,
           "twins of too few blocks to differ do not count");
    tap_ok(&tap, near(one.chance, 1 - (1 - six) * (1 - ten)) && near(two.chance, six * ten),
           "each twin has the chance of its own number of blocks");
    struct al_twins few = check(&blocks[2], 1, 1);
    tap_ok(&tap, few.n == 0 && !al_twins_are_too_many(&few) && says(&few, NULL),
           "there is no text without twins that could differ");
}

int main(void)
{
    test_equal_blocks();
    test_unequal_blocks();
    return tap_done(&tap);
}
