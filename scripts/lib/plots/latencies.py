# SPDX-License-Identifier: MIT
"""Letter-value plots of latencies, with the throughput beside them.

H. Hofmann, H. Wickham, K. Kafadar: Letter-value plots: boxplots for large data. Journal of
Computational and Graphical Statistics 26, 2017."""

from collections import namedtuple
from functools import partial
from itertools import chain

from matplotlib.patches import Rectangle
from matplotlib.ticker import EngFormatter

from common.words import span
from plots import lines, simulated
from plots.axes import SCALES, Axis, log_scale, scale, x_of
from plots.figure import Figure
from plots.style import DOUBLE, ends, interval_of, legend_of, looks_of, page, paler, styled
from results.marks import caption_note

PANEL_HEIGHT = 2.3
WIDEST, NARROWEST = 0.84, 0.24  # widths of boxes, relative to the distance between two lines

# In seconds. boxes: (low, high). Half of the values lie in the first, half of the rest in the
# second, and so on.
Letters = namedtuple("Letters", "n median boxes outside")


def letters_of(summary):
    """index -> Letters, for cells with latencies."""
    known = ((cell["index"], cell["letters"]) for cell in summary.cells)
    return {index: Letters(of["n"], of["median"] * 1e-9,
                           [(low * 1e-9, high * 1e-9) for low, high in of["boxes"]],
                           [value * 1e-9 for value in of["outside"]])
            for index, of in known if of}


def draw_boxes(axes, axis, summary, benchmark, known, room):
    looks = looks_of(summary)
    cells = [cell for cell in summary.of(benchmark) if cell["index"] in known]
    shifts, distance = lines.beside(axis, cells)
    size = lines.marker_size(axis, distance, 2 * lines.PANEL_POINTS)
    for cell in cells:
        key, of = cell["line"], known[cell["index"]]
        x, colour, n = axis.place(x_of(cell)) + shifts[key], looks[key].colour, len(of.boxes)
        for inner, (low, high) in reversed(list(enumerate(of.boxes))):
            width = distance * (WIDEST - (WIDEST - NARROWEST) * inner / n)
            axes.add_patch(Rectangle((x - width / 2, low), width, high - low, linewidth=0.3, edgecolor=colour,
                                     facecolor=paler(colour, 0.45 * (1 - inner / n) + 0.05), zorder=2))
        axes.plot([x] * len(of.outside), of.outside, linestyle="none", marker="o", markersize=1.2, markeredgewidth=0,
                  color=colour, zorder=3)
        lines.draw_marker(axes, looks, cell, x, of.median, 0.75 * size)
    shown = [known[cell["index"]] for cell in cells]
    ends = [end for of in shown for end in (of.median, *of.outside, *chain(*of.boxes))]
    lines.frame_panel(axes, axis, summary, benchmark, room)
    log_scale(axes, min(ends), max(ends))
    axes.yaxis.set_major_formatter(EngFormatter("s"))
    axes.set_ylabel(f"latency ({SCALES[True]})")


@styled
def draw(summary, known, foot=""):
    cells = [summary.cells[index] for index in known]
    benchmarks = [name for name in summary.benchmarks if any(cell["benchmark"] == name for cell in cells)]
    axis = Axis(cells)
    legend = legend_of(summary, cells, DOUBLE, joined=axis.joined)
    drawing = page(DOUBLE, PANEL_HEIGHT * len(benchmarks), legend, foot, simulated.banner(summary))
    rates = {cell["index"]: lines.point(cell["messages_per_s"]) for cell in cells}
    log = lines.wants_log(summary, rates)
    panels = drawing.subplots(len(benchmarks), 2, squeeze=False, width_ratios=(1.6, 1))
    for (left, right), benchmark in zip(panels, benchmarks):
        draw_boxes(left, axis, summary, benchmark, known, 0.6 * DOUBLE - lines.BESIDE_PANEL)
        shown = lines.draw_panel(right, axis, summary, benchmark, rates)
        right.set_ylabel("messages per second" + scale(right, log, *shown))
        right.yaxis.set_major_formatter(EngFormatter())
    return drawing


def caption(summary, known):
    cells = [summary.cells[index] for index in known]
    words = ("Left: latencies of all messages of all processes together, "
             f"{ends([of.n for of in known.values()], '{:,}'.format)} in each. Marker: their "
             "median. The widest box holds the middle half; each narrower one, at either end, half of "
             "what lies beyond; boxes end where "
             "fewer than 8 values would lie beyond, and those are dots. Right: messages delivered per second of wall "
             f"time. Markers: median of n = {span([cell['n'] for cell in cells], 'process')}; "
             f"bars: {interval_of(summary)}; dots: single processes.")
    return words + caption_note(cells)


def figure(summary):
    known = letters_of(summary)
    if not known:
        return None
    return Figure("latencies", "Latencies and throughput", caption(summary, known), partial(draw, summary, known))
