#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A build for another processor: it cannot run what it builds."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import ROOT

COMPILER = "aarch64-linux-gnu-gcc"
CROSS = f"""
[binaries]
c = '{COMPILER}'
ar = 'aarch64-linux-gnu-ar'
pkgconfig = 'pkg-config'
[host_machine]
system = 'linux'
cpu_family = 'aarch64'
cpu = 'aarch64'
endian = 'little'
"""


@unittest.skipUnless(shutil.which(COMPILER), f"no {COMPILER}: scripts/setup --dev")
class Cross(unittest.TestCase):
    def targets(self, *words):
        """The names of what such a build would make."""
        with tempfile.TemporaryDirectory() as folder:
            environment = {key: value for key, value in os.environ.items() if key not in ("CC", "CFLAGS", "LDFLAGS")}
            subprocess.run(["meson", "setup", folder + "/build", *words], cwd=ROOT, env=environment, check=True,
                           stdout=subprocess.PIPE, timeout=300)
            listed = subprocess.run(["meson", "introspect", "--targets", folder + "/build"], check=True,
                                    stdout=subprocess.PIPE, timeout=60).stdout
        return {target["name"] for target in json.loads(listed)}

    def test_manual(self):
        """The program would have to run to tell its options."""
        with tempfile.NamedTemporaryFile("w", suffix=".ini") as file:
            file.write(CROSS)
            file.flush()
            cross = self.targets("--cross-file", file.name)
        self.assertIn("actorlab", cross)
        self.assertNotIn("manual", cross)
        self.assertIn("manual", self.targets())


if __name__ == "__main__":
    unittest.main()
