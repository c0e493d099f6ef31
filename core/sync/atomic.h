/* SPDX-License-Identifier: MIT */
#ifndef AL_ATOMIC_H
#define AL_ATOMIC_H

/* Part of core/sync/sync.h: typed atomics. */

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/sync/words.h"

#ifdef AL_VIRTUAL
#include "core/sync/virtual.h"
#else
#include "core/sync/native.h"
#endif

/* Pointers differ from run to run, so the event log takes of them only whether they are null. */
#define AL_SYNC_LOG_INTEGER(value) (value)
#define AL_SYNC_LOG_POINTER(value) ((value) != NULL)

/*
 * AL_ATOMIC(name, type): al_<name>_<operation>_<order>() on a struct al_atomic_<name>.
 * cas: on failure *expected takes the value found; a failed exchange is a relaxed read.
 */
#define AL_ATOMIC_LOAD(name, type, order, LOG)                                                     \
    static inline type al_##name##_load_##order(const struct al_atomic_##name *object)             \
    {                                                                                              \
        AL_SYNC_BEFORE(AL_SYNC_LOAD);                                                              \
        type value = atomic_load_explicit(&object->value, memory_order_##order);                   \
        AL_SYNC_AFTER(LOG(value));                                                                 \
        return value;                                                                              \
    }

#define AL_ATOMIC_STORE(name, type, order, LOG)                                                    \
    static inline void al_##name##_store_##order(struct al_atomic_##name *object, type value)      \
    {                                                                                              \
        AL_SYNC_BEFORE(AL_SYNC_STORE);                                                             \
        atomic_store_explicit(&object->value, value, memory_order_##order);                        \
        AL_SYNC_AFTER(LOG(value));                                                                 \
    }

#define AL_ATOMIC_EXCHANGE(name, type, order, LOG)                                                 \
    static inline type al_##name##_exchange_##order(struct al_atomic_##name *object, type value)   \
    {                                                                                              \
        AL_SYNC_BEFORE(AL_SYNC_EXCHANGE);                                                          \
        type old = atomic_exchange_explicit(&object->value, value, memory_order_##order);          \
        AL_SYNC_AFTER(LOG(old));                                                                   \
        return old;                                                                                \
    }

#define AL_ATOMIC_CAS(name, type, order)                                                           \
    static inline bool al_##name##_cas_##order(struct al_atomic_##name *object, type *expected,    \
                                               type desired)                                       \
    {                                                                                              \
        AL_SYNC_BEFORE(AL_SYNC_CAS);                                                               \
        bool swapped = atomic_compare_exchange_strong_explicit(                                    \
            &object->value, expected, desired, memory_order_##order, memory_order_relaxed);        \
        AL_SYNC_AFTER(swapped);                                                                    \
        return swapped;                                                                            \
    }

#define AL_ATOMIC_ADD(name, type, order)                                                           \
    static inline type al_##name##_add_##order(struct al_atomic_##name *object, type value)        \
    {                                                                                              \
        AL_SYNC_BEFORE(AL_SYNC_ADD);                                                               \
        type old = atomic_fetch_add_explicit(&object->value, value, memory_order_##order);         \
        AL_SYNC_AFTER(old);                                                                        \
        return old;                                                                                \
    }

#define AL_ATOMIC(name, type, LOG)                                                                 \
    AL_ATOMIC_LOAD(name, type, relaxed, LOG)                                                       \
    AL_ATOMIC_LOAD(name, type, acquire, LOG)                                                       \
    AL_ATOMIC_STORE(name, type, relaxed, LOG)                                                      \
    AL_ATOMIC_STORE(name, type, release, LOG)                                                      \
    AL_ATOMIC_EXCHANGE(name, type, acquire, LOG)                                                   \
    AL_ATOMIC_EXCHANGE(name, type, acq_rel, LOG)                                                   \
    AL_ATOMIC_CAS(name, type, relaxed)                                                             \
    AL_ATOMIC_CAS(name, type, acquire)                                                             \
    AL_ATOMIC_CAS(name, type, acq_rel)

AL_ATOMIC(u16, uint16_t, AL_SYNC_LOG_INTEGER)
AL_ATOMIC_ADD(u16, uint16_t, relaxed)
AL_ATOMIC(u32, uint32_t, AL_SYNC_LOG_INTEGER)
AL_ATOMIC_ADD(u32, uint32_t, relaxed)
AL_ATOMIC_ADD(u32, uint32_t, acq_rel)
AL_ATOMIC(u64, uint64_t, AL_SYNC_LOG_INTEGER)
AL_ATOMIC_ADD(u64, uint64_t, relaxed)
AL_ATOMIC_ADD(u64, uint64_t, acq_rel)
AL_ATOMIC(ptr, void *, AL_SYNC_LOG_POINTER)

#endif
