# SPDX-License-Identifier: MIT
"""Time per message over workers."""

from functools import partial

from plots import lines
from plots.crossings import note
from plots.figure import Figure
from plots.style import interval_of, processes, span


def frame(summary, axes, _, benchmark, low, high):
    medians = [cell["ns_per_message"]["median"] for cell in summary.of(benchmark)]
    return "ns per message" + lines.scale(axes, medians, low, high)


def caption(summary):
    counts = [cell["n"] for cell in summary.cells]
    covered = [100 * cell["ns_per_message"]["achieved"] for cell in summary.cells]
    achieved = f" (achieved {span(covered, '{:.1f}'.format)}%)" if max(counts) > 1 else ""
    words = (f"Elapsed time, divided by the messages delivered. Markers: median of n = {processes(counts)}; bars: "
             f"{interval_of(summary)}{achieved}; dots: single processes.")
    if any(cell["oversubscribed"] for cell in summary.cells):
        words += " Hollow: more workers than PUs."
    return words + note(summary)


def figure(summary):
    points = {cell["index"]: lines.point(cell["ns_per_message"]) for cell in summary.cells}
    return Figure("scaling", "Time per message over workers", caption(summary),
                  partial(lines.draw, summary, points, partial(frame, summary)))
