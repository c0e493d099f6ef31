#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Every mistake in a sweep's file is found before anything runs, with its line."""

import re
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import SWEEPS
from support.sweeping import SMALL, Checking

from common.failure import Failure
from sweep import checker, config
from sweep.values import SETTINGS

GOOD = '[axes]\nbenchmark = ["alpha", "beta"]\nworkers = [1, 2]\n'
MISTAKES = [
    # (text, line, message)
    ("[sweeps]\n" + GOOD, 1, 'unknown table or key "sweeps"; did you mean "sweep"?'),
    ("name = 1\n" + GOOD, 1, 'unknown table or key "name"'),
    ("set = 1\n" + GOOD, 1, "set must be a table: write [set]"),
    ("[[set]]\n" + GOOD, 1, "set must be a table"),
    ("[sweep]\nrepetitions = 3\n" + GOOD, 2,
     'unknown key "repetitions"; did you mean "invocations"?'),
    (GOOD + "[set]\nworkload = \"alpha\"\n", 5,
     'unknown key "workload"; did you mean "benchmark"?'),
    ("[sweep]\n\ninvocation = 3\n" + GOOD, 3,
     'unknown key "invocation"; did you mean "invocations"?'),
    ("[sweep]\ninvocations = 0\n" + GOOD, 2, "invocations = 0: must be a whole number from 1 to"),
    ("[sweep]\niterations = 1.5\n" + GOOD, 2, "iterations = 1.5: must be a whole number"),
    ("[sweep]\nwarmup = -1\n" + GOOD, 2, "warmup = -1"),
    ("[sweep]\nwarmup = true\n" + GOOD, 2, "warmup = true"),
    ("[sweep]\nseed = \"1\"\n" + GOOD, 2, 'seed = "1"'),
    ("[sweep]\ntimeout_s = 0\n" + GOOD, 2, "timeout_s = 0: must be a positive number of seconds"),
    ("[sweep]\ntimeout_s = nan\n" + GOOD, 2, "timeout_s = nan"),
    ("[sweep]\noversubscribe = 1\n" + GOOD, 2, "oversubscribe = 1: must be true or false"),
    ("[sweep]\nexclude = 1\n" + GOOD, 2, "must be a list of tables such as"),
    ("[sweep]\nexclude = [{}]\n" + GOOD, 2, "must be a list of tables such as"),
    ("[sweep]\nprofile = 1\n" + GOOD, 2, "profile = 1: must be true or false"),
    ("[sweep]\nmemory = 1\n" + GOOD, 2, "memory = 1: must be true or false"),
    ("[sweep]\ngate = \"on\"\n" + GOOD, 2, 'unknown gate "on" (valid: mark, wait, off)'),
    ("[sweep]\ngate_limit = 2\n" + GOOD, 2,
     "gate_limit = 2: must be a share from 0 up to 1, such as 0.02 for 2%"),
    ("[sweep]\ngate_wait_s = -1\n" + GOOD, 2,
     "gate_wait_s = -1: must be a positive number of seconds"),
    ("[sweep]\nclip = 1\n" + GOOD, 2, "clip = 1: must be true or false"),
    ("[sweep]\nsize = \"tiny\"\n" + GOOD, 2, 'unknown size "tiny" (valid: small, default, paper, sim)'),
    ("[sweep]\nbaseline = \"invert\"\n" + GOOD, 2,
     'unknown baseline "invert"; did you mean "inverted"?'),
    ("[sweep]\nname = \"../up\"\n" + GOOD, 2, 'name = "../up": must be a name'),
    ("[sweep]\n", 1, "no benchmark: give it in [axes] or [set] (valid: alpha, beta, gamma)"),
    ('[sweep]\nprecision = 5\n[set]\nbenchmark = "alpha"\n', 2,
     "precision = 5: must be a share of the median"),
    ('[sweep]\nprecision = "verdict"\n[set]\nbenchmark = "alpha"\n', 2,
     'precision = "verdict": must be a share of the median between 0 and 1, such as 0.05 for 5%, or "verdicts"'),
    *((f'[sweep]\nprecision = "verdicts"\nlooks = {looks}\n' + GOOD, 3,
       f"looks = {looks}: must be ascending numbers of blocks, the first at least 10, such as [10, 15, 20, 30]")
      for looks in ("5", "[]", "[9, 10]", "[10, 10]", "[20, 15]", "[10, 12.5]", "[true, 10]", "[10, 10000000]")),
    ("[sweep]\nlooks = [10, 20]\nprecision = 0.1\n" + GOOD, 2, 'looks are those of precision = "verdicts"'),
    ('[sweep]\nprecision = "verdicts"\ninvocations = 20\n' + GOOD, 3, 'invocations with precision = "verdicts": the '
     "last of looks = [10, 15, 20, 30] is the largest number of blocks"),
    *((f"[sweep]\nmargin = {margin}\n" + GOOD, 2, f"margin = {margin}: must be a share between 0 and 1, such as 0.05 for 5%")
      for margin in ("0", "-1", "1", "5", '"5%"', "true")),
    ('[sweep]\ninterval = "bca"\n' + GOOD, 2, 'unknown interval "bca" (valid: order, percentile)'),
    ('[sweep]\ninterval = ["order"]\n' + GOOD, 2,
     'unknown interval ["order"]; did you mean "order"? (valid: order, percentile)'),
    *((f"[sweep]\nwarmup = {warmup}\n" + GOOD, 2,
       f'warmup = {warmup}: must be "auto" or a whole number from 0 to 1000000') for warmup in ('"on"', "-1", "1.5")),
    ('[sweep]\ntwin = 1\n[set]\nbenchmark = "alpha"\n', 2, "twin = 1: must be true or false"),
    ('[sweep]\ntime_limit_s = 0\n[set]\nbenchmark = "alpha"\n', 2,
     "time_limit_s = 0: must be a positive number of seconds"),
    ('[set]\nbenchmark = "alpha"\n[include]\nsize = 1\n', 3,
     "include must be a list of tables: write [[include]]"),
    ('[[include]]\nbenchmark = "alpha"\n[[include]]\nworkers = 1\n', 3,
     "no benchmark: give it in [[include]] or [set] (valid: alpha, beta, gamma)"),
    ('[[include]]\nbenchmark = "alpha"\n[[include]]\nbenchmark = "beta"\nworkers = [1,\n 9]\n', 6,
     "workers = 9: must be 1 to 2"),
    ('[[include]]\nbenchmark = "alpha"\nsize = [1, 1]\n', 3, "size: 1 is listed twice"),
    ('[[include]]\nbenchmark = "alpha"\nrounds = 1\n', 3,
     "rounds belongs to beta, not in this sweep"),
    ('[set]\nbenchmark = "alpha"\n[[override]]\nwhere = {size = 1}\n', 3,
     "an override has two tables"),
    ('[set]\nbenchmark = "alpha"\n[[override]]\nwhere = {size = 1}\nset = {workers = 2}\n', 5,
     "workers: an override can set only options and parameters"),
    ('[set]\nbenchmark = "alpha"\n[[override]]\nwhere = {scheduler = "centrl"}\nset = {size = 2}\n', 4,
     'unknown scheduler "centrl"; did you mean "central"?'),
    ('[set]\nbenchmark = "alpha"\n[[override]]\nwhere = {workers = 1}\nset = {size = [2, 3]}\n', 5,
     "size: expected one value"),
    ("[[include]]\n" + GOOD, 1, "an empty [[include]]: it needs at least one key"),
    (GOOD + "[[variant]]\n", 4, "an empty [[variant]]: it needs at least one key"),
    (GOOD + "[[variant]]\nworkers = 9\n", 5, "workers = 9: must be 1 to 2"),
    ('[set]\nbenchmark = "alpha"\n[[variant]]\nsize = 2\n', 3, "a variant varies the cells of [axes], and there are no axes"),
    (GOOD + "[variant]\nsize = 2\n", 4, "variant must be a list of tables: write [[variant]]"),
    (GOOD + '[plot]\nz = "workers"\n', 5, 'unknown key of [plot] "z" (valid: kinds, x, y, note)'),
    (GOOD + '[plot]\ny = "times"\n', 5, 'unknown y "times"; did you mean "time"? (valid: message, time, relative)'),
    (GOOD + '[plot]\nnote = 3\n', 5, "note = 3: must be a text in quotes"),
    (GOOD + "[plot]\nx = 2\n", 5, "x = 2: must be workers, or an option with numbers, in quotes"),
    (GOOD + '[plot]\nkinds = ["scaling",\n "scalling"]\n', 5, 'unknown kind of plot "scalling"; did you mean "scaling"?'),
    (GOOD + '[plot]\nkinds = "scaling"\n', 5, 'kinds = "scaling": must be a list such as ["scaling", "speedup"]'),
    (GOOD + "[set]\ntopology = 1.5\n", 5, "topology = 1.5: must be a name in quotes"),
    (GOOD + 'pin = ["0,1"]\n[set]\ntopology = 1.5\n', 6,
     "topology = 1.5: must be a name in quotes"),
    (GOOD + '[set]\ntopology = "a\\u0000b"\n', 5,
     'topology = "a\\u0000b": a name cannot contain the character NUL'),
    (GOOD + '[set]\nvictim = "no\\nne"\n', 5, 'unknown victim "no\\nne"'),
    (GOOD + "victim = \"none\"\n", 4, "an axis is a list; a single value belongs in [set]"),
    (GOOD + "victim = []\n", 4, "an axis needs at least one value"),
    (GOOD + "victim = [\"none\",\n\"random\",\n\"none\"]\n", 6, 'victim: "none" is listed twice'),
    (GOOD + "victim = [\"none\",\n # a comment\n\"longst\"]\n", 6,
     'unknown victim "longst"; did you mean "longest"? (valid: none, random, longest)'),
    (GOOD + "scheduler = [\"invert\"]\n", 4,
     'unknown scheduler "invert"; did you mean "inverted"?'),
    (GOOD + "idle = [\"sleep\"]\n", 4, 'unknown idle "sleep" (valid: spin, park, own)'),
    (GOOD + "idle = [3]\n", 4, "idle = 3: must be a name in quotes"),
    (GOOD + "pin = [\"closed\"]\n", 4, 'unknown pin "closed"; did you mean "close"?'),
    (GOOD + "pin = [\"0,1\", \"9\"]\n", 4, "no such place"),
    (GOOD + "[set]\ntopology = \"package:x\"\n", 5, "no such place"),
    ("[axes]\nbenchmark = [\"alpha\", \"bets\"]\nrounds = [1]\n", 2, 'unknown benchmark "bets"'),
    ("[axes]\nbenchmark = [\"alpha\"]\nworkers = [\n1,\n0]\n", 5,
     "workers = 0: must be a whole number, at least 1"),
    ("[axes]\nbenchmark = [\"alpha\"]\nworkers = [3]\n", 3,
     "workers = 3: must be 1 to 2, the PUs of this machine"),
    ("[sweep]\noversubscribe = true\n[axes]\nbenchmark = [\"alpha\"]\nworkers = [5000]\n", 5,
     "must be 1 to 4096"),
    (GOOD + "[set]\nbenchmark = \"alpha\"\n", 5, "benchmark is also given in [axes]"),
    (GOOD + "[set]\nvictim = [\"none\"]\n", 5,
     "victim: expected one value; lists belong in [axes]"),
    (GOOD + "[set]\nsise = 1\n", 5, 'unknown key "sise"; did you mean "size"?'),
    (GOOD + "[set]\nsize = 51\n", 5, "size = 51: beta wants a whole number from 1 to 50"),
    (GOOD + "[set]\nsize = \"5\"\n", 5, 'size = "5": alpha wants a whole number from 1 to 1000'),
    *((GOOD + f"[set]\nsize = {text}\n", 5, f'size = {text}: alpha wants a whole number from 1 to 1000, or an expression '
       'of workers such as "20 * workers"')
      for text in ('"20 * wrkers"', '"20"', '"workers **2"', '"workers.size"', '"f(workers)"', '"min(workers)"', '"workers +"',
                   '"(lambda: workers)()"', '"workers * 1e999"', '"True * workers"', '"' + "+".join(["workers"] * 24) + '"',
                   '"' + "-" * 190 + 'workers"')),
    (GOOD + "[set]\nmode = \"workers\"\n", 5, 'unknown mode of alpha: "workers"'),
    (GOOD + "[set]\nshare = 1.5\n", 5, "share = 1.5: beta wants a number from 0.0 to 1.0"),
    (GOOD + "[set]\nqueue = \"lists\"\n", 5,
     'unknown queue of inverted: "lists"; did you mean "list"?'),
    (GOOD + "[set]\nqueue = 1\n", 5, 'queue = 1: inverted wants one of "copy", "list"'),
    (GOOD + "[set]\ncapacity = 5\n", 5, "capacity belongs to central, not in this sweep"),
    (GOOD + "[set]\nspins = 5\n", 5, "spins belongs to park, not in this sweep"),
    (GOOD + "[set]\nbatch = 5\n", 5,
     'batch is an option of more than one part: write "inverted.batch" and "longest.batch"'),
    (GOOD + "[set]\ninverted.batches = 5\n", 5,
     'unknown option of inverted "batches"; did you mean "batch"?'),
    (GOOD + "shards = [1,\n65]\n", 5, "shards = 65"),
    (GOOD + "[parameters.beta]\nrounds = 0\n", 5, "rounds = 0: beta wants"),
    (GOOD + "[parameters.beta]\nround = 1\n", 5,
     'unknown option of beta "round"; did you mean "rounds"?'),
    (GOOD + "[parameters.beta]\nrounds = [1]\n", 5, "expected one value"),
    (GOOD + "[parameters.delta]\nrounds = 1\n", 4,
     'unknown benchmark "delta"; did you mean "beta"?'),
    (GOOD + "[parameters.gamma]\nrounds = 1\n", 4,
     "gamma is not in this sweep (its benchmarks: alpha, beta)"),
    (GOOD + "[parameters]\nrounds = 1\n", 5, "parameters belong to a benchmark"),
    (GOOD + "[set]\nrounds = 1\n[parameters.beta]\nrounds = 2\n", 7,
     "beta.rounds is also given as rounds"),
    (GOOD + "shards = [1]\n[set]\ninverted.shards = 2\n", 6,
     "inverted.shards is also given as shards"),
]


class Mistakes(Checking):
    def test_each(self):
        self.check(GOOD)
        for text, line, said in MISTAKES:
            with self.subTest(said), self.assertRaises(Failure) as caught:
                self.check(text)
            first = str(caught.exception).splitlines()
            self.assertEqual(len(first), 1, first)
            self.assertTrue(first[0].startswith(f"x.toml:{line}: "), (line, first[0]))
            self.assertIn(said, first[0])

    def test_every_type_at_every_key(self):
        """Whatever stands in the file, there is a configuration or a line about each mistake."""
        values = ['-1', '1.5', 'nan', '-inf', 'true', '""', '"alpha"', '"\\u0000"', '"a\\nb"', '[]', '[[]]', '[1, "a"]',
                  '{}', '{a = {b = 1}}', '[{}]', '[{a = 1}]', '1979-05-27', '07:32:00', '1979-05-27T07:32:00Z', '9' * 50,
                  '[nan, nan]', '"0,1"', '["0", "9"]', '{benchmark = "alpha"}', '["alpha", ["beta"]]']
        keys = ['benchmark', 'scheduler', 'victim', 'idle', 'workers', 'pin', 'topology', 'size', 'inverted.shards',
                '"a.b"', '""', 'batch', 'beta', 'alpha.size.x']
        good = '[axes]\nbenchmark = ["alpha"]\n'
        texts = [f"[{table}]\n{key} = {value}\n{more}" for value in values for key in keys for more in ("", good)
                 for table in ("set", "[include]", "parameters", "parameters.alpha", "axes") if table != "axes" or not more]
        texts += [f"[sweep]\n{key} = {value}\n{good}" for value in values for key in (
            SETTINGS)]
        texts += [f"{table} = {value}\n{good if table != 'axes' else ''}" for value in values for table in checker.TABLES]
        texts += [f"{good}[[override]]\nwhere = {where}\nset = {options}\n" for value in values
                  for where, options in ((value, "{size = 1}"), ("{size = 1}", value), ("{workers = 1}", f"{{size = {value}}}"),
                                         (f"{{scheduler = {value}}}", "{size = 1}"))]
        for text in texts:
            with self.subTest(text):
                try:
                    for cell in self.plan(text).cells:
                        self.assertNotIn("\0", cell.shown())
                except Failure as failure:
                    for line in str(failure).splitlines():
                        self.assertRegex(line, r"^x\.toml:")

    def test_all_at_once(self):
        self.sweep('[sweep]\ninvocations = 0\ntwins = 1\n[axes]\nbenchmark = ["alpa"]\nworkers = [0, 1,\n 99]\n', code=2)
        found = re.findall(r"^small.toml:(\d+): (.{8})", self.errors, re.MULTILINE)
        self.assertEqual(found, [("2", "invocati"), ("3", "unknown "), ("5", "unknown "), ("6", "workers "), ("7", "workers ")])
        self.assertEqual(len(self.errors.splitlines()), 5)
        self.assertFalse(self.results.exists())

    def test_files(self):
        for content, said in (
            (b"[sweep\nname = 1\n", r"^\S*:1: .+\(column 7\)$"),
            (b"[axes]\nworkers = [1, 2\n", r"^\S*:2: .+\(end of file\)$"),
            (b"[sweep]\nseed = 1\nseed = 2\n", r"^\S*:3: "),
            (b"# \xff\n", r"^\S*:1: not UTF-8$"),
            (b"[set]\nworkers = " + b"9" * 5000 + b"\n", r"^\S*:2: cannot read this number: "),
            (b"[set]\nworkers = " + b"[" * 5000 + b"]" * 5000, r"^\S*:2: nested too deeply$"),
            (b"[set]\nworkers = " + b"[" * 100 + b"]" * 100, r"^\S*:2: nested too deeply$"),
        ):
            path = self.folder / "bad.toml"
            path.write_bytes(content)
            with self.assertRaisesRegex(Failure, said):
                config.read(path)
        with self.assertRaisesRegex(Failure, "none.toml: No such file"):
            config.read(self.folder / "none.toml")

    def test_asked_of_actorlab(self):
        """Cells that would refuse to begin; those that a filter leaves out do not matter."""
        text = '[axes]\nbenchmark = ["alpha", "beta"]\nsize = [12, 13]\nworkers = [1, 2]\n'
        for words in ([], ["plan"]):
            self.sweep(text, *words, code=2)
            self.assertEqual(self.errors, "small.toml: alpha workers=1 size=13 and 3 more cells: size=13 brings bad luck\n")
        self.assertIn("2 cells x 10 blocks", self.sweep(text, "plan", "--filter", "beta.*size=12"))
        self.assertFalse(self.results.exists())

    def test_more_workers_than_pus_whatever_the_topology(self):
        with self.assertRaisesRegex(Failure, "workers = 3: must be 1 to 2, the PUs of this machine"):
            self.check('[set]\nbenchmark = "alpha"\nworkers = 3\ntopology = "t"\n')

    def test_command_line(self):
        for arguments in (["--seed", "x"], ["--filter", "("], ["--filter", "nothing"], ["--color", "blue"], ["--seed=-1"],
                          ["--filter", "a{99999999999}"], ["--filter", "(" * 5000], ["--seed", "9" * 5000],
                          ["--block", "\udcff"], ["--filter", "\udcff"]):
            self.sweep(SMALL, *arguments, code=2)
        self.assertEqual(self.log("begin"), [])

    def test_repository_configurations(self):
        for path in SWEEPS:
            tables, content = config.read(path)
            self.assertLessEqual(set(tables), set(checker.TABLES), path)


if __name__ == "__main__":
    unittest.main()
