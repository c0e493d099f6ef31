#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Sweeps that end when every interval is narrow enough."""

import contextlib
import io
import json
import os
import subprocess
import sys
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support.sweeping import SWEEP, Bench

from common.screen import Screen
from sweep import command, precision
from sweep.sweep import Sweep


class Precision(Bench):
    def slow_down(self, n):
        """Makes the first n records ten times as slow."""
        path = self.results / "records.jsonl"
        lines = path.read_text().splitlines(keepends=True)
        for number in range(n):
            record = json.loads(lines[number])
            record["time_ns"] = [10 * time for time in record["time_ns"]]
            lines[number] = json.dumps(record) + "\n"
        path.write_text("".join(lines))

    def test_precision(self):
        """A sweep may end at its looks, if every interval is narrow; run again, it does nothing."""
        text = ('[sweep]\ninvocations = 30\nprecision = {}\n[set]\nbenchmark = "alpha"\n[axes]\nworkers = [1, 2]\n')
        output = self.sweep(text.format(0.5))
        self.assertEqual(len(self.rows()), 16)
        said = "ended after 8 of 30 blocks: every interval is narrower than 0.5 of its median"
        self.assertIn(f"note: {said}", output)
        self.assertNotIn("each:", output)
        self.assertEqual((self.results / "notes.txt").read_text(), said + "\n")
        self.assertIn(said, self.sweep(text.format(0.5)))
        self.assertEqual(len(self.rows()), 16)
        self.assertRegex(self.sweep(text.format(0.5), "plan"), rf"note: {said}\n(.*\n)*.*16 recorded, 0 to run")
        output = self.sweep(text.format(0.0001))
        self.assertEqual(len(self.rows()), 60)
        said = r"not as precise as 0\.0001: the interval of alpha workers=[12] is 0\.\d+ of its median wide"
        self.assertRegex(output, f"note: {said}\n")
        self.assertRegex((self.results / "notes.txt").read_text(), f"^{said}\n$")
        self.assertNotIn("Outliers", output)
        self.slow_down(2)
        self.assertIn("Outliers (Tukey, of the times), none left out: 0 mild, 2 severe.\n",
                      self.sweep(text.format(0.0001)))
        # One block alone has nothing to be precise about.
        self.sweep(text.format(0.5), "--rerun", "--block", "6", "--filter", "workers=1")
        self.sweep(text.format(0.5), "--block", "6")
        self.assertEqual(len(self.rows()), 2)

    def disturb(self, scheduler):
        """Makes its records slower and faster by turns."""
        path = self.results / "records.jsonl"
        rows = self.rows()
        for row in rows:
            if row["scheduler"] == scheduler:
                row["time_ns"] = [time * 2 if row["sweep"]["block"] % 2 else time // 2 for time in row["time_ns"]]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))

    def test_verdicts(self):
        """A sweep may end at its planned looks, if every cell has a verdict beside its baseline."""
        text = ('[sweep]\nprecision = "verdicts"\nlooks = [10, 12, 14]\nbaseline = "inverted"\n'
                '[set]\nbenchmark = "alpha"\n[axes]\nscheduler = ["inverted", "central"]\nworkers = [1, 2]\n')
        self.assertIn("4 cells x up to 14 blocks = up to 56 trials, 0 recorded, up to 56 to run: no earlier",
                      self.sweep(text, "plan"))
        output = self.sweep(text)
        self.assertEqual(len(self.rows()), 40)
        self.assertRegex(output, r"(?m)^\[ 1/56\] .*  ETA up to 0:\d\d$")
        said = "ended after 10 of at most 14 blocks: all 2 comparisons are decided"
        self.assertIn(f"note: {said}\n", output)
        self.assertEqual((self.results / "notes.txt").read_text(), f"{said}\n")
        self.assertEqual(self.told("looks", "blocks"), [[10, 12, 14], 10])
        self.assertIn("40 recorded, 0 to run", self.sweep(text, "plan"))
        self.disturb("central")
        self.assertRegex(self.sweep(text, "plan"), "40 recorded, up to 16 to run: about .* if it runs all blocks")
        self.disturb("central")
        output = self.sweep(text)
        self.assertEqual(len(self.rows()), 56)
        self.assertEqual(self.told("blocks"), [14])
        self.assertRegex(output, r"note: not decided: 2 of 2 comparisons, of alpha central workers=1; "
                                 r"alpha central workers=2(; at the present spread [\d,]+ more blocks would decide .*)?\n")
        # The command --quick, and a block alone, have no looks.
        self.sweep(text, "--rerun", "--quick")
        self.assertEqual(len(self.rows()), 12)
        self.assertIsNone(self.told("looks")[0])
        self.assertNotIn("blocks", json.loads((self.results / "sweep.json").read_text()))
        self.assertNotIn("note: ", self.sweep(text, "--rerun", "--block", "3"))

    def told(self, *keys):
        """Of sweep.json."""
        known = json.loads((self.results / "sweep.json").read_text())
        return [known[key] for key in keys]

    def test_whole_blocks(self):
        """sweep.json says how many blocks are whole, of the cells that the plan has: at each look,
        at the end, and of a sweep that is killed."""
        text = ('[sweep]\nprecision = "verdicts"\nlooks = [10, 12]\n[axes]\nscheduler = [{}"inverted", "central"]\n'
                '[set]\nworkers = 1\nbenchmark = "alpha"\n')
        seen, real = [], precision.Verdicts.reached

        def reached(its, path):
            seen.append(json.loads(path.with_name("sweep.json").read_text())["blocks"])
            return real(its, path)

        words = self.words(text.format(""), "--color=never", "--results", "looking")
        with mock.patch.dict(os.environ, self.environment), contextlib.chdir(self.folder), \
                contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO())), \
                mock.patch.object(precision.Verdicts, "reached", reached):
            Sweep(command.arguments(list(map(str, words))), Screen("never")).run()
        self.assertEqual(seen, [10])
        # A lost cell does not matter; a new one is in no block.
        self.sweep(text.format('"sharing", '))
        self.sweep(text.format(""))
        self.assertEqual(self.told("blocks"), [10])
        self.sweep(text.format('"mercury", '), "--block", "0")
        self.assertEqual(self.told("blocks"), [0])
        process = self.start(text.format("") + "sleep_ms = 200\n", "--rerun")
        self.wait_for(lambda: 4 < len(self.rows()) < 30 and len(self.rows()) % 2)
        process.kill()
        process.communicate()
        self.assertEqual(self.told("blocks"), [len(self.rows()) // 2])
        again = subprocess.run([*SWEEP, "--from", "out", "plan"], cwd=self.folder,
                               env=self.environment, capture_output=True, text=True)
        self.assertIn("2 cells x up to 12 blocks", again.stdout, again.stderr)

    def test_nothing_to_decide(self):
        text = '[sweep]\nprecision = "verdicts"\n[set]\nbenchmark = "alpha"\n[axes]\n{}workers = [1, 2]\n'
        said = ('small.toml: precision = "verdicts": no two cells have the same workload and number of workers, so '
                "there is nothing to compare\n")
        self.sweep(text.format(""), code=2)
        self.assertEqual(self.errors, said)
        self.sweep(text.format('scheduler = ["inverted", "central"]\n'), "--filter", "inverted", code=2)
        self.assertEqual(self.errors, said)

    def test_what_is_left_to_decide(self):
        """The note at the end names the comparisons, and the blocks that would decide them."""
        def note(*pairs, machines=2, failed=(), axes=()):
            cells = [{"workers": n} for n in range(9)]
            families = {"baseline": SimpleNamespace(pairs={
                n: {"cell": n, "verdict": verdict, "more_blocks": more} for n, (verdict, more) in enumerate(pairs)})}
            machine = SimpleNamespace(cells=cells, families=families, name=lambda cell: f"b workers={cell['workers']}",
                                      failed=[{"count": count} for count in failed])
            with mock.patch.object(precision, "Summary", lambda *_: SimpleNamespace(machines=machines * [machine])):
                looks = precision.Verdicts([], SimpleNamespace(
                    precision="verdicts", invocations=9, axes=axes, include=[]), None)
                return looks.at_the_end(None), looks.reached(None)

        self.assertEqual(note(("faster", None), ("equivalent", None)), ("all 4 comparisons are decided",) * 2)
        self.assertEqual(note(machines=1), ("no two cells can be compared", None))
        self.assertEqual(note()[0], "no two cells can be compared: the records are of 2 machines")
        self.assertEqual(note(machines=1, failed=[3, 1], axes=["binary"])[0],
                         "no cell of both builds can be compared: 4 trials failed")
        self.assertEqual(note(machines=1, failed=[1])[0], "no two cells can be compared: 1 trial failed")
        self.assertEqual(note(("inconclusive", 7), machines=1)[0], "not decided: the comparison of b workers=0; "
                         "at the present spread 7 more blocks would decide it")
        self.assertIn("; at the present spread 1 more block would decide it", note(("inconclusive", 1), machines=1)[0])
        self.assertEqual(note(("slower", None), ("inconclusive", 7)),
                         ("not decided: 2 of 4 comparisons, of b workers=1; b workers=1; "
                          "at the present spread 7 more blocks would decide them", None))
        self.assertEqual(note(("inconclusive", 7), (None, None), ("inconclusive", 12), ("inconclusive", 1))[0],
                         "not decided: 8 of 8 comparisons, of b workers=0; b workers=1; b workers=2 and 5 more; "
                         "at the present spread 12 more blocks would decide 6 of them")
        self.assertEqual(note(("inconclusive", None))[0], "not decided: 2 of 2 comparisons, of b workers=0; b workers=0")


if __name__ == "__main__":
    unittest.main()
