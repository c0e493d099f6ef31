#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`actorlab summarize` on small files of records.

AL_STATISTICS names the program built from tests/harness/statistics_answers.c."""

import itertools
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np
import scipy.stats

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import ranks
from support.recording import PROGRAM, ask, record


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

    def ratios(self, *paths):
        """Each cell, and the ratio to that of `central` which does the same work, or None."""
        done = subprocess.run([PROGRAM, "results", *paths, "--json", "--baseline", "central"], capture_output=True,
                              check=True)
        for machine in json.loads(done.stdout)["machines"]:
            known = {pair["cell"]: pair["ratio"] for pair in machine["comparisons"]["baseline"]["pairs"]}
            yield from ((cell, known.get(place)) for place, cell in enumerate(machine["cells"]))

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
        """Records agree in what makes a cell, whatever the order of keys; seed and block do not
        matter."""
        turned = dict(reversed(record(seed=2, sweep={"block": 1}, parameters={"group": 10, "actors": 40}).items()))
        apart = [record(**{key: value}) for key, value in (
            ("benchmark", "other"), ("parameters", {"actors": 41, "group": 10}), ("scheduler", "central"),
            ("victim", None), ("idle", "park"), ("options", {"shards": 8}), ("workers", 1), ("pin", "smt"),
            ("topology", "numa:2"), ("engine", "check"), ("binary", "new"), ("environment", {"binary_hash": "1"}),
            ("environment", {"topology_hash": "2"}))]
        cells = self.summary(self.write(record(), *apart), self.write(turned, *apart[::-1], name="more"))["cells"]
        self.assertEqual([cell["n"] for cell in cells], [2] * 14)
        self.assertEqual([cell["benchmark"] for cell in cells], 13 * ["executor"] + ["other"])
        self.assertEqual([cell["victim"] for cell in cells].count(None), 1)
        self.assertEqual(list(cells[0])[:15], [
            "benchmark", "parameters", "scheduler", "victim", "idle", "options", "workers", "pin", "topology",
            "engine", "machine", "binary", "binary_hash", "topology_hash", "oversubscribed"])
        self.assertEqual(cells[0]["messages"], 100)

    def test_baseline(self):
        """Each cell against the baseline's of the same work, value by value of the same block."""
        def of(scheduler, times, **changes):
            return [record((time,), scheduler=scheduler, sweep={"block": block}, **changes)
                    for block, time in enumerate(times) if time]

        path = self.write(
            *of("central", (100, 200, 400)), *of("inverted", (50, None, 800)), *of("inverted", (7, 7), workers=1),
            *of("deque", (300, 600, 1200), pin="none"), *of("central", (1, 1, 1), parameters={"actors": 1}))
        ratios = {(cell["scheduler"], cell["workers"]): ratio for cell, ratio in self.ratios(path)
                  if cell["parameters"] != {"actors": 1}}
        self.assertIsNone(ratios["inverted", 1])
        self.assertIsNone(ratios["central", 2])
        self.assertEqual([ratios["deque", 2][key] for key in ("low", "high", "n")], [None, None, 3])
        np.testing.assert_allclose(ratios["deque", 2]["median"], 3)
        self.assertEqual(ratios["inverted", 2]["n"], 2)
        np.testing.assert_allclose(ratios["inverted", 2]["median"], 1)  # of 0.5 and 2
        # Of several baselines one for all, in whatever order they ran; also for the others of them.
        both = [of("central", (100,), victim="random"), of("central", (200,), victim="none")]
        for order in (both, both[::-1]):
            path = self.write(*sum(order, []), *of("deque", (400,), victim="none"))
            found = {(cell["scheduler"], cell["victim"]): ratio and ratio["median"] for cell, ratio in self.ratios(path)}
            self.assertEqual(found, {("central", "none"): None, ("central", "random"): 0.5, ("deque", "none"): 2})
        # Other engines are no baseline.
        other = self.write(*of("central", (100,)), *of("deque", (400,), engine="sim"))
        self.assertEqual([ratio for _, ratio in self.ratios(other)], [None, None])

    def test_blocks_of_two_files(self):
        """Pairs are of one block of one file."""
        first, second = ([record((t,), scheduler=s, sweep={"block": 0}, environment={"cpu": "one"}) for s, t in pair]
                         for pair in ((("central", 100), ("deque", 200)), (("central", 700), ("deque", 1400))))
        both = self.ratios(self.write(*first), self.write(*second, name="more"))
        ratio, = (ratio for cell, ratio in both if cell["scheduler"] == "deque")
        self.assertEqual(ratio["n"], 2)
        np.testing.assert_allclose(ratio["median"], 2)
        apart = self.ratios(self.write(first[0]), self.write(second[1], name="more"))
        self.assertEqual([ratio for _, ratio in apart], [None, None])

    def test_twins(self):
        """Those of a cell's A/A run count nowhere but in the check of the sweep."""
        cells = [record((t,), sweep={"block": b}) for b, t in enumerate((1000, 2000, 4000))]
        twins = [record((t,), sweep={"block": b, "twin": True}) for b, t in enumerate((1100, 2000, 3800))]
        failed = record(outcome="crashed", sweep={"block": 3, "twin": True})
        path = self.write(twins[0], cells[0], *cells[1:], *twins[1:], failed)
        summary, alone = self.summary(path), self.summary(self.write(*cells, name="alone"))
        self.assertEqual(summary["cells"], alone["cells"])
        self.assertEqual((alone["aa"], alone["twins"]["n"]), ([], 0))
        row, = summary["aa"]
        logs = np.log([1.1, 1, 0.95])
        np.testing.assert_allclose(row["ratio"]["median"], np.exp(np.median(ranks.walsh(logs))))
        self.assertEqual((row["ratio"]["n"], row["ratio"]["low"], row["p"], row["differs"]), (3, None, 1, False))
        self.assertEqual(summary["twins"]["n"], 0)  # three blocks cannot differ
        self.assertEqual(row["benchmark"], "executor")
        many = [record((int(t),), sweep={"block": b, "twin": twin}) for twin in (False, True)
                for b, t in enumerate(1000 + 10 * np.arange(8) * (1 + twin))]
        wide = self.summary(self.write(*many, name="many"))
        (row,) = wide["aa"]
        _, low, high, p = ranks.paired(*(1000 + 10 * np.arange(8) * factor for factor in (2, 1)))
        np.testing.assert_allclose([row["ratio"]["low"], row["ratio"]["high"], row["p"]], [low, high, p])
        self.assertTrue(row["differs"])
        self.assertEqual((wide["twins"]["n"], wide["twins"]["differ"]), (1, 1))
        self.assertEqual([(row["outcome"], row["count"]) for row in summary["failed"]], [("crashed", 1)])
        text = self.run_it(path).stdout
        self.assertEqual(len(re.findall("^executor", text, re.M)), 1)
        self.assertNotIn("A/A", text)
        self.assertIn("A/A: ", self.run_it(self.path("many")).stdout)
        self.assertNotIn("A/A", self.run_it(self.path("alone")).stdout)

    def test_folder(self):
        self.write(record())
        self.assertEqual(self.run_it(self.folder).stdout, self.run_it(self.path("records.jsonl")).stdout)

    def test_memory(self):
        """Medians of what the records know; what one of them does not know is not known."""
        known = [record(memory={"allocated_bytes": 10 * n, "resident_bytes": None, "queue_bytes": n}) for n in (1, 5, 2)]
        old, = self.summary(self.write(record(), name="old"))["cells"]
        cell, = self.summary(self.write(*known))["cells"]
        self.assertEqual(cell["memory"], {"allocated_bytes": 20, "resident_bytes": None, "queue_bytes": 2,
                                          "queue_peak_bytes": None})
        self.assertEqual(set(old["memory"].values()), {None})
        mixed, = self.summary(self.write(record(), *known, name="mixed"))["cells"]
        self.assertEqual(set(mixed["memory"].values()), {None})

    def test_latencies_and_counters(self):
        """Of each process; medians over processes, intervals by enumerating all resamples. Old
        records have none."""
        p50, gulps = [50, 10, 40.5, 20, 30], [(3, 4), (1, 1), (9, 1), (2, 4), (0, 0)]
        records = [record(latencies={"n": 9, "p50": x, "p90": 0, "p99": 2 * x, "p99.9": 3 * x, "max_ns": 4 * x},
                          counters=[{"gulps": n, "steals": 0} for n in threads]) for x, threads in zip(p50, gulps)]
        cell, = self.summary(self.write(*records, record(latencies=None, counters=[])))["cells"]
        expected = {("latencies", name): [factor * x for x in p50]
                    for factor, name in enumerate(("p50", "p99", "p99.9", "max"), 1)}
        # three times 100 messages
        expected["counters", "gulps"] = [sum(threads) / 300 for threads in gulps]
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
        """Runs with a timeline are slower: they count nowhere, and a line names them."""
        slow = record((9000,), trace="timeline.json")
        path = self.write(record((1000,)), slow, record((1200,), trace=None), slow)
        done = self.run_it(path, "--json")
        cell, = json.loads(done.stdout)["cells"]
        self.assertEqual(cell["time_ns"]["values"], [1000, 1200])
        self.assertEqual(done.stderr, f"actorlab summarize: {path}: left out 2 traced runs, the first in line 2: times "
                         "with --trace are distorted\n")
        self.assertIn("No record", self.run_it(self.write(slow)).stdout)

    def test_only_ok_counts(self):
        failed = {key: value for key, value in record(outcome="timeout").items()
                  if key not in ("time_ns", "messages", "peak_rss_bytes")}
        path = self.write(record(), failed, record(outcome="wrong", workers=1), record(), failed)
        summary = self.summary(path)
        self.assertEqual([cell["n"] for cell in summary["cells"]], [2])
        self.assertEqual([(row["workers"], row["outcome"], row["count"]) for row in summary["failed"]],
                         [(1, "wrong", 1), (2, "timeout", 2)])
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
        """No character of a record reaches the terminal that could move its cursor or change its
        colours."""
        hostile = "\x1b[2J\x07\x7f\u009b31m\u202e\n\t"
        path = self.write(*(record((t,), benchmark=hostile, scheduler=hostile + str(k), victim=hostile, idle=hostile + str(k),
                                   options={hostile: hostile + str(k)}, parameters={hostile: t}, sweep={"block": t})
                            for k in range(2) for t in (1, 2, 3)),
                          record(benchmark=hostile, outcome="wrong", scheduler=hostile, parameters={hostile: hostile}))
        texts = [self.run_it(path).stdout]
        for command in (["results", path], ["results", path, "--baseline", "x\x1b"], ["compare", path, "--against", f"scheduler={hostile}1"], ["compare", path, path]):
            done = subprocess.run([PROGRAM, *command], capture_output=True, text=True, timeout=60)
            texts += [done.stdout, done.stderr]
        for text in [texts[i] for i in (0, 1, 4, 5, 7)]:
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
                ([path, "--interval", "basic"], ["'--interval': 'basic'", "order, percentile, bca"], 2),
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
        summary = self.summary(path, "--interval", "percentile", "--resamples", "500", "--seed", "9", "--level", "0.9",
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
        exact = self.summary(path)["cells"][0]["time_ns"]
        self.assertEqual([exact[key] for key in ("low", "high", "achieved")], [3, 80, 1 - 2 / 2 ** 8])
        self.assertIn("intervals between ranks", self.run_it(path).stdout)
        with open(self.path("sweep.json"), "w", encoding="utf-8") as file:
            json.dump({"interval": "percentile"}, file)
        self.assertEqual((self.summary(path)["interval"], self.summary(path, "--interval", "order")["interval"]),
                         ("percentile", "order"))

    def test_table(self):
        records = [record((t,), workers=w, options={"shards": s}, oversubscribed=w == 64)
                   for w, s in ((1, 16), (64, 8)) for t in (815, 812, 901)]
        records += [record((t,), benchmark="send-static") for t in range(701, 708)]
        text = self.run_it(self.write(*records)).stdout
        lines = text.splitlines()
        self.assertRegex(lines[0], r"^benchmark +strategy +workers +ns/message +95% interval +"
                                   r"achieved +n +messages/s +peak MB$")
        self.assertRegex(lines[1], r"^executor +inverted +1 +8\.150 +\[8\.120, 9\.010\] +"
                                   r"75\.0% +3 +123 M +12\.3$")
        self.assertEqual(lines[2].split(), ["each:", "8.150", "8.120", "9.010"])
        self.assertRegex(lines[3], r" inverted +64\* +")
        self.assertRegex(lines[5], r"^send-static +inverted +2 +7\.040 +\[7\.010, 7\.070\] +98\.4% +7 ")
        self.assertIn("* more workers than", text)
        self.assertEqual(text.count("each:"), 2)
        ends = [len(line) for line in (lines[0], lines[1], lines[3], lines[5])]
        self.assertEqual(len(set(ends)), 1, "columns are aligned")

    def test_table_says_what_differs(self):
        """Only among cells of one benchmark and number of workers; what all have in common, or what
        follows from the rest, is left out."""
        lines = self.run_it(self.write(
            record(), record(pin="smt"), record(engine="sim", parameters={"actors": 41, "group": 10}),
            record(scheduler="central", victim=None, options={}), record(benchmark="other", idle="park"))).stdout.splitlines()
        rows = [re.split("  +", line)[:2] for line in lines if line.startswith(("executor", "other"))]
        self.assertEqual(rows, [["executor", name] for name in ("inverted close native", "inverted close sim",
                                                                "inverted smt", "central")] + [["other", "inverted close native"]])

    def test_order(self):
        """The same however the records are sorted: by workload, workers, strategy and options."""
        records = [record((1000 + w,), benchmark=benchmark, scheduler=scheduler, workers=w, options={"shards": s})
                   for benchmark in ("executor", "bang") for scheduler in ("inverted", "deque")
                   for s in (4, 16) for w in (2, 10)]
        texts = {self.run_it(self.write(*(records[k * step % 16] for k in range(16)))).stdout for step in (1, 3, 7, 15)}
        self.assertEqual(len(texts), 1)
        rows = [line.split()[:4] for line in texts.pop().splitlines() if line.startswith(("executor", "bang"))]
        self.assertEqual(rows, [[benchmark, scheduler, f"shards={s}", str(w)] for benchmark in ("bang", "executor")
                                for w in (2, 10) for scheduler in ("inverted", "deque") for s in (4, 16)])

    def test_standard_input(self):
        done = self.run_it("-", input=json.dumps(record()))
        self.assertRegex(done.stdout, r"executor .* 20\.00 +- +- +1 ")


if __name__ == "__main__":
    unittest.main()
