/* SPDX-License-Identifier: MIT */
#ifndef AL_KEYS_H
#define AL_KEYS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The keys in which cells differ, and the lines of a plot that they make: cells of one line differ
 * in benchmark and workers only, or in what follows from these. Entries are identities of cells. */

/* A key of the identity, or of its "parameters" or "options". */
struct al_key {
    const char *section; /* NULL: of the identity itself */
    const char *name;
};

/* Whether people write its value without its name: "inverted", but "shards=4". */
bool al_key_is_bare(const struct al_key *key);

struct al_keys {
    struct al_key *all;
    size_t n;
};

/* The value of an identity; NULL if it has no such key. */
const json_t *al_key_value(const json_t *identity, const struct al_key *key);

/*
 * The keys that tell entries of the same benchmark and worker count apart, each only if the kept
 * ones before it do not: what follows from these, as an idle policy from its scheduler, is none.
 * `order` (an object, or NULL) names keys that come first. Entries from n on count for these keys
 * only.
 */
void al_keys_find(const json_t *const *entries, size_t n, size_t n_all, const json_t *order,
                  struct al_keys *out);

/* Those of them that are not parameters of a workload. */
void al_keys_of_strategies(const struct al_keys *keys, struct al_keys *out);

/* Whether this key is among them; `section` is "parameters", "options", or NULL. */
bool al_keys_have(const struct al_keys *keys, const char *section, const char *name);

void al_keys_release(struct al_keys *keys);

/* Entries that agree in all keys, numbered in order of appearance. An entry from n on that agrees
 * with none before n is of no part. */
#define AL_NO_PART SIZE_MAX

struct al_parts {
    size_t n;
    size_t *of;            /* by entry */
    const json_t **firsts; /* by part: an entry of it */
    char **labels;         /* by part: the values that tell it from the others */
};

void al_parts_make(const json_t *const *entries, size_t n, size_t n_all, const struct al_keys *keys,
                   struct al_parts *out);
void al_parts_release(struct al_parts *parts);

/* Numbers by size, before everything else by letters. */
int al_value_order(const json_t *a, const json_t *b);

#endif
