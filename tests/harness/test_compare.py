#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`actorlab compare` on small files of records that are known to be equal, slower, or too few.

AL_STATISTICS names the program built from tests/harness/statistics_answers.c."""

import json
import sys
import unittest
from pathlib import Path

import numpy as np
import scipy.stats

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support.comparing import Case, cell, random, times


class Verdicts(Case):
    def test_within_a_sweep(self):
        """Drift of 30% that blocks share hides no difference of 20%, and makes none where there is
        none."""
        for n in (5, 10):
            with self.subTest(n=n):
                drift = np.linspace(1, 1.3, n)
                path = self.write("records", cell(times(n, drift=drift), victim="none"),
                                  cell(times(n, drift=drift), victim="random"),
                                  cell(times(n, 1.2e6, drift=drift), victim="longest"),
                                  cell(times(n, 0.8e6, drift=drift), victim="nearest"),
                                  cell(1.03e6 * drift * np.resize([1.1, 0.9], n), victim="hierarchical"))
                result = self.compare(path, "--against", "victim=none")
                rows = {row["victim"]: row for row in result["comparisons"]}
                self.assertEqual({victim: row["verdict"] for victim, row in rows.items()}, {
                    "random": "equivalent", "longest": "slower", "nearest": "faster", "hierarchical": "inconclusive"})
                self.assertTrue(all(row["paired"] and row["ratio"]["n"] == n for row in rows.values()))
                self.assertLess(abs(rows["longest"]["ratio"]["median"] - 1.2), 0.02)
                self.assertEqual(rows["longest"]["differs"], {"victim": ["none", "longest"]})

    def test_too_few(self):
        path = self.write("records", cell(times(1), victim="none"), cell(times(1, 5e6), victim="random"),
                          cell(times(2, 1.2e6, 0.1), victim="longest"))
        rows = self.compare(path, "--against", "victim=none")["comparisons"]
        self.assertEqual([(row["verdict"], row["p"], row["p_holm"]) for row in rows],
                         [("inconclusive", None, None)] * 2)
        once = self.write("once", cell(times(1)))
        self.assertEqual([row["verdict"] for row in self.compare(once, once)["comparisons"]], ["inconclusive"])

    def test_traced(self):
        old = self.write("old", cell(times(6)))
        new = self.write("new", cell(times(6)), cell(times(6, 5e6), trace="t.json"))
        done = self.run_it(old, new, "--json")
        row, = json.loads(done.stdout)["comparisons"]
        self.assertEqual((row["verdict"], row["cell"]["n"]), ("equivalent", 6))
        self.assertIn(f"{new}: left out 6 traced runs, the first in line 7", done.stderr)
        alone = self.write("alone", cell(times(6), trace="t.json"))
        self.assertIn("no cell has values in both", self.run_it(old, alone, code=2).stderr)

    def test_both_must_say_so(self):
        """A p-value does not overrule an interval that holds 1."""
        path = self.write("records", cell([1e6] * 10, victim="none"),
                          cell([0.999e6] * 3 + [1.2e6] * 7, victim="random"))
        row, = self.compare(path, "--against", "victim=none")["comparisons"]
        self.assertLess(row["p_holm"], 0.01)
        self.assertLess(row["ratio"]["low"], 1)
        self.assertEqual(row["verdict"], "inconclusive")

    def test_between_sweeps(self):
        """Blocks of two sweeps are no pairs."""
        for n in (5, 12):
            with self.subTest(n=n):
                old = self.write("old", cell(times(n)), cell(times(n), workers=1), cell(times(n, 1e6, 0.2), workers=4))
                new = self.write("new", cell(times(n, 1.2e6)), cell(times(n), workers=1),
                                 cell(times(n, 1e6, 0.2), workers=4))
                rows = {row["workers"]: row for row in self.compare(old, new)["comparisons"]}
                self.assertEqual({workers: row["verdict"] for workers, row in rows.items()},
                                 {1: "equivalent", 2: "slower", 4: "inconclusive"})
                self.assertFalse(any(row["paired"] for row in rows.values()))
                self.assertEqual(rows[2]["base"]["n"], n)
                self.assertEqual(rows[2]["ratio"]["achieved"], 0.95 if n < 10 else None)
                self.assertEqual(rows[2]["differs"], {})
                self.assertLess(abs(rows[2]["ratio"]["median"] / 1.2 - 1), 0.02)
                self.assertEqual(self.compare(new, old)["comparisons"][1]["verdict"], "faster")

    def test_within_the_noise(self):
        """A sure difference of 1% is none where 2% is noise; and is one where it is not."""
        path = self.write("records", cell(times(8, spread=0.0001), victim="none"),
                          cell(times(8, 1.01e6, 0.0001), victim="random"))
        for noise, verdict in (("2", "equivalent"), ("0.5", "slower")):
            result = self.compare(path, "--against", "victim=none", "--noise", noise)
            self.assertEqual(result["noise"], {"percent": float(noise), "from": "option", "margin_percent": float(noise)})
            self.assertEqual(result["comparisons"][0]["verdict"], verdict)
        self.assertEqual(self.compare(path, "--against", "victim=none")["noise"],
                         {"percent": 2, "from": "default", "margin_percent": 2})

    def test_noise_of_twins(self):
        """The widest A/A interval of either file; twins are compared with nothing else."""
        drift = np.array([1, 1.1, 0.9, 1])
        twin = cell(1e6 * drift * [1, 1.05, 0.95, 1], sweep={"twin": True})
        old = self.write("old", cell(1e6 * drift), twin)
        new = self.write("new", cell(times(4)))
        result = self.compare(old, new)
        logs = np.log([1, 1.05, 0.95, 1])
        low, high = np.exp(scipy.stats.t.interval(0.95, 3, loc=logs.mean(), scale=scipy.stats.sem(logs)))
        np.testing.assert_allclose(result["noise"]["percent"], 100 * max(1 - low, high - 1), rtol=1e-6)
        self.assertEqual(result["noise"]["from"], "aa")
        self.assertEqual([row["base"]["n"] for row in result["comparisons"]], [4])
        self.assertEqual(self.compare(new, old)["noise"], result["noise"])
        self.assertEqual(self.compare(old, new, "--noise", "1")["noise"]["percent"], 1)

    def test_a_loud_machine(self):
        """The wider the A/A interval the less is sure; it makes nothing equivalent."""
        cells = cell(times(3)), cell(times(3), workers=1)
        path = self.write("loud", *cells, cell(times(3, 1e6, 0.2), sweep={"twin": True}))
        result = self.compare(path, path)
        self.assertGreater(result["noise"]["percent"], 10)
        self.assertEqual(result["noise"]["margin_percent"], 0)
        self.assertEqual([row["verdict"] for row in result["comparisons"]], ["inconclusive"] * 2)
        self.assertIn("quieter machine", self.run_it(path, path).stdout)
        self.assertEqual(self.compare(path, path, "--noise", "20")["comparisons"][0]["verdict"], "equivalent")
        slower = self.write("slower", cell(times(3, 1.3e6)), cell(times(3), workers=1))
        result = self.compare(path, slower, "--fail-on-regression", code=4)
        self.assertEqual(result["regressions"], {"percent": result["noise"]["percent"], "count": 0, "loud": True})
        self.assertIn("the machine was too noisy to tell", self.run_it(path, slower, "--fail-on-regression", code=4).stdout)
        slow = self.write("slow", cell(times(3, 9e6)), cell(times(3), workers=1))
        result = self.compare(path, slow, "--fail-on-regression", code=1)
        self.assertEqual(result["regressions"]["count"], 1)
        self.assertEqual(sorted(row["verdict"] for row in result["comparisons"]), ["inconclusive", "slower"])

    def test_drift_between_sweeps(self):
        """What two sweeps differ by is shared by the pairs of one: 4.4% would be slower within one,
        and is not between two."""
        old, new = cell(times(12), victim="none"), cell(times(12, 1.044e6), victim="random")
        twin = cell(times(12, 1.04e6), victim="none", sweep={"twin": True})
        path = self.write("both", old, twin, new)
        row, = self.compare(path, "--against", "victim=none")["comparisons"]
        self.assertEqual(row["verdict"], "slower")
        before = self.write("before", old, twin)
        after = self.write("after", cell(times(12, 1.044e6), victim="none"))
        row, = self.compare(before, after)["comparisons"]
        self.assertEqual((row["verdict"], row["paired"]), ("inconclusive", False))
        row, = self.compare(before, self.write("later", cell(times(12, 1.2e6), victim="none")))["comparisons"]
        self.assertEqual(row["verdict"], "slower")

    def test_number_of_comparisons(self):
        """A difference that is sure by itself is not among fifty, and the p-values are Holm's."""
        pairs = [np.exp(d) for d in ([0.05, 0.06, 0.01, 0.06, 0.05, 0.06, 0.02], [0.1, -0.1, 0.1, -0.1, 0.1, -0.1, 0])]
        base = cell([1e6] * 7, victim="none")
        alone = self.write("alone", base, cell(1e6 * pairs[0], victim="random"))
        row, = self.compare(alone, "--against", "victim=none")["comparisons"]
        self.assertEqual((row["verdict"], row["p"]), ("slower", row["p_holm"]))
        many = self.write("many", base, cell(1e6 * pairs[0], victim="random"), *(
            records for w in range(3, 52) for records in (
                cell([1e6] * 7, victim="none", workers=w), cell(1e6 * pairs[1], victim="random", workers=w))))
        rows = self.compare(many, "--against", "victim=none")["comparisons"]
        self.assertEqual(len(rows), 50)
        self.assertEqual((rows[0]["workers"], rows[0]["verdict"]), (2, "inconclusive"))
        np.testing.assert_allclose(rows[0]["p_holm"], 50 * row["p"], rtol=1e-12)


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

    def test_few(self):
        """Means of logarithms add up, each with its own degrees of freedom."""
        pairs = self.of(5)
        logs = [np.log(np.round(100 * b) / np.round(100 * a)) for a, b in pairs]
        variances = [np.var(x, ddof=1) / 5 / 4 for x in logs]
        df = sum(variances) ** 2 / sum(v ** 2 / 4 for v in variances)
        mean = np.mean([x.mean() for x in logs])
        interval = scipy.stats.t.interval(0.95, df, loc=mean, scale=np.sqrt(sum(variances)))
        np.testing.assert_allclose(self.average(self.write_pairs(pairs)), np.exp([mean, *interval]), rtol=1e-8)

    def test_resampled(self):
        """Each workload for itself. Resampled together, workloads of the same ratios would not
        average out."""
        pairs = self.of(12)
        ratios = [np.round(100 * b) / np.round(100 * a) for a, b in pairs]
        medians = [np.median(x[random.integers(0, 12, (10000, 12))], axis=1) for x in ratios]
        expected = np.exp(np.quantile(np.mean(np.log(medians), axis=0), [0.025, 0.975]))
        ours = self.average(self.write_pairs(pairs))
        np.testing.assert_allclose(ours[0], np.exp(np.mean([np.log(np.median(x)) for x in ratios])))
        np.testing.assert_allclose(ours[1:], expected, rtol=0.004)
        spaced = 1e6 * np.exp(0.02 * scipy.stats.norm.ppf((np.arange(41) + 0.5) / 41))
        low, high = self.average(self.write_pairs([(np.full(41, 1e6), spaced)] * 2))[1:]
        medians = np.median(spaced[random.integers(0, 41, (10000, 41))], axis=1) / 1e6
        alone = np.quantile(medians, [0.025, 0.975])
        self.assertLess(abs((high - low) / (alone[1] - alone[0]) - 0.5 ** 0.5), 0.08)

    def test_across_files(self):
        pairs = self.of(12)
        old = self.write("old", *(cell(a, benchmark=f"b{k}") for k, (a, _) in enumerate(pairs)))
        new = self.write("new", *(cell(b, benchmark=f"b{k}") for k, (_, b) in enumerate(pairs)))
        row, = self.compare(old, new)["averages"]
        expected = np.exp(np.mean([np.log(np.median(b) / np.median(a)) for a, b in pairs]))
        np.testing.assert_allclose(row["ratio"]["median"], expected, rtol=1e-6)
        self.assertLess(row["ratio"]["low"], expected)
        self.assertLess(expected, row["ratio"]["high"])
        self.assertIn("mean of 2", self.run_it(old, new).stdout)


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
        self.assertEqual([row["ratio"]["n"] for row in rows], [10] * 60)
        self.assertLessEqual(sum(row["verdict"] in ("faster", "slower") for row in rows), 3)

    def test_version_1(self):
        """Where blocks go back, another session begins."""
        lines = [{**entry, "sweep": {**entry["sweep"], "position": position}} for scheduler, position, factor in (
            ("one", 0, 1), ("two", 1, 1.03)) for entry in cell(times(10, 1e6) * factor, scheduler=scheduler)]
        self.assertEqual(self.compare(self.write("apart", lines), "--against", "scheduler=one")["comparisons"], [])
        together = sorted(lines, key=lambda entry: (entry["sweep"]["block"], entry["sweep"]["position"]))
        row, = self.compare(self.write("together", together), "--against", "scheduler=one")["comparisons"]
        self.assertEqual(row["ratio"]["n"], 10)


if __name__ == "__main__":
    unittest.main()
