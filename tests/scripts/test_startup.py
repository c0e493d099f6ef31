#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The commands of scripts/ start fast: they load what is large or slow to load only to use it. A
mistake on the command line is told in one line."""

import os
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import ROOT
from support.sweeping import SMALL, Bench

LARGE = ("jinja2", "matplotlib", "numpy", "rich", "scipy")
SLOW = ("concurrent.futures", "difflib", "hmac", "inspect", "logging")  # no plan needs them
# Runs scripts/lib with these arguments, and then prints which of these modules it has loaded.
PROGRAM = """
import atexit, runpy, sys
modules, lib, *sys.argv[1:] = sys.argv[1:]
atexit.register(lambda: print("loaded:", *(name for name in modules.split() if name in sys.modules)))
runpy.run_path(lib, run_name="__main__")
"""


class Startup(Bench):
    def loaded(self, modules, *arguments):
        done = subprocess.run([sys.executable, "-c", PROGRAM, " ".join(modules), ROOT / "scripts" / "lib", *arguments],
                              cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.rpartition("loaded:")[2].split()

    def test_help(self):
        for command in ("plot", "quiet", "report", "sweep", "test"):
            self.assertEqual(self.loaded(LARGE, command, "--help"), [], command)

    def test_plan(self):
        (self.folder / "small.toml").write_text(SMALL)
        self.assertEqual(self.loaded(LARGE + SLOW, "sweep", "small.toml", "plan", "--results", "out"), [])


class Names(unittest.TestCase):
    def test_own(self):
        """No package of scripts/lib has the name of a module that others import."""
        names = [path.name for path in (ROOT / "scripts/lib").iterdir() if (path / "__init__.py").exists()]
        self.assertGreater(len(names), 10)
        program = "import sys; from importlib.util import find_spec; print(*(name for name in sys.argv[1:] if find_spec(name)))"
        done = subprocess.run([sys.executable, "-I", "-c", program, *names], capture_output=True, text=True, check=True, timeout=60)
        self.assertEqual(done.stdout, "\n")


class Versions(unittest.TestCase):
    def test_every_script(self):
        commands = sorted(path for path in (ROOT / "scripts").iterdir() if path.is_file() and os.access(path, os.X_OK))
        self.assertGreater(len(commands), 10)
        for command in commands:
            for option in ("-V", "--version"):
                with self.subTest(command.name, option=option):
                    done = subprocess.run([command, option], cwd="/", capture_output=True, text=True, timeout=60)
                    self.assertEqual((done.returncode, done.stderr), (0, ""))
                    self.assertRegex(done.stdout, r"^actorlab \d+\.\d+\.\d+\n$")


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
