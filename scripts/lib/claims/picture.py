# SPDX-License-Identifier: MIT
"""The figure of the claims: how far each is beyond its bound, one row each."""

import math

from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from claims.claim import MARGIN, SOURCES
from claims.verdict import CONTRADICTED, HOLDS, INCONCLUSIVE
from plots.figure import Figure
from plots.style import DOUBLE, GRID, NOTE, page, styled, wrapped

ROW = 0.145  # inches
LEAST = 1 / 30  # what is farther beyond a bound is drawn there
TICKS = (1 / 20, 1 / 10, 1 / 5, 1 / 2, 1, 2, 5, 10, 20)
EXPLAINED = "contradicted, with a known cause"
COLOURS = {HOLDS: "#0072B2", INCONCLUSIVE: "0.45", EXPLAINED: "#E69F00", CONTRADICTED: "#B3261E"}
LABEL = 3.3  # inches of a statement beside its row


def support(finding):
    """How far the quantity is inside of its nearer bound, as a factor: below 1 it is outside."""
    need = finding.need

    def of(value):
        inside = []
        if need.least > 0:
            inside.append(value / need.least)
        if need.most < math.inf:
            inside.append(need.most / value if value > 0 else math.inf)
        return min(inside, default=math.inf)

    values = [of(value) for value in finding.samples()]
    return min(values), of(finding.median()), max(values)


def weakest(answer):
    """The support of the finding that supports the claim least."""
    return min(map(support, answer.findings), key=lambda ends: ends[1])


def kind_of(result):
    if result.answer.bare == CONTRADICTED and result.cause():
        return EXPLAINED
    return result.answer.bare


def picture(results):
    shown = [result for result in results if result.answer.findings]
    caption = ("Each row is a claim, at the comparison that supports it least: how far it is inside (right) or outside "
               "(left) of the claim's bound, over its seeds or, natively, its blocks. Hollow: simulated. Arrows: "
               "farther than the axis.")

    @styled
    def draw(foot=""):
        handles = [*(Line2D([], [], linestyle="none", marker="o", markersize=4.2, color=colour, label=name)
                     for name, colour in COLOURS.items()), Patch(color=GRID, label=f"±{100 * MARGIN:.0f}%, the margin of simulated ones")]
        drawing = page(DOUBLE, ROW * (len(shown) + 4), (handles, 3), foot)
        axes = drawing.subplots()
        axes.set(xscale="log", xlim=(LEAST / 1.15, 1.15 / LEAST), ylim=(len(shown) - 0.3, -0.7))
        axes.axvspan(1 / (1 + MARGIN), 1 + MARGIN, color=GRID, linewidth=0, zorder=0)
        axes.axvline(1, color="0.4", linewidth=0.7, zorder=1)
        for row, result in enumerate(shown):
            one(axes, row, result)
        axes.set_yticks(range(len(shown)), [label(result) for result in shown], fontsize=NOTE["fontsize"])
        axes.tick_params(axis="y", length=0)
        axes.xaxis.set_major_locator(FixedLocator(TICKS))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, place: f"{value:g}" if value >= 1 else f"1/{1 / value:.0f}"))
        axes.set_xlabel("times inside of the bound (log scale)")
        lines(axes, shown)
        return drawing

    return Figure("claims", "The papers' claims", caption, draw)


def one(axes, row, result):
    colour = COLOURS[kind_of(result)]
    low, middle, high = (min(max(value, LEAST), 1 / LEAST) for value in weakest(result.answer))
    axes.plot([low, high], [row, row], color=colour, linewidth=0.9, zorder=2)
    marker = "<" if middle <= LEAST else ">" if middle >= 1 / LEAST else "o"
    simulated = all(finding.simulated for finding in result.answer.findings)
    axes.plot(middle, row, marker, color=colour, markersize=3.6, markerfacecolor="white" if simulated else colour,
              markeredgewidth=0.9, zorder=3)


def label(result):
    """Its name and as much of its statement as fits into a line."""
    text = f"{result.claim.id}  {result.claim.statement}"
    first, _, rest = wrapped(text, LABEL, NOTE["fontsize"]).partition("\n")
    return f"{first} …" if rest else first


def lines(axes, shown):
    """A rule between sources."""
    for row in range(1, len(shown)):
        if SOURCES[shown[row].claim.source] != SOURCES[shown[row - 1].claim.source]:
            axes.axhline(row - 0.5, color="0.7", linewidth=0.5)
