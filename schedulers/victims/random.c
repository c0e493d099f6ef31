/* SPDX-License-Identifier: MIT */

/* Any other worker, uniformly: randomised work stealing. Source: Blumofe and Leiserson, "Scheduling
 * multithreaded computations by work stealing", 1999. */

#include "schedulers/victims/victims.h"

#include "schedulers/victims/thieves.h"

const struct al_victim_ops al_victim_random = {
    .plugin = {"random", "any other worker, uniformly", NULL},
    .pick = al_thief_any,
};
