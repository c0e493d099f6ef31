/* SPDX-License-Identifier: MIT */
#ifndef AL_SELF_H
#define AL_SELF_H

/* Part of core/sync/sync.h: who the calling thread is. In C and C++. */

#include <stdint.h>

#include "core/sync/sizes.h"

struct al_worker;

#ifdef AL_VIRTUAL

struct al_worker *al_engine_self(void);

static inline struct al_worker *al_self(void)
{
    return al_engine_self();
}

#else

/*
 * The calling thread's worker. Each send reads it and writes a counter of that worker, whose struct
 * begins at a page. Processors compare addresses by their place in a page first: at the same place,
 * each read may wait for the write before it (4 KB aliasing). On AMD's Zen 3 some processes were
 * slow and others not, as if the two lines evicted each other from the nearest cache. So the
 * pointer lies at the end of a page, where a worker has no field.
 */
struct al_self_page {
    char unused[AL_PAGE_BYTES - sizeof(struct al_worker *)] __attribute__((aligned(AL_PAGE_BYTES)));
    struct al_worker *worker;
};

/* The program's own code finds it without a load, though plug-ins see it, too; that of a program
 * which links libactorlab cannot. */
#if (defined(__PIC__) && !defined(__PIE__)) || defined(AL_LIBRARY)
#define AL_SELF_MODEL "initial-exec"
#else
#define AL_SELF_MODEL "local-exec"
#endif
extern __thread struct al_self_page al_self_native __attribute__((tls_model(AL_SELF_MODEL)));

static inline struct al_worker *al_self(void)
{
    return al_self_native.worker;
}

#endif
#endif
