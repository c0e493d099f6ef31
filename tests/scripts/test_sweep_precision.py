#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Sweeps that end when every interval is narrow enough."""

import json
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support.sweeping import Bench


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
        self.assertEqual(len(self.rows()), 12)
        said = "ended after 6 of 30 blocks: every interval is narrower than 0.5 of its median"
        self.assertIn(f"note: {said}", output)
        self.assertNotIn("each of", output)
        self.assertEqual((self.results / "notes.txt").read_text(), said + "\n")
        self.assertIn(said, self.sweep(text.format(0.5)))
        self.assertEqual(len(self.rows()), 12)
        self.assertRegex(self.sweep(text.format(0.5), "plan"), rf"note: {said}\n(.*\n)*.*12 recorded, 0 to run")
        output = self.sweep(text.format(0.0001))
        self.assertEqual(len(self.rows()), 60)
        said = r"not as precise as 0\.0001: the interval of alpha workers=[12] is 0\.\d+ of its median wide"
        self.assertRegex(output, f"note: {said}\n")
        self.assertRegex((self.results / "notes.txt").read_text(), f"^{said}\n$")
        self.assertNotIn("outliers", output)
        self.slow_down(2)
        self.assertIn("outliers (Tukey, of the times), none left out: 0 mild, 2 severe\n",
                      self.sweep(text.format(0.0001)))
        # One block alone has nothing to be precise about.
        self.sweep(text.format(0.5), "--rerun", "--block", "6", "--filter", "workers=1")
        self.sweep(text.format(0.5), "--block", "6")
        self.assertEqual(len(self.rows()), 2)


if __name__ == "__main__":
    unittest.main()
