#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The high-water mark of the memory in queues, on threads and on the simulated machine.

AL_BUILD names the build folder."""

import json
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import ACTORLAB

SLOT = 24  # bytes: an envelope of three pointers
ENGINES = {"native": (), "sim": ("--engine", "sim", "--machine", "xeon-5220r-2s")}


def memory(engine, scheduler="inverted", workers=1, iterations=1, **settings):
    """What the record of a run of repeat says of memory."""
    words = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
    done = subprocess.run([ACTORLAB, "run", "repeat", *ENGINES[engine], "--scheduler", scheduler, "--workers", str(workers),
                           "--oversubscribe", "--iterations", str(iterations), "--warmup", "0", "--json", "-", *words],
                          capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"{scheduler}, {settings}: exit {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)["memory"]


class Watermark(unittest.TestCase):
    def test_chapters_example(self):
        """19 messages at a time in queues of 10 slots: 10, 20, 18, 36 with naive reclamation. Two
        arrays change places, one for the mailbox and one for its worker."""
        for engine in ENGINES:
            for iterations in (1, 3):  # the mark is the highest, no sum
                peaks = {reclaim: memory(engine, iterations=iterations, servers=19, rounds=50, capacity=10, reclaim=reclaim)["queue_peak_bytes"]
                         for reclaim in ("half", "naive", "off", "quarter")}
                with self.subTest(engine, iterations=iterations):
                    self.assertEqual(peaks["naive"] - peaks["half"], 2 * (36 - 20) * SLOT)
                    self.assertEqual({peaks["half"]}, {peaks["off"], peaks["quarter"]})

    def test_without_reclamation(self):
        """What queues never give back, they hold at the end: whichever workers made them grow."""
        for engine in ENGINES:
            for scheduler, settings in (("inverted", {"reclaim": "off", "batching": "off"}),
                                        ("inverted", {"reclaim": "off", "batching": "on"}), ("deque", {})):
                with self.subTest(engine, scheduler=scheduler, **settings):
                    found = memory(engine, scheduler, workers=4, servers=500, rounds=5, **settings)
                    self.assertEqual(found["queue_peak_bytes"], found["queue_bytes"])

    def test_highest_iteration(self):
        """Queues hold more in some iterations than in others, and the mark is the highest of all: a
        further iteration may raise it and never lowers it. Which size shows that depends on the
        compiler, whose instructions are simulated."""
        rises = []
        for servers in (200, 400, 1000):
            peaks = [memory("sim", workers=4, iterations=n, servers=servers, rounds=5, capacity=10,
                            reclaim="quarter")["queue_peak_bytes"] for n in (1, 2, 3, 6, 9)]
            self.assertEqual(peaks, sorted(peaks))
            rises.append(peaks[-1] > peaks[0])
        self.assertTrue(any(rises))

    def test_given_back(self):
        """Queues that end small were large before: all answers lay in one mailbox."""
        found = memory("sim", workers=4, servers=1000, rounds=5, capacity=10, reclaim="quarter")
        self.assertGreater(found["queue_peak_bytes"], max(1000 * SLOT, found["queue_bytes"]))


if __name__ == "__main__":
    unittest.main()
