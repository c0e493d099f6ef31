#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Statistics against scipy, and `summarize` on small files of records.

AL_STATISTICS names the program built from tests/harness/statistics_answers.c.
"""
import itertools
import json
import os
import re
import subprocess
import tempfile
import types
import unittest
import warnings

import numpy as np
import scipy.special
import scipy.stats

PROGRAM = os.environ["AL_STATISTICS"]


def ask(*requests):
    """The program's answers to lines of requests, parsed."""
    text = "".join(" ".join(repr(word) if isinstance(word, float) else str(word) for word in request) + "\n"
                   for request in requests)
    done = subprocess.run([PROGRAM], input=text, capture_output=True, text=True, check=True)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(requests)
    return answers


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
                    # scipy's 0/0, where leaving any one value out gives the same median: ours has no acceleration
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
        self.assertEqual(ask(["ratio", 0.95, 2, 3.0, 3.0, 3.0, 3.0])[0][4], 1)  # no spread: either equal or not
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
            # Resampled with other random numbers: the ends differ by what 10,000 resamples cannot tell.
            self.assertEqual(ours[0], np.median(a) / np.median(b))
            self.assertEqual(ours[3], -1)
            theirs = scipy.stats.bootstrap((a, b), lambda x, y, axis: np.median(x, axis) / np.median(y, axis),
                                           method="percentile", random_state=1).confidence_interval
            np.testing.assert_allclose(ours[1:3], theirs, rtol=0.02)
        self.assertEqual(ask(["independent", 0.95, 1, 3.0, 2.0, 2.0])[0][3:], [0, -1, 0])
        # Equal values have no spread and no difference, however many they are and whatever their logarithm rounds to.
        for n_a, n_b in ((2, 3), (2, 35), (7, 3), (13, 101)):
            for value in (123457.0, 777777.0, 3333333.0):
                ours, = ask(["independent", 0.95, n_a, *[value] * (n_a + n_b)])
                self.assertEqual([*ours[:3], ours[4]], [1, 1, 1, 1])
        # Too wide for a number: JSON knows no infinity.
        self.assertLess(ask(["independent", 0.9999, 2, 1.0, 1e9, 1.0, 1.0])[0][2], 1e305)
        # Drawn apart from one another: alike, both medians would move together and the ratio not at all.
        x = random.lognormal(3, 0.2, 12)
        low, high = ask(["independent", 0.95, 12, *map(float, x), *map(float, x)])[0][1:3]
        self.assertLess(low, 0.95)
        self.assertGreater(high, 1.05)

    def test_false_alarms(self):
        """Of equal cells, p is below a limit as often as the limit says, and intervals hold 1 as often as they say."""
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


def record(times=(1000, 3000, 2000), **changes):
    return {"schema_version": 1, "benchmark": "executor", "parameters": {"actors": 40, "group": 10},
            "scheduler": "inverted", "victim": "longest", "idle": "spin", "options": {"shards": 16},
            "workers": 2, "pin": "close", "topology": "this machine", "engine": "native", "seed": 1,
            "oversubscribed": False, "time_ns": list(times), "messages": 100, "peak_rss_bytes": 12345678,
            "outcome": "ok", **changes}


class Summarize(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, *lines, name="records.jsonl"):
        """A number makes trials of equal records, which would be the same one."""
        with open(self.path(name), "w", encoding="utf-8") as file:
            for number, line in enumerate(lines):
                more = {"further": f"{name} {number}"} if number else {}
                file.write((line if isinstance(line, str) else json.dumps(line | more)) + "\n")
        return self.path(name)

    def run_it(self, *arguments, code=0, **options):
        done = subprocess.run([PROGRAM, "summarize", *arguments], capture_output=True, text=True,
                              check=False, **options)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def summary(self, *arguments, code=0):
        return json.loads(self.run_it(*arguments, "--json", code=code).stdout)

    def test_one_value_per_invocation(self):
        records = [record(times) for times in ((1, 9, 5), (7, 7), (10, 20), (6,), (100, 8, 2))]
        cell, = self.summary(self.write(*records))["cells"]
        self.assertEqual(cell["n"], 5)
        self.assertEqual(cell["messages"], 100)
        self.assertEqual(cell["time_ns"]["values"], [5, 7, 15, 6, 8])
        self.assertEqual((cell["time_ns"]["median"], cell["time_ns"]["low"], cell["time_ns"]["high"]), (7, 5, 15))
        self.assertEqual(cell["time_ns"]["achieved"], 0.9375)
        self.assertFalse(cell["time_ns"]["degenerate"])
        self.assertEqual(cell["ns_per_message"]["median"], 0.07)
        np.testing.assert_allclose(cell["messages_per_s"]["values"], [1e11 / t for t in (5, 7, 15, 6, 8)])
        self.assertEqual(cell["peak_rss_bytes"]["median"], 12345678)
        self.assertTrue(cell["peak_rss_bytes"]["degenerate"])

    def test_cells(self):
        """Records agree in what makes a cell, whatever the order of keys; seed and block do not matter."""
        turned = dict(reversed(record(seed=2, sweep={"block": 1}, parameters={"group": 10, "actors": 40}).items()))
        apart = [record(**{key: value}) for key, value in (
            ("benchmark", "other"), ("parameters", {"actors": 41, "group": 10}), ("scheduler", "central"),
            ("victim", None), ("idle", "park"), ("options", {"shards": 8}), ("workers", 1), ("pin", "smt"),
            ("topology", "numa:2"), ("engine", "sim"), ("environment", {"binary_hash": "1"}),
            ("environment", {"topology_hash": "2"}))]
        cells = self.summary(self.write(record(), *apart), self.write(turned, *apart[::-1], name="more"))["cells"]
        self.assertEqual([cell["n"] for cell in cells], [2] * 13)
        self.assertEqual(cells[1]["benchmark"], "other")
        self.assertIsNone(cells[4]["victim"])
        self.assertEqual(list(cells[0])[:15], [
            "benchmark", "parameters", "scheduler", "victim", "idle", "options", "workers", "pin", "topology",
            "engine", "binary_hash", "topology_hash", "oversubscribed", "n", "messages"])

    def test_baseline(self):
        """Each cell against the baseline's of the same work, value by value of the same block."""
        def of(scheduler, times, **changes):
            return [record((time,), scheduler=scheduler, sweep={"block": block}, **changes)
                    for block, time in enumerate(times) if time]

        path = self.write(
            *of("central", (100, 200, 400)), *of("inverted", (50, None, 800)), *of("inverted", (7, 7), workers=1),
            *of("deque", (300, 600, 1200), pin="none"), *of("central", (1, 1, 1), parameters={"actors": 1}))
        ratios = {(cell["scheduler"], cell["workers"]): cell.get("ratio") for cell in
                  self.summary(path, "--baseline", "central")["cells"] if cell["parameters"] != {"actors": 1}}
        self.assertIsNone(ratios["inverted", 1])
        self.assertEqual([ratios["central", 2][key] for key in ("to", "median", "low", "high", "n")],
                         ["central", 1, 1, 1, 3])
        np.testing.assert_allclose(ratios["deque", 2]["median"], 3)  # as placed otherwise there is no other
        self.assertEqual(ratios["inverted", 2]["n"], 2)
        np.testing.assert_allclose(ratios["inverted", 2]["median"], 1)  # of 0.5 and 2
        # Of several baselines that which is most alike, in whatever order they ran; of two alike, none.
        both = [of("central", (100,), victim="random"), of("central", (200,), victim="none")]
        for order in (both, both[::-1]):
            path = self.write(*sum(order, []), *of("deque", (400,), victim="none"))
            self.assertEqual(self.summary(path, "--baseline", "central")["cells"][2]["ratio"]["median"], 2)
            path = self.write(*sum(order, []), *of("deque", (400,), victim="longest"))
            self.assertNotIn("ratio", self.summary(path, "--baseline", "central")["cells"][2])
        # Threads that were placed otherwise, and other engines, are no baseline.
        for key, value in (("pin", "spread"), ("engine", "sim")):
            other = self.write(*of("central", (100,)), *of("deque", (400,), **{key: value}))
            self.assertNotIn("ratio", self.summary(other, "--baseline", "central")["cells"][1])
        path = self.write(*of("central", (100,)), *of("deque", (300,)))
        self.assertIn("x central", self.run_it(path, "--baseline", "central").stdout)
        self.assertTrue(all("ratio" not in cell for cell in self.summary(path)["cells"]))
        done = self.run_it(path, "--baseline", "nobody", code=2)
        self.assertEqual((done.stdout, done.stderr), ("", "actorlab summarize: --baseline nobody: no record is of it; "
                                                      "valid: central, deque\n"))
        self.run_it(self.write(), "--baseline", "central")  # none yet

    def test_blocks_of_two_files(self):
        """Pairs are of one block of one file."""
        first, second = ([record((t,), scheduler=s, sweep={"block": 0}) for s, t in pair]
                         for pair in ((("central", 100), ("deque", 200)), (("central", 700), ("deque", 1400))))
        cells = self.summary(self.write(*first), self.write(*second, name="more"), "--baseline", "central")["cells"]
        ratio = cells[1]["ratio"]
        self.assertEqual(ratio["n"], 2)
        np.testing.assert_allclose([ratio["low"], ratio["high"]], 2)
        apart = self.summary(self.write(first[0]), self.write(second[1], name="more"), "--baseline", "central")["cells"]
        self.assertNotIn("ratio", apart[1])

    def test_twins(self):
        """Those of a cell's A/A run count nowhere but for the noise."""
        cells = [record((t,), sweep={"block": b}) for b, t in enumerate((1000, 2000, 4000))]
        twins = [record((t,), sweep={"block": b, "twin": True}) for b, t in enumerate((1100, 2000, 3800))]
        failed = record(outcome="crashed", sweep={"block": 3, "twin": True})
        path = self.write(twins[0], cells[0], *cells[1:], *twins[1:], failed)
        summary, alone = self.summary(path), self.summary(self.write(*cells, name="alone"))
        self.assertEqual(summary["cells"], alone["cells"])
        self.assertEqual((alone["aa"], alone["noise_percent"]), ([], None))
        row, = summary["aa"]
        logs = np.log([1.1, 1, 0.95])
        low, high = np.exp(scipy.stats.t.interval(0.95, 2, loc=logs.mean(), scale=scipy.stats.sem(logs)))
        np.testing.assert_allclose([row["ratio"][key] for key in ("median", "low", "high", "n")],
                                   [np.exp(logs.mean()), low, high, 3])
        self.assertEqual(row["benchmark"], "executor")
        np.testing.assert_allclose(summary["noise_percent"], 100 * (high - 1))
        self.assertEqual([(row["outcome"], row["count"]) for row in summary["failed"]], [("crashed", 1)])
        text = self.run_it(path).stdout
        self.assertEqual(len(re.findall("^executor", text, re.M)), 1)
        self.assertIn("A/A: ", text)
        self.assertNotIn("A/A", self.run_it(self.path("alone")).stdout)

    def test_folder(self):
        self.write(record())
        self.assertEqual(self.run_it(self.folder).stdout, self.run_it(self.path("records.jsonl")).stdout)

    def test_memory(self):
        """Medians of what the records know; what one of them does not know is not known."""
        known = [record(memory={"allocated_bytes": 10 * n, "resident_bytes": None, "queue_bytes": n}) for n in (1, 5, 2)]
        old, = self.summary(self.write(record(), name="old"))["cells"]
        cell, = self.summary(self.write(*known))["cells"]
        self.assertEqual(cell["memory"], {"allocated_bytes": 20, "resident_bytes": None, "queue_bytes": 2})
        self.assertEqual(set(old["memory"].values()), {None})
        mixed, = self.summary(self.write(record(), *known, name="mixed"))["cells"]
        self.assertEqual(set(mixed["memory"].values()), {None})

    def test_latencies_and_counters(self):
        """Of each process; medians over processes, intervals by enumerating all resamples. Old records have none."""
        p50, gulps = [50, 10, 40.5, 20, 30], [(3, 4), (1, 1), (9, 1), (2, 4), (0, 0)]
        records = [record(latencies={"n": 9, "p50": x, "p90": 0, "p99": 2 * x, "p99.9": 3 * x, "max_ns": 4 * x},
                          counters=[{"gulps": n, "steals": 0} for n in threads]) for x, threads in zip(p50, gulps)]
        cell, = self.summary(self.write(*records, record(latencies=None, counters=[])))["cells"]
        expected = {("latencies", name): [factor * x for x in p50]
                    for factor, name in enumerate(("p50", "p99", "p99.9", "max"), 1)}
        expected["counters", "gulps"] = [sum(threads) / 300 for threads in gulps]  # three times 100 messages
        expected["counters", "steals"] = [0] * 5
        self.assertEqual({(section, name) for section in ("latencies", "counters") for name in cell[section]},
                         set(expected))
        for (section, name), values in expected.items():
            medians = np.median(list(itertools.product(values, repeat=5)), axis=1)
            shown = cell[section][name]
            np.testing.assert_allclose([shown[key] for key in ("median", "low", "high", "n", "achieved", "degenerate")],
                                       [np.median(values), *np.quantile(medians, [0.025, 0.975]), 5, 0.9375,
                                        name == "steals"], rtol=1e-12)
        old, = self.summary(self.write(record(), name="old"))["cells"]
        self.assertEqual((old["latencies"], old["counters"]), ({}, {}))

    def test_traced(self):
        """Runs with a timeline are slower: they count nowhere, which is said."""
        slow = record((9000,), trace="timeline.json")
        path = self.write(record((1000,)), slow, record((1200,), trace=None), slow)
        done = self.run_it(path, "--json")
        cell, = json.loads(done.stdout)["cells"]
        self.assertEqual(cell["time_ns"]["values"], [1000, 1200])
        self.assertEqual(done.stderr, f"actorlab summarize: {path}: left out 2 traced runs, the first in line 2: times "
                         "with --trace are no measurements\n")
        self.assertIn("No record", self.run_it(self.write(slow)).stdout)

    def test_only_ok_counts(self):
        failed = {key: value for key, value in record(outcome="timeout").items()
                  if key not in ("time_ns", "messages", "peak_rss_bytes")}
        path = self.write(record(), failed, record(outcome="wrong", workers=1), record(), failed)
        summary = self.summary(path)
        self.assertEqual([cell["n"] for cell in summary["cells"]], [2])
        self.assertEqual([(row["workers"], row["outcome"], row["count"]) for row in summary["failed"]],
                         [(2, "timeout", 2), (1, "wrong", 1)])
        text = self.run_it(path).stdout
        self.assertIn("timeout, 2 times", text)
        self.assertIn("wrong, 1 time\n", text)
        self.assertIn("No record", self.run_it(self.write(failed)).stdout)

    def test_corrupt_lines(self):
        good = record()
        bad = ["{torn", "[]", "17", json.dumps(record(schema_version=2)), json.dumps(record(times=())),
               json.dumps(record(times=(0,))), json.dumps(record(times=(0, 5, 9))),
               json.dumps(record(times=(-1, 5, 9))), json.dumps(record(times=(1.5,))), json.dumps(record(messages=0)),
               json.dumps(record(outcome=None)), json.dumps(record(benchmark=7)), json.dumps(record(options=[])),
               json.dumps(record(workers="2")), json.dumps(record(peak_rss_bytes=None)),
               '{"schema_version":1,"schema_version":1}']
        for line in bad:
            with self.subTest(line=line):
                path = self.write(good, "", line, good | {"seed": 2})
                done = self.run_it(path, "--json", code=1)
                self.assertEqual(json.loads(done.stdout)["cells"][0]["n"], 2)
                self.assertEqual(done.stderr.count("\n"), 1)
                self.assertIn(f"{path}:3: ", done.stderr)

    def test_terminal(self):
        """No character of a record reaches the terminal that could move its cursor or change its colours."""
        hostile = "\x1b[2J\x07\x7f\u009b31m\u202e\n\t"
        path = self.write(*(record((t,), benchmark=hostile, scheduler=hostile + str(k), victim=hostile, idle=hostile + str(k),
                                   options={hostile: hostile + str(k)}, parameters={hostile: t}, sweep={"block": t})
                            for k in range(2) for t in (1, 2, 3)),
                          record(benchmark=hostile, outcome="wrong", scheduler=hostile, parameters={hostile: hostile}))
        texts = [self.run_it(path).stdout, self.run_it(path, "--baseline", hostile + "1").stdout,
                 self.run_it(path, "--baseline", "x\x1b", code=2).stderr]
        for command in (["compare", path, "--against", f"scheduler={hostile}1"], ["compare", path, path]):
            done = subprocess.run([PROGRAM, *command], capture_output=True, text=True, timeout=60)
            texts += [done.stdout, done.stderr]
        for text in texts[:3] + texts[3::2]:
            self.assertIn("\\x1b", text)
        for text in texts:
            self.assertNotRegex(text, "[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]")

    def test_mistakes(self):
        path = self.write(record())
        for arguments, words, code in (
                ([self.path("absent")], ["absent"], 2), (["/"], ["'//records.jsonl'"], 2),
                ([path, self.path("absent")], ["absent"], 2), ([], ["no RECORDS"], 2),
                ([path, "--resamples", "0"], ["--resamples=0", "100 to"], 2), ([path, "--resamples", "99"], ["--resamples=99", "100 to"], 2),
                ([path, "--resamples", "1e4"], ["1e4"], 2), ([path, "--resamples", "-1"], ["-1"], 2),
                ([path, "--seed", "x"], ["--seed=x"], 2), ([path, "--level", "1"], ["--level=1", "0.001 to 0.999999"], 2),
                ([path, "--level", "nan"], ["nan"], 2), ([path, "--level", ".9x"], [".9x"], 2),
                ([path, "--interval", "basic"], ["'--interval': 'basic'", "percentile, bca"], 2),
                ([path, "--jsn"], ["--jsn", "--json"], 2), ([path, "--seed"], ["no value", "--seed"], 2),
                ([path, "-xj"], ["'-xj'", "--json"], 2),
                ([path, "--json=1"], ["--json=1"], 2),
                ([path, "--dump-replicates", path], [path, "exists"], 3)):
            with self.subTest(arguments=arguments):
                done = self.run_it(*arguments, code=code)
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
                self.assertEqual(done.stdout, "")
                for word in words:
                    self.assertIn(word, done.stderr)
        with open(path, encoding="utf-8") as file:
            self.assertEqual(json.load(file), record())

    def test_options_reach_the_bootstrap(self):
        path = self.write(*(record((t,)) for t in (11, 17, 12, 19, 14, 15)))
        dumped = self.path("replicates")
        summary = self.summary(path, "--resamples", "500", "--seed", "9", "--level", "0.9",
                               "--dump-replicates", dumped)
        self.assertEqual((summary["resamples"], summary["seed"], summary["level"]), (500, 9, 0.9))
        with open(dumped, encoding="utf-8") as file:
            rows = [json.loads(line) for line in file]
        self.assertEqual([row["measure"] for row in rows],
                         ["time_ns", "ns_per_message", "messages_per_s", "peak_rss_bytes"])
        cell, = summary["cells"]
        for row in rows:
            ours = cell[row["measure"]]
            self.assertEqual(row["values"], ours["values"])
            self.assertEqual(len(row["replicates"]), 500)
            np.testing.assert_allclose(np.percentile(row["replicates"], [5, 95]), [ours["low"], ours["high"]],
                                       rtol=1e-12)
        direct, = ask(["percentile", 500, 0.9, 9, 11, 17, 12, 19, 14, 15])
        self.assertEqual(direct["replicates"], rows[0]["replicates"])

    def test_kinds_of_intervals(self):
        values = [3, 5, 6, 7, 9, 40, 70, 80]
        path = self.write(*(record((v,)) for v in values))
        for kind, name in (("percentile", "percentile"), ("bca", "BCa")):
            expected, = ask([kind, 10000, 0.95, 1, *values])
            summary = self.summary(path, "--interval", kind)
            self.assertEqual(summary["interval"], kind)
            ours = summary["cells"][0]["time_ns"]
            self.assertEqual([ours[key] for key in ("low", "high", "achieved")],
                             [expected[key] for key in ("low", "high", "achieved")])
            self.assertIn(f"{name} bootstrap", self.run_it(path, "--interval", kind).stdout)
        self.assertNotEqual(self.summary(path)["cells"][0]["time_ns"], ours)

    def test_table(self):
        records = [record((t,), workers=w, options={"shards": s}, oversubscribed=w == 64)
                   for w, s in ((1, 16), (64, 8)) for t in (815, 812, 901)]
        records += [record((t,), benchmark="send-static") for t in range(701, 708)]
        text = self.run_it(self.write(*records)).stdout
        lines = text.splitlines()
        self.assertRegex(lines[0], r"^benchmark +scheduler +victim +workers +setting +ns/message +95% interval +"
                                   r"achieved +n +messages/s +peak MB$")
        self.assertRegex(lines[1], r"^executor +inverted +longest +1 +shards=16 +8\.150 +\[8\.120, 9\.010\] +"
                                   r"75\.0% +3 +123 M +12\.3$")
        self.assertEqual(lines[2].split(), ["each:", "8.150", "8.120", "9.010"])
        self.assertRegex(lines[3], r" 64\* +shards=8 ")
        self.assertRegex(lines[5], r"^send-static +inverted +longest +2 +7\.040 +\[7\.020, 7\.060\] +87\.5% +7 ")
        self.assertIn("* more workers than", text)
        self.assertEqual(text.count("each:"), 2)
        ends = [len(line) for line in (lines[0], lines[1], lines[3], lines[5])]
        self.assertEqual(len(set(ends)), 1, "columns are aligned")

    def test_table_says_what_differs(self):
        """Only among cells of one benchmark, and what all have in common is left out."""
        lines = self.run_it(self.write(
            record(), record(pin="smt"), record(engine="sim", parameters={"actors": 41, "group": 10}),
            record(scheduler="central", victim=None, options={}), record(benchmark="other", idle="park"))).stdout.splitlines()
        rows = [line for line in lines if line.startswith(("executor", "other"))]
        self.assertEqual([re.findall(r"[a-z]+=[a-z0-9]+", row) for row in rows], [
            ["actors=40", "pin=close", "engine=native"], ["actors=40", "pin=smt", "engine=native"],
            ["actors=41", "pin=close", "engine=sim"], ["actors=40", "pin=close", "engine=native"], []])

    def test_standard_input(self):
        done = self.run_it("-", input=json.dumps(record()))
        self.assertRegex(done.stdout, r"executor .* 20\.00 +- +- +1 ")


if __name__ == "__main__":
    unittest.main()
