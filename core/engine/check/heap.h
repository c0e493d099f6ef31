/* SPDX-License-Identifier: MIT */
#ifndef AL_CHECK_HEAP_H
#define AL_CHECK_HEAP_H

/*
 * The allocator of checked runs. Each thread has memory of its own, so that what it is given
 * depends on what it has asked for before and on nothing else: an address means the same object in
 * every run. What a thread frees it is given again at once, or never:
 *
 *   reuse    whoever still compares with the address takes the new object for the old one (ABA)
 *   poison   the checker reports every access
 */

#include <stdbool.h>
#include <stddef.h>

struct check_heap;

/* For n threads. NULL: no memory. */
struct check_heap *check_heap_new(unsigned n);
void check_heap_free(struct check_heap *heap);
/* All is free: a run begins. */
void check_heap_begin(struct check_heap *heap);

/* For a thread, by its number; alignment 0: malloc's. NULL: it has no more. Filled with 0xa5. */
void *check_heap_allocate(struct check_heap *heap, unsigned thread, size_t alignment, size_t bytes);
/* `again`: the thread may be given it again. */
void check_heap_release(struct check_heap *heap, unsigned thread, void *memory, bool again);
/* The bytes of what was allocated here; 0: it was not. */
size_t check_heap_size(const struct check_heap *heap, const void *memory);

#endif
