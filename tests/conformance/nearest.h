/* SPDX-License-Identifier: MIT */
#ifndef AL_NEAREST_H
#define AL_NEAREST_H

/* Which of many names a misspelt text most likely meant. */

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Zero before use. */
struct nearest {
    char text[256]; /* the first of the nearest */
    size_t distance;
};

/*
 * The least number of letters to add, drop or change in `text` to find it in `name`: Sellers, "The
 * theory and computation of evolutionary distances" (1980). Texts of up to 255 letters.
 */
static inline size_t distance_within(const char *text, const char *name)
{
    size_t column[256], n = strlen(text);
    if (n >= 256)
        return SIZE_MAX;
    for (size_t i = 0; i <= n; i++)
        column[i] = i;
    size_t least = n;
    for (; *name != '\0'; name++) {
        size_t diagonal = 0; /* it may begin anywhere */
        for (size_t i = 1; i <= n; i++) {
            size_t change = diagonal + (text[i - 1] != *name);
            diagonal = column[i];
            size_t best = change < column[i] + 1 ? change : column[i] + 1;
            column[i] = best < column[i - 1] + 1 ? best : column[i - 1] + 1;
        }
        least = column[n] < least ? column[n] : least;
    }
    return least;
}

static inline void nearest_add(struct nearest *nearest, const char *text, const char *name)
{
    size_t distance = distance_within(text, name);
    if (nearest->text[0] != '\0' && distance >= nearest->distance)
        return;
    snprintf(nearest->text, sizeof nearest->text, "%s", name);
    nearest->distance = distance;
}

#endif
