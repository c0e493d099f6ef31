/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/show/machine.h"

#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/results/labels.h"
#include "benchmarks/harness/text/format.h"
#include "benchmarks/harness/text/json.h"
#include "core/counted.h"
#include "core/machine/topology.h"

/* Count the parts of this name, by their first PUs. The PUs are all that there are. */
static unsigned parts_named(const struct al_topology *topology, const unsigned *pus, size_t n_pus,
                            const char *name)
{
    bool *seen = al_needed(calloc(n_pus, sizeof *seen));
    unsigned found = 0;
    for (size_t i = 0; i < n_pus; i++) {
        struct al_part parts[AL_PARTS_MOST];
        size_t n = 0;
        if (al_topology_path(topology, pus[i], parts, &n) != 0)
            continue;
        for (size_t k = 0; k < n; k++) {
            if (strcmp(parts[k].name, name) != 0 || seen[parts[k].first])
                continue;
            seen[parts[k].first] = true;
            found++;
        }
    }
    free(seen);
    return found;
}

/* Replace the text by a longer one. */
static char *longer(char *text, char *with)
{
    free(text);
    return with;
}

static char *with_kinds(char *text, const struct al_topology *topology, const unsigned *pus,
                        size_t n)
{
    size_t n_kinds = al_topology_n_kinds(topology);
    for (size_t left = n_kinds > 1 ? n_kinds : 0; left > 0; left--) {
        int kind = (int)left - 1;
        size_t with = 0;
        for (size_t i = 0; i < n; i++)
            with += al_topology_kind(topology, pus[i]) == kind;
        text = longer(text, al_text("%s%s%zu of %s", text, left == n_kinds ? ": " : ", ", with,
                                    al_topology_kind_name(topology, kind).text));
    }
    return text;
}

char *al_topology_text(const struct al_topology *topology, struct al_error *error)
{
    /* The names of al_topology_path, which calls a package that is one node only a node. */
    static const char *const names[] = {"package", "node", "core"};
    unsigned *pus;
    size_t n;
    if (al_topology_order(topology, NULL, &pus, &n, error) != 0)
        return NULL;
    char *text = al_text("%s", "");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        unsigned parts = parts_named(topology, pus, n, names[i]);
        if (parts > 0)
            text = longer(text, al_text("%s%s, ", text, al_counted(parts, names[i]).text));
    }
    text = longer(text, al_text("%s%s", text, al_counted(n, "usable PU").text));
    text = with_kinds(text, topology, pus, n);
    free(pus);
    return text;
}
