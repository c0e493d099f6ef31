/* SPDX-License-Identifier: MIT */
#ifndef AL_BINARY_HASH_H
#define AL_BINARY_HASH_H

/* Which program this is. */

#include <stdint.h>

/* The commit that it was built from, as git describes it. */
extern const char al_revision[];

/*
 * FNV-1a of this program's file but for the revision in it: equal for equal programs, so that a
 * commit that leaves the program as it was does not end a sweep. 0 if the file cannot be read.
 */
uint64_t al_binary_hash(void);

#endif
