/* SPDX-License-Identifier: MIT */
#include "core/memory/object.h"

void al_object_pools_init(struct al_worker *worker, struct al_depot *depots)
{
    for (uint32_t i = 0; i < AL_OBJECT_CLASSES; i++)
        al_pool_init(&worker->pools[i], &depots[i], (i + 1) * AL_OBJECT_STEP);
}

void al_object_pools_fini(struct al_worker *worker)
{
    for (size_t i = 0; i < AL_OBJECT_CLASSES; i++)
        al_pool_fini(&worker->pools[i]);
}
