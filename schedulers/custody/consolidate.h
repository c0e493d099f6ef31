/* SPDX-License-Identifier: MIT */
#ifndef AL_CUSTODY_CONSOLIDATE_H
#define AL_CUSTODY_CONSOLIDATE_H

/* What consolidate.c knows of the workers: what they have exchanged, and how busy they were. */

#include "core/plugin/scheduler.h"

struct al_custody;

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

/* So many microseconds in cycles, as measured since the start. */
uint64_t al_custody_cycles(const struct al_custody *custody, uint64_t now, uint64_t us);

/* Consider, if it is time, whether fewer or more workers should be in use; and retire if this one
 * should not be. busy: messages wait meanwhile, so another worker had better do it. Owner only. */
void al_custody_consolidate(struct al_worker *self, uint64_t now, bool busy);
/* Use all workers again, if this one has retired: there is work for it. Owner only. */
void al_custody_use_all(struct al_worker *self);
/* What has been until now was before the work: nothing of it says how many workers to use. Starter
 * only, before the first message. */
void al_custody_look_begin(struct al_runtime *system);
/* Make what that needs; 0 or -ENOMEM. And release it. The starting thread. */
int al_custody_look_init(struct al_runtime *system);
void al_custody_look_fini(struct al_custody *custody);

#endif
