#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What a message costs at least on this machine: tables, JSON, one PU, mistakes.

AL_BUILD names the build folder."""

import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

BUILD = Path(os.environ.get("AL_BUILD", Path(__file__).resolve().parents[2] / "build")).absolute()
ALONE = ["counter", "update", "envelope", "block", "malloc", "fence", "exchange", "lock"]
PAIR = ["polled", "handoff", "publish_1", "publish_4", "publish_16", "publish_64"]
WORKLOADS = ["send-static", "send-dynamic", "executor", "repeat", "balance-one", "balance-multi", "big", "bang", "logm", "pubsub"]


def floors(*arguments, program=BUILD / "actorlab", cpus=None):
    def confine():
        if cpus is not None:
            os.sched_setaffinity(0, cpus)

    return subprocess.run([program, "floors", *arguments], capture_output=True, text=True, timeout=280, preexec_fn=confine)


class Floors(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def well(self, done):
        """It may be told that the machine was busy."""
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"^(actorlab floors: other programs, .*\n)?$")
        return done.stdout

    def test_tables(self):
        text = self.well(floors("--rounds", "1"))
        times = dict(re.findall(r"^  (\S.*?) {2,}([\d.]+)$", text, re.MULTILINE))
        many = len(os.sched_getaffinity(0)) > 1
        self.assertEqual(len(times), len(ALONE) + many * len(PAIR) + len(WORKLOADS), text)
        self.assertEqual(list(times)[-len(WORKLOADS):], WORKLOADS)
        for what, ns in times.items():
            self.assertGreater(float(ns), 0, what)

    def test_json(self):
        path = self.folder / "floors.json"
        self.assertEqual(self.well(floors("--rounds", "1", "--strategy", "custody,inverted", "--json", path)), "")
        found = json.loads(path.read_text())
        self.assertEqual(list(found), ["pus", "steps_ns", "messages"])
        pus = sorted(os.sched_getaffinity(0))
        self.assertEqual(len(found["pus"]), min(2, len(pus)))
        self.assertLessEqual(set(found["pus"]), set(pus))
        self.assertEqual(list(found["steps_ns"]), ALONE + PAIR * (len(pus) > 1))
        self.assertEqual(list(found["messages"]), WORKLOADS)
        for name, message in found["messages"].items():
            self.assertEqual(list(message["strategies"]), ["custody", "inverted"])
            for strategy in message["strategies"].values():
                self.assertAlmostEqual(strategy["ratio"], strategy["ns"] / message["ring_ns"], delta=1e-3 * strategy["ratio"], msg=name)

    def test_one_pu(self):
        """What needs two is left out."""
        one = {min(os.sched_getaffinity(0))}
        found = json.loads(self.well(floors("--rounds", "1", "--json", "-", cpus=one)))
        self.assertEqual(set(found["pus"]), one)
        self.assertEqual(list(found["steps_ns"]), ALONE)
        self.assertEqual(list(found["messages"]), WORKLOADS)

    def test_mistakes(self):
        for arguments, code, said in (
                (["--strategy", "invertd"], 2, "unknown strategy 'invertd'; did you mean 'inverted'?"),
                (["--strategy", "inverted,"], 2, "unknown strategy ''"),
                (["--strategy", "las,inverted,las"], 2, "strategy 'las' is named twice"),
                (["--rounds", "0"], 2, "valid: 1 to 100"), (["--rounds", "101"], 2, "valid: 1 to 100"),
                (["x"], 2, "unexpected word 'x'; valid: actorlab floors"),
                (["--json", self.folder / "none" / "x"], 3, "could not write")):
            with self.subTest(arguments=arguments):
                done = floors(*arguments)
                self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (code, "", 1), done.stderr)
                self.assertIn(said, done.stderr)

    def test_without_ring(self):
        """It is another program, which may not have been built."""
        shutil.copy(BUILD / "actorlab", self.folder)
        done = floors(program=self.folder / "actorlab")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, r"^actorlab floors: there is no .*/peer-ring; `ninja -C build peers` builds the first\n$")

    def test_wrong_answer(self):
        """A run that fails says so."""
        ring = self.folder / "benchmarks/peers/peer-ring"
        ring.parent.mkdir(parents=True)
        shutil.copy(BUILD / "actorlab", self.folder)
        for script, said in (("echo 'no such size' >&2; exit 2", "no such size"), ("exit 0", "no record"),
                             ("""echo '{"messages": 5, "time_ns": [], "error": "3 of 5"}'; exit 1""", "3 of 5")):
            ring.write_text(f"#!/bin/sh\n{script}\n")
            ring.chmod(0o755)
            done = floors(program=self.folder / "actorlab")
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertEqual(done.stderr, f"actorlab floors: cannot run send-static by the ring: {said}\n")


if __name__ == "__main__":
    unittest.main()
