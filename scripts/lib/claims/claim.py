# SPDX-License-Identifier: MIT
"""A claim: what a paper states, as a predicate over cells of a sweep. One TOML file each
(docs/reference/claims.md)."""

import itertools
import math
import re
from pathlib import Path
from typing import NamedTuple

from claims.measures import MEASURES
from common.actorlab import ROOT
from common.failure import Failure
from sweep import config
from sweep.toml_lines import TomlLines
from sweep.values import is_number, shown, unknown

FOLDER = ROOT / "configs" / "claims"
KINDS = ("order", "ratio", "trend", "crossover", "equivalence")
SOURCES = {  # what a source is called, and the machines that stand for those it measured on
    "chapter": ("the chapter", ("epyc-7662-2s", "xeon-5220r-2s")),
    "draft": ("the chapter's earlier draft", ("epyc-7662-2s", "xeon-5220r-2s")),
    "las": ("the LAS paper", ("opteron-6276-4s", "xeon-e5-4s")),
    "caf": ("CAF's manual", ("epyc-7662-2s", "xeon-5220r-2s")),
    "mercury": ("Mercury's text", ("xeon-5220r-2s",)),
    "control": ("a control", ("epyc-7662-2s", "xeon-5220r-2s")),
}
SHAPES = ("over", "spread", "value")
BOUNDS = ("least", "most")
# Measures without a unit.
COUNTS = ("missed-gulps", "steals", "items-per-steal", "attempts", "lock-waits", "transfers")
# A simulated ratio this near to a bound decides nothing. It is the goal for the bias of a ratio of
# two strategies, not what was measured (docs/explanation/simulator.md, Bias by strategy).
MARGIN = 0.1


def is_text(value):
    return isinstance(value, str) and value.strip() != ""


def is_bound(value):
    return is_number(value, int, float) and math.isfinite(value)


def are_cells(value):
    """A table of settings, or a list of such tables."""
    tables = value if isinstance(value, list) else [value]
    return bool(tables) and all(isinstance(table, dict) for table in tables)


# Keys of a claim, of its [[need]] and [[cause]]: whether a value is valid, and what it must be.
CLAIM = {
    "source": (lambda value: value in SOURCES, f"must be one of {', '.join(SOURCES)}"),
    "place": (is_text, "must name the section, figure or table"),
    "statement": (is_text, "must be what the source states"),
    "negation": (is_text, "must be the opposite of the statement"),
    "kind": (lambda value: value in KINDS, f"must be one of {', '.join(KINDS)}"),
    "reason": (is_text, "must say why the bounds are these"),
    "sweep": (is_text, "must name a sweep below configs/, such as chapter/executor"),
    "machines": (lambda value: isinstance(value, list) and value and all(map(is_text, value)),
                 "must be a list of simulated machines"),
    "engine": (lambda value: value in ("native", "sim"), 'must be "native" or "sim"; without, it is the machine at hand '
               "if it has the workers"),
    "at": (lambda value: isinstance(value, dict), "must be a table of settings"),
    "full": (lambda value: isinstance(value, bool), "must be true, if all cores must be busy, or false"),
    "margin": (lambda value: is_number(value, int, float) and 0 <= value < 1, "must be a share from 0 up to 1"),
    "minutes": (lambda value: is_number(value, int, float) and value >= 0, "must be a number of minutes"),
    "memory_mb": (lambda value: is_number(value, int) and value >= 0, "must be a whole number of MB"),
    "quick": (lambda value: isinstance(value, bool), "must be true or false"),
    "expected": (lambda value: value in ("holds", "contradicted"), "must be what a control is known to give: "
                 '"holds" or "contradicted"'),
    "not_testable": (is_text, "must say why no sweep can test it"),
    "note": (is_text, "must be a sentence"),
    "need": None, "cause": None,
}
NEED = {
    **dict.fromkeys(("over", "under", "spread", "value"), (are_cells, "must be a table of settings, or a list of them")),
    "measure": (lambda value: value in MEASURES, f"must be one of {', '.join(MEASURES)}"),
    **dict.fromkeys(BOUNDS, (is_bound, "must be a number")),
    "unit": (lambda value: value in ("ratio", "ns"), 'must be "ratio" or "ns", a difference'),
}
CAUSE = {
    "change": (is_text, "must say what is changed"),
    "override": (lambda value: are_cells(value), "must be a list of tables {where, set}"),
    "model": (lambda value: isinstance(value, dict), "must be a table of parameters of the machine"),
}
REQUIRED = ("source", "place", "statement", "kind")
REQUIRED_OF_TESTED = ("negation", "reason", "sweep", "minutes")


class Need(NamedTuple):
    """One inequality: a quantity lies between `least` and `most` for every combination of cells."""

    shape: str  # one of SHAPES
    over: list  # tables of settings, as SHAPES has it; of a ratio the numerators
    under: list  # of a ratio the denominators
    measure: str
    unit: str
    least: float
    most: float

    def bounds(self):
        low = f"at least {self.least:g}" if self.least > -math.inf else ""
        high = f"at most {self.most:g}" if self.most < math.inf else ""
        unit = "" if self.unit == "ratio" or self.measure in COUNTS else " B" if self.measure in ("queue-bytes", "peak-memory") else " ns"
        return " and ".join(filter(None, (low, high))) + unit


class Cause(NamedTuple):
    """One change under which a claim may hold that else does not."""

    change: str
    override: list
    model: dict


class Claim:
    def __init__(self, path):
        self.path, self.id = path, path.stem
        tables, text = config.read(path)
        self.lines, self.mistakes = TomlLines(text.decode()), []
        self.tested = "not_testable" not in tables
        for key in (*REQUIRED, *(REQUIRED_OF_TESTED if self.tested else ())):
            if key not in tables:
                self._mistake((), f"no {key}: it {CLAIM[key][1]}")
        self._check("key", tables, CLAIM, ())
        get = tables.get
        self.source, self.place, self.statement = get("source"), get("place"), get("statement")
        self.negation, self.kind, self.reason = get("negation"), get("kind"), get("reason")
        self.sweep, self.at, self.engine = get("sweep"), get("at", {}), get("engine")
        self.machines = get("machines") or list(SOURCES.get(self.source, ("", ()))[1])
        self.full = get("full", False)
        self.margin, self.minutes, self.quick = get("margin", MARGIN), get("minutes", 0), get("quick", False)
        self.memory_mb = get("memory_mb", 0)
        self.expected, self.not_testable, self.note = get("expected"), get("not_testable"), get("note")
        self.needs = [self._need(number, table) for number, table in enumerate(self._list(tables, "need"))]
        self.causes = [self._cause(number, table) for number, table in enumerate(self._list(tables, "cause"))]
        self._check_whole()
        if self.mistakes:
            raise Failure("\n".join(f"{path}:{line}: {what}" for line, what in sorted(self.mistakes)))

    @property
    def is_control(self):
        return self.source == "control"

    def sweeps(self):
        """The names of all its sweeps."""
        named = [table.get("sweep") for need in self.needs for table in (*need.over, *need.under)]
        return list(dict.fromkeys(filter(None, [self.sweep, *named])))

    def schedulers(self):
        """The names of all that its cells have."""
        tables = [self.at, *(table for need in self.needs for table in (*need.over, *need.under))]
        return {name for table in tables for name in listed(table.get("scheduler", []))}

    def across_machines(self):
        """Whether it compares machines, so that one answer is for all."""
        return any("machine" in table for need in self.needs for table in (*need.over, *need.under))

    def settings_on(self, pus):
        """The settings of each comparison that a machine with so many PUs makes."""
        found = combinations(self.at)
        if self.full:
            most = max((at["workers"] for at in found if at["workers"] <= pus), default=0)
            found = [at for at in found if at["workers"] == most]
        return found

    def _mistake(self, place, what):
        self.mistakes.append((self.lines.of(*place), what))

    def _list(self, tables, name):
        """The tables of [[name]]."""
        found = tables.get(name, [])
        if isinstance(found, list) and all(isinstance(table, dict) for table in found):
            return found
        self._mistake((name,), f"{name} must be a list of tables: write [[{name}]]")
        return []

    def _check(self, what, table, valid, place):
        for key, value in list(table.items()):
            if key not in valid:
                self._mistake((*place, key), unknown(what, key, valid))
            elif valid[key] is not None and not valid[key][0](value):
                self._mistake((*place, key), f"{key} = {shown(value)}: {valid[key][1]}")
                del table[key]

    def _need(self, number, table):
        place = ("need", number)
        bounded = any(bound in table for bound in BOUNDS)
        self._check("key of [[need]]", table, NEED, place)
        shapes = [shape for shape in SHAPES if shape in table]
        if len(shapes) != 1:
            self._mistake(place, f"it has {' and '.join(shapes) or 'none'} of {', '.join(SHAPES)}: give one")
        shape = shapes[0] if shapes else "value"
        if shape == "over" and "under" not in table or shape != "over" and "under" in table:
            self._mistake(place, "over and under belong together: their ratio")
        if not bounded:
            self._mistake(place, "neither least nor most: nothing could contradict it")
        if table.get("least", -math.inf) > table.get("most", math.inf):
            self._mistake(place, f"least = {table['least']} is larger than most = {table['most']}")
        return Need(shape, listed(table.get(shape, {})), listed(table.get("under", [])), table.get("measure", "message"),
                    table.get("unit", "ratio" if shape != "value" else "ns"),
                    table.get("least", -math.inf), table.get("most", math.inf))

    def _cause(self, number, table):
        self._check("key of [[cause]]", table, CAUSE, ("cause", number))
        if "change" not in table or not ("override" in table or "model" in table):
            self._mistake(("cause", number), "it needs change, and override or model")
        return Cause(table.get("change"), listed(table.get("override", [])), table.get("model", {}))

    def _check_whole(self):
        if self.tested and not self.needs and not self.mistakes:
            self._mistake((), "no [[need]]: nothing could contradict it")
        if self.is_control != (self.expected is not None):
            self._mistake((), "expected belongs to controls, and every control has it")
        if self.full and not isinstance(self.at.get("workers"), list):
            self._mistake(("full",), "full chooses among the workers of at: give it a list")
        if self.kind == "crossover" and len(self.needs) < 2:
            self._mistake(("kind",), "a crossover needs two [[need]]: before and after it")
        if self.kind == "equivalence" and any(need.most == math.inf for need in self.needs):
            self._mistake(("kind",), "an equivalence needs most in every [[need]]")


def listed(value):
    return value if isinstance(value, list) else [value]


def combinations(table):
    """The tables with one value for each key."""
    lists = (value if isinstance(value, list) else [value] for value in table.values())
    return [dict(zip(table, values)) for values in itertools.product(*lists)]


def paths(folder=FOLDER):
    return sorted(Path(folder).glob("*.toml"), key=lambda path: natural_key(path.stem))


def natural_key(name):
    """C2 comes before C10, and L3A before L4."""
    letters, number, rest = re.fullmatch(r"(\D*)(\d*)(.*)", name).groups()
    return letters, int(number or 0), rest


def read_all(folder=FOLDER, only=None):
    """All claims, or those with these names. Raises Failure with a line for each mistake."""
    known = {path.stem: path for path in paths(folder)}
    if not known:
        raise Failure(f"{folder}: no claims")
    for name in only or ():
        if name not in known:
            raise Failure(unknown("claim", name, list(known)))
    claims, mistakes = [], []
    for name in only or known:
        try:
            claims.append(Claim(known[name]))
        except Failure as failure:
            mistakes.append(str(failure))
    if mistakes:
        raise Failure("\n".join(mistakes))
    return claims
