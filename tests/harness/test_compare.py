#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`actorlab compare` on small files of records that are known to be equal, slower, or too few.

AL_STATISTICS names the program built from tests/harness/statistics_answers.c."""

import json
import sys
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import ranks
from support.comparing import Case, cell, random, times


class Verdicts(Case):
    def test_within_a_sweep(self):
        """Drift of 30% that blocks share hides no difference of 20%, and makes none where there is
        none."""
        for n in (10, 15):
            with self.subTest(n=n):
                drift = np.linspace(1, 1.3, n)
                path = self.write("records", cell(times(n, drift=drift), victim="none"),
                                  cell(times(n, drift=drift), victim="random"),
                                  cell(times(n, 1.2e6, drift=drift), victim="longest"),
                                  cell(times(n, 0.8e6, drift=drift), victim="nearest"),
                                  cell(1.03e6 * drift * np.resize([1.06, 0.94], n), victim="hierarchical"))
                result = self.compare(path, "--against", "victim=none")
                rows = {row["victim"]: row for row in result["comparisons"]}
                self.assertEqual({victim: row["verdict"] for victim, row in rows.items()}, {
                    "random": "equivalent", "longest": "slower", "nearest": "faster", "hierarchical": "inconclusive"})
                self.assertTrue(all(row["paired"] and row["n"] == n for row in rows.values()))
                self.assertLess(abs(rows["longest"]["ratio"]["median"] - 1.2), 0.02)
                self.assertEqual(rows["longest"]["differs"], {"victim": ["none", "longest"]})
                self.assertEqual([row["more_blocks"] is None for row in rows.values()],
                                 [row["verdict"] != "inconclusive" for row in rows.values()])
                self.assertGreater(rows["hierarchical"]["more_blocks"], 0)

    def test_by_the_book(self):
        """Estimate, interval and p-value of a family, with ties and without."""
        for n in (1, 2, 5, 6, 9, 10, 20):
            for spread in (0.0001, 0.05):
                base, others = times(n, 1e4, spread), [times(n, 1.01e4, spread) for _ in range(4)]
                path = self.write("records", cell(base, victim="none"),
                                  *(cell(other, victim=f"v{k}") for k, other in enumerate(others)))
                result = self.compare(path, "--against", "victim=none")
                family, rows = result["family"], result["comparisons"]
                at = lambda values: np.round(100 * values) / 100
                told = [ranks.paired(at(other), at(base), family["level"]) for other in others]
                p = [one[3] for one in told]
                np.testing.assert_allclose([row["p"] for row in rows], p, rtol=1e-11)
                adjusted = benjamini_hochberg(p)
                np.testing.assert_allclose([row["p_bh"] for row in rows], adjusted, rtol=1e-11)
                self.assertEqual((family["m"], family["rejected"]), (4, sum(q <= 0.05 for q in adjusted)))
                self.assertAlmostEqual(family["level"], 1 - 0.05 * max(1, family["rejected"]) / 4, places=12)
                for row, (estimate, low, high, _) in zip(rows, told):
                    shown = row["ratio"]
                    np.testing.assert_allclose(shown["median"], estimate, rtol=1e-12)
                    if low == 0:
                        self.assertEqual((shown["low"], shown["high"]), (None, None))
                    else:
                        np.testing.assert_allclose([shown["low"], shown["high"]], [low, high], rtol=1e-12)
                        self.assertGreaterEqual(shown["achieved"], family["level"] - 1e-12)
                    # Nothing contradicts anything else.
                    excludes = low > 1 or high < 1
                    self.assertEqual(excludes, row["p_bh"] <= 0.05)

    def test_slow_processes(self):
        """Two processes of ten that were four times slower hide no ratio of 2.2, wherever they
        are."""
        for block in range(9):
            slow = np.ones(10)
            slow[[block, block + 1]] = 4
            path = self.write("records", cell(times(10) * slow[::-1], victim="none"),
                              cell(times(10, 2.2e6) * slow, victim="random"))
            row, = self.compare(path, "--against", "victim=none")["comparisons"]
            self.assertEqual(row["verdict"], "slower")

    def test_too_few(self):
        """With fewer than six blocks no verdict is possible, and the missing number is shown."""
        for n in range(1, 6):
            path = self.write("records", cell(times(n), victim="none"), cell(times(n, 5e6), victim="random"))
            row, = self.compare(path, "--against", "victim=none")["comparisons"]
            self.assertEqual((row["verdict"], row["p"], row["more_blocks"]), ("inconclusive", 2 ** (1 - n), 6 - n))
            self.assertEqual((row["ratio"]["low"], row["ratio"]["high"]), (None, None))
        once = self.write("once", cell(times(1)))
        row, = self.compare(once, once)["comparisons"]
        self.assertEqual((row["verdict"], row["p"], row["p_bh"]), (None, None, None))

    def test_traced(self):
        old = self.write("old", cell(times(6)))
        new = self.write("new", cell(times(6)), cell(times(6, 5e6), trace="t.json"))
        done = self.run_it(old, new, "--json")
        row, = json.loads(done.stdout)["comparisons"]
        self.assertEqual(row["cell"]["n"], 6)
        self.assertIn(f"{new}: left out 6 traced runs, the first in line 7", done.stderr)
        alone = self.write("alone", cell(times(6), trace="t.json"))
        self.assertIn("no cell has values in both", self.run_it(old, alone, code=2).stderr)

    def test_margin(self):
        """A sure difference of 1% is of no interest by default, and is where half a percent is."""
        path = self.write("records", cell(times(8, spread=0.0001), victim="none"),
                          cell(times(8, 1.01e6, 0.0001), victim="random"))
        for margin, verdict in (("0.02", "equivalent"), ("0.005", "slower")):
            result = self.compare(path, "--against", "victim=none", "--margin", margin)
            self.assertEqual(result["margin_percent"], 100 * float(margin))
            self.assertEqual(result["comparisons"][0]["verdict"], verdict)
        self.assertEqual(self.compare(path, "--against", "victim=none")["margin_percent"], 5)

    def test_twins(self):
        """They belong to no cell, veto nothing, and tell whether equal cells differ too often."""
        twin = cell(times(10, 1.3e6), victim="none", sweep={"twin": True})
        cells = [cell(times(10), victim="none"), cell(times(10, 1.15e6), victim="random")]
        path, without = self.write("records", *cells, twin), self.write("without", *cells)
        result, expected = (self.compare(file, "--against", "victim=none") for file in (path, without))
        self.assertEqual(result["comparisons"], expected["comparisons"])
        self.assertEqual([row["verdict"] for row in result["comparisons"]], ["slower"])
        check, = result["twins"]
        self.assertEqual((check["n"], check["differ"], check["too_many"]), (1, 1, False))
        np.testing.assert_allclose([check["expected"], check["chance"]], 2 * [50 / 1024])
        self.assertIn(check["text"] + ".\n", self.run_it(path, "--against", "victim=none").stdout)
        check, = expected["twins"]
        self.assertEqual((check["n"], check["text"]), (0, None))

    def test_number_of_comparisons(self):
        """A difference that is sure by itself is not among fifty, unless others are sure too."""
        base, other = [1e6] * 8, 1e6 * np.exp([0.05, 0.06, 0.01, 0.06, 0.05, 0.06, 0.02, 0.03])
        noise = 1e6 * np.exp([0.1, -0.1, 0.11, -0.11, 0.12, -0.12, 0.13, -0.13])
        alone = self.write("alone", cell(base, victim="none"), cell(other, victim="random"))
        row, = self.compare(alone, "--against", "victim=none", "--margin", "0.01")["comparisons"]
        self.assertEqual((row["verdict"], row["p"]), ("slower", row["p_bh"]))
        for sure, verdict in ((1, "inconclusive"), (40, "slower")):
            many = self.write("many", *(
                records for w in range(50) for records in (
                    cell(base, victim="none", workers=w + 1),
                    cell(other if w < sure else noise, victim="random", workers=w + 1))))
            result = self.compare(many, "--against", "victim=none", "--margin", "0.01")
            rows = result["comparisons"]
            self.assertEqual((len(rows), result["family"]["rejected"]), (50, 0 if sure == 1 else 40))
            self.assertEqual((rows[0]["workers"], rows[0]["verdict"]), (1, verdict))
            np.testing.assert_allclose(rows[0]["p_bh"], 50 * row["p"] / sure, rtol=1e-12)

    def test_planned_looks(self):
        """A sweep that looks twice spends half of what a single look may."""
        other = 1e6 * np.exp([0.05, 0.06, 0.01, 0.06, 0.05, 0.06])
        records = cell([1e6] * 6, victim="none"), cell(other, victim="random")
        path = self.write("records.jsonl", *records)
        for looks, level, verdict in ((None, 0.95, "slower"), ([6, 12], 0.975, "inconclusive"),
                                      ([3, 12], 0.9625, "slower"), ([6], 0.95, "slower")):
            with open(f"{self.folder}/sweep.json", "w", encoding="utf-8") as file:
                json.dump({"looks": looks, "margin_percent": 1}, file)
            result = self.compare(path, "--against", "victim=none")
            self.assertAlmostEqual(result["family"]["level"], level, places=12)
            self.assertEqual((result["comparisons"][0]["verdict"], result["margin_percent"]), (verdict, 1))
        # Blocks count that have trials of all cells, whatever came of them.
        crashed = [{**entry, "time_ns": [], "outcome": "crashed"} for entry in cell(times(4), victim="none", first=6)]
        path = self.write("records.jsonl", *records, crashed, cell(times(2), victim="random", first=6))
        with open(f"{self.folder}/sweep.json", "w", encoding="utf-8") as file:
            json.dump({"looks": [6, 8, 40], "margin_percent": 1}, file)
        result = self.compare(path, "--against", "victim=none")
        self.assertAlmostEqual(result["family"]["level"], 1 - 0.05 * 2 / 40, places=12)
        # The sweep knows better how many blocks have all cells that it still has.
        with open(f"{self.folder}/sweep.json", "w", encoding="utf-8") as file:
            json.dump({"looks": [6, 8, 40], "blocks": 40, "margin_percent": 1}, file)
        family = self.compare(path, "--against", "victim=none")["family"]
        self.assertAlmostEqual(family["level"], 1 - 0.05 * 32 / 40, places=12)
        self.assertAlmostEqual(family["equivalence_level"], 1 - 0.1 * 32 / 40, places=12)

    def test_quiet_stratum(self):
        """The same comparison of those blocks in which a hand-off was quick for both trials."""
        def measured(values, handoffs, **changes):
            return [{**entry, "handoff": {"from": 0, "to": [1], "ns": [ns], "median_ns": ns}} for entry, ns in zip(cell(values, **changes), handoffs)]

        handoffs = np.array([100.0] * 8 + [400] * 20)
        base = times(28)
        other = base * np.where(handoffs < 200, 1.001, 1.5) * times(28, 1)
        far = base * 1.5 * times(28, 1)
        path = self.write("records", measured(base, handoffs, victim="none"),
                          measured(other, handoffs, victim="random"), measured(far, handoffs, victim="longest"))
        rows = {row["victim"]: row for row in self.compare(path, "--against", "victim=none")["comparisons"]}
        quiet = rows["random"]["quiet"]
        self.assertEqual((rows["random"]["verdict"], quiet["n"], quiet["verdict"], quiet["holds"]),
                         ("slower", 8, "equivalent", False))
        self.assertEqual((rows["longest"]["quiet"]["verdict"], rows["longest"]["quiet"]["holds"]), ("slower", True))
        at = handoffs < 200
        expected = ranks.paired(np.round(100 * other)[at], np.round(100 * base)[at])[0]
        np.testing.assert_allclose(quiet["ratio"]["median"], expected, rtol=1e-12)
        # It stands beside the ratio where its interval of the equivalence does not hold that.
        low, high = quiet["equivalence"]["low"], quiet["equivalence"]["high"]
        np.testing.assert_allclose((low, high), ranks.interval(np.round(100 * other)[at] / np.round(100 * base)[at], 0.9))
        self.assertEqual((quiet["differs"], rows["longest"]["quiet"]["differs"]), (True, False))
        self.assertLess(high, rows["random"]["ratio"]["median"])
        shown = self.run_it(path, "--against", "victim=none").stdout
        self.assertRegex(shown, rf"\(quiet: {expected:.4}\d*\) {rows['random']['ratio']['median']:.4} ")
        self.assertEqual(shown.count("(quiet: "), 2)  # the other explains it, in the words of
        self.assertIn("\n(quiet: ...): the ratio of the quiet blocks alone, where its 90% interval does not hold that of all.\n", shown)
        turned, = (row for row in self.compare(path, "--against", "victim=random")["comparisons"] if row["victim"] == "none")
        self.assertTrue(turned["quiet"]["differs"])
        few = np.array([100.0] * 4 + [400] * 24)
        path = self.write("few", measured(base, [100.0] * 28, victim="none"), measured(far, few, victim="random"))
        row, = self.compare(path, "--against", "victim=none")["comparisons"]
        self.assertEqual((row["verdict"], row["quiet"]["n"], row["quiet"]["holds"]), ("slower", 4, None))
        self.assertEqual((row["quiet"]["equivalence"], row["quiet"]["differs"]), ({"low": None, "high": None}, False))
        path = self.write("none", cell(base, victim="none"), cell(far, victim="random"))
        self.assertEqual(self.compare(path, "--against", "victim=none")["comparisons"][0]["quiet"], None)


class Averages(Case):
    def of(self, n):
        """Two workloads in pairs: [(base, cell), …]."""
        return [(times(n, 1e6, 0.02), times(n, factor * 1e6, 0.02)) for factor in (2, 0.6)]

    def write_pairs(self, pairs):
        return self.write("records", *(records for k, (base, other) in enumerate(pairs) for records in (
            cell(base, victim="none", benchmark=f"b{k}"), cell(other, victim="random", benchmark=f"b{k}"))))

    def average(self, path, *more):
        row, = self.compare(path, "--against", "victim=none", *more)["averages"]
        self.assertEqual((row["benchmarks"], row["victim"], row["ratio"]["n"]), (["b0", "b1"], "random", 2))
        return [row["ratio"][key] for key in ("median", "low", "high")]

    def test_by_the_book(self):
        """Each workload is resampled for itself. Resampled together, workloads of the same ratios
        would not average out."""
        for n in (6, 12):
            pairs = self.of(n)
            logs = [np.log(np.round(100 * b) / np.round(100 * a)) for a, b in pairs]
            resampled = [[np.median(ranks.walsh(x[drawn])) for drawn in random.integers(0, n, (2000, n))] for x in logs]
            expected = np.exp(np.quantile(np.mean(resampled, axis=0), [0.025, 0.975]))
            ours = self.average(self.write_pairs(pairs))
            np.testing.assert_allclose(ours[0], np.exp(np.mean([np.median(ranks.walsh(x)) for x in logs])), rtol=1e-12)
            np.testing.assert_allclose(ours[1:], expected, rtol=0.006)

    def test_across_files(self):
        pairs = self.of(12)
        old = self.write("old", *(cell(a, benchmark=f"b{k}") for k, (a, _) in enumerate(pairs)))
        new = self.write("new", *(cell(b, benchmark=f"b{k}") for k, (_, b) in enumerate(pairs)))
        row, = self.compare(old, new)["averages"]
        expected = np.exp(np.mean([np.log(np.median(b) / np.median(a)) for a, b in pairs]))
        np.testing.assert_allclose(row["ratio"]["median"], expected, rtol=1e-6)
        self.assertIn("mean of 2", self.run_it(old, new).stdout)


def benjamini_hochberg(p):
    order = np.argsort(p)
    raised = np.asarray(p)[order] * len(p) / np.arange(1, len(p) + 1)
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(1, np.minimum.accumulate(raised[::-1])[::-1])
    return adjusted


def records_of(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


class Sessions(Case):
    """A machine drifts between two runs of a sweep by more than cells differ."""

    def measured(self, scheduler, session, first, drift):
        """Sixty workloads in ten blocks of a session."""
        return [{**entry, "schema_version": 2, "trial": random.bytes(16).hex()} for k in range(60)
                for entry in cell(times(10, 1e6, 0.01, drift), first=first, scheduler=scheduler, benchmark=f"b{k}",
                                  sweep={"session": f"{session:016x}"})]

    def test_no_pairs_across_sessions(self):
        """Equal cells, measured in blocks of the same numbers by two sessions that differ by 3%."""
        apart = [self.measured("one", 1, 0, 1), self.measured("two", 2, 0, 1.03)]
        path = self.write("apart", *apart)
        self.assertEqual(self.compare(path, "--against", "scheduler=one")["comparisons"], [])
        self.assertIn("measured in other sessions only", self.run_it(path, "--against", "scheduler=one").stdout)
        # A resume adds blocks that have both.
        path = self.write("resumed", *apart, self.measured("one", 2, 10, 1.03), self.measured("two", 2, 10, 1.03))
        rows = self.compare(path, "--against", "scheduler=one")["comparisons"]
        self.assertEqual([row["n"] for row in rows], [10] * 60)
        self.assertLessEqual(sum(row["verdict"] in ("faster", "slower") for row in rows), 3)

    def in_sessions(self, name, factors, **changes):
        """A file with a session for each factor, of seven blocks."""
        return self.write(name, *(
            [{**entry, "schema_version": 2, "trial": random.bytes(16).hex()} for entry in cell(
                times(7, 1e6 * factor, 0.01), first=7 * k, sweep={"session": f"{k + 1:016x}"}, **changes)]
            for k, factor in enumerate(factors)))

    def test_two_files(self):
        """A session is one value, its median, and there must be four on either side."""
        drift = (1, 1.03, 0.97, 1.01)
        old, new = self.in_sessions("old", drift), self.in_sessions("new", np.array(drift) * 1.3)
        row, = self.compare(old, new)["comparisons"]
        medians = [[np.median([entry["time_ns"][0] for entry in lines if entry["sweep"]["session"] == f"{k:016x}"])
                    for k in range(1, 5)] for lines in map(records_of, (new, old))]
        estimate, low, high, p = ranks.independent(*medians)
        np.testing.assert_allclose([row["ratio"][key] for key in ("median", "low", "high")], [estimate, low, high],
                                   rtol=1e-12)
        np.testing.assert_allclose(row["p"], p, rtol=1e-12)
        self.assertEqual((row["paired"], row["n"], row["verdict"]), (False, 4, "slower"))
        self.assertEqual(self.compare(new, old)["comparisons"][0]["verdict"], "faster")
        for fewer in (self.in_sessions("three", drift[:3]), self.write("one", cell(times(40)))):
            row, = self.compare(fewer, new)["comparisons"]
            self.assertEqual((row["verdict"], row["p"], row["ratio"]["low"]), (None, None, None))
            self.assertIn("1 without a verdict: sessions drift apart", self.run_it(fewer, new).stdout)
            done = self.run_it(fewer, new, "--fail-on-regression", code=2)
            self.assertIn("valid: 4 of each", done.stderr)
            self.assertEqual((done.stdout, done.stderr.count("\n")), ("", 1))

    def test_only_shared_sessions(self):
        """Cells without blocks in common are compared by what sessions measured that have both."""
        def of(session, factor, first, **changes):
            return [{**entry, "schema_version": 2, "trial": random.bytes(16).hex()} for entry in cell(
                times(8, 1e6 * factor), first=first, sweep={"session": f"{session:016x}"}, **changes)]

        path = self.write("records", of(1, 1, 0, victim="none"), of(1, 1, 10, victim="random"),
                          of(2, 3, 20, victim="random"))
        row, = self.compare(path, "--against", "victim=none")["comparisons"]
        self.assertEqual((row["paired"], row["n"], row["verdict"]), (False, 8, "equivalent"))

    def test_sessions_of_a_cell(self):
        """A gate on two files needs four of each cell, not of each file."""
        old, new = (self.write(name, *(
            [{**entry, "schema_version": 2, "trial": random.bytes(16).hex()} for entry in cell(
                times(5, 1e6 * factor), first=9 * k, workers=1 + (k % 2), sweep={"session": f"{k + 1:016x}"})]
            for k in range(4))) for name, factor in (("old", 1), ("new", 2)))
        done = self.run_it(old, new, "--fail-on-regression", code=2)
        self.assertRegex(done.stderr, "executor, scheduler inverted, workers 1 has 2 sessions in .* and 2 in .*; valid: 4 of each")

    def test_equal_builds_that_drift(self):
        """Two sweeps of one session each give no verdict, however far the machine has drifted; nor
        does the gate fail."""
        old = self.write("old", *(cell(times(10), benchmark=f"b{k}") for k in range(20)))
        new = self.write("new", *(cell(times(10, 1.05e6), benchmark=f"b{k}") for k in range(20)))
        self.assertEqual({row["verdict"] for row in self.compare(old, new)["comparisons"]}, {None})

    def test_version_1(self):
        """Where blocks go back, another session begins."""
        lines = [{**entry, "sweep": {**entry["sweep"], "position": position}} for scheduler, position, factor in (
            ("one", 0, 1), ("two", 1, 1.03)) for entry in cell(times(10, 1e6) * factor, scheduler=scheduler)]
        self.assertEqual(self.compare(self.write("apart", lines), "--against", "scheduler=one")["comparisons"], [])
        together = sorted(lines, key=lambda entry: (entry["sweep"]["block"], entry["sweep"]["position"]))
        row, = self.compare(self.write("together", together), "--against", "scheduler=one")["comparisons"]
        self.assertEqual(row["n"], 10)


if __name__ == "__main__":
    unittest.main()
