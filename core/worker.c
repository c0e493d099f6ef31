/* SPDX-License-Identifier: MIT */
#include "core/worker.h"

void al_lock_waited(void)
{
    struct al_worker *self = al_self();
    if (self != NULL) /* else a thread that is no worker */
        AL_COUNT(self, lock_waits, 1);
}
