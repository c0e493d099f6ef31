# SPDX-License-Identifier: MIT
"""The configuration of a sweep that compares builds, derived from one of cells alone."""

from common.failure import Failure
from sweep import config
from sweep.binaries import AXIS, TABLE
from sweep.values import is_number, toml, toml_key


def check(path, **settings):
    """Raises Failure for a configuration that nothing can be derived from, before builds exist."""
    derived(path, "any", {"old": [], "new": []}, **settings)


def derived(path, name, programs, **settings):
    """The text of the configuration at that path with an axis of these programs (name -> paths),
    and with these settings; None removes one. Raises Failure for one that is not fit for that."""
    tables, _ = config.read(path)
    for key in ("sweep", "axes"):
        if not isinstance(tables.get(key, {}), dict):
            raise Failure(f"{path}: {key} must be a table: write [{key}]")
    if TABLE in tables or any(AXIS in group for group in config.groups_of(tables)):
        raise Failure(f"{path}: it has builds of its own ({AXIS}): use scripts/sweep")
    if "precision" in tables.get("sweep", {}) and "precision" not in settings:
        raise Failure(f"{path}: with precision the sweep may end before the gate could find a "
                      "regression: give --blocks, or take it out")
    sweep = {**tables.get("sweep", {}), **settings, "name": name}
    tables["sweep"] = {key: value for key, value in sweep.items() if value is not None}
    if "axes" in tables or not listed(tables.get("include")):
        tables["axes"] = {**tables.get("axes", {}), AXIS: list(programs)}
    for group in listed(tables.get("include")):
        if isinstance(group, dict):
            group[AXIS] = list(programs)
    tables[TABLE] = {build: list(map(str, paths)) for build, paths in programs.items()}
    return written(tables)


def blocks(path, **settings):
    """How many blocks a configuration says that it has; the sweep finds its mistakes."""
    sweep = {**config.read(path)[0].get("sweep", {}), **settings}
    said = (sweep.get("looks") or config.PLANNED_LOOKS)[-1] if sweep.get("precision") else sweep.get("invocations")
    return said if is_number(said, int) else config.Config.invocations


def listed(value):
    return value if isinstance(value, list) else []


def written(tables):
    """Tables as TOML, with everything below the first level inline. Raises Failure for a value that
    no sweep has."""
    lines = []
    for key, value in tables.items():
        whole = value if isinstance(value, list) else [value]
        for one in whole:
            if not isinstance(one, dict):
                raise Failure(f"{key} must be a table: write [{key}]")
            lines.append(f"[[{toml_key(key)}]]" if isinstance(value, list) else f"[{toml_key(key)}]")
            lines += [f"{toml_key(name)} = {toml(item)}" for name, item in one.items()] + [""]
    return "\n".join(lines)
