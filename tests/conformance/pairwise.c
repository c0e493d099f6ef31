/* SPDX-License-Identifier: MIT */
#include "tests/conformance/pairwise.h"

#include <string.h>

#define UNSET UINT8_MAX

struct pair {
    uint32_t i, a, k, b; /* level a of factor i and level b of factor k, i < k */
};

static struct pair pair_of(uint32_t i, uint32_t a, uint32_t k, uint32_t b)
{
    return i < k ? (struct pair){i, a, k, b} : (struct pair){k, b, i, a};
}

/* How many pairs that no row has yet the level would add to the row; -1 if the level does not go
 * with the row. */
static int gain(const struct pairwise *pairwise, const uint8_t *row, uint32_t factor,
                uint32_t level)
{
    int n = 0;
    for (uint32_t k = 0; k < pairwise->n_factors; k++) {
        if (k == factor || row[k] == UNSET)
            continue;
        struct pair p = pair_of(factor, level, k, row[k]);
        if (pairwise->refused[p.i][p.a][p.k][p.b])
            return -1;
        n += !pairwise->covered[p.i][p.a][p.k][p.b];
    }
    return n;
}

/* Take the level that adds most, or, if squeezed, the first that fits. False if none fits. */
static bool fill(const struct pairwise *pairwise, uint8_t *row, uint32_t factor, bool squeezed)
{
    if (row[factor] != UNSET)
        return true;
    int most = -1;
    for (uint32_t level = 0; level < pairwise->n_levels[factor] && !(squeezed && most >= 0);
         level++) {
        int n = gain(pairwise, row, factor, level);
        if (n > most) {
            most = n;
            row[factor] = (uint8_t)level;
        }
    }
    return most >= 0;
}

static bool add_row(struct pairwise *pairwise, struct pair pair, bool squeezed)
{
    if (pairwise->n_rows == PAIRWISE_ROWS)
        return false;
    uint32_t n = pairwise->n_factors;
    uint8_t *row = pairwise->rows[pairwise->n_rows++];
    memset(row, UNSET, n);
    row[pair.i] = (uint8_t)pair.a;
    row[pair.k] = (uint8_t)pair.b;
    for (uint32_t i = pairwise->first_squeezed; squeezed && i < n; i++) {
        if (!fill(pairwise, row, i, true))
            return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (!fill(pairwise, row, i, false))
            return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = i + 1; k < n; k++)
            pairwise->covered[i][row[i]][k][row[k]] = true;
    }
    return true;
}

/* All pairs of the first n factors. */
static bool cover(struct pairwise *pairwise, uint32_t n, bool squeezed)
{
    struct pair p;
    for (p.i = 0; p.i < n; p.i++) {
        for (p.k = p.i + 1; p.k < n; p.k++) {
            for (p.a = 0; p.a < pairwise->n_levels[p.i]; p.a++) {
                for (p.b = 0; p.b < pairwise->n_levels[p.k]; p.b++) {
                    if (!pairwise->covered[p.i][p.a][p.k][p.b] &&
                        !pairwise->refused[p.i][p.a][p.k][p.b] && !add_row(pairwise, p, squeezed))
                        return false;
                }
            }
        }
    }
    return true;
}

bool pairwise_cover(struct pairwise *pairwise)
{
    if (pairwise->n_factors == 1) {
        for (uint32_t a = 0; a < pairwise->n_levels[0]; a++)
            pairwise->rows[pairwise->n_rows++][0] = (uint8_t)a;
        return true;
    }
    return cover(pairwise, pairwise->first_squeezed, true) &&
           cover(pairwise, pairwise->n_factors, false);
}
