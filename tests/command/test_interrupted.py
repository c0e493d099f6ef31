#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What `actorlab run` keeps when a signal ends it. AL_BUILD names the build folder."""

import json
import os
import pty
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import ACTORLAB, SIMULATOR
from support.processes import processor_s

SIMULATED = ["--engine", "sim", "--machine", "xeon-5220r-2s", "--size", "small"]


class Interrupted(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.records = Path(self.folder.name) / "records.jsonl"

    def start(self, *words, number=signal.SIGINT, action=signal.SIG_DFL):
        """A run whose parent has set the signal's action, whatever this test's own parent has
        set."""
        return subprocess.Popen([ACTORLAB, "run", *map(str, words), "--json", self.records], text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                preexec_fn=lambda: signal.signal(number, action))

    def run_for(self, *words, number=signal.SIGINT, seconds=0.5):
        """The exit code and what was printed of a run that gets the signal in the middle."""
        process = self.start(*words, number=number)
        while process.poll() is None and processor_s(process.pid) < seconds:
            time.sleep(0.01)
        process.send_signal(number)
        output, errors = process.communicate()
        return process.returncode, output, errors

    def kept(self):
        record, = map(json.loads, self.records.read_text(encoding="utf-8").splitlines())
        return record

    def test_while_the_starting_thread_sends(self):
        """It does not look for signals for as long, but ends nevertheless."""
        code, output, errors = self.run_for("fjcreate", "--set", "actors=300000000", "--workers", 1, number=signal.SIGTERM)
        self.assertEqual((code, output, errors), (-signal.SIGTERM, "", ""))

    def test_kept(self):
        """The whole iterations, and nothing of the one that ran."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            self.records.unlink(missing_ok=True)
            code, output, errors = self.run_for("send-static", "--workers", 1, "--set", "sends=30000", "--iterations",
                                                999999, number=number)
            self.assertEqual((code, errors), (-number, ""))
            record, n = self.kept(), len(self.kept()["time_ns"])
            self.assertEqual((record["outcome"], record["interrupted"], record["iterations"]), ("ok", True, 999999))
            self.assertTrue(0 < n < 999999, n)
            self.assertIn(f" (interrupted after {n} of 999999 iterations), ", output)
            received = [counts.get("messages_received") for counts in record["counters"]]
            if None not in received:  # a build that counts
                self.assertEqual(sum(received), n * record["messages"])
            self.assertGreaterEqual(record["noise"]["elapsed_ns"], sum(record["time_ns"]))
            self.assertLess(record["noise"]["elapsed_ns"], 60e9)

    @unittest.skipUnless(SIMULATOR, "no simulator in this build")
    def test_simulated(self):
        code, output, errors = self.run_for("executor", *SIMULATED, "--workers", 2, "--warmup", 0, "--iterations", 99999)
        self.assertEqual((code, errors), (-signal.SIGINT, ""))
        record = self.kept()
        self.assertEqual((record["interrupted"], record["simulated"], record["starter_busy"]), (True, None, None))
        self.assertIn(f" (interrupted after {len(record['time_ns'])} of 99999 iterations), ", output)

    def test_profile(self):
        """What was measured before the profile is kept whole. Most of the time is the profile's."""
        for more, sends in [([], 4_000_000), *[(SIMULATED, 200_000)] * bool(SIMULATOR)]:
            self.records.unlink(missing_ok=True)
            words = ["send-static", "--workers", 1, *more, "--set", f"sends={sends}", "--warmup", 0, "--iterations", 1]
            before = os.times()
            self.start(*words).communicate()
            after = os.times()
            # Not long before the profile begins, and then ever later.
            code, seconds = -signal.SIGINT, 0.5 * (after.children_user - before.children_user)
            self.records.unlink()
            while code == -signal.SIGINT and not (self.records.exists() and self.records.read_text(encoding="utf-8")):
                seconds *= 1.4
                code, output, _ = self.run_for(*words, "--profile", "--no-hardware", seconds=seconds)
            record = self.kept()
            self.assertEqual((code, record["outcome"], len(record["time_ns"])), (-signal.SIGINT, "ok", 1))
            self.assertNotIn("profile", record)

    def test_nothing_to_keep(self):
        """It ends in the middle of an iteration, too."""
        for words in (["--warmup", 0, "--iterations", 1], ["--warmup", 1]):
            code, output, errors = self.run_for("send-static", "--workers", 1, "--set", "sends=4000000000", *words)
            self.assertEqual((code, output, errors), (
                -signal.SIGINT, "", "actorlab run: interrupted before the first measured iteration had ended: there is "
                "nothing to report\n"))
            self.assertEqual(self.records.read_text(encoding="utf-8"), "")

    def test_progress(self):
        """A terminal shows within an iteration how far a run of more than ten seconds is."""
        ours, theirs = pty.openpty()
        process = subprocess.Popen([ACTORLAB, "run", "send-static", "--workers", "1", "--set", "sends=4000000000"],
                                   stdout=subprocess.DEVNULL, stderr=theirs)
        os.close(theirs)
        while processor_s(process.pid) < 0.1:  # its clock has started
            time.sleep(0.01)
        process.send_signal(signal.SIGSTOP)
        time.sleep(10.5)
        process.send_signal(signal.SIGCONT)
        said = b""
        while b"send-static" not in said:
            said += os.read(ours, 1000)
        process.send_signal(signal.SIGTERM)
        process.wait()
        os.close(ours)
        self.assertEqual(said, b"\r\x1b[K1 of 6: send-static")

    def test_ignored(self):
        """As behind nohup, at whatever time it comes."""
        process = self.start("send-static", "--workers", 1, "--set", "sends=60000000", "--warmup", 0, "--iterations", 1,
                             number=signal.SIGHUP, action=signal.SIG_IGN)
        times = 0
        while process.poll() is None:
            process.send_signal(signal.SIGHUP)
            times += 1
            time.sleep(0.01)
        _, errors = process.communicate()
        self.assertEqual((process.returncode, errors), (0, ""))
        self.assertGreater(times, 5)
        self.assertNotIn("interrupted", self.kept())

    def test_read(self):
        """Its iterations count, and readers say that there are fewer."""
        self.run_for("send-static", "--workers", 1, "--set", "sends=30000", "--iterations", 999999)
        found = json.loads(subprocess.run([ACTORLAB, "results", self.records, "--json"], capture_output=True, text=True,
                                          check=True).stdout)
        machine, = found["machines"]
        cell, = machine["cells"]
        self.assertEqual((cell["n"], machine["trials"]["interrupted"]), (1, 1))
        shown = subprocess.run([ACTORLAB, "results", self.records], capture_output=True, text=True, check=True).stdout
        self.assertIn(": 1 cell, 1 trial, 1 of them interrupted.\n", shown)


if __name__ == "__main__":
    unittest.main()
