/* SPDX-License-Identifier: MIT */
#ifndef AL_OPERATION_H
#define AL_OPERATION_H

/* The operations that the seam consists of (core/sync/sync.h). */

/* What a choice point of the virtual engine is about to do; part of the event log. */
enum al_sync_op {
    AL_SYNC_LOAD,
    AL_SYNC_STORE,
    AL_SYNC_EXCHANGE,
    AL_SYNC_CAS,
    AL_SYNC_ADD,
    AL_SYNC_FENCE,
    AL_SYNC_MEMBARRIER,
    AL_SYNC_PAUSE,
    AL_SYNC_YIELD,
    AL_SYNC_SLEEP,
    AL_SYNC_PARK,
    AL_SYNC_UNPARK,
    AL_SYNC_CLOCK,
    AL_SYNC_START,
    AL_SYNC_JOIN,
    AL_SYNC_TOUCH,
    AL_SYNC_COMPUTE,
    AL_SYNC_WORK,
};

enum al_touch_mode { AL_TOUCH_READ, AL_TOUCH_WRITE };

#endif
