#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What a sweep is made of: lines of TOML, estimates, numbers for people, what tells cells apart."""

import json
import sys
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import ACTORLAB, plotting

from common import screen
from results import numbers, summary
from sweep import closing, plan, precision, progress, sweep
from sweep.toml_lines import TomlLines


class Parts(unittest.TestCase):
    def test_toml_lines(self):
        lines = TomlLines('# [no]\na = "x # ] = \\" y"\n[t.u] # c\n"k = 1" = [1, # one\n [2, 3],\n\n"""\nlong = 1\n""", 4]\n'
                          "v.w = { x = 1 }\n[z]\nlast = '''\n\n'''\nend = -1.5e3\n")
        self.assertEqual(lines.of("a"), 2)
        self.assertEqual(lines.of("no"), 1)
        self.assertEqual(lines.of("t", "u"), 3)
        self.assertEqual([lines.of("t", "u", "k = 1", i) for i in range(4)], [4, 5, 7, 9])
        self.assertEqual(lines.of("t", "u", "v", "w"), 10)
        self.assertEqual(lines.of("t", "u", "v", "w", "x"), 10)
        self.assertEqual(lines.of("z", "last"), 12)
        self.assertEqual(lines.of("z", "end"), 15)
        self.assertEqual(lines.of("z", "missing"), 11)

    def test_estimate(self):
        estimate = progress.Estimate()
        self.assertIsNone(estimate.remaining({"a": 1}))
        for seconds in (1, 2, 30):
            estimate.add("a", seconds)
        estimate.add("b", 7)
        self.assertEqual(estimate.remaining({"a": 1, "b": 1}), 2 + 7)
        self.assertEqual(estimate.remaining({"new": 3, "a": 0}), 30)
        estimate.add("a", 40)
        self.assertEqual(estimate.remaining({"a": 2}), 2 * 16)
        self.assertEqual([estimate.of("new"), progress.Estimate().of("new")], [16, 0])
        self.assertEqual([progress.clock(s) for s in (None, 0, 59.6, 3661)], ["-:--", "0:00", "1:00", "1:01:01"])

    def test_late(self):
        """In a log, one line for a trial that runs for much longer than its fellows."""
        trial = SimpleNamespace(cell=SimpleNamespace(id="a", name="slow"), block=0)
        estimate, lines = progress.Estimate(), []
        estimate.add("a", 20)
        shown = progress.Progress(SimpleNamespace(live=False, say=lines.append), 2, 0, 4, estimate=estimate)
        with mock.patch("time.monotonic") as now:
            now.return_value = 0
            shown.begin(trial, None)
            for now.return_value in (30, 99, 101, 1000):
                shown.glance()
            self.assertEqual(lines, ["still running after 1:41: slow"])
            shown.end(trial, "fine", None, False)
            now.return_value = 10000
            shown.glance()
        self.assertEqual(lines[1:], ["[1/2] slow  fine  ETA -:--"])

    def test_numbers(self):
        self.assertEqual([numbers.significant(x) for x in (0, 9.997, 0.0456, 1, 7890.2, 999.7)],
                         ["0", "10.0", "0.0456", "1.00", "7890", "1000"])
        self.assertEqual([numbers.scaled(123456789, ""), numbers.scaled(12, ""), numbers.scaled(999700, "B")],
                         ["123 M", "12.0", "1.00 MB"])

    def test_printable(self):
        """No character of a record can move the terminal's cursor or change its colours."""
        self.assertEqual(screen.printable("a µ–é 中\x1b[2J\x07\x7f\u009b31m\u202e\n\ud800"),
                         "a µ–é 中\\x1b[2J\\x07\\x7f\\x9b31m\\u202e\\x0a\\ud800")
        cell = {"benchmark": "b\x1b[2J", "line": 0, "workers": 1}
        self.assertEqual(summary.Summary.name(SimpleNamespace(keys=["scheduler"], lines=[{"label": "s\nt"}]), cell),
                         "b\\x1b[2J s\\x0at workers=1")

    def test_what_tells_cells_apart(self):
        def cell(victim, workers, **options):
            return {"benchmark": "b", "parameters": {"size": 1}, "scheduler": "s", "victim": victim, "idle": "i",
                    "options": {"mailboxes": 16 * workers, **options}, "workers": workers, "pin": "close"}

        def record(given, outcome):
            return {"schema_version": 1, **given, "time_ns": [100], "messages": 1, "peak_rss_bytes": 1, "outcome": outcome}

        def keys(cells, axes, failed=()):
            with tempfile.TemporaryDirectory() as folder:
                (Path(folder) / "config.toml").write_text(axes)
                rows = [*(record(one, "ok") for one in cells), *(record(one, "timeout") for one in failed)]
                path = Path(folder) / "records.jsonl"
                path.write_text("".join(json.dumps(row) + "\n" for row in rows))
                seen = summary.Summary(ACTORLAB, path)
            return seen.keys, [(c["victim"], c["workers"]) for c in seen.cells]

        axes = '[axes]\nvictim = ["none", "longest", "any"]\nworkers = [1, 2]\n'
        grid = [cell(victim, workers) for workers in (2, 1) for victim in ("longest", "none")]
        self.assertEqual(keys(grid, axes), (["victim"], [("none", 1), ("none", 2), ("longest", 1), ("longest", 2)]))
        self.assertEqual(keys(grid, "")[0], ["victim"])  # mailboxes follows from workers
        self.assertEqual(keys(grid[:1] + grid[2:3], axes)[0], [])
        self.assertEqual(keys([cell("none", 1), cell("longest", 1, patience=3)], axes)[0], ["victim"])
        self.assertEqual(keys([cell("none", 1, patience=n, alias=-n) for n in (1, 2)], "[axes]\nalias = [-1, -2]\n")[0],
                         ["alias"])
        self.assertEqual(keys([cell("none", 1)], axes, failed=[cell("any", 1, mailboxes=0)])[0], ["victim"])

    def test_strangers(self):
        """Records that name no cell are of none that the configuration has."""
        plan = SimpleNamespace(all_cells=lambda: [SimpleNamespace(id="a")])
        rows = [{"sweep": {"cell": None}}, {"sweep": {}}, {"sweep": {"cell": "a-twin"}}, {"sweep": None}, {}]
        self.assertIn("2 records", sweep.Sweep.strangers(SimpleNamespace(plan=plan), rows))

    def test_several_machines(self):
        """Each has its rows; a failure on any fails the sweep, and the widest interval
        of all counts."""
        rows = [plotting.record("alpha", "one", 1, block, (100 + block) if machine else 100)
                | {"environment": {"cpu": f"CPU {machine}", "topology_hash": f"t{machine}"}}
                for machine in range(2) for block in range(6)]
        rows.append(rows[-1] | {"outcome": "timeout", "sweep": {"name": "made-up", "block": 6}})
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "records.jsonl"
            path.write_text("".join(json.dumps(row) + "\n" for row in rows))
            said = []
            words = SimpleNamespace(block=None, no_plot=True)
            one = SimpleNamespace(actorlab=ACTORLAB, options=words,
                                  screen=SimpleNamespace(say=said.append, rich=False))
            failed = closing.report(one, SimpleNamespace(path=path, settle=lambda: None))
            width, _ = precision.Widths.widest(one, path)
        self.assertTrue(failed)
        self.assertRegex("\n".join(said), r"^CPU 0 \(t0\):\n(.*\n)*CPU 1 \(t1\):\n(.*\n)*failed: alpha, .*, workers 1: timeout, 1 time\n")
        self.assertAlmostEqual(width, 5 / 102.5)  # the first machine has 0

    def test_order_of_a_strategys_own_axis(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "config.toml"
            path.write_text('[axes]\nworkers = [2, 1]\ndeque.deque = ["b", "a"]\n"las.deque" = ["c", "a"]\n[set]\nx = 1\n')
            self.assertEqual(summary.written_order(summary.tables(path)["axes"]), {"workers": [2, 1], "deque": ["b", "a", "c"]})


if __name__ == "__main__":
    unittest.main()
