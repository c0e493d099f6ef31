/* SPDX-License-Identifier: MIT */
#include "tests/systematic/systems.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/plugins/load.h"
#include "core/machine/topology.h"
#include "core/outside.h"
#include "core/system_private.h"

enum {
    MOST = 8,   /* actors, and settings */
    TEXT = 256, /* of the settings */
};

struct link {
    struct al_actor actor;
    struct link *next; /* to whom it passes on what it receives; NULL: to nobody */
    unsigned due;
    bool unborn; /* the one before makes it */
};
AL_ACTOR(link)

struct token {
    struct al_message message;
};
AL_MESSAGE(token)

static const struct system *shape;
static struct al_topology *topology;
static struct al_system *running;
static struct link *links, *last;
static struct token *tokens;
static unsigned n_messages;

AL_BEFORE_MAIN(load)
{
    struct al_error error;
    if (al_topology_load("core:4 pu:1", &topology, &error) != 0)
        al_fatal("%s", error.text);
}

AL_BEHAVIOUR(link, token, self, token)
{
    if (self->next != NULL && self->next->unborn) {
        self->next->unborn = false;
        al_actor_init_at(link, self->next, AL_PLACE_DETACHED);
    }
    if (self->next != NULL)
        al_send(link, token, self->next, token);
    return --self->due == 0 ? AL_FINISHED : AL_NODELETE;
}

static struct al_worker *worker(unsigned i)
{
    return &running->shown.workers[i];
}

/* Read the plug-ins and settings of a scenario, and of `text` what they are. */
static void configure(struct al_config *config, struct al_setting settings[MOST], char text[TEXT])
{
    struct al_error error;
    char *key, *value;
    snprintf(text, TEXT, "%s", shape->settings);
    config->settings = settings;
    for (key = strtok(text, " "); key != NULL; key = strtok(NULL, " ")) {
        value = strchr(key, '=');
        *value = '\0';
        settings[config->n_settings++] = (struct al_setting){key, value + 1};
    }
    if (al_choose(&shape->plugins, config, &error) != 0)
        al_scenario_fail("%s", error.text);
}

static void start(unsigned n_workers)
{
    struct al_error error;
    struct al_setting settings[MOST];
    char text[TEXT];
    struct al_config config = {.topology = topology, .pin = "none"};
    if (shape->config != NULL)
        config = *shape->config;
    else
        configure(&config, settings, text);
    config.workers = n_workers;
    config.simulated = true;
    config.shared = shape->outside > 0;
    if (al_system_new(&config, &running, &error) != 0)
        al_scenario_fail("%s", error.text);
    for (unsigned i = 0; i < n_workers; i++) {
        al_self_set(worker(i));
        if (running->shown.ops->worker_init != NULL &&
            running->shown.ops->worker_init(worker(i)) != 0)
            al_scenario_fail("no memory");
    }
    al_self_set(worker(n_workers));
}

void system_send(void (*after)(struct al_worker *self))
{
    for (unsigned i = shape->before; i < n_messages; i++) {
        al_send(link, token, links, &tokens[i]);
        if (after != NULL)
            after(al_self());
    }
}

/* Actors and messages. As the starter. */
static void make_links(void)
{
    links = last = al_calloc(MOST, sizeof *links);
    for (const char *home = shape->homes; *home != '\0'; home++) {
        last->due = n_messages;
        if (*home == 'D')
            last++->unborn = true;
        else if (*home == 'd')
            al_actor_init_at(link, last++, AL_PLACE_DETACHED);
        else
            al_actor_init_on(link, last++, (unsigned)*home - '0');
    }
    for (struct link *link = links; link + 1 < last; link++)
        link->next = link + 1;
    tokens = al_calloc(n_messages, sizeof *tokens);
    for (unsigned i = 0; i < n_messages; i++)
        al_message_init(token, &tokens[i], AL_NODELETE);
}

void system_set_up(const struct al_scenario *self)
{
    shape = self->data;
    n_messages = shape->before + self->sizes[SYSTEM_MESSAGES];
    start((unsigned)strlen(shape->workers));
    make_links();
    for (unsigned i = 0; i < shape->before; i++)
        al_send(link, token, links, &tokens[i]);
    if (shape->also != NULL)
        shape->also(&running->shown);
    if (!shape->starts)
        al_system_close(running);
    al_self_set(NULL);
}

/* Each thread from outside sends one of the messages. */
static void send_from_outside(unsigned i)
{
    al_system_send(running, link, token, links, &tokens[shape->before + i]);
}

void system_thread(unsigned number)
{
    unsigned i = 0, n = running->shown.n_workers;
    while (shape->workers[i] == '-' || (i < n && number-- > 0))
        i++;
    if (i == n && number < shape->outside) {
        send_from_outside(number);
        return;
    }
    al_self_set(worker(i));
    if (i == n && shape->starter != NULL) {
        shape->starter(worker(i));
        return;
    }
    switch (shape->workers[i]) {
    case 'r':
        running->shown.ops->run(worker(i));
        return;
    case 'x':
        shape->other(worker(i));
        return;
    default:
        system_send(NULL);
    }
    if (i == n)
        al_system_close(running);
}

void system_look(void)
{
    if (shape->look != NULL)
        shape->look();
    for (const struct link *link = links; link < last; link++)
        if (link->due != 0)
            al_scenario_fail("actor %d misses %u messages", (int)(link - links), link->due);
}

static const struct row {
    const char *name;
    unsigned threads, sent;
    bool slow; /* takes minutes with strategies that are slow, */
    bool deep; /* or with all */
    struct system system;
} rows[] = {
    {"worker", 2, 1, false, false, {.workers = "rs", .homes = "0"}},
    {"worker-twice", 2, 2, true, false, {.workers = "rs", .homes = "0"}},
    {"starter", 2, 1, true, false, {.workers = "r", .starts = true, .homes = "0"}},
    {"outside", 2, 1, false, false, {.workers = "r", .outside = 1, .homes = "0"}},
    {"2-workers", 2, 0, true, false, {.workers = "rr", .homes = "0", .before = 1}},
    {"relay", 2, 0, true, true, {.workers = "rr", .homes = "01", .before = 1}},
};

void systems_add(const struct system_strategy *strategy)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    struct al_scenario *scenarios = calloc(ROWS, sizeof *scenarios);
    struct system *systems = calloc(ROWS, sizeof *systems);
    if (scenarios == NULL || systems == NULL)
        al_out_of_memory("scenarios", ROWS * sizeof *scenarios);
    for (size_t i = 0; i < ROWS; i++) {
        char name[128];
        snprintf(name, sizeof name, "system/%s/%s", strategy->name, rows[i].name);
        bool slow = rows[i].deep || (rows[i].slow && strategy->slow);
        scenarios[i] = (struct al_scenario)SYSTEM_AS("", rows[i].threads, rows[i].sent, slow,
                                                     .workers = "");
        scenarios[i].name = strdup(name);
        if (scenarios[i].name == NULL)
            al_out_of_memory("scenarios", sizeof name);
        systems[i] = rows[i].system;
        systems[i].plugins = strategy->plugins;
        systems[i].settings = strategy->settings;
        scenarios[i].data = &systems[i];
    }
    al_scenarios_add(scenarios, ROWS);
}

void systems_add_plugins(void)
{
    size_t n = 0, theirs = al_plugins_strategies();
    while (al_schedulers[n] != NULL)
        n++;
    for (size_t i = n - theirs; i < n; i++) {
        const struct al_scheduler_ops *ops = AL_OPS(al_schedulers[i], al_scheduler_ops);
        const char *name = al_schedulers[i]->name;
        bool sleeps = ops->idle->wait == NULL; /* in its own way */
        systems_add(&(struct system_strategy){
            .name = name,
            .plugins = {name, NULL, sleeps ? NULL : "park"},
            .settings = sleeps ? "" : SYSTEM_PARK,
        });
    }
}

static const struct system_strategy strategies[] = {
    {"central", {"central", NULL, "park"}, SYSTEM_PARK, false},
    {"deque", {"deque", NULL, "park"}, SYSTEM_PARK, false},
    {"inverted", {"inverted", "none", "park"}, SYSTEM_PARK "shards=1", false},
    {"las", {"las", NULL, "park"}, SYSTEM_PARK, false},
    {"mercury", {"mercury", NULL, NULL}, "", false},
    {"mercury/park", {"mercury", NULL, "park"}, SYSTEM_PARK, false},
    {"sharing", {"sharing", NULL, NULL}, "", true},
};

__attribute__((constructor)) static void add_strategies(void)
{
    for (size_t i = 0; i < sizeof strategies / sizeof *strategies; i++)
        systems_add(&strategies[i]);
}

/* A thread of its own runs the actor, and a worker sends to it. */
#define DETACHED(text, ...)                                                                        \
    SYSTEM(text "/detached", 1, 2, .workers = "-s", .homes = "d", .plugins = {__VA_ARGS__},        \
           .settings = "")

/* A behaviour makes such an actor; then its own actor ends first, or last. */
#define DETACHES(text, ...)                                                                        \
    SYSTEM(text "/detaches", 1, 0, .workers = "r", .homes = "0D", .before = 1,                     \
           .plugins = {__VA_ARGS__}, .settings = SYSTEM_PARK)

static const struct al_scenario scenarios[] = {
    DETACHES("deque", "deque", NULL, "park"),   DETACHES("las", "las", NULL, "park"),
    DETACHED("deque", "deque", NULL, NULL),     DETACHED("las", "las", NULL, NULL),
    DETACHED("mercury", "mercury", NULL, NULL),
};
AL_SCENARIOS(scenarios)
