/* SPDX-License-Identifier: MIT */
#ifndef AL_PALETTE_H
#define AL_PALETTE_H

#include <jansson.h>
#include <stddef.h>

/*
 * The order and the colours of strategies, the same in every figure, table and export. First come
 * the strategies of this program, as `actorlab list` has them, then the peers, then the strategies
 * of plug-ins, then others by name.
 * Python takes both from `actorlab list --json`.
 */

/* How a line looks. Two lines of one strategy have shades of its colour. */
struct al_look {
    char colour[8]; /* "#498EFD" */
    size_t place;   /* of the strategy: with the variant, it chooses marker and dashes */
    size_t variant; /* 0: the first line of its strategy */
};

/* As strcmp, but in the order of strategies. */
int al_palette_compare(const char *strategy, const char *other);

/* The looks of n lines, of which these are the strategies, in the order of the lines. */
void al_palette_looks(const char *const *strategies, size_t n, struct al_look *looks);

/* {"strategies": [in order], "colours": […], "shades": […], "most_shades": n}. */
json_t *al_palette_json(void);

#endif
