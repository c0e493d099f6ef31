/* SPDX-License-Identifier: MIT */

/* Accesses that are meant to race, hidden from ThreadSanitizer; atomic, so that no half of a word
 * is read. */

#include "core/sync/sync.h"

__attribute__((noinline, no_sanitize_thread)) uint64_t al_peek(const uint64_t *word)
{
    return atomic_load_explicit((const _Atomic(uint64_t) *)word, memory_order_relaxed);
}

__attribute__((noinline, no_sanitize_thread)) void al_poke(uint64_t *word, uint64_t value)
{
    atomic_store_explicit((_Atomic(uint64_t) *)word, value, memory_order_release);
}

__attribute__((noinline, no_sanitize_thread)) uintptr_t
al_peek_handle(const struct al_thread *thread)
{
    return atomic_load_explicit((const _Atomic(uintptr_t) *)&thread->handle, memory_order_relaxed);
}
