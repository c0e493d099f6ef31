/* SPDX-License-Identifier: MIT */
#ifndef AL_CHECK_PLAIN_H
#define AL_CHECK_PLAIN_H

/*
 * Accesses that are no choice points, and whether they race: two of different threads to the same
 * bytes, one of which writes and one of which is not atomic, of which neither happens before the
 * other. Of each piece of memory it keeps the accesses of this run that a later one may race with.
 */

#include "core/engine/check/graph.h"

struct check_plain;

enum check_access { CHECK_PLAIN_READ, CHECK_PLAIN_WRITE, CHECK_ATOMIC_READ, CHECK_ATOMIC_WRITE };

/* Two accesses that race: the earlier one. */
struct check_race {
    unsigned thread, n; /* events that it had done */
    enum check_access access;
    const void *code;
};

/* NULL: no memory. */
struct check_plain *check_plain_new(void);
void check_plain_free(struct check_plain *plain);
/* Forget everything: a run begins. */
void check_plain_begin(struct check_plain *plain);

/* Thread t, which has done n events and knows what `hb` counts (NULL: nothing), makes an access.
 * True: it races with *race. */
bool check_plain_access(struct check_plain *plain, unsigned t, unsigned n,
                        const struct check_clock *hb, uint64_t address, uint64_t bytes,
                        enum check_access access, const void *code, struct check_race *race);

/* How often a word's bytes have been written plainly after atomic accesses. */
uint32_t check_plain_life(struct check_plain *plain, uint64_t address, unsigned bytes);

/* From now on this memory must not be accessed: it has been freed. */
void check_plain_forbid(struct check_plain *plain, uint64_t address, uint64_t bytes);
bool check_plain_is_forbidden(struct check_plain *plain, uint64_t address, uint64_t bytes);

#endif
