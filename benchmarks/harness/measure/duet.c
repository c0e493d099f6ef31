/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/measure/duet.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/machine/topology.h"
#include "core/sync/sync.h"

int al_duet_begin(struct al_duet *duet, const struct al_config *config, struct al_error *error)
{
    unsigned *pus;
    size_t n;
    if (duet->socket == 0)
        return 0;
    int code = al_topology_order(config->topology, config->pin, &pus, &n, error);
    if (code != 0)
        return code;
    if (sched_getaffinity(0, sizeof duet->before, &duet->before) != 0 ||
        al_topology_bind(config->topology, pus[0]) != (int)pus[0])
        code = al_error_set(error, -EINVAL, "--duet: cannot bind to PU %u", pus[0]);
    free(pus);
    return code;
}

/* A byte to the partner; false if that has ended. */
static bool say(const struct al_duet *duet)
{
    return send(duet->socket, "", 1, MSG_NOSIGNAL) == 1;
}

enum heard { HEARD, NOT_YET, ENDED };

static enum heard hear(const struct al_duet *duet, int flags)
{
    char byte;
    ssize_t n = recv(duet->socket, &byte, 1, flags);
    return n == 1 ? HEARD : n < 0 && errno == EAGAIN ? NOT_YET : ENDED;
}

void al_duet_meet(struct al_duet *duet)
{
    if (duet->socket == 0)
        return;
    if (say(duet)) { /* whoever sleeps would begin later than the partner that wakes it */
        while (hear(duet, MSG_DONTWAIT) == NOT_YET)
            al_pause();
    }
    duet->met_ns = al_clock_ns();
}

void al_duet_end(struct al_duet *duet, void (*go_on)(void *argument), void *argument)
{
    if (duet->socket == 0)
        return;
    duet->done_ns = al_clock_ns();
    if (say(duet) && hear(duet, MSG_DONTWAIT) == NOT_YET) {
        /* No thread but this one runs between iterations, so a copy of the process can go on, and
         * can be ended in the middle of one. */
        pid_t busy = fork();
        if (busy == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            go_on(argument);
            _exit(0);
        }
        (void)hear(duet, 0);
        if (busy > 0) {
            kill(busy, SIGKILL);
            waitpid(busy, NULL, 0);
        }
    }
    duet->left_ns = al_clock_ns();
    (void)sched_setaffinity(0, sizeof duet->before, &duet->before); /* records have where it is */
}

json_t *al_duet_json(const struct al_duet *duet)
{
    if (duet->socket == 0)
        return NULL;
    return json_pack("{s:I, s:I, s:I}", "met_ns", (json_int_t)duet->met_ns, "done_ns",
                     (json_int_t)duet->done_ns, "left_ns", (json_int_t)duet->left_ns);
}
