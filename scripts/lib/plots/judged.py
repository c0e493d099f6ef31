# SPDX-License-Identifier: MIT
"""What each workload is judged by, over workers: a wait, memory, or how evenly actors get on."""

from functools import partial

from matplotlib.ticker import EngFormatter

from common.words import span
from plots import lines
from plots.axes import scale
from plots.figure import Figure
from plots.style import interval_of
from results.judged import JUDGES, judged_by, judgement
from results.marks import caption_note


def frame(log, judges, axes, _, panel, low, high):
    judge = judges[panel]
    scaled = scale(axes, log, low, high)
    if judge.unit:
        axes.yaxis.set_major_formatter(EngFormatter(judge.unit))
    return judge.name + scaled


def figure(summary):
    """None where every workload is judged by its time per message, which other figures show."""
    known = judged_by(summary.actorlab)
    if not any(known.get(name) for name in summary.known["benchmarks"]):
        return None
    judges = {panel: JUDGES[known.get(workload["benchmark"])] for panel, workload in summary.workloads.items()}
    points = {}
    for cell in summary.cells:
        if found := judgement(judges[cell["benchmark"]], cell):
            points[cell["index"]] = lines.Point(*found, [found[0]])
    if not points:
        return None
    cells = [cell for cell in summary.cells if cell["index"] in points]
    words = ("What each workload is judged by; lower is better. Markers: "
             f"median of n = {span([cell['n'] for cell in cells], 'process')}; bars: {interval_of(summary)}.")
    return Figure("judged", "What each workload is judged by", words + caption_note(cells),
                  partial(lines.draw, summary, points, partial(frame, lines.wants_log(summary, points), judges)))
