#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""docs/checking.md: its table and its trace are what its commands print. Goes through all quick
scenarios for that, and fails if one of them does."""

import re
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import ACTORLAB, ROOT

PAGE = (ROOT / "docs/checking.md").read_text()


def check(*words):
    done = subprocess.run([ACTORLAB, "check", *words], capture_output=True, text=True)
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"
    return done.stdout.splitlines()


class Page(unittest.TestCase):
    def test_table(self):
        counts = {}
        for line in check()[:-1]:
            outcome, name, model, n, *_ = line.split()
            if outcome == "ok":
                counts.setdefault(name, {})[model] = int(n)
        said = {name: dict(zip(("sc", "tso", "c11"), (int(n.replace(",", "")) for n in numbers.split(" | "))))
                for name, numbers in re.findall(r"^\| `([\w/-]+)` \| ([\d, |]+?) \|$", PAGE, re.MULTILINE)}
        self.assertEqual(said, counts)

    def test_trace(self):
        lines = [line.rstrip() for line in check("qpcas/cycle/none", "--memory", "sc")[1:-1]]
        self.assertIn("\n".join(lines), PAGE)

    def test_example(self):
        source = (ROOT / "tests/systematic/example.c").read_text()
        shown = source[source.index("#include"):]
        self.assertIn(f"```c\n{shown}```\n", PAGE)


if __name__ == "__main__":
    unittest.main()
