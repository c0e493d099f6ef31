#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A report shows of each verdict what it rests on, and whether it holds among quiet trials.

AL_BUILD names the build folder."""

import json
import re
import sys
import unittest
from pathlib import Path
from statistics import median
from types import SimpleNamespace
from unittest import mock

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import ACTORLAB, everything, ranks
from support.reporting import Page, Reports, failed, per_message, record

from report import method
from results import findings, numbers
from results.findings import p_value
from results.summary import Summary
from sweep import closing


def adjusted(values):
    """Benjamini and Hochberg's p-values, by their definition."""
    ordered = sorted(values)
    m = len(values)
    return [min(ordered[rank] * m / (rank + 1) for rank in range(m) if ordered[rank] >= value)
            for value in values]


class Everything(Reports):
    html = None  # made once

    def setUp(self):
        super().setUp()
        self.rows = everything.records()
        (self.folder / "sweep.json").write_text(json.dumps(
            {"name": "everything", "baseline": "one", "margin_percent": 5}))
        if Everything.html is None:
            self.made(self.rows, config=everything.CONFIG)
            Everything.html = (self.folder / "report.html").read_text()
        self.page = Page(Everything.html)

    def times(self, workload, strategy, workers, twin=False):
        """By block."""
        return np.array([value for row in self.rows for value in per_message([row])
                         if (row["benchmark"], row["scheduler"], row["workers"]) ==
                         (workload, strategy, workers) and bool(row["sweep"].get("twin")) == twin])

    def pairs(self):
        """(workload, strategy, workers) -> the times of a cell and of its baseline, by block."""
        return {(workload, strategy, workers): (self.times(workload, strategy, workers),
                                                self.times(workload, "one", workers))
                for workload, costs in everything.COSTS.items() for strategy in costs
                if strategy != "one" for workers in (1, 2)}

    def test_ratios(self):
        """p and interval beside each verdict, as the records have them."""
        pairs = self.pairs()
        found = adjusted([ranks.paired(*both)[3] for both in pairs.values()])
        rejected, m = sum(p <= 0.05 for p in found), len(found)
        level = 1 - 0.05 * rejected / m
        self.assertTrue(0 < rejected < m)
        head = f"{100 * level:.4g}% interval"
        rows = {(work, strategy, int(workers)): row for work, strategy, workers, *row in self.page.rows(
            "ratios", "workload", "scheduler", "workers", "÷ one", head, "p", "verdict")}
        seen = set()
        for (key, both), p in zip(pairs.items(), found):
            estimate, low, high, _ = ranks.paired(*both, level)
            shown, interval, shown_p, verdict = rows[key]
            near = ranks.paired(*both, 0.9)[1:3]
            expected = "faster" if estimate < 1 else "slower"
            if 1 / 1.05 <= near[0] and near[1] <= 1.05:
                expected = "equivalent"
            elif p > 0.05:
                expected = "inconclusive"
            self.assertEqual(verdict.partition(" (+")[0], expected, key)
            self.assertEqual(shown_p, p_value(p))
            self.assertEqual(float(shown), float(f"{estimate:.3g}"))
            self.assertEqual([float(end) for end in interval.split(" – ")],
                             [float(f"{end:.3g}") for end in (low, high)])
            self.assertEqual(bool(re.search(r" \(\+[0-9,]+\)$", verdict)), expected == "inconclusive")
            seen.add(expected)
        self.assertEqual(seen, {"faster", "slower", "equivalent", "inconclusive"})
        self.assertIn(f"{m} comparisons with one: ", self.page.text)
        self.assertIn(f"{rejected} of {m} comparisons differ from 1, so the intervals there have a level of "
                      f"{100 * level:.4g}% instead of 95%", self.page.text)

    def test_quiet(self):
        """One strategy only seems slower, because hand-offs were."""
        rows = self.page.rows("ratios", "workload", "scheduler", "verdict", "quiet")
        quiet = everything.BLOCKS - len(everything.LOUD)
        changed = [row for row in rows if row[3].startswith("✗")]
        # Where the quiet blocks have another ratio, it follows.
        self.assertEqual(changed, [("ring", "three", "slower", f"✗ {quiet} equivalent, {numbers.significant(self.quiet_ratio(workers))}")
                                   for workers in (1, 2)])
        self.assertEqual(sum(row[3].partition(",")[0] == f"✓ {quiet}" for row in rows), 14)
        undecided = [row for row in rows if row[3] == f"? {quiet}"]
        self.assertEqual([row[:2] for row in undecided], 2 * [("tree", "three")])
        for row in undecided:
            self.assertTrue(row[2].startswith("inconclusive"))
        for workers in ("1 worker", "2 workers"):
            self.assertIn(f"ring, three, {workers}: slower, but equivalent in {quiet} quiet blocks",
                          self.page.text)
        self.assertIn("14 hold in the quiet blocks alone; 2 change.", self.page.text)

    def quiet_ratio(self, workers):
        one, three = ({row["sweep"]["block"]: row["time_ns"] for row in self.rows
                       if row["benchmark"] == "ring" and row["scheduler"] == name and row["workers"] == workers
                       and not row["sweep"].get("twin")} for name in ("one", "three"))
        return ranks.estimate([np.median(three[block]) / np.median(one[block]) for block in one if block not in everything.LOUD])

    def test_handoffs(self):
        rows = self.page.rows("handoffs", "workers", "median", "lower quartile", "limit", "trials", "quiet")
        self.assertEqual([row[0] for row in rows], ["1", "2"])
        for workers, *numbers in rows:
            times = [row["handoff"]["median_ns"] for row in self.rows if row["workers"] == int(workers)]
            quartile = np.quantile(times, 0.25)
            loud = sum(row["sweep"]["block"] in everything.LOUD for row in self.rows
                       if row["workers"] == int(workers))
            for shown, value in zip(numbers, (median(times), quartile, 1.25 * quartile)):
                self.assertAlmostEqual(float(shown), value, delta=0.051)
            self.assertEqual(numbers[3:], [str(len(times)), str(len(times) - loud)])

    def test_hardware(self):
        """Per message; what no record has is named."""
        heads = [text for text, _ in self.page.tables["hardware"][0]]
        self.assertEqual([head for head in heads if head.replace(" ", "_") in
                          ("cycles", "instructions", "cache_misses", "context_switches", "page_faults")],
                         ["cycles", "instructions", "context switches", "page faults"])
        self.assertIn("Not in the records: cache misses.", self.page.text)
        for (_, value), key in zip(self.page.column("hardware", "cycles"),
                                   self.page.rows("hardware", "workload", "scheduler", "workers")):
            found = [sum(thread["cycles"] for thread in row["hardware"]) for row in self.rows
                     if (row["benchmark"], row["scheduler"], str(row["workers"])) == key
                     and not row["sweep"].get("twin")]
            self.assertAlmostEqual(value, median(found) / 1000 / 5)

    def test_warm_up(self):
        unsteady = sum(block % 4 == 0 for block in range(everything.BLOCKS))
        self.assertEqual(self.page.rows("unsteady", "workload", "strategy", "workers", "not steady", "n"),
                         [("tree", "two", workers, str(unsteady), "15") for workers in "12"])
        self.assertIn("2 cells not in a steady state", self.page.text)

    def test_pointed_at(self):
        """The tooltip has the ratio and its verdict."""
        data = re.search(r'<script[^>]*type="application/json"[^>]*>(.*?)</script>', self.html, re.S)
        found = json.loads(data[1])
        told = {cell[0]: dict(cell[6]) for cell in found["cells"]}
        self.assertEqual(told["ping, one, 1 worker"], {})
        row = dict(zip(self.page.rows("ratios", "workload", "scheduler", "workers"),
                       self.page.rows("ratios", "÷ one", "p")))
        ratio, p = row["ping", "two", "1"]
        self.assertTrue(told["ping, two, 1 worker"]["÷ one"].startswith(f"{ratio} ("))
        self.assertEqual(told["ping, two, 1 worker"]["verdict"], f"faster, p {p}")

    def test_on_a_terminal(self):
        self.write(self.rows, everything.CONFIG)
        lines = list(closing.remarks(Summary(ACTORLAB, self.folder / "records.jsonl")))
        self.assertRegex("\n".join(lines), "(?m)^18 comparisons with one: 4 faster, 8 slower, 4 equivalent, 2 "
                                    r"inconclusive \(up to [0-9]+ more blocks\)$")
        self.assertIn("not in a steady state: 4 of 15 processes of tree two workers=1", lines)


class Winners(Reports):
    def test_not_by_medians(self):
        """A strategy that only ran in fast blocks has the smaller median, and is slower."""
        drift = [1, 1.01, 1.02, 1.01, 1, 1.02, 1.01, 1, 3, 3.1, 3.2, 3.3, 3.2, 3.1, 3]
        rows = [record("inverted", block=block, time=round(100_000 * slow)) for block, slow in enumerate(drift)]
        rows += [record("deque", block=block, time=round(120_000 * slow)) for block, slow in enumerate(drift) if slow < 2]
        rows += [record("las", block=block, time=round(500_000 * slow)) for block, slow in enumerate(drift)]
        rows = [row for row in rows if row["scheduler"] != "inverted" or row["sweep"]["block"] > 0]
        page = self.made(rows)
        medians = dict(page.rows("times", "scheduler", "ns/message"))
        numbers = {name: float(text.replace(",", "")) for name, text in medians.items()}
        self.assertLess(numbers["deque"], numbers["inverted"])
        self.assertEqual(page.rows("winners", "fastest", "next", "verdict"), [("inverted", "deque", "faster")])

    def test_failed_trials(self):
        """Those of half of the blocks, of the baseline and of another strategy: ratios of 0 and of
        infinity are shown and drawn."""
        rows = [record(name, workers, block, 100_000 * cost + 70 * block + workers) for block in range(20)
                for workers in (1, 2) for name, cost in (("inverted", 2), ("deque", 3), ("las", 1))]
        lost = {("las", 1): range(10), ("las", 2): range(17), ("inverted", 2): range(17), ("deque", 2): range(3)}
        rows = [failed("timeout", scheduler=row["scheduler"], workers=row["workers"], block=row["sweep"]["block"])
                if row["sweep"]["block"] in lost.get((row["scheduler"], row["workers"]), ()) else row for row in rows]
        page = self.made(rows, drawn=True, config='[sweep]\nbaseline = "inverted"\n[axes]\nworkers = [1, 2]\n')
        found = {row[:2]: row[2:] for row in page.rows("ratios", "scheduler", "workers", "÷ inverted", "verdict")}
        self.assertEqual(found["las", "1"][0], "∞")
        self.assertRegex(found["las", "1"][1], r"^inconclusive, 10 of 20 failed")
        self.assertEqual(found["deque", "2"], ("0", "faster, 3 of 20 failed, of the other 17 of 20"))
        self.assertRegex(found["las", "2"][1], "^[a-z]+, 17 of 20 failed, of the other 17 of 20")
        self.assertEqual(page.rows("winners", "workers", "fastest")[0], ("1", "inverted, las: not told apart"))

    def test_several(self):
        """Names of all that are not told apart."""
        known = {"alpha": (100, 100.2, 150), "beta": (150, 100, 200)}
        rows = [record(name, block=block, benchmark=benchmark, time=round(1000 * cost * (1 + 0.001 * (block % 3))))
                for block in range(10) for benchmark, costs in known.items()
                for name, cost in zip(("inverted", "deque", "las"), costs)]
        page = self.made(rows)
        self.assertEqual(page.rows("winners", "fastest", "next"),
                         [("inverted, deque: not told apart", "deque"), ("deque", "inverted")])

    def test_looks(self):
        """An adaptive sweep says after how many blocks it looked, and what that costs."""
        (self.folder / "sweep.json").write_text(json.dumps({"name": "looks", "looks": [10, 20]}))
        page = self.made([record(name, block=block, time=1000 + block) for block in range(10)
                          for name in ("inverted", "deque")])
        self.assertIn("It looked only after 10 blocks, as planned (the last one would be after 20), and", page.text)
        self.assertIn("Equivalent, if the 95% interval lies", page.text)
        self.assertNotIn("1 comparisons", page.text)
        self.assertNotIn("instead of 95%", page.text)
        self.assertIn("this one, after 10 blocks, 50% of it.", page.text)
        (self.folder / "sweep.json").unlink()
        self.assertNotIn("It looked", self.made([record(block=0)]).text)

    def test_looks_reached(self):
        """Only the looks that have been reached are named, and the one that is due."""
        def told(at):
            return method.looks({"planned": [10, 15, 30], "at": at, "share": 0.5})

        self.assertIn("Its first look is planned after 10 blocks, and each look", told(3))
        self.assertIn(": the next one, after 10 blocks, 50% of it.", told(3))
        self.assertIn("only after 10 blocks, as planned (the last one would be after 30), and", told(12))
        self.assertIn(": the next one, after 15 blocks, ", told(12))
        self.assertIn("only after 10, 15 and 30 blocks, as planned, and", told(30))
        self.assertIn(": this one, after 30 blocks, ", told(31))

    def test_grammar_of_numbers(self):
        """Numbers of one."""
        def words(*more):
            pairs = {n: {"base": 9, "verdict": "inconclusive", "more_blocks": blocks} for n, blocks in enumerate(more)}
            family = SimpleNamespace(pairs=pairs, m=len(more), rejected=1, level=0.97)
            summary = SimpleNamespace(families={"baseline": family}, first_binary="old", cells=[], groups=[], strategies=[])
            with mock.patch.object(findings, "baseline_of", lambda _: "old"):
                return findings.tally(summary), method.of_many(family)

        self.assertEqual(words(1), ("1 comparison with old: 0 faster, 0 slower, 0 equivalent, 1 inconclusive "
                                    "(up to 1 more block)", ""))
        tally, level = words(2, None)
        self.assertIn("(1 of them needs up to 2 more blocks)", tally)
        self.assertIn(" 1 of 2 comparisons differs from 1, so the intervals there have a level of 97%", level)

    def test_many_that_had_not_warmed_up(self):
        cells = [{"unsteady": 1, "n": 1, "doubts": []}] * 9
        machine = SimpleNamespace(cells=cells, alike=[], baseline=None, families={"baseline": SimpleNamespace(pairs={})},
                                  name=lambda _: "b workers=1", headline="", overlap=None,
                                  disturbance={"warning": None, "text": None})
        lines = list(closing.remarks(machine))
        self.assertEqual([lines[0], lines[-1]], ["not in a steady state: 1 of 1 process of b workers=1",
                                                 "not in a steady state: 1 more cell"])

    def test_builds(self):
        """Each cell is compared with that of the first build."""
        rows = [record(name, block=block, benchmark=benchmark, binary=build,
                       time=round(100_000 * cost * factor * (1 + 0.001 * (block * 7 % 5))))
                for block in range(12) for benchmark, factor in (("alpha", 1), ("beta", 2))
                for build, cost in (("old", 1), ("new", 0.8)) for name in ("inverted", "deque")]
        for row in rows:
            row["environment"] = row["environment"] | {"binary_hash": row["binary"]}
        (self.folder / "sweep.json").write_text(json.dumps(
            {"name": "builds", "axes": {"scheduler": ["inverted", "deque"], "binary": ["old", "new"]}}))
        page = self.made(rows, config='[axes]\nscheduler = ["inverted", "deque"]\nbinary = ["old", "new"]\n')
        shown = page.rows("ratios", "scheduler", "binary", "÷ old", "verdict")
        self.assertEqual(len(shown), 8)
        for _, build, ratio, verdict in shown:
            self.assertEqual((ratio, verdict), ("1", "baseline") if build == "old" else ("0.800", "faster"))
        self.assertIn("that of old, the first build,", page.text)
        self.assertIn("4 comparisons with old: 4 faster, 0 slower", page.text)


if __name__ == "__main__":
    unittest.main()
