# SPDX-License-Identifier: MIT
"""How lines look: the colour is the strategy's, the same in every figure;
benchmarks/harness/results/palette.c has it."""

from collections import namedtuple

from common.actorlab import palette

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", "*", "h")
DASHES = ("-", (0, (4, 1.5)), (0, (1, 1)), (0, (4, 1, 1, 1)), (0, (6, 2)))

Look = namedtuple("Look", "colour marker dashes")


def mixed(colour, shade):
    """Mixes the colour with white, or with black if the shade is negative."""
    channels = bytes.fromhex(colour[1:])
    return "#" + bytes(round(channel + (channel if shade < 0 else 255 - channel) * shade) for channel in channels).hex()


def looks(actorlab, strategies):
    """key -> Look. strategies: key -> strategy, in the order of the lines. Lines of one strategy
    have shades of its colour, or colours of their own if it is the only strategy and they are
    many."""
    known = palette(actorlab)
    names, colours, shades = known["strategies"], known["colours"], known["shades"]
    names = names + sorted({str(name) for name in strategies.values()} - set(names))
    alone = len(strategies) > known["most_shades"] and len(set(strategies.values())) == 1
    found, variants = {}, {}
    for key, strategy in strategies.items():
        place, variant = names.index(str(strategy)), variants.get(strategy, 0)
        variants[strategy] = variant + 1
        hue = place + (variant if alone else 0)
        # Anything that is neither a strategy nor a peer gets a shade of one of their colours.
        shade = hue // len(colours) + (0 if alone else variant)
        # The next round has other markers: black has no shade that is darker.
        shift = place + variant + variant // len(MARKERS)
        found[key] = Look(mixed(colours[hue % len(colours)], shades[shade % len(shades)]), MARKERS[shift % len(MARKERS)],
                          DASHES[(shift + variant) % len(DASHES)])
    return found
