#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`actorlab run --profile`: the numbers of workloads whose shape is known, natively and simulated,
and a record that is otherwise the same.

AL_BUILD names the build folder."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

BUILD = Path(os.environ.get("AL_BUILD", Path(__file__).resolve().parents[2] / "build"))
SIMULATED = ["--engine", "sim", "--machine", "xeon-5220r-2s"]
# What differs from run to run.
CHANCE = ("trial", "started_at", "environment", "simulated", "peak_rss_bytes")


def actorlab(*arguments):
    return subprocess.run([BUILD / "actorlab", "run", *arguments, "--iterations", "1", "--oversubscribe"],
                          capture_output=True, text=True, timeout=120)


class Profile(unittest.TestCase):
    def record(self, *arguments):
        result = actorlab(*arguments, "--json", "-")
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    def profile(self, *arguments):
        return self.record(*arguments, "--profile")["profile"]

    def test_fan_in(self):
        profile = self.profile("bang", "--size", "small", "--workers", "3", "--set", "senders=50")
        self.assertGreater(profile["busiest_1"], 0.9)
        self.assertAlmostEqual(profile["senders_most"], 51, delta=5)  # the starter sends, too

    def test_one_message_at_a_time(self):
        profile = self.profile("send-static", "--size", "small", "--workers", "2")
        self.assertEqual((profile["fan_out"], profile["busiest_1"], profile["created"]), (1, 1, 0))
        self.assertEqual(profile["actors_per_worker"], 0.5)

    def test_actor_for_each_message(self):
        profile = self.profile("send-dynamic", "--size", "small", "--workers", "1")
        self.assertAlmostEqual(profile["created"], 1, delta=0.001)
        self.assertEqual((profile["senders"], profile["senders_most"]), (1, 1))

    @unittest.skipUnless((BUILD / "actorlab-sim").exists(), "no simulator")
    def test_simulated_is_the_same_again(self):
        words = ["matrix", "--size", "small", "--workers", "4", *SIMULATED]
        plain, first, again = (self.record(*words, *more) for more in ([], ["--profile"], ["--profile"]))
        self.assertEqual(first["profile"], again["profile"])
        self.assertGreater(first["profile"]["work_ns"], 1000)  # a row
        for key in CHANCE:
            plain.pop(key)
            first.pop(key)
        first.pop("profile")
        self.assertEqual(first, plain)

    def test_memory_is_that_of_the_measured_iterations(self):
        words = ["repeat", "--workers", "1", "--set", "rounds=2", "--warmup", "0"]
        plain, profiled = (self.record(*words, *more)["peak_rss_bytes"] for more in ([], ["--profile"]))
        self.assertLess(profiled, 1.2 * plain)

    def test_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "profile.json"
            record = self.record("send-static", "--size", "small", "--workers", "1", f"--profile={path}")
            written = json.loads(path.read_text())
        self.assertEqual(written.pop("workers"), 1)
        self.assertEqual(written.keys(), record["profile"].keys())
        for key, value in written.items():
            self.assertAlmostEqual(value, record["profile"][key], delta=1e-5 * value, msg=key)

    @unittest.skipUnless((BUILD / "actorlab-sim").exists(), "this build has no simulator")
    def test_imitated(self):
        """The numbers that parameters follow from: a fan-in, a hot tenth, neighbours."""
        for number, (busiest_1, busiest_10, senders) in enumerate([(0.9, 0.91, 400), (0.06, 0.6, 400), (0.01, 0.1, 8)]):
            with self.subTest(number), tempfile.TemporaryDirectory() as folder:
                wanted = {"work_ns": 20000, "work_p99_ns": 132000, "actors_per_worker": 500, "fan_out": 2, "message_bytes": 232,
                          "busiest_1": busiest_1, "busiest_10": busiest_10, "senders": senders, "workers": 2}
                path = Path(folder) / "wanted.json"
                path.write_text(json.dumps(wanted))
                record = self.record("synthetic", "--like", path, "--profile", "--workers", "2", *SIMULATED, "--set", "messages=40000")
                found = record["profile"]
                self.assertEqual((record["parameters"]["service"], record["parameters"]["bytes"]), ("exponential", 200))
                self.assertAlmostEqual(found["work_ns"], 20000, delta=2000)
                self.assertAlmostEqual(found["work_p99_ns"], 132000, delta=20000)
                self.assertAlmostEqual(found["actors_per_worker"], 500, delta=1)
                self.assertAlmostEqual(found["fan_out"], 2, delta=0.1)
                self.assertAlmostEqual(found["busiest_10"], busiest_10, delta=0.06)
                self.assertAlmostEqual(found["busiest_1"], busiest_1, delta=0.06)
                if senders == 8:
                    self.assertAlmostEqual(found["senders"], 8, delta=1)

    def test_mistakes_of_like(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "profile.json"
            path.write_text('{"senders": 4, "sender_most": 4}')
            for words, said in ((["bang"], "--like with the workload bang; valid: with synthetic"),
                                (["synthetic", "--size", "small"], "--like with --size; valid: one of them"),
                                (["synthetic"], "unknown key 'sender_most'; did you mean 'senders_most'?")):
                result = actorlab(*words, "--like", path)
                self.assertEqual((result.returncode, result.stderr.count("\n")), (2, 1), result.stderr)
                self.assertIn(said, result.stderr)

    def test_mistakes(self):
        for words in (["--profile=/nowhere/profile"], ["--profile=/"]):
            result = actorlab("send-static", "--size", "small", *words)
            self.assertEqual((result.returncode, result.stdout, result.stderr.count("\n")), (2, "", 1), result)
        # The word that follows is no file.
        self.assertEqual(actorlab("--profile", "send-static", "--size", "small").returncode, 0)


if __name__ == "__main__":
    unittest.main()
