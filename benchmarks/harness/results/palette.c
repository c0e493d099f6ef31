/* SPDX-License-Identifier: MIT */
#include "benchmarks/harness/results/palette.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/harness/plugins/load.h"
#include "benchmarks/harness/text/json.h"
#include "schedulers/registry.h"

/* As benchmarks/peers/peers.toml names them. */
static const char *const peers[] = {"caf-stealing", "caf-sharing", "erlang", "plain", "ring"};

/*
 * One for each strategy and peer, and three for those of plug-ins. Each has a contrast of 3:1 on
 * white paper; among such colours the first twelve are about as far apart as twelve can be, also to
 * the colour-blind, and so are what they become on a dark page. A sixteenth would be too close to
 * one of them. Markers and dashes tell lines apart in greyscale.
 */
static const char *const colours[] = {"#498EFD", "#BC8419", "#368014", "#C96BCD", "#2754D2",
                                      "#982B07", "#026159", "#9034A2", "#000000", "#7B7B7B",
                                      "#410587", "#3D3000", "#E04860", "#B800F8", "#700048"};

/*
 * How far to mix the colours of a strategy's lines with white; below 0: with black. White would
 * take away contrast.
 */
static const double shades[] = {0, -0.4, -0.65, -0.8};

/*
 * If all lines are of one strategy and there are more than this, each gets a colour of its own:
 * there are no strategies to tell apart.
 */
#define MOST_SHADES 4

#define LENGTH(list) (sizeof(list) / sizeof *(list))

/* The i-th of the strategies that are built in, the peers, and the strategies of plug-ins, in this
 * order: a plug-in changes no colour. NULL: there are fewer. */
static const char *nth(size_t i)
{
    size_t n = 0;
    while (al_schedulers[n] != NULL)
        n++;
    size_t built_in = n - al_plugins_strategies();
    if (i < built_in)
        return al_schedulers[i]->name;
    if (i < built_in + LENGTH(peers))
        return peers[i - built_in];
    return i < n + LENGTH(peers) ? al_schedulers[i - LENGTH(peers)]->name : NULL;
}

/* Its place among these; how many there are if it is none. */
static size_t place_of(const char *strategy)
{
    size_t place = 0;
    for (const char *name; (name = nth(place)) != NULL; place++) {
        if (strcmp(name, strategy) == 0)
            break;
    }
    return place;
}

int al_palette_compare(const char *strategy, const char *other)
{
    size_t a = place_of(strategy), b = place_of(other);
    return a != b ? (a > b) - (a < b) : strcmp(strategy, other);
}

static void mix(const char *colour, double shade, char out[8])
{
    unsigned long channels = strtoul(colour + 1, NULL, 16), mixed = 0;
    for (int shift = 16; shift >= 0; shift -= 8) {
        double channel = (double)(channels >> shift & 0xff);
        channel += shade < 0 ? channel * shade : (255 - channel) * shade;
        mixed = mixed << 8 | (unsigned long)lrint(channel);
    }
    snprintf(out, 8, "#%06lX", mixed);
}

void al_palette_looks(const char *const *strategies, size_t n, struct al_look *looks)
{
    bool alone = n > MOST_SHADES;
    for (size_t i = 0, others = 0; i < n; i++) {
        struct al_look *look = &looks[i];
        look->place = place_of(strategies[i]);
        look->variant = 0;
        bool new = true;
        for (size_t k = 0; k < i; k++) {
            if (strcmp(strategies[k], strategies[i]) == 0) {
                look->place = looks[k].place;
                look->variant++;
                new = false;
            }
        }
        if (new && look->place == place_of("")) /* neither a strategy nor a peer */
            look->place += others++;
        alone &= !new || i == 0;
    }
    for (size_t i = 0; i < n; i++) {
        size_t variant = looks[i].variant, hue = looks[i].place + (alone ? variant : 0);
        /* Other names get a shade of a strategy's or peer's colour. */
        size_t shade = hue / LENGTH(colours) + (alone ? 0 : variant);
        mix(colours[hue % LENGTH(colours)], shades[shade % LENGTH(shades)], looks[i].colour);
    }
}

json_t *al_palette_json(void)
{
    json_t *strategies = al_needed(json_array()), *all = al_needed(json_array());
    const char *name;
    for (size_t i = 0; (name = nth(i)) != NULL; i++)
        al_json_append(strategies, json_string(name));
    for (size_t i = 0; i < LENGTH(colours); i++)
        al_json_append(all, json_string(colours[i]));
    return al_needed(json_pack("{s:o, s:o, s:o, s:i}", "strategies", strategies, "colours", all,
                               "shades", al_json_reals(shades, LENGTH(shades)), "most_shades",
                               MOST_SHADES));
}
