#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The pages on adding a strategy, a victim heuristic and a workload say all that it takes: follows
them in a copy of the sources, and runs what was added."""

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from pages import ROOT, blocks, follow, run, tree

HOW_TO = ROOT / "docs/how-to"
SOURCES = ("benchmarks", "configs/machines", "configs/meson.build", "core", "docs", "schedulers", "tests", "meson.build", "meson_options.txt")


class Adding(unittest.TestCase):
    """In one copy, since each page's commands build only what the one before did not."""

    @classmethod
    def setUpClass(cls):
        os.environ.pop("DESTDIR", None)
        os.environ["AL_TEST_SUBSET"] = "0"  # a new heuristic is no strategy's own
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.tree = tree(folder.name, *SOURCES)
        run(["meson", "setup", "build", "-Dbuildtype=debug"], cls.tree)

    def follow(self, name, *most):
        """most: how many lines each file of the page may have."""
        page = HOW_TO / name
        files = [block.text for block in blocks(page.read_text()) if block.path and not block.anchor]
        self.assertEqual(len(files), len(most))
        for text, lines in zip(files, most):
            self.assertLessEqual(len(text.splitlines()), lines)
            included = set(re.findall(r"core/[\w/.]+", text))
            self.assertLessEqual(included, {"core/plugin/scheduler.h"})
            formatted = subprocess.run(["clang-format", f"--style=file:{ROOT / '.clang-format'}"],
                                       input=text, text=True, stdout=subprocess.PIPE, check=True)
            self.assertEqual(formatted.stdout, text)
        return follow(page, self.tree)

    def conforming(self, ran, suite):
        return sum(len(re.findall(r"^ok", text, re.MULTILINE)) for command, text in ran
                   if f"conformance-{suite}" in command and "--case" in command)

    def test_a_strategy(self):
        ran = self.follow("adding-a-strategy.md", 100, 60)
        for suite in ("native", "jitter", "virtual"):
            with self.subTest(suite=suite):
                self.assertGreater(self.conforming(ran, suite), 20)
        listed = run(["build/actorlab", "list"], self.tree)
        self.assertIn("lanes", listed)
        self.assertIn("scatter", listed)
        scatter = [(command, text) for command, text in ran if "scatter/" in command]
        self.assertGreater(self.conforming(scatter, "virtual"), 100)

    def test_a_strategy_in_the_readme(self):
        def lines(page):
            start = "const struct al_scheduler_ops al_scheduler_lanes = {"
            text, = (block.text for block in blocks(page.read_text()) if start in block.text)
            text = text[text.index(start):]
            return sorted(re.sub(r" */\*.*?\*/", "", text).splitlines())

        self.assertEqual(lines(ROOT / "README.md"), lines(HOW_TO / "adding-a-strategy.md"))

    def test_b_victim(self):
        ran = self.follow("adding-a-victim.md", 20)
        self.assertGreater(self.conforming(ran, "virtual"), 100)
        self.assertIn("neighbour", run(["build/actorlab", "list"], self.tree))

    def test_c_workload(self):
        self.follow("adding-a-workload.md", 110)
        run(["build/actorlab", "run", "ring", "--size", "small", "--scheduler", "lanes"], self.tree)

    def test_d_everything(self):
        """What the pages added, together, natively and simulated, with and without checks."""
        run(["meson", "setup", "build-checks", "-Dbuildtype=debug", "-Dchecks=true"], self.tree)
        run(["ninja", "-C", "build-checks", "actorlab", "actorlab-sim"], self.tree)
        for build in ("build", "build-checks"):
            for engine in ((), ("--engine", "sim", "--machine", "xeon-5220r-2s")):
                for words in (("ring", "--scheduler", "inverted"), ("ring", "--scheduler", "lanes"),
                              ("executor", "--scheduler", "lanes"), ("executor", "--scheduler", "scatter"),
                              ("bang", "--scheduler", "inverted", "--victim", "neighbour")):
                    run([f"{build}/actorlab", "run", *words, "--size", "small", "--workers", "2", "--iterations", "2",
                         "--oversubscribe", *engine], self.tree)


if __name__ == "__main__":
    unittest.main()
