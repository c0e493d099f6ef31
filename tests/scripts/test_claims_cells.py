#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Claims: which cells they take where all cores are busy, counts that are 0, and units.

AL_BUILD names the build folder."""

import math
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "scripts/lib")]
BUILD = Path(os.environ.get("AL_BUILD") or ROOT / "build").resolve()
os.environ.setdefault("AL_ACTORLAB", str(BUILD / "actorlab"))

from claims import measures
from claims.claim import Claim
from claims.evidence import NATIVE, Evidence, Place
from claims.verdict import Finding, Question, quotient
from common.failure import Failure

CLAIM = """
source = "las"
place = "figure 1"
statement = "It holds."
negation = "It does not."
kind = "order"
reason = "The text says so."
sweep = "las/figure-1"
engine = "sim"
at = {{benchmark = "trapr", workers = {workers}}}
minutes = 1
{more}

[[need]]
over = {{scheduler = "deque"}}
under = {{scheduler = "las", placement = "las_l"}}
measure = "{measure}"
least = 1
{cause}
"""


class Claims(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def claim(self, more="", workers=(32, 64), cause="", measure="time"):
        path = self.folder / "L1.toml"
        path.write_text(CLAIM.format(more=more, workers=list(workers), cause=cause, measure=measure))
        return Claim(path)

    def test_full_takes_the_most_workers_that_the_machine_has(self):
        asked = [(machine, at["workers"]) for _, machine, at, *_ in Question(self.claim("full = true"), Evidence(self.folder)).asked]
        self.assertEqual(asked, [("opteron-6276-4s", 64), ("xeon-e5-4s", 32)])
        self.assertEqual(len(Question(self.claim(), Evidence(self.folder)).asked), 3)
        self.assertEqual(self.claim("full = true").settings_on(16), [])

    def test_full_needs_workers_to_choose_from(self):
        path = self.folder / "L2.toml"
        path.write_text(CLAIM.format(more="full = true", workers=32, cause="", measure="time"))
        with self.assertRaisesRegex(Failure, "full chooses"):
            Claim(path)

    def test_simulated_claims_have_no_twins(self):
        evidence = Evidence(self.folder)
        Question(self.claim(), evidence).want()
        trials = {part.place.machine: part.trials for part in evidence.parts()}
        self.assertEqual(trials, {"opteron-6276-4s": 12, "xeon-e5-4s": 6})  # 4 and 2 cells, 3 seeds

    def test_counts_may_be_zero(self):
        self.assertEqual((quotient(6, 2), quotient(1, 0), quotient(0, 0), quotient(0, 1)), (3, math.inf, 1, 0))
        claim = self.claim(measure="steals")
        records = [{0: {"iterations": 1, "counters": [{"steals": n}]}} for n in (2, 0)]
        finding = Finding(claim, claim.needs[0], "xeon-e5-4s", {}, ([], []), [[records[0]], [records[1]]])
        finding.settle_simulated()
        self.assertEqual((finding.verdict, finding.as_json()["median"]), ("holds", None))

    def test_bounds_have_the_measures_unit(self):
        def bounds(text):
            path = self.folder / "L3.toml"
            path.write_text(CLAIM.format(more="", workers=32, cause="", measure="time").partition("[[need]]")[0] + text)
            return Claim(path).needs[0].bounds()
        self.assertEqual(bounds('[[need]]\nvalue = {scheduler = "deque"}\nmeasure = "steals"\nmost = 0'), "at most 0")
        self.assertEqual(bounds('[[need]]\nvalue = {scheduler = "deque"}\nmost = 5'), "at most 5 ns")
        self.assertEqual(bounds('[[need]]\nvalue = {scheduler = "deque"}\nmeasure = "queue-bytes"\nmost = 5'), "at most 5 B")
        self.assertEqual(bounds('[[need]]\nspread = {scheduler = "deque"}\nmost = 5'), "at most 5")

    def test_measures(self):
        worker = {"steal_attempts": 6, "lock_waits": 4}
        record = {"benchmark": "big", "iterations": 2, "warmup": 1, "messages": 10, "workers": 1, "counters": [worker, worker],
                  "simulated": {"transfers": 60}, "hardware": [{"ran_ns": 8}, {"ran_ns": 100}]}
        self.assertEqual([measures.MEASURES[name][0](record) for name in ("attempts", "lock-waits", "transfers", "processor")],
                         [6, 0.4, 2, 4])  # of workers alone, not of the starting thread
        with self.assertRaisesRegex(Failure, "only simulated"):
            measures.transfers({**record, "simulated": None})
        with self.assertRaisesRegex(Failure, "only native"):
            measures.processor({**record, "hardware": None})

    def test_peak_of_memory_is_native(self):
        peak = measures.MEASURES["peak-memory"][0]
        self.assertEqual(peak({"benchmark": "big", "peak_rss_bytes": 4096}), 4096)
        with self.assertRaisesRegex(Failure, "only native"):
            peak({"benchmark": "big", "peak_rss_bytes": None})

    def test_a_peer_that_is_not_there_is_no_mistake(self):
        evidence = Evidence(self.folder)
        peer, place = type(evidence.registry.peer("caf-stealing")), Place("chapter/executor", NATIVE)
        with mock.patch.object(evidence, "plan", lambda _: SimpleNamespace(all_cells=list)):
            with mock.patch.object(peer, "present", lambda _: False):
                self.assertIsNone(evidence.find(self.claim(), place, {"scheduler": "caf-stealing"}))
            with mock.patch.object(peer, "present", lambda _: True), self.assertRaisesRegex(Failure, "no cell"):
                evidence.find(self.claim(), place, {"scheduler": "caf-stealing"})

    def test_causes_are_found_wrong_before_they_run(self):
        self.claim(cause='[[cause]]\nchange = "x"\noverride = [{where = {benchmark = "trapr"}, set = {nonsense = 1}}]')
        done = subprocess.run([ROOT / "scripts/claims", "--plan", "--claims", self.folder, "--folder", self.folder / "results"],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("nonsense", done.stderr)


if __name__ == "__main__":
    unittest.main()
