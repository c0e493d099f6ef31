#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What a run costs beside its time: records and results. AL_BUILD names the build folder."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import ACTORLAB, SIMULATOR


class Costs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.records = Path(folder.name) / "records.jsonl"

    def run_it(self, *words):
        """The record's costs."""
        done = subprocess.run([ACTORLAB, "run", *words, "--warmup", "0", "--iterations", "1", "--json", self.records],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(self.records.read_text().splitlines()[-1])["costs"]

    def test_start_and_stop(self):
        costs = self.run_it("executor", "--size", "small", "--workers", "2")
        self.assertEqual(sorted(costs), ["start_ns", "stop_ns"])
        self.assertTrue(all(0 < ns < 60e9 for ns in costs.values()), costs)
        done = subprocess.run([ACTORLAB, "results", self.records, "--json"], capture_output=True, text=True, check=True)
        (cell,) = json.loads(done.stdout)["machines"][0]["cells"]
        self.assertEqual({name: entry["median"] for name, entry in cell["costs"].items()}, costs)

    @unittest.skipUnless(SIMULATOR, "this build has no simulator")
    def test_fairness(self):
        """With one worker, a queue of all actors lets them run in turn; a stack runs one until it
        has ended, when the others have had no turn but the first."""
        sim = ("race", "--size", "small", "--engine", "sim", "--machine", "xeon-5220r-2s", "--workers", "1")
        actors = 8
        self.assertGreater(self.run_it(*sim, "--scheduler", "central")["fairness"], 0.99)
        self.assertLess(self.run_it(*sim, "--scheduler", "deque", "--set", "owner=lifo")["fairness"], 1.5 / actors)
        self.assertEqual(sorted(self.run_it(*sim)), ["fairness"])

    def compare(self, *words, code=0):
        done = subprocess.run([ACTORLAB, "compare", self.records, "--against", "scheduler=inverted", *words],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stderr if code else done.stdout

    def results(self, *words):
        return subprocess.run([ACTORLAB, "results", self.records, *words], capture_output=True, text=True, check=True).stdout

    def test_compared(self):
        """By any number of the records, with verdicts like times; other records are left out."""
        rows = [{"schema_version": 1, "benchmark": benchmark, "parameters": {}, "scheduler": scheduler, "victim": "none", "idle": "spin",
                 "options": {}, "workers": 2, "pin": "close", "topology": "this machine", "engine": "native", "oversubscribed": False, "seed": 1, "time_ns": [1000 + block],
                 "messages": 10, "peak_rss_bytes": 5, "outcome": "ok", "sweep": {"block": block},
                 "costs": {"fairness": value + 0.001 * block} if benchmark == "race" else {}}
                for block in range(12) for benchmark in ("race", "executor")
                for scheduler, value in (("inverted", 0.9), ("deque", 0.03))]
        self.records.write_text("".join(json.dumps(row) + "\n" for row in rows))
        table = self.compare("--of", "costs.fairness").splitlines()
        self.assertEqual(table[0], "costs.fairness")
        self.assertEqual([line.split()[-1] for line in table if line.startswith(("race", "executor"))], ["less"])
        self.assertIn("1 less, 0 more, 0 equivalent, 0 inconclusive", table)
        found = json.loads(self.compare("--of", "costs.fairness", "--json"))
        (row,) = found["comparisons"]
        self.assertEqual((found["measure"], row["verdict"]), ("costs.fairness", "faster"))
        self.assertAlmostEqual(row["base"]["compared"], 0.9055)
        self.assertIn(",base_compared,cell_compared,", self.compare("--of", "costs.fairness", "--csv"))
        self.assertEqual(len(json.loads(self.compare("--json"))["comparisons"]), 2)
        self.assertEqual(self.results().splitlines()[-1],
                         "Not judged by times: race (1/costs.fairness); actorlab compare --of KEY compares these.")
        self.assertNotIn("judged", self.results("--benchmark", "executor"))
        for key in ("costs.nothing", "costs", "scheduler", "", "costs.fairness.more"):
            self.assertEqual(self.compare("--of", key, code=2),
                             f"actorlab compare: --of {key}: no record has this number; valid: a key of records, such as latencies.p99\n")


if __name__ == "__main__":
    unittest.main()
