#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The coroutines on other processors: their test, compiled for each and run under an emulator."""

import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ["core/engine/coroutine.c", "core/engine/swap.c", "tests/engine/coroutines.c"]
FLAGS = ["-std=gnu17", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-DAL_ENGINE_ASAN=0",
         "-DAL_ENGINE_TSAN=0", "-static", f"-I{ROOT}"]


class Processors(unittest.TestCase):
    def run_coroutines(self, compiler, emulator, level):
        with tempfile.TemporaryDirectory() as folder:
            program = f"{folder}/coroutines"
            subprocess.run([compiler, level, *FLAGS, *SOURCES, "-o", program, "-lm"], cwd=ROOT,
                           check=True, timeout=120)
            done = subprocess.run([emulator, program], cwd=folder, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"\n1\.\.10\n$")

    def test_aarch64(self):
        for level in ("-O0", "-O2"):
            with self.subTest(level):
                self.run_coroutines("aarch64-linux-gnu-gcc", "qemu-aarch64", level)


if __name__ == "__main__":
    unittest.main()
