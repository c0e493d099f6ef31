#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""scripts/setup on machines that this test makes up: its commands are the only ones on the PATH."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

SETUP = Path(__file__).resolve().parents[2] / "scripts" / "setup"
NEEDED = ["cat", "env", "grep", "mktemp", "rm", "touch"]


class Machine(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.bin = self.folder / "bin"
        self.environment = {}
        self.bin.mkdir()
        for name in NEEDED:
            (self.bin / name).symlink_to(f"/usr/bin/{name}")
        self.command("id", "echo 1000")
        # Installed is what the file says; install works once the lists are there.
        self.command("dpkg-query", 'while read -r p; do case " $* " in *" $p "*) echo "=installed $p="; esac; done <installed; '
                     'echo "=not-installed gcc="; exit 1')
        self.command("apt-get", 'echo "$*" >>log; echo noise; case $* in *update*) touch lists; exit;; esac; [ -e lists ] || exit 100; '
                     'shift 4; for p; do echo "$p"; done >>installed')
        (self.folder / "installed").write_text("")

    def command(self, name, text):
        path = self.bin / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)

    def setup(self, *arguments, code=0):
        done = subprocess.run(["/bin/sh", SETUP, *arguments], cwd=self.folder, env={"PATH": str(self.bin), **self.environment}, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.errors = done.stderr
        return done.stdout

    def log(self):
        log = self.folder / "log"
        return log.read_text().splitlines() if log.exists() else []

    def test_bare_machine(self):
        self.command("id", "echo 0")
        (self.folder / "installed").write_text("git\n")
        output = self.setup()
        self.assertRegex(output, r"^scripts/setup: installing gcc .*python3-scipy\n$")
        self.assertNotIn(" git", output)
        self.assertEqual(self.errors, "")
        self.assertEqual([line.split()[0] for line in self.log()], ["install", "update", "install"])
        self.assertIn("python3-rich", (self.folder / "installed").read_text())
        self.assertNotIn("clang", (self.folder / "installed").read_text())
        # Now nothing is missing: it is silent and installs nothing.
        self.assertEqual(self.setup() + self.errors, "")
        self.assertEqual(len(self.log()), 3)
        # A developer needs more; the lists are there by now.
        self.assertRegex(self.setup("--dev"), r"^scripts/setup: installing ccache chromium clang clang-format fish g\+\+ gcc-aarch64-linux-gnu groff-base "
                      "libasio-dev debhelper dh-python libc6-dev-arm64-cross libclang-rt-14-dev libtbb-dev locales munge musl-tools python3-jsonschema "
                      "qemu-user slurm-wlm spin texlive-pictures valgrind zsh\n$")
        self.assertEqual(len(self.log()), 4)

    def test_peers(self):
        self.command("id", "echo 0")
        self.setup()
        self.assertNotIn("caf", (self.folder / "installed").read_text())
        self.assertEqual(self.setup("--peers"), "scripts/setup: installing cargo default-jdk-headless erlang-base g++ "
                         "golang-go libasio-dev libcaf-dev librust-tokio-dev libtbb-dev\n")
        self.assertEqual(self.setup("--peers") + self.errors, "")

    def test_check(self):
        self.assertRegex(self.setup("--check", code=1), r"^missing: gcc libc6-dev meson .*\n$")
        self.assertEqual(self.log(), [])
        self.command("id", "echo 0")
        self.setup("--dev")
        self.assertEqual(self.setup("--check", "--dev"), "")

    def test_list(self):
        self.assertRegex(self.setup("--list"), r"^gcc libc6-dev meson .* python3-scipy\n$")
        self.assertRegex(self.setup("--peers", "--list"), r" python3-scipy cargo .* g\+\+ .* libtbb-dev\n$")
        self.assertRegex(self.setup("--list=fedora"), r"^gcc .* hwloc-devel .* python3-scipy\n$")
        self.assertRegex(self.setup("--list=arch"), r"^gcc .* python-scipy\n$")
        self.assertEqual(self.log(), [])

    def test_python(self):
        """That of an active environment, if it has the modules."""
        self.assertEqual(self.setup("--python"), "/usr/bin/python3\n")
        own = self.folder / "own"
        (own / "bin").mkdir(parents=True)
        for variable in ("VIRTUAL_ENV", "CONDA_PREFIX"):
            self.environment = {variable: str(own)}
            for code, expected in ((1, "/usr/bin/python3"), (0, own / "bin/python3")):
                (own / "bin/python3").write_text(f"#!/bin/sh\nexit {code}\n")
                (own / "bin/python3").chmod(0o755)
                self.assertEqual(self.setup("--python"), f"{expected}\n")
            (own / "bin/python3").unlink()
            self.assertEqual(self.setup("--python"), "/usr/bin/python3\n")
        self.assertEqual(self.log(), [])

    def test_start(self):
        """The scripts run with it."""
        (self.folder / "own/bin").mkdir(parents=True)
        python = self.folder / "own/bin/python3"
        python.write_text('#!/bin/sh\ncase $1 in -c) exit 0 ;; esac\necho "own: $*"\n')
        python.chmod(0o755)
        done = subprocess.run([SETUP.parent / "sweep", "plan"], cwd=self.folder, text=True, capture_output=True,
                              env={**os.environ, "VIRTUAL_ENV": str(self.folder / "own")})
        self.assertEqual(done.stdout, f"own: {SETUP.parent / 'lib'} sweep plan\n")

    def test_sudo(self):
        self.command("sudo", 'echo "sudo $1" >>log; exec "$@"')
        self.setup()
        self.assertEqual(self.log()[0], "sudo env")

    def test_no_root(self):
        self.assertEqual(self.setup(code=1), "")
        self.assertRegex(self.errors, r"^scripts/setup: packages are missing; as root run: apt-get install gcc .*\n$")
        self.assertEqual(self.log(), [])

    def test_failing_apt(self):
        self.command("id", "echo 0")
        self.command("apt-get", "echo no network; exit 100")
        self.setup(code=1)
        self.assertRegex(self.errors, r"^no network\nscripts/setup: could not install; as root run: apt-get update && .*\n$")

    def test_not_debian(self):
        (self.bin / "apt-get").unlink()
        self.setup(code=1)
        self.assertRegex(self.errors, r"^scripts/setup: no apt-get here; please install what Debian calls: gcc .*\n$")
        self.command("pacman", "exit 1")
        self.setup(code=1)
        self.assertRegex(self.errors, r"^scripts/setup: packages are missing; as root run: pacman -S --needed gcc .* python-scipy\n$")
        self.command("dnf", "exit 1")
        self.setup(code=1)
        self.assertRegex(self.errors, r"^scripts/setup: packages are missing; as root run: dnf install gcc .* python3-scipy\n$")
        # All may be there nevertheless.
        for name in ("gcc", "meson", "ninja", "pkg-config", "git"):
            self.command(name, "exit 0")
        self.assertEqual(self.setup() + self.errors, "")
        self.setup("--peers", code=1)
        self.assertRegex(self.errors, "Debian calls: .* libcaf-dev librust-tokio-dev libtbb-dev\n$")
        for name in ("cargo", "erlc", "go", "javac"):
            self.command(name, "exit 0")
        self.command("g++", "cat >read; exit 0")
        self.assertEqual(self.setup("--peers") + self.errors, "")
        self.assertEqual((self.folder / "read").read_text(), "#include <asio.hpp>\n#include <caf/all.hpp>\n#include <tbb/flow_graph.h>\n")
        self.command("g++", "cat >read; exit 1")
        self.setup("--peers", code=1)

    def test_usage(self):
        self.setup("--devel", code=2)
        self.assertEqual(self.errors, "scripts/setup: unknown argument '--devel' "
                         "(valid: --dev, --peers, --check, --python, --list[=debian|fedora|arch], --help)\n")
        self.assertIn("  --peers  also other actor systems", self.setup("--help"))


if __name__ == "__main__":
    unittest.main()
