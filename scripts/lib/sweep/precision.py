# SPDX-License-Identifier: MIT
"""Ends a sweep early once its results are as precise as its configuration asks."""

import math

from common.words import plural
from results.summary import Summary
from sweep.binaries import AXIS

OPEN_VERDICTS = ("inconclusive", None)  # no verdict is possible where there is none
MOST_NAMED = 3  # comparisons in a note


def precision_of(config, options, actorlab):
    if config.precision is None or options.block is not None:
        return Precision((), config, actorlab)
    if config.precision == "verdicts":
        return Verdicts(config.looks, config, actorlab)
    return Widths(config.width_looks(), config, actorlab)


class Precision:
    """Asks for none, and never ends a sweep."""

    of = "of"  # how notes relate the number of blocks to the largest one

    def __init__(self, looks, config, actorlab):
        self.looks = [look for look in looks if look < config.invocations]
        self.wanted, self.invocations = config.precision, config.invocations
        self.compares_builds = AXIS in config.axes or any(AXIS in group for group in config.include)
        self.actorlab = actorlab
        self.ended_early = None  # or a note that says why

    def ends_before(self, blocks, path):
        """Whether the sweep may end after this many whole blocks."""
        reason = self.reached(path) if blocks in self.looks else None
        if reason is not None:
            self.ended_early = (
                f"ended after {blocks} {self.of} {plural(self.invocations, 'block')}: {reason}")
        return reason is not None

    def at_the_end(self, path):
        """A note on what a sweep reached that ran all its blocks, or None."""
        return None


class Widths(Precision):
    """Asks that every interval is narrower than a part of its median."""

    def reached(self, path):
        """Says so if every interval is narrow enough, otherwise None."""
        widest = self.widest(path)
        if widest is None or widest[0] > self.wanted:
            return None
        return f"every interval is narrower than {self.wanted:.3g} of its median"

    def widest(self, path):
        """(width of the widest interval as a part of its median, name of its cell), or None if
        there is no interval. One of too few values for its level is infinitely wide."""
        widths = []
        for machine in Summary(self.actorlab, path).machines:
            for cell in machine.cells:
                time = cell["ns_per_message"]
                enough = time["achieved"] > machine.level - 1e-9
                width = (time["high"] - time["low"]) / time["median"] if enough else math.inf
                widths.append((width, machine.name(cell)))
        return max(widths, default=None)

    def at_the_end(self, path):
        widest = self.widest(path)
        if widest is None or widest[0] <= self.wanted:
            return None
        wide = f"is {widest[0]:.3g} of its median wide" if widest[0] < math.inf else "is of too few blocks"
        return f"not as precise as {self.wanted:.3g}: the interval of {widest[1]} {wide}"


class Verdicts(Precision):
    """Asks for a verdict on every cell beside its baseline. The looks are planned, because each
    spends a part of the chance of a false verdict."""

    of = "of at most"

    def reached(self, path):
        undecided, n = self.undecided(Summary(self.actorlab, path).machines)
        return None if undecided or n == 0 else all_decided(n)

    @staticmethod
    def undecided(machines):
        """([(cell's name, comparison)] of those without a verdict, the number of all)."""
        found, n = [], 0
        for machine in machines:
            pairs = machine.families["baseline"].pairs.values()
            n += len(pairs)
            found += [(machine.name(machine.cells[pair["cell"]]), pair) for pair in pairs
                      if pair["verdict"] in OPEN_VERDICTS]
        return found, n

    def at_the_end(self, path):
        machines = Summary(self.actorlab, path).machines
        undecided, n = self.undecided(machines)
        if not undecided:
            return all_decided(n) if n else nothing_to_compare(machines, self.compares_builds)
        names = "; ".join(name for name, _ in undecided[:MOST_NAMED])
        rest = len(undecided) - MOST_NAMED
        more = [pair["more_blocks"] for _, pair in undecided if pair["more_blocks"]]
        which = f"{len(more)} of them"
        if len(more) == len(undecided):
            which = "them" if len(more) > 1 else "it"
        blocks = f"{plural(max(more), 'more block')}" if more else ""
        outlook = f"; at the present spread {blocks} would decide {which}" if more else ""
        count = "the comparison of"
        if n > 1:
            count = f"{len(undecided)} of {plural(n, 'comparison')}, of"
        return f"not decided: {count} {names}{f' and {rest} more' if rest > 0 else ''}{outlook}"


def all_decided(n):
    return f"all {plural(n, 'comparison')} are decided" if n > 1 else "the comparison is decided"


def nothing_to_compare(machines, builds):
    """Says so, and why as far as it is known. builds: the sweep compares builds."""
    failed = sum(entry["count"] for machine in machines for entry in machine.failed)
    why = ""
    if failed:
        why = f": {plural(failed, 'trial')} failed"
    elif len(machines) > 1:
        why = f": the records are of {len(machines)} machines"
    return f"no {'cell of both builds' if builds else 'two cells'} can be compared{why}"
