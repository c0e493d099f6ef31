/* SPDX-License-Identifier: MIT */
#ifndef AL_HARDWARE_SUPPORT_H
#define AL_HARDWARE_SUPPORT_H

/* Why there are no hardware counters, for `actorlab env`. */

#include <stdbool.h>

/* What to tell people. */
struct al_hardware_support {
    bool all;           /* cycles, instructions and cache misses can be counted */
    char text[128];     /* "none: no PMU in this guest" */
    const char *advice; /* how to change it; NULL: nothing is to be changed */
};

/*
 * Of this machine (root: "") by opening the counters, which are closed again; else of the folder
 * that holds a proc and a sys, by what those say.
 */
void al_hardware_support(const char *root, struct al_hardware_support *support);

/* The same if opening the events failed with these errnos; 0: it did not. For tests. */
void al_hardware_explain(const char *root, const int errors[], struct al_hardware_support *support);

#endif
