# SPDX-License-Identifier: MIT
"""Lines over workers, or another axis, one panel for each benchmark."""

import math
from collections import namedtuple

from matplotlib.lines import Line2D

from plots import simulated
from plots.axes import MOST_LABELS, NARROW_LABELS, Axis, calls_for_log, x_of
from plots.crossings import crossings
from plots.style import DOUBLE, GRID, SINGLE, SMALLEST, TITLE, gid, legend_of, legend_width, looks_of, page, styled, title, wrapped

PANEL_HEIGHT, SMALL_HEIGHT = 2.3, 1.55
MANY = 9  # with more panels than this they are small, without parameters, and share a label
PANEL_POINTS = 120  # the approximate width that is left for a panel's data
SMALL_TITLE = 6.5  # of a small panel, if a line has no room for it
BESIDE_PANEL = 0.8  # inches of a panel's width that its labels take
MOST_ROWS = 6  # of a legend above a narrow figure; with more, or long names, the figure is wide
ALONE = 0.3  # of the distance between lines, if they show single values
FEW_SERIES = 4  # more lines than this get more of the room between worker counts, and are thinner

# What is drawn of a cell: the median, its interval or None twice, and the value of each process.
Point = namedtuple("Point", "median low high values")


def point(summarized, unit=1):
    """A Point from what `actorlab results` says of a cell's values, in this unit."""
    median, low, high, values = (summarized[key] for key in Point._fields)
    return Point(median / unit, None if low is None else low / unit, None if high is None else high / unit,
                 [value / unit for value in values])


def wants_log(summary, points):
    """Whether the panels that show these points get logarithmic axes."""
    panels = {}
    for cell in summary.cells:
        if cell["index"] in points:
            lines = panels.setdefault(cell["benchmark"], {})
            lines.setdefault(cell["line"], []).append(points[cell["index"]].median)
    return calls_for_log([list(lines.values()) for lines in panels.values()])


def beside(axis, cells):
    """Places lines side by side at each worker count: (key -> offset from the count's position,
    distance between two lines)."""
    present = sorted({cell["line"] for cell in cells})
    distance = (0.72 if len(present) > FEW_SERIES else 0.6) * axis.step / max(len(present), 2)
    return {key: (index - (len(present) - 1) / 2) * distance for index, key in enumerate(present)}, distance


def marker_size(axis, distance, points=PANEL_POINTS):
    return min(4.2, max(2.4, points * distance / (axis.high - axis.low)))


def draw_marker(axes, looks, cell, x, y, size):
    colour, marker, _ = looks[cell["line"]]
    # Not by axes.plot, which updates limits and units each time: a sweep may have thousands.
    axes.add_artist(Line2D([x], [y], marker=marker, markersize=size, markeredgewidth=0.2 * size, markeredgecolor=colour,
                           markerfacecolor="white" if cell["oversubscribed"] else colour, zorder=4, gid=gid(cell),
                           clip_on=False, in_layout=False))
    if cell["doubts"]:
        axes.add_artist(Line2D([x], [y], marker="o", markersize=2 * size, markeredgewidth=0.6, markeredgecolor="0.3",
                               markerfacecolor="none", zorder=3.9, gid="doubted", clip_on=False, in_layout=False))


def frame_panel(axes, axis, summary, benchmark, room=None):
    """Draws everything around a panel except the y axis. room: its width in inches, if it gets a
    title."""
    axes.set_xlim(axis.low, axis.high)
    ticks = axis.ticks()
    axes.set_xticks([axis.place(count) for count in ticks], [f"{count:,.10g}" if axis.name != "workers" else str(count) for count in ticks])
    axes.set_xlabel(axis.label)
    axes.yaxis.grid(True, linewidth=0.4, color=GRID)
    axes.set_axisbelow(True)
    if room:
        title(axes, summary, benchmark, room)


def draw_panel(axes, axis, summary, benchmark, points, room=None, dots=True, close=False):
    """Draws the lines of a benchmark, with or without single processes. close: single values, which
    have no intervals, stand closer to their place. Returns the smallest and the largest value."""
    looks = looks_of(summary)
    cells = [cell for cell in summary.of(benchmark) if cell["index"] in points]
    shifts, distance = beside(axis, cells)
    size = marker_size(axis, distance)
    if all(len(points[cell["index"]].values) == 1 for cell in cells):
        dots = False
        shifts = {key: shift * (ALONE if close and axis.joined else 1) for key, shift in shifts.items()}
    shown = []
    for key, shift in shifts.items():
        colour, _, dashes = looks[key]
        line = sorted((cell for cell in cells if cell["line"] == key), key=x_of)
        x = [axis.place(x_of(cell)) + shift for cell in line]
        drawn = [points[cell["index"]] for cell in line]
        y = [point.median for point in drawn]
        if axis.joined:
            axes.plot(x, y, color=colour, linestyle=dashes, linewidth=0.5 if len(shifts) > FEW_SERIES else 0.8, zorder=2)
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
                      markersize=0.3 * size, markeredgewidth=0, color=colour, zorder=1)
        for place, cell, point in zip(x, line, drawn):
            draw_marker(axes, looks, cell, place, point.median, size)
            shown += [value for value in (point.low, point.high, *point.values) if value is not None]
    frame_panel(axes, axis, summary, benchmark, room)
    return min(shown), max(shown)


def draw_crossings(axes, axis, marks, named=True):
    """Draws each mark halfway between worker counts; marks at the same place share a line. named:
    with words, which take room from small panels; the footnote explains a single mark, too."""
    names = {}
    for name, before, after in marks:
        names.setdefault((axis.place(before) + axis.place(after)) / 2, []).append(name)
    for place, words in names.items():
        axes.axvline(place, linewidth=0.6, linestyle=(0, (1, 1.5)), color="0.45", zorder=0.5, gid="crossing")
        if not named:
            continue
        axes.annotate(", ".join(words), (place, 1), (1.5, -1), xycoords=("data", "axes fraction"),
                      textcoords="offset points", rotation=90, ha="left", va="top", fontsize=SMALLEST, color="0.35",
                      zorder=2.5, bbox={"facecolor": "white", "alpha": 0.75, "edgecolor": "none", "pad": 0.3})


@styled
def draw(summary, points, frame, foot="", extra=(), close=True):
    """points: cell's index -> Point. frame(axes, axis, benchmark, low, high) scales the y axis of a
    panel with values from low to high, and returns its label. extra: further handles for the
    legend. close: of draw_panel."""
    cells = [cell for cell in summary.cells if cell["index"] in points]
    benchmarks = [name for name in summary.benchmarks if any(cell["benchmark"] == name for cell in cells)]
    many = len(benchmarks) > MANY
    columns = 4 if many else {1: 1, 2: 2, 4: 2}.get(len(benchmarks), 3)
    rows = math.ceil(len(benchmarks) / columns)
    width = SINGLE if columns == 1 else DOUBLE
    axis = Axis(cells, summary.x, NARROW_LABELS if many else MOST_LABELS)
    legend = legend_of(summary, cells, width, extra, axis.joined)
    if legend and (len(legend[0]) > MOST_ROWS * legend[1] or legend_width(*legend) > width):
        width = DOUBLE
        legend = legend_of(summary, cells, width, extra, axis.joined)
    height = rows * (SMALL_HEIGHT if many else PANEL_HEIGHT)
    drawing = page(width, height, legend, foot, simulated.banner(summary))
    panels = list(drawing.subplots(rows, columns, squeeze=False).flat)
    marks = crossings(summary)
    room, before = None if many else width / columns - BESIDE_PANEL, None
    for index, (axes, benchmark) in enumerate(zip(panels, benchmarks)):
        draw_crossings(axes, axis, marks, named=not many or len(marks) > 1)
        words = frame(axes, axis, benchmark, *draw_panel(axes, axis, summary, benchmark, points, room, close=close))
        if index % columns == 0 or words != before:
            axes.set_ylabel(words.replace(" (", "\n(", 1) if many else words)
        before = words
        if many:
            words = wrapped(benchmark, width / columns - BESIDE_PANEL, TITLE)
            axes.set_title(words, fontweight="bold", fontsize=TITLE if "\n" not in words else SMALL_TITLE)
            if index + columns < len(benchmarks):
                axes.set_xlabel("")
    for axes in panels[len(benchmarks):]:
        axes.set_visible(False)
    return drawing
