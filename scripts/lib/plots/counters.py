# SPDX-License-Identifier: MIT
"""Counters over workers: what stealing and gulps cost each message."""

import math
import re
from functools import partial

from matplotlib.ticker import FuncFormatter, MaxNLocator

from common.words import span
from plots import lines, simulated
from plots.axes import LOG_SPAN, MOST_LABELS, NARROW_LABELS, Axis, linear_scale
from plots.figure import Figure
from plots.style import DOUBLE, legend_of, page, styled
from results.marks import caption_note

PANEL_HEIGHT, PAGE_HEIGHT = 1.75, 9
SMALL = 1  # inches: lower panels have fewer ticks, and no single processes
MOST_DECADES = 6  # that an axis shows
MOST_TICKS, FEW_TICKS = 4, 2  # beside 0
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

TINY = FuncFormatter(lambda value, _: re.sub("e-0?([0-9]+)", lambda power: f"·10{f'-{power[1]}'.translate(RAISED)}",
                                             f"{value:.10g}"))

# What each panel shows: its title, and the rate in `actorlab results --json`.
COUNTERS = {
    "steal attempts per message": "steal_attempts_per_message",
    "steals per message": "steals_per_message",
    "missed gulps per message": "missed_gulps_per_message",
    "messages per gulp": "messages_per_gulp",
}


def points_of(summary, rate):
    """index -> Point that has no interval."""
    found = ((cell["index"], cell["rates"].get(rate)) for cell in summary.cells)
    return {index: lines.Point(known["median"], None, None, known["values"])
            for index, known in found if known}


def scale(axes, points, high, ticks):
    """Scales an axis from 0, logarithmically above it if the medians span a large factor."""
    if not high:
        linear_scale(axes, 1)
        axes.set_yticks([0])
        return
    medians = [point.median for point in points if point.median > 0]
    if not medians or max(medians) <= LOG_SPAN * min(medians):
        linear_scale(axes, high)
        axes.yaxis.set_major_locator(MaxNLocator(ticks + 1, steps=(1, 2, 5, 10)))
        if high < 1e-4:
            axes.yaxis.set_major_formatter(TINY)
        return
    last = math.floor(math.log10(high))
    first = max(math.floor(math.log10(min(medians))), last - MOST_DECADES)
    axes.set_yscale("symlog", linthresh=10 ** first, linscale=0.5)
    axes.set_ylim(0, high * 1.5)
    step = math.ceil((last - first + 1) / ticks)
    shown = range(last, first, -step) if ticks == FEW_TICKS else range(first, last + 1, step)
    axes.set_yticks([0, *(10.0 ** power for power in shown)],
                    ["0", *("10" + str(power).translate(RAISED) for power in shown)])


def height_of(rows):
    """The height of a panel in inches."""
    return min(PANEL_HEIGHT, PAGE_HEIGHT / rows)


@styled
def draw(summary, known, foot=""):
    cells = [cell for cell in summary.cells if any(cell["index"] in points for points in known.values())]
    benchmarks = [name for name in summary.benchmarks if any(cell["benchmark"] == name for cell in cells)]
    height = height_of(len(benchmarks))
    small = height < SMALL
    axis = Axis(cells, labels=NARROW_LABELS if len(known) > 2 else MOST_LABELS)
    legend = legend_of(summary, cells, DOUBLE, joined=axis.joined)
    drawing = page(DOUBLE, height * len(benchmarks), legend, foot, simulated.banner(summary))
    panels = drawing.subplots(len(benchmarks), len(known), squeeze=False)
    for row, benchmark in zip(panels, benchmarks):
        for axes, points in zip(row, known.values()):
            shown = [points[cell["index"]] for cell in summary.of(benchmark) if cell["index"] in points]
            if shown:
                _, high = lines.draw_panel(axes, axis, summary, benchmark, points, dots=not small)
                scale(axes, shown, max(point.median for point in shown) if small else high,
                      FEW_TICKS if small else MOST_TICKS)
            else:
                axes.set_axis_off()
            if benchmark != benchmarks[-1]:
                axes.set_xlabel("")
                axes.tick_params(labelbottom=not small)
            axes.tick_params(labelsize=6.5 if small else 8)
        row[0].set_ylabel(benchmark, fontweight="bold")
        if small:
            row[0].yaxis.label.set(rotation=0, ha="right", va="center")
    for axes, name in zip(panels[0], known):
        axes.set_title(name, fontsize=7.5)
    return drawing


def caption(summary, known):
    indices = {index for points in known.values() for index in points}
    rows = len({summary.cells[index]["benchmark"] for index in indices})
    dots = "" if height_of(rows) < SMALL else "; dots: single processes"
    runs = [len(point.values) for points in known.values() for point in points.values()]
    words = (f"Sums over all threads. Markers: median of n = {span(runs, 'process')}{dots}. "
             "Axes with powers of ten are logarithmic but near 0.")
    return words + caption_note([summary.cells[index] for index in indices])


def figure(summary):
    known = {name: points_of(summary, rate) for name, rate in COUNTERS.items()}
    known = {name: points for name, points in known.items() if any(max(point.values) for point in points.values())}
    if not known:
        return None
    return Figure("counters", "Counters over workers", caption(summary, known), partial(draw, summary, known))
