#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""scripts/losses lists where strategies are behind the fastest, and draws how far.

AL_BUILD names the build folder."""

import io
import json
import math
import os
import sys
import unittest
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from unittest.mock import patch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import ACTORLAB
from support.plotting import BLOCKS, Folder, made_up, record

from common.failure import exit_code
from losses import command
from losses.loss import EQUAL, FASTEST, SLOWER, UNDECIDED, losses_of, standings
from losses.page import bound

MACHINE = {"name": "big", "title": "The big one", "hypothetical": False, "model_hash": "0123456789abcdef", "overridden": {},
           "binary_hash": "00000000000000bb"}


def simulated(scheduler, seed, ns):
    return record("alpha", scheduler, 2, 0, ns, engine="sim", machine=MACHINE, seed=seed, sweep={"name": "made-up", "block": seed})


class Losses(Folder):
    def losses(self, *words, code=0):
        """What it prints."""
        out, errors = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(errors), patch.object(sys, "argv", ["losses", *map(str, words)]), \
                patch.dict(os.environ, AL_ACTORLAB=str(ACTORLAB)):
            self.assertEqual(exit_code(command.main), code, errors.getvalue())
        return errors.getvalue() if code else out.getvalue()

    def test_measured(self):
        """Behind is whoever the verdict says to be slower: gamma everywhere, and nobody else."""
        found = list(losses_of(self.summary(), "here"))
        self.assertEqual({(loss.strategy, loss.verdict == SLOWER) for loss in found},
                         {("one", False), ("two", False), ("gamma", True)})
        self.assertEqual(len(found), 2 * 3 * 4 - 1)
        for loss in found:
            self.assertEqual(loss.verdict == FASTEST, loss.strategy == loss.fastest)
            if loss.strategy == "gamma":
                self.assertTrue(80 < loss.low < loss.ratio < loss.high < 100, loss)
        one, gamma = (standings(found)[name]["here"] for name in ("one", "gamma"))
        self.assertEqual((one.cells, one.ahead + one.undecided, one.behind, one.twice), (8, 8, 0, 0))
        self.assertEqual((gamma.cells, gamma.ahead, gamma.behind, gamma.twice), (7, 0, 7, 7))

    def test_names(self):
        """Options that have their defaults are not in them: another sweep, which does not vary
        them, is of the same strategy."""
        def rows(*strategies):
            return [record("alpha", scheduler, 2, block, 100 + block, options=options) for block in range(BLOCKS)
                    for scheduler, options in strategies]

        varied = rows(("deque", {"deque": "locked", "owner": "fifo"}), ("deque", {"deque": "chase-lev", "owner": "fifo"}),
                      ("inverted", {"preset": "chapter"}), ("inverted", {"preset": "tuned"}))
        self.assertEqual({loss.strategy for loss in losses_of(self.summary(varied), "here")},
                         {"deque", "deque chase-lev", "inverted", "inverted preset=tuned"})
        usual = rows(("deque", {"deque": "locked"}), ("inverted", {"preset": "chapter"}))
        self.assertEqual({loss.strategy for loss in losses_of(self.summary(usual), "here")}, {"deque", "inverted"})

    def test_simulated(self):
        """Behind is who all of at least three seeds say is slower by more than 10%, and equal who
        none of them says so of."""
        for ratios, verdict in (((1.2, 1.3, 1.4), SLOWER), ((1.2, 1.3, 1.05), UNDECIDED), ((1.2, 1.3), UNDECIDED),
                                ((1.02, 1.05, 1.03), EQUAL)):
            rows = [simulated("one", seed, 100) for seed in range(len(ratios))]
            rows += [simulated("two", seed, 100 * ratio) for seed, ratio in enumerate(ratios)]
            one, two = losses_of(self.summary(rows), "big")
            self.assertEqual((one.strategy, one.ratio, one.verdict, two.fastest), ("one", 1, FASTEST, "one"))
            self.assertEqual(two.verdict, verdict, ratios)
            self.assertAlmostEqual(two.low, min(ratios))
            self.assertAlmostEqual(two.high, max(ratios))

    def test_failed(self):
        """Who does not end in time is behind, and is the first to be listed: with all of its
        trials, and with some of them."""
        for failing, said in ((lambda row: True, "all trials failed: timeout"), (lambda row: row["sweep"]["block"] > 1, "6 of 8 failed")):
            rows = made_up()
            lost = [row for row in rows if row["benchmark"] == "alpha" and row["scheduler"] == "gamma" and row["workers"] == 2]
            for row in filter(failing, lost):
                row.update(outcome="timeout", time_ns=[])
            gamma = [loss for loss in losses_of(self.summary(rows), "here") if loss.strategy == "gamma"]
            self.assertEqual(len(gamma), 7)
            worst = max(gamma, key=lambda loss: loss.ratio)
            self.assertEqual((worst.workload, worst.workers, worst.ratio, worst.verdict), ("alpha", 2, math.inf, SLOWER))
            self.assertIn(said, worst.failed)
            first = self.losses(self.folder).partition("## gamma\n")[2].splitlines()[5]
            self.assertRegex(first, r"\| `alpha` \| 2 \| measured \| ∞.* \(.+\) \|")

    def test_bounds(self):
        """What nobody can choose is neither listed nor the fastest."""
        rows = made_up()
        self.write(rows + [{**row, "scheduler": "ring", "time_ns": [1000]} for row in rows if row["scheduler"] == "one"])
        printed = self.losses(self.folder)
        self.assertNotIn("ring", printed)
        self.write(rows)
        self.assertEqual(self.losses(self.folder), printed)

    def test_other_measures(self):
        """A workload whose times say nothing is judged by what it measures."""
        rows = []
        for block in range(BLOCKS):
            for scheduler, ns, fairness in (("one", 100, 0.1), ("two", 100, 0.8)):
                for benchmark, costs in (("race", {"fairness": fairness * (1 + block / 1000)}), ("alpha", None)):
                    rows.append(record(benchmark, scheduler, 2, block, ns * (1 + block / 1000), costs=costs))
        self.write(rows)
        self.assertRegex(self.losses(self.folder), r"\| `race`, 1/fairness \| 2 \| measured \| 8\.00 \[[\d., ]+\] \| `two` \|\n")
        self.assertNotIn("`alpha` |", self.losses(self.folder))

    def test_hosts(self):
        """The records of two machines are not one place."""
        rows = made_up()
        for row in rows:
            row["environment"] = {**row["environment"], "cpu": "Other 1", "topology_hash": "u"}
        other = self.folder / "other.jsonl"
        other.write_text("".join(json.dumps(row) + "\n" for row in rows))
        self.write(made_up())
        printed = self.losses(self.folder, other)
        self.assertIn("| `gamma` | measured on Fake 3000 | 7 |", printed)
        self.assertIn("| `gamma` | measured on Other 1 | 7 |", printed)

    def test_bound_of_an_interval(self):
        """It is not rounded to 1 if it is not 1."""
        self.assertEqual([bound(value) for value in (1, 1.004, 0.9996, 1.23456, 25.1)], ["1.00", "1.004", "0.9996", "1.23", "25.1"])

    def test_page(self):
        self.write(made_up())
        page = self.folder / "page.md"
        self.assertEqual(self.losses(self.folder, "--most", "2", "--document", page), f"{page}\n{self.folder / 'page.png'}\n")
        text = page.read_text()
        self.assertIn("![How often each strategy", text)
        self.assertIn("(page.png)", text)
        self.assertIn("Behind in 7 of 7 cells; the 2 in which it is the farthest:", text)
        self.assertRegex(text, r"\nBehind in 0 of 8 cells(, and undecided in \d)?\.\n")
        self.assertIn(f"scripts/losses {self.folder} --most 2 --document {page}\n", text)
        section = text.partition("## gamma\n")[2]
        self.assertRegex(section, r"\| `(alpha|beta)` \| \d\*? \| measured \| \d\d\.\d \[\d\d\.\d, \d\d\.\d\] \| `(one|two)` \|")
        self.assertEqual(section.count("| measured |"), 2)
        printed = self.losses(self.folder, "--most", "2")
        self.assertNotIn("![", printed)
        self.assertEqual(printed.count("| measured |"), text.count("| measured |"))

    def test_nothing(self):
        self.write([row for row in made_up() if row["scheduler"] == "one"])
        self.assertEqual(self.losses(self.folder, code=2),
                         f"{self.folder}: no two strategies did the same work: there is nothing to compare\n")


if __name__ == "__main__":
    unittest.main()
