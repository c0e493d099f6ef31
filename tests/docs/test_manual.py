#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The man page is well formed, and has every option of every command: test_manual.py PAGE."""

import re
import subprocess
import sys
import unittest
from pathlib import Path

from test_commands import usage

PAGE = Path(sys.argv.pop(1))


class Manual(unittest.TestCase):
    def setUp(self):
        done = subprocess.run(["groff", "-ww", "-man", "-Tascii", "-P-cbou", "-rLL=200n", PAGE],
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.warnings, self.text = done.stderr, done.stdout

    def test_warnings(self):
        self.assertEqual(self.warnings, "")

    def test_options(self):
        commands = re.findall(r"^  (\w+) ", usage("actorlab"), re.MULTILINE)
        self.assertGreater(len(commands), 5)
        for command in commands:
            start = re.search(rf"^   {command}$", self.text, re.MULTILINE)
            self.assertIsNotNone(start, command)
            section = re.split(r"(?m)^ {0,3}\w", self.text[start.end():], maxsplit=1)[0]
            for option in re.findall(r"^  (--[\w-]+)", usage("actorlab", command), re.MULTILINE):
                with self.subTest(command=command, option=option):
                    self.assertRegex(section, rf"(?m)^ +{option}\b")


if __name__ == "__main__":
    unittest.main()
