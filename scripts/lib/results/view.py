# SPDX-License-Identifier: MIT
"""Results over another axis than the workers: any key with numbers in which cells differ."""

import copy

from common.failure import Failure
from common.words import plural


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
