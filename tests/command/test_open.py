#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Open load: with one worker, latencies are those of queueing theory, and more load than can be
served is named. AL_BUILD names the build folder."""

import json
import math
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import ACTORLAB, SIMULATOR

WORK_NS = 10_000_000  # so long that neither what a message costs nor a wake-up counts
REQUESTS = 60_000
SIMULATED = ("--engine", "sim", "--machine", "xeon-5220r-2s")


class Open(unittest.TestCase):
    def run_open(self, *words, **parameters):
        """The record, and what was printed. Simulated: the same on every host."""
        settings = [word for key, value in parameters.items() for word in ("--set", f"{key}={value}")]
        done = subprocess.run([ACTORLAB, "run", "open", *words, "--workers", "1", "--warmup", "0", "--iterations", "1", *settings,
                               "--json", "-"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout), done.stderr

    def mean(self, scheduler, service, load):
        """Of the latencies, in mean service times."""
        record, _ = self.run_open("--scheduler", scheduler, *SIMULATED, "--idle", "park", requests=REQUESTS,
                                  servers=8, work=WORK_NS, load=load, service=service, park_spin=10)
        self.assertEqual(record["latencies"]["n"], REQUESTS)
        return record["latencies"]["mean_ns"] / WORK_NS

    @unittest.skipUnless(SIMULATOR, "this build has no simulator")
    def test_queueing_theory(self):
        """The mean time in an M/M/1 queue, and in an M/D/1 queue (Pollaczek and Khinchine)."""
        for scheduler in ("inverted", "custody"):
            for load in (30, 50, 70):
                rho = load / 100
                for service, expected in (("exponential", 1 / (1 - rho)), ("constant", 1 + rho / (2 * (1 - rho)))):
                    with self.subTest(scheduler=scheduler, load=load, service=service):
                        self.assertAlmostEqual(self.mean(scheduler, service, load) / expected, 1, delta=0.05)

    @unittest.skipUnless(SIMULATOR, "this build has no simulator")
    def test_quantiles(self):
        """Times in an M/M/1 queue are exponentially distributed."""
        record, _ = self.run_open("--scheduler", "inverted", *SIMULATED, "--idle", "park", requests=REQUESTS, servers=8,
                                  work=WORK_NS, load=50, service="exponential", park_spin=10)
        for key, share in (("p50", 0.5), ("p99", 0.99)):
            with self.subTest(key):
                self.assertAlmostEqual(record["latencies"][key] / (-math.log(1 - share) * 2 * WORK_NS), 1, delta=0.07)

    @unittest.skipUnless(SIMULATOR, "this build has no simulator")
    def test_arrivals(self):
        """At equal distances nobody waits; of ten that come at once each waits for those before
        it."""
        for arrivals, expected, longest in (("fixed", 1, 1), ("bursts", 5.5, 10)):
            record, _ = self.run_open("--scheduler", "inverted", *SIMULATED, "--idle", "park", requests=2000, servers=8,
                                      work=WORK_NS, load=50, arrivals=arrivals, burst=10, park_spin=10)
            with self.subTest(arrivals):
                self.assertAlmostEqual(record["latencies"]["mean_ns"] / WORK_NS / expected, 1, delta=0.02)
                self.assertAlmostEqual(record["latencies"]["max_ns"] / WORK_NS / longest, 1, delta=0.02)

    @unittest.skipUnless(SIMULATOR, "this build has no simulator")
    def test_overload(self):
        """It ends, and is named; a load that can be served is not, however many servers there
        are."""
        for load, requests, servers, overrun in ((50, 4000, 8, 1), (95, 50_000, 8, 1), (50, 1000, 50_000, 1),
                                                 (105, 50_000, 8, 1.05), (150, 4000, 8, 1.5)):
            record, errors = self.run_open("--scheduler", "inverted", *SIMULATED, requests=requests, work=20_000,
                                           servers=servers, load=load)
            with self.subTest(load=load, servers=servers):
                self.assertEqual("more load than can be served" in errors, load > 100, errors)
                self.assertAlmostEqual(record["costs"]["overrun"], overrun, delta=0.02 * overrun)

    def test_overload_native(self):
        _, errors = self.run_open("--scheduler", "inverted", requests=2000, work=20_000, servers=8, load=200)
        self.assertIn("more load than can be served", errors)

    def test_mistakes(self):
        """What never ends is refused in a line."""
        for parameters in ({"rate": 0.001, "sources": 1_000_000}, {"load": 1e-300}, {"load": 50, "work": 0}, {"rate": 0}):
            settings = [word for key, value in parameters.items() for word in ("--set", f"{key}={value}")]
            done = subprocess.run([ACTORLAB, "run", "open", *settings], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)


if __name__ == "__main__":
    unittest.main()
