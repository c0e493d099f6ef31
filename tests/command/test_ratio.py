#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`actorlab ratio -`: ratios of pairs of numbers.

AL_BUILD names the build folder."""

import itertools
import json
import math
import os
import statistics
import subprocess
import unittest

ACTORLAB = os.path.abspath(os.environ["AL_BUILD"] + "/actorlab")


def ask(*jobs):
    text = "".join((job if isinstance(job, str) else json.dumps(job)) + "\n" for job in jobs)
    return subprocess.run([ACTORLAB, "ratio", "-"], input=text, capture_output=True, text=True)


class Ratio(unittest.TestCase):
    def test_estimate(self):
        """Hodges and Lehmann's: the median of the means of all pairs of logarithms."""
        first, second = [2.1, 2.2, 2.6, 2.0, 2.3, 2.2, 2.4], [1.0, 1.1, 1, 1.2, 0.9, 1.0, 1.05]
        logs = [math.log(a / b) for a, b in zip(first, second)]
        walsh = [(a + b) / 2 for a, b in itertools.combinations_with_replacement(logs, 2)]
        job = {"first": first, "second": second}
        found, narrow, turned = map(json.loads, ask(job, job | {"level": 0.5}, {"first": second, "second": first}).stdout.splitlines())
        self.assertAlmostEqual(found["median"], math.exp(statistics.median(walsh)))
        self.assertLess(found["low"], narrow["low"])
        self.assertGreater(found["high"], narrow["high"])
        self.assertAlmostEqual(turned["low"], 1 / found["high"])
        self.assertAlmostEqual(found["p"], 2 / 2**7)  # all seven are on one side

    def test_few(self):
        """Two pairs are too few for 95%: the interval is unbounded."""
        found = json.loads(ask({"first": [2, 3], "second": [1, 1]}).stdout)
        self.assertEqual((found["low"], found["high"]), (0, None))
        self.assertGreaterEqual(found["needed"], 6)

    def test_mistakes(self):
        pair = {"first": [1], "second": [2]}
        for job, wanted in (("[1]", "not a JSON object"), ("{", "not a JSON object"), ({"first": [1]}, "second must be a list of numbers"),
                            (pair | {"first": [1, "x"]}, "first must be a list of numbers"),
                            (pair | {"first": [1, 2]}, "first has 2 numbers and second 1: they are pairs"),
                            (pair | {"first": [0]}, "every number must be positive, and so must every ratio"),
                            (pair | {"level": 1}, "level must be between 0 and 1"), (pair | {"level": "x"}, "level must be")):
            with self.subTest(job):
                done = ask(pair, job, pair)
                self.assertEqual((done.returncode, len(done.stdout.splitlines())), (2, 1))
                self.assertRegex(done.stderr, f"^actorlab ratio: line 2: {wanted}.*\n$")
        done = subprocess.run([ACTORLAB, "ratio", "x"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))


if __name__ == "__main__":
    unittest.main()
