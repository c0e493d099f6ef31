/* SPDX-License-Identifier: MIT */

/*
 * What code compiled with -fsanitize=thread calls at each atomic access (see hooks.c), on engines
 * where a word has one value at a time.
 */

#include "core/engine/hooks.h"
#include "core/engine/operation.h"

void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_signal_fence(int order);

void __tsan_atomic_thread_fence(int order)
{
    if (order == __ATOMIC_SEQ_CST && al_engine != NULL)
        al_engine_operation(AL_SYNC_FENCE, 0);
}

void __tsan_atomic_signal_fence(int order)
{
    (void)order;
}

/* There is one thread, so that the operations themselves need not be atomic. */
#define UPDATE(bits, type, name, result)                                                           \
    type __tsan_atomic##bits##_##name(volatile type *at, type value, int order);                   \
    type __tsan_atomic##bits##_##name(volatile type *at, type value, int order)                    \
    {                                                                                              \
        (void)order;                                                                               \
        al_report(at, sizeof *at, AL_ACCESS_UPDATE, true);                                         \
        type old = *at;                                                                            \
        *at = (type)(result);                                                                      \
        return old;                                                                                \
    }
#define EXCHANGE_IF(bits, type, name)                                                              \
    int __tsan_atomic##bits##_compare_exchange_##name(volatile type *at, type *expected,           \
                                                      type value, int order, int failure);         \
    int __tsan_atomic##bits##_compare_exchange_##name(volatile type *at, type *expected,           \
                                                      type value, int order, int failure)          \
    {                                                                                              \
        (void)order, (void)failure;                                                                \
        al_report(at, sizeof *at, AL_ACCESS_UPDATE, true);                                         \
        if (*at == *expected) {                                                                    \
            *at = value;                                                                           \
            return 1;                                                                              \
        }                                                                                          \
        *expected = *at;                                                                           \
        return 0;                                                                                  \
    }
#define ATOMIC(bits, type)                                                                         \
    type __tsan_atomic##bits##_load(const volatile type *at, int order);                           \
    void __tsan_atomic##bits##_store(volatile type *at, type value, int order);                    \
    type __tsan_atomic##bits##_compare_exchange_val(volatile type *at, type expected, type value,  \
                                                    int order, int failure);                       \
    type __tsan_atomic##bits##_load(const volatile type *at, int order)                            \
    {                                                                                              \
        (void)order;                                                                               \
        al_report(at, sizeof *at, AL_ACCESS_READ, true);                                           \
        return *at;                                                                                \
    }                                                                                              \
    void __tsan_atomic##bits##_store(volatile type *at, type value, int order)                     \
    {                                                                                              \
        /* Compilers make it a locked instruction if it is sequentially consistent. */             \
        al_report(at, sizeof *at, order == __ATOMIC_SEQ_CST ? AL_ACCESS_UPDATE : AL_ACCESS_WRITE,  \
                  true);                                                                           \
        *at = value;                                                                               \
    }                                                                                              \
    type __tsan_atomic##bits##_compare_exchange_val(volatile type *at, type expected, type value,  \
                                                    int order, int failure)                        \
    {                                                                                              \
        (void)order, (void)failure;                                                                \
        al_report(at, sizeof *at, AL_ACCESS_UPDATE, true);                                         \
        type old = *at;                                                                            \
        if (old == expected)                                                                       \
            *at = value;                                                                           \
        return old;                                                                                \
    }                                                                                              \
    EXCHANGE_IF(bits, type, strong)                                                                \
    EXCHANGE_IF(bits, type, weak)                                                                  \
    UPDATE(bits, type, exchange, value)                                                            \
    UPDATE(bits, type, fetch_add, old + value)                                                     \
    UPDATE(bits, type, fetch_sub, old - value)                                                     \
    UPDATE(bits, type, fetch_and, old &value)                                                      \
    UPDATE(bits, type, fetch_or, old | value)                                                      \
    UPDATE(bits, type, fetch_xor, old ^ value)                                                     \
    UPDATE(bits, type, fetch_nand, ~(old & value))
ATOMIC(8, uint8_t)
ATOMIC(16, uint16_t)
ATOMIC(32, uint32_t)
ATOMIC(64, uint64_t)
