#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""scripts/test: its arguments, what it says while it runs, and how it counts; with tests that are
made up."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import ROOT

from common.actorlab import quietly
from common.failure import Failure
from testing.jobs import Durations, Job, count
from testing.suite import Extra, Suite


class Arguments(unittest.TestCase):
    def test_nothing_is_installed_for_help_or_a_mistake(self):
        with tempfile.TemporaryDirectory() as folder:
            scripts, log = Path(folder, "scripts"), Path(folder, "installed")
            shutil.copytree(ROOT / "scripts", scripts)
            (scripts / "setup").write_text(f"#!/bin/sh\necho $* >>{log}\nexit 1\n")
            for arguments, code in (("--help",), 0), (("--nosuch",), 2), (("--builds", "nosuch"), 2), (("--only", "("), 2):
                done = subprocess.run([scripts / "test", *arguments], capture_output=True, text=True, timeout=60)
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertFalse(log.exists(), arguments)
            self.assertIn("unknown build 'nosuch'", subprocess.run(
                [scripts / "test", "--builds", "nosuch"], capture_output=True, text=True, timeout=60).stderr)
            shutil.copytree(ROOT / ".ci", Path(folder, ".ci"))
            done = subprocess.run([Path(folder, ".ci", "run"), "--help"], capture_output=True, text=True,
                                  timeout=60)
            self.assertEqual((done.returncode, log.exists()), (0, False), done.stderr)
            self.assertIn("usage: scripts/test", done.stdout)
            # Without a mistake it installs, and ends if that fails.
            self.assertEqual(subprocess.run([scripts / "test"], timeout=60).returncode, 2)
            self.assertEqual(log.read_text(), "--dev\n")


class Counting(unittest.TestCase):
    def test_tap(self):
        self.assertEqual(count("ok 1 - a\nok 2 - b\n1..2\n", 0, True), (2, 0))
        self.assertEqual(count("ok 1 - a\nnot ok 2 - b\n1..2\n", 1, True), (1, 1))
        for output, code in (("1..0\n", 0), ("", 0), ("ok 1 - a\n", 0), ("ok 1 - a\n1..2\n", 0), ("ok 1 - a\n1..1\n", 1),
                             ("ok 1 - a\n1..1\n", None), ("ok 1 - a\n1..1\n", -11)):
            self.assertEqual(count(output, code, True)[1], 1, output)
        self.assertEqual(count("ok 1 - a # skip no reason\n1..1\n", 0, True), (0, 1))

    def test_exit_code(self):
        self.assertEqual([count("", code, False) for code in (0, 1, 77, -6, None)],
                         [(1, 0), (0, 1), (0, 1), (0, 1), (0, 1)])


class Running(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def job(self, name, script, **more):
        return Job("made-up", self.folder, name, ["/bin/sh", "-c", script], **{"timeout": 20, "tap": False, **more})

    def suite(self, *jobs, slots=2, **more):
        self.said = []
        suite = Suite(["made-up"], lambda name, processes: list(jobs), slots, self.said.append, Durations(), **more)
        self.assertEqual(suite.run(), len(jobs))
        return suite

    def order(self):
        return [line.split()[3] if line.startswith("[ ") else line.split()[2] for line in self.said if line.startswith("[")]

    def test_lines(self):
        suite = self.suite(self.job("good", "exit 0"), self.job("bad", "echo why >&2; exit 3"),
                           self.job("cases", "echo ok 1; echo not ok 2; echo 1..2", tap=True), slots=1)
        self.assertEqual((suite.passed, suite.failed), (2, 2))
        self.assertEqual(self.said[0], "made-up: building …")
        self.assertRegex(self.said[1], r"^\[1/3\] made-up good +1 passed, 0 failed +0:00  -:-- left$")
        self.assertRegex(self.said[2], r"^\[2/3\] made-up bad +0 passed, 1 failed ")
        self.assertRegex(self.said[3], r"^--- made-up bad: exit code 3; full output: .*/test-logs/bad\.\*\n\s+why$")
        self.assertRegex(self.said[4], r"^\[3/3\] made-up cases +1 passed, 1 failed ")
        self.assertEqual((self.folder / "test-logs" / "bad.err").read_text(), "why\n")

    def test_summary(self):
        """At the end, each failure once more, with failed cases that are far from the end."""
        many = "echo ok 1; echo '# why'; echo not ok 2 - early; echo a report; for i in $(seq 3 90); do echo ok $i; done; echo 1..90"
        suite = self.suite(self.job("good", "exit 0"), self.job("late", many, tap=True), self.job("bad", "exit 3"),
                           slots=1)
        summary = suite.summary().splitlines()
        self.assertEqual([line for line in summary if line.startswith("---")],
                         [line for text in self.said for line in text.splitlines() if line.startswith("---")])
        self.assertEqual(len([line for line in summary if line.startswith("---")]), 2)
        self.assertIn("\n    # why\n    not ok 2 - early\n    a report\n", suite.summary())
        self.assertIn("    … 50 more lines before", summary)
        self.assertEqual(summary[-1], "90 passed, 2 failed")

    def test_estimate(self):
        """By what earlier runs took; the longest goes first."""
        durations = Durations()
        jobs = [self.job(name, "exit 0") for name in ("short", "long", "middle", "new")]
        for job, seconds in zip(jobs, (10, 200, 60)):
            durations.put(job, seconds)
        self.suite(*jobs, slots=1)
        self.assertEqual(self.order(), ["long", "middle", "short", "new"])
        # 60 + 10, and 35 for the one that never ran; then 10 twice; …
        self.assertEqual([line.split()[-2] for line in self.said[1:]], ["1:45", "0:20", "-:--", "0:00"])
        (self.folder / "test-durations.json").write_text("[nonsense")
        self.suite(*jobs, slots=1)
        self.assertEqual(self.order(), ["short", "long", "middle", "new"])

    def test_side_by_side(self):
        meet = f"touch $0; until [ -e {self.folder}/one -a -e {self.folder}/two ]; do sleep 0.05; done"
        jobs = [self.job(name, meet) for name in ("one", "two")]
        for job in jobs:
            job.command.append(str(self.folder / job.name))
        self.assertEqual(self.suite(*jobs, slots=2).failed, 0, self.said)

    def test_more_while_idle(self):
        """One slot is enough for two that wait for each other, if one more runs on an idle
        processor."""
        meet = "touch {0}/$1; until [ -e {0}/one -a -e {0}/two ]; do sleep 0.05; done".format(self.folder)
        jobs = [self.job(name, meet) for name in ("one", "two")]
        for job in jobs:
            job.command += ["sh", job.name]
        self.assertEqual(self.suite(*jobs, slots=1, extra=Extra(1, idle=time.monotonic).now).failed, 0)

    def test_extra(self):
        """Up to a limit while a processor idles, and none again while all are busy."""
        now = [0, 0]
        extra = Extra(2, idle=lambda: now[1], clock=lambda: now[0])
        found = []
        for idle in (0.5, 2, 1, 0.4, 0, 0):
            now = [now[0] + 1, now[1] + idle]
            found += [extra.now(), extra.now()]  # the second asks too soon
        self.assertEqual(found, [1, 1, 2, 2, 2, 2, 1, 1, 0, 0, 0, 0])

    def test_timeout(self):
        """A test that does not end is ended, with all that it started."""
        job = self.job("endless", "sleep 10000 & wait", timeout=0.5)
        suite = self.suite(job)
        self.assertEqual((suite.passed, suite.failed), (0, 1))
        self.assertIn("endless: no end after 0 s", self.said[2])
        with self.assertRaises(ProcessLookupError):
            while True:
                os.killpg(job.process.pid, 0)
                time.sleep(0.05)

    def test_interrupted_while_building(self):
        """The build ends with it, also if it has only just begun."""
        popen = subprocess.Popen
        for late in (0, 0.5):  # seconds from the start of a process until its number is known
            with self.subTest(late=late), mock.patch.object(
                    subprocess, "Popen", lambda *words, **more: (popen(*words, **more), time.sleep(late))[0]):
                self.interrupt()

    def interrupt(self):
        failures = []

        def make(name, processes):
            try:
                quietly(["/bin/sh", "-c", f"kill -ALRM {os.getpid()}; exec sleep 5"], "building")
            except Failure as failure:
                failures.append(failure)
                raise

        before = signal.signal(signal.SIGALRM, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGALRM, before)
        with self.assertRaises(KeyboardInterrupt):
            Suite(["made-up"], make, 2, lambda text: None, Durations()).run()
        # Interrupted while it started the thread, the suite does not know it.
        for thread in set(threading.enumerate()) - {threading.main_thread()}:
            thread.join()
        self.assertEqual(len(failures), 1, "the build ran to its end")

    def test_mistakes(self):
        def make(name, processes):
            raise Failure("no compiler")

        said = []
        suite = Suite(["made-up"], make, 2, said.append, Durations())
        suite.run()
        self.assertEqual((said[1:], suite.failed), (["made-up: no compiler"], 1))
        job = self.job("nowhere", "")
        job.command = [str(self.folder / "nowhere")]
        self.assertEqual(self.suite(job).failed, 1)
        self.assertIn("No such file", self.said[1])


if __name__ == "__main__":
    unittest.main()
