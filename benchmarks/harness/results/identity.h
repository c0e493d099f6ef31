/* SPDX-License-Identifier: MIT */
#ifndef AL_IDENTITY_H
#define AL_IDENTITY_H

#include <jansson.h>
#include <stdbool.h>

/* What makes a cell: records that agree in all of these keys repeat one another. */

/* What a key of the identity says; a key may have several of these roles. */
enum al_role {
    AL_WORK = 1 << 0,    /* the same work has the same value */
    AL_PLACED = 1 << 1,  /* where the workers are */
    AL_BROUGHT = 1 << 2, /* comes along with a scheduler if nothing else is asked for */
    AL_BUILD = 1 << 3,   /* tells one program or machine from another; in the environment */
    AL_SECTION = 1 << 4, /* an object of keys of its own */
    AL_BARE = 1 << 5,    /* people write the value without its key */
    AL_LINE = 1 << 6,    /* may tell two lines of a plot apart */
};

struct al_identity_key {
    const char *name;
    unsigned roles; /* of enum al_role */
};

#define AL_IDENTITY_KEYS 14
extern const struct al_identity_key al_identity_keys[AL_IDENTITY_KEYS];

/* The identity of a record: a new object with all keys, null where the record has none. Of a
 * simulated one, topology_hash is that of the machine's model. */
json_t *al_identity_of(const json_t *record);

/* Whether two identities agree in all keys that have any of these roles. */
bool al_identity_agrees(const json_t *a, const json_t *b, unsigned roles);

/* In how many of these keys they differ. */
size_t al_identity_differs(const json_t *a, const json_t *b, unsigned roles);

/* The values of these keys as text, which is the same for identities that agree in them. The caller
 * frees it. */
char *al_identity_text(const json_t *identity, unsigned roles);

#endif
