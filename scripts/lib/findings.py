# SPDX-License-Identifier: MIT
"""What a report says of a sweep: the summary's cells with their records, and which cells are faster than which."""

from statistics import median
from types import SimpleNamespace

import verdicts
from plots.style import series_key, series_label, series_of


def entry(record, key):
    """An object that a record has under a key; an empty one if it has none."""
    value = record.get(key)
    return value if isinstance(value, dict) else {}


def counters(record):
    """Over all threads and measured iterations, per message; empty where none were counted."""
    totals = {}
    for thread in record.get("counters") or []:
        for name, value in thread.items():
            totals[name] = totals.get(name, 0) + value
    delivered = record["messages"] * len(record["time_ns"])
    return {name: total / delivered for name, total in totals.items()}


class Findings:
    def __init__(self, summary, actorlab):
        self.summary, self.cells = summary, summary.cells
        self.records = [record for record in summary.records if not entry(record, "sweep").get("twin")]
        self.failed = [record for record in summary.records if record.get("outcome") != "ok"]
        self.groups = verdicts.groups(self.cells)
        self.fastest = {index: group[0] for group in self.groups for index in group}
        self.margin = verdicts.margin(summary.noise)
        self.comparisons = verdicts.to_first(actorlab, self.groups, summary.runs, self.margin)
        # A strategy is all that sets cells apart but their workload.
        parameters = {key for cell in self.cells for key in cell["parameters"]}
        self.keys = [key for key in summary.keys if key not in parameters]
        named = SimpleNamespace(keys=self.keys, cells=self.cells)
        lines = series_of(named)
        labels = {line: series_label(named, lines, line) for line in lines}
        self._strategies = [labels[series_key(named, cell)] or cell["scheduler"] for cell in self.cells]

    def strategy(self, index):
        return self._strategies[index]

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
        """(fastest, next or None, their comparison or None) of each group, as places of cells."""
        for group in sorted(self.groups, key=min):
            yield (group[0], group[1], self.comparisons[group[1]]) if len(group) > 1 else (group[0], None, None)

    def counters(self):
        """For each cell the medians of its counters per message, by name."""
        result = []
        for records in self.summary.runs:
            each = [counters(record) for record in records]
            names = dict.fromkeys(name for one in each for name in one)
            result.append({name: median(one[name] for one in each if name in one) for name in names})
        return result
