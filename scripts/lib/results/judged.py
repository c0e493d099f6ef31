# SPDX-License-Identifier: MIT
"""The number by which a workload is judged, if not by its time per message: the longest wait of
bystanders, say, or the peak memory."""

from typing import NamedTuple

from common import actorlab as command


class Judge(NamedTuple):
    """How one such number reads."""

    name: str
    unit: str  # what its base unit is called; "" if it has none
    scale: float  # how many of the cell's units are one base unit
    path: tuple  # where a cell has it (docs/reference/results.md#a-cell)
    inverse: bool = False


# By what `actorlab list --json` says a workload is judged by; None: all others.
JUDGES = {
    None: Judge("time per message", "s", 1e9, ("ns_per_message",)),
    "latencies.p99": Judge("99% of latencies", "s", 1e9, ("latencies", "p99")),
    "latencies.max_ns": Judge("longest latency", "s", 1e9, ("latencies", "max")),
    "peak_rss_bytes": Judge("peak memory", "B", 1, ("peak_rss_bytes",)),
    "1/costs.fairness": Judge("1/fairness", "", 1, ("costs", "fairness"), inverse=True),
}


def judged_by(actorlab):
    """benchmark -> a key of JUDGES."""
    return {entry["name"]: entry.get("judged_by") for entry in command.ask(actorlab, "list", "--json")["benchmarks"]}


def judgement(judge, cell):
    """(median, low, high) of a cell, in base units; low and high are both None where nothing bounds
    the median. None where its records lack the number."""
    found = cell
    for key in judge.path:
        found = found.get(key)
        if found is None:
            return None
    median, low, high = (None if found[end] is None else found[end] / judge.scale for end in ("median", "low", "high"))
    if judge.inverse:
        median, low, high = (1 / end if end else None for end in (median, high, low))
    if median is None:
        return None
    return (median, None, None) if None in (low, high) else (median, low, high)
