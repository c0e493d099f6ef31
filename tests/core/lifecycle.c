/* SPDX-License-Identifier: MIT */

/* Systems start and stop many hundred times in one process; wrong configurations and names are
 * refused. */

#include <errno.h>
#include <string.h>

#include "core/actor.h"
#include "core/machine/topology.h"
#include "schedulers/victims/victims.h"
#include "tests/support/choose.h"

#define TIMES (AL_CHECKS ? 100 : 250) /* with each strategy */

struct greeting {
    struct al_message message;
};

struct guest {
    struct al_actor actor;
    uint32_t greeted;
};

AL_ACTOR(guest)
AL_MESSAGE(greeting)

AL_BEHAVIOUR(guest, greeting, self, msg)
{
    self->greeted++;
    return AL_FINISHED;
}

/* Greet some guests; true if each was greeted exactly once. */
static bool party(struct al_system *system)
{
    struct guest guests[10] = {0};
    struct greeting greeting;
    al_message_init(greeting, &greeting, AL_NODELETE);
    for (int i = 0; i < 10; i++)
        al_send(guest, greeting, al_actor_init(guest, &guests[i]), &greeting);
    bool good = al_system_stop(system, NULL) == 0;
    for (int i = 0; i < 10; i++)
        good &= guests[i].greeted == 1;
    return good;
}

static bool refused(const struct al_config *config, const char *says)
{
    struct al_system *system;
    struct al_error error = {""};
    int code = al_system_start(config, &system, &error);
    if (code == 0)
        (void)al_system_stop(system, NULL);
    if (code == -EINVAL && strstr(error.text, says) != NULL)
        return true;
    printf("# %d: %s\n", code, error.text);
    return false;
}

static bool refused_name(const struct al_choice *choice, const char *says)
{
    struct al_config config = {0};
    struct al_error error = {""};
    int code = al_choose(choice, &config, &error);
    if (code == -EINVAL && strstr(error.text, says) != NULL)
        return true;
    printf("# %d: %s\n", code, error.text);
    return false;
}

static struct al_routes no_routes;

/* A mistake of a strategy: nobody would hand over what the starting thread puts on these routes. */
static int init_with_routes(struct al_runtime *system, struct al_error *error)
{
    system->workers[system->n_workers].routes = &no_routes;
    struct al_config central = {0};
    choose_plugins(&central, "central", NULL, NULL);
    return central.scheduler->init(system, error);
}

/* Strategies that would hang if they were not refused. */
static void test_incomplete(struct tap *tap, const struct al_topology *topology)
{
    struct al_config sharing = {.workers = 1, .topology = topology}, central = sharing;
    choose_plugins(&sharing, "sharing", NULL, NULL);
    choose_plugins(&central, "central", NULL, NULL);
    struct al_scheduler_ops unwoken = *sharing.scheduler, routed = *central.scheduler;
    unwoken.wake = NULL;
    sharing.scheduler = &unwoken;
    tap_ok(tap, refused(&sharing, "'sharing' lacks 'wake'"), "refused: a strategy without wake");
    routed.init = init_with_routes;
    central.scheduler = &routed;
    tap_ok(tap, refused(&central, "'central' gives the external worker routes"),
           "refused: routes of the external worker");
}

/* Configurations that al_system_start refuses, with the default strategy, and names that al_choose
 * does. */
static void test_refusals(struct tap *tap, const struct al_topology *topology)
{
    static const struct al_setting typo = {"shard", "4"}, range = {"capacity", "0"},
                                   word = {"capacity", "ten"}, choice = {"queue", "lits"},
                                   few = {"mailboxes", "3"}, single = {"shards", "1"};
    struct al_config inverted = {0}, central = {0};
    choose_plugins(&inverted, "inverted", NULL, NULL);
    choose_plugins(&central, "central", NULL, NULL);
#define REFUSED(says, ...)                                                                         \
    tap_ok(tap, refused(&(struct al_config){__VA_ARGS__, .topology = topology}, says),             \
           "refused: %s", says)
#define REFUSED_BY_INVERTED(says, ...) REFUSED(says, .scheduler = inverted.scheduler, __VA_ARGS__)
    REFUSED("has no scheduler", .workers = 1);
    REFUSED("'central' does not steal, so victim 'random' has no meaning; valid: none",
            .scheduler = central.scheduler, .victim = &al_victim_random);
    REFUSED_BY_INVERTED("did you mean 'shards'", .settings = &typo, .n_settings = 1);
    REFUSED_BY_INVERTED("'capacity=0' is out of range; valid: 1 to", .settings = &range,
                        .n_settings = 1);
    REFUSED_BY_INVERTED("'capacity=ten' is not a whole number", .settings = &word, .n_settings = 1);
    REFUSED_BY_INVERTED("did you mean 'list'", .settings = &choice, .n_settings = 1);
    REFUSED_BY_INVERTED("mailboxes=3 is fewer than 4 workers", .workers = 4, .oversubscribe = true,
                        .settings = &few, .n_settings = 1);
    REFUSED_BY_INVERTED("at least 2 mailboxes per worker", .workers = 4, .oversubscribe = true,
                        .settings = &single, .n_settings = 1);
    REFUSED_BY_INVERTED("usable PU", .workers = 4000);
    REFUSED_BY_INVERTED("workers are too many", .workers = 400000, .oversubscribe = true);
    REFUSED_BY_INVERTED("malformed pin policy 'nearby'", .pin = "nearby");
#define REFUSED_NAME(says, ...)                                                                    \
    tap_ok(tap, refused_name(&(struct al_choice){__VA_ARGS__}, says), "refused: %s", says)
    REFUSED_NAME("did you mean 'inverted'", .scheduler = "invertd");
    REFUSED_NAME("valid: none, random, longest", .victim = "biggest");
    REFUSED_NAME("unknown idle policy", .idle = "sleepy");
    REFUSED_NAME("'central' does not steal", .scheduler = "central", .victim = "random");
    REFUSED_NAME("any idle policy but 'own'", .scheduler = "central", .idle = "own");
    REFUSED_NAME("so idle policy 'park' has no meaning; valid: own", .scheduler = "sharing",
                 .idle = "park");
}

int main(void)
{
    struct tap tap = {0};
    struct al_system *system;
    struct al_error error = {""};
    struct al_topology *topology;
    CHECK(al_topology_load(NULL, &topology, &error) == 0, "%s", error.text);

    for (size_t s = 0; al_schedulers[s] != NULL; s++) {
        bool good = true;
        for (int i = 0; i < TIMES && good; i++) {
            struct al_config config = {.scheduler = AL_OPS(al_schedulers[s], al_scheduler_ops),
                                       .workers = 1 + (uint32_t)i % 3,
                                       .oversubscribe = true,
                                       .seed = (uint64_t)i,
                                       .topology = topology};
            good = al_system_start(&config, &system, &error) == 0 && party(system);
        }
        tap_ok(&tap, good, "%s: %d times started and stopped %s", al_schedulers[s]->name, TIMES,
               error.text);
    }

    struct al_config config = {0};
    choose_plugins(&config, NULL, NULL, NULL);
    bool good = al_system_start(&config, &system, &error) == 0 && party(system);
    tap_ok(&tap, good, "start with all usable PUs %s", error.text);

    good = al_system_start(&config, &system, &error) == 0;
    struct al_system *second;
    int code = al_system_start(&config, &second, &error);
    tap_ok(&tap, good && code == -EBUSY && party(system), "a thread has one system at a time: %s",
           error.text);

    struct al_report report;
    struct al_config explicit_config = {.workers = 1, .topology = topology};
    choose_plugins(&explicit_config, NULL, "random", NULL);
    CHECK(al_system_start(&explicit_config, &system, &error) == 0, "%s", error.text);
    struct guest guest = {0};
    al_send_pill(&al_actor_init(guest, &guest)->actor, &al_finished_msg);
    code = al_system_stop(system, &report);
    good = code == 0 && report.n_workers == 1 && report.workers[1].actors_created == 1 &&
           strcmp(report.victim.plugin->name, "random") == 0 &&
           report.workers[0].pu == report.workers[0].bound;
#if AL_COUNTERS
    good &= report.workers[1].counters.messages_sent == 1 &&
            report.workers[0].counters.messages_received == 1;
#endif
    tap_ok(&tap, good,
           "start with an explicit configuration; the report counts, the worker is bound");
    al_report_free(&report);

    test_refusals(&tap, topology);
    test_incomplete(&tap, topology);
    al_topology_free(topology);
    return tap_done(&tap);
}
