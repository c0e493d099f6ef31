/* SPDX-License-Identifier: MIT */
#ifndef AL_LINES_H
#define AL_LINES_H

#include <string.h>

#include "core/sync/sync.h"

/* So many bytes, all zero, in pairs of cache lines that nothing else is in; NULL: there is no
 * memory. For al_free. */
static inline void *al_lines_new(size_t bytes)
{
    size_t line = 2 * AL_CACHE_LINE_BYTES;
    bytes = (bytes + line - 1) / line * line; /* as aligned_alloc asks for */
    void *memory = al_aligned_alloc(line, bytes);
    return memory != NULL ? memset(memory, 0, bytes) : NULL;
}

#endif
