/* SPDX-License-Identifier: MIT */
#ifndef AL_OPTION_H
#define AL_OPTION_H

/*
 * Options of strategies, heuristics and workloads: each plug-in declares a table, and the command
 * line, `actorlab list`, the sweep's check and the documentation all come from it.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/error.h"

enum al_option_type { AL_OPTION_UINT, AL_OPTION_REAL, AL_OPTION_ENUM };

struct al_option {
    const char *name;
    enum al_option_type type;
    const char *standard;       /* the default, as a user would write it */
    double min, max;            /* both inclusive; not for ENUM */
    const char *const *choices; /* ENUM: ends with NULL */
    const char *help;           /* one line, with the unit */
};

union al_value {
    uint64_t uint; /* UINT, and ENUM: the choice's index */
    double real;
};

#define AL_OPTIONS_MOST 16
#define AL_PLUGINS_MOST 256 /* of a kind, with the NULL at the end */

/* What every plug-in begins with. options ends with an entry without a name; at most
 * AL_OPTIONS_MOST. */
struct al_plugin {
    const char *name;
    const char *help;
    const struct al_option *options; /* or NULL */
};

/* The ops of some type that begin with this struct al_plugin. */
#define AL_OPS(plugin_pointer, type)                                                               \
    ((const struct type *)((const char *)(plugin_pointer)-offsetof(struct type, plugin)))

/* A user's KEY=VALUE. A key may be qualified by the plug-in's name, as in inverted.shards. */
struct al_setting {
    const char *key;
    const char *value;
};

/* A plug-in and the values of its options. */
struct al_selection {
    const struct al_plugin *plugin;
    union al_value values[AL_OPTIONS_MOST];
    uint32_t given; /* bit i: the user set option i */
};

/* A named group of settings: "max_throughput=300 take=256". */
struct al_preset {
    const char *name, *settings;
};

size_t al_options_count(const struct al_plugin *plugin);

/* The name of an ENUM's value. */
static inline const char *al_option_choice(const struct al_option *option, union al_value value)
{
    return option->choices[value.uint];
}

/* True if the setting's key means an option of this plug-in; its index goes to *index. */
bool al_option_matches(const struct al_plugin *plugin, const char *key, size_t *index);

/*
 * Parse one value. Not of the option's type, out of range, or none of its choices: -EINVAL and a
 * line in error.
 */
__attribute__((warn_unused_result)) int al_option_parse(const struct al_option *option,
                                                        const char *text, union al_value *value,
                                                        struct al_error *error);

/*
 * Fill the values of all selections: defaults first, then the settings in order. A key that no
 * plug-in or more than one knows, a value that is not of the option's type or out of range: -EINVAL
 * and a line in error.
 */
__attribute__((warn_unused_result)) int al_options_parse(struct al_selection *const *selections,
                                                         size_t n_selections,
                                                         const struct al_setting *settings,
                                                         size_t n_settings, struct al_error *error);

/* The option of a plug-in with presets: an ENUM whose choices are their names, in their order. */
#define AL_PRESET_OPTION "preset"

/* The option of a strategy that adds so many ns to each message. */
#define AL_LIBRARY_OPTION "library"

/*
 * Apply the preset that a selection's option `preset` names: its settings take the place of
 * defaults, not of what the user set. Nothing to do if presets is NULL. The settings are the
 * plug-in's own, and valid.
 */
void al_preset_apply(struct al_selection *selection, const struct al_preset *presets);

/*
 * Add a plug-in to the end of a registry of AL_PLUGINS_MOST places. what: as below. -EINVAL with a
 * line in error: its name is not one, there is another one of this name, an option is not complete,
 * or the registry is full. Before anything reads the registry.
 */
__attribute__((warn_unused_result)) int al_plugin_add(const struct al_plugin **registry,
                                                      const char *what,
                                                      const struct al_plugin *plugin,
                                                      struct al_error *error);

/*
 * Find a plug-in by name in a registry that ends with NULL. what ("strategy", "victim" …) is for
 * the error line, which lists the valid names and suggests the nearest. NULL if there is none.
 */
const struct al_plugin *al_plugin_find(const struct al_plugin *const *registry, const char *what,
                                       const char *name, struct al_error *error);

#endif
