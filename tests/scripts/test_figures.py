#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""scripts/figures runs what is missing of a paper's sweeps, and draws their figures.

AL_BUILD names the build folder."""

import io
import os
import signal
import sys
import threading
import time
import tomllib
import unittest
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import ROOT
from support.sweeping import SMALL, Bench

from common import actorlab
from common.failure import exit_code
from figures import command
from sweep import peers

BARS = SMALL.replace("[axes]", '[axes]\nscheduler = ["inverted", "central"]') + '[plot]\nkinds = ["bars", "scaling"]\ny = "time"\n'


class Figures(Bench):
    def setUp(self):
        super().setUp()
        self.paper = self.folder / "configs" / "las"
        self.paper.mkdir(parents=True)
        (self.paper / "one.toml").write_text(SMALL)
        (self.paper / "two.toml").write_text(BARS)
        self.top = self.folder / "out" / "las" / "native"

    def figures(self, *words, code=0):
        """What it prints."""
        out, errors = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(errors), mock.patch.dict(os.environ, self.environment), \
                mock.patch.object(command, "CONFIGS", self.paper.parent), \
                mock.patch.object(sys, "argv", ["figures", *map(str, words), "--results", str(self.folder / "out")]):
            try:
                found = exit_code(command.main)
            except SystemExit as ended:
                found = ended.code
        self.assertEqual(found, code, out.getvalue() + errors.getvalue())
        self.errors = errors.getvalue()
        return out.getvalue()

    def test_stealing(self):
        """Where the chapter compares heuristics, the counters are drawn: it claims that gulps are
        hardly ever missed."""
        for path in (ROOT / "configs/chapter").glob("*.toml"):
            tables = tomllib.loads(path.read_text())
            if "random" in tables["axes"].get("victim", []):
                self.assertIn("counters", tables["plot"].get("kinds", []), path.name)

    def test_native(self):
        printed = self.figures("las")
        names = ["one.pdf", "one.png", "two-bars.pdf", "two-bars.png", "two-time.pdf", "two-time.png"]
        self.assertEqual(sorted(path.name for path in self.top.iterdir() if path.is_file()), names)
        lines = printed.splitlines()
        self.assertEqual(lines[:2], ["[1/2] native one", "[2/2] native two"])
        self.assertEqual(sorted(lines[2:]), [str(self.top / name) for name in names])
        before = (self.top / "one" / "records.jsonl").read_text()
        self.assertEqual(before.count("\n"), 8)
        # Only what is missing runs again, and then nothing.
        (self.top / "one" / "records.jsonl").write_text("".join(line + "\n" for line in before.splitlines()[:-1]))
        begun = (self.folder / "log").read_text().count("begin")
        with mock.patch.object(command.Figure, "draw", return_value=[]):  # nobody looks at it again
            for _ in range(2):
                self.figures("las")
                self.assertEqual((self.folder / "log").read_text().count("begin"), begun + 1)
            self.figures("las", "--filter", "tw")
        self.assertIn("0 to run", self.figures("las", "plan"))

    def test_failed(self):
        """A sweep that fails is told with its last line, and the others go on."""
        (self.paper / "one.toml").write_text(SMALL + '[set]\nmode = "crash"\n')
        (self.paper / "three.toml").write_text("[axes]\n")
        self.figures("las", code=2)
        self.assertIn(f"{self.top / 'one'}: exit code 1: ", self.errors)
        self.assertIn(f"{self.top / 'three'}: exit code 2: ", self.errors)
        self.assertIn("no benchmark", self.errors)
        self.assertTrue((self.top / "two-bars.png").is_file())

    def test_stopped(self):
        """A signal that reaches only this process ends the sweeps that it has begun, too."""
        (self.paper / "one.toml").write_text(SMALL + '[set]\nmode = "hang"\n')
        log = self.folder / "log"

        def stop():
            while not log.exists() or "begin" not in log.read_text():
                time.sleep(0.01)
            os.kill(os.getpid(), signal.SIGTERM)

        stopper = threading.Thread(target=stop)
        stopper.start()
        self.figures("las", code=130)
        stopper.join()
        self.assertEqual(log.read_text().count("begin"), 1)

    def commands(self, *words):
        """Of the sweeps that it would run: the arguments of each."""
        with mock.patch.object(command, "run_all", side_effect=lambda parts, at_once: found.append((parts, at_once)) or 0), \
                mock.patch.object(command.Figure, "draw", return_value=[]):
            found = []
            self.figures(*words)
        ((parts, at_once),) = found
        return [[str(word) for word in part.command[1:]] for part in parts], at_once

    def test_simulated(self):
        """On the paper's machines, several sweeps at once, three seeds; memory is left out."""
        (self.paper / "memory.toml").write_text(SMALL.replace("[axes]", "memory = true\n[axes]"))
        native, at_once = self.commands("las", "--size", "small")
        self.assertEqual((len(native), at_once), (3, 1))
        self.assertEqual(native[1], [str(self.paper / "one.toml"), f"--results={self.top}/one", "--no-plot", "--size", "small"])
        found, at_once = self.commands("las", "--engine", "sim")
        self.assertEqual(at_once, len(os.sched_getaffinity(0)))
        self.assertIn("note: opteron-6276-4s memory is left out", self.errors)
        named = [word.partition("=")[2] for words in found for word in words if word.startswith("--machine=")]
        self.assertEqual(named, 2 * ["opteron-6276-4s"] + 2 * ["xeon-e5-4s"])
        for words in found:
            self.assertEqual(words[2:6], ["--no-plot", "--size", "sim", "--engine"])
            self.assertEqual(words.count("--quick"), 1)
        # A file gives the folder its name, and a machine that is given twice counts once.
        file = self.folder / "m.xml"
        file.write_bytes((ROOT / "tests" / "machines" / "two-cores.xml").read_bytes())
        found, _ = self.commands("las", "--engine", "sim", "--machine", file, "--machine", file, "--deep", "--filter", "one")
        folder = self.folder / "out" / "las" / "m"
        self.assertEqual(found, [[str(self.paper / "one.toml"), f"--results={folder}/one", "--no-plot", "--size", "sim",
                                  "--engine", "sim", f"--machine={file}", "--jobs", "1",
                                  f"--reuse={folder}/memory", f"--reuse={folder}/two"]])

    def test_claims(self):
        """What claims have simulated is not simulated again."""
        folder = self.folder / "results" / "claims" / "xeon-e5-4s-01234567" / "las" / "two"
        folder.mkdir(parents=True)
        (folder / "records.jsonl").write_text("")
        with mock.patch.object(actorlab, "RESULTS", self.folder / "results"):
            found, _ = self.commands("las", "--engine", "sim", "--filter", "two")
        self.assertEqual([f"--reuse={folder}" in words for words in found], [False, True])

    def test_machines(self):
        """Those of the papers are there."""
        for names in command.MACHINES.values():
            for name in names:
                self.assertTrue((ROOT / "configs" / "machines" / f"{name}.xml").is_file(), name)

    def test_mistakes(self):
        for words, said in ((["las", "--machine", "m"], "--machine without --engine sim; valid: only with it"),
                            (["las", "--deep"], "--deep without --engine sim; valid: only with it"),
                            (["las", "--filter", "three"], "--filter three: matches no sweep; valid: one, two"),
                            (["thesis"], "invalid choice: 'thesis' (choose from 'chapter', 'las', 'mercury')")):
            self.figures(*words, code=2)
            self.assertIn(said, self.errors.strip().splitlines()[-1])

    def test_unknown_machine(self):
        """One line, and no folder of results."""
        for words in ([], ["plan"]):
            self.figures("las", "--engine", "sim", "--machine", "nonsense", *words, code=2)
            self.assertRegex(self.errors, "^unknown machine 'nonsense'; valid: .+\n$")
        self.assertFalse((self.folder / "out").exists())

    def test_cannot_write(self):
        (self.folder / "out").write_text("")
        self.figures("las", code=3)
        self.assertRegex(self.errors, "^.*/out/las/native/one: cannot write: Not a directory\n$")
        (self.folder / "out").unlink()
        (self.top / "one").mkdir(parents=True)
        (self.top / "one" / "log.txt").symlink_to("elsewhere")
        self.figures("las", code=3)
        self.assertRegex(self.errors, "^.*/one/log.txt: cannot write: It is a link to another place; remove it\n$")

    def test_plan_of_a_mistake(self):
        (self.paper / "one.toml").write_text("[axes]\n")
        self.assertRegex(self.figures("las", "plan", code=2), "^native two: .+\n$")


class Configurations(unittest.TestCase):
    def test_each_paper(self):
        """Each sweep of the papers says how it is drawn."""
        for paper in command.PAPERS:
            for path in (actorlab.ROOT / "configs" / paper).glob("*.toml"):
                self.assertIn("[plot]", path.read_text(), path)

    def test_systems(self):
        """What the chapter compares with other systems has CAF, and what stands for µC++."""
        for name in ("static-send", "dynamic-send", "executor", "repeat", "matrix", "executor-memory"):
            with self.subTest(name):
                tables = tomllib.loads((actorlab.ROOT / "configs" / "chapter" / f"{name}.toml").read_text())
                self.assertIn("caf-stealing", peers.named(tables))
                self.assertIn(("inverted", "list", "none"),
                              [(entry["scheduler"], entry.get("queue"), entry.get("victim")) for entry in tables["include"]])
                self.assertIn("stands for µC++", tables["plot"]["note"])


if __name__ == "__main__":
    unittest.main()
