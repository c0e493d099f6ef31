#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Comparing revisions of a small clone, whose program is made up and becomes slower."""

import os
import re
import signal
import subprocess
import sys
import tomllib
import unittest
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import ROOT
from support.sweeping import Bench, alive

from common.failure import Failure
from revisions import configuration, repository, search
from revisions.repository import DoesNotBuild
from sweep import runner

BUILD = """project('made-up')
custom_target('actorlab', input: 'actorlab.py', output: 'actorlab', command: ['cp', '@INPUT@', '@OUTPUT@'],
              build_by_default: true)
"""
CELLS = """[sweep]
invocations = 7
[axes]
workers = [1, 2]
[set]
benchmark = "alpha"
"""


class Clone(Bench):
    layouts = ["--one-layout"]

    def setUp(self):
        super().setUp()
        (self.folder / "real-compare").write_text("yes")
        (self.folder / "cells.toml").write_text(CELLS)
        self.clone = self.folder / "clone"
        self.clone.mkdir()
        self.source = (ROOT / "tests" / "support" / "fake_actorlab.py").read_text()
        self.git("init", "--quiet", "--initial-branch=main")
        (self.clone / "meson.build").write_text(BUILD)
        (self.clone / ".gitignore").write_text("/build/\n")

    def git(self, *words):
        who = ("-c", "user.name=A", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
        return subprocess.run(["git", "-C", self.clone, *who, *words], check=True, text=True, stdout=subprocess.PIPE).stdout.strip()

    def write(self, name, factor=1):
        """The program of that name, so many times as slow as the first one."""
        text = self.source.replace('state("hash", "h1")', repr(name)).replace('state("factor", "1")', repr(str(factor)))
        (self.clone / "actorlab.py").write_text(text)
        (self.clone / "actorlab.py").chmod(0o755)

    def commit(self, name, factor=1, broken=False):
        """Commits such a program, or one that does not build. Returns the commit."""
        self.write(name, factor)
        (self.clone / "meson.build").write_text(BUILD + "nonsense(\n" * broken)
        self.git("add", ".")
        self.git("commit", "--quiet", "-m", name)
        return self.git("rev-parse", "HEAD")

    def command(self, *words):
        return [ROOT / "scripts/compare-builds", "--repository", "clone", "--results", "out", *self.layouts, *words]

    def run_it(self, *words, code=0):
        done = subprocess.run(self.command(*words), cwd=self.folder, env=self.environment, capture_output=True, text=True,
                              timeout=200)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        self.errors = done.stderr
        return done.stdout


class Comparing(Clone):
    def test_a_regression(self):
        old, new = self.commit("first"), self.commit("second", factor=1.5)
        output = self.run_it("HEAD~1", "main", "cells.toml", code=1)
        self.assertIn(f"building main ({new[:10]}) in {self.clone}/build/revisions/{new} …\n", output)
        self.assertRegex(output, r"(?m)^alpha .* 1\.[45]\d* .*slower")
        # The first build has the twins.
        self.assertEqual(Counter((row["binary"], row["environment"]["binary_hash"]) for row in self.rows()),
                         {("HEAD~1", "first"): 28, ("main", "second"): 14})
        # Run again, it builds and measures nothing, and ends alike.
        again = self.run_it("HEAD~1", "main", "cells.toml", "--fail-on-regression", "0.25", code=1)
        self.assertNotIn("building", again)
        self.assertIn("42 of 42 trials already recorded", again)
        self.run_it("HEAD~1", "main", "cells.toml", "--fail-on-regression", "0.9")
        output = self.run_it("main", "HEAD~1", "cells.toml", "--results", "back", "--filter", "workers=2$")
        self.assertRegex(output, r"(?m)^alpha .*faster")
        self.assertNotIn("workers=1 ", output)
        # With too few blocks it can never fail, which is exit code 4.
        self.run_it("HEAD~1", "main", "cells.toml", "--blocks", "2", "--results", "few", code=4)
        self.assertEqual(old, self.git("rev-parse", "HEAD~1"))

    def test_the_working_tree(self):
        """It is compared as it is, and stays so. Its results are those of its program."""
        self.commit("first")
        self.write("changed", factor=3)
        self.run_it(".", "main", "cells.toml", "--filter", "workers=1$")
        self.assertEqual(Counter((row["binary"], row["environment"]["binary_hash"]) for row in self.rows()),
                         {(".", "changed"): 14, ("main", "first"): 7})
        self.assertEqual(self.git("status", "--porcelain"), "M actorlab.py")
        self.assertIn("changed", tomllib.loads((self.results / "config.toml").read_text())["sweep"]["name"])

    def test_all_failed(self):
        """That is no wrong usage."""
        self.commit("first")
        self.commit("second")
        (self.folder / "crash.toml").write_text(CELLS + 'mode = "crash"\n')
        self.assertIn("left out: alpha, main, workers 1: no trial", self.run_it("HEAD~1", "main", "crash.toml", code=1))

    def test_mistakes(self):
        self.commit("first")
        self.commit("second", broken=True)
        (self.folder / "early.toml").write_text(CELLS.replace("[sweep]", "[sweep]\nprecision = 0.1"))
        (self.folder / "own.toml").write_text(CELLS.replace("[set]", '[set]\nbinary = "x"'))
        for words, said in (
                (["main", "nowhere"], f'nowhere: not a revision of {self.clone}; valid: a branch, a tag, a commit, or "." '
                 "for the working tree"),
                (["main", "HEAD"], "main and HEAD are the same revision: there is nothing to compare"),
                (["HEAD~1", "main", "cells.toml"], r"does not build: .*/log"),
                (["HEAD~1", "HEAD~1", "--blocks", "0"], "argument --blocks: '0' is not a whole number from 1"),
                (["HEAD~1", "main", "--fail-on-regression", "x"], "'x' is not a share from 0 up to 1, such as 0.05 for 5%"),
                (["--bisect", "HEAD~1", "main"], "--bisect needs --filter with the name of one cell"),
                (["--bisect", "HEAD~1", ".", "--filter", "x"], "a search is among commits; commit the changes first"),
                (["--bisect", "main", "HEAD~1", "--filter", "x"], "main is not an ancestor of HEAD~1"),
                (["--bisect", "main", "HEAD", "--filter", "x"], "--bisect: main and HEAD are the same commit"),
                (["--bisect", "main", "HEAD", "--filter", "x", "--blocks", "3"], "without it, --blocks is valid")):
            with self.subTest(words):
                self.run_it(*words, code=2)
                self.assertRegex(self.errors.splitlines()[-1], said if ".*" in said else re.escape(said))
        log = self.clone / "build/revisions" / self.git("rev-parse", "HEAD") / "log"
        self.assertIn("nonsense", log.read_text())
        self.git("revert", "--no-edit", "HEAD")
        self.write("third")
        for config, said in (("none.toml", "none.toml: No such file or directory"),
                             ("early.toml", "early.toml: with precision the sweep may end before the gate could find a "
                              "regression: give --blocks, or take it out"),
                             ("own.toml", "own.toml: it has builds of its own (binary): use scripts/sweep")):
            self.assertEqual(self.run_it("main", ".", config, code=2), "")
            self.assertEqual(self.errors, said + "\n")

    def test_before_building(self):
        """Mistakes in the configuration and the folder of results are found before anything is
        built."""
        self.commit("first")
        self.commit("second")
        (self.folder / "file").write_text("")
        for words, said, code in (
                (["none.toml"], "none.toml: No such file or directory", 2),
                (["cells.toml", "--results", "file"], "file: cannot write: Not a directory", 3),
                (["cells.toml", "--results", "file/in"], "file/in: cannot write: Not a directory", 3)):
            for more in ([], ["--bisect", "--filter", "workers=1"]):
                with self.subTest(words + more):
                    self.assertEqual(self.run_it("HEAD~1", "main", *words, *more, code=code), "")
                    self.assertEqual(self.errors, said + "\n")
        self.assertFalse((self.clone / "build").exists())

    def test_interrupted(self):
        """Ctrl-C keeps what is there, and the same command continues."""
        self.commit("first")
        self.commit("second")
        (self.folder / "cells.toml").write_text(CELLS + "sleep_ms = 50\n")
        words = ("HEAD~1", "main", "cells.toml", "--filter", "workers=1")
        process = subprocess.Popen(self.command(*words), cwd=self.folder, env=self.environment,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.wait_for(lambda: len(self.rows()) > 3)
        process.send_signal(signal.SIGINT)
        process.communicate()
        self.assertEqual(process.returncode, 130)
        done = len(self.rows())
        self.assertLess(done, 21)
        self.assertIn(f"{done} of ", self.run_it(*words))

    def test_interrupted_while_it_builds(self):
        """The build ends too, and the same command continues."""
        self.environment["AL_PIDS"] = str(self.folder / "pids")
        self.commit("first")
        slow = BUILD.replace("['cp', ", "['sh', '-c', 'echo $$ >>$AL_PIDS; test -e quick || exec sleep 100; cp $0 $1', ")
        (self.clone / "meson.build").write_text(slow.replace("-e quick", "-e " + str(self.folder / "quick")))
        self.git("commit", "--quiet", "-am", "second")
        command = self.command("HEAD~1", "main", "cells.toml", "--filter", "workers=1", "--blocks", "1")
        process = subprocess.Popen(command, cwd=self.folder, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        pids = self.folder / "pids"
        self.wait_for(lambda: pids.exists() and pids.read_text().endswith("\n"))
        process.send_signal(signal.SIGINT)
        process.communicate()
        self.assertEqual(process.returncode, 130)
        self.wait_for(lambda: not any(alive(int(pid)) for pid in pids.read_text().split()))
        (self.folder / "quick").touch()
        self.assertNotIn("building HEAD~1", self.run_it(*command[5:], code=4))

    def test_interrupted_as_a_step_begins(self):
        """The step ends too if the signal comes before anybody waits for it."""
        class Interrupted(runner.Supervisor):
            def __init__(self, *words):
                super().__init__(*words)
                while not pid.exists() or not pid.read_text():
                    pass
                os.kill(os.getpid(), signal.SIGTERM)

        pid, child = self.folder / "pid", os.fork()
        if child == 0:
            with mock.patch.object(runner, "Supervisor", Interrupted):
                repository.Repository._step(None, self.folder / "log", "sh", "-c", f"echo $$ >{pid}; exec sleep 100")
            os._exit(0)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), -signal.SIGTERM)
        self.wait_for(lambda: not alive(int(pid.read_text())))


class Bisecting(Clone):
    def test_the_commit_is_found(self):
        """Among commits of which one does not build."""
        good = self.commit("good")
        self.commit("broken", broken=True)
        self.commit("harmless")
        slow = self.commit("slow", factor=2)
        words = ("--bisect", good, "main", "cells.toml", "--filter", "alpha workers=2")
        output = self.run_it(*words)
        self.assertRegex(output, rf"skipped: \w+ \(\w+\) does not build: {self.clone}/build/revisions/\w+/log\n")
        self.assertRegex(output, rf"\n{slow[:10]} slow made it slower: (1\.9|2\.0)\d* \[.*\] times as long, slower\n$")
        self.assertRegex(output, r"step 1: \w+ slow \(at most 2 steps left\)\n")
        # Run again, it measures nothing.
        self.assertNotIn("[ 1/", self.run_it(*words))
        self.run_it("--bisect", "HEAD~1", "main", "cells.toml", "--filter", "alpha", code=2)
        self.assertIn("--bisect: --filter must leave one cell, but it leaves 2: alpha workers=1; alpha workers=2\n", self.errors)
        self.run_it("--bisect", "HEAD~3", "HEAD~2", "cells.toml", "--filter", "workers=2", code=2)
        self.assertIn("does not build", self.errors)

    def test_ends(self):
        """Where nothing became slower, where a step is not decided, and where commits do not build,
        of which it names what is left."""
        def is_slower(*_):
            if isinstance(answer := left.pop(0), Exception):
                raise answer
            return answer

        broken = DoesNotBuild("b about b does not build: log")
        commits = [type("Commit", (), {"short": name, "subject": f"about {name}"}) for name in "abcde"]
        for answers, said, code in (
                ([("slower", "2"), ("inconclusive", "1.1")], "undecided: b about b: 1.1; the commit is one of a, b, c, d, e", 4),
                ([("equivalent", "1.00")], "bad is not slower than good: 1.00", 1),
                ([("slower", "2"), broken, ("slower", "3"), ("equivalent", "1")],
                 ["skipped: b about b does not build: log",
                  "the commits in between do not build; the commit is one of b, c"], 4),
                ([("inconclusive", "1")], "undecided: whether bad is slower than good: 1", 4),
                ([130], None, 130),
                ([("slower", "2"), ("slower", "3"), 3], None, 3),
                ([("slower", "2"), ("equivalent", "1"), ("faster", "1"), ("equivalent", "1")], "e about e made it slower: 2", 0)):
            one = object.__new__(search.Search)
            lines, left = [], list(answers)
            one.__dict__.update(
                good=type("R", (), {"name": "good"}), bad=type("R", (), {"name": "bad"}), commits=commits,
                repository=type("G", (), {"build": lambda self, *_: "program"})(), screen=type("S", (), {"say": lines.append}),
                is_slower=is_slower)
            self.assertEqual((one.run(), lines), (code, said if isinstance(said, list) else [said] if said else []))
            self.assertFalse(left)


    @staticmethod
    def judged(*machines, ended=()):
        """The judgement on machines, each (failed, pairs). ended: builds whose trials ended."""
        made = [SimpleNamespace(failed=failed, families={"baseline": SimpleNamespace(pairs=pairs)},
                                cells=[{"binary": name} for name in ended]) for failed, pairs in machines]
        with mock.patch.object(search, "Summary", lambda *_: SimpleNamespace(machines=made)):
            return search.judged(SimpleNamespace(actorlab=None, folder=Path()), "good", "bad")

    def test_failures(self):
        """A build that fails more often counts as slower, however fast it is; also if all of its
        trials fail."""
        rows = [{"binary": "bad", "count": 2}, {"binary": "bad", "count": 1}]
        pair = {"verdict": "inconclusive", "ratio": {"median": 0.8, "low": None, "high": None},
                "failed": {"more": True, "text": "3 of 10 failed"}}
        self.assertEqual(self.judged((rows, {1: pair}), ended=("good", "bad")), ("slower", "3 of 10 failed"))
        pair["failed"]["more"] = False
        self.assertEqual(self.judged((rows, {1: pair}), ended=("good", "bad"))[0], "inconclusive")
        self.assertEqual(self.judged((rows, {}), ended=["good"]), ("slower", "3 of 3 failed"))
        self.assertIsNone(self.judged((rows, {}))[0])  # both fail
        self.assertIsNone(self.judged((rows, {}), ended=["bad"])[0])

    def test_nothing_to_compare(self):
        """Failed trials are blamed only if there are any."""
        judged, said = self.judged, "no cell of both builds can be compared"
        self.assertEqual(judged(([], {})), (None, said))
        self.assertEqual(judged(([{"binary": "bad", "count": 2}], {})), (None, f"{said}: 2 trials failed"))
        self.assertEqual(judged(([], {}), ([], {})), (None, f"{said}: the records are of 2 machines"))
        self.assertEqual(judged(([], {1: {}}), ([], {1: {}})),
                         (None, "2 comparisons instead of one: the records are of 2 machines"))


class Configuration(Bench):
    def derived(self, text, **settings):
        path = self.folder / "cells.toml"
        path.write_text(text)
        return tomllib.loads(configuration.derived(path, "n", {"a b": ["/p"], '"': ["/q", "/r"]}, **settings))

    def test_only_builds_are_added(self):
        text = (ROOT / "configs/strategies.toml").read_text()
        before, after = tomllib.loads(text), self.derived(text, invocations=3, baseline=None)
        self.assertEqual(after.pop("binaries"), {"a b": ["/p"], '"': ["/q", "/r"]})
        for group in [after["axes"], *after["include"]]:
            self.assertEqual(group.pop("binary"), ["a b", '"'])
        before["sweep"] |= {"name": "n", "invocations": 3}
        del before["sweep"]["baseline"]
        self.assertEqual(after, before)

    def test_every_group_has_them(self):
        after = self.derived('[set]\nx = "\\u007f\\\\\\" ü\\n"\n[[include]]\nbenchmark = "b"\n[[include]]\ny.z = [1.5, true]\n')
        self.assertEqual([group["binary"] for group in after["include"]], [["a b", '"']] * 2)
        self.assertNotIn("axes", after)
        self.assertEqual((after["set"]["x"], after["include"][1]["y"]), ('\x7f\\" ü\n', {"z": [1.5, True]}))
        with self.assertRaisesRegex(Failure, "axes must be a table"):
            self.derived("axes = 5\n")


if __name__ == "__main__":
    unittest.main()
