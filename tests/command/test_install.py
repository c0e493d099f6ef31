#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What `meson install` makes works wherever it is moved, and uses its own files only.

AL_BUILD names the build folder."""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import BUILD, ROOT

MACHINE = "opteron-6276-4s"
MINE = "a machine of the installed folder"


def run(*words, code=0):
    environment = {key: value for key, value in os.environ.items() if key not in ("DESTDIR", "MESON_INSTALL_PREFIX")}
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=280, env=environment)
    assert done.returncode == code, done
    return done


def introspect(build, what):
    return json.loads((build / f"meson-info/intro-{what}.json").read_text())


def options(build):
    return {option["name"]: option["value"] for option in introspect(build, "buildoptions")}


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """Install the build as it is, then move it."""
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.dirs = options(BUILD)
        # Without debugging information, which names the sources and is not what the program uses.
        run("meson", "install", "-C", BUILD, "--no-rebuild", "--strip", "--destdir", cls.folder / "before")
        cls.prefix = cls.folder / "moved"
        (cls.folder / "before" / cls.dirs["prefix"].lstrip("/")).rename(cls.prefix)
        cls.actorlab = cls.prefix / cls.dirs["bindir"] / "actorlab"
        cls.machines = cls.prefix / cls.dirs["datadir"] / "actorlab/machines"
        file = cls.machines / f"{MACHINE}.xml"
        text = file.read_text()
        title = '"4 x AMD Opteron 6276"'
        assert text.count(title) == 1, title
        file.write_text(text.replace(title, f'"{MINE}"'))

    def test_paths(self):
        """No file names the sources or the build."""
        files = [path for path in self.prefix.rglob("*") if path.is_file()]
        self.assertLessEqual({"actorlab", "actorlab-sim", "peer-ring"}, {path.name for path in files})
        # The folders themselves, or something in them: /src alone may be part of another path.
        named = [start + os.fsencode(folder) + end for folder in (ROOT, BUILD) for start, end in
                 [(b"\0", b"\0"), *((b"", b"/" + os.fsencode(name)) for name in os.listdir(folder))]]
        for path in files:
            content = path.read_bytes()
            self.assertEqual([name for name in named if name in content], [], path)

    def test_native(self):
        self.assertIn("inverted", run(self.actorlab, "list").stdout)
        done = run(self.actorlab, "run", "executor", "--size", "small", "--iterations", "1", "--workers", "1")
        self.assertIn("ns per message", done.stdout)

    def test_machine(self):
        """The installed file is read, and none in its place."""
        words = ("run", "executor", "--size", "small", "--iterations", "1", "--engine", "sim", "--machine", MACHINE, "--workers", "2")
        self.assertIn(f"simulated on {MINE}", run(self.actorlab, *words).stdout)
        self.assertNotIn(MINE, run(BUILD / "actorlab", *words).stdout)
        self.assertIn(MINE, run(self.actorlab, "machine").stdout)
        away = self.machines.rename(self.folder / "away")
        try:
            done = run(self.actorlab, *words, code=2)
        finally:
            away.rename(self.machines)
        self.assertRegex(done.stderr, r"^actorlab run: cannot read the folder of machines .*: No such file or directory\n$")

    def test_plugin(self):
        """A plug-in is built from the installed headers, and loaded natively and simulated."""
        with tempfile.TemporaryDirectory() as folder:
            page = (ROOT / "docs/how-to/plug-ins.md").read_text()
            source = Path(folder, "neighbour.c")
            source.write_text(re.search(r"`neighbour.c`:\n\n```c\n(.*?)```", page, re.DOTALL)[1])
            run(self.actorlab, "plugin", "build", source)
            for engine in ((), ("--engine", "sim", "--machine", MACHINE)):
                run(self.actorlab, "--plugin", source.with_suffix(".so"), "run", "executor", "--size", "small", "--iterations",
                    "1", "--workers", "2", "--oversubscribe", "--scheduler", "deque", "--victim", "neighbour", *engine)
            done = run(self.actorlab, "conform", "neighbour", "--plugin", source.with_suffix(".so"), "--engine", "sim",
                       "--case", "^las/neighbour/polling workers=1 ", "--times", "1")
            self.assertRegex(done.stdout, r"^sim +[1-9]\d* passed, 0 failed\n$")
            flags = run(self.actorlab, "plugin", "flags", "--engine", "sim").stdout
            self.assertNotIn(str(ROOT), flags)
            self.assertNotIn("ccache", flags)
            self.assertNotIn(str(BUILD), flags)

    def test_ring(self):
        """`actorlab floors` looks for it where it was installed, and so runs it."""
        ring, = self.prefix.rglob("peer-ring")
        self.assertIn('"time_ns"', run(ring, "executor", "--set", "rounds=1", "--iterations", "1", "--warmup", "0").stdout)
        away = ring.rename(self.folder / "away-ring")
        try:
            done = run(self.actorlab, "floors", code=1)
        finally:
            away.rename(ring)
        sought = re.search(r" nor (.*/peer-ring);", done.stderr)
        self.assertEqual(os.path.normpath(sought[1]), str(ring))

    def test_scripts(self):
        """They use the installed program and configurations, and write into the current folder."""
        names = {path.name for path in self.actorlab.parent.iterdir()} - {"actorlab-sim"}
        self.assertLessEqual({f"actorlab-{name}" for name in ("sweep", "plot", "report", "figures", "claims", "losses", "bundle", "quiet")}, names)
        version = run(self.actorlab, "--version").stdout
        for name in names:
            self.assertEqual(run(self.actorlab.parent / name, "--version").stdout, version, name)
        with tempfile.TemporaryDirectory() as folder:
            def script(name, *words):
                return subprocess.run([self.actorlab.parent / f"actorlab-{name}", *words], cwd=folder, capture_output=True, text=True,
                                      timeout=280, env={key: value for key, value in os.environ.items() if not key.startswith("AL_")})

            done = script("sweep", "configs/quick.toml", "--quick", "--size=small", "--filter", "workers=1")
            self.assertEqual(done.returncode, 0, done)
            made = Path(folder, "results/quick")
            records = [json.loads(line) for line in (made / "records.jsonl").read_text().splitlines()]
            self.assertEqual({record["outcome"] for record in records}, {"ok"})
            self.assertTrue((made / "scaling.png").is_file())
            done = script("report", "results/quick")
            self.assertEqual(done.returncode, 0, done)
            self.assertTrue((made / "report.html").is_file())
            self.assertIn("usage: actorlab-sweep ", script("sweep", "--help").stdout)
            self.assertRegex(script("sweep").stderr, "^actorlab-sweep: no configuration; for example: actorlab-sweep configs/quick.toml\n$")

    def test_other_folders(self):
        """The programs find their files where other options put them, such as inside the prefix and
        outside: each place is where from the folder of the programs."""
        with tempfile.TemporaryDirectory() as folder:
            build = Path(folder)
            run("meson", "setup", build, ROOT, "--prefix=/opt/a b", "--bindir=lib/x/bin", "--libexecdir=/opt/libexec", "--datadir=lib/data")
            installed = introspect(build, "installed")
            programs = Path(installed[str(build / "actorlab")]).parent
            header = (build / "benchmarks/harness/measure/places.h").read_text()
            places = dict(re.findall(r'^#define AL_(\w+)_INSTALLED +"(.+)"$', header, re.MULTILINE))
            self.assertEqual({name: os.path.normpath(programs / place) for name, place in places.items()},
                             {"RING": next(to for to in installed.values() if Path(to).name == "peer-ring"),
                              "SYSTEMATIC": next(to for to in installed.values() if Path(to).name == "systematic"),
                              "MACHINES": installed[str(ROOT / "configs/machines")],
                              "CONFORMANCE": str(next(Path(to).parent for to in installed.values()
                                                      if Path(to).name == "peer-ring") / "conformance")})
            self.assertEqual((build / "configs/machines").resolve(), ROOT / "configs/machines")


if __name__ == "__main__":
    unittest.main()
