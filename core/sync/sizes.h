/* SPDX-License-Identifier: MIT */
#ifndef AL_SIZES_H
#define AL_SIZES_H

/* Part of core/sync/sync.h: the pieces in which processors handle memory. */

#define AL_CACHE_LINE_BYTES 64
#define AL_PAGE_BYTES       4096

#endif
