# SPDX-License-Identifier: MIT
"""Lines over workers, one panel for each benchmark."""

import math
from collections import namedtuple

from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

from plots.crossings import crossings
from plots.style import DOUBLE, SINGLE, SMALLEST, gid, legend_of, looks_of, page, series_key, series_of, styled, title

PANEL_HEIGHT, SMALL_HEIGHT = 2.3, 1.55
MANY = 9  # with more panels than this they are small, without parameters, and share a label
PANEL_POINTS = 120  # the approximate width that is left for a panel's data
MOST_TICKS = 12
LOG_SPAN = 20  # medians that span a larger factor get a logarithmic axis
BESIDE_PANEL = 0.8  # inches of a panel's width that its labels take
THOUSANDS = FuncFormatter(lambda value, _: f"{value:,.10g}")
MOST_ROWS = 6  # of a legend above a narrow figure; with more the figure is wide
FEW_SERIES = 4  # more lines than this get more of the room between worker counts, and are paler

# What is drawn of a cell: the median, its interval or None twice, and the value of each process.
Point = namedtuple("Point", "median low high values")


def point(summarized):
    """A Point from what `actorlab results` says of a cell's values."""
    return Point(*(summarized[key] for key in Point._fields))


class Axis:
    """Positions of the worker counts: evenly spaced if there are few, by octaves if they span
    many."""

    def __init__(self, cells):
        self.counts = sorted({cell["workers"] for cell in cells})
        self.octaves = self.counts[-1] >= 16
        places = [self.place(count) for count in self.counts]
        self.step = min((b - a for a, b in zip(places, places[1:])), default=1)
        self.low, self.high = places[0] - 0.5 * self.step, places[-1] + 0.5 * self.step

    def place(self, count):
        return math.log2(count) if self.octaves else count

    def ticks(self):
        """The worker counts to label: all, or as many as fit; always the last one."""
        room = (self.high - self.low) / MOST_TICKS
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


def scale(axes, medians, low, high):
    """Scales an axis from 0, or logarithmically if the medians span a large factor. Returns what
    the label says of it."""
    if max(medians) > LOG_SPAN * min(medians):
        log_scale(axes, low, high)
        return " (log)"
    linear_scale(axes, high)
    return ""


def beside(axis, summary, cells):
    """Places lines side by side at each worker count: (key -> offset from the count's position,
    distance between two lines)."""
    present = {series_key(summary, cell) for cell in cells}
    present = [key for key in series_of(summary) if key in present]
    distance = (0.72 if len(present) > FEW_SERIES else 0.6) * axis.step / max(len(present), 2)
    return {key: (index - (len(present) - 1) / 2) * distance for index, key in enumerate(present)}, distance


def marker_size(axis, distance, points=PANEL_POINTS):
    return min(4.2, max(2.4, points * distance / (axis.high - axis.low)))


def draw_marker(axes, looks, summary, cell, x, y, size):
    colour, marker, _ = looks[series_key(summary, cell)]
    # Not by axes.plot, which updates limits and units each time: a sweep may have thousands.
    axes.add_artist(Line2D([x], [y], marker=marker, markersize=size, markeredgewidth=0.2 * size, markeredgecolor=colour,
                           markerfacecolor="white" if cell["oversubscribed"] else colour, zorder=4, gid=gid(cell),
                           clip_on=False, in_layout=False))


def frame_panel(axes, axis, summary, benchmark, room=None):
    """Draws everything around a panel except the y axis. room: its width in inches, if it gets a
    title."""
    axes.set_xlim(axis.low, axis.high)
    ticks = axis.ticks()
    axes.set_xticks([axis.place(count) for count in ticks], [str(count) for count in ticks])
    axes.set_xlabel("workers (log scale)" if axis.octaves else "workers")
    axes.yaxis.grid(True, linewidth=0.4, color="0.88")
    axes.set_axisbelow(True)
    if room:
        title(axes, summary, benchmark, room)


def draw_panel(axes, axis, summary, benchmark, points, room=None, dots=True):
    """Draws the lines of a benchmark, with or without single processes. Returns the smallest and
    the largest value."""
    looks = looks_of(summary)
    cells = [cell for cell in summary.of(benchmark) if cell["index"] in points]
    shifts, distance = beside(axis, summary, cells)
    size = marker_size(axis, distance)
    shown = []
    for key, shift in shifts.items():
        colour, _, dashes = looks[key]
        line = [cell for cell in cells if series_key(summary, cell) == key]
        x = [axis.place(cell["workers"]) + shift for cell in line]
        drawn = [points[cell["index"]] for cell in line]
        y = [point.median for point in drawn]
        axes.plot(x, y, color=colour, linestyle=dashes, linewidth=0.9, zorder=2,
                  alpha=0.5 if len(shifts) > FEW_SERIES else 0.7)
        bounded = [(at, point) for at, point in zip(x, drawn) if point.low is not None]
        if bounded:
            low = [point.median - point.low for _, point in bounded]
            high = [point.high - point.median for _, point in bounded]
            axes.errorbar([at for at, _ in bounded], [point.median for _, point in bounded],
                          yerr=(low, high), fmt="none", ecolor=colour, elinewidth=0.9,
                          capsize=0.5 * size, capthick=0.9, zorder=3)
        # Beside the interval, not under it.
        if dots:
            axes.plot([place - 0.32 * distance for place, point in zip(x, drawn) for _ in point.values],
                      [value for point in drawn for value in point.values], linestyle="none", marker="o",
                      markersize=0.5 * size, markeredgewidth=0, color=colour, alpha=0.4, zorder=1)
        for place, cell, point in zip(x, line, drawn):
            draw_marker(axes, looks, summary, cell, place, point.median, size)
            shown += [value for value in (point.low, point.high, *point.values) if value is not None]
    frame_panel(axes, axis, summary, benchmark, room)
    return min(shown), max(shown)


def draw_crossings(axes, axis, marks):
    """Draws each mark halfway between worker counts; marks at the same place share a line."""
    names = {}
    for name, before, after in marks:
        names.setdefault((axis.place(before) + axis.place(after)) / 2, []).append(name)
    for place, words in names.items():
        axes.axvline(place, linewidth=0.6, linestyle=(0, (1, 1.5)), color="0.45", zorder=0.5, gid="crossing")
        axes.annotate(", ".join(words), (place, 1), (1.5, -1), xycoords=("data", "axes fraction"),
                      textcoords="offset points", rotation=90, ha="left", va="top", fontsize=SMALLEST, color="0.35",
                      zorder=2.5, bbox={"facecolor": "white", "alpha": 0.75, "edgecolor": "none", "pad": 0.3})


@styled
def draw(summary, points, frame, foot="", extra=()):
    """points: cell's index -> Point. frame(axes, axis, benchmark, low, high) scales the y axis of a
    panel with values from low to high, and returns its label. extra: further handles for the
    legend."""
    cells = [cell for cell in summary.cells if cell["index"] in points]
    benchmarks = [name for name in summary.benchmarks if any(cell["benchmark"] == name for cell in cells)]
    many = len(benchmarks) > MANY
    columns = 4 if many else {1: 1, 2: 2, 4: 2}.get(len(benchmarks), 3)
    rows = math.ceil(len(benchmarks) / columns)
    width = SINGLE if columns == 1 else DOUBLE
    legend = legend_of(summary, cells, width, extra)
    if legend and len(legend[0]) > MOST_ROWS * legend[1]:
        width = DOUBLE
        legend = legend_of(summary, cells, width, extra)
    height = rows * (SMALL_HEIGHT if many else PANEL_HEIGHT)
    drawing = page(width, height, legend, foot)
    axis = Axis(cells)
    panels = list(drawing.subplots(rows, columns, squeeze=False).flat)
    marks = crossings(summary)
    room, before = None if many else width / columns - BESIDE_PANEL, None
    for index, (axes, benchmark) in enumerate(zip(panels, benchmarks)):
        draw_crossings(axes, axis, marks)
        words = frame(axes, axis, benchmark, *draw_panel(axes, axis, summary, benchmark, points, room))
        if index % columns == 0 or words != before:
            axes.set_ylabel(words)
        before = words
        if many:
            axes.set_title(benchmark, fontweight="bold")
            if index + columns < len(benchmarks):
                axes.set_xlabel("")
    for axes in panels[len(benchmarks):]:
        axes.set_visible(False)
    return drawing
