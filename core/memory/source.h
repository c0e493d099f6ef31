/* SPDX-License-Identifier: MIT */
#ifndef AL_MEMORY_SOURCE_H
#define AL_MEMORY_SOURCE_H

/* What blocks come from: free lists (core/memory/pool.h), or the C library. */
enum al_source { AL_RECYCLED, AL_MALLOC };

#endif
