# SPDX-License-Identifier: MIT
"""Memory over workers: the peak of a process, and what allocator and queues held at the end."""

from functools import partial

from matplotlib.patches import Patch, Rectangle
from matplotlib.ticker import EngFormatter

from common.words import span
from plots import lines
from plots.axes import SCALES, linear_scale, x_of
from plots.crossings import note
from plots.figure import Figure
from plots.style import interval_of, looks_of, paler
from results.marks import caption_note

# What bars show, from back to front: the depth of the colour, and the name.
BARS = {"resident_bytes": (0.2, "resident"), "allocated_bytes": (0.5, "allocated"), "queue_bytes": (1, "queues")}
WIDTH = 0.6  # of a bar, relative to the distance between two lines


def frame(summary, axes, axis, benchmark, _, high):
    """Frames a panel and adds the bars."""
    cells = summary.of(benchmark)
    shifts, distance = lines.beside(axis, cells)
    looks = looks_of(summary)
    for cell in cells:
        key = cell["line"]
        left = axis.place(x_of(cell)) + shifts[key] - WIDTH * distance / 2
        colour = looks[key].colour
        for name, (depth, _) in BARS.items():
            size = cell["memory"][name]
            if size is not None:
                axes.add_patch(Rectangle((left, 0), WIDTH * distance, size, linewidth=0.4, edgecolor=colour,
                                         facecolor=paler(colour, depth), zorder=1.5, gid=f"{name}-{cell['index']}",
                                         in_layout=False))
    linear_scale(axes, high)
    axes.yaxis.set_major_formatter(EngFormatter("B"))
    return f"memory ({SCALES[False]})"


def shown_bars(summary):
    return [bar for name, bar in BARS.items() if any(cell["memory"][name] is not None for cell in summary.cells)]


def caption(summary):
    words = ("Markers: the largest resident set of a process, median of "
             f"n = {span([cell['n'] for cell in summary.cells], 'process')}; "
             f"lines: {interval_of(summary)}; "
             "dots: single processes.")
    if shown_bars(summary):
        words += (" Bars: medians at the end of the last iteration, before anything was released: what of the "
                  "allocator's memory was resident, what was allocated from it, and what the strategy's queues held.")
    return words + caption_note(summary.cells) + note(summary)


def figure(summary):
    """None if all cells are simulated: their processes are simulators."""
    if summary.simulated:
        return None
    points = {cell["index"]: lines.point(cell["peak_rss_bytes"]) for cell in summary.cells}
    bars = [Patch(facecolor=paler("black", depth), edgecolor="black", linewidth=0.4, label=name)
            for depth, name in shown_bars(summary)]
    return Figure("memory", "Memory over workers", caption(summary),
                  partial(lines.draw, summary, points, partial(frame, summary), extra=bars, close=False))
