/* SPDX-License-Identifier: MIT */
#include "core/registry.h"

extern const struct al_scheduler_ops al_scheduler_inverted, al_scheduler_central;
extern const struct al_victim_ops al_victim_none, al_victim_random, al_victim_longest;
extern const struct al_idle_ops al_idle_spin;

const struct al_plugin *const al_schedulers[] = {
    &al_scheduler_inverted.plugin,
    &al_scheduler_central.plugin,
    NULL,
};

const struct al_plugin *const al_victims[] = {
    &al_victim_none.plugin,
    &al_victim_random.plugin,
    &al_victim_longest.plugin,
    NULL,
};

const struct al_plugin *const al_idles[] = {
    &al_idle_spin.plugin,
    NULL,
};
