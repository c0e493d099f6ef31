#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""benchmarks/costs: its interval, and that it runs every kind of trial. AL_BUILD names the build
folder."""

import importlib.machinery
import importlib.util
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import ACTORLAB, ROOT

COSTS = ROOT / "benchmarks" / "costs"


def loaded():
    loader = importlib.machinery.SourceFileLoader("costs", str(COSTS))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("costs", loader))
    loader.exec_module(module)
    return module


class Costs(unittest.TestCase):
    def run_it(self, *words, code=0):
        done = subprocess.run([COSTS, *words], capture_output=True, text=True, timeout=120, check=False,
                              env=os.environ | {"AL_ACTORLAB": str(ACTORLAB)})
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stderr if code else done.stdout

    def test_interval(self):
        """The ranks and coverages of docs/explanation/statistics.md."""
        interval = loaded().interval
        for n, low, coverage in ((1, 1, 0), (3, 1, 0.75), (5, 1, 0.9375), (6, 1, 0.96875), (8, 1, 0.9921875),
                                 (10, 2, 0.978515625), (15, 4, 0.96484375), (30, 10, 0.957226)):
            found = interval([n - i for i in range(n)])
            self.assertEqual(found[:2], (low, n + 1 - low))
            self.assertAlmostEqual(found[2], coverage, places=6)

    def test_every_kind(self):
        shown = self.run_it("send-static --set sends=1000 --workers 1", "executor --size small --workers 1", "--rounds", "2",
                            "--without-counters", ACTORLAB)
        self.assertEqual(re.findall(r"^(\S.*): [0-9.]+ ms$", shown, re.MULTILINE),
                         ["send-static --set sends=1000 --workers 1", "executor --size small --workers 1"])
        rows = re.findall(r"^  (\S.*?) +([0-9.]+)  \[([0-9.]+), ([0-9.]+)\]  50.0% of 2 rounds$", shown, re.MULTILINE)
        self.assertEqual([row[0] for row in rows], ["plain again", "no hardware counters", "timeline", "no counters"] * 2)
        for _, ratio, low, high in rows:
            self.assertTrue(0 < float(low) <= float(ratio) <= float(high))
        if len(os.sched_getaffinity(0)) > 1:
            self.assertEqual(len(re.findall(r"^  hand-off probe +[0-9.]+ ms \(median\)", shown, re.MULTILINE)), 2)

    def test_mistakes(self):
        self.assertIn("no-such-file: No such file or directory; valid: an actorlab that has been built",
                      self.run_it("send-static --set sends=10", "--without-counters", "no-such-file", code=1))
        self.assertIn("unknown workload 'send'", self.run_it("send", code=1))
        self.assertIn("--rounds 0; valid: a number from 1", self.run_it("--rounds", "0", code=2))


if __name__ == "__main__":
    unittest.main()
