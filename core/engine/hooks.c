/* SPDX-License-Identifier: MIT */

/*
 * What code compiled with -fsanitize=thread calls at each plain access, and the C library's
 * functions that copy, fill and free memory (the linker's --wrap): all go to the virtual engine. It
 * is not ThreadSanitizer: a program links either this or that. Source of the names and their
 * meaning: the interface of compiler-rt's ThreadSanitizer, which gcc and clang call. Atomic
 * accesses are in hooks_atomic.c, and those of checked programs in check/hooks_atomic.c.
 */

#include "core/engine/hooks.h"

#include <stdint.h>
#include <string.h>

#include "core/error.h"

/* A basic block, where core/engine/count_instructions.py has not counted its instructions: a mean
 * of the runtime's and the strategies' on x86-64. */
void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
    al_instructions += 6;
}

static inline __attribute__((always_inline)) void report_range(const void *address, size_t bytes,
                                                               enum al_access_kind kind)
{
    if (bytes != 0)
        al_report(address, bytes, kind, false);
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
        al_report(address, bytes, AL_ACCESS_READ, false);                                          \
    }                                                                                              \
    void __tsan_write##bytes(void *address)                                                        \
    {                                                                                              \
        al_report(address, bytes, AL_ACCESS_WRITE, false);                                         \
    }                                                                                              \
    void __tsan_read_write##bytes(void *address)                                                   \
    {                                                                                              \
        al_report(address, bytes, AL_ACCESS_READ, false);                                          \
        al_report(address, bytes, AL_ACCESS_WRITE, false);                                         \
    }                                                                                              \
    void __tsan_unaligned_read##bytes(void *address)                                               \
    {                                                                                              \
        al_report(address, bytes, AL_ACCESS_READ, false);                                          \
    }                                                                                              \
    void __tsan_unaligned_write##bytes(void *address)                                              \
    {                                                                                              \
        al_report(address, bytes, AL_ACCESS_WRITE, false);                                         \
    }                                                                                              \
    void __tsan_unaligned_read_write##bytes(void *address)                                         \
    {                                                                                              \
        __tsan_read_write##bytes(address);                                                         \
    }                                                                                              \
    void __tsan_volatile_read##bytes(void *address)                                                \
    {                                                                                              \
        al_report(address, bytes, AL_ACCESS_READ, true);                                           \
    }                                                                                              \
    void __tsan_volatile_write##bytes(void *address)                                               \
    {                                                                                              \
        al_report(address, bytes, AL_ACCESS_WRITE, true);                                          \
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
