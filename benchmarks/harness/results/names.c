/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/results/labels.h"

#include <stdlib.h>

#include "benchmarks/harness/text/format.h"
#include "benchmarks/harness/text/json.h"

void al_names_make(const struct al_summary *summary, const json_t *order, struct al_names *out)
{
    size_t n = summary->count;
    const json_t **entries = al_needed(calloc(n + 1, sizeof *entries));
    for (size_t c = 0; c < n; c++)
        entries[c] = summary->cells[c].identity;
    *out = (struct al_names){.cells = summary->cells, .n = n};
    al_keys_find(entries, n, n, order, &out->keys);
    al_parts_make(entries, n, n, &out->keys, &out->parts);
    free(entries);
}

char *al_names_of(const struct al_names *names, const struct al_cell *cell)
{
    return al_printable(names->parts.labels[names->parts.of[cell - names->cells]]);
}

const char *al_names_head(const struct al_names *names)
{
    return names->keys.n == 1 ? names->keys.all[0].name : "strategy";
}

void al_names_release(struct al_names *names)
{
    al_parts_release(&names->parts);
    al_keys_release(&names->keys);
}
