/* SPDX-License-Identifier: MIT */

/*
 * Lines do not ask for memory in the order of their times: a core that looks ahead asks for times
 * to come, and others that are behind ask for earlier ones later. So it is not enough to know until
 * when the channels are taken. Time is cut into windows, and a line goes to the first window at or
 * after its time that has room, behind the lines that are in it already. Where requests come in
 * order that is a queue; otherwise a line may pass others of its window. The queue models of
 * Graphite (Miller et al., HPCA 2010) and Sniper keep lists of free intervals to the same end.
 */

#include "core/engine/sim/channels.h"

#include <errno.h>
#include <stdlib.h>

#include "core/engine/sim/private.h"

#define WINDOWS      4096 /* a power of 2; more lines than all cores have under way */
#define WINDOW_LINES 8
#define WINDOW_BITS  4

int sim_channels_new(struct sim *sim)
{
    uint64_t bandwidth = sim->ps[AL_MODEL_MEMORY_BANDWIDTH]; /* MB/s: bytes in 10^6 ps */
    if (bandwidth == 0)
        return 0;
    sim->traffic.line_ps = ((uint64_t)1000000 << LINE_SHIFT) / bandwidth;
    if (sim->traffic.line_ps == 0)
        return 0; /* a line takes no time */
    sim->traffic.channels = calloc(sim->machine->n_nodes, sizeof *sim->traffic.channels);
    for (uint32_t i = 0; sim->traffic.channels != NULL && i < sim->machine->n_nodes; i++) {
        sim->traffic.channels[i].windows = calloc(WINDOWS,
                                                  sizeof *sim->traffic.channels[i].windows);
        if (sim->traffic.channels[i].windows == NULL)
            return -ENOMEM;
    }
    return sim->traffic.channels != NULL ? 0 : -ENOMEM;
}

void sim_channels_free(struct sim *sim)
{
    for (uint32_t i = 0; sim->traffic.channels != NULL && i < sim->machine->n_nodes; i++)
        free(sim->traffic.channels[i].windows);
    free(sim->traffic.channels);
}

/* All windows from `from` to before `end` are full. */
static void note_full(struct channels *channels, uint64_t from, uint64_t end)
{
    if (from > channels->full_end || end < channels->full_from) {
        channels->full_from = from;
        channels->full_end = end;
        return;
    }
    channels->full_from = from < channels->full_from ? from : channels->full_from;
    channels->full_end = end > channels->full_end ? end : channels->full_end;
}

uint64_t sim_channels_take(struct sim *sim, uint32_t node, uint64_t at)
{
    struct channels *channels = &sim->traffic.channels[node];
    uint64_t width = WINDOW_LINES * sim->traffic.line_ps, first = at / width, window = first,
             *state;
    if (window >= channels->full_from && window < channels->full_end)
        window = channels->full_end;
    for (;; window++) {
        state = &channels->windows[window % WINDOWS];
        if (*state >> WINDOW_BITS > window)
            return 0; /* so long ago that the ring has forgotten it */
        if (*state >> WINDOW_BITS < window)
            *state = window << WINDOW_BITS;
        if (*state % (1 << WINDOW_BITS) < WINDOW_LINES)
            break;
    }
    if (window > first)
        note_full(channels, first, window);
    uint64_t begins = window * width + *state % (1 << WINDOW_BITS) * sim->traffic.line_ps;
    ++*state;
    uint64_t wait = begins > at ? begins - at : 0;
    sim->report.queued_ps += wait;
    return wait;
}

void sim_channels_left(struct sim *sim, uint32_t line)
{
    struct line *state = &sim->lines[line];
    const struct page *page = sim_page(sim, line);
    if (!state->dirty || state->owner != 0 || state->l3 != 0 || page->home == 0)
        return;
    state->dirty = false;
    (void)sim_channels_take(sim, page->home - 1u, sim->traffic.at);
}
