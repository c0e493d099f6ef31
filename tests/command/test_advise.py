#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`actorlab advise`: what it says of made-up records is what they were made to show.

AL_BUILD names the build folder."""

import json
import math
import random
import re
import subprocess
import unittest

from test_results import ACTORLAB, Results, record

# The numbers that are compared, and what counts as the least of each.
COMPARED = {"messages_per_s": 1000, "work_ns": 10, "senders": 1, "busiest_1": 0.01, "actors_per_worker": 1,
            "local": 0.01, "fan_out": 1, "created": 0.01}
NEAREST, APART = 3, 4
FAN_IN = {"messages_per_s": 1e6, "work_ns": 100, "senders": 50, "busiest_1": 0.9, "actors_per_worker": 30,
          "local": 0.1, "fan_out": 1, "created": 0}
LONG = FAN_IN | {"work_ns": 1e7, "senders": 1, "busiest_1": 0.01}


def rows_of(workloads, workers=2, blocks=8):
    """workloads: {benchmark: (profile or None, {scheduler: ns})}"""
    return [record(scheduler, workers, block, time * (1000 + block), benchmark,
                   **({"profile": profile} if profile and block == 3 else {}))
            for block in range(blocks) for benchmark, (profile, times) in workloads.items()
            for scheduler, time in times.items()]


def apart(a, b, workers):
    """The factor by which profiles differ; a is of as many workers."""
    def scaled(profile, key):
        value = profile[key] / (workers if key == "messages_per_s" else 1)
        return math.log(max(value, COMPARED[key]))

    both = [key for key in COMPARED if key in a and key in b]
    return math.exp(sum(abs(scaled(a, key) - scaled(b, key)) for key in both) / len(both))


def mean_loss(workloads, names, scheduler):
    """Of a scheduler on these workloads."""
    logs = [math.log(workloads[name][1][scheduler] / min(workloads[name][1].values())) for name in names]
    return math.exp(sum(logs) / len(logs))


THREE = {"alpha": (FAN_IN, {"inverted": 2, "deque": 1}),
         "beta": (FAN_IN | {"senders": 100}, {"inverted": 2, "deque": 1}),
         "gamma": (LONG, {"inverted": 1, "deque": 3})}


class Advise(Results):
    def advise(self, rows, *words, code=0, profile=None):
        if profile is not None:
            path = self.folder / "profile.json"
            path.write_text(profile if isinstance(profile, str) else json.dumps(profile))
            words = (*words, "--profile", path)
        done = subprocess.run([ACTORLAB, "advise", self.write(rows), *words], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        self.said = done.stderr
        return " ".join(done.stdout.split())

    def test_similar(self):
        said = self.advise(rows_of(THREE), profile={"senders": 60, "work_ns": 120, "workers": 2})
        self.assertIn("2 workers: deque (victim none, idle spin) takes 1.00 times the time of the fastest, on average", said)
        # alpha: the square root of 60 / 50 * 120 / 100
        self.assertIn("alpha 1.20 deque 2.00 [2.00, 2.00] inverted 1.00", said)
        self.assertIn("beta 1.41 deque 2.00 [2.00, 2.00] inverted 1.00", said)
        self.assertNotIn("gamma", said)
        self.assertIn("Whatever the workload: deque takes 1.44 times", said)  # the third root of 3
        self.assertIn("alpha 1.00 deque", self.advise(rows_of(THREE), profile={"messages_per_s": 8e6, "workers": 16}))

    def test_no_similar_data(self):
        said = self.advise(rows_of(THREE), "--workers", "3", profile={"senders": 2, "work_ns": 2e8})
        self.assertIn("3 workers: no similar data: the nearest workload, gamma with 2 workers, differs by a factor of "
                      "6.32 on average; up to 4 counts as similar.", said)  # sqrt(2 * 20)
        bare = rows_of({name: (None, times) for name, (_, times) in THREE.items()})
        self.assertIn("2 workers: no similar data. No record has a profile", self.advise(bare, profile={"senders": 2}))
        self.assertIn("No record has a profile", self.advise(bare, "--evaluate"))

    def test_nearest_workers(self):
        rows = rows_of(THREE, 2) + rows_of({"alpha": (FAN_IN, {"inverted": 1, "deque": 3})}, 16)
        for workers, scheduler in (1, "deque"), (5, "deque"), (6, "inverted"), (64, "inverted"):
            said = self.advise(rows, "--workers", str(workers), profile=FAN_IN | {"workers": 3})
            self.assertIn(f"{workers} workers: {scheduler} (victim".replace("1 workers", "1 worker"), said)
        said = self.advise(rows, profile=FAN_IN)
        self.assertRegex(said, "2 workers: deque .* 16 workers: inverted ")

    def test_record_is_a_profile(self):
        said = self.advise(rows_of(THREE), profile=record(workers=2, profile=LONG))
        self.assertIn("2 workers: inverted (victim none, idle spin) takes 1.00", said)

    def test_list(self):
        said = self.advise(rows_of(THREE))
        self.assertRegex(said, r"fan-in alpha 2 deque none spin 2\.00 \[2\.00, 2\.00\] inverted fan-in beta .* long behaviours gamma")
        self.assertNotIn("las", self.advise(rows_of({"alpha": (FAN_IN, {"las": 1, "deque": 2, "inverted": 3})}),
                                            "--among", "deque,inverted"))

    def test_any_truth(self):
        """Random profiles and times: distances, choices and means are those of another program."""
        random.seed(1)
        names = ["inverted", "deque", "las"]
        for _ in range(10):
            workloads = {f"w{i}": ({key: random.uniform(0.3, 3) ** 3 * {"messages_per_s": 1e7, "work_ns": 100}.get(
                key, 0.03 if COMPARED[key] < 1 else 5) for key in COMPARED},
                {name: random.choice([1, 2, 3, 5, 8]) for name in names}) for i in range(random.randint(2, 7))}
            for profile, _ in workloads.values():
                profile["busiest_1"], profile["local"] = (min(1, profile[key]) for key in ("busiest_1", "local"))
            rows = rows_of(workloads)
            fixed, advised = [], []
            said = self.advise(rows, "--evaluate")
            for left_out, (profile, _) in workloads.items():
                others = [name for name in workloads if name != left_out]
                distance = {name: apart(profile, workloads[name][0], 2) for name in others}
                near = sorted((name for name in others if distance[name] <= APART), key=distance.get)[:NEAREST]
                row = re.search(rf"(?:takes|[\d.]+|data) {left_out} 2 (no similar data|(\w+) \(([\d.]+)\) (\w+) ([\d.]+) "
                                r"(\w+) ([\d.]+))", said)
                self.assertEqual(row[1] == "no similar data", not near, (said, left_out, distance))
                if not near:
                    continue
                self.assertEqual(row[2], near[0])
                self.assertAlmostEqual(float(row[3]), distance[near[0]], delta=0.06)
                for chosen, takes, of, into in (row[4], row[5], near, advised), (row[6], row[7], others, fixed):
                    self.assertAlmostEqual(mean_loss(workloads, of, chosen),
                                           min(mean_loss(workloads, of, name) for name in names), delta=1e-3)
                    self.assertAlmostEqual(float(takes), mean_loss(workloads, [left_out], chosen), delta=0.006)
                    into.append(math.log(mean_loss(workloads, [left_out], chosen)))
            if advised:
                mean, worst, of_fixed, n, none = re.search(
                    r"takes ([\d.]+) times the time of the fastest, at most ([\d.]+); .* takes ([\d.]+) "
                    r"\(geometric means of (\d+); (\d+) without", said).groups()
                self.assertEqual((int(n), int(none)), (len(advised), len(workloads) - len(advised)))
                for value, logs in (mean, advised), (of_fixed, fixed):
                    self.assertAlmostEqual(float(value), math.exp(sum(logs) / len(logs)), delta=0.006)
                self.assertAlmostEqual(float(worst), math.exp(max(advised)), delta=0.006)

    def test_mistakes(self):
        rows = rows_of(THREE)
        for profile, what in [("{", "profile.json:1"), ("[]", "no profile"), ("{}", "nothing to compare"),
                              ({"sender": 3}, "did you mean 'senders'?"), ({"senders": "3"}, "senders is no number from 0"),
                              ({"busiest_1": 2}, "busiest_1 is no number from 0 to 1"), ({"senders": -1}, "senders is no"),
                              ({"senders": 1, "workers": 0.5}, "workers is no whole number from 1"),
                              ({"message_bytes": 8}, "nothing to compare"), ({"profile": 3}, "no profile"),
                              ('{"senders": 1, "senders": 2}', "duplicate"), ({"senders": None}, "senders is no number")]:
            self.advise(rows, profile=profile, code=2)
            self.assertIn(what, self.said)
            self.assertEqual(self.said.count("\n"), 1, self.said)
        for words, what in [(["--among", "dequeue"], "valid: inverted, deque"), (["--workers", "2"], "--workers without --profile"),
                            (["--evaluate", "--profile", "x"], "--evaluate with --profile"), (["--profile", "/nowhere"], "cannot read")]:
            self.advise(rows, *words, code=2)
            self.assertIn(what, self.said)
            self.assertEqual(self.said.count("\n"), 1, self.said)


if __name__ == "__main__":
    unittest.main()
