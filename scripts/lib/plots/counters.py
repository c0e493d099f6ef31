# SPDX-License-Identifier: MIT
"""Counters over workers: what stealing and gulps cost each message."""

import math
import re
from functools import partial

import numpy
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator

from common.words import span
from plots import lines, simulated
from plots.axes import LOG_SPAN, MOST_LABELS, NARROW_LABELS, SCALES, Axis, linear_scale
from plots.figure import Figure
from plots.style import DOUBLE, legend_of, page, styled
from results.marks import caption_note

PANEL_HEIGHT, PAGE_HEIGHT = 1.75, 9
SMALL = 1  # inches: lower panels have fewer ticks, and no single processes
MOST_TICKS, FEW_TICKS = 4, 2  # beside 0
ZERO = 0.2  # part of a logarithmic axis below which 0 has its place
BREAK = {"marker": ((-1, -0.5), (1, 0.5)), "markersize": 4, "color": "black", "linewidth": 0}
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


def log_range(summary, points):
    """(low, high, part of it that 0 takes) of the logarithmic axis of a column of panels, which
    share it so that workloads can be compared; None if its panels are linear."""
    panels = [[points[cell["index"]].median for cell in summary.of(benchmark)
               if cell["index"] in points and points[cell["index"]].median > 0] for benchmark in summary.benchmarks]
    if not any(panel and max(panel) > LOG_SPAN * min(panel) for panel in panels):
        return None
    values = [value for point in points.values() for value in (point.median, *point.values)]
    above = [value for value in values if value > 0]
    return min(above) / 1.5, max(above) * 1.5, ZERO if len(above) < len(values) else 0


def scale_linear(axes, high, ticks):
    linear_scale(axes, high or 1)
    axes.yaxis.set_major_locator(MaxNLocator(ticks + 1, steps=(1, 2, 5, 10)) if high else FixedLocator([0]))
    if high < 1e-4:
        axes.yaxis.set_major_formatter(TINY)


def scale_log(axes, low, high, zero, ticks):
    """A logarithmic axis on which 0, which has no logarithm, has a place of its own below a break.
    zero: the part of the axis that this takes."""
    floor = high / (high / low) ** (1 / (1 - zero))

    def forward(values):
        return numpy.log10(numpy.maximum(values, floor))

    axes.set_yscale("function", functions=(forward, lambda places: 10.0 ** numpy.asarray(places)))
    axes.set_ylim(0 if zero else low, high)
    first, last = math.ceil(math.log10(low)), math.floor(math.log10(high))
    powers = range(last, first - 1, -max(1, math.ceil((last - first + 1) / ticks)))
    axes.set_yticks([10.0 ** power for power in powers], ["10" + str(power).translate(RAISED) for power in powers])
    if zero:
        axes.set_yticks([0, *axes.get_yticks()], ["0", *(text.get_text() for text in axes.get_yticklabels())])
        ends = [zero * part for part in (0.4, 0.7)]
        for style in ({"color": "white", "linewidth": 2}, BREAK):
            axes.plot([0, 0], ends, transform=axes.transAxes, clip_on=False, zorder=5, **style)


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
    ranges = [log_range(summary, points) for points in known.values()]
    for row, benchmark in zip(panels, benchmarks):
        for axes, points, limits in zip(row, known.values(), ranges):
            shown = [points[cell["index"]] for cell in summary.of(benchmark) if cell["index"] in points]
            if shown:
                _, high = lines.draw_panel(axes, axis, summary, benchmark, points, dots=not small)
                ticks = FEW_TICKS if small else MOST_TICKS
                if limits is None:
                    scale_linear(axes, max(point.median for point in shown) if small else high, ticks)
                else:
                    scale_log(axes, *limits, ticks)
            else:
                axes.set_axis_off()
            if benchmark != benchmarks[-1]:
                axes.set_xlabel("")
                axes.tick_params(labelbottom=not small)
            axes.tick_params(labelsize=6.5 if small else 8)
        row[0].set_ylabel(benchmark, fontweight="bold")
        if small:
            row[0].yaxis.label.set(rotation=0, ha="right", va="center")
    for axes, name, limits in zip(panels[0], known, ranges):
        axes.set_title(f"{name}\n({SCALES[limits is not None]})", fontsize=7.5)
    return drawing


def caption(summary, known):
    indices = {index for points in known.values() for index in points}
    rows = len({summary.cells[index]["benchmark"] for index in indices})
    dots = "" if height_of(rows) < SMALL else "; dots: single processes"
    runs = [len(point.values) for points in known.values() for point in points.values()]
    words = (f"Sums over all threads. Markers: median of n = {span(runs, 'process')}{dots}. "
             "A log scale has 0 below a break.")
    return words + caption_note([summary.cells[index] for index in indices])


def figure(summary):
    known = {name: points_of(summary, rate) for name, rate in COUNTERS.items()}
    known = {name: points for name, points in known.items() if any(max(point.values) for point in points.values())}
    if not known:
        return None
    return Figure("counters", "Counters over workers", caption(summary, known), partial(draw, summary, known))
