# SPDX-License-Identifier: MIT
"""Speed-up and efficiency over workers, against one worker of the same line, or of the best."""

import math
from functools import partial

from matplotlib.lines import Line2D
from matplotlib.ticker import NullLocator

from common.words import plural, span
from plots import lines, pairs
from plots.axes import MOST_TICKS, OCTAVES_FROM, scale
from plots.crossings import note
from plots.figure import Figure
from results.marks import caption_note
from results.numbers import of_many, percent_of

IDEAL = {"color": "0.5", "linewidth": 0.7}


def points_of(summary, family):
    """index -> speed-up, for the cells that are compared with one worker, and for those that others
    are compared with."""
    ratios = pairs.ratios(summary, family)
    compared = summary.families[family].pairs
    # Where most trials failed there is none.
    kept = {index for index in compared if index in ratios and 0 < ratios[index].median < math.inf}
    kept |= {compared[index]["base"] for index in kept}
    return {index: inverse(ratios[index]) for index in sorted(kept)}


def over(value, divisor):
    """The quotient; None of what is unbounded."""
    return None if not divisor or value is None else value / divisor


def inverse(ratio):
    bounded = ratio.low and ratio.high < math.inf
    return lines.Point(1 / ratio.median, *((1 / ratio.high, 1 / ratio.low) if bounded else (None, None)),
                       [1 / value for value in ratio.values if value])


def per_worker(summary, points):
    """The efficiencies that belong to these speed-ups."""
    made = {}
    for index, point in points.items():
        workers = summary.cells[index]["workers"]
        values = [value / workers for value in point.values]
        made[index] = lines.Point(point.median / workers, over(point.low, workers),
                                  over(point.high, workers), values)
    return made


def frame_speedup(axes, axis, _, low, high):
    axes.plot([axis.place(count) for count in axis.counts], axis.counts, zorder=1.5, gid="ideal", **IDEAL)
    log = axis.counts[-1] >= OCTAVES_FROM
    scaled = scale(axes, log, min(low, axis.counts[0]), max(high, axis.counts[-1]))
    if log:
        octaves = range(*(math.ceil(math.log2(end)) for end in axes.get_ylim()))
        step = math.ceil(len(octaves) / MOST_TICKS)
        octaves = [octave for octave in octaves if octave % step == 0]  # with 1
        axes.set_yticks([2.0 ** octave for octave in octaves],
                        [f"{2 ** octave}" if octave >= 0 else f"1/{2 ** -octave}" for octave in octaves])
        axes.yaxis.set_minor_locator(NullLocator())
    return "speed-up" + scaled


def frame_efficiency(axes, axis, _, low, high):
    axes.axhline(1, zorder=1.5, gid="ideal", **IDEAL)
    return "efficiency" + scale(axes, False, low, max(high, 1))


def caption(summary, points, family, what):
    known = summary.families[family]
    counts = [len(point.values) for point in points.values()]
    words = (f"{what} Markers: Hodges–Lehmann estimate of n = {span(counts, 'block')}; bars: "
             f"signed-rank interval at {percent_of(known.level)}"
             f"{of_many(known.m)}")
    if any(point.low is None for point in points.values()):
        words += "; no bar where so few blocks cannot reach that level"
    words += ". Dots: single blocks. Grey: ideal."
    words += caption_note([summary.cells[index] for index in points])
    absent = len(summary.cells) - len(points)
    if absent:
        words += f" Not shown: {plural(absent, 'cell')} without one worker to compare with."
    return words + note(summary)


def speedup(summary):
    return made(summary, "speedup", "one_worker", "Speed-up over one worker", lambda points: points, frame_speedup,
                "Time per message with one worker to that with several.")


def over_best(summary):
    """None if there is one line only, whose own speed-up says the same."""
    if len(summary.lines) < 2:
        return None
    return made(summary, "speedup-best", "best_one_worker", "Speed-up over the best strategy with one worker",
                lambda points: points, frame_speedup,
                "Time per message of the strategy that is fastest with one worker, with one worker, to that of each cell.")


def efficiency(summary):
    return made(summary, "efficiency", "one_worker", "Efficiency", partial(per_worker, summary), frame_efficiency,
                "Speed-up over one worker, divided by the number of workers.")


def made(summary, name, family, heading, of_speedups, frame, what):
    points = points_of(summary, family)
    if not points:
        return None
    ideal = [Line2D([], [], label="ideal", **IDEAL)]
    return Figure(name, heading, caption(summary, points, family, what),
                  partial(lines.draw, summary, of_speedups(points), frame, extra=ideal))
