# SPDX-License-Identifier: MIT
"""What a report says of a sweep: the summary's cells with their records, and which cells are faster than which."""

from collections import Counter, namedtuple
from types import SimpleNamespace

from plots.style import series_key, series_label, series_of
from results import verdicts
from results.summary import traced

# Of a strategy with so many workers over all work that the baseline did, too. ratio: geometric mean, or None;
# verdicts: how often each; fastest: on how many of them.
Average = namedtuple("Average", "strategy workers ratio work verdicts fastest")


def entry(record, key):
    """An object that a record has under a key; an empty one if it has none."""
    value = record.get(key)
    return value if isinstance(value, dict) else {}


class Findings:
    def __init__(self, summary, actorlab):
        self.summary, self.cells = summary, summary.cells
        self.ran = [record for record in summary.records if not traced(record)]
        self.records = [record for record in self.ran if not entry(record, "sweep").get("twin")]
        self.failed = [record for record in self.ran if record.get("outcome") != "ok"]
        # A strategy is all that sets cells apart but their workload.
        parameters = {key for cell in self.cells for key in cell["parameters"]}
        self.keys = [key for key in summary.keys if key not in parameters]
        named = SimpleNamespace(keys=self.keys, cells=self.cells)
        lines = series_of(named)
        labels = {line: series_label(named, lines, line) for line in lines}
        self.strategies = [labels[series_key(named, cell)] or cell["scheduler"] for cell in self.cells]
        self.groups = verdicts.groups(self.cells)
        if any(len({self.strategies[index] for index in group}) < len(group) for group in self.groups):
            self.strategies = [f"{strategy} of {cell['binary_hash']}"
                               for strategy, cell in zip(self.strategies, self.cells)]
        self.margin = verdicts.margin(summary.noise)
        self.against_next = self._judged([group[:2] for group in self.groups])
        self._compare_with_baseline()

    def _judged(self, groups):
        return verdicts.to_first(self.summary.actorlab, groups, self.summary.runs, self.margin)

    def _compare_with_baseline(self):
        """The configuration's baseline, or else the first scheduler; of several cells of it, the first."""
        scheduler = self.summary.baseline or (self.cells[0]["scheduler"] if self.cells else None)
        beside = verdicts.beside(self.cells, scheduler)
        self.baselines = {group[0] for group in beside}
        names = {self.strategies[index] for index in self.baselines}
        self.baseline = names.pop() if len(names) == 1 else scheduler
        self.to_baseline = self._judged(beside)
        means = verdicts.averages(self.summary.actorlab, beside, self.summary.runs, self.cells, self.strategies)
        fastest = {group[0] for group in self.groups}
        members = {}
        for index in sorted(index for group in beside for index in group):
            members.setdefault((self.cells[index]["workers"], self.strategies[index]), []).append(index)
        self.averages = [
            Average(strategy, workers, means.get((strategy, workers)), len(indices),
                    Counter(self.to_baseline[index]["verdict"] for index in indices if index in self.to_baseline),
                    sum(index in fastest for index in indices))
            for (workers, strategy), indices in sorted(members.items(), key=lambda item: item[0][0])]

    def strategy(self, index):
        return self.strategies[index]

    def workload(self, index):
        """The benchmark, with the parameters that set it apart from the same with others."""
        cell = self.cells[index]
        common = self.summary.common(cell["benchmark"])
        return " ".join([cell["benchmark"], *(f"{key}={value}" for key, value in cell["parameters"].items()
                                              if key not in common)])

    def name(self, index):
        workers = self.cells[index]["workers"]
        return f"{self.workload(index)}, {self.strategy(index)}, {workers} worker{'s' if workers != 1 else ''}"

    def winners(self):
        """(fastest, next or None, their comparison or None: no session has both) of each group, as places of cells."""
        for group in sorted(self.groups, key=min):
            yield (group[0], group[1], self.against_next.get(group[1])) if len(group) > 1 else (group[0], None, None)
