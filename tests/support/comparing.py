# SPDX-License-Identifier: MIT
"""What the tests of `actorlab compare` share: cells of records, and running it."""

import json
import os
import subprocess
import tempfile
import unittest

import numpy as np

from support.recording import PROGRAM, record

random = np.random.default_rng(20261122)


def cell(times, *, first=0, **changes):
    """Records of one cell in blocks, a time for each message of 100; None where a block has
    none."""
    return [record((round(100 * t),), sweep={"block": block, **changes.get("sweep", {})},
                   **{key: value for key, value in changes.items() if key != "sweep"})
            for block, t in enumerate(times, first) if t is not None]


def times(n, centre=1e6, spread=0.003, drift=None):
    return centre * random.lognormal(0, spread, n) * (1 if drift is None else drift)


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, name, *cells):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            for records in cells:
                for entry in records:
                    file.write(json.dumps(entry) + "\n")
        return path

    def run_it(self, *arguments, code=0, **options):
        done = subprocess.run([PROGRAM, "compare", *arguments], capture_output=True, text=True, check=False, **options)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def compare(self, *arguments, code=0):
        return json.loads(self.run_it(*arguments, "--json", code=code).stdout)
