#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""benchmarks/costs: that it runs every kind of trial, and prints what `actorlab compare` says of
its records. AL_BUILD names the build folder."""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import ACTORLAB, ROOT

COSTS = ROOT / "benchmarks" / "costs"


class Costs(unittest.TestCase):
    def run_it(self, *words, code=0, **more):
        done = subprocess.run([COSTS, *words], capture_output=True, text=True, timeout=120, check=False,
                              env=os.environ | {"AL_ACTORLAB": str(ACTORLAB)}, **more)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stderr if code else done.stdout

    def test_every_kind(self):
        with tempfile.TemporaryDirectory() as folder:
            # A file of this folder, and no command of the PATH.
            Path(folder, "without").symlink_to(ACTORLAB)
            shown = self.run_it("send-static --set sends=1000 --workers 1", "executor --size small --workers 1",
                                "--rounds", "2", "--without-counters", "without", cwd=folder)
        self.assertEqual(re.findall(r"^(\S.*): [0-9.]+ ms$", shown, re.MULTILINE),
                         ["send-static --set sends=1000 --workers 1", "executor --size small --workers 1"])
        rows = re.findall(r"^  (\S.*?) +[0-9.]+  \[-, -\]  100.0% of 2 rounds  (inconclusive|equivalent)", shown, re.MULTILINE)
        self.assertEqual([row[0] for row in rows], ["plain again", "no hardware counters", "timeline", "no counters"] * 2)
        if len(os.sched_getaffinity(0)) > 1:
            self.assertEqual(len(re.findall(r"^  hand-off probe +[0-9.]+ ms \(median\)", shown, re.MULTILINE)), 2)

    def test_records(self):
        """The table has the numbers of `actorlab compare`, which pairs the variants by rounds."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "records.jsonl")
            shown = self.run_it("send-static --set sends=1000 --workers 1", "--rounds", "9", "--records", file)
            records = [json.loads(line) for line in file.read_text().splitlines()]
            compare = [ACTORLAB, "compare", file, "--against", "binary=plain", "--json"]
            found = json.loads(subprocess.run(compare, capture_output=True, text=True, check=True).stdout)
        self.assertEqual([{record["binary"] for record in records if record["sweep"]["block"] == block} for block in range(9)],
                         [{"plain", "plain again", "no hardware counters", "timeline"}] * 9)
        self.assertNotEqual([record["binary"] for record in records[:4]], [record["binary"] for record in records[4:8]])
        self.assertEqual(len(found["comparisons"]), 3)
        for pair in found["comparisons"]:
            self.assertTrue(pair["paired"])
            ratio = pair["ratio"]
            expected = (f"  {pair['binary']:20} {ratio['median']:.3f}  [{ratio['low']:.3f}, {ratio['high']:.3f}]  "
                        f"{ratio['achieved']:.1%} of 9 rounds  {pair['verdict']}")
            self.assertIn(expected, shown)
        base = found["comparisons"][0]["base"]
        self.assertIn(f"{base['ns_per_message'] * 1000 / 1e6:.4g} ms\n", shown)

    def test_help(self):
        self.assertIn("minutes", self.run_it("--help"))

    def test_mistakes(self):
        self.assertIn("no-such-file: No such file or directory; valid: an actorlab that has been built",
                      self.run_it("send-static --set sends=10", "--without-counters", "no-such-file", code=1))
        self.assertIn("unknown workload 'send'", self.run_it("send", code=1))
        self.assertIn("--rounds 0; valid: a number from 1", self.run_it("--rounds", "0", code=2))


if __name__ == "__main__":
    unittest.main()
