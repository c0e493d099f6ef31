#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Which cells `actorlab compare` compares, and how it shows them.

AL_STATISTICS names the program built from tests/harness/statistics_answers.c."""

import csv
import io
import json
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support.comparing import Case, cell, random, times
from support.recording import PROGRAM, record

from common.screen import printable


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

    def test_against_a_binary(self):
        """Whatever else tells two builds apart, in one sweep or between two."""
        path = self.write("records", *(
            cell(times(3), binary=name, workers=w, environment={"binary_hash": name + "hash"})
            for name in ("old", "new") for w in (1, 2)))
        rows = self.compare(path, "--against", "binary=old")["comparisons"]
        self.assertEqual([(row["binary"], row["workers"], row["differs"]) for row in rows], [
            ("new", w, {"binary": ["old", "new"], "binary_hash": ["oldhash", "newhash"]}) for w in (1, 2)])

    def test_builds_with_other_defaults(self):
        """An option, a parameter or a default heuristic that only one of two builds has does not
        part them; another machine does."""
        def of(binary, topology="t", **changes):
            environment = {"binary_hash": binary, "topology_hash": topology}
            return cell(times(3), binary=binary, environment=environment, **changes)

        parameters = {"actors": 40, "group": 10}
        for changes in ({"options": {"shards": 16, "batching": "off"}}, {"victim": "random"},
                        {"parameters": parameters | {"turns": 3}}, {"options": {"shards": 32}}):
            path = self.write("records", of("old"), of("new", **changes))
            row, = self.compare(path, "--against", "binary=old")["comparisons"]
            self.assertEqual(row["binary"], "new")
        for changes in ({"parameters": parameters | {"actors": 41}}, {"workers": 1}, {"pin": "spread"}):
            path = self.write("records", of("old"), of("new", **changes))
            self.assertIn("no two cells", self.run_it(path, "--against", "binary=old", code=2).stderr)
        path = self.write("records", *(of(binary, topology) for binary in ("old", "new") for topology in "tu"))
        rows = self.compare(path, "--against", "binary=old")["comparisons"]
        self.assertEqual([row["topology_hash"] for row in rows], ["t", "u"])

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

    def test_unbounded_intervals(self):
        """Two pairs tell nothing; that is no reason to fail."""
        path = self.write("records", cell([1000, 1000], victim="none"), cell([1000, 10000], victim="random"))
        row, = self.compare(path, "--against", "victim=none")["comparisons"]
        self.assertEqual([row["ratio"][key] for key in ("low", "high", "achieved")], [None, None, 1])
        line = self.run_it(path, "--against", "victim=none").stdout.splitlines()[2]
        self.assertRegex(line, r" 2 pairs +1\.0000 +inconclusive \+\d+$")

    def test_single_pair(self):
        path = self.write("records", cell([1000], victim="none"), cell([1000], victim="random"))
        lines = self.run_it(path, "--against", "victim=none").stdout.splitlines()
        self.assertRegex(lines[2], r" 1 pair +")
        self.assertTrue(any("corrected for 1 comparison (" in line for line in lines), lines)

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
        self.assertEqual((row["paired"], row["n"]), (True, 2))
        np.testing.assert_allclose(row["ratio"]["median"], 2)
        apart = self.write("apart", base, cell([70, 80], victim="random", first=7))
        row, = self.compare(apart, "--against", "victim=none")["comparisons"]
        self.assertEqual((row["paired"], row["base"]["n"], row["cell"]["n"]), (False, 3, 2))


class Width(Case):
    """No line is wider than 120 columns; what does not tell cells apart is not in it."""

    def rows(self, *cells):
        text = self.run_it(self.write("records", *cells), "--against", "scheduler=inverted").stdout
        for line in text.splitlines():
            self.assertLessEqual(len(line), 120, line)
        return text

    def test_settings(self):
        """An option that each strategy has once, or that follows from another, is left out."""
        options = {"inverted": {"shards": 16, "mailboxes": 32, "reclaim": "half", "steal_patience": 20000},
                   "deque": {"deque": "locked", "steal_backoff": 65536, "preset": "caf-0.17"}}
        more = {"deque": "chase-lev", "steal_backoff": 0, "preset": "caf-0.17"}
        text = self.rows(*(cell(times(8), benchmark=name, scheduler=scheduler, options=own)
                           for name in ("balance-multi", "send-dynamic")
                           for scheduler, own in (*options.items(), ("deque", more))))
        self.assertEqual([line.split()[:4] for line in text.splitlines() if line.startswith(("balance", "send"))],
                         [[name, "deque", deque, "2"] for name in ("balance-multi", "send-dynamic") for deque in ("chase-lev", "locked")])

    def test_long_names(self):
        """Take a line of their own."""
        cells = [cell(times(8), benchmark="b" * 40, scheduler=scheduler) for scheduler in ("inverted", "s" * 60)]
        text = self.rows(*cells)
        self.assertRegex(text, r"\nb{40}  s{60}\n +2 +[\d.]+ +[\d.]+ +[\d.]+ +\[")


class Disturbed(Case):
    """Trials that the gate of a sweep found disturbed."""

    def watched(self, *reasons, waited_s=0, **changes):
        """A cell in eight blocks, of which the first have these reasons."""
        rows = cell(times(8, centre=changes.pop("centre", 1e6)), **changes)
        for row, why in zip(rows, [*reasons, *[[]] * 8]):
            row["noise"] = {"disturbed": why, "gate": {"others_running": 0, "waited_s": waited_s}}
        return rows

    def shown(self, *cells, **more):
        path = self.write("records", *cells)
        return (self.compare(path, "--against", "scheduler=inverted"),
                self.run_it(path, "--against", "scheduler=inverted").stdout)

    def test_marked(self):
        """A verdict of which most trials were disturbed, on either side."""
        for disturbed, verdict in ((4, "faster"), (5, "faster (disturbed)")):
            for base in (False, True):
                sides = [self.watched(*[["steal"]] * disturbed * (is_base == base), scheduler=name,
                                      centre=3e6 if is_base else 1e6)
                         for name, is_base in (("inverted", True), ("deque", False))]
                result, text = self.shown(*sides)
                row, = result["comparisons"]
                self.assertEqual((row["verdict"], row["disturbed"]), ("faster", disturbed == 5))
                self.assertRegex(text, rf"  {re.escape(verdict)}\n")
                self.assertEqual("\n(disturbed): more than half of the trials of either cell were disturbed.\n" in text,
                                 disturbed == 5)
                self.assertIn(f"\nnoise: {disturbed} of 16 trials disturbed (steal: {disturbed}).\n", text)

    def test_undecided(self):
        """There is nothing to doubt."""
        cells = [self.watched(*[["busy"]] * 8, scheduler=name)[:3] for name in ("inverted", "deque")]
        _, text = self.shown(*cells)
        self.assertNotIn("(disturbed)", text)

    def test_text(self):
        """The most frequent reason comes first; what is not known has its own name."""
        own = [["steal", "busy"], ["busy"], ["\x1b[2J"]]
        _, text = self.shown(self.watched(*own, scheduler="inverted", waited_s=0.5),
                             cell(times(8), scheduler="deque"))
        self.assertIn("\nnoise: 3 of 8 trials disturbed (other processes just before: 2, steal: 1, \\x1b[2J: 1); "
                      "waited 4 s for calm; 8 more were not watched.\n", text)
        _, text = self.shown(self.watched(scheduler="inverted"), self.watched(scheduler="deque"))
        self.assertIn("\nnoise: none of 16 trials disturbed.\n", text)
        _, text = self.shown(cell(times(8), scheduler="inverted"), cell(times(8), scheduler="deque"))
        self.assertNotIn("noise", text)

    def test_two_files(self):
        """Each has its line."""
        files = [self.write(name, self.watched(*why)) for name, why in (("old", []), ("new", [["heat"]]))]
        text = self.run_it(*files).stdout
        self.assertIn("\nold: noise: none of 8 trials disturbed.\n"
                      "new: noise: 1 of 8 trials disturbed (heat or power: 1).\n", text)
        self.assertEqual([entry["disturbed"] for entry in self.compare(*files)["disturbances"]], [0, 1])


class Output(Case):
    def files(self, sessions=5):
        """Two workloads in as many sessions on either side; the one with two workers is slower by
        10% now."""
        return tuple(self.write(name, *(
            [{**entry, "schema_version": 2, "trial": random.bytes(16).hex()}
             for entry in cell(times(6, 1e6 * (factor if workers == 2 else 1)), first=6 * k, workers=workers,
                               sweep={"session": f"{k + 1:016x}"})]
            for k in range(sessions) for workers in (2, 1))) for name, factor in (("old", 1), ("new", 1.1)))

    def test_regressions(self):
        old, new = self.files()
        for arguments, code in (((), 0), (("--fail-on-regression",), 1), (("--fail-on-regression", "0.05"), 1),
                                (("--fail-on-regression=0.2",), 0), (("--fail-on-regression", "0.2"), 0),
                                (("--fail-on-regression", "--margin", "0.3"), 0),
                                (("--fail-on-regression", "0.03", "--margin", "0.3"), 1)):
            with self.subTest(arguments=arguments):
                text = self.run_it(old, new, *arguments, code=code).stdout
                self.assertEqual(" !" in text, code == 1)
                if arguments:
                    self.assertIn(f"{code} regression", text)
        self.run_it("--fail-on-regression", old, new, code=1)
        self.run_it(new, old, "--fail-on-regression")
        result = self.compare(old, new, "--fail-on-regression", "0.05", code=1)
        self.assertEqual(result["regressions"], {"percent": 5, "count": 1, "needs": None})
        self.assertEqual([row["regression"] for row in result["comparisons"]], [False, True])
        p = [row["p"] for row in result["comparisons"]]
        self.assertEqual([row["p_holm"] for row in result["comparisons"]], [max(p), 2 * min(p)])

    def test_a_gate_that_cannot_fail(self):
        """Says how many blocks or sessions it takes; and nothing that it compares is too few for
        it."""
        old, new = self.files(4)
        done = self.run_it(old, new, "--fail-on-regression", code=4)
        self.assertIn("with so few sessions it could not have failed; among 2 comparisons it takes 5", done.stderr)
        cells = [cell(times(7, 1e6 * factor), victim=victim, workers=w) for w in (1, 2)
                 for victim, factor in (("none", 1), ("random", 3))]
        path = self.write("blocks", *(records[:6] for records in cells))
        done = self.run_it(path, "--against", "victim=none", "--fail-on-regression", code=4)
        self.assertIn("with so few blocks it could not have failed; among 2 comparisons it takes 7", done.stderr)
        path = self.write("blocks", *cells)
        result = self.compare(path, "--against", "victim=none", "--fail-on-regression", code=1)
        self.assertEqual(result["regressions"]["count"], 2)

    def test_what_fails_now_is_a_regression(self):
        old, new = self.files()
        with open(old, encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        lines = [{**entry, "trial": random.bytes(16).hex()} for entry in lines]
        crashed = [{**entry, "time_ns": [], "outcome": "crashed"} for entry in lines if entry["workers"] == 1]
        broken = self.write("broken", [entry for entry in lines if entry["workers"] == 2], crashed)
        row, = self.compare(old, broken, "--fail-on-regression", code=1)["left_out"]
        self.assertEqual((row["workers"], row["regression"]), (1, True))
        self.assertIn("outcome ok", row["why"])
        self.run_it(broken, old, "--fail-on-regression")
        self.run_it(broken, broken, "--fail-on-regression")
        only = self.write("only", crashed)
        self.run_it(old, only, "--fail-on-regression", code=1)
        self.run_it(only, new, code=1)

    def test_table(self):
        old, new = self.files()
        lines = self.run_it(old, new).stdout.splitlines()
        self.assertRegex(lines[1], r"^benchmark +strategy +workers +old ns +new ns +new/old +"
                                   r"97\.5% interval +n +p +verdict$")
        self.assertRegex(lines[2], r"^executor +inverted +1 .* \[0\.\d+, 1\.\d+\] +5, 5 sessions +\d\.\d{4} +"
                                   r"equivalent$")
        self.assertRegex(lines[3], r"^executor +inverted +2 .* 1\.\d+ +\[1\.\d+, 1\.\d+\] +5, 5 sessions +"
                                   r"0\.0159 +slower$")
        self.assertTrue(lines[4].startswith("Ratios: Hodges-Lehmann"))
        self.assertEqual(lines[5], "sessions. That of the medians beside them may be another.")
        self.assertIn("2 comparisons (Benjamini-Hochberg). Margin of equivalence: 5.0%.", lines[6])
        self.assertEqual(lines[7], "0 faster, 1 slower, 1 equivalent, 0 inconclusive")

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
        path = self.write("old", *(cell(times(n, factor * 1e6), **keys, workers=w) for n, w, keys in (
            (4, 1, {"benchmark": 'a,"b"\n', "victim": None}), (8, 1, {}), (8, 1, {"sweep": {"twin": True}}))
            for w, factor in ((1, 1), (2, 1.3))))
        against = "--against", "workers=1"
        text = subprocess.run([PROGRAM, "compare", path, *against, "--csv"], capture_output=True, check=True).stdout
        self.assertEqual(text.count(b"\r\n"), 3)
        rows = list(csv.DictReader(io.StringIO(text.decode(), newline="")))
        as_json = self.compare(path, *against)["comparisons"]
        for row, theirs in zip(rows, as_json, strict=True):
            self.assertEqual((row["benchmark"], row["verdict"]), (printable(theirs["benchmark"]), theirs["verdict"]))
            self.assertEqual(json.loads(row["parameters"]), theirs["parameters"])
            self.assertEqual(json.loads(row["differs"]), theirs["differs"])
            for ours, name in (("ratio", "median"), ("low", "low"), ("high", "high"), ("achieved", "achieved")):
                self.assertEqual(row[ours] and float(row[ours]) or None, theirs["ratio"][name])
            self.assertEqual(row["more_blocks"] and int(row["more_blocks"]) or None, theirs["more_blocks"])
            self.assertEqual([row[key] and float(row[key]) or None for key in ("p", "p_bh")], [theirs[key] for key in ("p", "p_bh")])
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
                ([old, new, "--margin", "-1"], ["--margin=-1", "0 to 0.99, such as 0.05 for 5%"], 2),
                ([old, new, "--margin", "5"], ["--margin=5", "0 to 0.99, such as 0.05 for 5%"], 2), ([old, new, "--margin", "nan"], ["--margin=nan"], 2), ([old, new, "--margin", "2%"], ["2%"], 2),
                ([old, new, "--fail-on-regression=x"], ["--fail-on-regression=x"], 2),
                ([old, new, "--fail-on-regression", "-3"], ["--fail-on-regression=-3"], 2),
                ([old, new, "--color", "red"], ["'--color': 'red'", "always"], 2),
                ([old, new, "--level", "95"], ["--level=95", "0.001 to"], 2),
                ([old, new, "--jsn"], ["--jsn", "--json"], 2),
                ([old, new, "--margin"], ["no value", "--margin SHARE"], 2),
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
