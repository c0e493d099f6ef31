/* SPDX-License-Identifier: MIT */

/*
 * What code compiled with -fsanitize=thread calls at each access, and the C library's functions
 * that copy, fill and free memory (the linker's --wrap): all go to the virtual engine. It is not
 * ThreadSanitizer: a program links either this or that. Source of the names and their meaning: the
 * interface of compiler-rt's ThreadSanitizer, which gcc and clang call.
 */

#include <stdint.h>
#include <string.h>

#include "core/engine/ops.h"
#include "core/engine/operation.h"
#include "core/error.h"

/* A basic block, where core/engine/count_instructions.py has not counted its instructions: a mean
 * of the runtime's and the strategies' on x86-64. */
void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
    al_instructions += 6;
}

static inline __attribute__((always_inline)) void report(const volatile void *address, size_t bytes,
                                                         enum al_access_kind kind, bool atomic)
{
    struct al_engine *engine = al_engine;
    if (engine != NULL && engine->current != NULL && engine->ops->access != NULL)
        engine->ops->access(engine, (const void *)address, bytes, kind, atomic);
}

static void report_range(const void *address, size_t bytes, enum al_access_kind kind)
{
    if (bytes != 0)
        report(address, bytes, kind, false);
}

#define PLAIN(bytes)                                                                               \
    void __tsan_read##bytes(void *address);                                                        \
    void __tsan_write##bytes(void *address);                                                       \
    void __tsan_read_write##bytes(void *address);                                                  \
    void __tsan_unaligned_read##bytes(void *address);                                              \
    void __tsan_unaligned_write##bytes(void *address);                                             \
    void __tsan_unaligned_read_write##bytes(void *address);                                        \
    void __tsan_volatile_read##bytes(void *address);                                               \
    void __tsan_volatile_write##bytes(void *address);                                              \
    void __tsan_read##bytes(void *address)                                                         \
    {                                                                                              \
        report(address, bytes, AL_ACCESS_READ, false);                                             \
    }                                                                                              \
    void __tsan_write##bytes(void *address)                                                        \
    {                                                                                              \
        report(address, bytes, AL_ACCESS_WRITE, false);                                            \
    }                                                                                              \
    void __tsan_read_write##bytes(void *address)                                                   \
    {                                                                                              \
        report(address, bytes, AL_ACCESS_READ, false);                                             \
        report(address, bytes, AL_ACCESS_WRITE, false);                                            \
    }                                                                                              \
    void __tsan_unaligned_read##bytes(void *address)                                               \
    {                                                                                              \
        report(address, bytes, AL_ACCESS_READ, false);                                             \
    }                                                                                              \
    void __tsan_unaligned_write##bytes(void *address)                                              \
    {                                                                                              \
        report(address, bytes, AL_ACCESS_WRITE, false);                                            \
    }                                                                                              \
    void __tsan_unaligned_read_write##bytes(void *address)                                         \
    {                                                                                              \
        __tsan_read_write##bytes(address);                                                         \
    }                                                                                              \
    void __tsan_volatile_read##bytes(void *address)                                                \
    {                                                                                              \
        report(address, bytes, AL_ACCESS_READ, true);                                              \
    }                                                                                              \
    void __tsan_volatile_write##bytes(void *address)                                               \
    {                                                                                              \
        report(address, bytes, AL_ACCESS_WRITE, true);                                             \
    }
PLAIN(1)
PLAIN(2)
PLAIN(4)
PLAIN(8)
PLAIN(16)

void __tsan_read_range(void *address, size_t bytes);
void __tsan_write_range(void *address, size_t bytes);
void __tsan_init(void);
void __tsan_func_entry(void *caller);
void __tsan_func_exit(void);
void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_signal_fence(int order);

void __tsan_read_range(void *address, size_t bytes)
{
    report_range(address, bytes, AL_ACCESS_READ);
}

void __tsan_write_range(void *address, size_t bytes)
{
    report_range(address, bytes, AL_ACCESS_WRITE);
}

void __tsan_init(void)
{
}

void __tsan_func_entry(void *caller)
{
    (void)caller;
}

void __tsan_func_exit(void)
{
}

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
        report(at, sizeof *at, AL_ACCESS_UPDATE, true);                                            \
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
        report(at, sizeof *at, AL_ACCESS_UPDATE, true);                                            \
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
        report(at, sizeof *at, AL_ACCESS_READ, true);                                              \
        return *at;                                                                                \
    }                                                                                              \
    void __tsan_atomic##bits##_store(volatile type *at, type value, int order)                     \
    {                                                                                              \
        /* Compilers make it a locked instruction if it is sequentially consistent. */             \
        report(at, sizeof *at, order == __ATOMIC_SEQ_CST ? AL_ACCESS_UPDATE : AL_ACCESS_WRITE,     \
               true);                                                                              \
        *at = value;                                                                               \
    }                                                                                              \
    type __tsan_atomic##bits##_compare_exchange_val(volatile type *at, type expected, type value,  \
                                                    int order, int failure)                        \
    {                                                                                              \
        (void)order, (void)failure;                                                                \
        report(at, sizeof *at, AL_ACCESS_UPDATE, true);                                            \
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

/* The linker calls these where the program calls the functions without __wrap_. */
void *__real_memcpy(void *to, const void *from, size_t bytes);
void *__real_memmove(void *to, const void *from, size_t bytes);
void *__real_memset(void *to, int byte, size_t bytes);
void *__wrap_memcpy(void *to, const void *from, size_t bytes);
void *__wrap_memmove(void *to, const void *from, size_t bytes);
void *__wrap_memset(void *to, int byte, size_t bytes);
void *__tsan_memcpy(void *to, const void *from, size_t bytes);
void *__tsan_memmove(void *to, const void *from, size_t bytes);
void *__tsan_memset(void *to, int byte, size_t bytes);

void *__wrap_memcpy(void *to, const void *from, size_t bytes)
{
    report_range(from, bytes, AL_ACCESS_READ);
    report_range(to, bytes, AL_ACCESS_WRITE);
    return __real_memcpy(to, from, bytes);
}

void *__wrap_memmove(void *to, const void *from, size_t bytes)
{
    report_range(from, bytes, AL_ACCESS_READ);
    report_range(to, bytes, AL_ACCESS_WRITE);
    return __real_memmove(to, from, bytes);
}

void *__wrap_memset(void *to, int byte, size_t bytes)
{
    report_range(to, bytes, AL_ACCESS_WRITE);
    return __real_memset(to, byte, bytes);
}

void *__tsan_memcpy(void *to, const void *from, size_t bytes)
{
    return __wrap_memcpy(to, from, bytes);
}

void *__tsan_memmove(void *to, const void *from, size_t bytes)
{
    return __wrap_memmove(to, from, bytes);
}

void *__tsan_memset(void *to, int byte, size_t bytes)
{
    return __wrap_memset(to, byte, bytes);
}

/* The C library's allocator would not survive what is not its own. */
static void refuse(const char *function, const void *memory)
{
    struct al_engine *engine = al_engine;
    if (engine != NULL && engine->ops->size != NULL && memory != NULL &&
        engine->ops->size(engine, memory) != 0)
        al_fatal("%s() of memory that al_malloc or its like has given; valid: al_%s", function,
                 function);
}

void __real_free(void *memory);
void *__real_realloc(void *memory, size_t bytes);
void __wrap_free(void *memory);
void *__wrap_realloc(void *memory, size_t bytes);

void __wrap_free(void *memory)
{
    refuse("free", memory);
    __real_free(memory);
}

void *__wrap_realloc(void *memory, size_t bytes)
{
    refuse("realloc", memory);
    return __real_realloc(memory, bytes);
}
