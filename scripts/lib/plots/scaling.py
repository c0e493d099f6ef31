# SPDX-License-Identifier: MIT
"""Time per message over workers."""

from functools import partial

from plots import lines
from plots.figure import Figure
from plots.style import processes, span

LOG_SPAN = 20  # a panel whose medians span a larger factor than this has a logarithmic axis


def is_log(summary, benchmark):
    medians = [cell["ns_per_message"]["median"] for cell in summary.of(benchmark)]
    return max(medians) > LOG_SPAN * min(medians)


def frame(summary, axes, _, benchmark, low, high):
    if is_log(summary, benchmark):
        lines.log_scale(axes, low, high)
        return "ns per message (log scale)"
    lines.linear_scale(axes, high)
    return "ns per message"


def caption(summary):
    counts = [cell["n"] for cell in summary.cells]
    covered = [100 * cell["ns_per_message"]["achieved"] for cell in summary.cells]
    achieved = f" (achieved {span(covered, '{:.1f}'.format)}%)" if max(counts) > 1 else ""
    words = (f"Wall time over all workers. Markers: median of n = {processes(counts)}; bars: {summary.level:.0%} "
             f"bootstrap interval{achieved}; dots: single processes.")
    if any(cell["oversubscribed"] for cell in summary.cells):
        words += " Hollow: more workers than PUs."
    return words


def figure(summary):
    points = {}
    for cell in summary.cells:
        time = cell["ns_per_message"]
        points[cell["index"]] = lines.Point(time["median"], time["low"], time["high"], time["values"])
    return Figure("scaling", "Time per message over workers", caption(summary),
                  partial(lines.draw, summary, points, partial(frame, summary)))
