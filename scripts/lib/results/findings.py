# SPDX-License-Identifier: MIT
"""The findings of a report: which cells are faster than which."""

from collections import Counter, namedtuple

# A strategy with a number of workers, over all work that the baseline did too. ratio: geometric
# mean, or None; verdicts: how often each; fastest: on how many of them.
Average = namedtuple("Average", "strategy workers ratio work verdicts fastest")


def entry(record, key):
    """The object under a key; an empty one if there is none."""
    value = record.get(key)
    return value if isinstance(value, dict) else {}


class Findings:
    def __init__(self, summary):
        self.summary, self.cells = summary, summary.cells
        self.keys, self.margin = summary.strategy_keys, summary.margin
        self.against_next = summary.comparisons["fastest"]
        self.to_baseline = summary.comparisons["baseline"]
        self.baselines = {group["baseline"] for group in summary.groups} - {None}
        names = {self.strategy(index) for index in self.baselines}
        self.baseline = names.pop() if len(names) == 1 else summary.compared_with
        self.averages = self._averages()

    def _averages(self):
        means = {(mean["strategy"], mean["workers"]): mean["ratio"]
                 for mean in self.summary.averages["strategies"]}
        fastest = {group["cells"][0] for group in self.summary.groups}
        members = {}
        for index in sorted(index for group in self.summary.groups
                            if group["baseline"] is not None for index in group["cells"]):
            cell = self.cells[index]
            members.setdefault((cell["workers"], cell["strategy"]), []).append(index)
        return [
            Average(self.summary.strategies[strategy], workers, means.get((strategy, workers)),
                    len(indices), Counter(self.to_baseline[index]["verdict"] for index in indices
                                          if index in self.to_baseline),
                    sum(index in fastest for index in indices))
            for (workers, strategy), indices in sorted(members.items(),
                                                       key=lambda item: item[0][0])]

    def strategy(self, index):
        return self.summary.strategies[self.cells[index]["strategy"]]

    def workload(self, index):
        """The benchmark, with the parameters that distinguish it from the same benchmark with
        others."""
        return self.cells[index]["workload"]

    def name(self, index):
        workers = self.cells[index]["workers"]
        plural = "s" if workers != 1 else ""
        return f"{self.workload(index)}, {self.strategy(index)}, {workers} worker{plural}"

    def winners(self):
        """(fastest, next or None, their comparison or None if no session has both) of each group;
        cells are places."""
        for group in sorted((group["cells"] for group in self.summary.groups), key=min):
            second = group[1] if len(group) > 1 else None
            yield group[0], second, self.against_next.get(second)
