/* SPDX-License-Identifier: MIT */

/* The machine for hwloc's lstopo to draw: the rest of core/machine/topology.h, another file that knows hwloc. */

#include "core/machine/topology_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* From dark to light as the order goes, so that neighbours in the order have neighbouring shades; white text on the
 * darker half. */
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
