#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Does docs/how-to/adding-a-victim.md say all that it takes? Adds its example to a copy of the
sources, builds and runs it."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ["benchmarks", "core", "schedulers", "tests", "meson.build", "meson_options.txt"]


def fail(text):
    sys.exit(f"test_adding_a_victim: {text}")


def run(*command, cwd=None):
    done = subprocess.run(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        fail(f"{' '.join(map(str, command))}:\n{done.stdout[-2000:]}")
    return done.stdout


def insert(path, before, text):
    """Put text in front of the one place."""
    old = path.read_text()
    if old.count(before) != 1:
        fail(f"{path.name} has {before!r} {old.count(before)} times")
    path.write_text(old.replace(before, text + before))


def main():
    page = (ROOT / "docs/how-to/adding-a-victim.md").read_text()
    source, declaration, line, built = re.findall(r"```(?:c|meson)\n(.*?)```", page, re.DOTALL)
    if len(source.splitlines()) > 20:
        fail(f"the example has {len(source.splitlines())} lines, and should be at most 20")
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "copy")
        copy.mkdir()
        for name in SOURCES:
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, copy / name)
            else:
                shutil.copy(ROOT / name, copy / name)
        (copy / "schedulers/victims/neighbour.c").write_text(source)
        insert(copy / "schedulers/victims/victims.h", "extern const struct al_victim_ops al_victim_none;", declaration)
        insert(copy / "schedulers/registry.c", "    &al_victim_none.plugin", line)
        insert(copy / "schedulers/victims/meson.build", "  'none.c'", built)
        build = Path(folder, "build")
        run("meson", "setup", build, copy, "-Dbuildtype=debug")
        run("ninja", "-C", build, "actorlab", "tests/conformance/conformance-virtual")
        if "neighbour" not in run(build / "actorlab", "list"):
            fail("actorlab list does not name the heuristic")
        for scheduler in ("inverted", "deque"):
            run(build / "actorlab", "run", "executor", "--scheduler", scheduler, "--victim", "neighbour", "--workers", "2",
                "--oversubscribe", "--set", "actors=200", "--set", "group=20", "--set", "rounds=2", "--iterations", "1")
        cases = run(build / "tests/conformance/conformance-virtual", "--case", "/neighbour/", "--seeds", "10")
        if len(re.findall(r"^ok", cases, re.MULTILINE)) < 100:
            fail("the conformance suite does not run the heuristic with every strategy")
    print("the example of docs/how-to/adding-a-victim.md builds, is listed and conforms")


if __name__ == "__main__":
    os.environ.pop("DESTDIR", None)
    os.environ["AL_TEST_SUBSET"] = "0"  # a new heuristic is no strategy's own
    main()
