/* SPDX-License-Identifier: MIT */
#ifndef AL_HOOKS_H
#define AL_HOOKS_H

/* Where the hooks of code that reports its accesses take them. AL_CHECKED: the checker wants to
 * know also where in the program they are. */

#include <string.h>

#include "core/engine/ops.h"

#ifdef AL_CHECKED
#include "core/engine/check/run.h"
#endif

static inline __attribute__((always_inline)) void
al_report(const volatile void *address, size_t bytes, enum al_access_kind kind, bool atomic)
{
#ifdef AL_CHECKED
    check_report((const void *)address, bytes, kind, atomic, __builtin_return_address(0));
#else
    struct al_engine *engine = al_engine;
    if (engine != NULL && engine->current != NULL && engine->ops->access != NULL)
        engine->ops->access(engine, (const void *)address, bytes, kind, atomic);
#endif
}

#endif
