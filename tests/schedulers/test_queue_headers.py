#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Each header of schedulers/queues compiles alone, and needs of the project only the queues, the
seam and a few small headers of core: no plug-in interface, no worker, no system."""

import os
import shlex
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ["AL_BUILD"])
COMPILER = shlex.split(os.environ.get("CC", "cc"))
ALLOWED = ("schedulers/queues/", "core/sync/", "core/engine/operation.h", "core/envelope.h", "core/error.h",
           "core/memory/pool.h", "core/memory/source.h")


class QueueHeaders(unittest.TestCase):
    def test_alone(self):
        headers = sorted((ROOT / "schedulers/queues").glob("*.h"))
        self.assertGreater(len(headers), 5)
        for header in headers:
            name = str(header.relative_to(ROOT))
            with self.subTest(name):
                done = subprocess.run(
                    [*COMPILER, "-std=gnu17", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", f"-I{ROOT}", f"-I{BUILD}", "-MMD",
                     "-MF", "/dev/stdout", "-x", "c", "-c", "-o", os.devnull, "-"],
                    input=f'#include "{name}"\n', capture_output=True, text=True, cwd="/")
                self.assertEqual(done.returncode, 0, done.stderr)
                used = [path.removeprefix(f"{BUILD}/").removeprefix(f"{ROOT}/") for path in done.stdout.replace("\\\n", " ").split()
                        if path.startswith(f"{ROOT}/")]
                self.assertIn(name, used)
                self.assertEqual([path for path in used if not path.startswith(ALLOWED)], [])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[1:]])
