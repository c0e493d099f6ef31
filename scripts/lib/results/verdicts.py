# SPDX-License-Identifier: MIT
"""Which cells are faster than which at the same work, and on the average: `actorlab compare` judges."""

import json

from common.actorlab import ask

DEFAULT_NOISE = 2.0  # percent, where no A/A cell has shown it
MOST_NOISE = 10.0  # beyond, nothing is called equivalent: docs/explanation/statistics.md#comparisons
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


def beside(cells, scheduler):
    """Those groups that have a cell of the scheduler: the first of these, which is their baseline, and then the others."""
    found = []
    for group in groups(cells):
        known = [index for index in group if cells[index]["scheduler"] == scheduler]
        if known:
            found.append([min(known), *(index for index in group if index != min(known))])
    return found


def to_first(actorlab, groups, runs, noise):
    """Each cell but the first of its group: place -> its comparison with that one. runs: the records of each cell."""
    answer = compare(actorlab, groups, runs, noise, lambda index, first: {"options": {"cell": index}})
    return {one["options"]["cell"]: one for one in answer["comparisons"]}


def averages(actorlab, groups, runs, cells, strategies):
    """(strategy, workers) -> the geometric mean of its ratios to the first of each group, if it is in several groups.
    strategies: of each cell, its name."""
    answer = compare(actorlab, groups, runs, 0, lambda index, first: {
        "workers": cells[index]["workers"], "options": {} if first else {"strategy": strategies[index]}})
    return {(one["options"]["strategy"], one["workers"]): one["ratio"] for one in answer["averages"]}


def compare(actorlab, groups, runs, noise, known):
    """What `actorlab compare` says of each cell and the first of its group. Each group becomes a benchmark of its own
    with a scheduler `first`, so that one call answers for all. known(index, is_first): what else sets a cell apart."""
    lines = []
    for number, group in enumerate(groups):
        for index in group:
            first = index == group[0]
            for record in runs[index]:
                lines.append(json.dumps({
                    "schema_version": 2, "trial": f"{len(lines):032x}", "benchmark": str(number), "parameters": {}, "workers": 1, "outcome": "ok",
                    "scheduler": "first" if first else "other", "time_ns": record["time_ns"],
                    "messages": record["messages"], "peak_rss_bytes": 0, "sweep": {**(record.get("sweep") or {}), "session": record.session},
                    **known(index, first),
                }))
    if all(len(group) == 1 for group in groups):
        return {"comparisons": [], "averages": []}
    return ask(actorlab, "compare", "-", "--against", "scheduler=first", "--json", "--noise", noise,
               input="\n".join(lines) + "\n")
