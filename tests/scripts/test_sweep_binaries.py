#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Sweeps in which several builds run the same cells side by side."""

import json
import os
import shutil
import subprocess
import sys
import unittest
from collections import Counter
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support.peering import Peers
from support.sweeping import SWEEP, Bench

from sweep import binaries

TEXT = """[sweep]
invocations = 2
twin = false
[binaries]
new = "new/actorlab"
[axes]
binary = ["old/actorlab", "new"]
workers = [1, 2]
[set]
benchmark = "alpha"
"""


class Builds(Bench):
    def setUp(self):
        super().setUp()
        for name in ("old", "new"):
            (self.folder / name).mkdir()
            shutil.copy(self.fake, self.folder / name / "actorlab")
            self.tell(name, hash=f"of {name}")

    def command(self, text, *words, trusted=True, **options):
        return super().command(text, *words, *["--trust"] * trusted, **options)

    def tell(self, build, **state):
        for name, content in state.items():
            (self.folder / build / name).write_text(content if isinstance(content, str) else json.dumps(content))

    def own(self, build):
        """What a build would list, to change it."""
        said = subprocess.run([self.folder / build / "actorlab", "list", "--json"], stdout=subprocess.PIPE, check=True)
        return json.loads(said.stdout)

    def refused(self, text, *said):
        self.sweep(text, code=2)
        self.assertEqual(self.errors.replace(f"{self.folder}/", ""), "".join(f"small.toml:{line}\n" for line in said))
        self.assertFalse((self.results / "records.jsonl").exists())


class Trust(Builds):
    def setUp(self):
        super().setUp()
        for name in ("old", "new"):  # a build that tells when it runs
            program = self.folder / name / "actorlab"
            program.write_text(program.read_text().replace("import fake", 'open(sys.argv[0] + ".ran", "w").close()\nimport fake'))

    def ran(self):
        return any((self.folder / name / "actorlab.ran").exists() for name in ("old", "new"))

    def test_refused(self):
        """Without a terminal nobody can be asked."""
        for words in (["plan"], []):
            process = subprocess.run(self.command(TEXT, *words, trusted=False), cwd=self.folder, env=self.environment,
                                     stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
            self.assertEqual((process.returncode, process.stderr), (
                2, f"small.toml: this configuration runs {self.folder}/old/actorlab, {self.folder}/new/actorlab; if you "
                "trust that, give --trust\n"))
            self.assertFalse(self.ran())

    def test_again(self):
        """The sweep of a folder, whose sweep.json says where the programs are."""
        self.sweep(TEXT)
        for name in ("old", "new"):
            (self.folder / name / "actorlab.ran").unlink()
        process = subprocess.run([*SWEEP, "--from", self.results, "plan"], cwd=self.folder,
                                 env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        self.assertEqual((process.returncode, process.stderr.count("\n")), (2, 1), process.stderr)
        self.assertIn(f"out/config.toml: this configuration runs {self.folder}/old/actorlab, ", process.stderr)
        self.assertFalse(self.ran())

    def test_asked(self):
        for answer, code, ran in (("n", 2, False), ("", 2, False), ("yes", 0, True)):
            ours, theirs = os.openpty()
            process = subprocess.Popen(self.command(TEXT, "plan", trusted=False), cwd=self.folder, env=self.environment,
                                       stdin=theirs, stdout=subprocess.DEVNULL, stderr=theirs)
            os.close(theirs)
            said = b""
            while b"[y/N]" not in said:
                said += os.read(ours, 1000)
            os.write(ours, answer.encode() + b"\n")
            self.assertEqual(process.wait(), code)
            os.close(ours)
            self.assertIn(b"this configuration runs ", said)
            self.assertEqual(self.ran(), ran)

    def test_others(self):
        """A configuration without programs of its own needs no trust."""
        self.assertIn("1 cell", "".join(subprocess.run(
            self.command('[set]\nbenchmark = "alpha"\n', "plan", trusted=False), cwd=self.folder, env=self.environment,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True).stdout))


class Running(Builds):
    def test_side_by_side(self):
        """Each block runs every cell with every build; each record says which ran it."""
        plan = self.sweep(TEXT, "plan")
        self.assertIn("actorlab run alpha --workers 1 (old/actorlab)\n", plan)
        self.assertIn("4 cells x 2 blocks = 8 trials", plan)
        output = self.sweep(TEXT)
        rows = self.rows()
        self.assertEqual(Counter((row["binary"], row["workers"]) for row in rows),
                         {(name, workers): 2 for name in ("old/actorlab", "new") for workers in (1, 2)})
        self.assertEqual({(row["binary"], row["environment"]["binary_hash"]) for row in rows},
                         {("old/actorlab", "of old"), ("new", "of new")})
        self.assertEqual(len({row["sweep"]["cell"] for row in rows}), 4)
        self.assertEqual(len({row["sweep"]["session"] for row in rows}), 1)
        for name in ("old", "new"):
            begun = [line for line in (self.folder / name / "log").read_text().splitlines() if line.startswith("begin")]
            self.assertEqual(len(begun), 4)
            self.assertNotIn("--binary", begun[0])
        self.assertFalse(self.log("begin"))
        self.assertIn("alpha workers=2 binary=new", output)
        self.assertEqual(json.loads((self.results / "sweep.json").read_text())["axes"]["binary"], ["old/actorlab", "new"])
        self.assertIn("8 of 8 trials already recorded", self.sweep(TEXT))
        # A filter, an exclusion and [set] name it like any other key.
        self.assertIn("2 cells x", self.sweep(TEXT, "plan", "--filter", "binary=new"))
        self.assertIn("3 cells x", self.sweep(TEXT.replace("[sweep]", '[sweep]\nexclude = [{binary = "new", workers = 2}]'), "plan"))
        fixed = TEXT.replace('binary = ["old/actorlab", "new"]', "").replace("[set]", '[set]\nbinary = "new"')
        self.sweep(fixed, "--rerun")
        self.assertEqual({row["binary"] for row in self.rows()}, {"new"})

    def test_a_build_that_has_changed(self):
        """Each build is held to its own earlier records; others may come and go."""
        self.sweep(TEXT)
        self.tell("old", hash="another")
        self.sweep(TEXT, code=2)
        self.assertIn("its records have binary_hash of old/actorlab of old, now it is another: ", self.errors)
        (self.folder / "hash").write_text("not used by any cell")
        self.sweep(TEXT.replace('"old/actorlab", ', ""))
        self.assertEqual(len(self.rows()), 8)
        self.sweep(TEXT.replace('"old/actorlab", ', "").replace("= 2\n", "= 3\n"))
        self.assertEqual(len(self.rows()), 10)
        # Of the machine they say the same.
        (self.folder / "new" / "cpus").write_text("0-3")
        self.sweep(TEXT.replace('"old/actorlab", ', ""), code=2)
        self.assertIn("its records have cpus_allowed 0-1, now it is 0-3: ", self.errors)

    def test_an_old_build(self):
        """It may write an older record, lack what no cell needs, and crash."""
        old = self.own("old")
        self.tell("old", listing={"schema_version": 1, "schedulers": old["schedulers"][:1], "victims": old["victims"][1:],
                                  "benchmarks": old["benchmarks"][:1]})
        self.sweep(TEXT)
        self.assertEqual(Counter((row["binary"], row["schema_version"]) for row in self.rows()), {("old/actorlab", 2): 4, ("new", 2): 4})
        self.assertEqual(len({row["trial"] for row in self.rows()}), 8)
        self.assertEqual(self.output.count("each:"), 4)
        self.assertIn("8 of 8 trials already recorded", self.sweep(TEXT))
        self.tell("old", mood="bad")
        self.sweep(TEXT + 'mode = "moody"\n', "--rerun", code=1)
        bad = [row for row in self.rows() if row["outcome"] == "crashed"]
        self.assertEqual({(row["binary"], row["environment"]["binary_hash"]) for row in bad}, {("old/actorlab", "of old")})
        self.assertEqual((len(bad), len(self.rows())), (4, 8))
        self.assertIn("8 of 8 trials already recorded", self.sweep(TEXT + 'mode = "moody"\n', code=1))

    def test_from_elsewhere(self):
        """A sweep is repeated with the same builds, although its copy of the file is elsewhere."""
        self.sweep(TEXT)
        for again in (["out"], ["out-again"]):
            done = subprocess.run([*SWEEP, "--no-plot", "--trust", "--from", *again], cwd=self.folder,
                                  env=self.environment, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            rows = [json.loads(line) for line in (self.folder / f"{again[0]}-again" / "records.jsonl").read_text().splitlines()]
            self.assertEqual(Counter(row["binary"] for row in rows), {"old/actorlab": 4, "new": 4})

    def test_twins_of_the_first(self):
        """There is one for each workload and number of workers, whatever the number of builds."""
        text = TEXT.replace("twin = false", "twin = true")
        self.sweep(text)
        self.assertEqual(Counter(row["binary"] for row in self.rows() if row["sweep"].get("twin")), {"old/actorlab": 4})


    def test_a_parameter_that_a_build_lacks(self):
        """It does not separate cells, but must be the same in all builds that have it."""
        def lists(build, default):
            benchmarks = self.own(build)["benchmarks"]
            options = benchmarks[0]["options"]
            if default is None:
                options[:] = [option for option in options if option["name"] != "size"]
            else:
                next(option for option in options if option["name"] == "size")["default"] = default
            self.tell(build, listing={"benchmarks": benchmarks})

        lists("old", None)
        text = TEXT.replace("invocations = 2", 'precision = "verdicts"')
        self.assertIn("4 cells x", self.sweep(text, "plan"))
        self.assertIn("6 cells x", self.sweep(text.replace("twin = false", "twin = true"), "plan"))
        shutil.copytree(self.folder / "new", self.folder / "newer")
        lists("newer", "20")
        self.refused(TEXT.replace('"new"]', '"new", "newer/actorlab"]'),
                     " size of alpha is 10 by default in new, but 20 in newer/actorlab: set it in [parameters.alpha]")


class Refusing(Builds):
    def test_not_an_actorlab(self):
        where = 'binary = "old/actorlab": old/actorlab'
        program = self.folder / "old" / "actorlab"
        program.unlink()
        self.refused(TEXT, f"7: {where} cannot run: No such file or directory")
        program.write_text("#!/bin/sh\nexit 0\n")
        self.refused(TEXT, f"7: {where} cannot run: Permission denied")
        program.chmod(0o755)
        said = f"7: {where} is no actorlab, or one too old"
        self.refused(TEXT, said)
        for script in ("yes", "echo [", "echo '[]'", "echo '{\"schema_version\": \"x\"}'", "exit 3"):
            program.write_text(f"#!/bin/sh\n{script}\n")
            self.refused(TEXT, said)
        program.write_text("#!/bin/sh\necho '{\"schema_version\": 1}'\n")
        self.refused(TEXT, f"{said}: its list has no pus")

    def test_a_build_that_does_not_answer(self):
        self.tell("old", **{"slow-list": "1000"})
        with mock.patch.object(binaries, "PATIENCE_S", 0.2):
            made = binaries.make("old", [self.folder / "old" / "actorlab"], mock.Mock(schema_version=2))
        self.assertIn("is no actorlab", made)

    def test_what_it_lacks(self):
        """One line each, before anything runs."""
        old = self.own("old")
        text = TEXT.replace('"alpha"', '"alpha"\nscheduler = "central"\nvictim = "longest"\nsize = 3\n')
        build = "binary = old/actorlab: old/actorlab"

        def without(kind, *names, option=None):
            entries = [{**entry, "options": [one for one in entry["options"] if one["name"] != option]}
                       for entry in old[kind] if entry["name"] not in names]
            self.tell("old", listing={kind: entries})

        without("benchmarks", "alpha")
        self.refused(text, f' {build} has no benchmark "alpha" (it has: beta, gamma)')
        without("schedulers", "central")
        self.refused(text, f' {build} has no scheduler "central" (it has: inverted, mercury, sharing)')
        without("benchmarks", option="size")
        self.refused(text, f' {build} has no option "size" for alpha and central (it has: capacity, mode, sleep_ms, spins)')
        without("victims", "longest")
        self.refused(text.replace("central", "inverted"), f' {build} has no victim "longest" (it has: none, random)')
        self.tell("old", listing={"schema_version": 3})
        self.refused(text, "7: binary = \"old/actorlab\": old/actorlab writes records of version 3, but this actorlab reads up to 2")
        changed = json.loads(json.dumps(old["benchmarks"]))
        changed[0]["options"][0]["default"] = "20"
        self.tell("old", listing={"benchmarks": changed})
        self.refused(TEXT, " size of alpha is 20 by default in old/actorlab, but 10 in new: set it in [parameters.alpha]")
        self.sweep(TEXT + "size = 3\n", "plan")
        self.tell("old", listing={}, unlucky="size=3")
        self.refused(text.replace("central", "inverted"), " alpha inverted longest workers=1 binary=old/actorlab and 1 more cell: "
                     "old/actorlab: size=3 brings bad luck")

    def test_mistakes_in_the_file(self):
        for old, new, *said in (
                ('"new/actorlab"', "7", '5: new = 7: must be the path of an actorlab in quotes', '7: unknown binary "new" (valid: old/actorlab)'),
                ('"new/actorlab"', '["new/actorlab", ""]', '5: new = ["new/actorlab", ""]: must be the path of an actorlab in quotes',
                 '7: unknown binary "new" (valid: old/actorlab)'),
                ('"new/actorlab"', '["new/actorlab", "new/actorlab"]', "5: new: 1 layout for 2 blocks: each block needs one of its "
                 "own, because those that share one tell the same twice"),
                ('"new/actorlab"', '["new/actorlab", "new/actorlab", "new/2"]', '7: binary = "new": new/actorlab has no layout new/2'),
                ('"old/actorlab", "new"', '"old/actorlab"', '5: no cell runs new: name it in axes or set, as binary = ["new"]'),
                ('"old/actorlab", "new"', '"", "new"', '7: binary = "": must be a name in quotes'),
                ('"old/actorlab", "new"', '5, "new"', '7: binary = 5: must be a name in quotes'),
                ('["old/actorlab", "new"]', '"new"', '7: binary = "new": an axis is a list; a single value belongs in [set]'),
                ("[binaries]", "[binarys]", '7: binary = "new": new is a folder, not a program',
                 '4: unknown table or key "binarys"; did you mean "binaries"? (valid: sweep, axes, set, parameters, include, '
                 "variant, override, binaries, plot)")):
            self.refused(TEXT.replace(old, new), *sorted(said, key=lambda line: int(line.partition(":")[0])))


class Beside(Peers):
    def command(self, text, *words, **options):
        return super().command(text, "--trust", *words, **options)

    def test_a_peer_runs_once(self):
        """It is no build of actorlab."""
        for name in ("old", "new"):
            (self.folder / name).mkdir()
            shutil.copy(self.fake, self.folder / name / "actorlab")
        self.run_with(["good"], '[sweep]\ninvocations = 2\n[axes]\nbinary = ["old/actorlab", "new/actorlab"]\n'
                      'scheduler = ["inverted", "good"]\n[set]\nbenchmark = "alpha"\nworkers = 1\n')
        self.assertEqual(Counter((row["scheduler"], row.get("binary")) for row in self.rows()),
                         {("inverted", "old/actorlab"): 2, ("inverted", "new/actorlab"): 2, ("good", None): 2})


if __name__ == "__main__":
    unittest.main()
