#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Every link and path in the documentation leads somewhere, and every page is in the index."""

import re
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("benchmarks", "configs", "core", "docs", "schedulers", "scripts", "tests",
           "results/reference")
LINK = re.compile(r"\]\(([^()\s]+)\)")
# A path in running text or in code; a sentence may end behind it.
PATH = re.compile(rf"(?<![\w/.:-])(?:{'|'.join(FOLDERS)})/[\w./*{{}},-]*[\w}}*/]")


def pages():
    others = ("README.md", "CHANGELOG.md", "results/README.md", "results/reference/README.md")
    return [*(ROOT / name for name in others), *sorted((ROOT / "docs").rglob("*.md"))]


def anchors(page):
    """What GitHub makes of a page's headings."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def braces(path):
    """The paths that a shell makes of a{b,c}."""
    found = re.search(r"\{([^{}]*)\}", path)
    if not found:
        return [path]
    before, after = path[:found.start()], path[found.end():]
    return [each for choice in found[1].split(",") for each in braces(before + choice + after)]


def written(text):
    """Files that a page tells its reader to write: the name on a line, then a block of code; or to
    move."""
    return {*re.findall(r"^`([\w./-]+)`:\n\n```", text, re.MULTILINE), *re.findall(r"\bmoves to `([\w./-]+)`", text)}


class Links(unittest.TestCase):
    def test_links(self):
        for page in pages():
            prose = re.sub(r"(?ms)^```.*?^```$", "", page.read_text())
            for target in LINK.findall(prose):
                if re.match(r"[a-z]+:", target):
                    continue
                path, _, anchor = target.partition("#")
                there = page if not path else (page.parent / path).resolve()
                with self.subTest(page=str(page.relative_to(ROOT)), target=target):
                    self.assertTrue(there.exists(), "leads nowhere")
                    if anchor:
                        self.assertIn(anchor, anchors(there))

    def test_paths(self):
        for page in pages():
            if page.name == "CHANGELOG.md":  # speaks of what was there once
                continue
            text = page.read_text()
            prose = re.sub(r"(?ms)^```sh$.*?^```$", "", text)  # commands are run elsewhere
            named = set(PATH.findall(prose)) - written(text)
            # NAME.toml stands for any.
            named = {path for path in named if not re.search(r"\b[A-Z]+\.[a-z]+$", path)}
            for path in sorted(each for name in named for each in braces(name)):
                with self.subTest(page=str(page.relative_to(ROOT)), path=path):
                    self.assertTrue(any(ROOT.glob(path.rstrip("/"))), "is not there")

    def test_index(self):
        index = (ROOT / "docs/README.md").read_text()
        for page in sorted((ROOT / "docs").rglob("*.md")):
            name = str(page.relative_to(ROOT / "docs"))
            if name != "README.md":
                with self.subTest(page=name):
                    self.assertIn(f"({name})", index)


if __name__ == "__main__":
    sys.exit(unittest.main())
