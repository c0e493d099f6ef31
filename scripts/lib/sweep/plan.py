# SPDX-License-Identifier: MIT
"""What a sweep runs: the cells, and the order of the trials."""

import copy
import itertools
import random
from typing import NamedTuple

from common.failure import Failure
from common.words import plural
from results import alike
from sweep import simulated
from sweep.binaries import AXIS, Unfit
from sweep.cells import SORTED, Cell, make_cell, matches
from sweep.config import FEWEST_FOR_TWINS
from sweep.values import shown


class Trial(NamedTuple):
    cell: Cell
    block: int
    position: int
    repeat: int = 0  # 1: its group runs again in this block (sweep.repeats)


class Plan:
    def __init__(self, config, registry):
        self.config, self._registry, self.limits = config, registry, registry.limits
        self.notes = []
        overrides = set()  # the positions of those that match a cell
        groups = [config.axes, *config.include] if config.axes else config.include or [{}]
        combinations = itertools.chain(*map(product, groups))
        if config.clip and not config.oversubscribe:
            combinations = self._clipped(groups, registry)
        cells, left_out = self._make(registry, combinations, overrides)
        self.notes += left_out
        if not cells:
            raise Failure("\n".join(f"{config.path}: no cell: {note}" for note in left_out))
        engines = {cell.identity["engine"] for cell in cells.values()}
        for number, (where, _) in enumerate(config.override):
            if number not in overrides and where.get("engine") in (None, *engines):
                raise Failure(f"{config.path}: override where {shown(where)}: matches no cell")
        self._exclude(cells)
        schedulers = list(dict.fromkeys(cell.identity["scheduler"] for cell in cells.values()))
        if config.baseline not in (None, *schedulers):
            raise Failure(f"{config.path}: baseline = {shown(config.baseline)}: no cell has it; valid: "
                          f"{', '.join(schedulers)}")
        self._cells = list(cells.values())
        self._choose(self._cells)
        if any(cell.layouts for cell in self._cells):
            self.notes.append("each block has the objects of the builds linked in another order")
        if config.twin is None:
            self.notes.append(f"no A/A twins: below {FEWEST_FOR_TWINS} blocks they could not differ at 5%")

    def _make(self, registry, combinations, overrides):
        """(id -> cell, a note for each thing that a peer lacks). Raises Failure with a line for
        each thing that a build lacks."""
        cells, left_out, unfit, parameters = {}, {}, {}, {}
        for axis_values in combinations:
            try:
                cell = make_cell(self.config, registry, axis_values, overrides)
                self._same_work(cell, axis_values, parameters)
            except Unfit as problem:
                unfit[f"{self.config.path}: {problem}"] = True
                continue
            lacking = cell.peer and cell.peer.lacking(cell.identity, simulated.is_simulated(cell.flags),
                                                     self.config.clip)
            if lacking:
                what, item = lacking
                left_out.setdefault(what, {})[item] = True
            else:
                cells.setdefault(cell.id, cell)
        if unfit:
            raise Failure("\n".join(unfit))
        return cells, [f"left out: {what.format(', '.join(map(str, items)))}" for what, items in left_out.items()]

    @staticmethod
    def _same_work(cell, axis_values, parameters):
        """Raises Unfit if another build would do other work in this cell, because its defaults are
        others. A parameter that a build lacks is compared among the builds that have it."""
        if cell.binary is None:
            return
        key = SORTED({key: value for key, value in axis_values.items() if key != AXIS})
        for name, value in cell.identity["parameters"].items():
            other, build = parameters.setdefault((key, name), (value, cell.binary.name))
            if other != value:
                benchmark = cell.identity["benchmark"]
                raise Unfit(f"{name} of {benchmark} is {shown(other)} by default in {build}, but "
                            f"{shown(value)} in {cell.binary.name}: set it in [parameters.{benchmark}]")

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
                f"exclude {shown(entry)}: {plural(removed, 'cell')} left out" if removed else
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
                given = {**self.config.fixed, **values}
                machine = given.get("machine") if simulated.is_simulated(given) else None
                pin, most = given.get("pin"), registry.usable(topology, machine, given.get("pin"))
                if most == registry.usable(topology, machine):
                    pin = None  # the policy keeps to no part of the PUs
                workers = values.get("workers", 0)
                if workers <= most:
                    yield values
                    continue
                left_out.setdefault((topology, machine, pin, most), set()).add(workers)
                if min(group["workers"]) > most and workers == group["workers"][0]:
                    yield {**values, "workers": most}
        for (topology, machine, pin, most), counts in left_out.items():
            where = ("this machine" if topology is None else f"topology {shown(topology)} here") if machine is None else machine
            where += f" with pin {shown(pin)}" if pin is not None else ""
            workers = ", ".join(map(str, sorted(counts)))
            self.notes.append(f"left out: {workers} workers; {where} has {plural(most, 'PU')}")

    def keep(self, pattern):
        """Leaves out the cells whose names the pattern does not match. A name without its build
        stands for all builds."""
        self._choose([cell for cell in self._cells
                      if pattern.search(cell.name) or pattern.search(cell.bare_name)])

    def only(self, ids):
        """A plan of the cells with these ids alone."""
        found = copy.copy(self)
        found._choose([cell for cell in self._cells if cell.id in ids])
        return found

    def _choose(self, kept):
        """Takes these cells, and for each workload with each number of workers one twin. The number
        of twins does not depend on what is kept, so that positions do not either."""
        twins, ids = [], {cell.id for cell in kept}
        for alike in self._by_work(self._cells) if self.config.twin else ():
            original = self._original([cell for cell in alike if cell.id in ids] or alike)
            twins.append(original._replace(id=f"{original.id}-twin",
                                 name=f"{original.name} (twin)", twin=True))
        self._all = self._cells + twins
        self.all_groups = list(self._by_work(self._all))
        self.cells = kept + [twin for twin in twins if twin.id.removesuffix("-twin") in ids]

    @property
    def simulated(self):
        """Whether every cell is."""
        return all(cell.simulated for cell in self._all)

    def alike(self):
        """Lines on what cannot make a difference in the remaining cells."""
        def pus_of(cell):
            return self._registry.pus_of_workers(cell["where"], cell["simulates"], cell["pin"], cell["workers"])

        cells = [cell.identity | {"where": cell.flags.get("topology"), "simulates": cell.flags.get("machine")}
                 for cell in self.cells if not cell.twin and cell.peer is None]
        return list(alike.lines(cells, self._registry.victims, pus_of))

    def has_pairs(self):
        """Whether any two of the remaining cells do the same work with as many workers."""
        kept = [cell for cell in self.cells if not cell.twin]
        return len(self._by_work(kept)) < len(kept)

    @staticmethod
    def _by_work(cells):
        """Lists of the cells with the same benchmark, parameters and number of workers. A parameter
        that only some builds have separates cells only if it has several values among those."""
        values, found = {}, {}
        for cell in cells:
            for name, value in cell.identity["parameters"].items():
                values.setdefault((cell.identity["benchmark"], name), set()).add(SORTED(value))
        for cell in cells:
            benchmark = cell.identity["benchmark"]
            differing = {name: value for name, value in cell.identity["parameters"].items()
                         if len(values[benchmark, name]) > 1}
            work = [benchmark, differing, cell.identity["workers"], cell.identity.get("machine")]
            found.setdefault(SORTED(work), []).append(cell)
        return found.values()

    def groups(self):
        """The remaining cells that do the same work: sets of ids, twins included."""
        kept = {cell.id for cell in self.cells}
        ids = (frozenset(cell.id for cell in alike) & kept for alike in self.all_groups)
        return list(filter(None, ids))

    def profiled(self):
        """The cells whose trial in block 0 measures a profile: one of each group, if asked for."""
        if not self.config.profile:
            return frozenset()
        able = {cell.id for cell in self.cells if cell.peer is None and cell.binary is None and not cell.twin}
        firsts = (next((cell.id for cell in alike if cell.id in able), None) for alike in self.all_groups)
        return frozenset(filter(None, firsts))

    def _original(self, alike):
        """Which of these cells runs twice: the first of the baseline's, else the first that is no
        peer."""
        baseline = [cell for cell in alike if cell.identity["scheduler"] == self.config.baseline]
        return next(itertools.chain(baseline, (cell for cell in alike if cell.peer is None), alike))

    def trials(self, only=None, repeat=0):
        """All blocks, or only one; each has every cell once, in an order of its own: the groups of
        cells that do the same work are shuffled, and the cells in each. So cells that are compared
        run soon after each other, before the machine has drifted. A cell's position does not depend
        on what is left out. A repeat has another order."""
        kept = {cell.id for cell in self.cells}
        for block in range(self.config.invocations) if only is None else [only]:
            order, chance = list(map(list, self.all_groups)), random.Random(f"{self.config.seed}:{block}" + ":again" * repeat)
            for cells in (order, *order):
                chance.shuffle(cells)
            for position, cell in enumerate(itertools.chain(*order)):
                if cell.id in kept:
                    yield Trial(cell, block, position, repeat)


def product(axes):
    """All combinations of the values of axes."""
    return (dict(zip(axes, values)) for values in itertools.product(*axes.values()))
