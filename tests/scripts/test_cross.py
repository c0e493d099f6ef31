#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A build for another processor, which cannot run what it builds; and the sources with another C
library.

AL_BUILD names the build folder."""

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import BUILD, ROOT

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


@unittest.skipUnless(shutil.which("musl-gcc"), "no musl-gcc: scripts/setup --dev")
class Musl(unittest.TestCase):
    """Debian has no libraries for musl, so nothing is linked: all sources compile."""

    # What belongs to no C library, below these folders.
    SHARED = {"/usr/include": ("asm-generic", "hwloc", "hwloc.h", "jansson.h", "jemalloc", "linux", "sodium", "sodium.h"),
              "/usr/include/x86_64-linux-gnu": ("asm", "hwloc", "jansson_config.h", "jemalloc")}

    def test_sources(self):
        commands = {}
        for entry in json.loads((BUILD / "compile_commands.json").read_text()):
            words = shlex.split(entry["command"])
            if entry["file"].startswith(("../core/", "../schedulers/", "../benchmarks/harness/", "../benchmarks/workloads/")) and \
                    "-fsanitize=thread" not in words:
                commands.setdefault((entry["file"], "-DAL_VIRTUAL" in words), words)
        self.assertLessEqual({(f"../{name}", False) for name in ("core/system.c", "schedulers/custody/run.c", "benchmarks/harness/commands/main.c",
                                                                 "benchmarks/workloads/registry.c")}, set(commands))
        with tempfile.TemporaryDirectory() as folder:
            shared = []
            for place, names in self.SHARED.items():
                shared += ["-idirafter", Path(folder, place.replace("/", "-"))]
                shared[-1].mkdir()
                for name in names:
                    if Path(place, name).exists():
                        (shared[-1] / name).symlink_to(Path(place, name))
            for (file, virtual), words in commands.items():
                flags = [word for word in words if word.startswith(("-I", "-D", "-std", "-W", "-f", "-m")) and word != "-MD"]
                with self.subTest(file, virtual=virtual):
                    done = subprocess.run(["musl-gcc", *flags, "-O1", "-fsyntax-only", *shared, file], cwd=BUILD,
                                          capture_output=True, text=True, timeout=120)
                    self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
