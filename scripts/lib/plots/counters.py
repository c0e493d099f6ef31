# SPDX-License-Identifier: MIT
"""Counters over workers: what stealing and gulps cost each message."""

import math
import re
import statistics
from collections import namedtuple
from functools import partial

from matplotlib.ticker import FuncFormatter

from plots import lines
from plots.figure import Figure
from plots.style import DOUBLE, legend_of, page, processes, styled

PANEL_HEIGHT = 1.75
MOST_DECADES = 6  # that an axis shows
MOST_TICKS = 4  # beside 0
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

SMALL = FuncFormatter(lambda value, _: re.sub("e-0?([0-9]+)", lambda power: f"·10{f'-{power[1]}'.translate(RAISED)}",
                                              f"{value:.10g}"))

# of(sums of counters): a value, or None where it cannot be told.
Counter = namedtuple("Counter", "name of")


def per(counter, others):
    return lambda sums: sums[counter] / sums[others] if sums.get(others) and counter in sums else None


COUNTERS = (
    Counter("steal attempts per message", per("steal_attempts", "messages_received")),
    Counter("steals per message", per("steals", "messages_received")),
    Counter("missed gulps per message", per("missed_gulps", "messages_received")),
    Counter("messages per gulp", per("messages_received", "gulps")),
)


def sums_of(run):
    """Of each counter over all threads."""
    threads = run.get("counters") or []
    sums = {name: sum(thread[name] for thread in threads) for name in (threads[0] if threads else ())}
    if "queues_stolen" in sums:
        sums.setdefault("steals", sums["queues_stolen"])  # as it is for all records that lack it: docs/records.md
    return sums


def points_of(summary, counter):
    """index -> Point without interval."""
    points = {}
    for cell, runs in zip(summary.cells, summary.runs):
        values = [value for run in runs if (value := counter.of(sums_of(run))) is not None]
        if values:
            points[cell["index"]] = lines.Point(statistics.median(values), None, None, values)
    return points


def scale(axes, points, high):
    """From 0; above it logarithmic where the medians span much."""
    medians = [point.median for point in points if point.median > 0]
    if not medians or max(medians) <= lines.LOG_SPAN * min(medians):
        lines.linear_scale(axes, high or 1)
        if 0 < high < 1e-4:
            axes.yaxis.set_major_formatter(SMALL)
        return
    last = math.floor(math.log10(high))
    first = max(math.floor(math.log10(min(medians))), last - MOST_DECADES)
    axes.set_yscale("symlog", linthresh=10 ** first, linscale=0.5)
    axes.set_ylim(0, high * 1.5)
    shown = range(first, last + 1, math.ceil((last - first + 1) / MOST_TICKS))
    axes.set_yticks([0, *(10.0 ** power for power in shown)],
                    ["0", *("10" + str(power).translate(RAISED) for power in shown)])


@styled
def draw(summary, known, foot=""):
    cells = [cell for cell in summary.cells if any(cell["index"] in points for points in known.values())]
    benchmarks = [name for name in summary.benchmarks if any(cell["benchmark"] == name for cell in cells)]
    drawing = page(DOUBLE, PANEL_HEIGHT * len(benchmarks), legend_of(summary, cells, DOUBLE), foot)
    axis = lines.Axis(cells)
    panels = drawing.subplots(len(benchmarks), len(known), squeeze=False)
    for row, benchmark in zip(panels, benchmarks):
        for axes, points in zip(row, known.values()):
            shown = [points[cell["index"]] for cell in summary.of(benchmark) if cell["index"] in points]
            if shown:
                _, high = lines.draw_panel(axes, axis, summary, benchmark, points)
                scale(axes, shown, high)
            else:
                axes.set_axis_off()
            if benchmark != benchmarks[-1]:
                axes.set_xlabel("")
        row[0].set_ylabel(benchmark, fontweight="bold")
    for axes, name in zip(panels[0], known):
        axes.set_title(name, fontsize=7.5)
    return drawing


def caption(summary, known):
    indices = {index for points in known.values() for index in points}
    words = ("Sums over all threads. Markers: median of "
             f"n = {processes([len(point.values) for points in known.values() for point in points.values()])}; "
             "dots: single processes. Axes with powers of ten are logarithmic above the lowest of them.")
    if any(summary.cells[index]["oversubscribed"] for index in indices):
        words += " Hollow: more workers than PUs."
    return words


def figure(summary):
    known = {counter.name: points_of(summary, counter) for counter in COUNTERS}
    known = {name: points for name, points in known.items() if any(max(point.values) for point in points.values())}
    if not known:
        return None
    return Figure("counters", "Counters over workers", caption(summary, known), partial(draw, summary, known))
