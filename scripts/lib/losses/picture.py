# SPDX-License-Identifier: MIT
"""Performance profiles: of each strategy, in which part of the cells it takes at most so many times
as long as the fastest.

E. D. Dolan, J. J. Moré: Benchmarking optimization software with performance profiles. Mathematical
Programming 91, 2002."""

from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator, PercentFormatter

from plots.figure import Figure
from plots.palette import looks
from plots.style import DOUBLE, GRID, SINGLE, TITLE, page, rows_of, styled, wrapped

HEIGHT = 2.3  # of a panel
BESIDE = 0.3  # of a panel, to the next one
MOST = 20  # the factor at which the axis ends
TICKS = (1, 1.5, 2, 3, 5, 10, 20)
CAPTION = ("Of each strategy, the part of its cells (workloads and numbers of workers) in which it takes at most so many times "
           "as long as the fastest one there; medians. Higher is better; at 1 stands how often it is the fastest. What a line "
           "lacks at its right end takes longer still.")


def picture(actorlab, losses):
    found = looks(actorlab, {loss.strategy: loss.scheduler for loss in losses})
    places = list(dict.fromkeys(loss.place for loss in losses))

    @styled
    def draw(foot=""):
        width = SINGLE if len(places) == 1 else DOUBLE
        handles = [Line2D([], [], color=look.colour, marker=look.marker, linestyle=look.dashes, linewidth=0.9, markersize=4.2,
                          label=strategy) for strategy, look in found.items()]
        drawing = page(width, HEIGHT, (handles, -(-len(handles) // rows_of(handles, width))), foot)
        panels = drawing.subplots(1, len(places), squeeze=False, sharey=True)[0]
        for axes, place in zip(panels, places):
            for strategy, look in found.items():
                ratios = sorted(loss.ratio for loss in losses if (loss.strategy, loss.place) == (strategy, place))
                if ratios:
                    line(axes, ratios, look)
            # Bold letters are wider.
            frame(axes, wrapped(place, width / len(places) - BESIDE, 1.1 * TITLE))
        panels[0].set_ylabel("part of its cells")
        # One for all: it is longer than a panel.
        panels[len(places) // 2].set_xlabel("times as long as the fastest (log scale)")
        return drawing

    return Figure("losses", "How far behind the fastest", CAPTION, draw)


def line(axes, ratios, look):
    x, y = [1], [0]
    for rank, ratio in enumerate(ratios, 1):
        if ratio > MOST:
            break
        x += [max(ratio, 1)] * 2
        y += [y[-1], rank / len(ratios)]
    axes.plot([*x, MOST], [*y, y[-1]], color=look.colour, linestyle=look.dashes, linewidth=1.1, zorder=2)
    axes.plot(MOST, y[-1], marker=look.marker, color=look.colour, markersize=3.4, clip_on=False, zorder=3)


def frame(axes, heading):
    axes.set(xscale="log", xlim=(1, MOST), ylim=(0, 1.02))
    axes.xaxis.set_major_locator(FixedLocator(TICKS))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_major_formatter(PercentFormatter(1, 0))
    axes.grid(True, linewidth=0.4, color=GRID)
    axes.set_axisbelow(True)
    axes.set_title(heading, fontweight="bold")
