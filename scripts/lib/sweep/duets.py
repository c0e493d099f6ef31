# SPDX-License-Identifier: MIT
"""Duets: each cell with one worker runs at the same time as the cell that it is compared with, on
another PU. docs/reference/sweeps.md#duets."""

import random

from common.failure import Failure
from sweep.binaries import AXIS
from sweep.supervisor import PARTNER
from sweep.values import shown

WORDS = ("--duet", str(PARTNER))  # of a trial, beside those of its cell


class Duets:
    def __init__(self, plan, registry):
        """Raises Failure if a cell has no second PU."""
        self._config, self._partners, self._pus = plan.config, {}, {}
        self._cells = set()  # those that have a partner in a sweep of duets
        for group in plan.all_groups:
            own = [cell for cell in group if has_partner(cell)]
            self._cells |= {cell.id for cell in own}
            for cell in own if plan.config.duet else ():
                self._partners[cell.id] = min(self._candidates(own), key=lambda other: differing(cell, other))
                place = (cell.flags.get("topology"), cell.flags.get("pin"))
                pus = self._pus[cell.id] = registry.pus_of_workers(place[0], None, place[1], 2)
                # On a cluster, each node finds out.
                if registry.order is not None and (pus is None or pus[0] == pus[1]):
                    raise Failure(f"{plan.config.path}: duet = true: {cell.name}: there is one PU; valid: two, or "
                                  "duet = false")

    def _candidates(self, group):
        """The cells that others of their group are compared with."""
        first = next((cell.binary for cell in group if cell.binary is not None), None)
        found = [cell for cell in group if cell.binary == first and not cell.twin and (
            first is not None or cell.identity["scheduler"] == self._config.baseline)]
        return found or [cell for cell in group if not cell.twin][:1]

    def has(self, cell):
        return cell.id in self._partners

    def difference(self, records):
        """As recording.difference: a cell's times are others beside another."""
        for record in records:
            cell, was = (record.get("sweep") or {}).get("cell"), record.get("duet") is not None
            if cell in self._cells and was != (cell in self._partners):
                return "duet", shown(was), shown(not was)
        return None

    def parts(self, trial):
        """The cells of the trial and of its partner, each bound to a PU; None if it runs alone.
        Which of them has the first PU is random in each even block, and the other way round in the
        next."""
        cell = trial.cell
        if not self.has(cell):
            return None
        coin = random.Random(f"{self._config.seed}:{cell.id}:{trial.block // 2}:duet").random() < 0.5
        swapped = coin != bool(trial.block % 2)
        pus = self._pus[cell.id][::-1 if swapped else 1]
        both = zip((cell, self._partners[cell.id]), pus)
        return [cell._replace(flags={**cell.flags, "pin": pu}) for cell, pu in both]


def has_partner(cell):
    return cell.identity["workers"] == 1 and not cell.simulated and cell.peer is None


def differing(cell, other):
    """In how many keys and options two cells differ."""
    def items(one):
        identity = {key: value for key, value in one.identity.items() if key not in ("parameters", "options", AXIS)}
        return {*map(str, identity.items()), *map(str, one.identity["options"].items())}

    return len(items(cell) ^ items(other))


def joined(own, partner):
    """The key `duet` of a record: that of the partner, and for which share of the measured time it
    kept its PU busy."""
    times = own.get("duet"), partner.get("duet")
    overlap = None
    if None not in times:
        mine, its = times
        both = min(mine["done_ns"], its["left_ns"]) - max(mine["met_ns"], its["met_ns"])
        overlap = round(max(0, both) / max(1, mine["done_ns"] - mine["met_ns"]), 4)
    return {"overlap": overlap, "partner": partner}
