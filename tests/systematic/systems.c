/* SPDX-License-Identifier: MIT */
#include "tests/systematic/systems.h"

#include <stdio.h>
#include <string.h>

#include "core/machine/topology.h"
#include "core/system_private.h"

enum { MOST = 8 }; /* actors, and settings */

struct link {
    struct al_actor actor;
    struct link *next; /* to whom it passes on what it receives; NULL: to nobody */
    unsigned due;
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
    if (self->next != NULL)
        al_send(link, token, self->next, token);
    return --self->due == 0 ? AL_FINISHED : AL_NODELETE;
}

static struct al_worker *worker(unsigned i)
{
    return &running->shown.workers[i];
}

static void start(unsigned n_workers)
{
    struct al_error error;
    struct al_setting settings[MOST];
    char text[256], *key, *value;
    struct al_config config = {.workers = n_workers,
                               .simulated = true,
                               .topology = topology,
                               .pin = "none",
                               .settings = settings};
    snprintf(text, sizeof text, "%s", shape->settings);
    for (key = strtok(text, " "); key != NULL; key = strtok(NULL, " ")) {
        value = strchr(key, '=');
        *value = '\0';
        settings[config.n_settings++] = (struct al_setting){key, value + 1};
    }
    if (al_choose(&shape->plugins, &config, &error) != 0 ||
        al_system_new(&config, &running, &error) != 0)
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
    if (!shape->starts)
        al_system_close(running);
    if (shape->also != NULL)
        shape->also(&running->shown);
    al_self_set(NULL);
}

void system_thread(unsigned number)
{
    unsigned i = 0;
    while (shape->workers[i] == '-' || (shape->workers[i] != '\0' && number-- > 0))
        i++;
    al_self_set(worker(i));
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
    if (i == running->shown.n_workers)
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

static const struct al_scenario scenarios[] = {
    SYSTEMS("central", false, .plugins = {"central", NULL, "park"}, .settings = SYSTEM_PARK),
    SYSTEMS("deque", false, .plugins = {"deque", NULL, "park"}, .settings = SYSTEM_PARK),
    SYSTEMS("las", false, .plugins = {"las", NULL, "park"}, .settings = SYSTEM_PARK),
    SYSTEMS("mercury", false, .plugins = {"mercury", NULL, NULL}, .settings = ""),
    SYSTEMS("mercury/park", false, .plugins = {"mercury", NULL, "park"}, .settings = SYSTEM_PARK),
    SYSTEMS("sharing", true, .plugins = {"sharing", NULL, NULL}, .settings = ""),
};
AL_SCENARIOS(scenarios)
