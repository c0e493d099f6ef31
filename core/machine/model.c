/* SPDX-License-Identifier: MIT */

/* The parameters of a machine: their table, and overriding, hashing and releasing their values. */

#include "core/machine/model.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/machine/model_private.h"
#include "core/names.h"

const char *const al_model_qualities[] = {
    [AL_MODEL_MEASURED] = "measured",
    [AL_MODEL_PROXY] = "proxy",
    [AL_MODEL_ESTIMATED] = "estimated",
    NULL,
};

#define ROW(id, name, unit, least, most, help) [AL_MODEL_##id] = {name, unit, help, least, most},
const struct al_model_parameter al_model_parameters[AL_MODEL_KEYS] = {AL_MODEL_PARAMETERS(ROW)};
#undef ROW

void al_model_free(struct al_model *model)
{
    if (model == NULL)
        return;
    for (size_t key = 0; key < AL_MODEL_KEYS; key++)
        free(model->values[key].source);
    free(model->handoff);
    free(model->title);
    free(model);
}

/* The parameter of this name that the topology has a use for; AL_MODEL_KEYS after a line in
 * error. */
static enum al_model_key find(const struct al_model *model, const char *name,
                              struct al_error *error)
{
    struct al_names names = {.wanted = name, .distance = SIZE_MAX};
    for (size_t key = 0; key < AL_MODEL_KEYS; key++) {
        if (model->values[key].source == NULL) {
            if (strcmp(name, al_model_parameters[key].name) != 0)
                continue;
            al_error_set(error, -EINVAL, "%s has no use for the parameter '%s' (%s)", model->title,
                         name, al_model_parameters[key].help);
            return AL_MODEL_KEYS;
        }
        if (strcmp(name, al_model_parameters[key].name) == 0)
            return (enum al_model_key)key;
        al_names_add(&names, al_model_parameters[key].name);
    }
    al_names_add(&names, "jitter");
    (void)al_names_error(&names, "parameter of the machine", error);
    return AL_MODEL_KEYS;
}

/* The number that a text is, with or without its unit; NAN if it is none from least to most. */
static double number_in(const struct al_model_parameter *parameter, const char *text)
{
    char *end;
    double number = strtod(text, &end);
    bool number_first = end != text;
    while (*end == ' ')
        end++;
    if (strcmp(end, parameter->unit) == 0)
        end += strlen(end);
    bool valid = number >= parameter->least && number <= parameter->most;
    return number_first && *end == '\0' && valid ? number : NAN;
}

int al_model_set(struct al_model *model, const char *name, const char *text, struct al_error *error)
{
    static const struct al_model_parameter jitter = {"jitter", "%", "", 0, 50};
    bool is_jitter = strcmp(name, jitter.name) == 0;
    enum al_model_key key = is_jitter ? 0 : find(model, name, error);
    if (key == AL_MODEL_KEYS)
        return -EINVAL;
    const struct al_model_parameter *parameter = is_jitter ? &jitter : &al_model_parameters[key];
    double number = number_in(parameter, text);
    if (isnan(number))
        return al_error_set(error, -EINVAL,
                            "parameter '%s' of the machine is '%s'; valid: a number from %g to %g, "
                            "in %s",
                            name, text, parameter->least, parameter->most, parameter->unit);
    if (is_jitter) {
        model->jitter = number;
        return 0;
    }
    struct al_model_value *value = &model->values[key];
    value->value = value->low = value->high = number;
    value->overridden = true;
    return 0;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    for (int i = 0; i < 8; i++, value >>= 8)
        hash = (hash ^ (value & 0xff)) * 0x100000001b3u; /* FNV-1a */
    return hash;
}

uint64_t al_model_hash(const struct al_model *model)
{
    uint64_t hash = al_topology_hash(model->topology);
    for (size_t key = 0; key < AL_MODEL_KEYS; key++) {
        const struct al_model_value *value = &model->values[key];
        hash = mix(hash, value->source != NULL);
        /* Rounded, so that the hash is the same on every host. */
        if (value->source != NULL)
            hash = mix(hash, (uint64_t)llround(value->value * 1000));
    }
    if (model->jitter != AL_MODEL_JITTER)
        hash = mix(hash, (uint64_t)llround(model->jitter * 1000));
    uint32_t n = al_model_n_cores(model->topology);
    if (model->handoff != NULL) {
        for (size_t i = 0; i < (size_t)n * n; i++)
            hash = mix(hash, model->handoff[i]);
    }
    return hash;
}
