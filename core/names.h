/* SPDX-License-Identifier: MIT */
#ifndef AL_NAMES_H
#define AL_NAMES_H

/* The error line for an unknown name: it suggests the nearest valid one and lists them all. */

#include <stddef.h>
#include <stdint.h>

#include "core/error.h"

/* Start with {.wanted = what the user wrote, .distance = SIZE_MAX}, and add every valid name. */
struct al_names {
    char text[320]; /* the valid names, with commas between them */
    const char *wanted;
    char nearest[64];
    size_t distance; /* between these two, in letters */
};

void al_names_add(struct al_names *names, const char *name);

/* Write "unknown WHAT 'wanted'; did you mean 'nearest'?; valid: …" and return -EINVAL. */
int al_names_error(const struct al_names *names, const char *what, struct al_error *error);

#endif
