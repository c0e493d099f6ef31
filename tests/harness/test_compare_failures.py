#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`actorlab compare` where trials failed, or nothing was measured together.

AL_STATISTICS names the program built from tests/harness/statistics_answers.c."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support.comparing import Case, cell, random, times


class Failures(Case):
    def test_failed_trials(self):
        """Half of the trials time out, the rest are faster: not faster, and a regression."""
        def of(failed, victim, factor, outcome="timeout"):
            return [{**row, "time_ns": [], "outcome": outcome} if block in failed else row
                    for block, row in enumerate(cell(times(20, 1e6 * factor), victim=victim))]

        against = "--against", "victim=none", "--fail-on-regression"
        sound = of((), "none", 1)
        result = self.compare(path := self.write("half", sound, of(range(10), "random", 0.8)), *against, code=1)
        row, = result["comparisons"]
        self.assertEqual((row["n"], row["verdict"], row["failed"], row["regression"]), (
            20, "inconclusive", {"cell": 10, "base": 0, "more": True, "text": "10 of 20 failed"}, True))
        self.assertEqual((row["cell"]["n"], row["ratio"]["median"], row["ratio"]["high"]), (10, None, None))
        self.assertAlmostEqual(row["ratio"]["low"], 0.8, delta=0.01)
        self.assertRegex(self.run_it(path, *against, code=1).stdout,
                         r" ∞ +\[0\.8\d*, ∞\] +20 pairs +0\.0\d+ +inconclusive !, 10 of 20 failed \+\d\n")
        # No verdict for who fails more, whatever p is; a few failures move ratios little.
        row, = self.compare(self.write("few", sound, of((3, 7), "random", 0.8)), *against, code=1)["comparisons"]
        self.assertEqual((row["verdict"], row["more_blocks"]), ("inconclusive", None))
        self.assertLess(row["p_bh"], 0.05)
        self.assertAlmostEqual(row["ratio"]["median"], 0.8, delta=0.01)
        # Where both fail nothing is learnt, and both fail as often.
        row, = self.compare(self.write("both", of((3, 7), "none", 1, "crashed"), of((3, 7), "random", 0.8)), *against)["comparisons"]
        self.assertEqual((row["n"], row["verdict"], row["failed"]["text"]), (
            18, "faster", "2 of 20 failed, of the other 2 of 20"))
        row, = self.compare(self.write("base", of(range(16), "none", 1), of((), "random", 1)), *against)["comparisons"]
        self.assertEqual((row["verdict"], row["ratio"]["median"], row["failed"]["text"]), (
            "faster", 0, "none of 20 failed, of the other 16 of 20"))
        row, = self.compare(self.write("missing", sound, of(range(10), "random", 0.8, "missing")), *against)["comparisons"]
        self.assertEqual((row["n"], row["verdict"], row["failed"]), (10, "faster", None))

    def test_all_failed(self):
        """No mistake of whoever asks, and no success either, with a gate or without."""
        def of(victim, outcome):
            return [{**row, "outcome": outcome, "time_ns": row["time_ns"] if outcome == "ok" else []}
                    for row in cell(times(6), victim=victim)]

        for base, own, why in (("crashed", "timeout", "no trial with outcome ok"), ("ok", "timeout", "no trial with outcome ok"),
                               ("crashed", "ok", "no trial with outcome ok to compare with")):
            path = self.write("records", of("none", base), of("random", own))
            for gate in ((), ("--fail-on-regression",)):
                done = self.run_it(path, "--against", "victim=none", *gate, code=1)
                self.assertIn(f"left out: executor, random, workers 2: {why}\n", done.stdout)
                self.assertEqual(done.stderr, "")
        old, new = self.write("old", of("none", "crashed")), self.write("new", of("none", "crashed"))
        self.run_it(old, new, code=1)

    def test_nothing_measured_together(self):
        """A gate that compared nothing has not passed."""
        path = self.write("records", *([{**row, "sweep": {**row["sweep"], "session": f"{session:016x}"}, "schema_version": 2,
                                         "trial": f"{session:016x}{block:016x}"} for block, row in enumerate(cell(times(6), victim=victim))]
                                       for session, victim in enumerate(("none", "random"))))
        self.assertIn("measured in other sessions only", self.run_it(path, "--against", "victim=none").stdout)
        done = self.run_it(path, "--against", "victim=none", "--fail-on-regression", code=4)
        self.assertEqual(done.stderr, "actorlab compare: --fail-on-regression: no two cells were measured together\n")

    def test_failed_trials_of_two_files(self):
        """A session of which half failed is slower than any that ended."""
        def sessions(name, factor, failed):
            return self.write(name, *([
                {**row, "schema_version": 2, "trial": random.bytes(16).hex(), "sweep": {**row["sweep"], "session": f"{session:016x}"},
                 **({"time_ns": [], "outcome": "crashed"} if session in failed and block < 2 else {})}
                for block, row in enumerate(cell(times(4, factor * 1e6)))] for session in range(5)))

        old = sessions("old", 1, ())
        row, = self.compare(old, sessions("broken", 0.5, range(5)), "--fail-on-regression", code=1)["comparisons"]
        self.assertEqual((row["paired"], row["verdict"], row["ratio"]["median"]), (False, "slower", None))
        row, = self.compare(old, sessions("faster", 0.5, ()), "--fail-on-regression")["comparisons"]
        self.assertEqual(row["verdict"], "faster")


if __name__ == "__main__":
    unittest.main()
