/* SPDX-License-Identifier: MIT */
#ifndef AL_WORDS_H
#define AL_WORDS_H

/*
 * Part of core/sync/sync.h: the words that threads share, without what is done to them (atomic.h).
 * In C and C++, so that a header for programs can have them in a struct.
 */

#include <stdint.h>

#ifdef __cplusplus
#define AL_ATOMIC_WORD(type) type /* of the same size, and none of a C++ program's business */
#else
#define AL_ATOMIC_WORD(type) _Atomic(type)
#endif

struct al_atomic_u16 {
    AL_ATOMIC_WORD(uint16_t) value;
};

struct al_atomic_u32 {
    AL_ATOMIC_WORD(uint32_t) value;
};

struct al_atomic_u64 {
    AL_ATOMIC_WORD(uint64_t) value;
};

struct al_atomic_ptr {
    AL_ATOMIC_WORD(void *) value;
};

/*
 * A plain field of its owner's, at which others look now and then: the owner stores with al_expose,
 * and loads plainly; others load with al_glimpse, and see what the owner wrote before. No choice
 * point of a virtual engine, since whoever may look at any time looks at any moment.
 */
#define al_expose(field, value) __atomic_store_n(&(field), (value), __ATOMIC_RELEASE)
#define al_glimpse(field)       __atomic_load_n(&(field), __ATOMIC_ACQUIRE)

#endif
