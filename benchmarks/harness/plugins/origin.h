/* SPDX-License-Identifier: MIT */
#ifndef AL_PLUGINS_ORIGIN_H
#define AL_PLUGINS_ORIGIN_H

/* What a record says of the plug-ins that were loaded. */

#include <stdint.h>

#include <jansson.h>

/* {path: {"hash": "…", "version": "…" or null}}, in the order in which they were loaded; NULL if
 * there are none. A new object. */
json_t *al_plugins_json(void);

/* A hash of all their contents; 0 if there are none. */
uint64_t al_plugins_hash(void);

#endif
