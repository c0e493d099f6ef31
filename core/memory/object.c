/* SPDX-License-Identifier: MIT */
#include "core/memory/object.h"

void al_object_pools_init(struct al_worker *worker, const struct al_runtime *system)
{
    for (uint32_t i = 0; i < AL_OBJECT_CLASSES; i++)
        al_pool_init(&worker->pools[i], &system->depots[i], (i + 1) * AL_OBJECT_STEP,
                     system->memory);
    al_pool_init(&worker->envelopes, &system->depots[AL_OBJECT_CLASSES], AL_OBJECT_STEP,
                 AL_RECYCLES ? system->envelopes : AL_MALLOC);
}

void al_object_pools_fini(struct al_worker *worker)
{
    for (size_t i = 0; i < AL_OBJECT_CLASSES; i++)
        al_pool_fini(&worker->pools[i]);
    al_pool_fini(&worker->envelopes);
}

void *al_object_allocate(size_t bytes)
{
    return al_object_new(bytes);
}

void *al_object_try(size_t bytes)
{
    return AL_RECYCLES ? al_pool_try(&al_self()->pools[al_object_class(bytes)], bytes)
                       : al_malloc(bytes);
}
