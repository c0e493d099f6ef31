/* SPDX-License-Identifier: MIT */
#ifndef SYSTEMATIC_SYSTEMS_H
#define SYSTEMATIC_SYSTEMS_H

/*
 * Whole systems: the strategies' own loops and sends, and actors that pass on what they receive. No
 * message is lost, no worker sleeps while it has work, and all of them end.
 */

#include "core/engine/check/scenario.h"
#include "core/plugin/scheduler.h"
#include "schedulers/registry.h"

enum system_size { SYSTEM_MESSAGES };

struct system {
    struct al_choice plugins;
    const char *settings;           /* KEY=VALUE, with blanks between them */
    const struct al_config *config; /* instead of plug-ins and settings; or NULL */
    /* What each worker does:
     *   r  run the strategy's loop
     *   s  send, and nothing else, as a behaviour of this worker would
     *   x  `other`
     *   -  nothing: it is no thread, as if it were preempted for ever */
    const char *workers;
    void (*other)(struct al_worker *self);
    bool starts; /* the starter sends, too, and closes the system; else it has done so before */
    void (*starter)(struct al_worker *self); /* what it does instead; or NULL */
    unsigned outside; /* threads that are no workers, and send through al_system_send */
    /* Of each actor the worker on which it begins; d: it is detached, and runs on a thread of its
     * own; D: likewise, and the one before makes it. Each passes on what it receives to the next.
     */
    const char *homes;
    unsigned before; /* messages that have been sent before */
    void (*also)(
        struct al_runtime *shown); /* optional: called in set_up, before the system closes */
    void (*look)(void);            /* optional: the same, in look */
};

/* Send all messages that have not been sent before, and call `after`, if it is not NULL, behind
 * each. By one thread. */
void system_send(void (*after)(struct al_worker *self));

void system_set_up(const struct al_scenario *self);
void system_thread(unsigned number);
void system_look(void);

#define SYSTEM_AS(text, n, sent, is_deep, ...)                                                     \
    {                                                                                              \
        .name = "system/" text, .shows = "every message is received, and every worker ends",       \
        .threads = n, .sizes = {[SYSTEM_MESSAGES] = sent},                                         \
        .data = &(const struct system){__VA_ARGS__}, .set_up = system_set_up,                      \
        .thread = system_thread, .look = system_look, .steps = 250, .vain_looks = 1,               \
        .stops_clock = true, .deep = is_deep                                                       \
    }
#define SYSTEM(text, n, sent, ...)      SYSTEM_AS(text, n, sent, false, __VA_ARGS__)
#define SYSTEM_DEEP(text, n, sent, ...) SYSTEM_AS(text, n, sent, true, __VA_ARGS__)

#define SYSTEM_PARK "park_spin=0 "

/* A strategy, for the scenarios that all of them have. */
struct system_strategy {
    const char *name; /* in the scenarios' names */
    struct al_choice plugins;
    const char *settings;
    bool slow; /* most of its scenarios take minutes */
};
void systems_add(const struct system_strategy *strategy);
/* The same for each strategy of plug-ins that have been loaded, under its own name. */
void systems_add_plugins(void);

/* A scenario of each combination of a strategy, a heuristic, an idle policy and options, whose name
 * begins with this. Takes a second. */
#define SYSTEM_COMBINED "combined/"
void systems_add_combinations(void);

#endif
