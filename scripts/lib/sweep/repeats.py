# SPDX-License-Identifier: MIT
"""Groups of cells that run again because the hand-off state changed while they ran:
docs/reference/sweeps.md#groups-that-run-again."""

import statistics
from collections import Counter

LOOKED_AT = ("outcome", "workers", "pin", "handoff")  # of a record


class Repeats:
    """What runs again is decided by hand-off times, never by the times of the trials. The record
    that completes a group says that it runs again, and the one that completes the repeat says which
    trials it supersedes: whoever resumes need not decide anew."""

    def __init__(self, plan, records, found, block=None):
        """found: (session, block) -> the cells that were measured."""
        self.plan, self._within = plan, plan.limits["quiet_within"]
        self._share = plan.config.repeats
        self._block = block  # the only one that runs, or None
        cells = {cell.id: cell for cell in plan.cells}
        self._group = {}  # cell id -> its group, if its trials have hand-offs
        for group in plan.groups() if self._share else ():
            if len(group) > 1 and all(has_handoffs(cells[cell]) for cell in group):
                self._group |= dict.fromkeys(group, group)
        self._handoffs = {}  # (workers, pin) -> ns of each trial
        self._recorded = {}  # (block, group) -> the trials that a repeat would supersede
        self._runs = {}  # (block, group, repeat) of this session, incomplete -> LOOKED_AT
        self._due = {}  # (block, group), in order
        self._spent = 0  # trials
        if self._group:
            self._recall(records, found)

    def _recall(self, records, found):
        for record in records:
            place = record.get("sweep") or {}
            group, block = self._group.get(place.get("cell")), place.get("block")
            if group is None or self._block not in (None, block):
                continue
            key = block, group
            self._note(key, record, place.get("repeat"))
            if place.get("supersedes"):
                self._due.pop(key, None)
            elif place.get("again") and group <= found.get((record.session, block), set()):
                self._due[key] = None

    def _note(self, key, record, repeat):
        self._recorded.setdefault(key, []).append(record.get("trial"))
        self._spent += bool(repeat)
        if (ns := handoff_of(record)) is not None:
            self._handoffs.setdefault((record["workers"], record["pin"]), []).append(ns)

    def most(self, blocks=None):
        """How many trials may be run again in so many blocks."""
        planned = self.plan.config.invocations
        blocks = 1 if self._block is not None else min(blocks or planned, planned)
        return int(self._share * len(self.plan.cells) * blocks) if self._group else 0

    @property
    def left(self):
        """Of how many trials it is not decided yet."""
        return max(0, self.most() - self._spent - self.due().total())

    def due(self):
        """Cell id -> number of trials to run again."""
        return Counter(cell for _, group in self._due for cell in group)

    def group_of(self, trial):
        return self._group[trial.cell.id]

    def trials(self):
        """The trials to run again."""
        for block in sorted({block for block, _ in self._due}):
            cells = set().union(*(group for number, group in self._due if number == block))
            yield from [trial for trial in self.plan.trials(block, 1) if trial.cell.id in cells]

    def add(self, trial, record):
        """Further keys of `sweep` for the record of a trial that has just ended."""
        group = self._group.get(trial.cell.id)
        if group is None:
            return {}
        key, more = (trial.block, group), {"repeat": 1} if trial.repeat else {}
        self._note(key, record, trial.repeat)
        run = self._runs.setdefault((*key, trial.repeat), [])
        run.append({name: record.get(name) for name in LOOKED_AT})
        if len(run) < len(group):
            return more
        del self._runs[*key, trial.repeat]
        if trial.repeat:
            self._due.pop(key)
            more["supersedes"] = self._recorded[key][:-len(run)]
        elif self._changed(run) and self._affords(key):
            self._due[key] = None
            more["again"] = True
        return more

    def _changed(self, run):
        """Whether some of the trials were quiet, as `actorlab results` defines it for all trials so
        far, and others were not. A group in which a trial failed stays as it is, or the failure
        would go unnoticed."""
        states = {self.is_quiet(record) for record in run} - {None}
        return len(states) > 1 and all(record["outcome"] == "ok" for record in run)

    def is_quiet(self, record):
        ns = handoff_of(record)
        if ns is None:
            return None
        so_far = self._handoffs[record["workers"], record["pin"]]
        lower = statistics.quantiles(so_far, n=4, method="inclusive")[0] if len(so_far) > 1 else ns
        return ns <= self._within * lower

    def _affords(self, key):
        block, group = key
        return self._spent + self.due().total() + len(group) <= self.most(block + 1)


def has_handoffs(cell):
    """With one worker nothing is handed over."""
    return not cell.simulated and cell.identity["workers"] > 1


def handoff_of(record):
    """Nanoseconds, or None if they are not known."""
    return (record.get("handoff") or {}).get("median_ns")
