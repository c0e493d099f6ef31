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

    def test_order_interval(self):
        for level in (0.5, 0.9, 0.95, 0.99):
            sizes = [*range(1, 60), 100, 301, 1000, 5000]
            for n, (rank, achieved) in zip(sizes, ask(*(["order", n, level] for n in sizes))):
                self.assertAlmostEqual(achieved, 1 - 2 * scipy.stats.binom.cdf(rank - 1, n, 0.5), delta=1e-12)
                self.assertTrue(rank == 1 or achieved >= level - 1e-12, (n, level))
                if 2 * (rank + 1) <= n + 1:
                    self.assertLess(1 - 2 * scipy.stats.binom.cdf(rank, n, 0.5), level, (n, level))

    def test_paired_p(self):
        """The exact test of untied data; [ratio, low, high, achieved, p]."""
        random = np.random.default_rng(5)
        pairs = [(random.lognormal(3, 0.2, n), random.lognormal(2.9, 0.2, n)) for n in [*range(1, 51)] * 3]
        answers = ask(*(["ratio", 0.95, len(a), 0, *map(float, a), *map(float, b)] for a, b in pairs))
        for (a, b), ours in zip(pairs, answers):
            logs = np.log(a / b)
            theirs = scipy.stats.wilcoxon(logs, method="exact").pvalue
            self.assertLess(abs(ours[4] - theirs), 1e-12 * theirs, len(a))
            i, j = np.triu_indices(len(logs))
            averages = np.sort((logs[i] + logs[j]) / 2)
            np.testing.assert_allclose(ours[0], np.exp(np.median(averages)), rtol=1e-14)

    def test_independent_p(self):
        random = np.random.default_rng(6)
        samples = [(random.lognormal(3, 0.2, random.integers(1, 40)), random.lognormal(2.9, 0.1, random.integers(1, 40)))
                   for _ in range(150)]
        answers = ask(*(["ratio", 0.95, len(a), len(b), *map(float, a), *map(float, b)] for a, b in samples))
        for (a, b), ours in zip(samples, answers):
            theirs = min(1, scipy.stats.mannwhitneyu(a, b, method="exact").pvalue)
            self.assertLess(abs(ours[4] - theirs), 1e-12 * theirs, (len(a), len(b)))
            differences = np.log(a)[:, None] - np.log(b)
            np.testing.assert_allclose(ours[0], np.exp(np.median(differences)), rtol=1e-14)

    def test_ratio_intervals(self):
        """The ranks that scipy's p give, among all averages and differences."""
        random = np.random.default_rng(7)
        for n in (3, 6, 10, 15, 30):
            a, b = random.lognormal(3, 0.2, n), random.lognormal(2.9, 0.2, n)
            logs = np.log(a / b)
            i, j = np.triu_indices(n)
            averages = np.sort((logs[i] + logs[j]) / 2)
            for n_b, ordered in ((0, averages), (n, np.sort((np.log(a)[:, None] - np.log(b)).flat))):
                # Shifted to just beyond the k-th, so that exactly k of them lie on one side of 0.
                def p(k):
                    shift = (ordered[k - 1] + ordered[k]) / 2
                    return (scipy.stats.mannwhitneyu(np.log(a) - shift, np.log(b), method="exact") if n_b else
                            scipy.stats.wilcoxon(logs - shift, method="exact")).pvalue
                for level in (0.8, 0.95, 0.99):
                    ours, = ask(["ratio", level, n, n_b, *map(float, a), *map(float, b)])
                    # W(k) is the end: k - 1 below it have p <= 1 - level, k have not.
                    if ours[3] == 1:
                        self.assertEqual(ours[1:3], [0, -1])
                        continue
                    found = int(np.argmin(np.abs(ordered - np.log(ours[1]))))
                    self.assertGreater(p(found + 1), 1 - level + 1e-9)
                    if found:
                        self.assertLessEqual(p(found), 1 - level + 1e-9)
                        self.assertAlmostEqual(ours[3], 1 - p(found), delta=1e-12)
                    np.testing.assert_allclose(ours[1:3], np.exp([ordered[found], ordered[-1 - found]]), rtol=1e-13)

    def test_average(self):
        """Percentile and BCa against scipy's, from our replicates."""
        random = np.random.default_rng(9)
        def median(*samples, axis=-1):
            """Of one ratio: pairs of one sample, or the differences of two."""
            if len(samples) == 1:
                x = np.moveaxis(samples[0], axis, -1)
                i, j = np.triu_indices(x.shape[-1])
                return np.median((x[..., i] + x[..., j]) / 2, axis=-1)
            x, y = (np.moveaxis(s, axis, -1) for s in samples)
            return np.median((x[..., :, None] - y[..., None, :]).reshape(*x.shape[:-1], -1), axis=-1)
        for sizes in ([(30, 0)], [(25, 20)], [(20, 0), (22, 27), (37, 0)], [(10, 0), (20, 20)]):
            words, logs = [], []
            for n_a, n_b in sizes:
                a, b = random.exponential(1, n_a) + 1, random.exponential(1, n_b or n_a) ** 2 + 1
                words += [n_a, n_b, *map(float, a), *map(float, b)]
                logs.append([np.log(a / b)] if n_b == 0 else [np.log(a), np.log(b)])
            for level in (0.8, 0.95):
                ours, = ask(["average", 2000, level, 3, *words])
                # Rounded, or the last digit of a logarithm would decide what equals the estimate.
                replicates = np.round(np.sum(ours["replicates"], axis=0), 12)
                def total(*samples, axis=-1):
                    rest, sum = list(samples), 0
                    for sample in logs:
                        sum = sum + median(*rest[:len(sample)], axis=axis)
                        rest = rest[len(sample):]
                    return np.round(sum, 12)
                theirs = scipy.stats.bootstrap(
                    [x for sample in logs for x in sample], total, n_resamples=0, confidence_level=level,
                    vectorized=True, method="percentile" if sizes[0][0] < 20 else "BCa",
                    bootstrap_result=types.SimpleNamespace(bootstrap_distribution=replicates)).confidence_interval
                whole = total(*(x for sample in logs for x in sample))
                expected = np.exp(np.array([whole, *theirs]) / len(sizes))
                np.testing.assert_allclose(ours["interval"], expected, rtol=1e-11, err_msg=str((sizes, level)))

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

    def test_benjamini_hochberg(self):
        # Their own example (1995): of fifteen, the four smallest are significant at 5%.
        p = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528,
             0.7590, 1.0]
        ours = ask(["benjamini-hochberg", *p])[0]
        self.assertEqual([x <= 0.05 for x in ours], [True] * 4 + [False] * 11)
        # By hand: 0.01 x 4 / 1 is more than 0.02 x 4 / 2 = 0.04 x 4 / 4, and 0.03 x 4 / 3 as much.
        np.testing.assert_allclose(ask(["benjamini-hochberg", 0.04, 0.01, 0.03, 0.02])[0], [0.04] * 4, rtol=1e-15)
        np.testing.assert_allclose(ask(["benjamini-hochberg", 0.9, 0.01, 0.02])[0], [0.9, 0.03, 0.03], rtol=1e-15)
        # 0.03 x 3 and 0.031 x 3 / 2 are more than what comes after them, 0.032 x 3 / 3.
        np.testing.assert_allclose(ask(["benjamini-hochberg", 0.031, 0.032, 0.03])[0], [0.032] * 3, rtol=1e-15)
        random = np.random.default_rng(8)
        for n in (1, 2, 7, 238):
            p = random.uniform(0, 1, n) ** 4
            ours = np.array(ask(["benjamini-hochberg", *map(float, p)])[0])
            for limit in (0.01, 0.05, 0.2):
                # The step-up procedure itself: the largest r with p(r) <= limit r / n.
                passed = [r for r in range(1, n + 1) if np.sort(p)[r - 1] <= limit * r / n]
                self.assertEqual(int(np.sum(ours <= limit)), max(passed, default=0))

    def test_quantiles(self):
        random = np.random.default_rng(3)
        for n in (1, 2, 3, 10, 101):
            x = np.sort(random.normal(size=n))
            shares = [0.0, 1.0, *random.uniform(size=20)]
            ours = ask(*(["quantile", p, *map(float, x)] for p in shares))
            np.testing.assert_allclose(ours, np.quantile(x, shares), rtol=0, atol=1e-14)


if __name__ == "__main__":
    unittest.main()
