# SPDX-License-Identifier: MIT
"""Hand-off times between PUs over the blocks of a sweep: which trials were in the quiet stratum."""

from collections import namedtuple
from functools import partial
from itertools import groupby

from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from common.words import plural
from plots.figure import Figure
from plots.axes import scale
from plots.lines import MANY
from plots.style import DOUBLE, GRID, SINGLE, page, styled

PANEL_HEIGHT, SMALL_HEIGHT = 1.6, 1.15
QUIET, LOUD = "#2468B4", "#B87400"
WIDTH = 0.64  # that the trials of a block take, relative to the distance between two blocks
SPAN = 6  # times that span a larger factor get a logarithmic axis

# A trial: the block's place in time, its hand-off time, and whether it is quiet.
Trial = namedtuple("Trial", "block ns quiet")


def trials_of(summary):
    """(workers, pin) -> trials, in the order of blocks; blocks of later sessions come later."""
    seen = sorted({block for cell in summary.cells for block in zip(cell["sessions"], cell["blocks"])
                   if None not in block})
    places = {block: place for place, block in enumerate(seen)}
    found = {}
    for cell in summary.cells:
        for block, ns, quiet in zip(zip(cell["sessions"], cell["blocks"]), cell["handoff_ns"],
                                    cell["quiet"]):
            if ns is not None and block in places:
                found.setdefault((cell["workers"], cell["pin"]), []).append(
                    Trial(places[block], ns, quiet))
    return {key: sorted(trials, key=lambda trial: trial.block) for key, trials in found.items()}


def draw_panel(axes, stratum, trials, log, small):
    """Returns the label of its y axis."""
    points = {True: [], False: []}
    for block, of in groupby(trials, lambda trial: trial.block):
        of = list(of)
        for place, trial in enumerate(of):
            part = (place + 0.5) / len(of) - 0.5
            points[bool(trial.quiet)].append((block + 1 + WIDTH * part, trial.ns))
    for quiet, colour, marker in ((True, QUIET, "o"), (False, LOUD, "^")):
        axes.plot([x for x, _ in points[quiet]], [ns for _, ns in points[quiet]], linestyle="none",
                  marker=marker, markersize=1.5 if small else 1.8, markeredgewidth=0, color=colour,
                  gid="quiet" if quiet else "loud")
    axes.axhline(stratum["limit_ns"], color="0.3", linewidth=0.7, linestyle=(0, (4, 2)), gid="limit")
    times = [trial.ns for trial in trials]
    scaled = scale(axes, log, min(times), max(*times, stratum["limit_ns"]) or 1)
    axes.yaxis.grid(True, linewidth=0.4, color=GRID)
    axes.set_axisbelow(True)
    blocks = max(trial.block for trial in trials) + 1
    axes.set_xlim(0.4, blocks + 0.6)
    axes.xaxis.set_major_locator(MaxNLocator(10, integer=True, min_n_ticks=1))
    axes.set_title(f"{plural(stratum['workers'], 'worker')}, {stratum['pin']}")
    return f"hand-off in ns{scaled}"


def wants_log(trials):
    """Whether all panels get a logarithmic axis."""
    times = [[trial.ns for trial in of] for of in trials.values()]
    return min(map(min, times)) > 0 and any(SPAN * min(of) < max(of) for of in times)


@styled
def draw(strata, trials, foot=""):
    columns = 1 if len(strata) == 1 else 2 if len(strata) <= 4 else 3
    rows = -(-len(strata) // columns)
    small = len(strata) > MANY
    width = SINGLE if columns == 1 else DOUBLE
    handles = [Line2D([], [], linestyle="none", marker="o", markersize=3.5, color=QUIET, label="quiet"),
               Line2D([], [], linestyle="none", marker="^", markersize=3.5, color=LOUD, label="not quiet"),
               Line2D([], [], color="0.3", linewidth=0.7, linestyle=(0, (4, 2)), label="limit")]
    drawing = page(width, rows * (SMALL_HEIGHT if small else PANEL_HEIGHT), (handles, 3), foot)
    panels = list(drawing.subplots(rows, columns, squeeze=False).flat)
    log = wants_log(trials)
    for place, (axes, stratum) in enumerate(zip(panels, strata)):
        label = draw_panel(axes, stratum, trials[stratum["workers"], stratum["pin"]], log, small)
        if place % columns == 0:
            axes.set_ylabel(label.replace(" (", "\n("))
        if place + columns >= len(strata):
            axes.set_xlabel("block")
    for axes in panels[len(strata):]:
        axes.set_visible(False)
    return drawing


CAPTION = ("Time to pass a cache line between the PU of the first worker and those of others, measured "
           "before each trial: a dot for each, the median over the PUs. Quiet: up to the limit, which "
           "is 1.25 times the lower quartile of the trials with as many workers.")


def figure(summary):
    trials = trials_of(summary)
    strata = [stratum for stratum in summary.quiet if (stratum["workers"], stratum["pin"]) in trials]
    if not strata:
        return None
    return Figure("handoff", "Hand-off times before the trials", CAPTION, partial(draw, strata, trials))
