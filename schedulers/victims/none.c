/* SPDX-License-Identifier: MIT */

/* Never steal: what the other heuristics are measured against. */

#include "schedulers/victims/victims.h"

const struct al_victim_ops al_victim_none = {
    .plugin = {"none", "never steal", NULL},
    .declines = true,
};
