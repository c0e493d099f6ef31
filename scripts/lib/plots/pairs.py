# SPDX-License-Identifier: MIT
"""Ratios of cells, paired by block: docs/explanation/statistics.md#ratios."""

from collections import namedtuple

from results.findings import baselines_of

# A Point (plots.lines) with its verdict; of the cells compared with, that is None. low and high are
# None if the interval is unbounded.
Ratio = namedtuple("Ratio", "median low high values verdict")


def ratios(summary, family):
    """index -> Ratio of times per message, where both cells ran in one block of one session; and of
    the cells that others are compared with, 1. family: "baseline" or "one_worker"."""
    compared = summary.families[family].pairs
    bases = {one["base"] for one in compared.values()}
    if family == "baseline":
        bases = baselines_of(summary)
    points = {}
    for index in bases:
        blocks = sum(block is not None for block in summary.cells[index]["blocks"])
        if blocks:
            points[index] = Ratio(1, 1, 1, [1] * blocks, None)
    for index, one in compared.items():
        if one["paired"]:
            ratio = one["ratio"]
            points[index] = Ratio(ratio["median"], ratio["low"], ratio["high"], one["ratios"],
                                  one["verdict"])
    return points
