#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`actorlab compare` on small files of records that are known to be equal, slower, or too few.

AL_STATISTICS names the program built from tests/harness/statistics_answers.c.
"""
import csv
import io
import json
import os
import subprocess
import tempfile
import unittest

import numpy as np
import scipy.stats

from test_statistics import PROGRAM, record

random = np.random.default_rng(20261122)


def cell(times, *, first=0, **changes):
    """Records of one cell in blocks, a time for each message of 100; None where a block has none."""
    return [record((round(100 * t),), sweep={"block": block, **changes.get("sweep", {})},
                   **{key: value for key, value in changes.items() if key != "sweep"})
            for block, t in enumerate(times, first) if t is not None]


def times(n, centre=1e6, spread=0.003, drift=None):
    return centre * random.lognormal(0, spread, n) * (1 if drift is None else drift)


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, name, *cells):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            for records in cells:
                for entry in records:
                    file.write(json.dumps(entry) + "\n")
        return path

    def run_it(self, *arguments, code=0, **options):
        done = subprocess.run([PROGRAM, "compare", *arguments], capture_output=True, text=True, check=False, **options)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def compare(self, *arguments, code=0):
        return json.loads(self.run_it(*arguments, "--json", code=code).stdout)


class Verdicts(Case):
    def test_within_a_sweep(self):
        """Drift of 30% that blocks share hides no difference of 20%, and makes none where there is none."""
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
        self.assertIn("cannot be told: the machine was too loud", self.run_it(path, slower, "--fail-on-regression", code=4).stdout)
        slow = self.write("slow", cell(times(3, 9e6)), cell(times(3), workers=1))
        result = self.compare(path, slow, "--fail-on-regression", code=1)
        self.assertEqual(result["regressions"]["count"], 1)
        self.assertEqual(sorted(row["verdict"] for row in result["comparisons"]), ["inconclusive", "slower"])

    def test_drift_between_sweeps(self):
        """What two sweeps differ by is shared by the pairs of one: 4.4% would be slower within one, and is not between two."""
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


class Matching(Case):
    def test_whatever_the_build(self):
        """Program and machine are no part of it; an option that came later neither, one that changed is."""
        def of(build, **options):
            environment = {"binary_hash": build, "topology_hash": build, "kernel": build, "cpu": "x"}
            return cell(times(3), environment=environment, options={"shards": 16, **options})

        old = self.write("old", of("1"), cell(times(3), workers=8))
        new = self.write("new", of("2", batching="off"), cell(times(3), workers=9), of("2", shards=8))
        result = self.compare(old, new)
        row, = result["comparisons"]
        self.assertEqual(row["differs"], {"binary_hash": ["1", "2"], "topology_hash": ["1", "2"],
                                          "batching": [None, "off"]})
        self.assertEqual([(row["key"], row["old"], row["new"]) for row in result["environment"]],
                         [(key, ["1"], ["2"]) for key in ("topology_hash", "kernel", "binary_hash")])
        left_out = {(row["of"], row["workers"], row["options"]["shards"], row["why"]) for row in result["left_out"]}
        self.assertEqual(left_out, {("new", 9, 16, "only in the newer"), ("new", 2, 8, "only in the newer"),
                                    ("old", 8, 16, "only in the older")})
        lines = self.run_it(old, new).stdout.splitlines()
        self.assertEqual(lines[:3], ["topology_hash: 1 -> 2", "kernel: 1 -> 2", "binary_hash: 1 -> 2"])
        self.assertEqual(self.run_it(old, old).stdout.splitlines()[0], "The environments do not differ.")
        mixed = [record((1000,), sweep={"block": 0}, environment={"kernel": kernel}) for kernel in "ab"]
        both = [self.write(name, order) for name, order in (("ab", mixed), ("ba", mixed[::-1]))]
        self.assertEqual(self.compare(*both)["environment"], [])  # in whatever order they are seen

    def test_against_a_scheduler(self):
        """With what it brings along; of several the one that shares most, or none."""
        path = self.write(
            "records",
            *(cell(times(3), scheduler="inverted", victim=victim) for victim in ("none", "random", "longest")),
            cell(times(3), scheduler="deque", victim="random", idle="polling", options={"deque": "locked"}),
            cell(times(3), scheduler="las", victim="hierarchical", idle="polling", options={}),
            cell(times(3), scheduler="deque", victim="random", workers=9))
        result = self.compare(path, "--against", "scheduler=inverted")
        row, = result["comparisons"]
        self.assertEqual((row["scheduler"], row["differs"]["scheduler"]), ("deque", ["inverted", "deque"]))
        self.assertEqual(row["differs"]["deque"], [None, "locked"])
        self.assertNotIn("victim", row["differs"])
        self.assertEqual([(row["scheduler"], row["workers"]) for row in result["left_out"]], [("las", 2), ("deque", 9)])
        self.assertIn("another --against", result["left_out"][0]["why"])
        self.assertIn("none", result["left_out"][1]["why"])
        rows = self.compare(path, "--against", "scheduler=inverted", "--against", "victim=longest")["comparisons"]
        self.assertEqual([(row["scheduler"], row["differs"]["victim"][0]) for row in rows],
                         [("deque", "longest"), ("las", "longest")])

    def test_against_other_keys(self):
        path = self.write(
            "records", *(cell(times(4), workers=w, options={"shards": s, "mailboxes": 2 * s}, parameters={"rounds": r})
                         for w, s, r in ((1, 1, 10), (2, 16, 10), (1, 1, 20))))
        row, = self.compare(path, "--against", "workers=1")["comparisons"]
        self.assertEqual(row["differs"], {"workers": [1, 2], "shards": [1, 16], "mailboxes": [2, 32]})
        row, = self.compare(path, "--against", "rounds=10")["comparisons"]
        self.assertEqual(row["differs"], {"rounds": [10, 20]})

    def test_real_numbers(self):
        """Are written as people write them: 0.1 is not 0.10000000000000001."""
        path = self.write("records", *(cell(times(3), parameters={"rate": rate}) for rate in (0.1, 3.46)))
        row, = self.compare(path, "--against", "rate=0.1")["comparisons"]
        self.assertEqual(row["differs"], {"rate": [0.1, 3.46]})
        self.assertIn("rate=0.1\n", self.run_it(path, "--against", "rate=0.1").stdout)

    def test_wide_intervals(self):
        """Two pairs tell nothing at such a level; that is no reason to fail."""
        path = self.write("records", cell([1000, 1000], victim="none"), cell([1000, 10000], victim="random"),
                          cell([1000, 10000], victim="none", sweep={"twin": True}))
        result = self.compare(path, "--against", "victim=none", "--level", "0.9999")
        self.assertGreater(result["comparisons"][0]["ratio"]["high"], 1e300)
        self.assertGreater(result["noise"]["percent"], 1e300)
        self.assertRegex(self.run_it(path, "--against", "victim=none", "--level", "0.9999").stdout, r", 1\.014e\+304\]")

    def test_names_of_files(self):
        """Need not be UTF-8, as JSON must."""
        path = os.fsencode(self.write("records", cell(times(2))))
        other = path + b"\xff"
        os.rename(path, other)
        self.assertIsNone(self.compare(other, other)["old"])

    def test_pairs(self):
        """By block, in whatever order, those that both have; without any in common the cells are independent."""
        base = cell([10, 20, None, 40], victim="none")[::-1]
        other = cell([None, 40, 60, 80], victim="random")
        row, = self.compare(self.write("records", base, other), "--against", "victim=none")["comparisons"]
        self.assertEqual((row["paired"], row["ratio"]["n"]), (True, 2))
        np.testing.assert_allclose([row["ratio"][key] for key in ("median", "low", "high")], 2)
        apart = self.write("apart", base, cell([70, 80], victim="random", first=7))
        row, = self.compare(apart, "--against", "victim=none")["comparisons"]
        self.assertEqual((row["paired"], row["base"]["n"], row["cell"]["n"]), (False, 3, 2))


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
        """Each workload for itself. Resampled together, workloads of the same ratios would not average out."""
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


class Output(Case):
    def files(self):
        return (self.write("old", cell(times(6)), cell(times(6), workers=1)),
                self.write("new", cell(times(6, 1.1e6)), cell(times(6), workers=1)))

    def test_regressions(self):
        old, new = self.files()
        for arguments, code in (((), 0), (("--fail-on-regression",), 1), (("--fail-on-regression", "5"), 1),
                                (("--fail-on-regression=20",), 0), (("--fail-on-regression", "20"), 0),
                                (("--fail-on-regression", "--noise", "30"), 0)):
            with self.subTest(arguments=arguments):
                text = self.run_it(old, new, *arguments, code=code).stdout
                self.assertEqual(" !" in text, code == 1)
                if arguments:
                    self.assertIn(f"{code} regression", text)
        self.run_it("--fail-on-regression", old, new, code=1)
        self.run_it(new, old, "--fail-on-regression")
        result = self.compare(old, new, "--fail-on-regression", "5", code=1)
        self.assertEqual(result["regressions"], {"percent": 5, "count": 1, "loud": False})
        self.assertEqual([row["regression"] for row in result["comparisons"]], [False, True])

    def test_what_fails_now_is_a_regression(self):
        old, new = self.files()
        crashed = [{**entry, "time_ns": [], "outcome": "crashed"} for entry in cell(times(3), workers=1)]
        broken = self.write("broken", cell(times(6)), crashed)
        row, = self.compare(old, broken, "--fail-on-regression", code=1)["left_out"]
        self.assertEqual((row["workers"], row["regression"]), (1, True))
        self.assertIn("outcome ok", row["why"])
        self.run_it(broken, old, "--fail-on-regression")
        self.run_it(broken, broken, "--fail-on-regression")
        only = self.write("only", crashed)
        self.run_it(old, only, "--fail-on-regression", code=1)
        self.run_it(only, new, code=2)

    def test_table(self):
        old, new = self.files()
        lines = self.run_it(old, new).stdout.splitlines()
        self.assertRegex(lines[1], r"^benchmark +scheduler +victim +workers +old ns/message +new +new/old +"
                                   r"95% interval +n +p +verdict$")
        self.assertRegex(lines[2], r"^executor +inverted +longest +1 .* \[0\.\d+, 1\.\d+\] +6, 6 +\d\.\d{4} +"
                                   r"equivalent$")
        self.assertRegex(lines[3], r"^executor +inverted +longest +2 .* 1\.\d+ +\[1\.\d+, 1\.\d+\] +6, 6 +"
                                   r"<0\.0001 +slower$")
        self.assertTrue(lines[4].startswith("Ratios are of pairs, block by block, or of sweeps"))
        self.assertIn("2 comparisons (Holm). Noise: 2.0%", lines[5])
        self.assertEqual(lines[6], "0 faster, 1 slower, 1 equivalent, 0 inconclusive")

    def test_color(self):
        old, new = self.files()
        for arguments, environment, colored in ((["--color", "always"], {"NO_COLOR": "1"}, True), ([], {}, False),
                                                (["--color", "auto"], {}, False), (["--color", "never"], {}, False)):
            text = self.run_it(old, new, *arguments, env={**os.environ, **environment}).stdout
            self.assertEqual("\033[31mslower\033[0m" in text, colored)
            self.assertEqual("\033" in text, colored)
        for environment, colored in (({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True)):
            inner, outer = os.openpty()
            self.addCleanup(os.close, inner)
            with open(outer, "wb") as terminal:
                subprocess.run([PROGRAM, "compare", old, new], stdout=terminal, check=True,
                               env={key: value for key, value in os.environ.items() if key != "NO_COLOR"} | environment)
            shown = b""
            while b"inconclusive\r\n" not in shown:
                shown += os.read(inner, 4096)
            self.assertEqual(b"\033[31m" in shown, colored)

    def test_csv(self):
        hostile = cell(times(4), benchmark='a,"b"\n', victim=None)
        old = self.write("old", hostile, cell(times(4)))
        text = subprocess.run([PROGRAM, "compare", old, old, "--csv"], capture_output=True, check=True).stdout
        self.assertEqual(text.count(b"\r\n"), 3)
        rows = list(csv.DictReader(io.StringIO(text.decode(), newline="")))
        as_json = self.compare(old, old)["comparisons"]
        for row, theirs in zip(rows, as_json, strict=True):
            self.assertEqual((row["benchmark"], row["verdict"]), (theirs["benchmark"], theirs["verdict"]))
            self.assertEqual(json.loads(row["parameters"]), theirs["parameters"])
            self.assertEqual(json.loads(row["differs"]), theirs["differs"])
            for ours, name in (("ratio", "median"), ("low", "low"), ("high", "high"), ("achieved", "achieved")):
                self.assertEqual(float(row[ours]), theirs["ratio"][name])
            self.assertEqual((float(row["p"]), float(row["p_holm"])), (theirs["p"], theirs["p_holm"]))
        self.assertEqual(rows[0]["victim"], "")

    def test_mistakes(self):
        old, new = self.files()
        for arguments, words, code in (
                ([], ["OLD NEW"], 2), ([old], ["OLD NEW", "--against"], 2), ([old, new, old], ["unexpected", "OLD NEW"], 2),
                ([old, new, "--against", "workers=1"], ["valid: one RECORDS"], 2),
                ([old, new, "--json", "--csv"], ["one of them"], 2),
                ([old, "--against", "workers"], ["KEY=VALUE"], 2), ([old, "--against", "=1"], ["KEY=VALUE"], 2),
                ([old, "--against", "workers="], ["KEY=VALUE"], 2),
                ([old, "--against", "workers=3"], ["workers=3", "but 2, 1"], 2),
                ([old, "--against", "worker=1"], ["worker=1", "no cell has this key"], 2),
                ([old, "--against", "victim=longest"], ["no cell", "but for victim"], 2),
                ([old, os.path.join(self.folder, "absent")], ["absent"], 2), ([old, self.folder], ["records.jsonl"], 2),
                ([old, new, "--noise", "-1"], ["--noise=-1", "0 to 10000"], 2),
                ([old, new, "--noise", "nan"], ["--noise=nan"], 2), ([old, new, "--noise", "2%"], ["2%"], 2),
                ([old, new, "--fail-on-regression=x"], ["--fail-on-regression=x"], 2),
                ([old, new, "--fail-on-regression", "-3"], ["--fail-on-regression=-3"], 2),
                ([old, new, "--color", "red"], ["'--color': 'red'", "always"], 2),
                ([old, new, "--level", "95"], ["--level=95", "0.001 to"], 2),
                ([old, new, "--resamples", "99"], ["--resamples=99", "100 to"], 2), ([old, new, "--jsn"], ["--jsn", "--json"], 2),
                ([old, new, "--noise"], ["no value", "--noise PERCENT"], 2),
                ([old, self.write("other", cell(times(2), workers=77))], ["no cell", "both"], 2)):
            with self.subTest(arguments=arguments):
                done = self.run_it(*arguments, code=code)
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
                self.assertEqual(done.stdout, "")
                for word in words:
                    self.assertIn(word, done.stderr)
        torn = self.write("torn", cell(times(3)), [17])
        done = self.run_it(old, torn, "--json", code=1)
        self.assertIn("actorlab compare: ", done.stderr)
        self.assertEqual(len(json.loads(done.stdout)["comparisons"]), 1)
        self.assertIn("--against", self.run_it("--help").stdout)


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
