#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Damaged configurations of sweeps: the check accepts them or says what is wrong, and never raises
anything else."""

import functools
import math
import re
import sys
import tempfile
import traceback
from pathlib import Path

from fuzzing import ACTORLAB, ODD_STRINGS, ROOT, Complaint, damaged, fuzz, options

sys.path.insert(0, str(ROOT / "tests"))
from support import SWEEPS  # noqa: E402
from common import actorlab  # noqa: E402
from common.failure import Failure  # noqa: E402
from machine import topology  # noqa: E402
from sweep import checker, config  # noqa: E402
from sweep.plan import Plan  # noqa: E402
from sweep.registry import Registry  # noqa: E402

CONFIGS = [path.read_text() for path in SWEEPS]
VALUES = ["0", "1", "-1", "1.5", "nan", "inf", "-inf", "1e400", "9223372036854775808", "10_000_000", "true", "false", "[]",
          "{}", "[[]]", "[{}]", "{a = {b = 1}}", "[1, 'x']", "1979-05-27", "07:32:00", "1979-05-27T07:32:00Z", "''",
          *map(repr, ("own", "random", "inverted", "node:2 core:4 pu:1", "/nonexistent.xml", "0-3", "small", "time")),
          '"\\u0000"', '"\\u001b[31m"', '"\\n"', '"%s"', "'" + "x" * 2000 + "'", "[" * 500 + "]" * 500]
KEYS = ["sweep", "axes", "set", "parameters", "include", "override", "exclude", "workers", "benchmark", "scheduler", "victim",
        "idle", "pin", "topology", "invocations", "iterations", "seed", "timeout_s", "precision", "baseline", "gate", "size",
        "twin", "clip", "where", "inverted.shards", "shards", "a.b.c", '""', '"a b"', '"\\u0000"']
MOST_CELLS = 2000
ASSIGNMENT = re.compile(r"^([^#\n=\[]+?)( *= *)(.+)$", re.MULTILINE)
TABLE = re.compile(r"^\[+[^\]\n]+\]+$", re.MULTILINE)


@functools.cache
def registry():
    place = functools.cache(lambda *place: topology.place_problem(ACTORLAB, *place))
    return Registry(actorlab.ask(ACTORLAB, "list", "--json"), place)


def mutated(rng, text):
    for _ in range(rng.choice((1, 1, 2, 4))):
        found = list(ASSIGNMENT.finditer(text)) + list(TABLE.finditer(text))
        if not found:
            return text
        place = rng.choice(found)
        if place.re is TABLE:
            new = rng.choice((f"[{rng.choice(KEYS)}]", f"[[{rng.choice(KEYS)}]]", "", f"{rng.choice(KEYS)} = 1"))
        else:
            key, equals, value = place.groups()
            new = rng.choice((key + equals + rng.choice(VALUES), rng.choice(KEYS) + equals + value, "", place.group() * 2,
                              key + equals + f"[{value}]", f"{place.group()}\n{rng.choice(KEYS)} = {rng.choice(VALUES)}"))
        text = text[:place.start()] + new + text[place.end():]
    return text


def make(rng):
    text = rng.choice(CONFIGS)
    if rng.random() < 0.3:
        return damaged(rng, text.encode(), (*VALUES, *KEYS, *ODD_STRINGS))
    return mutated(rng, text).encode()


def attempt(cases):
    for content in cases:
        with tempfile.NamedTemporaryFile(suffix=".toml") as file:
            file.write(content)
            file.flush()
            try:
                checked = checker.check(Path(file.name), *config.read(file.name), registry())
                if math.prod(len(values) for values in checked.axes.values()) <= MOST_CELLS:
                    Plan(checked, registry())
            except Failure as failure:
                if not str(failure).strip():
                    raise Complaint("a failure without a line") from None
            except Exception:
                raise Complaint(traceback.format_exc()) from None


if __name__ == "__main__":
    fuzz(make, attempt, options(__doc__, 1000))
