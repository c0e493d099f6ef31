#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Groups of cells that run again because the hand-off state changed while they ran."""

import json
import random
import shutil
import subprocess
import sys
import unittest
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import ACTORLAB
from support.sweeping import PAIRED, Bench, Checking

from results import records
from sweep.agenda import Agenda

TEXT = PAIRED.replace("[sweep]", "[sweep]\nrepeats = 0.5")
QUIET, MOVED = 50, 200  # ns


class Repeating(Bench):
    def handoffs(self, *ns):
        """Of each trial in turn; all later ones are quiet."""
        (self.folder / "handoffs").write_text(json.dumps([*ns, QUIET]))

    def kinds(self):
        """Of each trial: its block, whether it is of a repeat, and whether its group runs again."""
        places = (row["sweep"] for row in self.rows())
        return [(place["block"], place.get("repeat", 0), place.get("again", False)) for place in places]

    @staticmethod
    def results_of(name, **given):
        return json.loads(subprocess.run([ACTORLAB, "results", name, "--json"], check=True, stdout=subprocess.PIPE, **given).stdout)

    def counted(self):
        """(values of each cell, how many trials are left out), as actorlab reads the records."""
        found = self.results_of(self.results)
        cells = [cell["ns_per_message"]["n"] for machine in found["machines"] for cell in machine["cells"]]
        return cells, found["sources"][0]["superseded"]


class Again(Repeating):
    def test_at_the_end_of_the_block(self):
        """Its trials replace those of before, which stay in the records."""
        self.handoffs(QUIET, MOVED)
        plan = self.sweep(TEXT, "plan")
        self.assertIn("note: groups whose hand-off state changes run again: up to 4 more trials\n", plan)
        output = self.sweep(TEXT)
        first, again, other = (0, 0, False), (0, 1, False), (1, 0, False)
        self.assertEqual(self.kinds(), [first, (0, 0, True), first, first, again, again, *[other] * 4])
        rows = self.rows()
        self.assertEqual({row["sweep"]["cell"] for row in rows[:2]}, {row["sweep"]["cell"] for row in rows[4:6]})
        self.assertEqual([row["seed"] for row in rows], [1] * 6 + [2] * 4)
        self.assertEqual([row["sweep"].get("supersedes") for row in rows],
                         [None] * 5 + [[row["trial"] for row in rows[:2]]] + [None] * 4)
        self.assertEqual(self.counted(), ([2] * 4, 2))
        piped = self.results_of("-", input=(self.results / "records.jsonl").read_bytes())
        self.assertEqual(piped["machines"][0]["cells"], self.results_of(self.results)["machines"][0]["cells"])
        self.assertIn("the hand-off state changed: 2 trials with", output)
        self.assertIn("[10/10]", output)
        self.assertIn("hand-off state: left out 2 trials of groups that ran again\n", output)
        self.assertRegex(self.sweep(TEXT, "plan"), "8 trials, 10 recorded, 0 to run")
        self.assertEqual(len(self.log("begin")), 10)

    def test_bounded(self):
        """No more than the share of all blocks so far, and each group once in a block."""
        self.handoffs(*[QUIET, MOVED] * 100)
        for share, repeats in ((0, [0, 0, 0]), (0.5, [2, 2, 2]), (0.4, [0, 2, 2]), (1, [4, 4, 4]), (0.1, [0, 0, 0])):
            with self.subTest(share=share):
                self.sweep(TEXT.replace("0.5", str(share)).replace("invocations = 2", "invocations = 3"), "--rerun")
                runs = Counter(kind[:2] for kind in self.kinds())
                self.assertEqual([runs[block, 1] for block in range(3)], repeats)
                self.assertEqual(self.counted(), ([3] * 4, sum(repeats)))

    def test_where_nothing_is_handed_over(self):
        """With one worker, or of a cell alone, there is nothing to repeat."""
        self.handoffs(*[QUIET, MOVED] * 100)
        for text in (TEXT + "workers = [1]\n", TEXT.replace(', "sharing"', "")):
            plan = self.sweep(text, "--rerun", "plan")
            self.assertNotIn("hand-off", plan + self.sweep(text, "--rerun"))
            self.assertNotIn((0, 0, True), self.kinds())

    def test_times_do_not_matter(self):
        """The same hand-offs repeat the same groups, whatever the trials measure."""
        chance, kinds = random.Random(5), []
        ns = [chance.choice((QUIET, MOVED)) for _ in range(80)]
        text = TEXT.replace("invocations = 2", "invocations = 5")
        for factor in ("1", "int.from_bytes(os.urandom(2), 'big')", "'123'[len(state('log')) % 3]"):
            (self.folder / "meanwhile").write_text(f"open(here + '/factor', 'w').write(str(1 + int({factor})))")
            (self.folder / "log").unlink(missing_ok=True)
            self.handoffs(*ns)
            self.sweep(text, "--rerun")
            kinds.append([(row["sweep"]["cell"], *kind) for row, kind in zip(self.rows(), self.kinds())])
        self.assertEqual(kinds[1:], kinds[:1] * 2)
        self.assertGreater(len(kinds[0]), 20)

    def test_failed(self):
        """A failure is not superseded: it would go unnoticed."""
        self.handoffs(*[QUIET, MOVED, MOVED] * 2)
        (self.folder / "meanwhile").write_text(
            "open(here + '/mood', 'w').write('bad' if scheduler == 'sharing' else 'good')")
        text = TEXT.replace('"inverted", ', '"inverted", "central", ').replace(', "beta"', "") + '[set]\nmode = "moody"\n'
        self.sweep(text, code=1)
        self.assertEqual(self.kinds(), [(0, 0, False)] * 3 + [(1, 0, False)] * 3)

    def test_twins_and_precision(self):
        """The twin is one of its group, and a sweep that ends early counts blocks as before."""
        self.handoffs(*[QUIET, MOVED, QUIET] * 100)
        text = TEXT.replace("invocations = 2", "invocations = 30\nprecision = 0.5").replace("twin = false", "twin = true")
        output = self.sweep(text)
        self.assertIn("note: ended after 8 of 30 blocks", output)
        self.assertEqual(Counter(repeat for _, repeat, _ in self.kinds()), {0: 6 * 8, 1: 3 * 8})
        self.assertEqual(self.counted(), ([8] * 4, 24))
        self.assertIn("72 recorded, 0 to run", self.sweep(text, "plan"))

    def test_one_block(self):
        self.handoffs(QUIET, MOVED, MOVED, MOVED, QUIET, QUIET, QUIET, MOVED)
        for block in ("1", "0"):
            self.sweep(TEXT, "--block", block)
        self.assertEqual([(block, repeat) for block, repeat, _ in self.kinds()],
                         [(1, 0)] * 4 + [(1, 1)] * 2 + [(0, 0)] * 4 + [(0, 1)] * 2)
        self.assertIn("12 recorded, 0 to run", self.sweep(TEXT, "plan"))


class Interrupted(Repeating):
    def test_anywhere(self):
        """After whichever record the sweep is killed, the group that was to run again does so whole
        in the next session, and what it measured of it before does not count."""
        for lines in (1, 2, 3, 4, 5, 6, 9):
            with self.subTest(lines=lines):
                (self.folder / "log").unlink(missing_ok=True)
                self.handoffs(QUIET, MOVED)
                self.sweep(TEXT)
                path = self.results / "records.jsonl"
                path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:lines]))
                left = int(self.sweep(TEXT, "plan").rpartition(" to run")[0].rpartition(" ")[2])
                self.sweep(TEXT)
                self.assertEqual(len(self.rows()), lines + left)
                found, _ = records.parse(path)
                whole = records.by_block(found)
                for cell in {row["sweep"]["cell"] for row in self.rows()}:
                    self.assertEqual(sum(cell in cells for cells in whole.values()), 2 + (lines in (1, 3, 7, 9)) * (
                        cell == self.rows()[lines - 1]["sweep"]["cell"]))
                self.assertIn("0 to run", self.sweep(TEXT, "plan"))
                old = records.superseded(found)
                self.assertEqual({row["trial"] for row in self.rows()[:2]} <= old, lines > 1)
                if lines == 5:
                    self.assertIn(self.rows()[4]["trial"], old)
                shutil.rmtree(self.results)


class States(Checking, Repeating):
    def test_as_actorlab_defines_them(self):
        """Which trials were quiet."""
        chance = random.Random(3)
        self.handoffs(*(chance.uniform(QUIET, MOVED) for _ in range(20)))
        text = TEXT.replace("repeats = 0.5", "repeats = 0").replace("invocations = 2", "invocations = 5")
        self.sweep(text)
        cells = self.results_of(self.results)["machines"][0]["cells"]
        expected = {ns: quiet for cell in cells for ns, quiet in zip(cell["handoff_ns"], cell["quiet"])}
        self.assertEqual((len(expected), set(expected.values())), (20, {False, True}))
        found, _ = records.parse(self.results / "records.jsonl")
        repeats = Agenda(self.plan(TEXT), found).repeats
        self.assertEqual({record["handoff"]["median_ns"]: repeats.is_quiet(record) for record in found}, expected)


if __name__ == "__main__":
    unittest.main()
