# SPDX-License-Identifier: MIT
"""Cells that differ only in what cannot make a difference: heuristics that choose from one victim,
or pin policies that give the same PUs."""

import json

from common.words import listed, plural

SAME = ("benchmark", "parameters", "scheduler", "idle", "workers", "topology", "engine", "machine", "binary",
        "binary_hash", "topology_hash")
# What a victim heuristic has to choose from, by the number of workers.
CHOICE = {1: "where there is nobody to steal from", 2: "where a thief has one possible victim"}


def lines(cells, victims, pus_of):
    """A line for each axis, number of workers and set of values that are alike. cells: identities.
    victims: as `actorlab list --json` has them. pus_of(cell): its workers' PUs, or None."""
    victims = {entry["name"]: entry for entry in victims}
    yield from told("victim", alike_victims(cells, victims), lambda cell: CHOICE[cell["workers"]])
    yield from told("pin", alike_pins(cells, pus_of), lambda cell: "which get the same PUs in the same order")


def alike_victims(cells, victims):
    """Groups of cells that differ in the victim heuristic and its options alone, none of which can
    choose another victim than the others."""
    groups = {}
    for cell in cells:
        entry = victims.get(cell["victim"], {})
        # One that may decline a victim differs from those that never do.
        if cell["workers"] == 1 or cell["workers"] == 2 and not entry.get("declines", True):
            own = {option["name"] for option in entry.get("options", ())}
            options = {key: value for key, value in cell["options"].items() if key not in own}
            groups.setdefault(key_of(cell, cell.get("pin"), options), []).append(cell)
    return groups.values()


def alike_pins(cells, pus_of):
    """Groups of cells that differ in the pin policy alone, which binds their workers alike."""
    groups = {}
    several = len({cell.get("pin") for cell in cells} - {"none"}) > 1
    for cell in cells if several else ():
        pus = None if cell.get("pin") == "none" else pus_of(cell)
        if pus and None not in pus:
            groups.setdefault(key_of(cell, cell["victim"], cell["options"], pus), []).append(cell)
    return groups.values()


def key_of(cell, *more):
    return json.dumps([[cell.get(key) for key in SAME], more], sort_keys=True)


def told(axis, groups, why):
    found = {}  # values and reason -> the cells
    for group in groups:
        group = [cell for cell in group if cell.get(axis) is not None]  # a record need not say it
        values = list(dict.fromkeys(cell[axis] for cell in group))
        if len(values) > 1:
            found.setdefault((tuple(sorted(values)), why(group[0])), []).extend(group)
    for (values, reason), cells in found.items():
        counts = sorted({cell["workers"] for cell in cells})
        with_workers = listed([*map(str, counts[:-1]), plural(counts[-1], "worker")])
        schedulers = ", ".join(dict.fromkeys(cell["scheduler"] for cell in cells))
        yield (f"{axis} cannot make a difference with {with_workers}, {reason}: {', '.join(values)} "
               f"({plural(len(cells), 'cell')} of {schedulers})")
