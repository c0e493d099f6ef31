# SPDX-License-Identifier: MIT
"""Builds that a sweep compares: values of its axis `binary`, each a program that runs trials."""

import json
import os
from pathlib import Path
from typing import NamedTuple

from sweep.config import groups_of
from sweep.registry import KINDS, Registry
from sweep.runner import run_alone
from sweep.values import listed, shown

AXIS = "binary"
TABLE = "binaries"  # of a configuration: name = "path"
PATIENCE_S = 20  # for a program to say what it has


class Unfit(Exception):
    """Why a program cannot run trials of a sweep, without its name."""


class Binary(NamedTuple):
    name: str
    program: Path
    registry: Registry  # of what it has
    layouts: tuple = ()  # the same build, linked in other orders: one for each block

    @property
    def environment(self):
        return self.registry.environment | ({"layout": True} if self.layouts else {})

    def require(self, names, options):
        """Raises Unfit unless it has the benchmark, the strategy, the heuristics and the options of
        a cell. names: kind -> name, or None for the build's own choice."""
        for kind, name in names.items():
            if name is not None and name not in self.registry.names(kind):
                raise Unfit(f"has no {kind} {shown(name)} (it has: {listed(self.registry.names(kind))})")
        own = self.registry.complete(names)
        used = {kind: [name] for kind, name in own.items()}
        for key in options:
            if not self.registry.owners(key, used):
                raise Unfit(f"has no option {shown(key)} for {own['benchmark']} and {own['scheduler']} "
                            f"(it has: {listed(self.registry.option_names(used))})")


def read(tables, folder, registry):
    """name -> Binary, or what is wrong with it, of each build in these tables. Runs them."""
    return {name: make(name, paths, registry) for name, paths in programs(tables, folder).items()}


def programs(tables, folder):
    """name -> the program of every build that these tables name, and its layouts; they are not
    checked yet. Paths are relative to the folder."""
    table = tables.get(TABLE)
    table = table if isinstance(table, dict) else {}
    paths = {name: paths_of(table.get(name, name)) for name in named(tables)}
    return {name: [Path(os.path.normpath(Path(folder, path).absolute())) for path in its]
            for name, its in paths.items() if its}


def paths_of(value):
    """The paths that a build in [binaries] has, the first its program's; empty for a mistake."""
    paths = value if isinstance(value, list) else [value]
    return paths if all(isinstance(path, str) and path and "\0" not in path for path in paths) else []


def named(tables):
    """Every build under the key `binary` of a configuration that is not checked yet, in order."""
    found = {}
    for group in groups_of(tables):
        values = group.get(AXIS)
        for value in values if isinstance(values, list) else [values]:
            if isinstance(value, str) and value:
                found[value] = True
    return list(found)


def make(name, paths, registry):
    """The Binary, or a line that says what is wrong with the program."""
    program, *layouts = paths
    try:
        if missing := next((path for path in layouts if not path.is_file()), None):
            raise Unfit(f"has no layout {missing}")
        listing = listing_of(program)
        version, known = listing["schema_version"], registry.schema_version
        if version > known:
            raise Unfit(f"writes records of version {version}, but this actorlab reads up to {known}")
        own = Registry(listing, registry.place_problem, pus_of=registry.usable, machines=registry.machines,
                       order=registry.order)
        own.pus = registry.pus
        return Binary(name, program, own, tuple(layouts))
    except Unfit as unfit:
        return f"{AXIS} = {shown(name)}: {program} {unfit}"
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        missing = f": its list has no {error.args[0]}" if isinstance(error, KeyError) else ""
        return f"{AXIS} = {shown(name)}: {program} is no actorlab, or one too old{missing}"


def listing_of(program):
    """What `PROGRAM list --json` says. The program may be anything."""
    if program.is_dir():
        raise Unfit("is a folder, not a program")
    try:
        return json.loads(run_alone([str(program), "list", "--json"], PATIENCE_S)[1])
    except OSError as error:
        raise Unfit(f"cannot run: {error.strerror}") from None


def given_kinds(given):
    """kind -> its name in a cell, None where the build chooses."""
    return {kind: given.get(kind) for kind in KINDS}
