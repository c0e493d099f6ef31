/* SPDX-License-Identifier: MIT */
#ifndef AL_PLUGIN_BUILD_H
#define AL_PLUGIN_BUILD_H

#include <stddef.h>

#include "core/error.h"

/* What an object is compiled for. */
enum al_plugin_engine { AL_PLUGIN_NATIVE, AL_PLUGIN_SIM, AL_PLUGIN_JITTER, AL_PLUGIN_VIRTUAL };

/* "native", "sim", "jitter", "virtual"; ends with NULL. */
extern const char *const al_plugin_engines[];

/*
 * Compile these C sources to a shared object, as this program was compiled. For threads it is
 * `out`, which ends with .so; else another beside it (benchmarks/harness/plugins/load.h). The
 * compiler's own messages go to stderr. 0, or a negative errno with a line in error.
 */
__attribute__((warn_unused_result)) int al_plugin_build(char *const *sources, size_t n,
                                                        const char *out,
                                                        enum al_plugin_engine engine,
                                                        struct al_error *error);

/* The command that does that, without sources and output, for a build system. A new string; NULL
 * with a line in error. */
char *al_plugin_flags(enum al_plugin_engine engine, struct al_error *error);

#endif
