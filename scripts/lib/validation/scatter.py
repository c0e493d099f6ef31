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

BANDS = ((0.30, "0.93"), (0.15, "0.85"))
NAMED = 8  # of the workloads that are farthest off
RATIOS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 0.7, 1, 1.5, 2, 5, 10, 20, 50, 100)


def scatter(actorlab, points, caption):
    shown = [one for one in points if one.simulated is not None]
    counts = sorted({one.cell["workers"] for one in shown})

    @styled
    def draw(foot=""):
        found = looks(actorlab, {one.cell["scheduler"]: one.cell["scheduler"] for one in shown})
        handles = [Line2D([], [], color=look[0], marker="o", linestyle="none", markersize=4.2, label=name)
                   for name, look in found.items()]
        handles += [Line2D([], [], color="0.3", marker="D", markerfacecolor="none", linestyle="none", markersize=4.2,
                           label="fitted"),
                    *(Patch(color=shade, label=f"±{100 * band:.0f}%") for band, shade in reversed(BANDS))]
        drawing = page(DOUBLE, 3.2, (handles, math.ceil(len(handles) / 2)), foot)
        panels = drawing.subplots(1, max(len(counts), 1), sharex=True, sharey=True, squeeze=False)[0]
        for axes, workers in zip(panels, counts):
            panel(axes, [one for one in shown if one.cell["workers"] == workers], found)
            axes.set_title(plural(workers, "worker"), fontweight="bold")
            axes.set_xlabel("native time, ns per message")
        panels[0].set_ylabel("simulated / native time")
        return drawing

    return Figure("validation", "Simulated against native times", caption, draw)


def panel(axes, points, found):
    axes.set_xscale("log")
    axes.set_yscale("log")
    for band, shade in BANDS:
        axes.axhspan(1 - band, 1 + band, color=shade, linewidth=0, zorder=0)
    axes.axhline(1, color="0.55", linewidth=0.6, zorder=1)
    for one in points:
        colour = found[one.cell["scheduler"]][0]
        axes.plot([one.native] * 2, [one.low / one.native, one.high / one.native], color=colour, linewidth=0.7, zorder=2)
        axes.plot(one.native, one.simulated / one.native, "D" if one.fitted else "o", color=colour, markersize=3.4,
                  markerfacecolor="none" if one.fitted else colour, markeredgewidth=0.8, zorder=3)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, place: f"{value:,.15g}"))
    axes.yaxis.set_major_locator(FixedLocator(RATIOS))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, place: f"{value:g}"))
    name_worst(axes, points)


def name_worst(axes, points):
    """Each workload at its worst cell, unless a name is there already."""
    worst, places = {}, []
    for one in sorted(points, key=lambda one: -abs(math.log(one.simulated / one.native))):
        worst.setdefault(one.cell["benchmark"], one)
    for name, one in list(worst.items())[:NAMED]:
        place = math.log(one.native) / 2, math.log(one.simulated / one.native) * 2
        if any(math.dist(place, other) < 0.5 for other in places):
            continue
        places.append(place)
        axes.annotate(name, (one.native, one.simulated / one.native), (4, 0), textcoords="offset points", ha="left",
                      va="center", **NOTE)
