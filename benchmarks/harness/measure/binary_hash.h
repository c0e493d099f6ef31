/* SPDX-License-Identifier: MIT */
#ifndef AL_BINARY_HASH_H
#define AL_BINARY_HASH_H

/* The identity of this program. */

#include <stdint.h>

/* The commit that it was built from, as git describes it. */
extern const char al_revision[];

/*
 * FNV-1a of this program's file without the revision in it. Equal programs have equal hashes, so
 * a commit that does not change the program does not end a sweep. 0 if the file cannot be read.
 */
uint64_t al_binary_hash(void);

#endif
