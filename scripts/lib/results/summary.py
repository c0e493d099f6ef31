# SPDX-License-Identifier: MIT
"""The results of a folder, as `actorlab results` computes them: docs/reference/results.md."""

import functools
import json
import math
import tomllib
from collections import namedtuple
from pathlib import Path

from common import actorlab as command
from common.failure import Failure
from common.files import read_own
from common.screen import printable
from results import alike, sweep_file

# A line of the file that is left out, and why.
Bad = namedtuple("Bad", "number problem")
# Comparisons that are corrected together: how many there are, how many differ from 1, the level of
# their intervals, that of the intervals by which cells are equivalent, and the comparison of each
# cell that has one.
Family = namedtuple("Family", "m rejected level equivalence_level pairs")

# The keys of a machine in `actorlab results --json` that have another name here.
NAMES = {"machine": "place", "baseline": "compared_with", "aa": "twins", "twins": "twin_check", "margin_percent": "margin"}


class Summary:
    """Of one machine, the first. `machines` has a summary of each, beginning with this one; none
    without records."""

    def __init__(self, actorlab, records_path, baseline=None, benchmarks=(), of=None):
        """baseline: instead of the configuration's. benchmarks: no others than these. of: the
        number of the records that ranks cells, instead of their times per message."""
        self.actorlab, path = actorlab, Path(records_path)
        config = tables(path.with_name("config.toml"))
        self.drawn = config.get("plot", {})  # how the configuration wants its figures
        self.x = "workers"  # what lines go along: results.view
        self.baseline = baseline or config.get("sweep", {}).get("baseline")
        notes = path.with_name("notes.txt")
        self.notes = read_own(notes).decode(errors="replace").splitlines() if notes.is_file() else []
        sweep = written(path.with_name("sweep.json"))
        told = baseline or (None if "baseline" in sweep else self.baseline)
        words = ["--baseline", told] if told else []
        words += ["--benchmark", ",".join(benchmarks)] if benchmarks else []
        words += ["--of", of] if of else []
        axes = written_order(config.get("axes", {}))
        if axes and "axes" not in sweep:
            words += ["--axes", json.dumps(axes)]
        # Exit code 1: some lines are left out. actorlab has said which, and shows the rest.
        data = command.ask(actorlab, "results", path, "--json", *words, accept=(0, 1))
        self.level, self.resamples, self.seed = data["level"], data["resamples"], data["seed"]
        self.interval = data["interval"]  # of medians: "order" or "percentile"
        self._problems(path, data["sources"])
        self.machines = []
        for machine in data["machines"]:
            self.machines.append(self if not self.machines else self._other())
            self.machines[-1]._take(machine)

    def _other(self):
        """A summary of another machine."""
        other = object.__new__(Summary)
        other.__dict__.update(self.__dict__)
        return other

    def _problems(self, path, sources):
        for problem in (problem for source in sources for problem in source["problems"]):
            if problem["kind"] == "newer":
                raise Failure(f"{path}:{problem['line']}: of a later version of actorlab: "
                              f"{problem['problem']}")
        self.superseded = sum(source["superseded"] for source in sources)
        self.traced = sum(source["traced"] for source in sources)
        self.bad = [Bad(problem["line"], problem["problem"])
                    for source in sources for problem in source["problems"]]

    def _take(self, machine):
        """Has what the object of a machine has, and what follows from that."""
        for ratio in ratios_of(machine):
            with_infinity(ratio)
        vars(self).update({NAMES.get(key, key): value for key, value in machine.items()})
        self.simulated = self.place["simulated"]  # what records say
        for index, cell in enumerate(self.cells):
            cell["index"] = index
        self.workloads = {entry["benchmark"]: entry for entry in machine["benchmarks"]}
        self.benchmarks = list(self.workloads)
        self.families = {name: Family(known["m"], known["rejected"], known["level"],
                                      known["equivalence_level"],
                                      {pair["cell"]: pair for pair in known["pairs"]})
                         for name, known in machine["comparisons"].items()}
        self.environment = {row["key"]: row for row in machine["environment"]}
        self.noise = {row["key"]: row for row in machine["noise"]}

    @functools.cached_property
    def alike(self):
        """Lines on what cannot make a difference here."""
        if max(len({cell[key] for cell in self.cells}) for key in ("victim", "pin")) < 2:
            return []
        victims = command.ask(self.actorlab, "list", "--json")["victims"]
        return list(alike.lines(self.cells, victims, lambda cell: cell["pus"]))

    def of(self, benchmark):
        return [cell for cell in self.cells if cell["benchmark"] == benchmark]

    def common(self, benchmark):
        """The parameters that all cells of a benchmark share."""
        return self.workloads[benchmark]["parameters"]

    def name(self, cell):
        """What distinguishes a cell from the others."""
        label = [self.lines[cell["line"]]["label"]] if self.keys else []
        return printable(" ".join([cell["benchmark"], *label, f"workers={cell['workers']}"]))

    def places(self):
        """The values of one key of the records' environment, the most frequent first."""
        return {key: [entry["value"] for entry in row.get("values", ())]
                for key, row in self.environment.items()}

    def values(self, entry):
        """key -> value of a cell or failure, of the keys that tell lines apart."""
        return dict(zip(self.keys, entry["values"]))


def ratios_of(machine):
    """All ratios of what `actorlab results` says of a machine."""
    for family in machine["comparisons"].values():
        for pair in family["pairs"]:
            yield pair["ratio"]
            yield pair["quiet"] and pair["quiet"]["ratio"]
    for entry in (*machine["averages"], *machine["aa"]):
        yield entry["ratio"]


def with_infinity(ratio):
    """JSON has no infinity: it is null where so many trials failed."""
    if ratio and ratio["median"] is None:
        ratio["median"] = math.inf
    if ratio and ratio["low"] is not None and ratio["high"] is None:
        ratio["high"] = math.inf


def tables(config):
    """Those of a sweep's configuration; none if there is no such file."""
    try:
        return tomllib.loads(read_own(config).decode())
    except (OSError, ValueError):
        return {}


def written(path):
    """What the sweep wrote for `actorlab results`; nothing if there is no such file."""
    try:
        return sweep_file.read(path) or {}
    except Failure:
        return {}


def written_order(axes):
    """key -> its values, in the order of the configuration."""
    order = {}
    for key, value in axes.items():
        # deque.deque = […] is a table of its own; what counts is the name of the option.
        inner = value.items() if isinstance(value, dict) else [(key.rpartition(".")[2], value)]
        for name, values in inner:
            if isinstance(values, list):
                known = order.setdefault(name, [])
                known += [v for v in values if v not in known]
    return order
