#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The page on reproducing README leaves out no figure, and no command by which README says where
its numbers are from."""

import re
import unittest

from pages import ROOT


def spans(text):
    """What stands in backticks, on one line each."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    return {" ".join(span.split()) for span in re.findall(r"`([^`]+)`", text)}


class Reproducing(unittest.TestCase):
    def test_complete(self):
        readme = (ROOT / "README.md").read_text()
        page = (ROOT / "docs/how-to/reproducing.md").read_text()
        figures = re.findall(r"!\[[^\]]*\]\((results/reference/[^)]+)\)", readme)
        sources = [span for span in spans(readme) if re.match(r"build/actorlab (results|summarize|compare) results/reference/", span)]
        self.assertGreater(len(figures), 2)
        self.assertGreater(len(sources), 5)
        shown = spans(page)
        for name in figures + sources:
            folder = name.split()[2] if name.startswith("build/") else name
            self.assertTrue(name in shown or folder in shown, name)


if __name__ == "__main__":
    unittest.main()
