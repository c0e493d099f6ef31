# SPDX-License-Identifier: MIT
"""Ratios of cells, paired by block: docs/explanation/statistics.md#ratios."""

import statistics
from collections import namedtuple

from results.verdicts import margin, to_first

BOOTSTRAP = 10  # pairs from which on actorlab's interval is a bootstrap's, of the median


# A Point (plots.lines) with what actorlab says of it; of the first itself that is None.
Ratio = namedtuple("Ratio", "median low high values verdict")


def ratios(summary, groups):
    """index -> Ratio: times per message to that of the first cell of the same group, where both ran in one block of one session."""
    groups = [[cell["index"] for cell in group] for group in groups]
    compared = to_first(summary.actorlab, groups, summary.runs, margin(summary.noise))
    points = {}
    for group in groups:
        first = by_block(summary.runs[group[0]])
        points |= {group[0]: Ratio(1, 1, 1, [1] * len(first), None)} if first else {}
        for index in group[1:]:
            if index in compared and compared[index]["paired"]:
                own, ratio = by_block(summary.runs[index]), compared[index]["ratio"]
                values = [own[block] / first[block] for block in own if block in first]
                points[index] = Ratio(ratio["median"], ratio["low"], ratio["high"], values, compared[index]["verdict"])
    return points


def by_block(runs):
    """(session, block) -> time per message."""
    return {(run.session, run["sweep"]["block"]): statistics.median(run["time_ns"]) / run["messages"]
            for run in runs if (run.get("sweep") or {}).get("block") is not None}
