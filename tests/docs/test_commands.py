#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Every command that the README and the docs show runs, and has the options that they give it."""

import functools
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from pages import ROOT, blocks, follow, run, tree

BUILD = Path(os.environ.get("AL_BUILD", ROOT / "build")).resolve()
# Tests of their own follow these.
BUILT = ("adding-a-strategy.md", "adding-a-victim.md", "adding-a-workload.md", "adding-a-peer.md", "plug-ins.md")
PROGRAM = re.compile(r"^(?:sudo )?(?:build/)?(actorlab|scripts/[\w-]+)(?![\w-])(.*)$", re.DOTALL)


def pages():
    return [ROOT / "README.md", ROOT / "results/README.md", ROOT / "results/reference/README.md",
            *sorted((ROOT / "docs").rglob("*.md"))]


@functools.cache
def usage(program, command=None):
    """What a program says of itself."""
    path = BUILD / "actorlab" if program == "actorlab" else ROOT / program
    return subprocess.run([path, *([command] if command else []), "--help"], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout


def shown(page):
    """Commands in a page, whether a block of code or a span of a sentence."""
    text = page.read_text()
    for block in blocks(text):
        yield from (line.removeprefix("$ ").partition(" #")[0] for line in
                    block.text.replace("\\\n", " ").splitlines())
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    yield from (line.strip() for line in re.findall(r"^    (.*)$", prose, re.MULTILINE))
    yield from (" ".join(span.split()) for span in re.findall(r"`([^`]+)`", prose))


class Commands(unittest.TestCase):
    def test_options(self):
        for page in pages():
            for text in shown(page):
                found = PROGRAM.match(text)
                if not found:
                    continue
                program, rest = found.groups()
                command = rest.split()[0] if program == "actorlab" and rest.split() else None
                command = command if command and re.fullmatch("[a-z]+", command) else None
                with self.subTest(page=str(page.relative_to(ROOT)), command=text):
                    if command:
                        self.assertRegex(usage("actorlab"), rf"(?m)^  {command}\b")
                    for option in re.findall(r"(?<![\w-])--[a-z][a-z-]*", rest):
                        self.assertRegex(usage(program, command), rf"{option}(?![\w-])")

    def test_configurations(self):
        """What is shown of a sweep's configuration is valid."""
        for page in pages():
            for block in blocks(page.read_text()):
                if "[axes]" not in block.text or block.skipped(""):
                    continue
                with self.subTest(page=str(page.relative_to(ROOT)), line=block.line), \
                        tempfile.TemporaryDirectory() as folder:
                    Path(folder, "shown.toml").write_text(block.text)
                    run([str(ROOT / "scripts/sweep"), "shown.toml", "plan"], folder,
                        AL_ACTORLAB=str(BUILD / "actorlab"))

    def test_they_run(self):
        for page in pages():
            if page.name in BUILT or not any(block.runs() for block in blocks(page.read_text())):
                continue
            name = str(page.relative_to(ROOT))
            with self.subTest(page=name), tempfile.TemporaryDirectory() as folder:
                root = tree(folder, "benchmarks", "configs", "scripts")
                (root / "build").symlink_to(BUILD)
                (root / "results").mkdir()
                (root / "results/reference").symlink_to(ROOT / "results/reference")
                for sweep in ("before", "after"):
                    (root / sweep).symlink_to("results/reference/quick")
                path = f"{BUILD}:{os.environ['PATH']}"
                for command, output in follow(page, root, AL_ACTORLAB=str(BUILD / "actorlab"), NO_COLOR="1", PATH=path):
                    self.assertNotIn("may decide the result", output, command)


if __name__ == "__main__":
    unittest.main()
