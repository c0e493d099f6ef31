/* SPDX-License-Identifier: MIT */
#include "schedulers/registry.h"

#include <errno.h>
#include <stddef.h>

#include "core/plugin/scheduler.h"
#include "schedulers/idle/idles.h"
#include "schedulers/victims/victims.h"

extern const struct al_scheduler_ops al_scheduler_inverted, al_scheduler_deque, al_scheduler_las,
    al_scheduler_mercury, al_scheduler_sharing, al_scheduler_custody, al_scheduler_central;

const struct al_plugin *al_schedulers[AL_PLUGINS_MOST] = {
    &al_scheduler_inverted.plugin, &al_scheduler_deque.plugin,   &al_scheduler_las.plugin,
    &al_scheduler_mercury.plugin,  &al_scheduler_sharing.plugin, &al_scheduler_custody.plugin,
    &al_scheduler_central.plugin,
};

const struct al_plugin *al_victims[AL_PLUGINS_MOST] = {
    &al_victim_none.plugin,          &al_victim_random.plugin,
    &al_victim_longest.plugin,       &al_victim_longest_sampled.plugin,
    &al_victim_longest_queue.plugin, &al_victim_last_success.plugin,
    &al_victim_round_robin.plugin,   &al_victim_nearest.plugin,
    &al_victim_hierarchical.plugin,
};

const struct al_plugin *al_idles[AL_PLUGINS_MOST] = {
    &al_idle_spin.plugin,    &al_idle_polling.plugin, &al_idle_park.plugin,
    &al_idle_backoff.plugin, &al_idle_own.plugin,
};

int al_choose(const struct al_choice *choice, struct al_config *config, struct al_error *error)
{
    const struct al_plugin *scheduler = al_schedulers[0], *victim, *idle;
    if (choice->scheduler != NULL)
        scheduler = al_plugin_find(al_schedulers, "scheduler", choice->scheduler, error);
    if (scheduler == NULL)
        return -EINVAL;
    const struct al_scheduler_ops *ops = AL_OPS(scheduler, al_scheduler_ops);
    victim = &ops->victim->plugin;
    if (choice->victim != NULL)
        victim = al_plugin_find(al_victims, "victim", choice->victim, error);
    if (victim == NULL)
        return -EINVAL;
    idle = &ops->idle->plugin;
    if (choice->idle != NULL)
        idle = al_plugin_find(al_idles, "idle policy", choice->idle, error);
    if (idle == NULL)
        return -EINVAL;
    config->scheduler = ops;
    config->victim = AL_OPS(victim, al_victim_ops);
    config->idle = AL_OPS(idle, al_idle_ops);
    return al_scheduler_takes(ops, config->victim, config->idle, error);
}

int al_system_open(const struct al_choice *choice, const struct al_config *config,
                   struct al_system **system, struct al_error *error)
{
    static const struct al_choice defaults;
    struct al_config chosen = {0};
    if (config != NULL)
        chosen = *config;
    if (choice == NULL)
        choice = &defaults;
    int code = al_choose(choice, &chosen, error);
    chosen.shared = true;
    if (code == 0 && choice->idle == NULL && chosen.idle->wait != NULL)
        chosen.idle = &al_idle_park;
    return code == 0 ? al_system_start(&chosen, system, error) : code;
}
