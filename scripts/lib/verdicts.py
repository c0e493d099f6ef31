# SPDX-License-Identifier: MIT
"""Which cells are slower than the fastest at the same work: `actorlab compare` judges."""

import json

from actorlab import ask

DEFAULT_NOISE = 2.0  # percent, where no A/A cell has shown it
MOST_NOISE = 10.0  # beyond, nothing is called equivalent: docs/statistics.md#comparisons
WORK = ("benchmark", "parameters", "workers", "topology", "engine", "topology_hash")


def margin(noise):
    """Within how many percent cells are equivalent. noise: of the A/A cells, percent, or None."""
    return DEFAULT_NOISE if noise is None else noise if noise <= MOST_NOISE else 0.0


def groups(cells):
    """Lists of places in cells: those that do the same work with as many workers, fastest median first."""
    found = {}
    for index, cell in enumerate(cells):
        found.setdefault(json.dumps([cell.get(key) for key in WORK], sort_keys=True), []).append(index)
    return [sorted(group, key=lambda index: cells[index]["ns_per_message"]["median"]) for group in found.values()]


def to_first(actorlab, groups, runs, noise):
    """Each cell but the first of its group: place -> its comparison with that one. runs: the records of each cell.

    Each group becomes a benchmark of its own with a scheduler `first`, so that one call answers for all."""
    lines = []
    for number, group in enumerate(groups):
        for index in group:
            for record in runs[index]:
                lines.append(json.dumps({
                    "schema_version": 1, "benchmark": str(number), "parameters": {}, "workers": 1, "outcome": "ok",
                    "scheduler": "first" if index == group[0] else "other", "options": {"cell": index},
                    "time_ns": record["time_ns"], "messages": record["messages"], "peak_rss_bytes": 0,
                    "sweep": record.get("sweep"),
                }))
    if all(len(group) == 1 for group in groups):
        return {}
    answer = ask(actorlab, "compare", "-", "--against", "scheduler=first", "--json", "--noise", noise,
                 input="\n".join(lines) + "\n")
    return {one["options"]["cell"]: one for one in answer["comparisons"]}
