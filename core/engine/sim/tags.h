/* SPDX-License-Identifier: MIT */
#ifndef AL_SIM_TAGS_H
#define AL_SIM_TAGS_H

/*
 * A set-associative tag store: which lines a cache holds. An entry is a line's number in its lower
 * half and the line's epoch in the upper; an entry of a past epoch holds nothing. The ways of a set
 * are in the order of their last use. There is no line 0, so that zero memory is an empty store.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/machine/model.h"

#define NO_ENTRY ((uint64_t)0)

struct tags {
    uint32_t sets, ways;
    uint64_t inverse;  /* 2^64 / sets, rounded up */
    uint64_t *entries; /* sets x ways; not owned */
};

static inline size_t tags_entries(struct al_cache_size size)
{
    return (size_t)size.sets * size.ways;
}

/* A size of 0 is a cache that holds nothing. The entries are tags_entries(size), and zero. */
static inline void tags_init(struct tags *tags, struct al_cache_size size, uint64_t *entries)
{
    *tags = (struct tags){
        .sets = size.sets,
        .ways = size.ways,
        .inverse = tags_entries(size) != 0 ? UINT64_MAX / size.sets + 1 : 0,
        .entries = entries,
    };
}

/* The set of the line modulo the number of sets, without a division. Source: Lemire, Kaser and
 * Kurz, "Faster remainder by direct computation" (2019). */
static inline uint64_t *tags_set(const struct tags *tags, uint64_t entry)
{
    uint64_t fraction = tags->inverse * (uint32_t)entry;
    size_t set = (size_t)(((unsigned __int128)fraction * tags->sets) >> 64);
    return &tags->entries[set * tags->ways];
}

/* Whether the entry is there; it is then the last used of its set. */
static inline bool tags_find(const struct tags *tags, uint64_t entry)
{
    if (tags->sets == 0)
        return false;
    uint64_t *set = tags_set(tags, entry);
    for (uint32_t i = 0; i < tags->ways; i++) {
        if (set[i] != entry)
            continue;
        for (; i > 0; i--)
            set[i] = set[i - 1];
        set[0] = entry;
        return true;
    }
    return false;
}

/* Put an entry in that is not there. Returns the one that had to go. The loops are no memmove,
 * which would report itself (core/engine/hooks.c). */
static inline uint64_t tags_put_in(const struct tags *tags, uint64_t entry)
{
    if (tags->sets == 0)
        return NO_ENTRY;
    uint64_t *set = tags_set(tags, entry), victim = set[tags->ways - 1];
    for (uint32_t i = tags->ways - 1; i > 0; i--)
        set[i] = set[i - 1];
    set[0] = entry;
    return victim;
}

static inline void tags_remove(const struct tags *tags, uint64_t entry)
{
    if (tags->sets == 0)
        return;
    uint64_t *set = tags_set(tags, entry);
    for (uint32_t i = 0; i < tags->ways; i++) {
        if (set[i] != entry)
            continue;
        for (; i + 1 < tags->ways; i++)
            set[i] = set[i + 1];
        set[tags->ways - 1] = NO_ENTRY;
        return;
    }
}

#endif
