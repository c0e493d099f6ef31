#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The strategy custody needs no more memory for ten times as many messages: what it allocates for
its queues it uses again.

AL_BUILD names the build folder. AL_TEST_DEEP=1: 10^10 messages in each run, not 10^7."""

import json
import resource
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import ACTORLAB, DEEP

TENTHS = 10**9 if DEEP else 10**6  # messages of the shorter run
# At most 1,000 messages are on their way at once. Each may be alone in a chunk of 1 KB, how many
# are is chance, and chunks are allocated in slabs of up to 256 KB, by two workers and the starter.
# What a run adds for each message must be less than this by the number of messages: a byte in four
# of them (deep: in four thousand).
TOLERANCE = 1000 * 1024 + 3 * 256 * 1024 + 512 * 1024

# Workloads; for each how many systems it starts in a row, and what makes it send n messages there.
RUNS = (
    ("send-static", 1, lambda n: {"sends": n}),
    ("executor", 1, lambda n: {"actors": 1000, "group": 10, "rounds": n // 10000}),
    ("repeat", 10, lambda n: {"servers": 500, "rounds": n // 10000}),
    # It creates two objects for each message, which takes longer: fewer will do.
    ("send-dynamic", 1, lambda n: {"sends": n // 10}),
    # At each look around a worker gives a shard to another, splits one, or seizes another's.
    ("repeat", 10, lambda n: {"servers": 500, "rounds": n // 10000, "scatter": 1}),
)


def run(workload, workers, n, iterations, settings):
    """The record of a run of n messages."""
    words = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
    done = subprocess.run([ACTORLAB, "run", workload, "--scheduler", "custody", "--workers", str(workers), "--oversubscribe",
                           "--iterations", str(iterations), "--warmup", "0", "--no-hardware", "--json", "-", *words],
                          capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"{workload}: exit {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


class Memory(unittest.TestCase):
    def test_does_not_grow(self):
        for workload, iterations, settings in RUNS:
            for workers in (1, 2):
                with self.subTest(workload, workers=workers, **settings(TENTHS)):
                    few, many = (run(workload, workers, n, iterations, settings(n)) for n in (TENTHS, 10 * TENTHS))
                    messages = [record["messages"] * len(record["time_ns"]) for record in (few, many)]
                    self.assertGreater(messages[1], 9 * messages[0])
                    for what, a, b in (("resident", few["peak_rss_bytes"], many["peak_rss_bytes"]),
                                       ("in queues", few["memory"]["queue_bytes"], many["memory"]["queue_bytes"])):
                        self.assertLess(b - a, TOLERANCE, f"{a} bytes {what} for {messages[0]} messages, {b} for {messages[1]}")


class Limits(unittest.TestCase):
    def test_too_many_shards(self):
        """Of an address space too small for its shards, a line that says which numbers to lower."""
        most = 2 * 10**8  # a shard takes 256 bytes, and there are a million
        done = subprocess.run([ACTORLAB, "run", "send-static", "--size", "small", "--scheduler", "custody", "--workers", "256",
                               "--oversubscribe", "--set", "shards=4096"], capture_output=True, text=True,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (most, most)))
        self.assertEqual((done.returncode, done.stdout), (2, ""), done)
        self.assertEqual(done.stderr, "actorlab run: no memory for shards: shards=4096 for 256 workers; valid: fewer of either\n")


if __name__ == "__main__":
    unittest.main()
