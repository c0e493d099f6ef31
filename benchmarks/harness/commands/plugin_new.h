/* SPDX-License-Identifier: MIT */
#ifndef AL_PLUGIN_NEW_H
#define AL_PLUGIN_NEW_H

#include "core/error.h"

enum al_plugin_kind { AL_PLUGIN_STRATEGY, AL_PLUGIN_VICTIM, AL_PLUGIN_IDLE, AL_PLUGIN_WORKLOAD };

/* "strategy", "victim", "idle", "workload"; ends with NULL. */
extern const char *const al_plugin_kinds[];

/*
 * Write a complete plug-in into a folder, which is made if there is none: NAME.c, which works as it
 * stands, a Makefile and a meson.build. 0, or a negative errno with a line in error; no file is
 * overwritten.
 */
__attribute__((warn_unused_result)) int al_plugin_new(const char *name, enum al_plugin_kind kind,
                                                      const char *folder, struct al_error *error);

#endif
