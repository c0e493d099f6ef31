# SPDX-License-Identifier: MIT
"""Quantiles of latencies over the load or another axis, with intervals over processes."""

from functools import partial

from matplotlib.ticker import EngFormatter

from common.words import span
from plots import lines, simulated
from plots.axes import NARROW_LABELS, SCALES, Axis, log_scale
from plots.figure import Figure
from plots.style import DOUBLE, interval_of, legend_of, page, styled
from results.marks import caption_note

PANEL_HEIGHT = 1.75
# What a record has, and what the head of a column says.
QUANTILES = {"p50": "median", "p99": "99%", "p99.9": "99.9%", "max": "longest"}


def points_of(summary):
    """quantile -> index -> lines.Point in seconds, of cells with latencies."""
    def point(of):
        return lines.point({**of, "values": [of["median"]]}, 1e9)

    return {quantile: {cell["index"]: point(cell["latencies"][quantile]) for cell in summary.cells
                       if quantile in cell["latencies"]} for quantile in QUANTILES}


@styled
def draw(summary, points, foot=""):
    cells = [cell for cell in summary.cells if cell["latencies"]]
    benchmarks = [name for name in summary.benchmarks if any(cell["benchmark"] == name for cell in cells)]
    axis = Axis(cells, summary.x, NARROW_LABELS)
    legend = legend_of(summary, cells, DOUBLE, joined=axis.joined)
    drawing = page(DOUBLE, PANEL_HEIGHT * len(benchmarks), legend, foot, simulated.banner(summary))
    rows = drawing.subplots(len(benchmarks), len(QUANTILES), squeeze=False, sharey="row")
    for row, benchmark in zip(rows, benchmarks):
        spans = [lines.draw_panel(axes, axis, summary, benchmark, points[quantile], dots=False, close=True)
                 for axes, quantile in zip(row, QUANTILES)]
        for axes in row:  # a row has one scale, so that tails can be told from medians
            log_scale(axes, min(low for low, _ in spans), max(high for _, high in spans))
            axes.yaxis.set_major_formatter(EngFormatter("s"))
            axes.set_xlabel(axis.label if benchmark == benchmarks[-1] else "")
        row[0].set_ylabel(f"{benchmark}\nlatency ({SCALES[True]})")
    for axes, words in zip(rows[0], QUANTILES.values()):
        axes.set_title(words, fontweight="bold")
    return drawing


def caption(summary):
    cells = [cell for cell in summary.cells if cell["latencies"]]
    return ("The times within which half, 99% and 99.9% of a process's messages were delivered, and the longest. Markers: "
            f"median of n = {span([cell['n'] for cell in cells], 'process')}; bars: {interval_of(summary)}." + caption_note(cells))


def figure(summary):
    """None without latencies over an axis."""
    points = points_of(summary)
    if summary.x == "workers" or not points["p50"]:
        return None
    return Figure("tails", f"Latency over {summary.x}", caption(summary), partial(draw, summary, points))
