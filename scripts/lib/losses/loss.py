# SPDX-License-Identifier: MIT
"""How far a strategy is behind the fastest one that did the same work with as many workers."""

import functools
import math
from typing import NamedTuple

from common import actorlab as command
from results import marks

SEEDS = 3  # of simulated cells: with fewer, nothing shows how far the ratio spreads
BEHIND = 1.1  # a simulated ratio that all seeds must exceed
FASTEST, EQUAL, UNDECIDED, SLOWER = "fastest", "equal", "undecided", "slower"


class Loss(NamedTuple):
    """A cell of a strategy, and the fastest beside it. Of the fastest itself the ratio is 1."""

    strategy: str
    scheduler: str
    workload: str
    of: str | None  # the number that ranks its cells; None: time per message
    workers: int
    place: str  # where it ran
    fastest: str
    ratio: float  # its time, or other number, over that of the fastest
    low: float | None  # interval, or of a simulated one the least and the largest of the seeds
    high: float | None
    verdict: str
    mark: str
    failed: str | None  # how many of its trials, if any


@functools.cache
def defaults(actorlab):
    """(strategy, option) -> its default, as text."""
    return {(plugin["name"], option["name"]): option["default"]
            for plugin in command.ask(actorlab, "list", "--json")["schedulers"] for option in plugin["options"]}


def name_of(machine, entry):
    """Of the strategy of a cell or failure, the same in all sweeps: without options that have their
    defaults, which only some sweeps vary."""
    scheduler, usual = entry["scheduler"], defaults(machine.actorlab)
    given = [(key, value) for key, value in machine.values(entry).items()
             if key in machine.strategy_keys and key != "scheduler" and value is not None and str(value) != usual.get((scheduler, key))]
    return " ".join([scheduler, *(str(value) if key in (*machine.bare_keys, scheduler) else f"{key}={value}" for key, value in given)])


def losses_of(machine, place, of=None):
    """Those of all cells in groups where several schedulers compete. machine: a results.Summary,
    whose cells are ranked by that number."""
    pairs = machine.families["fastest"].pairs
    for group in machine.groups:
        cells = [machine.cells[index] for index in group["cells"]]
        first, *others = cells
        lost = failed(machine, cells)
        if len({cell["scheduler"] for cell in (*cells, *lost)}) < 2:
            continue
        best, work = name_of(machine, first), (first["workload"], of, first["workers"], place)
        yield Loss(best, first["scheduler"], *work, best, 1, None, None, FASTEST, marks.mark(first) + marks.doubt(first), None)
        for cell in others:
            if pair := pairs.get(cell["index"]):  # else no session has both
                yield Loss(name_of(machine, cell), cell["scheduler"], *work, best, *compared(pair, machine.simulated),
                           marks.mark(cell) + marks.doubt(cell, first), pair["failed"]["text"] if pair["failed"] else None)
        for entry in lost:
            yield Loss(name_of(machine, entry), entry["scheduler"], *work, best, math.inf, None, None,
                       SLOWER, marks.mark(first), f"all trials failed: {entry['outcome']}")


def failed(machine, cells):
    """What did the same work as these cells, but never ended in order."""
    ran, (first, *_) = {cell["line"] for cell in cells}, cells
    entries = [entry for entry in machine.failed if entry["line"] not in ran and all(
        entry[key] == first[key] for key in ("benchmark", "parameters", "workers"))]
    return {(entry["line"], entry["scheduler"]): entry for entry in entries}.values()


def compared(pair, simulated):
    """(ratio, low, high, verdict)"""
    ratio = pair["ratio"]
    if not simulated:
        return (ratio["median"], ratio["low"], ratio["high"],
                {"slower": SLOWER, "equivalent": EQUAL}.get(pair["verdict"], UNDECIDED))
    singles = [math.inf if one is None else one for one in pair["ratios"]]
    return ratio["median"], min(singles), max(singles), of_seeds(singles)


def of_seeds(ratios):
    if len(ratios) < SEEDS or min(ratios) <= BEHIND < max(ratios):
        return UNDECIDED
    return SLOWER if min(ratios) > BEHIND else EQUAL


class Standing(NamedTuple):
    """A strategy over all of its cells in one place."""

    cells: int
    ahead: int  # the fastest, or shown to equal it
    undecided: int
    behind: int
    twice: int  # of those behind, shown to be at least twice as slow


def standings(losses):
    """strategy -> (place -> Standing), places in order of appearance."""
    found = {}
    for strategy in dict.fromkeys(loss.strategy for loss in losses):
        for place in dict.fromkeys(loss.place for loss in losses):
            own = [loss for loss in losses if (loss.strategy, loss.place) == (strategy, place)]
            verdicts = [loss.verdict for loss in own]
            if own:
                found.setdefault(strategy, {})[place] = Standing(
                    len(own), verdicts.count(FASTEST) + verdicts.count(EQUAL), verdicts.count(UNDECIDED), verdicts.count(SLOWER),
                    sum(loss.verdict == SLOWER and (loss.ratio if loss.low is None else loss.low) >= 2 for loss in own))
    return found
