#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The numbers in a report are those of the records.

AL_BUILD names the build folder."""

import json
import shutil
import sys
import unittest
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import DEEP, ROOT, ranks
from support.reporting import Reports, per_message

from results.records import superseded

REFERENCE = ROOT / "results" / "reference"


def ratios(above, below):
    """Of two cells, block by block."""
    blocks = {one["sweep"]["block"]: time for one, time in zip(below, per_message(below))}
    return [time / blocks[one["sweep"]["block"]] for one, time in zip(above, per_message(above))]


def counter(name):
    """Per message, of each process that counted it."""
    def of(runs, _):
        each = [sum(thread[name] for thread in run["counters"]) / run["messages"] for run in runs
                if run["counters"]]
        return median(each) if each else None
    return of


def number_of(text):
    return float(text.replace(",", ""))


def bytes_of(text):
    number, unit = text.split()
    return float(number) * {"B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9}[unit]


class Numbers(Reports):
    """Those of reference sweeps, of six blocks and of ten."""

    def check(self, name, keys, blocks=10, workloads=None, whole=False):
        """keys: the heads that tell cells apart. whole: with its figures, by scripts/report, as
        Chromium shows it."""
        self.keys = keys
        records = self.copy(name, blocks, workloads)
        if whole:
            self.assertEqual(self.report(), f"{self.folder}/report.html\n")
            self.page = self.open()
            elements = self.page.elements
            self.assertEqual(elements.count("svg"), elements.count("figure"))
            self.assertGreater(elements.count("figure"), 0)
        else:
            self.page = self.made(records)
        self.check_head(records)
        self.check_cells()
        self.check_baseline()
        rows = self.page.rows("winners", "workload", "workers", "fastest", "next", "next ÷ fastest",
                              "verdict")
        intervals = next(self.page.column("winners", text) for text, _ in self.page.tables["winners"][0]
                         if text.endswith("% interval"))
        for row, (interval, _) in zip(rows, intervals):
            self.check_winner(*row, interval)
        return self.page

    def copy(self, name, blocks, workloads):
        """Copies these blocks of so many workloads, and sorts the records into self.cells."""
        for file in ("records.jsonl", "config.toml", "notes.txt"):
            if (REFERENCE / name / file).exists():
                shutil.copy(REFERENCE / name / file, self.folder)
        path = self.folder / "records.jsonl"
        records = [json.loads(line) for line in path.read_text().splitlines()]
        kept, old = sorted({one["benchmark"] for one in records})[:workloads], superseded(records)
        records = [one for one in records
                   if one["trial"] not in old and one["sweep"]["block"] < blocks and one["benchmark"] in kept
                   and one["options"].get("preset") != "tuned"]  # one `inverted` at each place
        self.write(records)
        self.cells = {}
        for one in records:
            if not one["sweep"].get("twin"):
                known = {**one, **one["options"], "workload": one["benchmark"]}
                if known["scheduler"] == "engines":  # its former name
                    known["scheduler"] = "mercury"
                key = tuple(str(known.get(key, "")) for key in self.keys)
                self.cells.setdefault(key, []).append(one)
        return records

    def check_head(self, records):
        twins = sum(bool(one["sweep"].get("twin")) for one in records)
        apart = f"{twins} of them for the A/A cells, " if twins else ""
        each = "; ".join(f"{warmup} warm-up{'s' * (warmup != 1)} and 1 measured iteration each"
                         for warmup in sorted({one["warmup"] for one in records}))
        self.assertIn(f"Processes{len(records):,} processes, {apart}{each}; all ended well", self.page.text)

    def check_cells(self):
        """Every number in the tables of cells."""
        self.same("times", "ns/message", lambda runs, _: median(per_message(runs)), 4)
        self.same("times", "n", lambda runs, _: len(runs), 9)
        self.same("memory", "peak",
                  lambda runs, _: median(run["peak_rss_bytes"] for run in runs), 3, bytes_of)
        for head, key in (("in queues", "queue_bytes"), ("most in queues", "queue_peak_bytes")):
            self.same("memory", head, lambda runs, _: None if key not in runs[0].get("memory", {}) else median(
                run["memory"][key] for run in runs), 3, bytes_of)
        self.same("counters", "gulps", counter("gulps"), 2)
        self.same("counters", "steal attempts", counter("steal_attempts"), 2)
        self.same("ratios", "÷ inverted",
                  lambda runs, key: ranks.estimate(ratios(runs, self.cells[self.baseline(key)])), 3)

    def same(self, table, head, expected, digits, scale=number_of):
        """expected: of the records of a cell, and its key; None is not known."""
        shown = dict(zip(self.page.rows(table, *self.keys), self.page.column(table, head)))
        self.assertEqual(set(shown), set(self.cells))
        for key, (text, value) in shown.items():
            wanted = expected(self.cells[key], key)
            if wanted is None:
                self.assertEqual(text, "–", (key, head))
                continue
            self.assertAlmostEqual(value, wanted, delta=1e-9 * abs(wanted), msg=(key, head))
            rounding = 0.51 * 10 ** (1 - digits) * abs(wanted)
            self.assertAlmostEqual(scale(text), wanted, delta=rounding, msg=(key, head))

    def beside(self, key):
        """The cells that did the same work with as many workers."""
        work = self.keys.index("workload"), self.keys.index("workers")
        return [other for other in self.cells if all(other[place] == key[place] for place in work)]

    def baseline(self, key):
        (found,) = (other for other in self.beside(key) if other[1] == "inverted")
        return found

    def check_baseline(self):
        verdicts = dict(zip(self.page.rows("ratios", *self.keys), (text for text, _ in self.page.column("ratios", "verdict"))))
        self.assertEqual({key for key, verdict in verdicts.items() if verdict == "baseline"},
                         set(map(self.baseline, self.cells)))

    def check_winner(self, workload, workers, fastest, following, ratio, verdict, interval):
        """The fastest and the next, whatever their medians."""
        cells = {self.named(key): key for key in self.cells if (key[0], key[-1]) == (workload, workers)}
        names = fastest.removesuffix(": not told apart").split(", ")
        self.assertEqual(fastest.endswith(": not told apart"), len(names) > 1)
        # Of several that are not told apart the strategies' names, which may have several cells.
        first = [key for name, key in cells.items() if names[0] in (name, key[1])]
        self.assertNotIn(cells[following], first)
        if len(names) == 1:
            self.assertNotEqual(cells[following][1], first[0][1])
        found = [ranks.estimate(ratios(self.cells[cells[following]], self.cells[key])) for key in first]
        wanted = min(found, key=lambda estimate: abs(estimate - float(ratio)))
        self.assertAlmostEqual(float(ratio), wanted, delta=0.0051 * wanted)
        self.assertGreaterEqual(wanted, 0.98)  # the first is not slower than the next
        verdict, _, more = verdict.partition(" (+")
        self.assertTrue(verdict == "inconclusive" or not more)
        if verdict == "faster":
            self.assertEqual(len(names), 1)
            self.assertGreaterEqual(float(interval.split(" – ")[0]), 1)  # rounded
        elif interval == "unbounded" or float(interval.split(" – ")[0]) <= 1:
            self.assertIn(verdict, ("equivalent", "inconclusive"))

    def named(self, key):
        return " ".join(key[1:-1])

    def test_few_blocks(self):
        self.check_strategies(6, workloads=5)

    def test_ten_blocks_of_strategies(self):
        self.check_strategies(10, workloads=None if DEEP else 3, whole=True)

    def check_strategies(self, blocks, workloads=None, whole=False):
        # Only the strategy deque has several deques.
        self.named = lambda key: " ".join(key[1:3] if key[1] == "deque" else key[1:2])
        self.check("strategies", ("workload", "scheduler", "deque", "workers"), blocks, workloads, whole)

    def test_ten_blocks(self):
        page = self.check("peers", ("workload", "scheduler", "workers"))
        self.assertIn("left out: erlang has no matrix", page.text)
        self.assertIn("\nscripts/setup --peers\n", page.text)
        self.assertIn("scripts/sweep sweep.toml --results results/sweep-again", page.text)
        self.assertIn("the configuration's baseline", page.text)


if __name__ == "__main__":
    unittest.main()
