/* SPDX-License-Identifier: MIT */
#ifndef AL_RANGES_H
#define AL_RANGES_H

#include <math.h>
#include <stdio.h>

#include "benchmarks/harness/text/format.h"

/* The smallest and the largest of some numbers, in words. */
struct al_range {
    double least, most;
};

#define AL_NO_RANGE ((struct al_range){INFINITY, -INFINITY}) /* of no number yet */

static inline void al_range_widen(struct al_range *range, double least, double most)
{
    range->least = fmin(range->least, least);
    range->most = fmax(range->most, most);
}

/* "3", "1 to 3", or "up to 3": numbers of things. */
struct al_text al_range_count(struct al_range range);

/* ", 1.2 to 8 times" and what follows; nothing where that would be 1.00. */
void al_range_times(struct al_range range, const char *what, FILE *out);

#endif
