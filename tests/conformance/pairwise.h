/* SPDX-License-Identifier: MIT */
#ifndef AL_PAIRWISE_H
#define AL_PAIRWISE_H

/*
 * Pairwise covering: a few rows, each with one level of every factor, such that any two levels of
 * different factors that go together are together in some row. Most faults that options cause need
 * two of them (Kuhn, Wallace and Gallo, "Software fault interactions and implications for software
 * testing", 2004).
 */

#include <stdbool.h>
#include <stdint.h>

#define PAIRWISE_FACTORS 16
#define PAIRWISE_LEVELS  12
#define PAIRWISE_ROWS    128

/* Zero all before use. */
struct pairwise {
    uint32_t n_factors, n_levels[PAIRWISE_FACTORS];
    /* Factors from this one on take their first level wherever it fits, until all pairs of the
     * others are covered. */
    uint32_t first_squeezed;
    /* Levels that do not go together; set by the caller, for i < k. */
    bool refused[PAIRWISE_FACTORS][PAIRWISE_LEVELS][PAIRWISE_FACTORS][PAIRWISE_LEVELS];

    /* The result: row r has level rows[r][i] of factor i. */
    uint32_t n_rows;
    uint8_t rows[PAIRWISE_ROWS][PAIRWISE_FACTORS];
    bool covered[PAIRWISE_FACTORS][PAIRWISE_LEVELS][PAIRWISE_FACTORS][PAIRWISE_LEVELS];
};

/* Fill in the rows, greedily and always in the same way. False if a pair fits into no row, or there
 * would be too many rows. */
bool pairwise_cover(struct pairwise *pairwise);

#endif
