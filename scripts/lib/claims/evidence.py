# SPDX-License-Identifier: MIT
"""The cells and records that claims rest on: which sweeps make them, and what has to run."""

import hashlib
import json
import re
from typing import NamedTuple

from claims.claim import combinations
from common import actorlab
from common.actorlab import RESULTS, ROOT
from common.failure import Failure, writing
from common.files import relative, write_whole
from machine import topology
from results import records as recording
from sweep import checker, config, peers, simulated
from sweep.agenda import Agenda
from sweep.cells import matches
from sweep.part import Part
from sweep.plan import Plan
from sweep.registry import Registry
from sweep.values import shown, toml
from validation import simulations

SEEDS = 3  # of simulated cells: the fewest that show two states
BLOCKS = 15  # of native ones: so many pairs can give a p below 0.0001
CONFIGS = ROOT / "configs"
NATIVE = "native"


class Place(NamedTuple):
    """Where cells run, and how they are changed: what a folder of records has in common."""

    sweep: str
    machine: str  # NATIVE, or one to simulate
    variant: str = ""  # names a cause's change of the sweep

    @property
    def simulated(self):
        return self.machine != NATIVE

    def shown(self):
        return f"{self.sweep}{self.variant and f' ({self.variant})'} on {simulated.short_name(self.machine)}"


class Evidence:
    """Plans the sweeps of claims, each once, and reads their records."""

    def __init__(self, folder, schedulers=(), model=None):
        """folder: of results. schedulers: that claims name; peers among them are built. model:
        other values of parameters of all simulated machines."""
        self.folder, self.overridden = folder, model or {}
        self.given = []  # further folders, whose equal simulated trials are taken
        self.seeds = SEEDS  # that simulated cells are to have
        self._others = None  # their records
        known = peers.read(actorlab.executable().parent)
        self.actorlab = actorlab.build([known[name] for name in schedulers if name in known])
        self.registry = Registry(actorlab.ask(self.actorlab, "list", "--json"),
                                 lambda *place: topology.place_problem(self.actorlab, *place), known,
                                 lambda named: topology.pus_of(self.actorlab, named), simulated.Machines(self.actorlab),
                                 lambda *place: topology.pus_in_order(self.actorlab, *place))
        self.model = simulated.environment(self.actorlab)["binary_hash"][:8]
        self._plans, self._records, self._doubts, self._changes = {}, {}, {}, {}
        self.wanted = {}  # Place -> {cell id: Cell}

    def pus(self, machine):
        return self.registry.pus if machine == NATIVE else self.registry.machines.pus(machine)

    def variant(self, cause):
        """The name of a cause's change, which is the same in all claims."""
        text = json.dumps([cause.override, cause.model], sort_keys=True)
        name = f"change-{hashlib.sha256(text.encode()).hexdigest()[:8]}"
        self._changes[name] = cause
        return name

    def plan(self, place):
        """That of the sweep there."""
        key = place, self.seeds
        if key not in self._plans:
            self._plans[key] = self._read(place)
        return self._plans[key]

    def _read(self, place):
        path = self._config(place)
        tables, text = config.read(path)
        found = checker.check(path, tables, text, self.registry, self._chosen(place))
        found.size, found.resized = "sim" if place.simulated else "default", True
        return Plan(found, self.registry)

    def _chosen(self, place):
        """What the command line of the sweep says of engine and machine."""
        if not place.simulated:
            return {"engine": NATIVE}
        change = self._changes.get(place.variant)
        model = {**self.overridden, **(change.model if change else {})}
        return {"engine": "sim", "machine": place.machine, **({"model": model} if model else {})}

    def _config(self, place):
        """A copy of the sweep's configuration, with as many blocks as claims have, and a cause's
        change."""
        path = CONFIGS / f"{place.sweep}.toml"
        change = self._changes.get(place.variant)
        if not path.is_file():
            raise Failure(f"{path}: No such file: no sweep {shown(place.sweep)}")
        text = path.read_text(encoding="utf-8")
        # So few simulated blocks have no twins, which no claim reads.
        blocks = self.seeds if place.simulated else BLOCKS
        text = re.sub(r"(?m)^invocations *=.*\n", "", text, count=1)
        text = re.sub(r"(?m)^\[sweep\].*$", f"[sweep]\ninvocations = {blocks}", text, count=1)
        for entry in change.override if change else ():
            text += "\n[[override]]\n" + "".join(f"{key} = {toml(value)}\n" for key, value in entry.items())
        copy = self.top(place) / f"{path.stem}.toml"
        with writing(copy):
            copy.parent.mkdir(parents=True, exist_ok=True)
            write_whole(copy, text.encode())
        return copy

    def top(self, place):
        """The folder of a sweep's results is below this one. Records of another program are left
        where they are."""
        words = [NATIVE, self.registry.environment["binary_hash"][:8]]
        if place.simulated:
            words = [simulated.short_name(place.machine), self.model, *(f"{key}={value:g}" for key, value in self.overridden.items())]
        return self.folder / "-".join(words) / (place.variant or place.sweep.partition("/")[0])

    def results(self, place):
        """The folder of a sweep's results."""
        return self.top(place) / place.sweep.rpartition("/")[2]

    def find(self, claim, place, settings):
        """The one cell with these settings, or None if the machine has too few PUs for it or a peer
        is not there. Raises Failure if no sweep makes such a cell, or several."""
        settings = {key: value for key, value in settings.items() if key not in ("sweep", "machine")}
        found = [cell for cell in self.plan(place).all_cells() if matches(cell, settings)]
        if len(found) == 1:
            return found[0] if found[0].peer is None or found[0].peer.present() else None
        peer = self.registry.peer(settings["scheduler"]) if "scheduler" in settings else None
        if not found and (settings.get("workers", 0) > self.pus(place.machine)
                          or peer and (place.simulated or not peer.present())):
            return None
        what = "no cell" if not found else f"{len(found)} cells, such as {found[0].name!r} and {found[1].name!r}"
        raise Failure(f"{claim.path}: {place.sweep} has {what} with {toml(settings)}"
                      f"{' on ' + place.machine if place.simulated else ''}: a predicate needs exactly one")

    def want(self, place, cell):
        self.wanted.setdefault(place, {})[cell.id] = cell

    def parts(self):
        """The sweeps to run: what is wanted and has no record."""
        return [self._part(place, cells) for place, cells in self.wanted.items()]

    def _part(self, place, cells):
        name = place.sweep.rpartition("/")[2]
        names = "|".join(sorted(re.escape(cell.name) for cell in cells.values()))
        words = ["--filter", f"^({names})$", *["--size", "default"] * (not place.simulated)]
        model = self._chosen(place).get("model", {})
        if place.simulated:
            words += ["--engine", "sim", f"--machine={place.machine}", "--jobs", "1", "--size", "sim"]
            words += [word for key, value in model.items() for word in ("--model", f"{key}={value:.15g}")]
            words += [f"--reuse={folder}" for folder in self.reused(place)]
        part = Part(name, self._config(place), self.top(place), words)
        part.place, part.cells, part.program = place, cells, self.actorlab
        part.trials = sum(Agenda(self.plan(place).only(cells), self.records(place)).left.values())
        return part

    def reused(self, place):
        """Folders whose equal trials the sweep may take."""
        other = RESULTS / "figures" / place.sweep.rpartition("/")[0] / simulated.short_name(place.machine)
        siblings = {self.results(one) for one in self.wanted if one.machine == place.machine}
        return [*sorted(siblings - {self.results(place)}), other / place.sweep.rpartition("/")[2], *self.given]

    def records(self, place):
        """Those of the sweep's folder."""
        return recording.parse(self.results(place) / "records.jsonl")[0]

    def of(self, place, cell):
        """Its records by block; only those that ended in order."""
        if place not in self._records:
            self._records[place] = {}
            for record in (*self._given(place), *self.records(place)):
                where = record.get("sweep") or {}
                if record.get("outcome") == "ok" and not where.get("again"):
                    self._records[place].setdefault(where.get("cell"), {})[where.get("block")] = record
        return self._records[place].get(cell.id, {})

    def _given(self, place):
        """The simulated records of the folders that were given."""
        if self._others is None:
            self._others = [record for folder in self.given for record in recording.parse(folder / "records.jsonl")[0]
                            if record.get("engine") == "sim"]
        return self._others if place.simulated else ()

    def doubts(self, place, cell):
        """Why a simulated cell may answer another question than the one that was asked."""
        if not place.simulated:
            return []
        record = next(iter(self.of(place, cell).values()))
        identity = record["machine"]["name"], simulations.identity(record)
        for folder in (self.results(place), *self.given):
            if identity in (known := self._doubts_in(folder)):
                return known[identity]
        return []

    def _doubts_in(self, folder):
        """Those of the cells whose records are there."""
        if folder not in self._doubts:
            self._doubts[folder] = {}
            if (folder / "records.jsonl").is_file():
                found = actorlab.ask(self.actorlab, "results", folder, "--json", accept=(0, 1))
                self._doubts[folder] = {(one["machine"], simulations.identity(one)): one["doubts"]
                                        for machine in found["machines"] for one in machine["cells"]}
        return self._doubts[folder]

    def forget(self):
        """What was read before the sweeps ran."""
        self._records.clear()
        self._doubts.clear()

    def is_ours(self, machine):
        """Whether a record's machine is of this simulator and this model."""
        known = self.registry.machines.of(machine.get("name"))
        return (machine.get("binary_hash") or "").startswith(self.model) and not isinstance(known, str) and (
            bool(machine.get("overridden")) or known["hash"] == machine.get("model_hash"))

    def folders(self, claim, machines):
        """Those of the claim's records, relative to the project where they are below it."""
        return [str(relative(self.results(Place(sweep, machine)))) for machine in sorted(machines) for sweep in claim.sweeps()]


def cells_of(claim, need, at, machine):
    """For each combination of the need's cells the pair (numerators, denominators), each a list of
    settings. The settings of a spread or a value are all numerators."""
    def given(table):
        return {**at, **table}

    if need.shape == "spread":
        return [([one for table in need.over for one in combinations(given(table))], [])]
    over = [combinations(given(table)) for table in need.over]
    under = [combinations(given(table)) for table in need.under]
    found = [([], [])]
    for lists, side in ((over, 0), (under, 1)):
        for choices in lists:
            found = [tuple([*sides[s], choice] if s == side else sides[s] for s in (0, 1))
                     for sides in found for choice in choices]
    return found
