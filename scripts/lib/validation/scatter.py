# SPDX-License-Identifier: MIT
"""The figure of validate-sim: simulated over native time, one point for each cell."""

import math

from common.words import plural
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator
from plots.figure import Figure
from plots.palette import looks
from plots.style import DOUBLE, NOTE, page, styled
from validation.comparison import MOST

BANDS = ((MOST, "0.93"), (0.15, "0.85"))
NAMED = 8  # of the workloads that are farthest off
RATIOS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 0.7, 1, 1.5, 2, 5, 10, 20, 50, 100)
MARGINS = (1.6, 1.3)  # how far the axes go beyond what they show, as factors
HEIGHT = 3.2  # inches
LINE = 0.055  # part of a panel's height that a name takes
# The line from a name to its point.
LEADER = {"arrowstyle": "-", "color": "0.5", "linewidth": 0.4, "shrinkA": 0, "shrinkB": 2.5}


def scatter(actorlab, points, caption):
    shown = [one for one in points if one.simulated is not None]
    counts = sorted({one.cell["workers"] for one in shown})

    @styled
    def draw(foot=""):
        found = looks(actorlab, {one.cell["scheduler"]: one.cell["scheduler"] for one in shown})
        handles = legend(found)
        drawing = page(DOUBLE, HEIGHT, (handles, math.ceil(len(handles) / 2)), foot)
        panels = drawing.subplots(1, max(len(counts), 1), sharex=True, sharey=True, squeeze=False)
        for axes, workers in zip(panels[0], counts):
            axes.set(xscale="log", yscale="log",
                     xlim=ends(MARGINS[0], (one.native for one in shown)),
                     ylim=ends(MARGINS[1], (ratio for one in shown for ratio in ratios(one))))
            panel(axes, [one for one in shown if one.cell["workers"] == workers], found)
            axes.set_title(plural(workers, "worker"), fontweight="bold")
            axes.set_xlabel("native time, ns per message (log scale)")
        panels[0][0].set_ylabel("simulated / native time (log scale)")
        return drawing

    return Figure("validation", "Simulated against native times", caption, draw)


def legend(found):
    def marker(label, **look):
        return Line2D([], [], linestyle="none", markersize=4.2, label=label, **look)

    return [*(marker(name, color=look[0], marker="o") for name, look in found.items()),
            marker("held out", color="0.3", marker="o"),
            marker("fitted", color="0.3", marker="D", markerfacecolor="none"),
            *(Patch(color=shade, label=f"±{100 * band:.0f}%") for band, shade in reversed(BANDS))]


def ratios(one):
    """The lowest, the shown, and the highest of a point."""
    return [value / one.native for value in (one.low, one.simulated, one.high)]


def ends(margin, values):
    """Of an axis that shows these."""
    values = list(values)
    return min(values) / margin, max(values) * margin


def panel(axes, points, found):
    for band, shade in BANDS:
        axes.axhspan(1 - band, 1 + band, color=shade, linewidth=0, zorder=0)
    axes.axhline(1, color="0.55", linewidth=0.6, zorder=1)
    for one in points:
        colour = found[one.cell["scheduler"]][0]
        low, ratio, high = ratios(one)
        axes.plot([one.native] * 2, [low, high], color=colour, linewidth=0.7, zorder=2)
        axes.plot(one.native, ratio, "D" if one.fitted else "o", color=colour, markersize=3.4,
                  markerfacecolor="none" if one.fitted else colour, markeredgewidth=0.8, zorder=3)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, place: f"{value:,.15g}"))
    axes.yaxis.set_major_locator(FixedLocator(RATIOS))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, place: f"{value:g}"))
    name_worst(axes, points)


def worst(points):
    """Of each workload that is farthest off, its worst cell, if it is beyond MOST."""
    found = {}
    for one in sorted(points, key=lambda one: -abs(math.log(one.simulated / one.native))):
        if abs(one.error) > MOST:
            found.setdefault(one.cell["benchmark"], one)
    return list(found.items())[:NAMED]


def name_worst(axes, points):
    """Beside the panel, as high as their points or, where these are close, one above the other."""
    low, high = axes.get_ylim()
    place = 0
    for name, one in sorted(worst(points), key=lambda entry: entry[1].simulated / entry[1].native):
        ratio = one.simulated / one.native
        place = max(place + LINE, math.log(ratio / low, high / low))
        axes.annotate(name, (one.native, ratio), (1.03, place), textcoords="axes fraction", va="center",
                      arrowprops=LEADER, **NOTE)
