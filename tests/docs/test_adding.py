#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The pages on adding a strategy, a victim heuristic and a workload say all that it takes: follows
them in a copy of the sources, and runs what was added."""

import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from pages import ROOT, blocks, follow, run, tree, write

BUILD = Path(os.environ["AL_BUILD"])
HOW_TO = ROOT / "docs/how-to"
PAGES = ("adding-a-strategy.md", "adding-a-victim.md", "adding-a-workload.md")
SOURCES = ("benchmarks", "configs/machines", "configs/meson.build", "core", "docs", "schedulers", "tests", "meson.build", "meson_options.txt")


def lend_objects(folder):
    """Gives a new build folder what this build compiled, and returns the options with which ninja
    takes it for its own. What a page changes, and what includes that, is compiled as usual."""
    for parent, folders, names in os.walk(BUILD):
        folders[:] = [name for name in folders if name != "mutants"]  # come and go
        lent = folder / Path(parent).relative_to(BUILD)
        for name in names:
            if name.endswith((".o", ".a", ".h")) or name in (".ninja_log", ".ninja_deps"):
                lent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(Path(parent, name), lent)
    options = json.loads((BUILD / "meson-info/intro-buildoptions.json").read_text())
    wanted = {option["name"]: option["value"] for option in options
              if option["section"] in ("base", "user") or option["name"] in ("buildtype", "optimization", "debug", "c_args")}
    return [f"-D{name}={str(value).lower() if isinstance(value, bool) else value}" for name, value in wanted.items()]


class Adding(unittest.TestCase):
    """In one copy that has what all pages add, and so is set up and built once."""

    @classmethod
    def setUpClass(cls):
        os.environ.pop("DESTDIR", None)
        os.environ["AL_TEST_SUBSET"] = "0"  # a new heuristic is no strategy's own
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.tree = tree(folder.name, *SOURCES)
        for name in PAGES:
            for block in blocks((HOW_TO / name).read_text()):
                if block.path:
                    write(block, cls.tree)
        run(["meson", "setup", "build", *lend_objects(cls.tree / "build")], cls.tree)


class Pages(Adding):
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
        return follow(page, self.tree, written=True)

    def conforming(self, ran, suite):
        return sum(len(re.findall(r"^ok", text, re.MULTILINE)) for command, text in ran
                   if f"conformance-{suite}" in command and "--case" in command)

    def test_strategy(self):
        ran = self.follow("adding-a-strategy.md", 100, 60)
        for suite in ("native", "jitter", "virtual"):
            with self.subTest(suite=suite):
                self.assertGreater(self.conforming(ran, suite), 20)
        listed = run(["build/actorlab", "list"], self.tree)
        self.assertIn("lanes", listed)
        self.assertIn("scatter", listed)
        scatter = [(command, text) for command, text in ran if "scatter/" in command]
        self.assertGreater(self.conforming(scatter, "virtual"), 100)

    def test_strategy_in_the_readme(self):
        def lines(page):
            start = "const struct al_scheduler_ops al_scheduler_lanes = {"
            text, = (block.text for block in blocks(page.read_text()) if start in block.text)
            text = text[text.index(start):]
            return sorted(re.sub(r" */\*.*?\*/", "", text).splitlines())

        self.assertEqual(lines(ROOT / "README.md"), lines(HOW_TO / "adding-a-strategy.md"))

    def test_victim(self):
        ran = self.follow("adding-a-victim.md", 20)
        self.assertGreater(self.conforming(ran, "virtual"), 100)
        self.assertIn("neighbour", run(["build/actorlab", "list"], self.tree))

    def test_workload(self):
        self.follow("adding-a-workload.md", 110)
        run(["build/actorlab", "run", "ring", "--size", "small", "--scheduler", "lanes"], self.tree)


class Checked(Adding):
    def test_everything(self):
        """What the pages added, natively and simulated: all that is tested of them with checks."""
        run(["ninja", "-C", "build", "actorlab"], self.tree)
        for engine in ((), ("--engine", "sim", "--machine", "xeon-5220r-2s")):
            for words in (("ring", "--scheduler", "inverted"), ("ring", "--scheduler", "lanes"),
                          ("executor", "--scheduler", "lanes"), ("executor", "--scheduler", "scatter"),
                          ("bang", "--scheduler", "inverted", "--victim", "neighbour")):
                run(["build/actorlab", "run", *words, "--size", "small", "--workers", "2", "--iterations", "1",
                     "--oversubscribe", *engine], self.tree)


if __name__ == "__main__":
    unittest.main()
