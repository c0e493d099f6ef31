# SPDX-License-Identifier: MIT
"""What a sweep still has to run, given its records: docs/reference/sweeps.md#sessions."""

import itertools

from results.records import by_block


class Agenda:
    """The trials that earlier blocks lack, and further blocks until enough blocks are whole, each
    measured by a single session unless all are simulated. For a given block: what no session has
    measured of it. The work grows with cells and records, not with trials."""

    def __init__(self, plan, records, block=None):
        self.plan = plan
        cells = {cell.id for cell in plan.cells}
        self.recorded = sum((record.get("sweep") or {}).get("cell") in cells for record in records)
        found = by_block(records, not plan.simulated).items()
        blocks = {place: measured & cells for place, measured in found if measured & cells}
        self.whole = whole_blocks(blocks, cells)
        lacking = max(0, plan.config.invocations - self.whole)
        used = {number for _, number in blocks}
        free = (number for number in itertools.count() if number not in used)
        if plan.simulated:  # a block is a seed: it does not matter who measured which part of it
            free = (number for number in range(plan.config.invocations) if number not in used)
            self._lost = {block: cells - measured for (_, block), measured in sorted(blocks.items())
                          if cells - measured and block < plan.config.invocations}
        else:
            self._lost = lost(blocks, cells) if lacking else {}
        self._further = dict.fromkeys(itertools.islice(free, lacking))
        if block is not None:
            measured = set().union(*(ids for (_, number), ids in blocks.items() if number == block))
            self._further, self._lost = {}, {block: cells - measured}
        self.left = dict.fromkeys(cells, len(self._further))  # cell id -> number of trials to run
        for cell in itertools.chain(*self._lost.values()):
            self.left[cell] += 1
        self.total = self.recorded + sum(self.left.values())

    def trials(self):
        for block, cells in self._lost.items():
            yield from (trial for trial in self.plan.trials(block) if trial.cell.id in cells)
        for block in self._further:
            yield from self.plan.trials(block)

    def begins(self, block):
        """Whether the whole block is to run."""
        return block in self._further


def whole_blocks(blocks, cells):
    """How many blocks have all these cells. blocks: (session, block) -> measured cells."""
    return sum(cells <= measured for measured in blocks.values())


def lost(blocks, cells):
    """block -> the cells that it lacks because their trials were interrupted or their records
    damaged: those that its session measured in other blocks, and for the last block all cells.
    blocks: (session, block) -> measured cells."""
    of_session, of_block, expected = {}, {}, {}
    for (session, block), measured in blocks.items():
        of_session.setdefault(session, set()).update(measured)
        of_block.setdefault(block, set()).update(measured)
    for session, block in blocks:
        expected.setdefault(block, set()).update(of_session[session])
    if blocks:
        expected[list(blocks)[-1][1]] = cells
    return {block: ids - of_block[block] for block, ids in sorted(expected.items())
            if ids - of_block[block]}
