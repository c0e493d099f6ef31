# SPDX-License-Identifier: MIT
"""Time per message, or run time, over workers or another axis."""

from collections import namedtuple
from functools import partial

from common.words import span
from plots import lines
from plots.axes import scale, x_of
from plots.crossings import note
from plots.figure import Figure
from plots.style import ends, interval_of
from results.marks import caption_note

HIGHEST = 2  # of relative times, whose medians are at most 1

# name: of the figure. key: in `actorlab results`. units: (ns, name), from the largest; the label
# has the one that suits the panel.
Measure = namedtuple("Measure", "name key label title what units")
MEASURES = {
    "message": Measure("scaling", "ns_per_message", "{} per message", "Time per message",
                       "Elapsed time, divided by the messages delivered.", ((1, "ns"),)),
    "time": Measure("time", "time_ns", "run time ({})", "Run time", "Elapsed time of an iteration.",
                    ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1, "ns"))),
    "relative": Measure("relative", "ns_per_message", "relative to the slowest", "Time relative to the slowest",
                        f"Time per message, divided by the median of the slowest at the same work; values above {HIGHEST} are cut off.",
                        ((1, ""),)),
}


def unit_of(measure, cells):
    """(ns, name) of the largest unit in which the largest median of these cells is not below 1."""
    most = max(cell[measure.key]["median"] for cell in cells)
    return next((unit for unit in measure.units if most >= unit[0]), measure.units[-1])


def points_of(summary, measure):
    """index -> Point, in the unit of its panel."""
    points = {}
    for benchmark in summary.benchmarks:
        cells, slowest = summary.of(benchmark), {}
        unit, _ = unit_of(measure, cells)
        for cell in cells if measure.name == "relative" else ():
            slowest[x_of(cell)] = max(cell[measure.key]["median"], slowest.get(x_of(cell), 0))
        points |= {cell["index"]: lines.point(cell[measure.key], slowest.get(x_of(cell), unit)) for cell in cells}
    return points


def frame(summary, measure, log, axes, _, benchmark, low, high):
    label = measure.label.format(unit_of(measure, summary.of(benchmark))[1])
    scaled = scale(axes, log, low, min(max(high, 1), HIGHEST) if measure.name == "relative" else high)
    return (label + scaled).replace(") (", ", ")  # one pair of parentheses


def caption(summary, measure):
    counts = [cell["n"] for cell in summary.cells]
    covered = [100 * cell[measure.key]["achieved"] for cell in summary.cells]
    words = f"{measure.what} Markers: a single process each."
    if max(counts) > 1:
        words = (f"{measure.what} Markers: median of n = {span(counts, 'process')}; "
                 f"bars: {interval_of(summary)} (achieved "
                 f"{ends(covered, '{:.1f}'.format)}%); dots: single processes.")
    return words + caption_note(summary.cells) + note(summary)


def figure(summary, y="message"):
    measure = MEASURES[y]
    points = points_of(summary, measure)
    name = measure.name if summary.x == "workers" else f"{measure.name}-{summary.x}"
    return Figure(name, f"{measure.title} over {summary.x}", caption(summary, measure),
                  partial(lines.draw, summary, points, partial(frame, summary, measure, lines.wants_log(summary, points))))
