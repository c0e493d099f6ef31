/* SPDX-License-Identifier: MIT */
#ifndef AL_REGISTRY_H
#define AL_REGISTRY_H

/* The plug-ins that there are (schedulers/registry.c). Each array ends with NULL; the first is the
 * default. */

#include "core/plugin/scheduler.h"

extern const struct al_plugin *const al_schedulers[];
extern const struct al_plugin *const al_victims[];
extern const struct al_plugin *const al_idles[];

/* The ops that a plug-in of that registry begins. */
#define AL_OPS(plugin_pointer, type)                                                               \
    ((const struct type *)((const char *)(plugin_pointer)-offsetof(struct type, plugin)))

#endif
