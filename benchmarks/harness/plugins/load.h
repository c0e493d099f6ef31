/* SPDX-License-Identifier: MIT */
#ifndef AL_PLUGINS_LOAD_H
#define AL_PLUGINS_LOAD_H

/*
 * Plug-ins from shared objects (core/plugin/plugin.h). The command line names their files with
 * --plugin, and the variable AL_PLUGINS with colons between them. FILE.so is for threads; in other
 * programs FILE.ENGINE.so takes its place, as FILE.sim.so in the simulator.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AL_PLUGIN_HASH_BYTES 16
#define AL_PLUGIN_FILES_MOST 32

/* A file that was loaded. */
struct al_loaded {
    char *path;                               /* of FILE.so, whatever was loaded in its place */
    const char *version;                      /* its author's; or NULL */
    unsigned char hash[AL_PLUGIN_HASH_BYTES]; /* BLAKE2b of what was loaded */
};

/* Take each --plugin FILE out of the words behind the program's name, up to a "--", and load these
 * files and those of AL_PLUGINS, each once. AL_PLUGINS then names all of them, for programs that
 * this one starts. False after one line on stderr. Before anything reads a registry. */
__attribute__((warn_unused_result)) bool al_plugins_load(int *argc, char **argv);

/* What was loaded, in that order. */
const struct al_loaded *al_plugins_loaded(size_t *n);

/* How many of the strategies, the last ones, are plug-ins'. */
size_t al_plugins_strategies(void);

#endif
