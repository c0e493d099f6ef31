# SPDX-License-Identifier: MIT
"""Letter-value plots of latencies (H. Hofmann, H. Wickham, K. Kafadar: Letter-value plots: boxplots for large data.
Journal of Computational and Graphical Statistics 26, 2017), with the throughput beside them."""

from collections import namedtuple
from functools import partial
from itertools import chain

import numpy
from matplotlib.patches import Rectangle
from matplotlib.ticker import EngFormatter

from plots import lines
from plots.figure import Figure
from plots.style import DOUBLE, legend_of, looks_of, page, paler, processes, series_key, span, styled

PANEL_HEIGHT = 2.3
MIDDLE = 1 + 3 / 512  # a bucket is 1/64 to 1/128 as wide as its smallest value: from there to its middle, within 0.2%
BEYOND = 7.7  # values that must lie beyond a letter value: 2 z², or its 95% interval reaches to the next one
SHORTEST = 1e-9  # seconds: what took less does not fit on a logarithmic axis
WIDEST, NARROWEST = 0.84, 0.24  # of boxes, to the distance between two lines

# In seconds. boxes: (low, high), of which half the values lie in the first, half of the rest in the second, and so on.
Letters = namedtuple("Letters", "n median boxes outside")


def merged(runs):
    """(values in seconds, how often) of the buckets of all these runs, in order."""
    values, counts = [], []
    for latencies in (run["latencies"] for run in runs):
        for low, count in latencies["buckets"]:
            middle = min(max(low * MIDDLE, latencies["min_ns"]), latencies["max_ns"])
            values.append(max(middle * 1e-9, SHORTEST))
            counts.append(count)
    order = numpy.argsort(values)
    return numpy.array(values)[order], numpy.array(counts)[order]


def letters(values, counts):
    """Of values with how often each occurs, in order."""
    below = numpy.cumsum(counts)
    n = int(below[-1])

    def at(depth):
        """The value that deep from either end; between two values, their mean."""
        def ordered(rank):
            return values[numpy.searchsorted(below, rank)]

        return tuple(float(ordered(int(rank)) + ordered(int(rank + 0.5))) / 2 for rank in (depth, n + 1 - depth))

    depth = (n + 1) / 2
    median, boxes = at(depth)[0], []
    while n / 2 ** (len(boxes) + 2) >= BEYOND:
        depth = (int(depth) + 1) / 2
        boxes.append(at(depth))
    low, high = boxes[-1] if boxes else (median, median)
    return Letters(n, median, boxes, [float(value) for value in values if not low <= value <= high])


def has_buckets(run):
    latencies = run.get("latencies") or {}
    return latencies.get("buckets") and None not in (latencies.get("min_ns"), latencies.get("max_ns"))


def letters_of(summary):
    """index -> Letters, of the cells that have latencies."""
    known = {}
    for cell, runs in zip(summary.cells, summary.runs):
        runs = list(filter(has_buckets, runs))
        if runs:
            known[cell["index"]] = letters(*merged(runs))
    return known


def draw_boxes(axes, axis, summary, benchmark, known, room):
    looks = looks_of(summary)
    cells = [cell for cell in summary.of(benchmark) if cell["index"] in known]
    shifts, distance = lines.beside(axis, summary, cells)
    size = lines.marker_size(axis, distance, 2 * lines.PANEL_POINTS)
    for cell in cells:
        key, of = series_key(summary, cell), known[cell["index"]]
        x, colour, n = axis.place(cell["workers"]) + shifts[key], looks[key].colour, len(of.boxes)
        for inner, (low, high) in reversed(list(enumerate(of.boxes))):
            width = distance * (WIDEST - (WIDEST - NARROWEST) * inner / n)
            axes.add_patch(Rectangle((x - width / 2, low), width, high - low, linewidth=0.3, edgecolor=colour,
                                     facecolor=paler(colour, 0.45 * (1 - inner / n) + 0.05), zorder=2))
        axes.plot([x] * len(of.outside), of.outside, linestyle="none", marker="o", markersize=1.2, markeredgewidth=0,
                  color=colour, zorder=3)
        lines.draw_marker(axes, looks, summary, cell, x, of.median, 0.75 * size)
    shown = [known[cell["index"]] for cell in cells]
    ends = [end for of in shown for end in (of.median, *of.outside, *chain(*of.boxes))]
    lines.frame_panel(axes, axis, summary, benchmark, room)
    lines.log_scale(axes, min(ends), max(ends))
    axes.yaxis.set_major_formatter(EngFormatter("s"))
    axes.set_ylabel("latency (log scale)")


@styled
def draw(summary, known, foot=""):
    cells = [summary.cells[index] for index in known]
    benchmarks = [name for name in summary.benchmarks if any(cell["benchmark"] == name for cell in cells)]
    drawing = page(DOUBLE, PANEL_HEIGHT * len(benchmarks), legend_of(summary, cells, DOUBLE), foot)
    axis = lines.Axis(cells)
    rates = {cell["index"]: lines.point(cell["messages_per_s"]) for cell in cells}
    panels = drawing.subplots(len(benchmarks), 2, squeeze=False, width_ratios=(1.6, 1))
    for (left, right), benchmark in zip(panels, benchmarks):
        draw_boxes(left, axis, summary, benchmark, known, 0.6 * DOUBLE - lines.BESIDE_PANEL)
        shown = lines.draw_panel(right, axis, summary, benchmark, rates)
        medians = [rates[cell["index"]].median for cell in cells if cell["benchmark"] == benchmark]
        right.set_ylabel("messages per second" + lines.scale(right, medians, *shown))
        right.yaxis.set_major_formatter(EngFormatter())
    return drawing


def caption(summary, known):
    cells = [summary.cells[index] for index in known]
    words = ("Left: latencies of all messages of all processes together, "
             f"{span([of.n for of in known.values()], '{:,}'.format)} in each. Marker: their median. The widest box "
             "holds the middle half; each narrower one, at either end, half of what lies beyond; boxes end where "
             "fewer than 8 values would lie beyond, and those are dots. Right: messages delivered per second of wall "
             f"time. Markers: median of n = {processes([cell['n'] for cell in cells])}; bars: {summary.level:.0%} "
             "bootstrap interval; dots: single processes.")
    if any(cell["oversubscribed"] for cell in cells):
        words += " Hollow: more workers than PUs."
    return words


def figure(summary):
    known = letters_of(summary)
    if not known:
        return None
    return Figure("latencies", "Latencies and throughput", caption(summary, known), partial(draw, summary, known))
