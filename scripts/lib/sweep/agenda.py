# SPDX-License-Identifier: MIT
"""What a sweep still has to run, given its records: docs/reference/sweeps.md#sessions."""

import itertools

from results.records import by_block
from sweep.repeats import Repeats


class Agenda:
    """The blocks that each group of cells lacks until enough are whole, each measured by a single
    session unless all are simulated. For a given block: what no session has measured of it. And the
    groups that are to run again. The work grows with cells and records, not with trials."""

    def __init__(self, plan, records, block=None):
        self.plan, self._block = plan, block
        cells = {cell.id for cell in plan.cells}
        self.recorded = sum((record.get("sweep") or {}).get("cell") in cells for record in records)
        found = by_block(records, not plan.simulated)
        self._groups = [Group(ids, found, plan) for ids in plan.groups()]
        self.whole = min(group.whole for group in self._groups)
        # cell id -> number of trials to run
        if block is None:
            self.left = {cell: n for group in self._groups for cell, n in group.left.items()}
        else:
            self.left = dict.fromkeys(cells, 0) | dict.fromkeys(self._lacking(), 1)
        self.repeats = Repeats(plan, records, found, block)
        for cell, n in self.repeats.due().items():
            self.left[cell] += n
        self.total = self.recorded + sum(self.left.values())

    def _lacking(self):
        return set().union(*(group.lacks(self._block) for group in self._groups))

    def rounds(self):
        """Yields (whole, trials): how many blocks of every group are whole by now, and the trials
        that make it one more. A group that is ahead waits for the others."""
        if self._block is not None:
            yield self.whole, self._trials({self._block: self._lacking()})
            return
        numbers = [group.numbers() for group in self._groups]
        for whole in range(self.whole, self.plan.config.invocations):
            due = {}
            for group, its in zip(self._groups, numbers):
                number = next(its, None) if group.whole <= whole else None
                if number is not None:
                    due.setdefault(number, set()).update(group.lacks(number))
            yield whole, self._trials(due)

    def _trials(self, due):
        for number, cells in sorted(due.items()):
            yield from (trial for trial in self.plan.trials(number) if trial.cell.id in cells)


class Group:
    """Cells that do the same work. found: (session, block) -> the cells that were measured."""

    def __init__(self, cells, found, plan):
        self.cells, self._simulated, self._invocations = cells, plan.simulated, plan.config.invocations
        if self._simulated:
            found = {place: ids for place, ids in found.items() if place[1] < self._invocations}
        self.whole = whole_blocks([cells], found)
        self._measured = {}  # block -> by whichever session
        for (_, number), ids in found.items():
            if ids & cells:
                self._measured.setdefault(number, set()).update(ids & cells)
        self._lacking = max(0, self._invocations - self.whole)
        self.left = dict.fromkeys(cells, self._lacking)
        if self._simulated:
            self.left = {cell: self._invocations - sum(cell in ids for ids in self._measured.values())
                         for cell in cells}

    def numbers(self):
        """Of the blocks in which it is to run. Where it was interrupted, what it lacks would have
        no pairs with what it has, so all of it runs in another block, of the lowest number that it
        did not have yet. A simulated block is a seed: it does not matter who measured which part of
        it."""
        if self._simulated:
            return (number for number in range(self._invocations) if self.lacks(number))
        free = (number for number in itertools.count() if number not in self._measured)
        return itertools.islice(free, self._lacking)

    def lacks(self, number):
        """The cells that no session has measured in this block."""
        return self.cells - self._measured.get(number, set())


def whole_blocks(groups, found):
    """In how many blocks each of these groups of cells was measured whole."""
    return min((sum(cells <= measured for measured in found.values()) for cells in groups), default=0)
