/* SPDX-License-Identifier: MIT */
#ifndef AL_SOURCE_H
#define AL_SOURCE_H

/*
 * Where the memory of what comes and goes with each message is from: free lists of each worker, or
 * malloc. Two options say so, each declared once here and in the table of every plug-in that it
 * concerns: `memory` of workloads that allocate actors and messages with al_new, `envelopes` of
 * strategies that allocate an envelope for each send.
 *
 * The default is to recycle, so that a comparison of strategies is none of allocators: a strategy
 * that copies envelopes into queues allocates none, and one that links them should not pay for the
 * C library's locks. The Cforall chapter measured malloc, so configs/chapter sets it.
 */

#include "core/memory/source.h"
#include "core/option.h"

extern const char *const al_source_names[]; /* in the order of enum al_source; ends with NULL */

#define AL_MEMORY    "memory"
#define AL_ENVELOPES "envelopes"

#define AL_MEMORY_OPTION                                                                           \
    {                                                                                              \
        AL_MEMORY, AL_OPTION_ENUM, "recycled", 0, 0, al_source_names,                              \
            "what allocates actors and messages: free lists of each worker, or malloc"             \
    }

#define AL_ENVELOPES_OPTION                                                                        \
    {                                                                                              \
        AL_ENVELOPES, AL_OPTION_ENUM, "recycled", 0, 0, al_source_names,                           \
            "what allocates envelopes, and inboxes of actors: free lists of each worker, or "      \
            "malloc"                                                                               \
    }

/* The choice of a plug-in that has the option of this name; AL_RECYCLED if it has none. */
enum al_source al_source_of(const struct al_selection *selection, const char *option);

#endif
