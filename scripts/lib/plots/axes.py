# SPDX-License-Identifier: MIT
"""Axes: where values of x stand, and scales of y that show all lines."""

import math

import numpy
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

from plots.style import SMALLEST

MOST_TICKS = 12
MOST_LABELS, NARROW_LABELS = 10, 6  # of x: numbers of two digits side by side
LOG_SPAN = 20  # medians that span a larger factor get a logarithmic axis
FEW = 3  # with so many values of x or fewer, points are not joined by lines
OCTAVES_FROM = 16  # the largest number of workers from which on their axis is logarithmic
FLAT = 0.25  # lines that share less of an axis than this cannot be told apart
BENT = 0.7  # part of a bent axis that is linear
LABEL = 0.07  # part of an axis that a label takes
THOUSANDS = FuncFormatter(lambda value, _: f"{value:,.10g}")


def x_of(cell):
    """Where a cell stands: at its workers, or at the value that results.view gave it."""
    return cell.get("x", cell["workers"])


class Axis:
    """Positions of the values of x: by octaves if they span many, evenly spaced if they are few."""

    def __init__(self, cells, name="workers", labels=MOST_LABELS):
        """labels: how many have room side by side."""
        self.name, self.labels = name, labels
        self.counts = sorted({x_of(cell) for cell in cells})
        self.joined = len(self.counts) > FEW
        low, high = self.counts[0], self.counts[-1]
        self.octaves = self.joined and low > 0 and high >= OCTAVES_FROM * (1 if name == "workers" else low)
        places = [self.place(count) for count in self.counts]
        self.step = min((b - a for a, b in zip(places, places[1:])), default=1)
        self.low, self.high = places[0] - 0.5 * self.step, places[-1] + 0.5 * self.step

    def place(self, count):
        if not self.joined:
            return self.counts.index(count)
        return math.log2(count) if self.octaves else count

    @property
    def label(self):
        return f"{self.name} (log scale)" if self.octaves else self.name

    def ticks(self):
        """The values to label: all, or as many as fit; always the last one."""
        room = (self.high - self.low) / self.labels
        kept = [self.counts[-1]]
        for count in reversed(self.counts[:-1]):
            if self.place(kept[-1]) - self.place(count) >= room:
                kept.append(count)
        return kept[::-1]


def linear_scale(axes, high):
    axes.set_ylim(0, 1.08 * high)
    axes.yaxis.set_major_locator(MaxNLocator(6, steps=(1, 2, 5, 10)))
    axes.yaxis.set_major_formatter(THOUSANDS)


def log_scale(axes, low, high):
    axes.set_yscale("log")
    axes.set_ylim(low / 1.2, high * 1.2)
    decades = math.log10(high / low)
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if decades < 2.5 else (1,), numticks=MOST_TICKS))
    axes.yaxis.set_major_formatter(THOUSANDS)
    axes.yaxis.set_minor_locator(LogLocator(subs=range(2, 10), numticks=MOST_TICKS))
    axes.yaxis.set_minor_formatter(NullFormatter())


def bent_scale(axes, bend, high):
    """Scales an axis linearly from 0 to the bend, logarithmically above."""
    top = 1.2 * high
    steep = (1 / BENT - 1) / math.log(top / bend)

    def forward(values):
        values = numpy.asarray(values, dtype=float)
        return numpy.where(values <= bend, values / bend, 1 + steep * numpy.log(numpy.maximum(values, bend) / bend))

    def inverse(places):
        places = numpy.asarray(places, dtype=float)
        return numpy.where(places <= 1, places * bend, bend * numpy.exp((numpy.maximum(places, 1) - 1) / steep))

    axes.set_yscale("function", functions=(forward, inverse))
    axes.set_ylim(0, top)
    below = [tick for tick in MaxNLocator(5, steps=(1, 2, 5, 10)).tick_values(0, bend) if 0 <= tick <= bend]
    decades = range(math.floor(math.log10(bend)), math.ceil(math.log10(top)) + 1)
    lowest = inverse(1 + LABEL / BENT)
    for subs in ((1, 2, 5), (1, 3), (1,)):
        above = [sub * 10.0 ** power for power in decades for sub in subs if lowest <= sub * 10.0 ** power <= top]
        places = forward(above)
        if len(above) <= 3 and min(numpy.diff(places), default=1) >= LABEL / BENT:
            break
    axes.set_yticks(below + above[-3:])
    axes.yaxis.set_major_formatter(THOUSANDS)
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.axhline(bend, linewidth=0.6, linestyle=(0, (4, 2)), color="0.45", zorder=0.6, gid="bend")
    # behind what was measured
    axes.annotate("log scale above", (1, bend), (-1, 1.5), xycoords=("axes fraction", "data"), textcoords="offset points",
                  ha="right", va="bottom", fontsize=SMALLEST, color="0.35", zorder=0.7,
                  bbox={"facecolor": "white", "alpha": 0.75, "edgecolor": "none", "pad": 0.3})


def slow_and_rest(lines):
    """The largest of the other lines' medians and the smallest, where the slow lines end: at the
    largest gap between the largest medians of lines. None if there is only one line."""
    ordered = sorted(lines, key=max)
    if len(ordered) < 2:
        return None
    _, place = max((max(after) / max(before), index) for index, (before, after) in enumerate(zip(ordered, ordered[1:])))
    rest = [value for line in ordered[:place + 1] for value in line]
    return max(rest), min(rest)


def bend_of(lines):
    """Up to where an axis should be linear because slow lines flatten the others on a linear axis,
    and these differ too little for a logarithmic one; None: one of these does. lines: the medians
    of each, all above 0."""
    low, high = min(map(min, lines)), max(map(max, lines))
    found = slow_and_rest(lines)
    if found is None or found[0] > FLAT * high or found[0] > LOG_SPAN * found[1]:
        return None
    most, least = found
    if math.log(most / least) > FLAT * math.log(high / low):
        return None
    step = 10.0 ** math.floor(math.log10(most))  # the next round number
    return next(step * part for part in (1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10, 12) if step * part > 1.05 * most)


def scale(axes, lines, low, high):
    """Scales an axis so that all lines can be read: from 0 if that shows their differences,
    logarithmically if they span a large factor, or bent. lines: the medians of each; low and high:
    of everything drawn. Returns what the label says of it."""
    medians = [median for line in lines for median in line]
    if min(medians) <= 0:
        linear_scale(axes, high)
        return ""
    bend = bend_of(lines)
    if bend is not None:
        bent_scale(axes, bend, high)
        return f" (log above {THOUSANDS(bend)})"
    found = slow_and_rest(lines)
    flat = found is not None and found[0] < FLAT * max(medians)
    if flat or max(medians) > LOG_SPAN * min(medians):
        log_scale(axes, low, high)
        return " (log)"
    linear_scale(axes, high)
    return ""
