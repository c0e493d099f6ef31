/* SPDX-License-Identifier: MIT */

/* Builds an al_locality: finds which workers are in which part of the machine, then each worker's
 * levels. */

#include "core/machine/locality_private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/machine/topology.h"

/* Needed only while the locality is built. */
struct build {
    struct al_locality *locality;
    struct member *members; /* at most n_workers times AL_PARTS_MOST */
    size_t n_members;
    /* AL_PARTS_MOST for each worker: the step of each part of its path, or NULL */
    const struct al_locality_step **found;
    const struct al_locality_step **levels; /* of one worker; room for the most it can have */
    uint32_t *scratch;                      /* n_workers */
    struct node *nodes;
};

/* A worker is in this part, which comes at `position` in the path of its PU. */
struct member {
    struct al_part part;
    uint32_t worker, position;
};

struct node {
    uint64_t id;
    unsigned first; /* its first PU */
    const struct al_locality_step *step;
    /* all workers up to each distance, nearest first, ending with NULL; NULL without a matrix */
    const struct al_locality_step **above;
};

/* Allocate memory that lives as long as the locality; NULL: there is none. */
static void *keep(struct al_locality *locality, size_t bytes)
{
    struct al_locality_block *block = malloc(sizeof *block + bytes);
    if (block == NULL)
        return NULL;
    block->next = locality->blocks;
    locality->blocks = block;
    return block->data;
}

static uint64_t rank_of(enum al_part_kind kind, uint32_t height)
{
    return (uint64_t)kind << 32 | height;
}

static int compare_members(const void *x, const void *y)
{
    const struct member *a = x, *b = y;
    int difference = (a->part.id > b->part.id) - (a->part.id < b->part.id);
    return difference != 0 ? difference : (a->worker > b->worker) - (a->worker < b->worker);
}

static int compare_nodes(const void *x, const void *y)
{
    const struct node *a = x, *b = y;
    int difference = (a->first > b->first) - (a->first < b->first);
    return difference != 0 ? difference : (a->id > b->id) - (a->id < b->id);
}

/* List which worker is in which part, sorted by part. */
static int find_members(struct build *build, const struct al_topology *topology,
                        const unsigned *pus, struct al_error *error)
{
    for (uint32_t i = 0; i < build->locality->n_workers; i++) {
        struct al_part parts[AL_PARTS_MOST];
        size_t n;
        int code = al_topology_path(topology, pus[i], parts, &n);
        if (code != 0)
            return al_error_set(error, code, "worker %u was assigned PU %u, which %s does not have",
                                i, pus[i], al_topology_name(topology));
        for (size_t k = 0; k < n; k++)
            build->members[build->n_members++] = (struct member){parts[k], i, (uint32_t)k};
    }
    qsort(build->members, build->n_members, sizeof *build->members, compare_members);
    return 0;
}

/* Make a step for each node and for each other part with several workers; list the nodes. */
static int make_parts(struct build *build)
{
    struct al_locality *locality = build->locality;
    const struct member *members = build->members;
    size_t end;
    for (size_t i = 0; i < build->n_members; i = end) {
        const struct al_part *part = &members[i].part;
        for (end = i + 1; end < build->n_members && members[end].part.id == part->id; end++)
            continue;
        uint32_t n = (uint32_t)(end - i);
        if (n == 1 && part->kind != AL_PART_NODE)
            continue;
        struct al_locality_step *step = keep(locality, sizeof *step);
        uint32_t *workers = keep(locality, n * sizeof *workers);
        if (step == NULL || workers == NULL)
            return -ENOMEM;
        for (uint32_t k = 0; k < n; k++) {
            const struct member *member = &members[i + k];
            workers[k] = member->worker;
            build->found[(size_t)member->worker * AL_PARTS_MOST + member->position] = step;
        }
        *step = (struct al_locality_step){{part->name, part->kind <= AL_PART_NODE, n, workers},
                                          rank_of(part->kind, part->height)};
        if (part->kind == AL_PART_NODE)
            build->nodes[locality->n_nodes++] = (struct node){part->id, part->first, step, NULL};
    }
    return 0;
}

static int number_nodes(struct build *build)
{
    struct al_locality *locality = build->locality;
    qsort(build->nodes, locality->n_nodes, sizeof *build->nodes, compare_nodes);
    locality->nodes = keep(locality, locality->n_nodes * sizeof *locality->nodes);
    if (locality->nodes == NULL)
        return -ENOMEM;
    for (uint32_t i = 0; i < locality->n_nodes; i++) {
        const struct al_level *level = &build->nodes[i].step->level;
        locality->nodes[i] = build->nodes[i].step;
        for (uint32_t k = 0; k < level->n; k++)
            locality->places[level->workers[k]].node = i;
    }
    return 0;
}

/* Read the matrix of distances, which stays NULL if the machine has none. */
static int find_distances(struct build *build, const struct al_topology *topology)
{
    struct al_locality *locality = build->locality;
    uint32_t n = locality->n_nodes;
    uint64_t *ids = malloc(n * sizeof *ids);
    uint32_t *distances = keep(locality, (size_t)n * n * sizeof *distances);
    int code = -ENOMEM;
    if (ids != NULL && distances != NULL) {
        for (uint32_t i = 0; i < n; i++)
            ids[i] = build->nodes[i].id;
        code = al_topology_distances(topology, ids, n, distances);
    }
    free(ids);
    if (code == 0)
        locality->distances = distances;
    return code == -ENOENT ? 0 : code;
}

/* A step of all workers on nodes up to this distance from the node. */
static const struct al_locality_step *make_distance(struct build *build, uint32_t node,
                                                    uint32_t distance)
{
    struct al_locality *locality = build->locality;
    const uint32_t *row = &locality->distances[(size_t)node * locality->n_nodes];
    uint32_t n = 0;
    for (uint32_t i = 0; i < locality->n_workers; i++) {
        uint32_t other = locality->places[i].node;
        if (other == node || row[other] <= distance)
            build->scratch[n++] = i;
    }
    struct al_locality_step *step = keep(locality, sizeof *step);
    char *name = keep(locality, sizeof "distance 4294967295");
    /* Up to the farthest distance that is everybody: share the root's array. */
    bool all = n == locality->n_workers;
    uint32_t *workers = all ? NULL : keep(locality, n * sizeof *workers);
    if (step == NULL || name == NULL || (!all && workers == NULL))
        return NULL;
    if (!all)
        memcpy(workers, build->scratch, n * sizeof *workers);
    sprintf(name, "distance %u", distance);
    *step = (struct al_locality_step){
        {name, false, n, all ? locality->root.level.workers : workers},
        rank_of(AL_PART_ABOVE, distance)};
    return step;
}

static int make_distances(struct build *build)
{
    struct al_locality *locality = build->locality;
    uint32_t n_nodes = locality->n_nodes;
    uint32_t *different = malloc(n_nodes * sizeof *different);
    int code = different != NULL ? 0 : -ENOMEM;
    for (uint32_t i = 0; i < n_nodes && code == 0; i++) {
        uint32_t n = 0, n_steps = 0;
        for (uint32_t k = 0; k < n_nodes; k++) {
            if (k != i)
                different[n++] = locality->distances[(size_t)i * n_nodes + k];
        }
        qsort(different, n, sizeof *different, al_compare_u32);
        const struct al_locality_step **above = keep(locality, (n + 1) * sizeof *above);
        code = above != NULL ? 0 : -ENOMEM;
        for (uint32_t k = 0; k < n && code == 0; k++) {
            if (k > 0 && different[k] == different[k - 1])
                continue;
            above[n_steps] = make_distance(build, i, different[k]);
            code = above[n_steps++] != NULL ? 0 : -ENOMEM;
        }
        if (code == 0) {
            above[n_steps] = NULL;
            build->nodes[i].above = above;
        }
    }
    free(different);
    return code;
}

/* Collect the levels of a worker in build->levels; returns how many there are. */
static uint32_t find_levels(const struct build *build, uint32_t worker)
{
    const struct al_locality *locality = build->locality;
    const struct node *node = &build->nodes[locality->places[worker].node];
    uint32_t n = 0, last = 1;
    for (uint32_t k = 0; k < AL_PARTS_MOST; k++) {
        const struct al_locality_step *step = build->found[(size_t)worker * AL_PARTS_MOST + k];
        if (step == NULL || step->level.n <= last)
            continue;
        if (step->level.local ? step != node->step && step->level.n == node->step->level.n
                              : locality->distances != NULL)
            continue;
        build->levels[n++] = step;
        last = step->level.n;
    }
    for (const struct al_locality_step **above = node->above; above != NULL && *above != NULL;
         above++) {
        if ((*above)->level.n > last)
            build->levels[n++] = *above;
        last = (*above)->level.n;
    }
    build->levels[n++] = &locality->root;
    return n;
}

static int make(struct build *build, const struct al_topology *topology, const unsigned *pus,
                struct al_error *error)
{
    struct al_locality *locality = build->locality;
    uint32_t n = locality->n_workers;
    locality->places = keep(locality, n * sizeof *locality->places);
    uint32_t *all = keep(locality, n * sizeof *all);
    if (locality->places == NULL || all == NULL)
        return -ENOMEM;
    for (uint32_t i = 0; i < n; i++)
        all[i] = i;
    locality->root = (struct al_locality_step){{"root", false, n, all}, UINT64_MAX};
    int code = find_members(build, topology, pus, error);
    if (code == 0)
        code = make_parts(build);
    if (code == 0)
        code = number_nodes(build);
    if (code == 0)
        code = find_distances(build, topology);
    if (code == 0 && locality->distances != NULL)
        code = make_distances(build);
    for (uint32_t i = 0; i < n && code == 0; i++) {
        struct al_locality_place *place = &locality->places[i];
        place->n_steps = find_levels(build, i);
        place->steps = keep(locality, place->n_steps * sizeof *place->steps);
        if (place->steps != NULL)
            memcpy(place->steps, build->levels, place->n_steps * sizeof *place->steps);
        else
            code = -ENOMEM;
    }
    return code;
}

int al_locality_new(const struct al_topology *topology, const unsigned *pus, uint32_t n_workers,
                    struct al_locality **result, struct al_error *error)
{
    size_t n = (size_t)n_workers * AL_PARTS_MOST;
    struct build build = {
        .locality = calloc(1, sizeof *build.locality),
        .members = malloc(n * sizeof *build.members),
        .found = calloc(n, sizeof *build.found),
        .levels = malloc((AL_PARTS_MOST + n_workers + 1) * sizeof *build.levels),
        .scratch = malloc(n_workers * sizeof *build.scratch),
        .nodes = malloc(n_workers * sizeof *build.nodes),
    };
    int code = -ENOMEM;
    if (build.locality != NULL && build.members != NULL && build.found != NULL &&
        build.levels != NULL && build.scratch != NULL && build.nodes != NULL) {
        build.locality->n_workers = n_workers;
        code = make(&build, topology, pus, error);
    }
    free(build.members);
    free(build.found);
    free(build.levels);
    free(build.scratch);
    free(build.nodes);
    if (code != 0) {
        al_locality_free(build.locality);
        return code == -ENOMEM ? al_error_set(error, code,
                                              "no memory for the locality of %u workers", n_workers)
                               : code;
    }
    *result = build.locality;
    return 0;
}
