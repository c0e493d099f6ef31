# SPDX-License-Identifier: MIT
"""Ratios of all strategies to one of them, for each workload and on average, with a panel for each
worker count."""

import math
from collections import Counter, namedtuple
from functools import partial

from matplotlib.cm import ScalarMappable
from matplotlib.colors import LinearSegmentedColormap, Normalize, to_hex
from matplotlib.patches import Rectangle

from common.words import plural, span
from plots import pairs, simulated
from plots.figure import Figure
from plots.style import BANNER, DOUBLE, KEPT, SINGLE, SMALLEST, gid, page, short, styled, text_width
from results.findings import baseline_of, baselines_of
from results.marks import doubt, meanings, sentences
from results.numbers import percent_of

# From blue over grey to yellow, which colour-blind people can tell apart; the lightness grows
# steadily, so that it also works in greyscale.
COLOURS = LinearSegmentedColormap.from_list("actorlab", ["#00306F", "#4474AB", "#B0B0B0", "#E3C25C", "#FFF27A"], N=64)
INKS = "#fefefe", "#010101"  # on dark cells, and on light ones
KEPT.update(ink[1:] for ink in INKS)
KEPT.update(to_hex(COLOURS(place))[1:] for place in range(COLOURS.N))
LEAST, MOST = 1, 3  # octaves of ratios that the colours span on each side, depending on the data
AVERAGE, APART = "geometric mean", 0.35  # the last row, and its distance from the others in rows
# Before a ratio: what is not surely apart from 1 is either surely near it, or not known.
MARKS = {"faster": "", "slower": "", "equivalent": "=", "inconclusive": "~", None: "~"}
UNSURE = MARKS["inconclusive"]
FAILED, EMPTY = "×", (1, 1, 1, 1)
DARK = 0.18  # luminance below which white is easier to read than black

LABEL, NUMBER = 7, 6  # points

# Inches.
NARROW, HIGH = 0.31, 0.2  # a cell
WIDE, TALL = 0.47, 0.25  # one with room for an interval below the ratio
PAGE = 12  # panels in several rows
GAP = 0.15  # between panels
TITLE = 0.3  # below a panel
BAR = 0.42  # the colours' own panel, with its labels


def averages_of(summary, baselines):
    """(line, workers) -> geometric mean of the line's ratios, if it has a ratio for every
    workload."""
    workloads = Counter(workers for workers, _ in {(cell["workers"], cell["workload"])
                                                   for cell in baselines})
    return {(mean["line"], mean["workers"]): mean["ratio"] for mean in summary.averages
            if mean["ratio"]["n"] == workloads[mean["workers"]]}


def lines_of(summary):
    """The lines that have a column: all, but of several builds not those of the first, which would
    only hold 1."""
    bases = baselines_of(summary) if summary.first_binary else set()
    return sorted({cell["line"] for cell in summary.cells if cell["index"] not in bases})


def counts_of(summary, ratios):
    return sorted({summary.cells[index]["workers"] for index in ratios})


def is_baseline(summary, baselines, line, workers):
    """Whether all work with that number of workers is compared with this line's."""
    bases = [cell for cell in baselines if cell["workers"] == workers]
    mine = [cell for cell in summary.cells if cell["workers"] == workers and cell["line"] == line]
    return all(cell in bases for cell in mine) and \
        {cell["workload"] for cell in mine} == {cell["workload"] for cell in bases}


# `across` panels in a row, each `wide` cells wide at most; the rest in inches.
Layout = namedtuple("Layout", "width across wide cell high left head")


def layout(summary, names, counts):
    """The narrowest paper with room for all panels in one row, and for intervals; or several rows
    with intervals, if they fit on a page; or else without intervals."""
    left = max(text_width(name, LABEL) for name in [*summary.benchmarks, AVERAGE]) + 0.1
    slants = [text_width(name, LABEL) * math.sqrt(0.5) for name in names]  # at 45 degrees
    beyond = max(slant - NARROW * place for place, slant in enumerate(reversed(slants)))
    head = max(slants) + 0.2
    panel = head + TALL * (len(summary.benchmarks) + 1 + APART) + TITLE
    for least, width, rows in ((WIDE, SINGLE, 1), (WIDE, DOUBLE, 1), (WIDE, DOUBLE, int(PAGE / panel)),
                               (NARROW, SINGLE, 1), (NARROW, DOUBLE, counts)):
        room = width - left - beyond
        wide = min(len(names), int(room / least))
        across = min(counts, int((room + GAP) / (wide * least + GAP))) if wide else 0
        if wide == len(names) and across * rows >= counts:
            break
    gaps = GAP * (across - 1)
    cell = min(WIDE, (room - gaps) / (wide * across))
    left += (room - gaps - cell * wide * across) / 2  # centred on the paper
    return Layout(width, across, wide, cell, TALL if cell >= WIDE else HIGH, left, head)


def ends(low, high):
    """Such as 0.81–0.93."""
    return "" if low is None else f"{short(low)}–{short(high)}"


def octaves_of(ratio):
    """Beyond any colour, if so many trials failed that it is infinite, or 0."""
    return math.log2(min(max(ratio, 1e-9), 1e9))


def draw_cell(axes, place, colour, text, name=None, interval=""):
    axes.add_patch(Rectangle(place, 1, 1, facecolor=colour, edgecolor="white", linewidth=0.8, gid=name))
    red, green, blue = ((part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4) for part in colour[:3])
    dark = 0.2126 * red + 0.7152 * green + 0.0722 * blue < DARK
    ink, middle = "black" if colour == EMPTY else INKS[0 if dark else 1], place[0] + 0.5
    axes.text(middle, place[1] + (0.31 if interval else 0.5), text, ha="center", va="center",
              fontsize=NUMBER, color=ink)
    if interval:
        axes.text(middle, place[1] + 0.72, interval, ha="center", va="center", fontsize=SMALLEST,
                  color=ink)


def draw_panel(axes, summary, ratios, means, baselines, norm, workers, keys, sizes):
    """Draws the cells of these lines for one worker count. A missing cell leaves its place
    empty."""
    def fitting(low, high):
        """The interval, if there is room for it."""
        text = ends(low, high) if sizes.high == TALL else ""
        return text if text_width(text, SMALLEST) < sizes.cell - 0.02 else ""

    names = [*summary.benchmarks]
    places = [row + 0.5 for row in range(len(names))]
    failed = {(entry["benchmark"], entry["line"], entry["workers"]) for entry in summary.failed}
    known = {(cell["benchmark"], cell["line"]): cell for cell in summary.cells
             if cell["workers"] == workers and cell["index"] in ratios}
    for row, benchmark in enumerate(summary.benchmarks):
        for column, key in enumerate(keys):
            cell = known.get((benchmark, key))
            if cell:
                ratio = ratios[cell["index"]]
                text = "1" if cell in baselines else MARKS[ratio.verdict] + short(ratio.median)
                draw_cell(axes, (column, row), COLOURS(norm(octaves_of(ratio.median))), text + doubt(cell), gid(cell),
                          "" if cell in baselines else fitting(ratio.low, ratio.high))
            elif (benchmark, key, workers) in failed:
                draw_cell(axes, (column, row), EMPTY, FAILED)
    if means:
        names.append(AVERAGE)
        places.append(len(places) + APART + 0.5)
        for column, key in enumerate(keys):
            mean = means.get((key, workers))
            if mean:
                unsure = mean["low"] is None or mean["low"] <= 1 <= mean["high"]
                draw_cell(axes, (column, places[-1] - 0.5), COLOURS(norm(octaves_of(mean["median"]))),
                          (UNSURE if unsure else "") + short(mean["median"]),
                          interval=fitting(mean["low"], mean["high"]))
            elif is_baseline(summary, baselines, key, workers):
                draw_cell(axes, (column, places[-1] - 0.5), COLOURS(norm(0)), "1")
    axes.set(xlim=(0, len(keys)), ylim=(places[-1] + 0.5, 0))
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0, pad=2, labelsize=LABEL)
    axes.set_yticks(places, names)


def draw_colours(axes, norm, clipped, name):
    bar = axes.figure.colorbar(ScalarMappable(norm, COLOURS), cax=axes, orientation="horizontal",
                               extend="both" if clipped else "neither")
    octaves = range(-int(norm.vmax), int(norm.vmax) + 1)
    # As shapes without gaps: pixels would take a picture of the whole figure to be drawn.
    bar.solids.set(edgecolor="face", linewidth=0.4, rasterized=False)
    bar.set_ticks(octaves, labels=[f"1/{2 ** -n}" if n < 0 else str(2 ** n) for n in octaves])
    bar.outline.set_linewidth(0.4)
    axes.tick_params(labelsize=6, width=0.4, length=2, pad=1.5)
    axes.set_xlabel(f"time per message, relative to {name} (log scale)", fontsize=LABEL, labelpad=2)


@styled
def draw(summary, ratios, means, baselines, name, sizes, foot=""):
    series, counts = lines_of(summary), counts_of(summary, ratios)
    panels = [(count, series[first:first + sizes.wide]) for count in counts
              for first in range(0, len(series), sizes.wide)]
    rows = math.ceil(len(panels) / sizes.across)
    tall = sizes.high * (len(summary.benchmarks) + (1 + APART if means else 0))
    step = sizes.head + tall + TITLE
    banner = simulated.banner(summary)
    lifted = BANNER if banner else 0
    drawing = page(sizes.width, rows * step + BAR, foot=foot, banner=banner)
    drawing.set_layout_engine("none")
    width, height = drawing.get_size_inches()

    def place(left, down, across, high):
        """Adds axes at this distance from the left and top edges, in inches."""
        return drawing.add_axes((left / width, 1 - (lifted + down + high) / height, across / width, high / height))

    octaves = max(abs(octaves_of(ratio.median)) for ratio in ratios.values())
    most = min(MOST, max(LEAST, math.ceil(octaves)))
    norm = Normalize(-most, most)
    for index, (count, keys) in enumerate(panels):
        row, column = divmod(index, sizes.across)
        left = sizes.left + column * (sizes.wide * sizes.cell + GAP)
        axes = place(left, row * step + sizes.head, len(keys) * sizes.cell, tall)
        draw_panel(axes, summary, ratios, means, baselines, norm, count, keys, sizes)
        axes.xaxis.tick_top()
        axes.set_xticks([column + 0.5 for column in range(len(keys))], [summary.lines[key]["label"] for key in keys],
                        rotation=45, ha="left", rotation_mode="anchor")
        signs = "".join(sign for sign, _ in meanings([summary.cells[i] for i in ratios if summary.cells[i]["workers"] == count]))
        axes.text(0.5, -0.05 / tall, plural(count, "worker") + signs,
                  transform=axes.transAxes, fontsize=8, fontweight="bold", ha="center", va="top")
        if column:
            axes.tick_params(labelleft=False)
    across = min(2.6, width - 0.4)
    draw_colours(place((width - across) / 2, rows * step + 0.05, across, 0.09), norm,
                 octaves > most, name)
    return drawing


def caption(summary, ratios, means, name, sizes):
    counts, family = [len(ratio.values) for ratio in ratios.values()], summary.families["baseline"]
    words = (f"Time per message, divided by that of {name} at the same work: Hodges–Lehmann estimate from "
             f"n = {span(counts, 'block')}")
    if sizes.high == TALL:
        words += f" and, below it, signed-rank interval at {percent_of(family.level)}, unless unbounded"
    words += (f". Blue: faster; yellow: slower. {MARKS['equivalent']}: equivalent, within "
              f"{summary.margin:.3g}%; {UNSURE}: inconclusive, after correction for "
              f"{plural(family.m, 'comparison')}.")
    if means:
        words += f" Last row: over all workloads; {UNSURE}: the {summary.level:.0%} interval includes 1."
    if max(ratio.median for ratio in ratios.values()) > 2 ** MOST or \
            min(ratio.median for ratio in ratios.values()) < 2 ** -MOST:
        words += f" Beyond {2 ** MOST} times the colour stays the same."
    if summary.failed:
        words += f" {FAILED}: failed."
    return words + sentences(summary.cells)


def figure(summary):
    ratios = pairs.ratios(summary, "baseline")
    baselines = [summary.cells[index] for index in sorted(baselines_of(summary))]
    if ratios.keys() <= {cell["index"] for cell in baselines}:
        return None
    name, means = baseline_of(summary), averages_of(summary, baselines)
    sizes = layout(summary, [summary.lines[key]["label"] for key in lines_of(summary)], len(counts_of(summary, ratios)))
    return Figure("ratios", f"Time relative to {name}", caption(summary, ratios, means, name, sizes),
                  partial(draw, summary, ratios, means, baselines, name, sizes))
