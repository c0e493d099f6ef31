/* SPDX-License-Identifier: MIT */
#include "core/outside.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "core/sync/blocking.h"
#include "core/system_private.h"

/*
 * A thread that is no worker sends as the system's external worker, of which it must be the only
 * one at that moment: hence the lock. The strategies need not know.
 */

static void send_locked(struct al_worker *self, struct al_actor *actor, struct al_message *message,
                        al_behaviour *behaviour)
{
    struct al_system *system = al_system_of(self->system);
    al_outside_take(&system->outside.lock);
    system->external_send(self, actor, message, behaviour);
    al_mutex_unlock(&system->outside.lock);
}

void al_outside_share(struct al_system *system)
{
    struct al_worker *external = &system->shown.workers[system->shown.n_workers];
    system->external_send = external->send;
    external->send = send_locked;
    /* Any thread may send now, also when the system is about to stop. */
    system->shown.starter_light = false;
}

void al_outside_end(struct al_system *system)
{
    if (system->external_send == NULL)
        return;
    al_outside_take(&system->outside.lock);
    al_mutex_unlock(&system->outside.lock);
}

void al_system_post(struct al_system *system, struct al_actor *actor, struct al_message *message,
                    al_behaviour *behaviour)
{
    struct al_worker *external = &system->shown.workers[system->shown.n_workers], *self = al_self();
    if (self != NULL && self->system == &system->shown) {
        al_post(actor, message, behaviour);
        return;
    }
    if (system->external_send == NULL)
        al_fatal("al_system_post to a system that is not shared: struct al_config says so");
    AL_CHECK_SEND(external, actor, message);
    al_mutex_lock(&system->outside.lock);
    al_self_set(external);
    system->outside.n_posted++;
    system->external_send(external, actor, message, behaviour);
    al_self_set(self);
    al_mutex_unlock(&system->outside.lock);
}

struct al_port {
    struct al_mutex lock;
    struct al_condition filled;
    /* under the lock: a ring of `room` places, a power of two */
    struct al_message **messages;
    size_t room, first, n;
    int descriptor; /* or -1 */
};

#define ROOM_FIRST 16

int al_port_open(struct al_port **result, struct al_error *error)
{
    struct al_port *port = al_calloc(1, sizeof *port);
    struct al_message **messages = al_malloc(ROOM_FIRST * sizeof(struct al_message *));
    if (port == NULL || messages == NULL) {
        al_free(port);
        al_free(messages);
        return al_error_set(error, -ENOMEM, "no memory for a port");
    }
    port->messages = messages;
    port->room = ROOM_FIRST;
    port->descriptor = -1;
    *result = port;
    return 0;
}

void al_port_close(struct al_port *port)
{
    if (port->descriptor >= 0)
        close(port->descriptor);
    al_free(port->messages);
    al_free(port);
}

/* Make room for as many again. */
static int grow(struct al_port *port)
{
    struct al_message **messages = al_malloc(2 * port->room * sizeof(struct al_message *));
    if (messages == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < port->n; i++)
        messages[i] = port->messages[(port->first + i) & (port->room - 1)];
    al_free(port->messages);
    port->messages = messages;
    port->room *= 2;
    port->first = 0;
    return 0;
}

/* Make the descriptor readable, or not. */
static void show(const struct al_port *port, bool filled)
{
    eventfd_t count;
    if (port->descriptor < 0)
        return;
    if (filled)
        (void)eventfd_write(port->descriptor, 1);
    else
        (void)eventfd_read(port->descriptor, &count);
}

int al_port_put(struct al_port *port, struct al_message *message)
{
    al_mutex_lock(&port->lock);
    int code = port->n < port->room ? 0 : grow(port);
    if (code == 0) {
        port->messages[(port->first + port->n++) & (port->room - 1)] = message;
        if (port->n == 1)
            show(port, true);
        al_condition_signal(&port->filled, 1);
    }
    al_mutex_unlock(&port->lock);
    return code;
}

struct al_message *al_port_take(struct al_port *port)
{
    struct al_message *message = NULL;
    al_mutex_lock(&port->lock);
    if (port->n > 0) {
        message = port->messages[port->first];
        port->first = (port->first + 1) & (port->room - 1);
        if (--port->n == 0)
            show(port, false);
    }
    al_mutex_unlock(&port->lock);
    return message;
}

bool al_port_wait(struct al_port *port, uint64_t ns)
{
    al_mutex_lock(&port->lock);
    uint64_t began = al_clock_ns(), passed = 0;
    while (port->n == 0 && passed < ns) {
        al_condition_wait_for(&port->filled, &port->lock, ns - passed);
        passed = al_clock_ns() - began;
    }
    bool filled = port->n != 0;
    al_mutex_unlock(&port->lock);
    return filled;
}

int al_port_descriptor(struct al_port *port)
{
    al_mutex_lock(&port->lock);
    if (port->descriptor < 0) {
        port->descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        if (port->descriptor < 0) {
            int code = -errno;
            al_mutex_unlock(&port->lock);
            return code;
        }
        if (port->n > 0)
            show(port, true);
    }
    int descriptor = port->descriptor;
    al_mutex_unlock(&port->lock);
    return descriptor;
}
