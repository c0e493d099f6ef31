/* SPDX-License-Identifier: MIT */
#include "core/machine/locality_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void al_locality_free(struct al_locality *locality)
{
    if (locality == NULL)
        return;
    while (locality->blocks != NULL) {
        struct al_locality_block *next = locality->blocks->next;
        free(locality->blocks);
        locality->blocks = next;
    }
    free(locality);
}

uint32_t al_locality_n_levels(const struct al_locality *locality, uint32_t worker)
{
    return locality->places[worker].n_steps;
}

const struct al_level *al_locality_level(const struct al_locality *locality, uint32_t worker,
                                         uint32_t k)
{
    return &locality->places[worker].steps[k]->level;
}

static bool has(const struct al_level *level, uint32_t worker)
{
    return bsearch(&worker, level->workers, level->n, sizeof worker, al_compare_u32) != NULL;
}

uint32_t al_locality_distance(const struct al_locality *locality, uint32_t a, uint32_t b)
{
    uint32_t k = 0;
    while (!has(al_locality_level(locality, a, k), b))
        k++;
    return k;
}

uint32_t al_locality_n_nodes(const struct al_locality *locality)
{
    return locality->n_nodes;
}

uint32_t al_locality_node_of(const struct al_locality *locality, uint32_t worker)
{
    return locality->places[worker].node;
}

const struct al_level *al_locality_node_workers(const struct al_locality *locality, uint32_t node)
{
    return &locality->nodes[node]->level;
}

uint32_t al_locality_node_distance(const struct al_locality *locality, uint32_t a, uint32_t b)
{
    if (locality->distances != NULL)
        return locality->distances[(size_t)a * locality->n_nodes + b];
    uint32_t distance = 10, worker = locality->nodes[a]->level.workers[0];
    for (uint32_t k = 0; a != b; k++) {
        const struct al_level *level = al_locality_level(locality, worker, k);
        distance += level->local ? 0 : 10;
        if (has(level, locality->nodes[b]->level.workers[0]))
            break;
    }
    return distance;
}

void al_locality_describe(const struct al_locality *locality, char *text, size_t bytes)
{
    const struct al_locality_step *names[64];
    size_t n = 0, used = 0;
    for (uint32_t i = 0; i < locality->n_workers; i++) {
        const struct al_locality_place *place = &locality->places[i];
        for (uint32_t k = 0; k < place->n_steps; k++) {
            const struct al_locality_step *step = place->steps[k];
            size_t at = 0;
            while (at < n && strcmp(names[at]->level.name, step->level.name) != 0)
                at++;
            if (at < n || n == sizeof names / sizeof *names)
                continue;
            for (at = n++; at > 0 && names[at - 1]->rank > step->rank; at--)
                names[at] = names[at - 1];
            names[at] = step;
        }
    }
    if (bytes > 0)
        text[0] = '\0';
    for (size_t i = 0; i < n && used < bytes; i++)
        used += (size_t)snprintf(text + used, bytes - used, "%s%s", i > 0 ? ", " : "",
                                 names[i]->level.name);
}
