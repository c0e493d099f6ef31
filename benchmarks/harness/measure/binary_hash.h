/* SPDX-License-Identifier: MIT */
#ifndef AL_BINARY_HASH_H
#define AL_BINARY_HASH_H

/* The identity of this program. */

#include <stdbool.h>
#include <stdint.h>

/* The commit that it was built from, as git describes it. */
extern const char al_revision[];

#define AL_BUILD_BYTES 32

/* A hash of the sources that it was built from, whether they were committed or not. */
extern const char al_build[AL_BUILD_BYTES];

/* Whether the program in this file was built from the same sources as this one. */
bool al_binary_is_alike(const char *path);

/*
 * FNV-1a of this program's file without the revision in it. Equal programs have equal hashes, so
 * a commit that does not change the program does not end a sweep. 0 if the file cannot be read.
 */
uint64_t al_binary_hash(void);

#endif
