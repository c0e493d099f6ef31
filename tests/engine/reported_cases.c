/* SPDX-License-Identifier: MIT */
#include "tests/engine/reported.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#define COUNT 1000 /* the value of reported_count */

/* ---- Loads and stores. */

#define SCALAR(name, type)                                                                         \
    static void load_##name(void *to, void *from)                                                  \
    {                                                                                              \
        (void)to;                                                                                  \
        type value = *(type *)from;                                                                \
        __asm__ volatile("" : : "r"(value));                                                       \
    }                                                                                              \
    static void store_##name(void *to, void *from)                                                 \
    {                                                                                              \
        *(type *)to = (type)(size_t)from;                                                          \
    }                                                                                              \
    static void increment_##name(void *to, void *from)                                             \
    {                                                                                              \
        (void)from;                                                                                \
        *(type *)to += 1;                                                                          \
    }
SCALAR(1, uint8_t)
SCALAR(2, uint16_t)
SCALAR(4, uint32_t)
SCALAR(8, uint64_t)

static void copy_wide(void *to, void *from)
{
    *(unsigned __int128 *)to = *(unsigned __int128 *)from + 1;
}

typedef float vector __attribute__((vector_size(16)));

static void add_vector(void *to, void *from)
{
    *(vector *)to += *(vector *)from;
}

struct __attribute__((packed)) packed {
    uint8_t first;
    uint16_t two;
    uint32_t four;
    uint64_t eight;
};

static void copy_unaligned(void *to, void *from)
{
    struct packed *a = to, *b = from;
    a->two = b->two + 1;
    a->four = b->four + 1;
    a->eight = b->eight + 1;
}

struct fields {
    uint32_t low : 3, middle : 7, high : 22;
};

static void store_field(void *to, void *from)
{
    ((struct fields *)to)->middle = (unsigned)(size_t)from & 127;
}

static void load_field(void *to, void *from)
{
    (void)to;
    unsigned value = ((struct fields *)from)->middle;
    __asm__ volatile("" : : "r"(value));
}

/* ---- Copies and fills. */

#define STRUCT(bytes)                                                                              \
    struct copied_##bytes {                                                                        \
        unsigned char content[bytes];                                                              \
    };                                                                                             \
    static void copy_struct_##bytes(void *to, void *from)                                          \
    {                                                                                              \
        *(struct copied_##bytes *)to = *(struct copied_##bytes *)from;                             \
    }                                                                                              \
    static void zero_struct_##bytes(void *to, void *from)                                          \
    {                                                                                              \
        (void)from;                                                                                \
        *(struct copied_##bytes *)to = (struct copied_##bytes){{0}};                               \
    }                                                                                              \
    static void memcpy_##bytes(void *to, void *from)                                               \
    {                                                                                              \
        memcpy(to, from, bytes);                                                                   \
    }                                                                                              \
    static void memmove_##bytes(void *to, void *from)                                              \
    {                                                                                              \
        memmove(to, from, bytes);                                                                  \
    }                                                                                              \
    static void memset_##bytes(void *to, void *from)                                               \
    {                                                                                              \
        (void)from;                                                                                \
        memset(to, 7, bytes);                                                                      \
    }
STRUCT(8)
STRUCT(40)
STRUCT(8192)
STRUCT(131072)

static void memcpy_variable(void *to, void *from)
{
    memcpy(to, from, reported_count);
}

static void memset_variable(void *to, void *from)
{
    (void)from;
    memset(to, 0, reported_count);
}

static void copy_loop(void *to, void *from)
{
    uint8_t *restrict a = to, *restrict b = from;
    for (size_t i = 0, n = reported_count; i < n; i++)
        a[i] = b[i];
}

static void zero_loop(void *to, void *from)
{
    (void)from;
    uint64_t *a = to;
    for (size_t i = 0, n = reported_count; i < n; i++)
        a[i] = 0;
}

static void sum_loop(void *to, void *from)
{
    uint32_t sum = 0, *a = from;
    for (size_t i = 0, n = reported_count; i < n; i++)
        sum += a[i];
    *(uint32_t *)to = sum;
}

/* ---- Atomics. */

#define ATOMIC(bits)                                                                               \
    static void atomic_load_##bits(void *to, void *from)                                           \
    {                                                                                              \
        (void)to;                                                                                  \
        uint##bits##_t value = __atomic_load_n((uint##bits##_t *)from, __ATOMIC_ACQUIRE);          \
        __asm__ volatile("" : : "r"(value));                                                       \
    }                                                                                              \
    static void atomic_store_##bits(void *to, void *from)                                          \
    {                                                                                              \
        (void)from;                                                                                \
        __atomic_store_n((uint##bits##_t *)to, 1, __ATOMIC_RELEASE);                               \
    }                                                                                              \
    static void atomic_store_seq_cst_##bits(void *to, void *from)                                  \
    {                                                                                              \
        (void)from;                                                                                \
        __atomic_store_n((uint##bits##_t *)to, 1, __ATOMIC_SEQ_CST);                               \
    }                                                                                              \
    static void atomic_update_##bits(void *to, void *from)                                         \
    {                                                                                              \
        uint##bits##_t *at = to, was = (uint##bits##_t)(size_t)from;                               \
        was += __atomic_exchange_n(at, 1, __ATOMIC_ACQ_REL);                                       \
        was += __atomic_fetch_add(at, 1, __ATOMIC_RELAXED);                                        \
        was += __atomic_fetch_sub(at, 2, __ATOMIC_RELAXED);                                        \
        was += __atomic_fetch_and(at, 3, __ATOMIC_RELAXED);                                        \
        was += __atomic_fetch_or(at, 4, __ATOMIC_RELAXED) & 4;                                     \
        was += __atomic_fetch_xor(at, 5, __ATOMIC_RELAXED);                                        \
        was += __atomic_fetch_nand(at, was, __ATOMIC_RELAXED);                                     \
        was += __atomic_compare_exchange_n(at, &was, 9, true, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED); \
        was += __atomic_compare_exchange_n(at, &was, 9, false, __ATOMIC_SEQ_CST,                   \
                                           __ATOMIC_RELAXED);                                      \
        __asm__ volatile("" : : "r"(was));                                                         \
    }
ATOMIC(8)
ATOMIC(16)
ATOMIC(32)
ATOMIC(64)

static void fences(void *to, void *from)
{
    (void)to, (void)from;
    atomic_thread_fence(memory_order_seq_cst);
    atomic_thread_fence(memory_order_acquire); /* the compiler's alone */
    atomic_signal_fence(memory_order_seq_cst);
}

#define SCALAR_CASES(n)                                                                            \
    {"load of " #n " bytes", load_##n, {.read = n}, 0},                                            \
        {"store of " #n " bytes", store_##n, {.written = n}, 0},                                   \
    {                                                                                              \
        "increment of " #n " bytes", increment_##n, {.read = n, .written = n}, 0                   \
    }

#define STRUCT_CASES(n)                                                                            \
    {"copy of a struct of " #n " bytes", copy_struct_##n, {.read = n, .written = n}, 0},           \
        {"zeroing of a struct of " #n " bytes", zero_struct_##n, {.written = n}, 0},               \
        {"memcpy of " #n " bytes", memcpy_##n, {.read = n, .written = n}, 0},                      \
        {"memmove of " #n " bytes", memmove_##n, {.read = n, .written = n}, 0},                    \
    {                                                                                              \
        "memset of " #n " bytes", memset_##n, {.written = n}, 0                                    \
    }

#define ATOMIC_CASES(bits)                                                                         \
    {"atomic load of " #bits " bits",                                                              \
     atomic_load_##bits,                                                                           \
     {.read = bits / 8, .atomic = bits / 8},                                                       \
     0},                                                                                           \
        {"atomic store of " #bits " bits",                                                         \
         atomic_store_##bits,                                                                      \
         {.written = bits / 8, .atomic = bits / 8},                                                \
         0},                                                                                       \
        {"sequentially consistent store of " #bits " bits",                                        \
         atomic_store_seq_cst_##bits,                                                              \
         {.updated = bits / 8, .atomic = bits / 8},                                                \
         0},                                                                                       \
    {                                                                                              \
        "nine atomic updates of " #bits " bits", atomic_update_##bits,                             \
            {.updated = 9 * bits / 8, .atomic = 9 * bits / 8}, 0                                   \
    }

size_t reported_count = COUNT;

const struct reported_case reported_cases[] = {
    SCALAR_CASES(1),
    SCALAR_CASES(2),
    SCALAR_CASES(4),
    SCALAR_CASES(8),
    {"copy of an integer of 16 bytes", copy_wide, {.read = 16, .written = 16}, 0},
    {"addition of vectors of 16 bytes", add_vector, {.read = 32, .written = 16}, 0},
    {"unaligned copies", copy_unaligned, {.read = 14, .written = 14}, 0},
    /* gcc counts it as a write of the word that has the field, and clang reads that as well */
    {"store to a bit-field", store_field, {.written = 4}, 4},
    {"load of a bit-field", load_field, {.read = 2}, 2},
    STRUCT_CASES(8),
    STRUCT_CASES(40),
    STRUCT_CASES(8192),
    STRUCT_CASES(131072),
    {"memcpy of unknown length", memcpy_variable, {.read = COUNT, .written = COUNT}, 0},
    {"memset of unknown length", memset_variable, {.written = COUNT}, 0},
    {"loop that copies bytes", copy_loop, {.read = COUNT, .written = COUNT}, 0},
    {"loop that zeroes words", zero_loop, {.written = 8 * COUNT}, 0},
    {"loop that adds up words", sum_loop, {.read = 4 * COUNT, .written = 4}, 0},
    ATOMIC_CASES(8),
    ATOMIC_CASES(16),
    ATOMIC_CASES(32),
    ATOMIC_CASES(64),
    {"fences", fences, {.fences = 1}, 0},
    {NULL, NULL, {0}, 0},
};
