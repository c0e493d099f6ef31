# SPDX-License-Identifier: MIT
"""What a sweep runs: the cells, and the order of the trials."""

import hashlib
import itertools
import json
import random
from dataclasses import dataclass, replace
from typing import NamedTuple

from common.failure import Failure
from results.records import HERE
from sweep.config import FEWEST_FOR_BAND
from sweep.peers import Peer
from sweep.registry import FLAGS, KINDS
from sweep.values import shown

SORTED = json.JSONEncoder(sort_keys=True).encode


@dataclass(frozen=True)
class Cell:
    """One configuration. `flags` and `options` are the arguments of `actorlab run`, or of the peer;
    `identity` completes the records of trials that could not write their own."""

    id: str
    name: str
    flags: dict
    options: dict
    identity: dict
    oversubscribe: bool
    peer: Peer | None = None
    twin: bool = False  # repeats another cell, to see how far equal cells differ

    def command(self, actorlab, *more):
        """The command to run, as a list of words."""
        if self.peer is not None:
            return [*self.peer.command, *self.arguments(), *more]
        return [str(actorlab), "run", *self.arguments(), *more, "--json", "-"]

    def shown(self):
        program = f"peer {self.peer.name}" if self.peer else "actorlab run"
        return " ".join([program, *self.arguments(), *["(twin)"] * self.twin])

    def arguments(self):
        flags, options = self.flags, self.options
        if self.peer is not None:  # it does not know actorlab's defaults
            flags = {key: self.identity[key] for key in ("benchmark", "workers")}
            options = self.identity["parameters"]
        words = [flags["benchmark"]]
        for flag, value in flags.items():
            if flag != "benchmark":
                words += [f"--{flag}", str(value)]
        for key, value in options.items():
            words += ["--set", f"{key}={str(value).lower() if isinstance(value, bool) else value}"]
        return words + ["--oversubscribe"] * (self.oversubscribe and self.peer is None)


class Trial(NamedTuple):
    cell: Cell
    block: int
    position: int


class Plan:
    def __init__(self, config, registry):
        self.config = config
        cells, left_out = {}, {}
        self.notes = []
        overrides = set()  # the positions of those that match a cell
        groups = [config.axes, *config.include] if config.axes else config.include or [{}]
        combinations = itertools.chain(*map(product, groups))
        if config.clip and not config.oversubscribe:
            combinations = self._clipped(groups, registry)
        for axis_values in combinations:
            cell = make_cell(config, registry, axis_values, overrides)
            scheduler, benchmark = cell.identity["scheduler"], cell.identity["benchmark"]
            if registry.has(scheduler, benchmark):
                cells.setdefault(cell.id, cell)
            else:
                left_out.setdefault(scheduler, {})[benchmark] = True
        for number, (where, _) in enumerate(config.override):
            if number not in overrides:
                raise Failure(f"{config.path}: override where {shown(where)}: matches no cell")
        self._exclude(cells)
        schedulers = list(dict.fromkeys(cell.identity["scheduler"] for cell in cells.values()))
        if config.baseline not in (None, *schedulers):
            raise Failure(f"{config.path}: baseline = {shown(config.baseline)}: no cell has it; valid: "
                          f"{', '.join(schedulers)}")
        self._cells = list(cells.values())
        self._choose(self._cells)
        self.notes += [f"left out: {name} has no {', '.join(benchmarks)}"
                       for name, benchmarks in left_out.items()]
        if config.twin is None:
            self.notes.append(f"no A/A twins: below {FEWEST_FOR_BAND} blocks their ratios have no interval")

    def all_cells(self):
        """Includes the cells that a filter leaves out, but no twins."""
        return self._cells

    def peers(self):
        """The peers of the remaining cells."""
        return list(dict.fromkeys(cell.peer for cell in self.cells if cell.peer))

    def _exclude(self, cells):
        all_cells = list(cells.values())
        for entry in self.config.exclude:
            matching = [cell.id for cell in all_cells if matches(cell, entry)]
            if not matching:
                raise Failure(f"{self.config.path}: exclude {shown(entry)}: matches no cell")
            removed = sum(cells.pop(key, None) is not None for key in matching)
            self.notes.append(
                f"exclude {shown(entry)}: {removed} cell{'s' * (removed != 1)} left out" if removed else
                f"exclude {shown(entry)} removes nothing: an earlier entry left out all its cells")
        if not cells:
            raise Failure(f"{self.config.path}: exclude leaves no cell")

    def _clipped(self, groups, registry):
        """The combinations of axes whose workers have PUs. If no number of workers has, the largest
        number that has is used once."""
        left_out = {}
        for group in groups:
            for values in product(group):
                topology = values.get("topology", self.config.fixed.get("topology"))
                most = registry.usable(topology)
                workers = values.get("workers", 0)
                if workers <= most:
                    yield values
                    continue
                left_out.setdefault((topology, most), set()).add(workers)
                if min(group["workers"]) > most and workers == group["workers"][0]:
                    yield {**values, "workers": most}
        for (topology, most), counts in left_out.items():
            where = "this machine" if topology is None else f"topology {shown(topology)} here"
            workers = ", ".join(map(str, sorted(counts)))
            self.notes.append(f"left out: {workers} workers; {where} has {most} PUs")

    def keep(self, pattern):
        """Leaves out the cells whose names the pattern does not match."""
        self._choose([cell for cell in self._cells if pattern.search(cell.name)])

    def _choose(self, kept):
        """Takes these cells, and for each workload with each number of workers one twin. The number
        of twins does not depend on what is kept, so that positions do not either."""
        twins, ids = [], {cell.id for cell in kept}
        for alike in self._by_work(self._cells) if self.config.twin else ():
            original = self._original([cell for cell in alike if cell.id in ids] or alike)
            twins.append(replace(original, id=f"{original.id}-twin",
                                 name=f"{original.name} (twin)", twin=True))
        self._all = self._cells + twins
        self.cells = kept + [twin for twin in twins if twin.id.removesuffix("-twin") in ids]

    def has_pairs(self):
        """Whether any two of the remaining cells do the same work with as many workers."""
        kept = [cell for cell in self.cells if not cell.twin]
        return len(self._by_work(kept)) < len(kept)

    @staticmethod
    def _by_work(cells):
        """Lists of the cells with the same benchmark, parameters and number of workers."""
        found = {}
        for cell in cells:
            work = [cell.identity[key] for key in ("benchmark", "parameters", "workers")]
            found.setdefault(SORTED(work), []).append(cell)
        return found.values()

    def _original(self, alike):
        """Which of these cells runs twice: the first of the baseline's, else the first that is no
        peer."""
        baseline = [cell for cell in alike if cell.identity["scheduler"] == self.config.baseline]
        return next(itertools.chain(baseline, (cell for cell in alike if cell.peer is None), alike))

    def trials(self, only=None):
        """All blocks, or only one; each has every cell once, in an order of its own. A cell's
        position does not depend on what is left out."""
        kept = {cell.id for cell in self.cells}
        for block in range(self.config.invocations) if only is None else [only]:
            order = list(self._all)
            random.Random(f"{self.config.seed}:{block}").shuffle(order)
            for position, cell in enumerate(order):
                if cell.id in kept:
                    yield Trial(cell, block, position)


def product(axes):
    """All combinations of the values of axes."""
    return (dict(zip(axes, values)) for values in itertools.product(*axes.values()))


def overridden(config, given, names, met):
    """The options that overrides give to a cell. They match its given keys and the names that these
    stand for. Adds the positions of those that match to `met`."""
    known = names | given
    found = {}
    for number, (where, options) in enumerate(config.override):
        if all(known.get(key) == value for key, value in where.items()):
            found |= options
            met.add(number)
    return found


def make_cell(config, registry, axis_values, overrides):
    given = {**config.fixed, **axis_values}
    names = registry.complete({kind: given.get(kind) for kind in KINDS})
    for kind in ("victim", "idle"):  # the scheduler's default replaces what it does not accept
        if not registry.takes(names["scheduler"], kind, names[kind]):
            given.pop(kind, None)
            names = registry.complete({**names, kind: None})
    special = overridden(config, given, names, overrides)
    given |= special
    flags = {key: given[key] for key in FLAGS if key in given}
    own, set_by = registry.options_among(given, names)
    options = {key: given[key] for key in own}
    # The configuration overrides its size; a size of the command line yields only to axes.
    for name, value in registry.preset(names["benchmark"], config.size).items():
        key = set_by.get(name, f"{names['benchmark']}.{name}")
        if key not in options or config.resized and key not in axis_values | special:
            options[key] = value
    identity = {
        "benchmark": names["benchmark"],
        "parameters": registry.resolved(["benchmark"], names, options),
        "scheduler": names["scheduler"],
        "victim": names["victim"],
        "idle": names["idle"],
        "options": registry.resolved(["scheduler", "victim", "idle"], names, options),
        "workers": flags.get("workers") or registry.usable(flags.get("topology")),
        "pin": flags.get("pin", registry.pins[0]),
        "topology": flags.get("topology", HERE),
        "engine": "native",
    }
    peer = registry.peer(names["scheduler"])
    if peer is not None:
        # Its threads cannot be placed.
        identity |= {"pin": "none", "topology": HERE}
        flags = {key: value for key, value in flags.items() if key not in ("pin", "topology")}
    text = SORTED(identity)
    varied = {**config.axes, **axis_values, **special}
    return Cell(
        id=hashlib.sha256(text.encode()).hexdigest()[:12],
        name=cell_name(flags, {key: options[key] for key in varied if key in options}),
        flags=flags,
        options=options,
        identity=identity,
        oversubscribe=config.oversubscribe,
        peer=peer,
    )


def matches(cell, entry):
    """Whether a cell has all these values in its identity or options."""
    known = cell.identity | cell.identity["parameters"] | cell.identity["options"]
    return all(known.get(key) == value for key, value in entry.items())


def cell_name(flags, varied):
    """Names and varying keys, such as "executor inverted longest workers=2 shards=16"."""
    words = [flags[kind] for kind in KINDS if kind in flags]
    words += [f"{key}={value}" for key, value in flags.items() if key not in KINDS]
    return " ".join(words + [f"{key}={value}" for key, value in varied.items()])
