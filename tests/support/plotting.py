# SPDX-License-Identifier: MIT
"""What the tests of figures share: made-up records, and what a drawing shows."""

import io
import json
import os
import statistics
import sys
import tempfile
import unittest
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from unittest.mock import patch

from support import ACTORLAB
import plots
from common.failure import exit_code
from plots import command
from results.summary import Summary

BLOCKS = 8
PROBE = {"from": 0, "to": [1], "ns": [60.5], "median_ns": 60.5}  # a record's hand-off
# Of a timeline: worker, what it did, from when, and how long, in microseconds.
EVENTS = [(0, "run", 10, 30), (0, "idle", 40, 60), (1, "steal", 10, 5), (1, "run", 20, 40),
          (1, "steal", 60, 10)]
DRIFT = (1.0, 1.3, 0.9, 1.1, 0.95, 1.2, 1.05, 0.8)  # of a block, which all of its trials share


def noise(block, *what):
    """Some percent up or down, the same in every run of the test."""
    return 1 + ((sum(map(ord, repr(what))) + block * 5) * 37 % 17 - 8) / 200


def latencies(benchmark, scheduler, workers, block, n=100):
    """Of one process, in as many buckets as values."""
    values = sorted(100000 * noise(block, scheduler, workers, i) ** (3 * i % 40) for i in range(n))
    return {"n": n, "min_ns": values[0], "max_ns": values[-1], "buckets": [[value, 1] for value in values]}


def counters(workers, block):
    """Of each worker and the starting thread. More than one steal only with four workers."""
    steals = {1: 0, 2: 1, 4: 700}.get(workers, 1)
    return [{"messages_received": 1000, "gulps": 500 - 10 * block, "missed_gulps": 0, "steals": steals,
             "steal_attempts": 30 + block, "queues_stolen": 2 * steals} for worker in range(workers)] + \
        [{"messages_received": 0, "gulps": 0, "missed_gulps": 0, "steals": 0, "steal_attempts": 0, "queues_stolen": 0}]


def record(benchmark, scheduler, workers, block, ns_per_message, messages=1000, **more):
    return {
        "schema_version": 1, "benchmark": benchmark, "parameters": {"size": 7}, "scheduler": scheduler,
        "victim": "none", "idle": "spin", "options": {"queues": 16 * workers}, "workers": workers, "pin": "close",
        "topology": "this machine", "engine": "native", "oversubscribed": workers > 4, "messages": messages,
        "memory": {"allocated_bytes": 900000, "resident_bytes": 3000000, "queue_bytes": 1000 * workers,
                   "queue_peak_bytes": 1500 * workers} if benchmark == "beta" else None,
        "counters": counters(workers, block) if scheduler != "two" else [],
        "latencies": latencies(benchmark, scheduler, workers, block) if benchmark == "beta" else None,
        "time_ns": [round(ns_per_message * messages)], "peak_rss_bytes": 5000000 + 1000 * workers, "outcome": "ok",
        "environment": {"cpu": "Fake 3000", "kernel": "6.1", "compiler": "cc 1", "revision": "r", "binary_hash": "b",
                        "topology_hash": "t"}, "sweep": {"name": "made-up", "block": block}, **more}


def made_up():
    """Two benchmarks, three strategies, four worker counts; gamma never ran beta with one."""
    speed = {"alpha": 1, "beta": 400}
    return [record(benchmark, scheduler, workers, block,
                   factor * cost * DRIFT[block] * noise(block, benchmark, scheduler, workers) * (0.3 + 0.7 / workers))
            for block in range(BLOCKS) for benchmark, factor in speed.items()
            for scheduler, cost in (("one", 100), ("two", 100.5), ("gamma", 9000)) for workers in (1, 2, 4, 8)
            if (benchmark, scheduler, workers) != ("beta", "gamma", 1)]


class Folder(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def write(self, records, config=""):
        path = self.folder / "records.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in records))
        (self.folder / "config.toml").write_text(config)
        return path

    def summary(self, records=None, config=""):
        return Summary(ACTORLAB, self.write(made_up() if records is None else records, config))

    def plot(self, *arguments, code=0):
        """What it prints, to stdout or stderr."""
        out, errors = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(errors), patch.object(sys, "argv", ["plot", *map(str, arguments)]), \
                patch.dict(os.environ, AL_ACTORLAB=str(ACTORLAB)):
            self.assertEqual(exit_code(command.main), code, errors.getvalue())
        return errors.getvalue() if code else out.getvalue()

    def write_trace(self, **more):
        rows = [{"ph": "M", "tid": 0, "name": "thread_name", "args": {"name": "worker 0 (PU 3)"}}]
        rows += [{"ph": "X", "tid": tid, "name": name, "ts": ts, "dur": dur} for tid, name, ts, dur in EVENTS]
        path = self.folder / "made-up.json"
        path.write_text(json.dumps({"traceEvents": rows, "otherData": {
            "benchmark": "b", "scheduler": "s", "victim": "v", "idle": "i", "seed": 1, "dropped": [0, 7],
            "timed_from_us": 20, "timed_until_us": 90}} | more))
        return path

    def refused(self, arguments, said, code=2):
        printed = self.plot(*arguments, code=code)
        self.assertEqual(printed.count("\n"), 1, printed)
        self.assertIn(said, printed)


def drawn(drawing):
    """What of a drawing shows a cell: [(axes, artist, index of the cell)]."""
    return [(axes, artist, int(artist.get_gid().removeprefix("cell-"))) for axes in drawing.axes
            for artist in axes.get_children() if (artist.get_gid() or "").startswith("cell-")]


def medians(drawing):
    """index -> the value at its marker."""
    found = {}
    for _, artist, index in drawn(drawing):
        (value,) = map(float, artist.get_ydata())
        assert found.setdefault(index, value) == value
    return found


def named(summary, name):
    (figure,) = plots.figures(summary, [name])
    return figure


def times(rows, **keys):
    """block -> ns per message of these records, computed here."""
    return {row["sweep"]["block"]: statistics.median(row["time_ns"]) / row["messages"]
            for row in rows if all(row[key] == value for key, value in keys.items())}
