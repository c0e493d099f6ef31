/* SPDX-License-Identifier: MIT */
#ifndef ACTORLAB_ACTOR_H
#define ACTORLAB_ACTOR_H

/*
 * What a program includes that links libactorlab (docs/how-to/library.md), in C or C++: actors,
 * messages and behaviours (core/actor.h), systems, timers, bounds on what waits, and the strategies
 * by name. actor.hpp
 * has types for C++ in place of the macros.
 *
 *     struct al_system *system;
 *     struct al_error error;
 *     if (al_system_open(NULL, NULL, &system, &error) != 0)
 *         fprintf(stderr, "%s\n", error.text);
 *     ... create actors, send ...
 *     al_system_stop(system, NULL);
 */

/* A thread's worker is in a shared object, perhaps, and what it is made of is the runtime's
 * business (core/sync/self.h, core/actor.h). */
#define AL_LIBRARY 1

/* All headers of the C library that those below include: in C++ they must not be between the
 * braces. */
#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "core/actor.h"
#include "core/bound.h"
#include "core/later.h"
#include "core/outside.h"
#include "schedulers/registry.h"

#ifdef __cplusplus
}
#endif

#endif
