#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The pages on adding a strategy, a victim heuristic and a workload say all that it takes: follows
them in an empty folder, and in a copy of the sources what they say of these."""

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
IN_THE_SOURCES = "## In the sources"
SOURCES = ("benchmarks", "configs/machines", "configs/meson.build", "core", "docs", "schedulers", "scripts", "tests", "meson.build", "meson_options.txt")


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


def files(page):
    """Path -> text, of those that a page shows."""
    return {block.path: block.text for block in blocks((HOW_TO / page).read_text()) if block.path and not block.anchor}


class Pages(unittest.TestCase):
    def follow(self, name, **most):
        """most: how many lines each file of the page may have. Returns what each command said."""
        shown = files(name)
        self.assertEqual({Path(path).stem for path in shown}, set(most))
        for path, text in shown.items():
            self.assertLessEqual(len(text.splitlines()), most[Path(path).stem])
            self.assertEqual(set(re.findall(r"core/[\w/.]+", text)), {"core/plugin/plugin.h"})
            formatted = subprocess.run(["clang-format", f"--style=file:{ROOT / '.clang-format'}"],
                                       input=text, text=True, stdout=subprocess.PIPE, check=True)
            self.assertEqual(formatted.stdout, text)
        with tempfile.TemporaryDirectory() as folder:
            return dict(follow(HOW_TO / name, Path(folder), until=IN_THE_SOURCES, PATH=f"{BUILD}:{os.environ['PATH']}"))

    def conforming(self, ran, plugin):
        """How many cases each suite passed."""
        said, = (text for command, text in ran.items() if command.startswith(f"actorlab conform {plugin} "))
        return {suite: int(number) for suite, number in re.findall(r"(?m)^(\w+) +(\d+) passed, 0 failed$", said)}

    def test_strategy(self):
        ran = self.follow("adding-a-strategy.md", lanes=102, scatter=65)
        conforming = self.conforming(ran, "lanes")
        self.assertEqual(set(conforming), {"native", "jitter", "virtual", "sim"})
        self.assertGreater(min(conforming.values()), 20)
        self.assertGreater(self.conforming(ran, "scatter")["virtual"], 100)
        checked, = (text for command, text in ran.items() if command.startswith("actorlab check "))
        self.assertRegex(checked, r"(?m)^ok +system/lanes/worker +c11 +\d+ executions")
        self.assertIn("\n18 passed, 0 failed\n", checked)

    def test_strategy_in_the_readme(self):
        def lines(page):
            start = "static const struct al_scheduler_ops lanes_ops = {"
            text, = (block.text for block in blocks(page.read_text()) if start in block.text)
            text = text[text.index(start):]
            return sorted(re.sub(r" */\*.*?\*/", "", text).splitlines())

        self.assertEqual(lines(ROOT / "README.md"), lines(HOW_TO / "adding-a-strategy.md"))

    def test_victim(self):
        ran = self.follow("adding-a-victim.md", neighbour=20)
        self.assertGreater(self.conforming(ran, "neighbour")["virtual"], 100)

    def test_workload(self):
        ran = self.follow("adding-a-workload.md", ring=113)
        self.assertEqual(set(self.conforming(ran, "ring")), {"native", "sim"})


class Sources(unittest.TestCase):
    """In one copy that has what all pages add."""

    def move(self, page, place):
        """The file of a page to where it says."""
        text = (HOW_TO / page).read_text()
        path, struct = re.search(rf"{IN_THE_SOURCES}\n\nWhat is to stay moves to `(.*?)`.*?The struct is\scalled\s`(\w+)`",
                                 text, re.DOTALL).groups()
        self.assertEqual(Path(path).parent, Path(place))
        name = Path(path).stem
        moved = files(page)[f"{name}.c"].replace(f"static const struct al_{struct.split('_')[1]}_ops {name}_ops",
                                                  f"const struct al_{struct.split('_')[1]}_ops {struct}")
        *lines, last = moved.splitlines(keepends=True)
        self.assertIn("AL_PLUGIN_FILE", last)
        (self.tree / path).write_text("".join(lines))
        for block in blocks(text):
            if block.path and block.anchor:
                write(block, self.tree)

    def test_everything(self):
        """What the pages added, natively and simulated."""
        os.environ.pop("DESTDIR", None)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = tree(folder.name, *SOURCES)
        self.move("adding-a-strategy.md", "schedulers")
        self.move("adding-a-victim.md", "schedulers/victims")
        self.move("adding-a-workload.md", "benchmarks/workloads")
        run(["meson", "setup", "build", *lend_objects(self.tree / "build")], self.tree)
        run(["ninja", "-C", "build", "actorlab"], self.tree)
        for engine in ((), ("--engine", "sim", "--machine", "xeon-5220r-2s")):
            for words in (("ring", "--scheduler", "inverted"), ("ring", "--scheduler", "lanes"),
                          ("executor", "--scheduler", "lanes"), ("bang", "--scheduler", "inverted", "--victim", "neighbour")):
                run(["build/actorlab", "run", *words, "--size", "small", "--workers", "2", "--iterations", "1",
                     "--oversubscribe", *engine], self.tree)


if __name__ == "__main__":
    unittest.main()
