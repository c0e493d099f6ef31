#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The commands of scripts/ start fast: they load large libraries only to use them."""

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


if __name__ == "__main__":
    unittest.main()
