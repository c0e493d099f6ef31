# SPDX-License-Identifier: MIT
"""The worker counts at which workers start to share cores, or to span packages or kinds of core."""

import functools

from common.actorlab import ROOT
from machine.topology import order
from results.records import HERE

MACHINES = "configs/machines"  # where the files of machines are that are simulated by name

# The names of marks, in the figure and in its caption.
WORDS = {"SMT": "two workers share a core", "package": "workers are on several packages",
         "kind": "workers are on cores of several kinds"}


def crossings(summary):
    """[(name, largest worker count drawn before it, smallest drawn after it)]. Empty if the records
    do not say where the workers ran, if that differs between cells, or if the records are of
    another machine."""
    firsts = []
    for cell in summary.cells:
        if cell["pus"] != []:  # peers place their threads themselves
            firsts.append(first_workers(summary.actorlab, cell, summary.simulated is not None))
    counts = sorted({cell["workers"] for cell in summary.cells})
    if None in firsts or len({tuple(first.items()) for first in firsts}) != 1:
        return []
    marks = []
    for name, first in firsts[0].items():
        before, after = [n for n in counts if n <= first], [n for n in counts if n > first]
        if before and after:
            marks.append((name, before[-1], after[0]))
    return marks


def first_workers(actorlab, cell, is_simulated):
    """name -> the number of the first worker, from 0, that shares a core, or is on another package
    or a core of another kind than the first; None if that is not known."""
    if not cell["pus"]:
        return None
    topology = None if cell["topology"] == HERE else cell["topology"]
    if is_simulated and (ROOT / MACHINES / f"{topology}.xml").is_file():
        topology = ROOT / MACHINES / f"{topology}.xml"
    known = machine(actorlab, topology, cell["pin"])
    # The records of a simulated machine are of its latencies too, which have a hash of their own.
    if known is None or not is_simulated and known.get("topology_hash") != cell["topology_hash"]:
        return None
    places = known["order"]
    pus = [place["pu"] for place in places]
    if cell["pus"][:len(pus)] != pus[:len(cell["pus"])]:
        return None
    found = {}
    for worker, place in enumerate(places):
        if place["core"] is not None and place["core"] in [other["core"] for other in places[:worker]]:
            found.setdefault("SMT", worker)
        if place["package"] != places[0]["package"]:
            found.setdefault("package", worker)
        if place["kind"] != places[0]["kind"]:
            found.setdefault("kind", worker)
    return found


@functools.cache
def machine(actorlab, topology, pin):
    return order(actorlab, topology, pin)


def note(summary):
    """The caption's sentence about the marks."""
    meanings = [f"beyond {name}, {WORDS[name]}" for name, *_ in crossings(summary)]
    return f" Vertical lines: {'; '.join(meanings)}." if meanings else ""
