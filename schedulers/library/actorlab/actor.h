/* SPDX-License-Identifier: MIT */
#ifndef ACTORLAB_ACTOR_H
#define ACTORLAB_ACTOR_H

/*
 * What a program includes that links libactorlab (docs/how-to/library.md): actors, messages and
 * behaviours (core/actor.h), systems, timers, and the strategies by name.
 *
 *     struct al_system *system;
 *     struct al_error error;
 *     if (al_system_open(NULL, NULL, &system, &error) != 0)
 *         fprintf(stderr, "%s\n", error.text);
 *     ... create actors, send ...
 *     al_system_stop(system, NULL);
 */

/* A thread's worker is in a shared object, perhaps (core/sync/native.h). */
#define AL_LIBRARY 1

#include "core/actor.h"
#include "core/later.h"
#include "schedulers/registry.h"

#endif
