# SPDX-License-Identifier: MIT
"""The high-water mark of the memory in queues, over workers or another axis."""

from functools import partial

from matplotlib.ticker import EngFormatter

from common.words import span
from plots import lines
from plots.axes import scale
from plots.crossings import note
from plots.figure import Figure
from results.marks import caption_note


def frame(log, axes, _, benchmark, low, high):
    scaled = scale(axes, log, low, high)
    axes.yaxis.set_major_formatter(EngFormatter("B"))
    return "most in queues" + scaled


def figure(summary):
    """None if the records do not know, or if no queue gave anything back: then the memory at the
    end is as much."""
    known = {cell["index"]: cell["memory"] for cell in summary.cells if cell["memory"]["queue_peak_bytes"] is not None}
    if all(memory["queue_peak_bytes"] == memory["queue_bytes"] for memory in known.values()):
        return None
    points = {}
    for index, memory in known.items():
        most = memory["queue_peak_bytes"]
        points[index] = lines.Point(most, None, None, [most])
    cells = [cell for cell in summary.cells if cell["index"] in points]
    name = "queues" if summary.x == "workers" else f"queues-{summary.x}"
    words = ("Markers: the most that all queues of the strategy held at once, used or not, in any iteration; "
             f"median of n = {span([cell['n'] for cell in cells], 'process')}.")
    return Figure(name, f"Memory in queues over {summary.x}", words + caption_note(cells) + note(summary),
                  partial(lines.draw, summary, points, partial(frame, lines.wants_log(summary, points))))
