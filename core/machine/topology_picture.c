/* SPDX-License-Identifier: MIT */

/* Pictures of the machine: as text, and as XML for hwloc's lstopo to draw. */

#include "core/machine/topology_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void print_object(hwloc_obj_t object, int depth, FILE *file)
{
    char type[32], attributes[128];
    hwloc_obj_type_snprintf(type, sizeof type, object, 0);
    hwloc_obj_attr_snprintf(attributes, sizeof attributes, object, "  ", 0);
    fprintf(file, "  %*s%s", 2 * depth, "", type);
    if (object->os_index != HWLOC_UNKNOWN_INDEX)
        fprintf(file, " %u", object->os_index);
    fprintf(file, "%s%s\n", attributes[0] != '\0' ? "  " : "", attributes);
    for (hwloc_obj_t node = object->memory_first_child; node != NULL; node = node->next_sibling)
        print_object(node, depth + 1, file);
    for (unsigned i = 0; i < object->arity; i++)
        print_object(object->children[i], depth + 1, file);
}

static void print_number(int number, FILE *file)
{
    if (number >= 0)
        fprintf(file, "  %7d", number);
    else
        fprintf(file, "  %7s", "-");
}

int al_topology_print(const struct al_topology *topology, const char *policy, FILE *file,
                      struct al_error *error)
{
    unsigned *pus;
    size_t n;
    int code = al_topology_order(topology, policy, &pus, &n, error);
    if (code != 0)
        return code;
    fprintf(file, "%s: %zu PUs, hash %016llx\n\n", topology->name, al_topology_n_pus(topology),
            (unsigned long long)al_topology_hash(topology));
    print_object(hwloc_get_root_obj(topology->hwloc), 0, file);
    fprintf(
        file,
        "\norder of workers under policy '%s' (PUs by the OS's number, the rest by hwloc's)\n\n",
        policy != NULL ? policy : "close");
    bool kinds = al_topology_n_kinds(topology) > 1;
    fprintf(file, "  %6s  %6s  %7s  %7s  %7s  %7s%s\n", "worker", "PU", "core", "L3", "node",
            "package", kinds ? "  kind" : "");
    for (size_t i = 0; i < n; i++) {
        struct al_place place;
        al_topology_place(topology, pus[i], &place);
        fprintf(file, "  %6zu  %6u", i, pus[i]);
        print_number(place.core, file);
        print_number(place.l3, file);
        print_number(place.node, file);
        print_number(place.package, file);
        int kind = al_topology_kind(topology, pus[i]);
        if (kinds)
            fprintf(file, "  %s", kind >= 0 ? al_topology_kind_name(topology, kind).text : "-");
        fputc('\n', file);
    }
    free(pus);
    return 0;
}

/* Shades run from dark to light along the order, so that neighbours look alike. Text is white on
 * the darker half. */
static int mark(hwloc_obj_t pu, size_t worker, size_t n)
{
    char name[32], style[64];
    unsigned light = n > 1 ? (unsigned)(200 * worker / (n - 1)) : 0;
    snprintf(name, sizeof name, "worker %zu", worker);
    snprintf(style, sizeof style, "Background=#%02x%02xff;Text=#%s", light, 55 + light,
             light < 100 ? "ffffff" : "000000");
    char *subtype = strdup(name);
    if (subtype == NULL)
        return -ENOMEM;
    free(pu->subtype);
    pu->subtype = subtype;
    return hwloc_obj_add_info(pu, "lstopoStyle", style) == 0 ? 0 : -ENOMEM;
}

int al_topology_export(const struct al_topology *topology, const char *policy, FILE *file,
                       struct al_error *error)
{
    unsigned *pus;
    size_t n;
    int code = al_topology_order(topology, policy, &pus, &n, error);
    if (code != 0)
        return code;
    hwloc_topology_t marked = NULL;
    char *xml = NULL;
    int length = 0;
    if (hwloc_topology_dup(&marked, topology->hwloc) != 0)
        code = -ENOMEM;
    for (size_t i = 0; i < n && code == 0; i++)
        code = mark(hwloc_get_pu_obj_by_os_index(marked, pus[i]), i, n);
    if (code == 0 && hwloc_topology_export_xmlbuffer(marked, &xml, &length, 0) != 0)
        code = -ENOMEM;
    /* The length counts the final NUL. */
    if (code == 0 && fwrite(xml, 1, (size_t)length - 1, file) != (size_t)length - 1)
        code = -EIO;
    if (code != 0)
        al_error_set(error, code, "cannot export the topology: %s", strerror(-code));
    if (xml != NULL)
        hwloc_free_xmlbuffer(marked, xml);
    if (marked != NULL)
        hwloc_topology_destroy(marked);
    free(pus);
    return code;
}
