#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The commands of scripts/ start fast: they load large libraries only to use them. A mistake on the
command line is told in one line."""

import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import ROOT
from support.sweeping import SMALL, Bench

LARGE = ("jinja2", "matplotlib", "numpy", "rich", "scipy")
# Runs scripts/lib with these arguments, and then prints which of the large libraries it has loaded.
PROGRAM = """
import atexit, runpy, sys
large, lib, *sys.argv[1:] = sys.argv[1:]
atexit.register(lambda: print("loaded:", *(name for name in large.split() if name in sys.modules)))
runpy.run_path(lib, run_name="__main__")
"""


class Startup(Bench):
    def loaded(self, *arguments):
        done = subprocess.run([sys.executable, "-c", PROGRAM, " ".join(LARGE), ROOT / "scripts" / "lib", *arguments],
                              cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.rpartition("loaded:")[2].split()

    def test_help(self):
        for command in ("plot", "quiet", "report", "sweep", "test"):
            self.assertEqual(self.loaded(command, "--help"), [], command)

    def test_plan(self):
        (self.folder / "small.toml").write_text(SMALL)
        self.assertEqual(self.loaded("sweep", "small.toml", "plan", "--results", "out"), [])


class Mistakes(unittest.TestCase):
    def refused(self, *words):
        done = subprocess.run([sys.executable, ROOT / "scripts" / "lib", *words], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
        return done.stderr

    def test_one_line(self):
        for command in ("bundle", "compare-builds", "figures", "plot", "quiet", "report", "simulate-deep", "sweep", "test",
                        "validate-sim"):
            self.assertTrue(self.refused(command, "--nosuch").startswith(f"scripts/{command}: "), command)

    def test_key(self):
        """What only a configuration sets is no option."""
        for words, key in ((["--precision", "verdicts"], "precision"), (["--gate-limit=0.1"], "gate_limit")):
            self.assertEqual(self.refused("sweep", "x.toml", *words), f"scripts/sweep: {words[0].partition('=')[0]} is no "
                             f"option, but a key of a configuration: write {key} = … below [sweep]\n")


if __name__ == "__main__":
    unittest.main()
