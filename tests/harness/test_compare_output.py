#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Which cells `actorlab compare` compares, and how it shows them.

AL_STATISTICS names the program built from tests/harness/statistics_answers.c."""

import csv
import io
import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support.comparing import Case, cell, times
from support.recording import PROGRAM, record


class Matching(Case):
    def test_whatever_the_build(self):
        """Program and machine are no part of it; an option that came later neither, one that
        changed is."""
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
        """By block, in whatever order, those that both have; without any in common the cells are
        independent."""
        base = cell([10, 20, None, 40], victim="none")[::-1]
        other = cell([None, 40, 60, 80], victim="random")
        row, = self.compare(self.write("records", base, other), "--against", "victim=none")["comparisons"]
        self.assertEqual((row["paired"], row["ratio"]["n"]), (True, 2))
        np.testing.assert_allclose([row["ratio"][key] for key in ("median", "low", "high")], 2)
        apart = self.write("apart", base, cell([70, 80], victim="random", first=7))
        row, = self.compare(apart, "--against", "victim=none")["comparisons"]
        self.assertEqual((row["paired"], row["base"]["n"], row["cell"]["n"]), (False, 3, 2))


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
                ([old, "--against", "victim=longest"], ["no two cells", "differ only in victim"], 2),
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


if __name__ == "__main__":
    unittest.main()
