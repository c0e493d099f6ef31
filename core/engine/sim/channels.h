/* SPDX-License-Identifier: MIT */
#ifndef AL_SIM_CHANNELS_H
#define AL_SIM_CHANNELS_H

/*
 * The channels of each node's memory: a line occupies them for as long as memory.bandwidth says,
 * and requests wait for those before them. Without a limit there are none.
 */

#include <stdint.h>

/* Of one node: how many lines each window of time has, in a ring of the last ones. */
struct channels {
    uint64_t *windows;            /* number of the window << WINDOW_BITS | lines in it */
    uint64_t full_from, full_end; /* all windows between are full */
};

#define NO_NODE UINT32_MAX

struct traffic {
    struct channels *channels; /* of each node; NULL: there is no limit */
    uint64_t line_ps;          /* how long a line occupies them */
    uint64_t at;               /* when the line was asked for that a core gets now, */
    uint32_t node;             /* and the node whose memory it comes from; or NO_NODE */
};

/* A core asks for a line at this time. */
static inline void traffic_ask(struct traffic *traffic, uint64_t now)
{
    traffic->at = now;
    traffic->node = NO_NODE;
}

struct sim;

int sim_channels_new(struct sim *sim);
void sim_channels_free(struct sim *sim);

/* A line is read from the node's memory, or written to it, at this time. Returns how long it waits
 * for others. */
uint64_t sim_channels_take(struct sim *sim, uint32_t node, uint64_t at);

/* A line has left a cache: if memory has not its value, and no other cache has it either, it is
 * written there. */
void sim_channels_left(struct sim *sim, uint32_t line);

#endif
