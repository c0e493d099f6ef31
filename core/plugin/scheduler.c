/* SPDX-License-Identifier: MIT */
#include "core/plugin/scheduler.h"

#include <errno.h>

/* The name of an operation that this strategy needs and does not have, or NULL. */
static const char *lacks(const struct al_scheduler_ops *ops)
{
    if (ops->victim == NULL || ops->idle == NULL)
        return ops->victim == NULL ? "victim" : "idle";
    if (ops->init == NULL || ops->fini == NULL)
        return ops->init == NULL ? "init" : "fini";
    if (ops->run == NULL || ops->enter == NULL)
        return ops->run == NULL ? "run" : "enter";
    if (ops->send == NULL || ops->length == NULL)
        return ops->send == NULL ? "send" : "length";
    return ops->wake == NULL && ops->sleeps != AL_SLEEPS_BY_POLICY ? "wake" : NULL;
}

int al_scheduler_takes(const struct al_scheduler_ops *ops, const struct al_victim_ops *victim,
                       const struct al_idle_ops *idle, struct al_error *error)
{
    const char *name = ops->plugin.name;
    if (lacks(ops) != NULL)
        return al_error_set(error, -EINVAL, "scheduler '%s' lacks '%s' (core/plugin/scheduler.h)",
                            name, lacks(ops));
    if (victim->pick != NULL && !ops->steals)
        return al_error_set(
            error, -EINVAL,
            "scheduler '%s' does not steal, so victim '%s' has no meaning; valid: %s", name,
            victim->plugin.name, ops->victim->plugin.name);
    if (idle->wait == NULL && ops->sleeps == AL_SLEEPS_BY_POLICY)
        return al_error_set(
            error, -EINVAL,
            "scheduler '%s' has no way of sleeping of its own; valid: any idle policy but '%s'",
            name, idle->plugin.name);
    if (idle->wait != NULL && ops->sleeps == AL_SLEEPS_OWN)
        return al_error_set(
            error, -EINVAL,
            "scheduler '%s' sleeps in its own way, so idle policy '%s' has no meaning; valid: %s",
            name, idle->plugin.name, ops->idle->plugin.name);
    return 0;
}
