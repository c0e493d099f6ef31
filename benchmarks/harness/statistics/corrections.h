/* SPDX-License-Identifier: MIT */
#ifndef AL_CORRECTIONS_H
#define AL_CORRECTIONS_H

#include <stddef.h>

/*
 * p-values corrected for their number, in place; those that are NAN do not count and stay. Return 0
 * or -ENOMEM. Holm (1979) bounds the chance of any false rejection, Benjamini and Hochberg (1995)
 * the expected share of false ones among the rejected.
 */
__attribute__((warn_unused_result)) int al_holm(double *p, size_t n);
__attribute__((warn_unused_result)) int al_benjamini_hochberg(double *p, size_t n);

#endif
