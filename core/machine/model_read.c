/* SPDX-License-Identifier: MIT */

/* Reading the parameters from a machine file's info attributes. */

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/machine/model_private.h"
#include "core/machine/topology_private.h"
#include "core/names.h"

#define MOST_CORES 4096         /* a table of all pairs of cores then has 64 MiB */
#define MOST_NODES 254          /* a page of the simulator's memory has a byte for its own */
#define MOST_CACHE (1ULL << 30) /* bytes */

/* The cursor behind spaces and this text, or NULL. */
static const char *skip(const char *cursor, const char *text)
{
    if (cursor == NULL)
        return NULL;
    cursor += strspn(cursor, " ");
    size_t length = strlen(text);
    return strncmp(cursor, text, length) == 0 ? cursor + length : NULL;
}

/* The cursor behind a number, or NULL. */
static const char *read_number(const char *cursor, double *number)
{
    if (cursor == NULL)
        return NULL;
    cursor += strspn(cursor, " ");
    char *end;
    *number = strtod(cursor, &end);
    /* No "nan", "inf" or hexadecimal. */
    bool plain = end != cursor && strspn(cursor, "+-.0123456789eE") >= (size_t)(end - cursor);
    return plain ? end : NULL;
}

static const char *read_quality(const char *cursor, enum al_model_quality *quality)
{
    for (size_t i = 0; cursor != NULL && al_model_qualities[i] != NULL; i++) {
        const char *after = skip(skip(cursor, al_model_qualities[i]), ":");
        *quality = (enum al_model_quality)i;
        if (after != NULL)
            return after + strspn(after, " ");
    }
    return NULL;
}

static int check_value(enum al_model_key key, const struct al_model_value *value,
                       struct al_error *error)
{
    const struct al_model_parameter *parameter = &al_model_parameters[key];
    if (!(value->value >= parameter->least && value->value <= parameter->most))
        return al_error_set(error, -EINVAL, "%s is %g %s; valid: %g to %g %s", parameter->name,
                            value->value, parameter->unit, parameter->least, parameter->most,
                            parameter->unit);
    if (!(value->low <= value->value && value->value <= value->high))
        return al_error_set(
            error, -EINVAL, "%s is %g %s, which its range [%g, %g] does not contain",
            parameter->name, value->value, parameter->unit, value->low, value->high);
    if (!(value->low >= parameter->least && value->high <= parameter->most))
        return al_error_set(error, -EINVAL, "%s has the range [%g, %g] %s; valid: within %g to %g",
                            parameter->name, value->low, value->high, parameter->unit,
                            parameter->least, parameter->most);
    return 0;
}

int al_model_parse(enum al_model_key key, const char *text, struct al_model_value *value,
                   struct al_error *error)
{
    const struct al_model_parameter *parameter = &al_model_parameters[key];
    struct al_model_value read = {0};
    const char *unit = read_number(text, &read.value),
               *range = skip(skip(unit, parameter->unit), "[");
    if (unit != NULL && range == NULL) {
        unit += strspn(unit, " ");
        return al_error_set(error, -EINVAL, "%s has '%.*s' after its number; valid: %s [LOW, HIGH]",
                            parameter->name, (int)strcspn(unit, " "), unit, parameter->unit);
    }
    const char *rest = read_number(skip(read_number(range, &read.low), ","), &read.high);
    const char *source = read_quality(skip(rest, "]"), &read.quality);
    if (source == NULL || *source == '\0')
        return al_error_set(error, -EINVAL,
                            "%s is '%s'; valid: NUMBER %s [LOW, HIGH] QUALITY: SOURCE, where "
                            "QUALITY is measured, proxy or estimated",
                            parameter->name, text, parameter->unit);
    int code = check_value(key, &read, error);
    if (code != 0)
        return code;
    read.given = read.value;
    read.source = strdup(source);
    if (read.source == NULL)
        return al_error_set(error, -ENOMEM, "no memory for the machine's parameters");
    *value = read;
    return 0;
}

int al_model_check(const struct al_topology *topology,
                   const struct al_model_value values[AL_MODEL_KEYS], struct al_error *error)
{
    bool needs[AL_MODEL_KEYS];
    al_model_needs(topology, needs);
    int code = 0;
    for (size_t key = 0; key < AL_MODEL_KEYS && code == 0; key++) {
        const struct al_model_parameter *parameter = &al_model_parameters[key];
        if (needs[key] && values[key].source == NULL)
            code = al_error_set(error, -EINVAL, "it has no " AL_MODEL_PREFIX "%s (%s, in %s)",
                                parameter->name, parameter->help, parameter->unit);
        else if (!needs[key] && values[key].source != NULL)
            code = al_error_set(error, -EINVAL,
                                "it has " AL_MODEL_PREFIX "%s (%s), but no such parts",
                                parameter->name, parameter->help);
        else if (needs[key])
            code = check_value((enum al_model_key)key, &values[key], error);
    }
    return code;
}

static int read_text(const char *value, char **text, struct al_error *error)
{
    if (*text != NULL)
        return al_error_set(error, -EINVAL, "it has two titles");
    *text = strdup(value);
    return *text != NULL ? 0 : al_error_set(error, -ENOMEM, "no memory for the machine's title");
}

/* A mark, which can have one value only. */
static int read_mark(const char *name, const char *value, const char *only, bool *mark,
                     struct al_error *error)
{
    if (strcmp(value, only) != 0)
        return al_error_set(error, -EINVAL, AL_MODEL_PREFIX "%s is '%s'; valid: %s", name, value,
                            only);
    *mark = true;
    return 0;
}

static int read_attribute(struct al_model *model, bool *matrix, const char *name, const char *value,
                          struct al_error *error)
{
    struct al_names names = {.wanted = name, .distance = SIZE_MAX};
    if (strcmp(name, "title") == 0)
        return read_text(value, &model->title, error);
    if (strcmp(name, "hypothetical") == 0)
        return read_mark(name, value, "yes", &model->hypothetical, error);
    if (strcmp(name, "handoff") == 0)
        return read_mark(name, value, "matrix", matrix, error);
    for (size_t key = 0; key < AL_MODEL_KEYS; key++) {
        if (strcmp(name, al_model_parameters[key].name) != 0) {
            al_names_add(&names, al_model_parameters[key].name);
            continue;
        }
        if (model->values[key].source != NULL)
            return al_error_set(error, -EINVAL, "it has two values of %s", name);
        return al_model_parse((enum al_model_key)key, value, &model->values[key], error);
    }
    al_names_add(&names, "title");
    al_names_add(&names, "hypothetical");
    al_names_add(&names, "handoff");
    return al_names_error(&names, "parameter", error);
}

static int read_attributes(struct al_model *model, bool *matrix, struct al_error *error)
{
    hwloc_obj_t root = hwloc_get_root_obj(model->topology->hwloc);
    size_t n = 0;
    int code = 0;
    for (unsigned i = 0; i < root->infos_count && code == 0; i++) {
        const struct hwloc_info_s *info = &root->infos[i];
        if (strncmp(info->name, AL_MODEL_PREFIX, strlen(AL_MODEL_PREFIX)) != 0)
            continue;
        n++;
        code = read_attribute(model, matrix, info->name + strlen(AL_MODEL_PREFIX), info->value,
                              error);
    }
    if (code == 0 && n == 0)
        code = al_error_set(error, -EINVAL,
                            "it has no latencies; valid: a file as in configs/machines, or one "
                            "that `actorlab calibrate` has written");
    return code != 0 ? code : al_model_check(model->topology, model->values, error);
}

/* Refuse a cache whose lines take more memory than they are worth. */
static int check_caches(const struct al_topology *topology, hwloc_obj_type_t type,
                        struct al_error *error)
{
    hwloc_obj_t cache = NULL;
    while ((cache = hwloc_get_next_obj_by_type(topology->hwloc, type, cache)) != NULL) {
        if (cache->attr->cache.size > MOST_CACHE)
            return al_error_set(error, -EINVAL, "its %s has %llu bytes; valid: up to %llu",
                                hwloc_obj_type_string(type),
                                (unsigned long long)cache->attr->cache.size, MOST_CACHE);
    }
    return 0;
}

int al_model_check_parts(const struct al_topology *topology, struct al_error *error)
{
    uint32_t n_cores = al_model_n_cores(topology);
    int n_nodes = hwloc_get_nbobjs_by_type(topology->hwloc, HWLOC_OBJ_NUMANODE);
    if (n_cores > MOST_CORES)
        return al_error_set(error, -EINVAL, "it has %u cores; valid: up to %d", n_cores,
                            MOST_CORES);
    if (n_nodes > MOST_NODES)
        return al_error_set(error, -EINVAL, "it has %d NUMA nodes; valid: up to %d", n_nodes,
                            MOST_NODES);
    /* Pairs of cores would leave out a PU that is in none. */
    hwloc_obj_t first = al_model_nth_core(topology, 0), pu = NULL;
    while ((pu = hwloc_get_next_obj_by_type(topology->hwloc, HWLOC_OBJ_PU, pu)) != NULL) {
        if (al_topology_core(pu)->type != first->type)
            return al_error_set(error, -EINVAL,
                                "its PU %u is in no core; valid: cores for all PUs, or for none",
                                pu->os_index);
    }
    for (uint32_t i = 0; i < n_cores; i++) {
        if (al_topology_node(topology, al_model_nth_core(topology, i)) == NULL)
            return al_error_set(error, -EINVAL,
                                "its core %u has no memory of its own; valid: a NUMA node for each "
                                "core",
                                i);
    }
    int code = check_caches(topology, HWLOC_OBJ_L1CACHE, error);
    if (code == 0)
        code = check_caches(topology, HWLOC_OBJ_L2CACHE, error);
    return code != 0 ? code : check_caches(topology, HWLOC_OBJ_L3CACHE, error);
}

int al_model_load(const struct al_topology *topology, struct al_model **result,
                  struct al_error *error)
{
    struct al_model *model = calloc(1, sizeof *model);
    if (model == NULL)
        return al_error_set(error, -ENOMEM, "no memory for the machine's parameters");
    struct al_error why = {""};
    bool matrix = false;
    model->topology = topology;
    model->jitter = AL_MODEL_JITTER;
    int code = al_model_check_parts(topology, &why);
    if (code == 0)
        code = read_attributes(model, &matrix, &why);
    if (code == 0)
        code = al_model_read_matrix(topology, matrix, &model->handoff, &why);
    if (code == 0 && model->title == NULL)
        code = read_text(al_topology_name(topology), &model->title, &why);
    if (code != 0) {
        al_model_free(model);
        return al_error_set(error, code, "machine file '%s': %s", al_topology_name(topology),
                            why.text);
    }
    *result = model;
    return 0;
}
