# SPDX-License-Identifier: MIT
"""A forest plot: the ratio of each cell to its baseline with its interval, a panel for each
workload and number of workers. With few comparisons each has its numbers beside it; with many the
panels stand side by side."""

import math
from collections import namedtuple
from functools import partial

from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D

from common.words import plural, span
from plots import simulated
from plots.figure import Figure
from plots.forest_axis import Axis
from plots.style import (BANNER, DOUBLE, SMALLEST, STRIPE, gid, interval_word, page, rows_of, short,
                         styled, text_width)
from results.findings import DECIDED, Findings, p_value
from results.marks import mark, sentences
from results.numbers import of_many, percent_of

NEVER = "inconclusive: not with this design"  # more blocks would not decide
# How a verdict looks: apart in colour, in greyscale and in shape.
Look = namedtuple("Look", "colour marker face")
LOOKS = {
    "faster": Look("#2468B4", "<", "#2468B4"),
    "slower": Look("#B87400", ">", "#B87400"),
    "equivalent": Look("#000000", "s", "#000000"),
    "inconclusive": Look("#808080", "o", "#ffffff"),  # but some more blocks would decide
    NEVER: Look("#404040", "x", "#404040"),
    None: Look("#808080", "|", "#808080"),
}
QUIET = Look("0.2", "d", "#ffffff")  # the ratio of the quiet blocks alone
MARGIN = "0.45"

# Inches.
HIGHEST = 8.9  # the panels of a page
TITLE, TICKS = 0.17, 0.3  # above a panel, and below the last of a column
GAP = 0.1  # between panels
NUMBERS = (0.1, 1.08, 1.46)  # from a panel to ratio, p and verdict
BESIDE = 2.62  # what they take in all
NARROWEST = 1.2  # a panel without numbers beside it
ACROSS = 4  # as many such panels in a row at most

# How large everything is: the height of a row, the fonts of labels, and the marker's size.
Scale = namedtuple("Scale", "row label marker numbers")
DETAILED = Scale(0.145, 6.5, 3.6, True)
DENSE = Scale(0.098, SMALLEST, 2.6, False)

HEADS = "ratio and interval", "p", "verdict (more blocks)"

# A panel: its title, and row -> pair. Some rows may be empty.
Panel = namedtuple("Panel", "title names pairs")
# Where panels stand: so many in a row, each so wide, from this far from the left edge.
Grid = namedtuple("Grid", "scale across left width")


def pairs_of(findings):
    """The comparisons by blocks."""
    return {index: pair for index, pair in findings.to_baseline.pairs.items() if pair["paired"]}


def panels_of(findings):
    """A Panel for each group of cells, cut where it is higher than a page."""
    pairs, cells = pairs_of(findings), findings.cells
    shown = sorted({cells[index]["strategy"] for index in pairs})
    most = int((HIGHEST - TITLE - TICKS) / DENSE.row)
    found = []
    for group in sorted(findings.summary.groups, key=lambda group: min(group["cells"])):
        mine = {cells[index]["strategy"]: pairs[index] for index in group["cells"] if index in pairs}
        if not mine:
            continue
        cell = cells[group["cells"][0]]
        workers = plural(cell["workers"], "worker")
        title = cell["workload"], workers + mark(cell)
        for first in range(0, len(shown), most):
            part = shown[first:first + most]
            if mine.keys() & set(part):
                found.append(Panel(title, [findings.summary.strategies[key] for key in part],
                                   [mine.get(key) for key in part]))
    return found


def grid_of(findings, panels):
    """Numbers beside the panels if all fit on a page, or else as many panels in a row as fit."""
    names = {name for panel in panels for name in panel.names}
    few = sum(height_of(DETAILED, panel) for panel in panels) <= HIGHEST - TICKS
    scale = DETAILED if few else DENSE
    left = 0.12 + max(text_width(name, scale.label) for name in names) + 0.08
    if few:
        return Grid(scale, 1, left, DOUBLE - left - BESIDE)
    counts = len({cell["workers"] for cell in findings.cells})
    room = DOUBLE - left - 0.05
    narrowest = max(NARROWEST, *(title_width(*panel.title) for panel in panels))
    most = max(1, min(ACROSS, int((room + GAP) / (narrowest + GAP))))
    across = most - most % counts if counts <= most else most
    return Grid(scale, across, left, (room + GAP) / across - GAP)


def title_width(workload, workers=""):
    return text_width(workload, 7) * 1.12 + 0.06 + text_width(workers, SMALLEST)


def height_of(scale, panel):
    return TITLE + scale.row * len(panel.names) + 0.05


def pages_of(grid, panels):
    """Pages, each a list of rows of panels."""
    pages, used = [], HIGHEST
    for first in range(0, len(panels), grid.across):
        row = panels[first:first + grid.across]
        height = max(height_of(grid.scale, panel) for panel in row)
        if used + height > HIGHEST - TICKS:
            pages.append([])
            used = 0
        pages[-1].append(row)
        used += height
    return pages


class Sheet:
    """One set of axes in inches from the top left corner, in which all panels are drawn: so many
    axes of their own would take seconds."""

    def __init__(self, drawing, above, height):
        width, high = drawing.get_size_inches()
        self.axes = drawing.add_axes((0, 1 - (above + height) / high, 1, height / high))
        self.axes.set(xlim=(0, width), ylim=(height, 0))
        self.axes.set_axis_off()
        self.lines = {}  # (colour, width, dashes, depth) -> their ends

    def line(self, start, end, colour, width=0.6, dashes="solid", depth=1.0):
        self.lines.setdefault((colour, width, dashes, depth), []).append((start, end))

    def text(self, x, y, words, size, **more):
        self.axes.text(x, y, words, fontsize=size, va="center_baseline", **more)

    def marker(self, x, y, look, size, name=None):
        colour, marker, face = look
        self.axes.add_artist(Line2D(
            [x], [y], linestyle="none", marker=marker, markersize=size, markeredgewidth=0.7,
            markeredgecolor=colour, markerfacecolor=face, zorder=3, gid=name, clip_on=False))

    def finish(self):
        for (colour, width, dashes, depth), ends in self.lines.items():
            self.axes.add_collection(LineCollection(ends, colors=colour, linewidths=width,
                                                    linestyles=dashes, zorder=depth), autolim=False)


def draw_interval(sheet, axis, left, y, pair, look, size):
    """The interval; an arrow where it reaches beyond the panel, or is unbounded."""
    low, high = (pair["ratio"][end] for end in ("low", "high"))
    ends = [axis.place(value) for value in (low or 0, high or math.inf)]
    dashes = "solid" if low is not None else (0, (2, 1.2))
    sheet.line((left + ends[0], y), (left + ends[1], y), look.colour, 0.9, dashes, 2)
    for end, value, sign in ((ends[0], low, -1), (ends[1], high, 1)):
        if value is None or not axis.low <= value <= axis.high:
            arrow = LOOKS["slower" if sign > 0 else "faster"].marker
            sheet.marker(left + end, y, Look(look.colour, arrow, look.colour), 0.45 * size)


def kind_of(pair):
    """The key of its look."""
    never = pair["verdict"] == "inconclusive" and pair["more_blocks"] is None
    return NEVER if never else pair["verdict"]


def draw_estimate(sheet, axis, left, y, cell, pair, scale):
    look, median = LOOKS[kind_of(pair)], pair["ratio"]["median"]
    if pair["quiet"] and pair["quiet"]["differs"]:
        sheet.marker(left + axis.place(pair["quiet"]["ratio"]["median"]), y, QUIET, 0.8 * scale.marker, "quiet")
    draw_interval(sheet, axis, left, y, pair, look, scale.marker)
    x = left + axis.place(median)
    sheet.marker(x, y, look, scale.marker, gid(cell))
    if cell["doubts"]:
        sheet.marker(x, y, Look("0.3", "o", "none"), 2 * scale.marker, "doubted")
    if not axis.low <= median <= axis.high:
        beside, align = (0.06, "left") if median < 1 else (-0.06, "right")
        sheet.text(x + beside, y, short(median), SMALLEST, ha=align, color="0.2", zorder=4,
                   bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.2})


def draw_frame(sheet, axis, left, top, bottom, margin, ticks):
    """Grid, margin and, below the last panel of a column, the scale."""
    for value in axis.ticks:
        x = left + axis.place(value)
        sheet.line((x, top), (x, bottom), "0.5" if value == 1 else STRIPE, 0.6, depth=0.8)
        if ticks:
            sheet.line((x, bottom), (x, bottom + 0.03), "0.2")
            sheet.text(x, bottom + 0.09, axis.label(value), SMALLEST, ha="center")
    for value in (1 / margin, margin):
        if axis.low <= value <= axis.high:
            x = left + axis.place(value)
            sheet.line((x, top), (x, bottom), MARGIN, 0.5, (0, (3, 2)), 0.9)
    if ticks:
        sheet.line((left, bottom), (left + axis.width, bottom), "0.2", depth=5)


def draw_panel(sheet, findings, grid, axis, panel, left, top, first, ticks):
    """first: in its row, so that it has the names. ticks: the scale stands below it."""
    scale, (workload, workers) = grid.scale, panel.title
    sheet.text(left, top + 0.085, workload, 7, fontweight="bold")
    sheet.text(left + title_width(workload), top + 0.085, workers, SMALLEST, color="0.35")
    top += TITLE
    bottom = top + scale.row * len(panel.names)
    draw_frame(sheet, axis, left, top, bottom, 1 + findings.margin / 100, ticks)
    for place, (name, pair) in enumerate(zip(panel.names, panel.pairs)):
        y = top + (place + 0.5) * scale.row
        if first:
            sheet.text(left - 0.08, y, name, scale.label, ha="right")
        sheet.line((left, y), (left + axis.width, y), STRIPE, 0.4, depth=0.7)
        if pair:
            draw_estimate(sheet, axis, left, y, findings.cells[pair["cell"]], pair, scale)
        if pair and scale.numbers:
            draw_words(sheet, left + axis.width, y, words_of(pair), scale.label)


def words_of(pair):
    """What stands beside a panel."""
    ratio, more = pair["ratio"], pair["more_blocks"]
    verdict = (pair["verdict"] or "no verdict") + (
        ", disturbed" if pair["verdict"] in DECIDED and pair["disturbed"] else "") + (
        f", {pair['failed']['text']}" if pair["failed"] else "") + (f" (+{more:,})" if more else "")
    return f"{short(ratio['median'])} {interval_word(ratio)}", p_value(pair["p_bh"]), verdict


def draw_words(sheet, x, y, words, size, **more):
    for place, text in zip(NUMBERS, words):
        sheet.text(x + place, y, text, size, **more)


def legend_of(findings, pairs):
    """(handles, columns): in a row, or in as many as they need."""
    kinds = {kind_of(pair) for pair in pairs}
    more = [pair["more_blocks"] for pair in pairs if kind_of(pair) == "inconclusive"]
    words = {None: "no verdict", "inconclusive": f"inconclusive: {span(more, 'more block')}" if more else ""}
    handles = [Line2D([], [], linestyle="none", marker=look.marker, markersize=4, markeredgewidth=0.7,
                      markeredgecolor=look.colour, markerfacecolor=look.face, label=words.get(kind, kind))
               for kind, look in LOOKS.items() if kind in kinds]
    handles.append(Line2D([], [], color=MARGIN, linewidth=0.6, linestyle=(0, (3, 2)),
                          label=f"margin, {findings.margin:.3g}%"))
    return handles, math.ceil(len(handles) / rows_of(handles, DOUBLE))


@styled
def draw(findings, grid, axis, rows, foot=""):
    """One page."""
    heights = [max(height_of(grid.scale, panel) for panel in row) for row in rows]
    pairs = list(pairs_of(findings).values())
    banner = simulated.banner(findings.summary)
    handles, columns = legend_of(findings, pairs)
    drawing = page(DOUBLE, sum(heights) + TICKS, (handles, columns), foot, banner)
    drawing.set_layout_engine("none")
    sheet = Sheet(drawing, 0.18 * math.ceil(len(handles) / columns) + 0.06 + (BANNER if banner else 0), sum(heights) + TICKS)
    top = 0
    if grid.scale.numbers:
        draw_words(sheet, grid.left + axis.width, 0.085, HEADS, SMALLEST, color="0.35")
    for place, (row, height) in enumerate(zip(rows, heights)):
        for column, panel in enumerate(row):
            below = place + 1 == len(rows) or column >= len(rows[place + 1])
            draw_panel(sheet, findings, grid, axis, panel, grid.left + column * (grid.width + GAP), top,
                       column == 0, below)
        top += height
    sheet.text(grid.left + (grid.across * (grid.width + GAP) - GAP) / 2, top + 0.22,
               f"time per message, relative to {findings.baseline} (log scale)", 7, ha="center")
    sheet.finish()
    return drawing


def caption(findings, pairs, grid, axis, number, count):
    family = findings.to_baseline
    words = (f"Time per message, divided by that of {findings.baseline} at the same work: "
             "Hodges–Lehmann estimate and signed-rank interval of "
             f"{span([pair['n'] for pair in pairs], 'pair')} of trials in the same block, at "
             f"{percent_of(family.level)}{of_many(family.m)}"
             f"{'; p is adjusted for them' if grid.scale.numbers and family.m > 1 else ''}. Left of 1: faster.")
    if any(pair["ratio"]["low"] is None for pair in pairs):
        words += " Dashed: unbounded, as so few blocks cannot reach the level."
    if any(pair["quiet"] and pair["quiet"]["differs"] for pair in pairs):
        words += (f" Diamonds: the ratio of the quiet blocks alone, where its {percent_of(family.equivalence_level)} "
                  "interval does not hold that of all.")
    if any(not axis.low <= value <= axis.high for pair in pairs
           for value in (pair["ratio"]["median"], pair["ratio"]["low"] or 1, pair["ratio"]["high"] or 1)):
        words += " Arrows: beyond the panel."
    words += sentences([findings.cells[pair["cell"]] for pair in pairs])
    return words + (f" Page {number} of {count}." if count > 1 else "")


def figures(summary):
    """A figure for each page."""
    findings = Findings(summary)
    pairs = list(pairs_of(findings).values())
    if not pairs:
        return None
    panels = panels_of(findings)
    grid = grid_of(findings, panels)
    axis = Axis([pair["ratio"] for pair in pairs], findings.margin, grid.width)
    pages = pages_of(grid, panels)
    return [Figure("forest" if number == 1 else f"forest-page-{number}",
                   f"Ratios to {findings.baseline} with intervals",
                   caption(findings, pairs, grid, axis, number, len(pages)),
                   partial(draw, findings, grid, axis, rows))
            for number, rows in enumerate(pages, 1)]
