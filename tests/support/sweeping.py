# SPDX-License-Identifier: MIT
"""What the tests of sweeps share: a folder with an actorlab that is made up, or a real one."""

import json
import os
import subprocess
import tempfile
import time
import tomllib
import unittest
from collections import Counter
from pathlib import Path
from unittest import mock

from support import ACTORLAB, ROOT
from sweep import checker, plan, registry, simulated

# What scripts/sweep runs, which takes a quarter of its time to see that all packages are there.
SWEEP = ["/usr/bin/python3", ROOT / "scripts" / "lib", "sweep"]
# Of fake_actorlab.py, Python keeps what it has compiled.
FAKE = f"#!/usr/bin/python3 -IS\nimport sys\nsys.path.append({str(ROOT / 'tests' / 'support')!r})\nimport fake_actorlab\n"
SMALL = """
[sweep]
invocations = 2
twin = false
[axes]
benchmark = ["alpha", "beta"]
workers = [1, 2]
"""
# Two groups of two cells that do the same work.
PAIRED = SMALL.replace("workers = [1, 2]", 'scheduler = ["inverted", "sharing"]')
LONG = '[sweep]\ntwin = false\n[set]\nbenchmark = "alpha"\nsleep_ms = 60000\n'


def untwinned(text):
    """Most tests count trials, and are easier to read without the first cell's twin."""
    if "twin" in text:
        return text
    return text.replace("[sweep]", "[sweep]\ntwin = false") if "[sweep]" in text else "[sweep]\ntwin = false\n" + text


def whole_lines(path):
    """Of a file that is still being written: not the start of a line whose rest has yet to come;
    none if the file has yet to come."""
    return path.read_bytes().rpartition(b"\n")[0].decode().splitlines() if path.exists() else []


class Bench(unittest.TestCase):
    """A folder with the fake, a configuration and the results."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.fake = self.folder / "actorlab"
        self.fake.write_text(FAKE)
        self.fake.chmod(0o755)
        self.results = self.folder / "out"
        self.environment = {**os.environ, "AL_ACTORLAB": str(self.fake), "AL_REAL": str(ACTORLAB)}
        # For what the tests call themselves.
        patch = mock.patch.dict(os.environ, {"AL_ACTORLAB": str(ACTORLAB)})
        patch.start()
        self.addCleanup(patch.stop)
        for name in ("NO_COLOR", "COLUMNS"):
            self.environment.pop(name, None)

    def words(self, text, *arguments, plots=False):
        """The arguments of a sweep. Most tests want no plot, which takes longer than all the
        rest."""
        (self.folder / "small.toml").write_text(untwinned(text))
        quick = [] if plots else ["--no-plot"]
        return ["small.toml", "--results", str(self.results), *quick, *arguments]

    def command(self, text, *arguments, plots=False):
        return [*SWEEP, *self.words(text, *arguments, plots=plots)]

    def start(self, text, *arguments, plots=False, **options):
        return subprocess.Popen(self.command(text, *arguments, plots=plots), cwd=self.folder, env=self.environment, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)

    def sweep(self, text, *arguments, code=0, **options):
        process = self.start(text, *arguments, **options)
        self.output, self.errors = process.communicate()
        self.assertEqual(process.returncode, code, self.output + self.errors)
        self.assertNotIn("Traceback", self.errors)
        return self.output

    def rows(self):
        return [json.loads(line) for line in whole_lines(self.results / "records.jsonl")]

    def places(self):
        return [(row["sweep"]["cell"], row["sweep"]["block"]) for row in self.rows()]

    def what_ran(self):
        """All of the records that does not depend on time, in the order of the plan."""
        def fixed(row):
            return {key: value for key, value in row.items() if key not in ("started_at", "noise", "sweep", "trial")}

        return sorted(([row["sweep"]["block"], row["sweep"]["position"], row["sweep"]["cell"], fixed(row)]
                       for row in self.rows()), key=str)

    def log(self, word):
        return [line for line in whole_lines(self.folder / "log") if line.startswith(word)]

    def wait_for(self, condition, process=None):
        """As long as it takes, or as long as the process lives: what runs the tests ends one that
        hangs."""
        while not condition():
            if process and process.poll() is not None:
                self.fail(f"exit code {process.returncode}: {process.communicate()}")
            time.sleep(0.005)


@unittest.skipUnless("AL_BUILD" in os.environ, "AL_BUILD names no build folder")
class Real(Bench):
    """With the actorlab of a build."""

    def setUp(self):
        super().setUp()
        self.environment["AL_ACTORLAB"] = str(ACTORLAB)


class Checking(Bench):
    """What is found before anything runs."""

    def setUp(self):
        super().setUp()
        wrong = lambda topology, pin: "no such place" if topology == "package:x" or pin == "9" else None
        self.registry = registry.Registry(self.listing(), wrong, machines=simulated.Machines(ACTORLAB))

    def listing(self):
        return json.loads(subprocess.run([self.fake, "list", "--json"], check=True, stdout=subprocess.PIPE).stdout)

    def check(self, text):
        return checker.check("x.toml", tomllib.loads(text), text.encode(), self.registry)

    def plan(self, text):
        return plan.Plan(self.check(untwinned(text)), self.registry)


def whole_blocks(rows, cells):
    """How many blocks every group has in which one session measured all of its so many cells."""
    groups = Counter((row["benchmark"], row["workers"], row["sweep"]["session"], row["sweep"]["block"]) for row in rows)
    whole = Counter()
    for (benchmark, workers, _, _), size in groups.items():
        whole[benchmark, workers] += size == cells
    return min(whole.values())


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
