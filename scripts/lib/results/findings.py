# SPDX-License-Identifier: MIT
"""The findings of a report: which cells are faster than which."""

from collections import Counter

from common.words import plural

DECIDED = ("faster", "slower", "equivalent")
VERDICTS = (*DECIDED, "inconclusive")


def entry(record, key):
    """The object under a key; an empty one if there is none."""
    value = record.get(key)
    return value if isinstance(value, dict) else {}


def p_value(p):
    """Two digits: 0.23, 0.0042, 3.1e-5."""
    if p is None:
        return "–"
    return f"{p:.1e}".replace("e-0", "e-") if p < 0.001 else f"{p:.2g}"


def tally(summary):
    """One line on the verdicts of the comparisons with the baseline; None if there are none."""
    pairs = summary.families["baseline"].pairs.values()
    counts = Counter(pair["verdict"] for pair in pairs if pair["verdict"])
    if not counts:
        return None
    total = counts.total()
    words = ", ".join(f"{counts[verdict]:,} {verdict}" for verdict in VERDICTS)
    more = [pair["more_blocks"] for pair in pairs if pair["verdict"] == "inconclusive"]
    known = [blocks for blocks in more if blocks is not None]
    if known:
        blocks = f"up to {plural(max(known), 'more block')}"
        need = f"{len(known):,} of them need{'s' if len(known) == 1 else ''} "
        words += f" ({need if len(known) < len(more) else ''}{blocks})"
    disturbed = sum(pair["disturbed"] for pair in pairs if pair["verdict"] in DECIDED)
    if disturbed:
        words += f"; {disturbed:,} of these verdicts are of trials of which most were disturbed"
    return f"{plural(total, 'comparison')} with {baseline_of(summary)}: {words}"


def baselines_of(summary):
    """The places of the cells that others are compared with."""
    bases = {pair["base"] for pair in summary.families["baseline"].pairs.values()}
    if summary.first_binary is None:
        bases |= {group["baseline"] for group in summary.groups} - {None}
    return bases


def baseline_of(summary):
    """The name of what others are compared with: a build, a strategy, or a scheduler of which
    there are several strategies."""
    labels = {summary.strategies[summary.cells[index]["strategy"]] for index in baselines_of(summary)}
    if summary.first_binary or len(labels) != 1:
        return summary.first_binary or summary.compared_with
    (name,) = labels
    keys = summary.strategy_keys
    return f"{keys[0]} {name}" if keys in (["victim"], ["idle"], ["pin"]) else name


class Findings:
    def __init__(self, summary):
        self.summary, self.cells = summary, summary.cells
        self.keys, self.margin = summary.strategy_keys, summary.margin
        self.to_first, self.to_baseline = summary.families["fastest"], summary.families["baseline"]
        self.baselines, self.binary = baselines_of(summary), summary.first_binary
        self.baseline = baseline_of(summary)

    def strategy(self, index):
        return self.summary.strategies[self.cells[index]["strategy"]]

    def workload(self, index):
        """The benchmark, with the parameters that distinguish it from the same benchmark with
        others."""
        return self.cells[index]["workload"]

    def name(self, index):
        workers = self.cells[index]["workers"]
        return f"{self.workload(index)}, {self.strategy(index)}, {plural(workers, 'worker')}"

    def groups(self):
        """Those of the summary, in the order of their cells."""
        return sorted(self.summary.groups, key=lambda group: min(group["cells"]))

    def lead(self, group):
        """The comparison of the next with the first of a group; None if no session has both."""
        return self.to_first.pairs.get(group["next"])
