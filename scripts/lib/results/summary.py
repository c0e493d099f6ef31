# SPDX-License-Identifier: MIT
"""What `actorlab summarize` says of a results folder: its cells, and in what they differ."""

import json
import tomllib
from pathlib import Path

from common.actorlab import palette, summarize
from results.records import parse

# What makes a cell; the last two are in a record's environment.
IDENTITY = ("benchmark", "parameters", "scheduler", "victim", "idle", "options", "workers", "pin", "topology", "engine",
            "binary_hash", "topology_hash")
# Written as bare values; every other key as key=value.
NAMES = ("scheduler", "victim", "idle", "pin", "topology", "engine")


def identity(entry):
    """What a record and its cell share: as text, which tells 1 from true."""
    environment = entry.get("environment") or {}
    return json.dumps([entry.get(key, environment.get(key)) for key in IDENTITY], sort_keys=True)


def measured(record):
    """Whether actorlab takes its time."""
    return record["outcome"] == "ok" and not traced(record)


def traced(record):
    """Whether a timeline was written, which takes time."""
    return isinstance(record.get("trace"), str)


def flat(entry):
    """A cell or failure as key -> value, of everything that identifies it."""
    keys = {key: entry.get(key) for key in ("benchmark", *NAMES, "workers")}
    return keys | entry.get("parameters", {}) | entry.get("options", {})


class Summary:
    def __init__(self, actorlab, records_path):
        self.actorlab, path = actorlab, Path(records_path)
        config = tables(path.with_name("config.toml"))
        self.memory = config.get("sweep", {}).get("memory", False)
        self.baseline = config.get("sweep", {}).get("baseline")
        self.records, self.bad = parse(path)
        # The trials of the baseline may have been filtered out, or not have run yet.
        there = any(record.get("scheduler") == self.baseline for record in self.records)
        data = summarize(actorlab, path, self.baseline if there else None)
        self.level, self.resamples, self.seed = data["level"], data["resamples"], data["seed"]
        self.twins, self.noise = data["aa"], data["noise_percent"]  # of cells that ran twice
        self.environment = next((r["environment"] for r in self.records if r.get("environment")), {})
        versions = ((r.get("peer") or {}).get("version") for r in self.records)
        self.peers = list(dict.fromkeys(filter(None, versions)))  # of other systems, as they call themselves
        notes = path.with_name("notes.txt")
        self.notes = notes.read_text(encoding="utf-8").splitlines() if notes.exists() else []
        self._order = written_order(config.get("axes", {}))
        # Strategies have one order everywhere; others come after them, by name.
        self._order["scheduler"] = palette(actorlab)["strategies"]
        self._take(data["cells"], data["failed"])

    def keep(self, benchmarks):
        """Leaves out all other workloads."""
        self._take(*([entry for entry in entries if entry["benchmark"] in benchmarks]
                     for entries in (self.cells, self.failed)))

    def _take(self, cells, failed):
        self.cells = sorted(cells, key=self._place)
        for index, cell in enumerate(self.cells):
            cell["index"] = index
        self.runs = self._runs()
        self.failed = sorted(failed, key=self._place)
        self.benchmarks = list(dict.fromkeys(cell["benchmark"] for cell in self.cells))
        self.keys = self._differing()

    def _runs(self):
        """For each cell the records that its values are from, in their order."""
        runs = {identity(cell): [] for cell in self.cells}
        for record in self.records:
            if measured(record) and not (record.get("sweep") or {}).get("twin"):
                runs.get(identity(record), []).append(record)
        return list(runs.values())

    def of(self, benchmark):
        return [cell for cell in self.cells if cell["benchmark"] == benchmark]

    def common(self, benchmark):
        """The parameters that all cells of a benchmark share."""
        cells = self.of(benchmark)
        return {key: value for key, value in cells[0]["parameters"].items() if key not in self.keys}

    def _differing(self):
        """The keys that tell cells of one benchmark and worker count apart, the written axes first.
        One that follows from those before it, as a number of queues does from the workers, is none."""
        rest = dict.fromkeys([*NAMES, *(key for cell in self.cells for key in flat(cell))])
        kept = []
        for key in dict.fromkeys([*self._order, *rest]):
            # What failed before it began has options as they were asked for, not as they came out.
            entries = self.cells + self.failed if key in self._order else self.cells
            values = {}
            for entry in map(flat, entries):
                place = tuple(entry.get(k) for k in ("benchmark", "workers", *kept))
                values.setdefault(place, set()).add(entry.get(key))
            if key not in ("benchmark", "workers") and any(len(seen - {None}) > 1 for seen in values.values()):
                kept.append(key)
        return kept

    def _place(self, cell):
        """In the order of the configuration, where that is known."""
        keys = flat(cell)
        return [
            (self._order[key].index(value) if value in self._order.get(key, ()) else len(self._order.get(key, ())),
             natural(value))
            for key, value in sorted(keys.items(), key=lambda item: (item[0] != "benchmark", item[0] == "workers"))
        ]


def natural(value):
    number = isinstance(value, (int, float))
    return (not number, value if number else 0, str(value))


def tables(config):
    """Those of a sweep's configuration; none if there is no such file."""
    try:
        return tomllib.loads(config.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def written_order(axes):
    order = {}
    for key, value in axes.items():
        # deque.deque = […] is a table of its own; what counts is the name of the option.
        for name, values in value.items() if isinstance(value, dict) else [(key.rpartition(".")[2], value)]:
            if isinstance(values, list):
                known = order.setdefault(name, [])
                known += [v for v in values if v not in known]
    return order


def label(key, value):
    return str(value) if key in NAMES or key == "benchmark" else f"{key}={value}"
