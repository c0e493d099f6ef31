#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The page on the library: its program is built as a project that has this one as a subproject, and
against the installed library, and counts right. The library shows what it says, and needs no more
than it says."""

import os
import re
import shlex
import subprocess
import tempfile
import unittest
from pathlib import Path

from pages import ROOT, blocks

PAGE = ROOT / "docs/how-to/library.md"
WARNINGS = ("-Werror", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Wcast-qual", "-Wcast-align")
TEXT = "one two  three\n\n four\tfive\nsix"
# Opens a system, and lets it wait for a second; prints the processor time that this took.
WAITS = """
#include <actorlab/actor.h>
#include <stdio.h>
#include <time.h>

int main(int argc, char **argv)
{
    struct al_system *system;
    struct al_error error;
    const struct al_choice choice = {.scheduler = argc > 1 ? argv[1] : NULL};
    if (al_system_open(&choice, NULL, &system, &error) != 0) {
        puts(error.text);
        return 1;
    }
    struct timespec now, second = {.tv_sec = 1};
    nanosleep(&second, NULL);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    printf("%ld\\n", (long)now.tv_sec * 1000 + now.tv_nsec / 1000000);
    return al_system_stop(system, NULL);
}
"""


def run(*words, folder, code=0, **options):
    done = subprocess.run([str(word) for word in words], cwd=folder, text=True, capture_output=True, timeout=400, **options)
    if done.returncode != code:
        raise AssertionError(f"{shlex.join(map(str, words))}: exit code {done.returncode}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done.stdout


class Library(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        page = PAGE.read_text()
        cls.words, = (block.text for block in blocks(page) if block.path == "words.c")
        (cls.folder / "words.c").write_text(cls.words)
        (cls.folder / "waits.c").write_text(WAITS)
        build, = (block.text for block in blocks(page) if block.language == "meson")
        (cls.folder / "meson.build").write_text("project('words', 'c')\n" + build)
        (cls.folder / "subprojects").mkdir()
        (cls.folder / "subprojects/actorlab").symlink_to(ROOT)
        os.environ.pop("DESTDIR", None)
        cls.prefix = cls.folder / "prefix"
        run("meson", "setup", "build", f"--prefix={cls.prefix}", "--libdir=lib", folder=cls.folder)
        run("meson", "install", "-C", "build", folder=cls.folder)

    def flags(self):
        return shlex.split(run("pkg-config", "--cflags", "--libs", "actorlab", folder=self.folder,
                               env={**os.environ, "PKG_CONFIG_PATH": str(self.prefix / "lib/pkgconfig")}))

    def build(self, source, *more, compiler="cc"):
        run(compiler, "-o", "program", source, *more, *self.flags(), f"-Wl,-rpath,{self.prefix / 'lib'}", folder=self.folder)
        return self.folder / "program"

    def test_subproject(self):
        self.assertEqual(run("build/words", folder=self.folder, input=TEXT), "6\n")

    def test_installed(self):
        """Without a warning, with both compilers."""
        for compiler in ("gcc", "clang"):
            for standard in ("gnu11", "gnu17", "gnu2x"):
                with self.subTest(compiler=compiler, standard=standard):
                    program = self.build("words.c", f"-std={standard}", "-O2", *WARNINGS, compiler=compiler)
                    self.assertEqual(run(program, folder=self.folder, input=TEXT), "6\n")

    def test_plain(self):
        """The header itself asks for no extension of POSIX."""
        for compiler in ("gcc", "clang"):
            for standard in ("c11", "c17", "c2x"):
                with self.subTest(compiler=compiler, standard=standard):
                    run(compiler, f"-std={standard}", *WARNINGS, "-fsyntax-only", "-include", "actorlab/actor.h", "-xc", "/dev/null",
                        *(word for word in self.flags() if word.startswith("-I")), folder=self.folder)

    def test_archive(self):
        """Linked with the archive, it does not need the shared library."""
        (self.folder / "archive").mkdir()
        (self.folder / "archive/libactorlab.a").symlink_to(self.prefix / "lib/libactorlab.a")
        words = [word for word in self.flags() if not word.startswith("-L")]
        run("cc", "-o", "alone", "words.c", "-Larchive", *words, "-lhwloc", "-lm", "-pthread", folder=self.folder)
        self.assertEqual(run("./alone", folder=self.folder, input=TEXT), "6\n")
        self.assertNotIn("libactorlab", run("readelf", "--dynamic", "alone", folder=self.folder))

    def test_needs(self):
        library = self.prefix / "lib/libactorlab.so"
        needed = re.findall(r"\(NEEDED\).*\[(\w+)", run("readelf", "--dynamic", library, folder=self.folder))
        self.assertLessEqual(set(needed), {"libhwloc", "libc", "libm", "ld"})
        self.assertFalse(list(self.prefix.rglob("bin/*")))

    def test_shows(self):
        """What the map lists, each with its version, and nothing else."""
        listed = set(re.findall(r"(?m)^    ([\w*]+);$", (ROOT / "schedulers/library/exported.map").read_text())) - {"*"}
        shown = run("nm", "--dynamic", "--defined-only", self.prefix / "lib/libactorlab.so", folder=self.folder)
        names = {re.sub("^al_built_with_.*", "al_built_with_*", name) for name in re.findall(r"\b(al_\w+)@@ACTORLAB_0$", shown, re.MULTILINE)}
        self.assertEqual(names, listed)
        self.assertEqual(len(shown.splitlines()), len(names) + 1)  # the version itself

    def test_waits(self):
        """A system without work takes no processor time, whatever the strategy."""
        program = self.build("waits.c")
        for strategy in ("inverted", "deque", "las", "mercury", "sharing", "custody", "central"):
            with self.subTest(strategy=strategy):
                self.assertLess(int(run(program, strategy, folder=self.folder)), 300)
        self.assertIn("did you mean 'custody'?", run(program, "custodi", folder=self.folder, code=1))


if __name__ == "__main__":
    unittest.main()
