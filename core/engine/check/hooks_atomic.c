/* SPDX-License-Identifier: MIT */

/* What code compiled with -fsanitize=thread calls at each atomic access (see core/engine/hooks.c),
 * where the checker decides what it reads. */

#include "core/engine/check/run.h"
#include "core/error.h"

#define CODE __builtin_return_address(0)

void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_signal_fence(int order);

void __tsan_atomic_thread_fence(int order)
{
    if (order == __ATOMIC_SEQ_CST)
        check_fence(CHECK_FENCE, CODE);
    else if (order != __ATOMIC_RELAXED)
        al_fatal("a fence that is not sequentially consistent; valid: al_fence_seq_cst");
}

void __tsan_atomic_signal_fence(int order)
{
    if (order == __ATOMIC_SEQ_CST)
        check_fence(CHECK_LIGHT, CODE);
}

#define UPDATE(bits, type, name, kind, operand)                                                    \
    type __tsan_atomic##bits##_##name(volatile type *at, type value, int order);                   \
    type __tsan_atomic##bits##_##name(volatile type *at, type value, int order)                    \
    {                                                                                              \
        return (type)check_update(at, sizeof *at, kind, (type)(operand), 0, order, order, CODE);   \
    }
#define EXCHANGE_IF(bits, type, name)                                                              \
    int __tsan_atomic##bits##_compare_exchange_##name(volatile type *at, type *expected,           \
                                                      type value, int order, int failure);         \
    int __tsan_atomic##bits##_compare_exchange_##name(volatile type *at, type *expected,           \
                                                      type value, int order, int failure)          \
    {                                                                                              \
        type old = (type)check_update(at, sizeof *at, CHECK_EXCHANGE_IF, value, *expected, order,  \
                                      failure, CODE);                                              \
        bool done = old == *expected;                                                              \
        *expected = old;                                                                           \
        return done;                                                                               \
    }
#define ATOMIC(bits, type)                                                                         \
    type __tsan_atomic##bits##_load(const volatile type *at, int order);                           \
    void __tsan_atomic##bits##_store(volatile type *at, type value, int order);                    \
    type __tsan_atomic##bits##_compare_exchange_val(volatile type *at, type expected, type value,  \
                                                    int order, int failure);                       \
    type __tsan_atomic##bits##_load(const volatile type *at, int order)                            \
    {                                                                                              \
        return (type)check_load(at, sizeof *at, order, CODE);                                      \
    }                                                                                              \
    void __tsan_atomic##bits##_store(volatile type *at, type value, int order)                     \
    {                                                                                              \
        check_store(at, sizeof *at, value, order, CODE);                                           \
    }                                                                                              \
    type __tsan_atomic##bits##_compare_exchange_val(volatile type *at, type expected, type value,  \
                                                    int order, int failure)                        \
    {                                                                                              \
        return (type)check_update(at, sizeof *at, CHECK_EXCHANGE_IF, value, expected, order,       \
                                  failure, CODE);                                                  \
    }                                                                                              \
    EXCHANGE_IF(bits, type, strong)                                                                \
    EXCHANGE_IF(bits, type, weak)                                                                  \
    UPDATE(bits, type, exchange, CHECK_EXCHANGE, value)                                            \
    UPDATE(bits, type, fetch_add, CHECK_ADD, value)                                                \
    UPDATE(bits, type, fetch_sub, CHECK_ADD, -value)                                               \
    UPDATE(bits, type, fetch_and, CHECK_AND, value)                                                \
    UPDATE(bits, type, fetch_or, CHECK_OR, value)                                                  \
    UPDATE(bits, type, fetch_xor, CHECK_XOR, value)                                                \
    UPDATE(bits, type, fetch_nand, CHECK_NAND, value)
ATOMIC(8, uint8_t)
ATOMIC(16, uint16_t)
ATOMIC(32, uint32_t)
ATOMIC(64, uint64_t)
