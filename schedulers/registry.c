/* SPDX-License-Identifier: MIT */
#include "core/plugin/registry.h"

extern const struct al_scheduler_ops al_scheduler_inverted, al_scheduler_deque, al_scheduler_las,
    al_scheduler_mercury, al_scheduler_sharing, al_scheduler_central;
extern const struct al_victim_ops al_victim_none, al_victim_random, al_victim_longest,
    al_victim_longest_sampled, al_victim_longest_queue, al_victim_last_success,
    al_victim_round_robin, al_victim_nearest, al_victim_hierarchical;
extern const struct al_idle_ops al_idle_spin, al_idle_polling, al_idle_park, al_idle_backoff,
    al_idle_own;

const struct al_plugin *const al_schedulers[] = {
    &al_scheduler_inverted.plugin,
    &al_scheduler_deque.plugin,
    &al_scheduler_las.plugin,
    &al_scheduler_mercury.plugin,
    &al_scheduler_sharing.plugin,
    &al_scheduler_central.plugin,
    NULL,
};

const struct al_plugin *const al_victims[] = {
    &al_victim_none.plugin,          &al_victim_random.plugin,
    &al_victim_longest.plugin,       &al_victim_longest_sampled.plugin,
    &al_victim_longest_queue.plugin, &al_victim_last_success.plugin,
    &al_victim_round_robin.plugin,   &al_victim_nearest.plugin,
    &al_victim_hierarchical.plugin,  NULL,
};

const struct al_plugin *const al_idles[] = {
    &al_idle_spin.plugin,    &al_idle_polling.plugin, &al_idle_park.plugin,
    &al_idle_backoff.plugin, &al_idle_own.plugin,     NULL,
};
