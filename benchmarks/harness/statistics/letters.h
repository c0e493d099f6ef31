/* SPDX-License-Identifier: MIT */
#ifndef AL_LETTERS_H
#define AL_LETTERS_H

#include <stddef.h>

/*
 * Letter values of a large sample (H. Hofmann, H. Wickham, K. Kafadar: Letter-value plots: boxplots
 * for large data. Journal of Computational and Graphical Statistics 26, 2017). Half of the values
 * lie in the first box, half of the rest in the second, and so on, until fewer than 7.7 values
 * would lie beyond an end: from there on the 95% interval of an end would reach to the one before.
 */

#define AL_LETTERS_MOST 64 /* boxes: each halves what lies beyond, and counts have 64 bits */

/* A value, and how often it occurs. */
struct al_bin {
    double value, count;
};

struct al_letters {
    double n, median;
    size_t boxes;
    double low[AL_LETTERS_MOST], high[AL_LETTERS_MOST]; /* from the inner to the outer */
};

/* Sorts the bins, of which there must be one at least. */
void al_letters(struct al_bin *bins, size_t n, struct al_letters *out);

#endif
