# SPDX-License-Identifier: MIT
"""Simulated times against native ones: errors of cells, and the order of pairs of strategies."""

import json
import math
import statistics
from collections import defaultdict, namedtuple

import numpy

from results.summary import Summary
from validation.simulations import identity, ns_per_message

# Workloads to whose native times costs of the machine were fitted.
FITTED = ("send-static", "executor")
MOST = 0.30  # error of a cell that needs an explanation
APART = 1.15  # native ratio of two strategies from which on their order must be right
DECIDED = ("faster", "slower")
CHANGED = 1.05  # native speed-up or slow-down from which on its sign must be right

# Which quantile of the times of a cell stands for it, native as simulated. A busy neighbour on the
# host makes an iteration up to half as long again, for seconds at a time. It is not the minimum,
# because now and then a host runs two PUs of a guest on one core, which hands lines over faster.
UNDISTURBED = 0.1
# On a host that moves a guest's PUs, trials whose hand-off differs by more from that of most ran on
# other cores than those that were calibrated.
MOVED = 1.25

# cell: the native one; native, simulated: ns per message (simulated: None if no run ended); low,
# high: the extremes over the seeds; error: simulated / native - 1.
Point = namedtuple("Point", "cell native simulated low high error fitted")
# Two strategies on one workload with as many workers: native and simulated ratio of their times.
Pair = namedtuple("Pair", "first second native simulated same fitted")


def native_times(path):
    """ns per message of the iterations of each cell, by its identity, of trials that ran on the
    same cores as most. A cell of which none did has all of its trials."""
    with open(path, encoding="utf-8") as file:
        records = [record for record in map(json.loads, file)
                   if record["outcome"] == "ok" and record.get("engine") in (None, "native")]

    def handoff(record):
        return (record.get("handoff") or {}).get("median_ns")

    known = [handoff(record) for record in records if handoff(record)]
    usual = statistics.median(known) if known else None
    stayed, everywhere = defaultdict(list), defaultdict(list)
    for record in records:
        times = [ns / record["messages"] for ns in record["time_ns"]]
        everywhere[identity(record)] += times
        if not handoff(record) or usual / MOVED <= handoff(record) <= usual * MOVED:
            stayed[identity(record)] += times
    return {**everywhere, **stayed}


def point(cell, native, simulations, seeds):
    """native: what native_times found."""
    found = [ns_per_message(simulations.of(cell, seed, {})) for seed in seeds]
    times = [ns for ns in found if ns is not None]
    native = float(numpy.quantile(native[identity(cell)], UNDISTURBED))
    fitted = cell["benchmark"] in FITTED
    if not times:
        return Point(cell, native, None, None, None, None, fitted)
    simulated = float(numpy.quantile(times, UNDISTURBED))
    return Point(cell, native, simulated, min(times), max(times), simulated / native - 1, fitted)


def group(points):
    """Mean error of these, and the share within MOST; None without any."""
    errors = [abs(one.error) for one in points if one.error is not None]
    if not errors:
        return None
    return {"cells": len(errors), "mean": statistics.fmean(errors), "median": statistics.median(errors),
            "bias": math.exp(statistics.fmean(math.log(1 + one.error) for one in points if one.error is not None)) - 1,
            "within": sum(error <= MOST for error in errors) / len(errors)}


def pairs(actorlab, path, points):
    """All pairs of strategies that a native verdict tells apart by more than APART. A verdict is of
    a strategy and a baseline, so each strategy is the baseline once."""
    known = {one.cell["index"]: one for one in points}
    found = {}
    for baseline in dict.fromkeys(one.cell["scheduler"] for one in points):
        machine = Summary(actorlab, path, baseline=baseline).machines[0]
        for verdict in machine.families["baseline"].pairs.values():
            first, second = known.get(verdict["base"]), known.get(verdict["cell"])
            if first is None or second is None or verdict["verdict"] not in DECIDED:
                continue
            ratio = verdict["ratio"]["median"]
            if 1 / APART < ratio < APART or first.simulated is None or second.simulated is None:
                continue
            simulated = second.simulated / first.simulated
            key = frozenset((verdict["base"], verdict["cell"]))
            found.setdefault(key, Pair(first.cell, second.cell, ratio, simulated, (ratio > 1) == (simulated > 1),
                                       first.fitted))
    return list(found.values())


def mean_ratio(points):
    """The geometric mean of simulated over native times; None without any."""
    logs = [math.log(1 + one.error) for one in points if one.error is not None]
    return math.exp(statistics.fmean(logs)) if logs else None


def biases(points):
    """strategy -> number of workers, or None for all -> mean ratio over the workloads. What is
    compared are strategies: a bias that all share does no harm; one of a single strategy does."""
    counts = [*sorted({one.cell["workers"] for one in points}), None]
    return {strategy: {workers: mean_ratio([one for one in points if one.cell["strategy"] == strategy and
                                            workers in (None, one.cell["workers"])]) for workers in counts}
            for strategy in sorted({one.cell["strategy"] for one in points})}


def farthest(found, strategy, workers=None):
    """The other strategy whose ratio to this one has the largest bias, and that bias; None without
    others."""
    own = found[strategy][workers]
    others = {other: own / bias[workers] for other, bias in found.items()
              if other != strategy and own is not None and bias[workers] is not None}
    return max(others.items(), key=lambda item: abs(math.log(item[1])), default=None)


def speed_ups(points):
    """(native, simulated) ratio of the times with one and with two workers, of each strategy and
    workload."""
    times = {(identity(one.cell | {"workers": None}), one.cell["workers"]): one for one in points if one.simulated}
    return [(one.native / two.native, one.simulated / two.simulated) for (key, workers), one in times.items()
            if workers == 1 and (two := times.get((key, 2))) is not None]
