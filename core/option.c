/* SPDX-License-Identifier: MIT */
#include "core/option.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/names.h"

size_t al_options_count(const struct al_plugin *plugin)
{
    size_t n = 0;
    if (plugin->options != NULL) {
        while (plugin->options[n].name != NULL)
            n++;
    }
    return n;
}

/* Whether this is a name of a plug-in or an option, as users write it and records hold it. */
static bool is_name(const char *name)
{
    return name != NULL && *name != '\0' &&
           name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-_")] == '\0';
}

/* What is wrong with an option, or NULL. */
static const char *wrong_with(const struct al_option *option)
{
    union al_value value;
    struct al_error error;
    if (!is_name(option->name))
        return "has another name than a to z, 0 to 9, - and _ make";
    if (option->help == NULL || option->standard == NULL)
        return option->help == NULL ? "has no help" : "has no default";
    if (option->type == AL_OPTION_ENUM && (option->choices == NULL || option->choices[0] == NULL))
        return "has no choices";
    if (al_option_parse(option, option->standard, &value, &error) != 0)
        return "has a default that is none of its values";
    return NULL;
}

int al_plugin_add(const struct al_plugin **registry, const char *what,
                  const struct al_plugin *plugin, struct al_error *error)
{
    size_t n = 0, n_options = al_options_count(plugin);
    if (!is_name(plugin->name) || plugin->help == NULL)
        return al_error_set(error, -EINVAL,
                            "a %s has no help, or no name of a to z, 0 to 9, - and _", what);
    for (; registry[n] != NULL; n++) {
        if (strcmp(registry[n]->name, plugin->name) == 0)
            return al_error_set(error, -EINVAL, "there is a %s '%s' already", what, plugin->name);
    }
    if (n == AL_PLUGINS_MOST - 1)
        return al_error_set(error, -EINVAL, "%s '%s' is one too many; valid: %d at most", what,
                            plugin->name, AL_PLUGINS_MOST - 1);
    if (n_options > AL_OPTIONS_MOST)
        return al_error_set(error, -EINVAL, "%s '%s' has %zu options; valid: %d at most", what,
                            plugin->name, n_options, AL_OPTIONS_MOST);
    for (size_t i = 0; i < n_options; i++) {
        const char *wrong = wrong_with(&plugin->options[i]);
        if (wrong != NULL)
            return al_error_set(error, -EINVAL, "option '%s' of %s '%s' %s",
                                plugin->options[i].name, what, plugin->name, wrong);
    }
    registry[n] = plugin;
    return 0;
}

const struct al_plugin *al_plugin_find(const struct al_plugin *const *registry, const char *what,
                                       const char *name, struct al_error *error)
{
    struct al_names names = {.wanted = name, .distance = SIZE_MAX};
    for (size_t i = 0; registry[i] != NULL; i++) {
        if (strcmp(registry[i]->name, name) == 0)
            return registry[i];
        al_names_add(&names, registry[i]->name);
    }
    (void)al_names_error(&names, what, error);
    return NULL;
}

_Bool al_option_matches(const struct al_plugin *plugin, const char *key, size_t *index)
{
    size_t length = strlen(plugin->name);
    if (strncmp(key, plugin->name, length) == 0 && key[length] == '.')
        key += length + 1;
    size_t n = al_options_count(plugin);
    for (size_t i = 0; i < n; i++) {
        if (strcmp(plugin->options[i].name, key) == 0) {
            *index = i;
            return true;
        }
    }
    return false;
}

int al_option_parse(const struct al_option *option, const char *text, union al_value *value,
                    struct al_error *error)
{
    if (option->type == AL_OPTION_ENUM) {
        struct al_names names = {.wanted = text, .distance = SIZE_MAX};
        for (size_t i = 0; option->choices[i] != NULL; i++) {
            if (strcmp(option->choices[i], text) == 0) {
                value->uint = i;
                return 0;
            }
            al_names_add(&names, option->choices[i]);
        }
        char what[64];
        snprintf(what, sizeof what, "value for '%s':", option->name);
        return al_names_error(&names, what, error);
    }
    char *end;
    errno = 0;
    double number = option->type == AL_OPTION_REAL ? strtod(text, &end) : 0;
    if (option->type == AL_OPTION_UINT) {
        value->uint = strtoull(text, &end, 10);
        number = (double)value->uint;
        if (text[0] < '0' || text[0] > '9') /* strtoull takes "-1" and " 1" */
            end = (char *)text;
    } else {
        value->real = number;
    }
    if (end == text || *end != '\0' || isnan(number))
        return al_error_set(
            error, -EINVAL, "'%s=%s' is not a %s; valid: %.10g to %.10g", option->name, text,
            option->type == AL_OPTION_UINT ? "whole number" : "number", option->min, option->max);
    if (errno == ERANGE || number < option->min || number > option->max)
        return al_error_set(error, -EINVAL, "'%s=%s' is out of range; valid: %.10g to %.10g",
                            option->name, text, option->min, option->max);
    return 0;
}

static int unknown_key(struct al_selection *const *selections, size_t n_selections, const char *key,
                       struct al_error *error)
{
    struct al_names names = {.wanted = key, .distance = SIZE_MAX};
    for (size_t s = 0; s < n_selections; s++) {
        size_t n = al_options_count(selections[s]->plugin);
        for (size_t i = 0; i < n; i++)
            al_names_add(&names, selections[s]->plugin->options[i].name);
    }
    return al_names_error(&names, "option", error);
}

int al_options_parse(struct al_selection *const *selections, size_t n_selections,
                     const struct al_setting *settings, size_t n_settings, struct al_error *error)
{
    for (size_t s = 0; s < n_selections; s++) {
        const struct al_plugin *plugin = selections[s]->plugin;
        size_t n = al_options_count(plugin);
        selections[s]->given = 0;
        for (size_t i = 0; i < n; i++) {
            int code = al_option_parse(&plugin->options[i], plugin->options[i].standard,
                                       &selections[s]->values[i], error);
            if (code != 0)
                return code;
        }
    }
    for (size_t k = 0; k < n_settings; k++) {
        struct al_selection *owner = NULL;
        size_t index = 0;
        for (size_t s = 0; s < n_selections; s++) {
            size_t found;
            if (!al_option_matches(selections[s]->plugin, settings[k].key, &found))
                continue;
            if (owner != NULL)
                return al_error_set(error, -EINVAL,
                                    "'%s' is an option of both %s and %s: write %s.%s or %s.%s",
                                    settings[k].key, owner->plugin->name,
                                    selections[s]->plugin->name, owner->plugin->name,
                                    settings[k].key, selections[s]->plugin->name, settings[k].key);
            owner = selections[s];
            index = found;
        }
        if (owner == NULL)
            return unknown_key(selections, n_selections, settings[k].key, error);
        int code = al_option_parse(&owner->plugin->options[index], settings[k].value,
                                   &owner->values[index], error);
        if (code != 0)
            return code;
        owner->given |= (uint32_t)1 << index;
    }
    return 0;
}

void al_preset_apply(struct al_selection *selection, const struct al_preset *presets)
{
    size_t preset, index;
    if (presets == NULL || !al_option_matches(selection->plugin, AL_PRESET_OPTION, &preset))
        return;
    const char *p = presets[selection->values[preset].uint].settings;
    while (*p != '\0') {
        char key[64], value[64];
        int length = 0;
        if (sscanf(p, "%63[^=]=%63[^ ]%n", key, value, &length) != 2 ||
            !al_option_matches(selection->plugin, key, &index))
            al_fatal("%s: malformed preset '%s'", selection->plugin->name, p);
        struct al_error error = {""};
        union al_value *target = &selection->values[index], unused;
        bool given = (selection->given >> index & 1) != 0;
        if (al_option_parse(&selection->plugin->options[index], value, given ? &unused : target,
                            &error) != 0)
            al_fatal("%s: preset '%s': %s", selection->plugin->name, p, error.text);
        p += length;
        p += *p == ' ';
    }
}
