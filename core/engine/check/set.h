/* SPDX-License-Identifier: MIT */
#ifndef AL_CHECK_SET_H
#define AL_CHECK_SET_H

/* A set of numbers that are as good as random. */

#include <stdbool.h>
#include <stdint.h>

struct check_set;

struct check_set *check_set_new(void);
void check_set_free(struct check_set *set);
/* True: it was not in the set. */
bool check_set_add(struct check_set *set, uint64_t number);

#endif
