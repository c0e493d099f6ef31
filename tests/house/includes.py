# SPDX-License-Identifier: MIT
"""Who may include whom."""

import os
import re
import subprocess
from collections import defaultdict
from pathlib import Path

from sources import ROOT, code, text, written_in

def rooms(*names):
    return [f"benchmarks/harness/{name}" for name in names]


# What the files of a folder may include besides each other: folders and single files. The first
# that fits decides.
COMMON = ["core/config.h", "core/counted.h", "core/error.h", "core/random.h"]
MAY_INCLUDE = {
    # Below the seam; the seam; the machine; what plug-ins see; the system, which is everything but
    # plug-ins.
    "core/engine": [*COMMON, "core/engine", "core/machine"],
    "core/sync": [*COMMON, "core/engine"],
    "core/machine": [*COMMON, "core/names.h"],
    "core/observe": [*COMMON, "core/sync", "core/machine/locality.h", "core/worker.h", "core/envelope.h"],
    "core/plugin": [*COMMON, "core/sync", "core/machine/locality.h", "core/observe", "core/actor.h", "core/timers.h", "core/delivery.h",
                    "core/envelope.h", "core/option.h", "core/source.h", "core/worker.h"],
    "core": ["core"],
    "schedulers/library": ["core/actor.h", "core/bound.h", "core/later.h", "core/outside.h", "schedulers/registry.h"],
    "schedulers/registry.": ["core/plugin", "core/option.h", "core/system.h", "schedulers"],
    "schedulers/queues": [*COMMON, "core/sync", "core/envelope.h", "core/memory/pool.h", "core/watermark.h"],
    "schedulers/victims": ["core/plugin", "core/sync", "core/machine/locality.h"],
    "schedulers/idle": ["core/plugin", "core/sync", "core/observe"],
    "schedulers": ["core/plugin", "core/sync", "core/memory/lines.h", "core/memory/pool.h",
                   "core/observe", "core/machine/locality.h",
                   "schedulers/queues", "schedulers/idle/idles.h", "schedulers/idle/steal_backoff.h", "schedulers/victims/victims.h"],
    "benchmarks/workloads/benchmark.h": ["core/later.h", "core/random.h", "core/observe/histogram.h", "core/source.h"],
    "benchmarks/workloads": ["core/actor.h", "core/bound.h", "core/sync/unreported.h", "benchmarks/workloads/benchmark.h", "benchmarks/workloads/support"],
    "benchmarks/peers/ring": [*COMMON, "core/envelope.h", "core/option.h", "core/report.h", "core/source.h", "core/sync/sync.h",
                              "benchmarks/peers/support", "benchmarks/workloads/benchmark.h"],
    "benchmarks/peers": ["core/option.h", "core/random.h", "benchmarks/peers/support", "core/sync/unreported.h", "benchmarks/workloads/support"],
    # Each of these may include those before it.
    "benchmarks/harness/statistics": COMMON,
    "benchmarks/harness/text": [*COMMON, *rooms("statistics")],
    "benchmarks/harness/plugins": ["core/plugin", "core/sync/sync.h", "schedulers/registry.h", "benchmarks/workloads/benchmark.h",
                                   *rooms("statistics", "text")],
    "benchmarks/harness/results": [*COMMON, "core/names.h", "core/option.h", "core/plugin", "core/source.h", "core/sync/sync.h", "core/system.h",
                                   "schedulers/registry.h",
                                   "benchmarks/workloads/benchmark.h", *rooms("statistics", "text", "plugins")],
    "benchmarks/harness/measure": ["core", "schedulers", "benchmarks/workloads/benchmark.h",
                                   *rooms("statistics", "text", "plugins", "results")],
    "benchmarks/harness/show": ["core", *rooms("statistics", "text", "plugins", "results", "measure")],
    "benchmarks/harness": ["core", "schedulers", "benchmarks/workloads/benchmark.h", "benchmarks/workloads/judged.h",
                           "benchmarks/workloads/ours/synthetic.h", "benchmarks/harness"],
    "tests": ["core", "schedulers", "benchmarks", "tests"],
}
TOP_LEVEL = ("core", "schedulers", "benchmarks", "scripts", "results", "configs", "tests", "docs", "meson.build",
             "meson_options.txt", "README.md", "LICENSE", "CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md")
# What only some files may include or use.
ONLY = (
    (r"#include <hwloc", ["core/machine"], "hwloc"),
    (r"#include <stdatomic|\b(?:_Atomic|volatile)\b|\b__(?:atomic|sync)_\w+\(", ["core/sync", "core/engine", "tests"], "an atomic"),
    (r"#include <pthread|\bpthread_\w+\(", ["core/sync", "core/engine", "benchmarks/peers", "tests"], "a thread"),
    (r"(?<![\w.>])(?:malloc|calloc|realloc|aligned_alloc|free) *[(,)]",
     ["core/sync", "core/engine", "core/machine", "core/observe", "core/report.c", "schedulers/library", "benchmarks/harness",
      "benchmarks/peers", "tests"], "the C library's allocator"),
    (r"\bal_self\(", ["core", "schedulers", "tests"], "a worker's insides"),
)


def within(path, places):
    return any(path == place or path.startswith(place + "/") or place.endswith(".") and path.startswith(place)
               for place in places)


def named(path):
    """What a source includes of the project, in order."""
    return re.findall(r'^\s*#\s*include "(.*)"', text(path), re.MULTILINE)


def layers():
    """A file includes only what its room may know."""
    for path in written_in("c"):
        place = next((place for place in MAY_INCLUDE if within(path, [place])), None)
        if place is None:
            yield f"{path}: no rule says what it may include"
            continue
        for name in named(path):
            if os.path.dirname(name) != os.path.dirname(path) and not within(name, MAY_INCLUDE[place]):
                yield f"{path}: includes {name}"


def seams():
    """Only core/machine includes hwloc; atomics and threads are in core/sync; workloads do not look
    into a worker."""
    for path in written_in("c"):
        for pattern, places, what in ONLY:
            if not within(path, places) and re.search(pattern, code(path)):
                yield f"{path}: uses {what}; only {', '.join(places)} may"


def sources_of_memory():
    """A workload that uses al_new declares the parameter that decides where from."""
    for path in written_in("c"):
        if path.startswith("benchmarks/workloads/") and re.search(r"^AL_RECYCLE\(", text(path), re.MULTILINE):
            folder, stem = path.rsplit("/", 1)
            main = f"{folder}/{stem.split('_actors')[0].removesuffix('.c')}.c"
            if "AL_MEMORY_OPTION" not in text(main):
                yield f"{path}: uses AL_RECYCLE, and {main} has no AL_MEMORY_OPTION"


def top_level():
    """The top level is fixed; besides only builds and dot files. What git does not track, such as
    an archive of results, is its owner's affair."""
    tracked = subprocess.run(["git", "-C", ROOT, "ls-files"], capture_output=True, text=True, check=False)
    names = {line.partition("/")[0] for line in tracked.stdout.splitlines()}
    for name in sorted(names or {path.name for path in ROOT.iterdir()}):
        if name not in TOP_LEVEL and not name.startswith((".", "build")):
            yield f"{name}: belongs in one of {', '.join(TOP_LEVEL)}"


def from_the_root():
    """Includes name a file of the project by its path from the root."""
    for path in written_in("c"):
        for name in named(path):
            if not (ROOT / name).exists() and not (ROOT / (name + ".in")).exists() and not name.endswith("revision.h"):
                yield f"{path}: includes {name}, which is no path from the root"


def own_header_first():
    """A source includes its own header first, or what that is private to or part of."""
    for path in written_in("c"):
        stem, suffix = os.path.splitext(path)
        own = stem + {".c": ".h", ".cpp": ".hpp"}.get(suffix, "none")
        if not (ROOT / own).exists():
            continue
        wanted = {own, own.replace(".h", "_private.h"), *re.findall(r"Part of (\S+\.h)", text(own))}
        first = re.search(r'^#include [<"](.*)[>"]', code(path), re.MULTILINE)
        if not first or first[1] not in wanted:
            yield f"{path}: does not include {own} first"


def no_circles():
    """No files include each other in a circle; nor do rooms."""
    files, rooms = defaultdict(set), defaultdict(set)
    folders = {os.path.dirname(path) for path in written_in("c")}
    # A folder with rooms in it is no room, but what they share or stand on.
    outer = {str(parent) for folder in folders for parent in Path(folder).parents}
    for path in written_in("c"):
        for name in named(path):
            files[path].add(name)
            here, there = os.path.dirname(path), os.path.dirname(name)
            if here != there and not {here, there} & outer:
                rooms[here].add(there)
    for graph in files, rooms:
        for circle in circles(graph):
            yield " -> ".join(circle)


def circles(graph):
    """Each circle that a depth-first search meets."""
    done, trail = set(), []

    def visit(node):
        if node in trail:
            yield [*trail[trail.index(node):], node]
        elif node not in done:
            trail.append(node)
            for following in sorted(graph.get(node, ())):
                yield from visit(following)
            done.add(trail.pop())

    for start in sorted(graph):
        yield from visit(start)
