# SPDX-License-Identifier: MIT
"""Bars: the time of each line, relative to the slowest at the same work, as in Figure 1 of the LAS
paper; or markers, where the slowest would flatten the others: a logarithmic axis has no 0 for bars
to stand on."""

from collections import namedtuple
from functools import partial

from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle

from common.words import plural, span
from plots import simulated
from plots.axes import FEW, LOG_SPAN, scale
from plots.figure import Figure
from plots.palette import looks
from plots.style import DOUBLE, GRID, SINGLE, SMALLEST, STRIPE, gid, interval_of, page, room, rows_of, short, styled, text_width
from results.marks import caption_note, doubt

PANEL_HEIGHT, LOG_HEIGHT = 1.9, 2.6
GROUP = 0.86  # width of the bars of a group, relative to the distance between groups
WIDE_FROM = 16  # so many bars take both columns of a paper
BESIDE = 0.6  # inches of the width that the labels of y take
HIGHEST = 2  # intervals may reach beyond the axis
TOP = 1.13  # of the axis, relative to the highest value that it must hold

MARK = {"textcoords": "offset points", "ha": "center", "va": "bottom", "fontsize": SMALLEST, "zorder": 4}

# What bars show: the median latency instead of the time, where the records have latencies.
Bar = namedtuple("Bar", "cell median low high")


def groups_of(summary, workers):
    """[(label, {strategy -> Bar})] of the workloads with so many workers: time per message, and for
    workloads with latencies their median. A benchmark with other parameters is another workload."""
    made = []
    for workload in dict.fromkeys(cell["workload"] for benchmark in summary.benchmarks for cell in summary.of(benchmark)):
        cells = [cell for cell in summary.cells if (cell["workload"], cell["workers"]) == (workload, workers)]
        label = workload.replace(" ", "\n").replace("=", "=\n")
        kinds = [(label, {cell["strategy"]: (cell, cell["ns_per_message"]) for cell in cells})]
        late = {cell["strategy"]: (cell, cell["latencies"]["p50"]) for cell in cells if "p50" in cell["latencies"]}
        kinds += [(f"{label}\nlatency", late)] * bool(late)
        for label, known in kinds:
            if len(known) > 1:
                slowest = max(value["median"] for _, value in known.values())
                made.append((label, {key: Bar(cell, *(None if value[end] is None else value[end] / slowest
                                                      for end in ("median", "low", "high")))
                                     for key, (cell, value) in known.items()}))
    return made


def worker_counts(summary):
    """All of them if they are few, else the largest."""
    counts = sorted({cell["workers"] for cell in summary.cells})
    counts = counts if len(counts) <= FEW else counts[-1:]
    return [count for count in counts if groups_of(summary, count)]


def wants_log(groups):
    """Whether the medians of a group span so much. groups: of all panels."""
    medians = [[bar.median for bar in bars.values()] for made in groups.values() for _, bars in made]
    return min(map(min, medians)) > 0 and any(max(of) > LOG_SPAN * min(of) for of in medians)


def draw_marker(axes, look, bar, x, width, name):
    """In place of a bar; the width is that of a bar, in inches."""
    size = min(4.2, 72 * width)
    axes.add_artist(Line2D([x], [bar.median], marker=look.marker, markersize=size, markeredgewidth=0.2 * size,
                           markeredgecolor=look.colour, markerfacecolor="white" if bar.cell["oversubscribed"] else look.colour,
                           zorder=4, gid=name, in_layout=False))
    if bar.low is not None:
        axes.plot([x, x], [bar.low, bar.high], color=look.colour, linewidth=0.9, zorder=3, solid_capstyle="butt")
    axes.annotate(doubt(bar.cell), (x, bar.median), (0, 2), **MARK)


def draw_bar(axes, look, bar, x, width, numbered, name):
    cell = bar.cell
    axes.add_patch(Rectangle((x - width / 2, 0), width, bar.median, linewidth=0.7, edgecolor=look.colour,
                             facecolor="white" if cell["oversubscribed"] else look.colour, zorder=2, in_layout=False))
    axes.add_artist(Line2D([x], [bar.median], marker="_", markersize=0, gid=name, in_layout=False))
    if bar.low is not None:
        for colour, width in (("white", 1.8), ("black", 0.8)):  # to be seen on any bar
            axes.plot([x, x], [bar.low, bar.high], color=colour, linewidth=width, zorder=3, solid_capstyle="butt")
    number = "1" if bar.median == 1 else short(bar.median)
    above = (number if numbered else "") + doubt(cell)
    axes.annotate(above, (x, min(bar.high or bar.median, HIGHEST)), (0, 1.5), **MARK)


@styled
def draw(summary, foot=""):
    counts = worker_counts(summary)
    groups = {count: groups_of(summary, count) for count in counts}
    present = {key for made in groups.values() for _, bars in made for key in bars}
    keys = [key for key in range(len(summary.strategies)) if key in present]
    look_of = looks(summary.actorlab, {cell["strategy"]: cell["scheduler"] for cell in summary.cells})
    most = max(map(len, groups.values()))
    log = wants_log(groups)
    handles = [Line2D([], [], linestyle="none", marker=look_of[key].marker, markersize=4.2, color=look_of[key].colour,
                      label=summary.strategies[key]) if log else
               Patch(facecolor=look_of[key].colour, label=summary.strategies[key]) for key in keys]
    width = DOUBLE if most * len(keys) >= WIDE_FROM or room(handles, len(handles)) > SINGLE else SINGLE
    drawing = page(width, (LOG_HEIGHT if log else PANEL_HEIGHT) * len(counts), (handles, -(-len(handles) // rows_of(handles, width))), foot, simulated.banner(summary))
    step = GROUP / len(keys)
    inches = step * (width - BESIDE) / most
    numbered = text_width("0.00", SMALLEST) + 0.02
    shown = set()
    for axes, count in zip(drawing.subplots(len(counts), 1, squeeze=False)[:, 0], counts):
        lowest = highest = 1
        for place, (_, bars) in enumerate(groups[count]):
            if log and place % 2:
                axes.axvspan(place - 0.5, place + 0.5, color=STRIPE, linewidth=0, zorder=0)
            own = [key for key in keys if key in bars]
            for number, key in enumerate(own):
                bar, x = bars[key], place + (number - (len(own) - 1) / 2) * step
                name = None if bar.cell["index"] in shown else gid(bar.cell)
                shown.add(bar.cell["index"])
                if log:
                    draw_marker(axes, look_of[key], bar, x, 0.92 * inches, name)
                else:
                    draw_bar(axes, look_of[key], bar, x, 0.92 * step, inches > numbered, name)
                lowest, highest = min(lowest, bar.low or bar.median), max(highest, bar.high or 0)
        scaled = scale(axes, log, lowest, min(highest, HIGHEST))
        axes.set(xlim=(-0.5, most - 0.5))
        axes.set_ylim(top=TOP * min(highest, HIGHEST))
        axes.yaxis.grid(True, linewidth=0.4, color=GRID)
        axes.set_axisbelow(True)
        axes.axhline(1, linewidth=0.6, color="0.5", zorder=1.5)
        axes.tick_params(axis="x", length=0)
        labels = [label for label, _ in groups[count]]
        axes.set_xticks(range(len(labels)), labels, fontsize=7)
        widths = [text_width(max(label.split("\n"), key=len), 7) + 0.03 for label in labels]
        if any((left + right) / 2 > (width - BESIDE) / most for left, right in zip(widths, widths[1:])):
            flat = [label.replace("=\n", "=").replace("\n", " ") for label in labels]
            axes.set_xticklabels(flat, rotation=40, ha="right", rotation_mode="anchor")
        axes.set_ylabel(f"relative to the slowest\n{scaled.strip()}")
        axes.set_title(plural(count, "worker"), fontweight="bold")
    return drawing


def caption(summary):
    counts = worker_counts(summary)
    cells = [cell for cell in summary.cells if cell["workers"] in counts]
    words = "Time per message, divided by that of the slowest at the same work; lower is faster. "
    runs = [cell["n"] for cell in cells]
    what = "Markers" if wants_log({count: groups_of(summary, count) for count in counts}) else "Bars"
    words += f"{what}: a single process each." if max(runs) == 1 else (
        f"{what}: median of n = {span(runs, 'process')}; lines: {interval_of(summary)}, divided by "
        "the same number.")
    if any((bar.high or 0) > TOP * HIGHEST for count in counts for _, bars in groups_of(summary, count) for bar in bars.values()):
        words += " Lines that are cut off at the top of a panel reach beyond it."
    if any("p50" in cell["latencies"] for cell in cells):
        words += " Latency: the median over a run's messages, from end to end, relative to the slowest likewise."
    return words + caption_note(cells)


def figure(summary):
    if not worker_counts(summary):
        return None
    return Figure("bars", "Time relative to the slowest", caption(summary), partial(draw, summary))
