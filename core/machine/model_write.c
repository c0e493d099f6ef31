/* SPDX-License-Identifier: MIT */

/* Writing a machine file. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/machine/model_private.h"
#include "core/machine/topology_private.h"

/* Remove what the machine file had that the topology came from, if it did. */
static void remove_old(hwloc_topology_t topology)
{
    struct hwloc_distances_s *matrix;
    unsigned n_matrices = 1;
    if (hwloc_distances_get_by_name(topology, AL_MODEL_PREFIX "handoff", &n_matrices, &matrix, 0) ==
            0 &&
        n_matrices > 0)
        hwloc_distances_release_remove(topology, matrix);
    hwloc_obj_t root = hwloc_get_root_obj(topology);
    unsigned n = 0;
    for (unsigned i = 0; i < root->infos_count; i++) {
        struct hwloc_info_s *info = &root->infos[i];
        if (strncmp(info->name, AL_MODEL_PREFIX, strlen(AL_MODEL_PREFIX)) == 0) {
            free(info->name);
            free(info->value);
        } else {
            root->infos[n++] = *info;
        }
    }
    root->infos_count = n;
}

static int add(hwloc_obj_t root, const char *name, const char *value)
{
    char *key;
    if (asprintf(&key, AL_MODEL_PREFIX "%s", name) < 0)
        return -ENOMEM;
    int code = hwloc_obj_add_info(root, key, value) == 0 ? 0 : -ENOMEM;
    free(key);
    return code;
}

static int add_value(hwloc_obj_t root, enum al_model_key key, const struct al_model_value *value)
{
    const struct al_model_parameter *parameter = &al_model_parameters[key];
    char *text;
    if (asprintf(&text, "%.6g %s [%.6g, %.6g] %s: %s", value->value, parameter->unit, value->low,
                 value->high, al_model_qualities[value->quality], value->source) < 0)
        return -ENOMEM;
    int code = add(root, parameter->name, text);
    free(text);
    return code;
}

static int export(hwloc_topology_t topology, FILE *file)
{
    char *xml;
    int length;
    if (hwloc_topology_export_xmlbuffer(topology, &xml, &length, 0) != 0)
        return -ENOMEM;
    /* The length counts the final NUL. */
    bool written = fwrite(xml, 1, (size_t)length - 1, file) == (size_t)length - 1;
    hwloc_free_xmlbuffer(topology, xml);
    return written ? 0 : -EIO;
}

int al_model_write(const struct al_topology *topology,
                   const struct al_model_value values[AL_MODEL_KEYS], const char *title, FILE *file,
                   struct al_error *error)
{
    struct al_model_value used[AL_MODEL_KEYS];
    bool needs[AL_MODEL_KEYS];
    int code = al_model_check_parts(topology, error);
    if (code != 0)
        return code;
    al_model_needs(topology, needs);
    for (size_t key = 0; key < AL_MODEL_KEYS; key++)
        used[key] = needs[key] ? values[key] : (struct al_model_value){0};
    code = al_model_check(topology, used, error);
    if (code != 0)
        return code;
    hwloc_topology_t copy;
    if (hwloc_topology_dup(&copy, topology->hwloc) != 0)
        return al_error_set(error, -ENOMEM, "no memory for the machine file");
    hwloc_obj_t root = hwloc_get_root_obj(copy);
    remove_old(copy);
    code = add(root, "title", title);
    for (size_t key = 0; key < AL_MODEL_KEYS && code == 0; key++) {
        if (used[key].source != NULL)
            code = add_value(root, (enum al_model_key)key, &used[key]);
    }
    if (code == 0)
        code = export(copy, file);
    hwloc_topology_destroy(copy);
    if (code != 0)
        al_error_set(error, code, "cannot write the machine file: %s", strerror(-code));
    return code;
}
