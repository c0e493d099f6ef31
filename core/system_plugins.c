/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include "core/system_private.h"

int al_plugins_select(struct al_system *system, const struct al_config *config,
                      struct al_error *error)
{
    const struct al_scheduler_ops *ops = config->scheduler;
    if (ops == NULL)
        return al_error_set(error, -EINVAL, "the configuration has no scheduler: it needs one");
    system->shown.ops = ops;
    system->shown.victim_ops = config->victim != NULL ? config->victim : ops->victim;
    system->shown.idle_ops = config->idle != NULL ? config->idle : ops->idle;
    int code = al_scheduler_takes(ops, system->shown.victim_ops, system->shown.idle_ops, error);
    if (code != 0)
        return code;
    system->shown.scheduler.plugin = &ops->plugin;
    system->shown.victim.plugin = &system->shown.victim_ops->plugin;
    system->shown.idle.plugin = &system->shown.idle_ops->plugin;
    struct al_selection *selections[] = {&system->shown.scheduler, &system->shown.victim,
                                         &system->shown.idle};
    code = al_options_parse(selections, 3, config->settings, config->n_settings, error);
    if (code == 0)
        al_preset_apply(&system->shown.scheduler, ops->presets);
    system->shown.memory = config->memory;
    if (code == 0)
        system->shown.envelopes = al_source_of(&system->shown.scheduler, AL_ENVELOPES);
    return code;
}

void al_plugins_fini(struct al_system *system, int n)
{
    if (n > 2)
        system->shown.ops->fini(&system->shown);
    if (n > 1 && system->shown.idle_ops->fini != NULL)
        system->shown.idle_ops->fini(&system->shown);
    if (n > 0 && system->shown.victim_ops->fini != NULL)
        system->shown.victim_ops->fini(&system->shown);
}

int al_plugins_init(struct al_system *system, int *n, struct al_error *error)
{
    *n = 0;
    /* A policy without wait leaves sleeping to the strategy. */
    bool by_policy = system->shown.idle_ops->wait != NULL;
    system->shown.wake = by_policy ? system->shown.idle_ops->wake : system->shown.ops->wake;
    system->shown.starter_light = by_policy && system->shown.wake != NULL && al_membarrier_ready();
    int code = 0;
    if (system->shown.victim_ops->init != NULL)
        code = system->shown.victim_ops->init(&system->shown, error);
    if (code != 0)
        return code;
    *n = 1;
    if (system->shown.idle_ops->init != NULL)
        code = system->shown.idle_ops->init(&system->shown, error);
    if (code != 0)
        return code;
    *n = 2;
    code = system->shown.ops->init(&system->shown, error);
    if (code != 0)
        return code;
    *n = 3;
    for (uint32_t i = 0; i <= system->shown.n_workers; i++) {
        struct al_worker *worker = &system->shown.workers[i];
        worker->send = system->shown.ops->choose_send != NULL
                           ? system->shown.ops->choose_send(worker)
                           : system->shown.ops->send;
    }
    if (system->shown.workers[system->shown.n_workers].routes != NULL)
        return al_error_set(error, -EINVAL, "scheduler '%s' gives the external worker routes",
                            system->shown.ops->plugin.name);
    return 0;
}
