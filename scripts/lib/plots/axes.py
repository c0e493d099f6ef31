# SPDX-License-Identifier: MIT
"""Axes: where values of x stand, and scales of y that show all lines. All panels of a figure have
the same kind of scale, linear or logarithmic."""

import math

from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

MOST_TICKS = 6  # of y
LABEL = 0.13  # part of the axis of a small panel that a label takes
MOST_LABELS, NARROW_LABELS = 10, 6  # of x: numbers of two digits side by side
LOG_SPAN = 20  # medians of a panel that span a larger factor get logarithmic axes
FEW = 3  # with so many values of x or fewer, points are not joined by lines
OCTAVES_FROM = 16  # the largest number of workers from which on their axis is logarithmic
FLAT = 0.25  # lines that share less of an axis than this cannot be told apart
# The labelled parts of a decade, from the most to the fewest.
SUBS = ((1, 1.5, 2, 3, 4, 5, 6, 8), (1, 2, 3, 5), (1, 2, 5), (1, 3), (1,))
SCALES = {False: "linear scale", True: "log scale"}
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
    axes.yaxis.set_major_locator(MaxNLocator(MOST_TICKS, steps=(1, 2, 5, 10)))
    axes.yaxis.set_major_formatter(THOUSANDS)


def log_ticks(low, high):
    """Round numbers between these, as many as have room: at least two, if need be at even steps."""
    span = math.log(high / low)
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for subs in SUBS:
        ticks = [sub * 10.0 ** power for power in decades for sub in subs if low <= sub * 10.0 ** power <= high]
        gaps = [math.log(after / before) / span for before, after in zip(ticks, ticks[1:])]
        if min(gaps, default=1) > LABEL:
            break
    else:
        ticks = ticks[::math.ceil(LABEL / min(gaps))]  # of many decades some
    if len(ticks) > 1:
        return ticks
    return [tick for tick in MaxNLocator(MOST_TICKS, steps=(1, 2, 5, 10)).tick_values(low, high) if low <= tick <= high]


def log_scale(axes, low, high):
    margin = max(1.2, (high / low) ** 0.05)
    low, high = low / margin, high * margin
    axes.set_yscale("log")
    axes.set_ylim(low, high)
    axes.set_yticks(log_ticks(low, high))
    axes.yaxis.set_major_formatter(THOUSANDS)
    axes.yaxis.set_minor_locator(LogLocator(subs=range(2, 10), numticks=12))
    axes.yaxis.set_minor_formatter(NullFormatter())


def is_flat(lines):
    """Whether slow lines leave too little of a linear axis to the others. The slow ones begin at
    the largest gap between the largest medians of lines. lines: medians of each, all above 0."""
    ordered = sorted(map(max, lines))
    gaps = [after / before for before, after in zip(ordered, ordered[1:])]
    return bool(gaps) and ordered[gaps.index(max(gaps))] < FLAT * ordered[-1]


def calls_for_log(panels):
    """Whether the panels of a figure get logarithmic axes, which all of them have or none. panels:
    the medians of each line of each."""
    medians = [[median for line in lines for median in line] for lines in panels]
    if min(map(min, medians)) <= 0:
        return False
    return any(max(of) > LOG_SPAN * min(of) or is_flat(lines) for of, lines in zip(medians, panels))


def scale(axes, log, low, high):
    """Scales an axis, logarithmically or from 0. low and high: of everything drawn. Returns what
    the label says of it."""
    if log:
        log_scale(axes, low, high)
    else:
        linear_scale(axes, high)
    return f" ({SCALES[log]})"
