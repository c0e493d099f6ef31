#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Runs on a simulated machine depend on nothing but the program, the configuration and the seed:
not on the addresses that the system gives, the environment, the time, or how coroutines switch.
Each configuration runs several times, with a record and a timeline that must be alike.

AL_BUILD names the build folder. AL_TEST_DEEP=1: 1,000 runs."""

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import ACTORLAB

DEEP = os.environ.get("AL_TEST_DEEP") == "1"
TIMES = 33 if DEEP else 2  # of 25 configurations and eight-fold of two: over 1,000
LISTING = json.loads(subprocess.run([ACTORLAB, "list", "--json"], capture_output=True, check=True).stdout)
COUNTING = LISTING["environment"]["counting"]
WORKLOADS, STRATEGIES = ([one["name"] for one in LISTING[kind]] for kind in ("benchmarks", "schedulers"))
# What the machine that simulates has to do with, or what says when it ran.
OF_THE_HOST = ("started_at", "trial", "environment", "memory", "peak_rss_bytes", "trace")
OF_THE_SIMULATOR = ("host_s", "accesses_per_s")


def run(words, folder, n):
    """The record without what is the host's, and a hash of the timeline, of the n-th run."""
    trace = Path(folder, "trace.json")
    command = [ACTORLAB, "run", *words, "--json", "-"]
    if COUNTING:
        command += ["--trace", trace, "--trace-events", "4096"]
    if n % 2 == 1:
        command += ["--coroutines", "ucontext"]
    # A larger environment moves the stack of the process, and other values fill memory.
    environment = {**os.environ, "AL_FILL": "x" * (n * 1237 % 30000), "MALLOC_PERTURB_": str(n * 37 % 256)}
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment)
    if done.returncode != 0:
        raise AssertionError(f"{words}: {done.stderr}")
    record = json.loads(done.stdout)
    for key in OF_THE_HOST:
        record.pop(key, None)
    for key in OF_THE_SIMULATOR:
        record["simulated"].pop(key)
    return record, hashlib.sha256(trace.read_bytes()).hexdigest() if COUNTING else None


class Determinism(unittest.TestCase):
    def alike(self, times, workload, strategy, workers, machine="xeon-5220r-2s", size="small", *more):
        words = [workload, "--scheduler", strategy, "--size", size, "--engine", "sim", "--machine", machine, "--workers",
                 str(workers), "--iterations", "1", "--warmup", "0", *more]
        with self.subTest(" ".join(words)), tempfile.TemporaryDirectory() as folder:
            first = run(words, folder, 0)
            self.assertRegex(first[0]["simulated"]["hash"], r"^[0-9a-f]{16}$")
            for n in range(1, times):
                self.assertEqual(run(words, folder, n), first, f"run {n}")
            return first

    def test_strategies(self):
        """Every strategy, each on another workload, on two sockets."""
        for i, strategy in enumerate(STRATEGIES):
            self.alike(TIMES, WORKLOADS[i * 5 % len(WORKLOADS)], strategy, 6, "xeon-5220r-2s", "small", "--pin", "spread")

    def test_workloads(self):
        """Every workload, with all strategies but the last, `central`, which is slow."""
        for i, workload in enumerate(WORKLOADS):
            self.alike(TIMES, workload, STRATEGIES[i % (len(STRATEGIES) - 1)], 4)

    def test_many_cores(self):
        self.alike(4 * TIMES if DEEP else TIMES, "executor", "inverted", 48)
        self.alike(4 * TIMES if DEEP else TIMES, "big", "inverted", 64, "epyc-7662-2s")

    def test_spelling(self):
        """What is standard may be said or left out."""
        for scheduler in LISTING["schedulers"]:
            name = scheduler["name"]
            said = [word for option in scheduler["options"]
                    for word in ("--set", f"{name}.{option['name']}={option['default']}")]
            said += ["--victim", scheduler["victim"], "--idle", scheduler["idle"]]
            short = self.alike(1, "big", name, 4)
            self.assertEqual(self.alike(1, "big", name, 4, "xeon-5220r-2s", "small", *said), short, said)
            listed = self.alike(1, "big", name, 4, "xeon-5220r-2s", "small", "--pin", "0-3")
            self.assertEqual(listed[0]["simulated"], short[0]["simulated"])

    def test_seeds(self):
        """The comparison can fail: another seed gives another run."""
        one = self.alike(1, "big", "inverted", 4)
        other = self.alike(1, "big", "inverted", 4, "xeon-5220r-2s", "small", "--seed", "2")
        self.assertNotEqual(one[0]["simulated"]["hash"], other[0]["simulated"]["hash"])
        self.assertNotEqual(one[0]["time_ns"], other[0]["time_ns"])


if __name__ == "__main__":
    unittest.main()
