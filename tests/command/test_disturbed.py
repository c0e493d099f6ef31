#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What `actorlab run` says of a time that something disturbed. AL_BUILD names the build folder."""

import json
import os
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import ACTORLAB
from support.processes import processor_s


class Stopped(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """How many sends take about a second of processor time in this build."""
        words = [ACTORLAB, "run", "send-static", "--workers", "1", "--set", "sends=100000", "--json", "-"]
        done = subprocess.run(words, capture_output=True, text=True, check=True)
        cls.sends = f"sends={int(1e14 / min(json.loads(done.stdout)['time_ns']))}"

    def run_stopped(self, *words, stop):
        """The record and the line of a run of about a second of processor time. stop: whether it is
        stopped for a while meanwhile."""
        process = subprocess.Popen([ACTORLAB, "run", "send-static", "--workers", "1", "--warmup", "0", "--iterations",
                                    "1", "--set", self.sends, *words, "--json", "-"], text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if stop:
            while process.poll() is None and processor_s(process.pid) < 0.2:
                time.sleep(0.01)
            process.send_signal(signal.SIGSTOP)
            time.sleep(0.7)
            process.send_signal(signal.SIGCONT)
        output, said = process.communicate()
        self.assertEqual(process.returncode, 0, said)
        return json.loads(output), said

    def test_stopped(self):
        """Whether the workers would have slept or not."""
        for idle in ("spin", "park"):
            record, said = self.run_stopped("--idle", idle, stop=True)
            self.assertEqual(record["noise"]["stops"], 1)
            self.assertIn("\ndisturbed: the process was stopped, and continued later", said)
            self.assertRegex(said, r" \([0-9.]+ m?s of processor time in [0-9.]+ s\)\n")
            # Beside other programs the stop may be too small a part of the time.
            if idle == "park" or record["time_ns"][0] < 5e9:
                self.assertEqual("though they never sleep" in said, idle == "spin", said)

    def test_not_stopped(self):
        record, said = self.run_stopped(stop=False)
        self.assertEqual(record["noise"]["stops"], 0)
        self.assertNotIn("was stopped", said)

    def test_shared(self):
        """Two processes on one PU: each waits for half of the time."""
        pus = str(min(os.sched_getaffinity(0)))
        words = ["taskset", "-c", pus, ACTORLAB, "run", "send-static", "--workers", "1", "--warmup", "0", "--set",
                 self.sends, "--iterations", "1"]
        with subprocess.Popen(words, stdout=subprocess.DEVNULL) as other:
            said = subprocess.run(words, capture_output=True, text=True, check=True).stdout
            other.wait()
        self.assertRegex(said, r"\ndisturbed: .*workers waited for a PU for [0-9.]+ m?s")


if __name__ == "__main__":
    unittest.main()
