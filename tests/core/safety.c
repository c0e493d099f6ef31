/* SPDX-License-Identifier: MIT */

/* Every safety feature of the checks build fires. What ends the program runs in a child process. */

#include <signal.h>
#include <string.h>

#include "core/actor.h"
#include "core/system_private.h"
#include "tests/support/choose.h"
#include "tests/support/fires.h"
#include "tests/support/tap.h"

struct parcel {
    struct al_message message;
};

struct porter {
    struct al_actor actor;
};

AL_ACTOR(porter)
AL_MESSAGE(parcel)

AL_BEHAVIOUR(porter, parcel, self, msg)
{
    return AL_NODELETE;
}

static const char *scheduler;

static struct al_system *start(void)
{
    struct al_system *system;
    struct al_error error;
    struct al_config config = {.workers = 1};
    choose_plugins(&config, scheduler, NULL, NULL);
    CHECK(al_system_start(&config, &system, &error) == 0, "%s", error.text);
    return system;
}

/* Wait until the only worker has ended so many actors; it delivers in the order of the sends. */
static void wait_for_terminations(const struct al_system *system, uint64_t n)
{
    while (al_u64_load_acquire(&system->shown.workers[0].terminated) < n)
        al_sleep_ns(1000000);
}

static void send_to_terminated(void)
{
    struct al_system *system = start();
    struct porter *porter = malloc(sizeof *porter);
    struct porter other;
    struct parcel parcel;
    al_message_init(parcel, &parcel, AL_NODELETE);
    al_actor_init(porter, &other);
    al_send_pill(&al_actor_init(porter, porter)->actor, &al_delete_msg);
    wait_for_terminations(system, 1); /* its storage stays readable for a while */
    al_send(porter, parcel, porter, &parcel);
    (void)al_system_stop(system, NULL);
}

static void send_to_finished(void)
{
    struct al_system *system = start();
    struct porter porter, other;
    struct parcel parcel;
    al_message_init(parcel, &parcel, AL_NODELETE);
    al_actor_init(porter, &other);
    al_send_pill(&al_actor_init(porter, &porter)->actor, &al_finished_msg);
    wait_for_terminations(system, 1);
    al_send(porter, parcel, &porter, &parcel);
    (void)al_system_stop(system, NULL);
}

static void create_near_finished(void)
{
    struct al_system *system = start();
    struct porter porter, other, near;
    al_actor_init(porter, &other);
    al_send_pill(&al_actor_init(porter, &porter)->actor, &al_finished_msg);
    wait_for_terminations(system, 1);
    al_actor_init_near(porter, &near, &porter.actor);
    (void)al_system_stop(system, NULL);
}

static void create_before_start(void)
{
    struct porter porter;
    al_actor_init(porter, &porter);
}

static void send_to_uninitialised(void)
{
    struct al_system *system = start();
    struct porter porter = {0};
    struct parcel parcel;
    al_message_init(parcel, &parcel, AL_NODELETE);
    al_send(porter, parcel, &porter, &parcel);
    (void)al_system_stop(system, NULL);
}

static void initialise_live(void)
{
    struct al_system *system = start();
    struct porter porter;
    al_actor_init(porter, &porter);
    al_actor_init(porter, &porter);
    al_send_pill(&porter.actor, &al_finished_msg);
    (void)al_system_stop(system, NULL);
}

/* Storage may become an actor again, even if it holds a copy of a live one, or anything else. */
static void reuse_storage(void)
{
    struct al_system *system = start();
    struct porter porters[3], other;
    memset(porters, 0xa5, sizeof porters);
    struct al_pill *pills[] = {&al_destroy_msg, &al_finished_msg, &al_destroy_msg};
    for (uint64_t i = 0; i < 3; i++) {
        al_send_pill(&al_actor_init(porter, &porters[0])->actor, pills[i]);
        if (i == 0)
            al_actor_init(porter, &other); /* so that the system does not end in between */
        wait_for_terminations(system, i + 1);
    }
    porters[1] = other;
    for (int i = 0; i < 3; i++)
        al_send_pill(&al_actor_init(porter, &porters[i])->actor, &al_finished_msg);
    al_send_pill(&other.actor, &al_finished_msg);
    CHECK(al_system_stop(system, NULL) == 0, "unreceived");
    system = start();
    al_send_pill(&al_actor_init(porter, &porters[0])->actor, &al_finished_msg);
    CHECK(al_system_stop(system, NULL) == 0, "unreceived");
}

static void send_to_copied(void)
{
    struct al_system *system = start();
    struct porter porter, copy;
    struct parcel parcel;
    al_message_init(parcel, &parcel, AL_NODELETE);
    al_actor_init(porter, &porter);
    copy = porter;
    al_send(porter, parcel, &copy, &parcel);
    (void)al_system_stop(system, NULL);
}

static void send_bytes(int byte)
{
    struct al_system *system = start();
    struct porter porter;
    struct parcel parcel;
    memset(&parcel, byte, sizeof parcel);
    al_message_set_verdict(&parcel.message, AL_NODELETE);
    al_send(porter, parcel, al_actor_init(porter, &porter), &parcel);
    al_send_pill(&porter.actor, &al_finished_msg);
    (void)al_system_stop(system, NULL);
}

static void send_uninitialised(void)
{
    send_bytes(0xa5);
}

static void send_zeroed(void)
{
    send_bytes(0);
}

static void free_uninitialised(void)
{
    struct parcel parcel = {0};
    al_message_fini(&parcel.message);
}

/* A message may be copied: nobody else knows its address. */
static void send_copies(void)
{
    struct al_system *system = start();
    struct porter porter;
    struct parcel parcel, copies[2];
    copies[0] = *al_message_init(parcel, &parcel, AL_NODELETE);
    al_send(porter, parcel, al_actor_init(porter, &porter), &parcel);
    copies[1] = parcel;
    for (int i = 0; i < 2; i++)
        al_send(porter, parcel, &porter, &copies[i]);
    al_send_pill(&porter.actor, &al_finished_msg);
    CHECK(al_system_stop(system, NULL) == 0, "unreceived");
}

static void free_unsent(void)
{
    struct parcel parcel;
    al_message_init(parcel, &parcel, AL_NODELETE);
    al_message_fini(&parcel.message);
}

static void free_sent(void)
{
    struct al_system *system = start();
    struct porter porter;
    struct parcel parcel;
    al_message_init(parcel, &parcel, AL_NODELETE);
    al_send(porter, parcel, al_actor_init(porter, &porter), &parcel);
    al_send_pill(&porter.actor, &al_finished_msg);
    CHECK(al_system_stop(system, NULL) == 0, "unreceived");
    al_message_fini(&parcel.message);
}

/* Three messages behind the pill that ends their receiver. A behaviour of another actor sends all
 * four, so that they are on their way before the pill is received. */
struct sender {
    struct al_actor actor;
    struct porter *to;
    struct parcel parcels[3];
};

AL_ACTOR(sender)

AL_BEHAVIOUR(sender, parcel, self, msg)
{
    al_send_pill(&self->to->actor, &al_delete_msg);
    for (int i = 0; i < 3; i++)
        al_send(porter, parcel, self->to, &self->parcels[i]);
    return AL_FINISHED;
}

static void leave_unreceived(void)
{
    struct al_system *system = start();
    struct sender sender = {.to = malloc(sizeof *sender.to)};
    struct parcel parcel;
    al_message_init(parcel, &parcel, AL_NODELETE);
    for (int i = 0; i < 3; i++)
        al_message_init(parcel, &sender.parcels[i], AL_NODELETE);
    al_actor_init(porter, sender.to);
    al_send(sender, parcel, al_actor_init(sender, &sender), &parcel);
    struct al_report report;
    int code = al_system_stop(system, &report);
    fprintf(stderr, "stop: %d, %llu\n", code, (unsigned long long)report.unreceived);
    al_report_free(&report);
}

static void send_terminated_message(void)
{
    struct al_system *system = start();
    struct porter porter, other;
    struct parcel *parcel = malloc(sizeof *parcel);
    al_message_init(parcel, parcel, AL_DELETE);
    al_send(porter, parcel, al_actor_init(porter, &porter), parcel);
    al_send_pill(&al_actor_init(porter, &other)->actor, &al_finished_msg);
    wait_for_terminations(system, 1); /* the other's, behind the parcel */
    al_send(porter, parcel, &porter, parcel);
    (void)al_system_stop(system, NULL);
}

static void fewer_mailboxes(void)
{
    struct al_setting setting = {"mailboxes", "1"};
    struct al_config config = {
        .workers = 2, .oversubscribe = true, .settings = &setting, .n_settings = 1};
    choose_plugins(&config, "inverted", NULL, NULL);
    struct al_system *system;
    struct al_error error = {""};
    CHECK(al_system_start(&config, &system, &error) != 0, "was accepted");
    fprintf(stderr, "%s\n", error.text);
}

int main(void)
{
    struct tap tap = {0};
    for (size_t s = 0; al_schedulers[s] != NULL; s++) {
        scheduler = al_schedulers[s]->name;
        tap_ok(&tap,
               fires(send_to_terminated, SIGABRT,
                     "'parcel' was sent to a terminated actor of type 'porter'"),
               "%s: a send to a deleted actor", scheduler);
        tap_ok(&tap,
               fires(send_to_finished, SIGABRT, "sent to a terminated actor of type 'porter'"),
               "%s: a send to a finished actor", scheduler);
        tap_ok(&tap, fires(send_to_uninitialised, SIGABRT, "that al_actor_init never saw"),
               "%s: a send to what is no actor", scheduler);
        tap_ok(&tap, fires(send_to_copied, SIGABRT, "that al_actor_init never saw"),
               "%s: a send to the copy of an actor", scheduler);
        tap_ok(&tap,
               fires(create_near_finished, SIGABRT,
                     "al_actor_init_near of a 'porter': the other actor does not live"),
               "%s: an actor near one that has terminated", scheduler);
        tap_ok(&tap,
               fires(initialise_live, SIGABRT,
                     "error: al_actor_init of a 'porter' over a live actor of type 'porter'\n"),
               "%s: an actor initialised while it lives", scheduler);
        tap_ok(&tap, fires(reuse_storage, 0, NULL),
               "%s: no complaint about storage that is an actor again", scheduler);
        tap_ok(&tap,
               fires(send_uninitialised, SIGABRT,
                     "error: an actor of type 'porter' was sent a message that al_message_init "
                     "never saw\n"),
               "%s: a send of what is no message", scheduler);
        tap_ok(&tap, fires(send_zeroed, SIGABRT, "a message that al_message_init never saw"),
               "%s: a send of a message that is all zero", scheduler);
        tap_ok(&tap, fires(send_copies, 0, NULL), "%s: no complaint about a copied message",
               scheduler);
        tap_ok(&tap,
               fires(leave_unreceived, 0,
                     "3 messages to actors of type 'porter' sent but never received\nstop: -74, 3"),
               "%s: messages never received are counted by type at stop", scheduler);
        tap_ok(&tap,
               fires(send_terminated_message, SIGABRT, "'parcel' was sent after its termination"),
               "%s: a message sent after its termination", scheduler);
        tap_ok(&tap, fires(free_sent, 0, NULL),
               "%s: no complaint about freeing a message that was sent", scheduler);
    }
    tap_ok(&tap, fires(create_before_start, SIGABRT, "'porter' was created before al_system_start"),
           "an actor created before start");
    tap_ok(&tap,
           fires(free_unsent, 0, "warning: a message of type 'parcel' was freed but never sent"),
           "a message freed but never sent is a warning");
    tap_ok(&tap,
           fires(free_uninitialised, SIGABRT, "a message that al_message_init never saw was freed"),
           "a message freed but never initialised");
    tap_ok(&tap, fires(fewer_mailboxes, 0, "mailboxes=1 is fewer than 2 workers"),
           "fewer mailboxes than workers");
    return tap_done(&tap);
}
