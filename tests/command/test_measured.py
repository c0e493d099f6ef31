#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What `actorlab run` finds out beside the time: the hand-off between PUs, the hardware
counters, and whether its iterations are steady. AL_BUILD names the build folder."""

import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import ACTORLAB

SMALL = ("run", "send-static", "--set", "sends=1000")
PUS = sorted(os.sched_getaffinity(0))


def run(*words, pus=None):
    """The record, and what was printed for people."""
    before = ["taskset", "-c", ",".join(map(str, pus))] if pus else []
    done = subprocess.run([*before, ACTORLAB, *SMALL, *map(str, words), "--json", "-"], capture_output=True, text=True,
                          timeout=120, check=True)
    return json.loads(done.stdout), done.stderr


class Measured(unittest.TestCase):
    def test_hand_off(self):
        """With two PUs or more there is a figure, unless somebody else keeps them busy."""
        for workers in {1, min(len(PUS), 3)}:
            for _ in range(100):
                record, text = run("--workers", workers, "--stats")
                found = record["handoff"]
                if len(PUS) < 2 or found["median_ns"] is not None:
                    break
            if len(PUS) < 2:
                self.assertIsNone(found)
                continue
            self.assertEqual(found["from"], record["pus"][0])
            if workers > 1:
                self.assertEqual(found["to"], record["pus"][1:])
            else:
                self.assertEqual(len(found["to"]), 1)
                self.assertIn(found["to"][0], set(PUS) - {found["from"]})
            self.assertEqual(len(found["ns"]), len(found["to"]))
            self.assertTrue(1 < found["median_ns"] < 1e6, found)
            self.assertIn(f"hand-off of a cache line from PU {found['from']}: to PU {found['to'][0]} ", text)

    def test_no_hand_off(self):
        for words, pus in ((("--workers", 1), PUS[:1]), (("--workers", 1, "--pin", "none"), None),
                           (("--workers", 2, "--topology", "core:2 pu:1"), None),
                           (("--workers", 1, "--pin", PUS[0]), None)):
            if "--topology" in words:
                words += ("--oversubscribe",)
            record, text = run(*words, "--stats", pus=pus)
            self.assertIsNone(record["handoff"], words)
            self.assertIn("hand-off of a cache line: not probed", text)

    def test_hardware(self):
        """Counts of each worker, then of the starting thread. Without a PMU, `env` says why, and
        the counts of the kernel remain."""
        shown = subprocess.run([ACTORLAB, "env", "--json"], capture_output=True, text=True, timeout=60, check=True)
        line, = (line for line in json.loads(shown.stdout)["lines"] if line["name"] == "hardware counters")
        record, text = run("--workers", 2, "--oversubscribe", "--iterations", 3, "--idle", "park", "--stats")
        self.assertEqual(len(record["hardware"]), 3)
        for counts in record["hardware"]:
            self.assertEqual(counts.keys(), {"cycles", "instructions", "cache_misses", "context_switches", "page_faults", "waited_ns", "ran_ns"})
            self.assertGreaterEqual(counts["context_switches"], 0)
            self.assertGreaterEqual(counts["page_faults"], 0)
            for key in ("cycles", "instructions", "cache_misses"):
                self.assertEqual(counts[key] is not None, key.replace("_", " ") in line["value"], line)
        self.assertGreater(sum(counts["context_switches"] for counts in record["hardware"]), 0)
        sums = {words[0]: words[1:5] for words in map(str.split, text.splitlines()) if len(words) > 5}
        values = [counts["page_faults"] for counts in record["hardware"]]
        self.assertEqual(sums["page_faults"], list(map(str, [sum(values), *values])))
        self.assertEqual("cycles" in sums, "cycles" in line["value"])

    def test_hardware_left_out(self):
        record, _ = run("--no-hardware")
        self.assertTrue(all(counts["cycles"] is None for counts in record["hardware"]))

    def test_warm_up(self):
        """Until the times are steady, at most 20 iterations. None of them counts as measured."""
        for _ in range(20):
            record, text = run("--warmup", "auto", "--iterations", 8)
            if record["warmup"] < 20:  # it may take longer on a busy machine
                break
        self.assertLess(record["warmup"], 20)
        self.assertEqual((record["warmup_rule"], len(record["time_ns"]), record["iterations"]), ("auto", 8, 8))
        self.assertTrue(6 <= record["warmup"] <= 20, record["warmup"])
        self.assertIsInstance(record["warmup_steady"], bool)
        self.assertEqual("warm-up ended after 20 iterations, whose times still changed" in text, not record["warmup_steady"])
        self.assertIsInstance(record["steady"], bool)
        self.assertEqual("not steady: " in text, not record["steady"])
        received = [counts.get("messages_received") for counts in record["counters"]]
        if None not in received:  # a build that counts
            self.assertEqual(sum(received), 8 * record["messages"])

    def test_fixed_warm_up(self):
        record, _ = run("--warmup", 3, "--iterations", 7)
        self.assertEqual([record[key] for key in ("warmup", "warmup_rule", "warmup_steady", "steady")], [3, None, None, None])

    def test_mistakes(self):
        for value in ("atuo", "", "-1", "1e3"):
            done = subprocess.run([ACTORLAB, *SMALL, "--warmup", value], capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual((done.returncode, done.stderr),
                             (2, f"actorlab run: '--warmup={value}' is not a whole number; valid: 0 to 1000000, or auto\n"))
        done = subprocess.run([ACTORLAB, *SMALL, "--iterations", "auto"], capture_output=True, text=True, timeout=60, check=False)
        self.assertIn("'--iterations=auto' is not a whole number; valid: 1 to 1000000\n", done.stderr)


if __name__ == "__main__":
    unittest.main()
