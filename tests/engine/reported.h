/* SPDX-License-Identifier: MIT */
#ifndef AL_REPORTED_H
#define AL_REPORTED_H

/* Functions compiled like the simulator's sources, and which bytes each must report. */

#include <stddef.h>
#include <stdint.h>

struct bytes {
    size_t read, written, updated; /* updated: by locked instructions */
    size_t atomic;                 /* of all these */
    size_t fences;
};

/* Each of the two parts of memory that the functions work on. */
#define MEMORY_BYTES ((size_t)3 << 20)

struct reported_case {
    const char *name;
    void (*function)(void *to, void *from);
    struct bytes least;
    size_t maybe_read; /* a compiler may read so many bytes more */
};

extern const struct reported_case reported_cases[]; /* ends with a name of NULL */
/* How many items the loops handle; a variable, so that the compiler does not know. */
extern size_t reported_count;

#endif
