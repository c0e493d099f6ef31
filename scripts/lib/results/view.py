# SPDX-License-Identifier: MIT
"""Other views of results: over another axis than the workers, which is any key with numbers in
which cells differ, and with a panel for each workload."""

import copy
import json

from common.failure import Failure
from common.words import plural

MOST_LINES = 12  # that a reader can tell apart: as many as there are colours


def numeric_keys(summary):
    """The keys in which cells differ, of which every known value is a number."""
    found = []
    for place, key in enumerate(summary.keys):
        values = [value for value in (cell["values"][place] for cell in summary.cells) if value is not None]
        if values and all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values):
            found.append(key)
    return found


def over(summary, key):
    """A summary whose lines go along this key. Worker counts make panels of their own. Cells that
    do not have the key are left out. Their indices stay, and so do their comparisons."""
    if key == "workers":
        return summary
    if key not in numeric_keys(summary):
        valid = ", ".join(["workers", *numeric_keys(summary)])
        raise Failure(f"--x {key}: no axis of these records; valid: {valid}")
    place = summary.keys.index(key)
    view = copy.copy(summary)
    kept = [cell for cell in summary.cells if cell["values"][place] is not None]
    counts = {name: len({cell["workers"] for cell in kept if cell["benchmark"] == name}) for name in summary.benchmarks}
    names, lines, labels = {}, {}, {}
    view.keys = [other for other in summary.keys if other != key]
    view.cells = []
    for cell in kept:
        value = cell["values"][place]
        others = tuple(map(repr, cell["values"][:place] + cell["values"][place + 1:]))
        line = lines.setdefault(others, len(lines))
        label = summary.lines[cell["line"]]["label"].replace(f"{key}={value:.15g}", "").split()
        labels.setdefault(line, {**summary.lines[cell["line"]], "label": " ".join(label) or cell["scheduler"]})
        panel, workers = cell["benchmark"], cell["workers"]
        if counts[panel] > 1:
            panel = f"{panel}, {plural(workers, 'worker')}"
        names.setdefault((summary.benchmarks.index(cell["benchmark"]), workers if counts[cell["benchmark"]] > 1 else 0),
                         (panel, cell["benchmark"]))
        view.cells.append({**cell, "benchmark": panel, "line": line, "x": value})
    view.x, view.lines = key, [labels[line] for line in range(len(lines))]
    told = [row["label"] for row in view.lines]
    if len(set(told)) < len(told):  # a value that only the other axis told apart
        for row, others in zip(view.lines, lines):
            row["label"] = " ".join(f"{other}={value.strip(chr(39))}" for other, value in zip(view.keys, others))
    view.benchmarks = [panel for _, (panel, _) in sorted(names.items())]
    view.workloads = {panel: summary.workloads[benchmark] for panel, benchmark in names.values()}
    return view


def written(value):
    """As in labels of `actorlab results`."""
    if isinstance(value, bool):
        return json.dumps(value)
    return f"{value:.15g}" if isinstance(value, float) else str(value)


def by_workload(summary, x="workers"):
    """A summary in which a benchmark with other parameters is a benchmark of its own, if one would
    otherwise have more lines than can be told apart; x is none of these parameters. Indices of
    cells and their comparisons stay."""
    keys = [key for key in summary.keys if key not in (x, *summary.strategy_keys)]
    kept = [place for place, key in enumerate(summary.keys) if key != x]  # which tell lines apart
    most = max((len({repr([cell["values"][place] for place in kept]) for cell in summary.of(name)}) for name in summary.benchmarks),
               default=0)
    if most <= MOST_LINES or not keys or len({cell["strategy"] for cell in summary.cells}) < 2:
        return summary
    view, lines, panels = copy.copy(summary), {}, {}
    view.keys = [key for key in summary.keys if key not in keys]

    def moved(entry):
        """A cell or failure with its panel and its line."""
        values = dict(zip(summary.keys, entry["values"]))
        given = [f"{key}={written(value)}" for key, value in values.items() if key in keys and value is not None]
        panel = " ".join([entry["benchmark"], *given])
        panels.setdefault(panel, summary.workloads[entry["benchmark"]])
        left = [values[key] for key in view.keys]
        line = lines.setdefault(tuple(map(repr, left)), len(lines))
        return {**entry, "benchmark": panel, "line": line, "values": left}

    view.cells = [moved(cell) for cell in summary.cells]
    labels = {cell["line"]: {**summary.lines[old["line"]], "label": summary.strategies[old["strategy"]], "values": cell["values"]}
              for old, cell in zip(summary.cells, view.cells)}
    view.failed = [moved(entry) for entry in summary.failed if entry["benchmark"] in summary.workloads]
    view.lines = [labels.get(line) for line in range(len(lines))]
    view.benchmarks, view.workloads, view.averages = list(panels), panels, []
    return view
