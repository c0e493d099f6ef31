#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Statistics against scipy.

AL_STATISTICS names the program built from tests/harness/statistics_answers.c."""

import sys
import types
import unittest
import warnings
from pathlib import Path

import numpy as np
import scipy.special
import scipy.stats

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support.recording import ask


def data_sets():
    random = np.random.default_rng(20261121)
    for n in (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 16, 25, 40, 101, 500, 1000):
        yield f"normal {n}", random.normal(100, 5, n)
        yield f"times {n}", np.floor(random.lognormal(20, 0.05, n))
        yield f"heavy-tailed {n}", random.standard_cauchy(n)
        yield f"skewed {n}", random.exponential(1, n) ** 3
        yield f"ties {n}", random.integers(0, 4, n).astype(float)
        yield f"two values {n}", np.where(np.arange(n) < n // 3, 1.0, 2.0)
        yield f"constant {n}", np.full(n, 801234567.0)


class AgainstScipy(unittest.TestCase):
    def compare(self, method, resamples, level):
        sets = list(data_sets())
        answers = ask(*([method, resamples, level, seed, *map(float, x)] for seed, (_, x) in enumerate(sets)))
        undefined = 0
        for (name, x), ours in zip(sets, answers):
            with self.subTest(name=name, method=method, resamples=resamples, level=level):
                replicates = np.array(ours["replicates"])
                self.assertEqual(len(replicates), resamples)
                self.assertEqual(ours["n"], len(x))
                self.assertEqual(ours["median"], np.median(x))
                self.assertEqual(ours["degenerate"], ours["low"] == ours["high"])
                with warnings.catch_warnings(), np.errstate(all="ignore"):
                    warnings.simplefilter("ignore")
                    theirs = scipy.stats.bootstrap(
                        (x,), np.median, n_resamples=0, method="BCa" if method == "bca" else method,
                        confidence_level=level,
                        bootstrap_result=types.SimpleNamespace(bootstrap_distribution=replicates),
                    ).confidence_interval
                if np.isnan(theirs.low) or np.isnan(theirs.high):
                    # scipy's 0/0, where leaving any one value out gives the same median: ours has
                    # no acceleration
                    undefined += 1
                    self.assertEqual(method, "bca")
                    left_out = [np.median(np.delete(x, i)) for i in range(len(x))]
                    self.assertEqual(min(left_out), max(left_out))
                    z = scipy.special.ndtri([(1 - level) / 2, (1 + level) / 2])
                    below = (np.mean(replicates < np.median(x)) + np.mean(replicates <= np.median(x))) / 2
                    shares = scipy.special.ndtr(2 * scipy.special.ndtri(below) + z)
                    low, high = np.percentile(replicates, 100 * shares)
                else:
                    low, high = theirs
                if name.startswith("constant"):
                    self.assertTrue(ours["degenerate"])
                    self.assertEqual((ours["low"], ours["high"]), (x[0], x[0]))
                scale = max(1.0, np.abs(x).max()) if name.startswith("heavy") else np.abs(x).max()
                self.assertLessEqual(abs(ours["low"] - low), 1e-12 * scale)
                self.assertLessEqual(abs(ours["high"] - high), 1e-12 * scale)
        self.assertLess(undefined, len(sets) / 2)

    def test_percentile(self):
        for resamples, level in ((10000, 0.95), (999, 0.9), (57, 0.5), (2000, 0.99)):
            self.compare("percentile", resamples, level)

    def test_bca(self):
        for resamples, level in ((10000, 0.95), (999, 0.9), (2000, 0.5), (2000, 0.99)):
            self.compare("bca", resamples, level)

    def test_one_value(self):
        for answer in ask(["percentile", 100, 0.95, 1, 7.5], ["bca", 100, 0.95, 1, 7.5]):
            self.assertEqual((answer["low"], answer["median"], answer["high"]), (7.5, 7.5, 7.5))
            self.assertTrue(answer["degenerate"])
            self.assertEqual(answer["achieved"], 0)

    def test_normal_quantile(self):
        tails = np.concatenate([10.0 ** -np.arange(1, 300), np.linspace(0.001, 0.999, 999),
                                1 - 10.0 ** -np.arange(1, 16)])
        ours = np.array(ask(*(["normal", float(p)] for p in tails)))
        theirs = scipy.special.ndtri(tails)
        self.assertLess(np.abs(ours - theirs).max(), 1e-14 * np.abs(theirs).max())
        near = np.abs(theirs) < 3
        self.assertLess(np.abs(ours - theirs)[near].max(), 5e-15)

    def test_student_quantile(self):
        shares, degrees = np.meshgrid([1e-6, 0.005, 0.025, 0.1, 0.5, 0.8, 0.975, 0.9999], [*range(1, 12), 40, 101])
        ours = np.array(ask(*(["student", float(p), int(df)] for p, df in zip(shares.flat, degrees.flat))))
        # Their quantile is good for eight digits only; their distribution for all.
        np.testing.assert_allclose(scipy.stats.t.cdf(ours, degrees.flat), shares.flat, rtol=1e-9)

    def test_student_outside(self):
        places, degrees = np.meshgrid([0, 1e-9, 0.1, 1, 2.5, -2.5, 12.7, 400, 1e8],
                                      [1, 1.37, 2, 3, 4.999, 9, 9.5, 17.3, 40, 101, 1e4])
        ours = ask(*(["student-outside", float(t), float(df)] for t, df in zip(places.flat, degrees.flat)))
        np.testing.assert_allclose(ours, 2 * scipy.stats.t.sf(np.abs(places.flat), degrees.flat), rtol=1e-11)

    def test_paired_ratio(self):
        """[ratio, low, high, achieved, p, df]; what cannot be told is -1."""
        random = np.random.default_rng(5)
        for n in (2, 3, 5, 9):
            a, b = random.lognormal(3, 0.2, n), random.lognormal(2.9, 0.2, n)
            ours, = ask(["ratio", 0.95, n, *map(float, a), *map(float, b)])
            logs = np.log(a / b)
            theirs = scipy.stats.t.interval(0.95, n - 1, loc=logs.mean(), scale=scipy.stats.sem(logs))
            np.testing.assert_allclose(ours[:4], [np.exp(logs.mean()), *np.exp(theirs), 0.95], rtol=1e-8)
            np.testing.assert_allclose(ours[4], scipy.stats.ttest_rel(np.log(a), np.log(b)).pvalue, rtol=1e-11)
        for n in (10, 25):
            a, b = random.lognormal(3, 0.2, n), random.lognormal(2.9, 0.2, n)
            ours, = ask(["ratio", 0.95, n, *map(float, a), *map(float, b)])
            same, = ask(["percentile", 10000, 0.95, 1, *map(float, a / b)])
            self.assertEqual(ours[:4], [same["median"], same["low"], same["high"], same["achieved"]])
            np.testing.assert_allclose(ours[4], scipy.stats.ttest_rel(np.log(a), np.log(b)).pvalue, rtol=1e-11)
        self.assertEqual(ask(["ratio", 0.95, 1, 3.0, 2.0]), [[1.5, 1.5, 1.5, 0.0, -1, 0]])
        # no spread: either equal or not
        self.assertEqual(ask(["ratio", 0.95, 2, 3.0, 3.0, 3.0, 3.0])[0][4], 1)
        self.assertEqual(ask(["ratio", 0.95, 2, 3.0, 3.0, 2.0, 2.0])[0][4], 0)

    def test_independent_ratio(self):
        random = np.random.default_rng(6)
        for n_a, n_b in ((2, 2), (3, 5), (9, 12), (10, 10), (25, 11)):
            a, b = random.lognormal(3, 0.2, n_a), random.lognormal(2.9, 0.1, n_b)
            ours, = ask(["independent", 0.95, n_a, *map(float, a), *map(float, b)])
            theirs = scipy.stats.ttest_ind(np.log(a), np.log(b), equal_var=False)
            np.testing.assert_allclose(ours[4], theirs.pvalue, rtol=1e-11)
            variances = [np.var(np.log(x), ddof=1) / len(x) for x in (a, b)]
            df = sum(variances) ** 2 / sum(v ** 2 / (len(x) - 1) for v, x in zip(variances, (a, b)))
            np.testing.assert_allclose(ours[5], df, rtol=1e-12)
            if min(n_a, n_b) < 10:
                d, error = np.log(a).mean() - np.log(b).mean(), np.sqrt(sum(variances))
                low, high = scipy.stats.t.interval(0.95, df, loc=d, scale=error)
                np.testing.assert_allclose(ours[:4], [np.exp(d), np.exp(low), np.exp(high), 0.95], rtol=1e-8)
                continue
            # Resampled with other random numbers: the ends differ by what 10,000 resamples cannot
            # tell.
            self.assertEqual(ours[0], np.median(a) / np.median(b))
            self.assertEqual(ours[3], -1)
            theirs = scipy.stats.bootstrap((a, b), lambda x, y, axis: np.median(x, axis) / np.median(y, axis),
                                           method="percentile", random_state=1).confidence_interval
            np.testing.assert_allclose(ours[1:3], theirs, rtol=0.02)
        self.assertEqual(ask(["independent", 0.95, 1, 3.0, 2.0, 2.0])[0][3:], [0, -1, 0])
        # Equal values have no spread and no difference, however many they are and whatever their
        # logarithm rounds to.
        for n_a, n_b in ((2, 3), (2, 35), (7, 3), (13, 101)):
            for value in (123457.0, 777777.0, 3333333.0):
                ours, = ask(["independent", 0.95, n_a, *[value] * (n_a + n_b)])
                self.assertEqual([*ours[:3], ours[4]], [1, 1, 1, 1])
        # Too wide for a number: JSON knows no infinity.
        self.assertLess(ask(["independent", 0.9999, 2, 1.0, 1e9, 1.0, 1.0])[0][2], 1e305)
        # Drawn apart from one another: alike, both medians would move together and the ratio not at
        # all.
        x = random.lognormal(3, 0.2, 12)
        low, high = ask(["independent", 0.95, 12, *map(float, x), *map(float, x)])[0][1:3]
        self.assertLess(low, 0.95)
        self.assertGreater(high, 1.05)

    def test_false_alarms(self):
        """Of equal cells, p is below a limit as often as the limit says, and intervals hold 1 as
        often as they say."""
        random = np.random.default_rng(7)
        for kind, n in (("ratio", 3), ("ratio", 10), ("independent", 3), ("independent", 10)):
            samples = [(random.lognormal(3, 0.02, n), random.lognormal(3, 0.02, n)) for _ in range(1000)]
            answers = np.array(ask(*([kind, 0.95, n, *map(float, a), *map(float, b)] for a, b in samples)))
            p, covered = answers[:, 4], np.mean((answers[:, 1] <= 1) & (1 <= answers[:, 2]))
            achieved = np.mean(answers[:, 3]) if answers[0, 3] >= 0 else 0.96
            self.assertLess(abs(covered - achieved), 0.03, (kind, n))
            for limit in (0.05, 0.005):
                sigma = np.sqrt(limit * (1 - limit) / len(samples))
                self.assertLess(np.mean(p < limit), limit + 4 * sigma, (kind, n))
                self.assertGreater(np.mean(p < limit), limit / 2 - 4 * sigma, (kind, n))

    def test_holm(self):
        # By hand: 0.01 x 4, 0.02 x 3, 0.03 x 2 = 0.06 again, 0.6 x 1.
        self.assertEqual(ask(["holm", 0.03, 0.01, 0.6, 0.02])[0], [0.06, 0.04, 0.6, 0.06])
        self.assertEqual(ask(["holm", 0.9, 0.8])[0], [1, 1])
        self.assertEqual(ask(["holm", 0.5])[0], [0.5])
        random = np.random.default_rng(8)
        for n in (2, 7, 100):
            p = random.uniform(0, 1, n) ** 4
            order = np.argsort(p)
            expected = np.empty(n)
            expected[order] = np.minimum(1, np.maximum.accumulate(p[order] * np.arange(n, 0, -1)))
            np.testing.assert_allclose(ask(["holm", *map(float, p)])[0], expected, rtol=1e-15)

    def test_quantiles(self):
        random = np.random.default_rng(3)
        for n in (1, 2, 3, 10, 101):
            x = np.sort(random.normal(size=n))
            shares = [0.0, 1.0, *random.uniform(size=20)]
            ours = ask(*(["quantile", p, *map(float, x)] for p in shares))
            np.testing.assert_allclose(ours, np.quantile(x, shares), rtol=0, atol=1e-14)


if __name__ == "__main__":
    unittest.main()
