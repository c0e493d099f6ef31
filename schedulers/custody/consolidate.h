/* SPDX-License-Identifier: MIT */
#ifndef AL_CUSTODY_CONSOLIDATE_H
#define AL_CUSTODY_CONSOLIDATE_H

/* What consolidate.c knows of the workers: what they have exchanged, and how busy they were. */

#include "core/plugin/scheduler.h"

/* What a worker has sent to another one. Written by the sender, read by who considers. */
struct al_traffic {
    struct al_atomic_u64 messages, chunks;
};

struct al_sent {
    uint64_t messages, chunks;
};

/* What is expected of a smaller number of workers, in cycles: sums, which forget half in each
 * epoch. */
struct al_fewer {
    uint64_t load;  /* how long those were busy whose number changes */
    uint64_t saved; /* what they exchanged, and would not any more */
    uint64_t worst; /* what remains for the one that has most to do */
};

/* What is known of the last epochs; whoever holds the lock considers (consolidate.c). Times in
 * cycles. */
struct al_look {
    _Alignas(2 * AL_CACHE_LINE_BYTES) struct al_spinlock lock;
    uint64_t since;            /* the last look */
    uint64_t elapsed;          /* a sum, which forgets half in each epoch */
    struct al_fewer half, one; /* if half of the workers, or one, did all */
    uint64_t epochs, working;  /* since the last change; of these in a row with work */
    uint64_t settled;          /* no worker retires before */
    uint64_t retry;            /* when all are tried again */
    uint32_t doublings;        /* of the time until all are tried again */
    uint64_t exchange16;       /* of a message, when workers last retired, times 16 */
    /* messages in 2^20 cycles: the last epoch's; the slowest one's with all workers, and the
     * fastest one's with fewer, since the last change from and to all */
    uint64_t rate, slowest_all, fastest_few;
    bool rising;   /* messages pass faster than in the epoch before */
    bool on_trial; /* all workers are used again, to see whether they are faster */
    uint64_t *busy, *now_busy, *delivered; /* by worker; before this look, but for now_busy */
    struct al_sent *sent;                  /* by sender and receiver; and by sender, to all */
};

#endif
