/* SPDX-License-Identifier: MIT */
#ifndef AL_PLUGIN_H
#define AL_PLUGIN_H

/*
 * Plug-ins in a shared object of their own, which `actorlab --plugin FILE.so` loads. At the end of
 * one source file stands what it offers:
 *
 *     AL_PLUGIN_FILE(.version = "1.0", .schedulers = {&lanes.plugin}, .benchmarks = {&ring.plugin})
 *
 * The shared object needs nothing but the headers: all functions of the runtime are the program's.
 */

#include "core/plugin/idle.h"
#include "core/plugin/scheduler.h"
#include "core/plugin/victim.h"

/* Raised whenever a struct or a function changes that plug-ins see. */
#define AL_PLUGIN_INTERFACE 1

/* What it is compiled for: threads, those that sleep in race windows, the simulated machine, or the
 * virtual engine. */
#if defined(AL_ACCESSES)
#define AL_PLUGIN_ENGINE "sim"
#elif defined(AL_VIRTUAL)
#define AL_PLUGIN_ENGINE "virtual"
#elif defined(AL_JITTER)
#define AL_PLUGIN_ENGINE "jitter"
#else
#define AL_PLUGIN_ENGINE "native"
#endif

#define AL_PLUGIN_TEXT(macro)    AL_PLUGIN_TEXT_OF(macro)
#define AL_PLUGIN_TEXT_OF(macro) #macro

/* What the two must have in common: words of the form NAME=VALUE, in this order. */
#define AL_PLUGIN_BUILT                                                                                        \
    "interface=" AL_PLUGIN_TEXT(                                                                               \
        AL_PLUGIN_INTERFACE) " engine=" AL_PLUGIN_ENGINE                                                       \
                             " checks=" AL_PLUGIN_TEXT(AL_CHECKS) " counters=" AL_PLUGIN_TEXT(                 \
                                 AL_COUNTERS) " line=" AL_PLUGIN_TEXT(AL_CACHE_LINE_BYTES) " page"             \
                                                                                           "=" AL_PLUGIN_TEXT( \
                                                                                               AL_PAGE_BYTES)

/* The program's own AL_PLUGIN_BUILT. */
extern const char al_plugin_built[];

/* Plug-ins of a kind in a file: at most. */
#define AL_PLUGIN_MOST 32

/* What a file offers. Constant. */
struct al_plugin_file {
    const char *built;   /* AL_PLUGIN_BUILT; first, and of any interface */
    const char *version; /* the author's; NULL: none */
    /* each ends with NULL, or is full */
    const struct al_plugin *schedulers[AL_PLUGIN_MOST], *victims[AL_PLUGIN_MOST],
        *idles[AL_PLUGIN_MOST], *benchmarks[AL_PLUGIN_MOST];
};

/* Say what this shared object offers; once. */
#define AL_PLUGIN_FILE(...)                                                                        \
    extern const struct al_plugin_file al_plugin_file;                                             \
    __attribute__((visibility("default")))                                                         \
    const struct al_plugin_file al_plugin_file = {.built = AL_PLUGIN_BUILT, __VA_ARGS__};

#endif
