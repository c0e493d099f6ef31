#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The command line of the conformance suites, and what they say of a failure."""

import os
import subprocess
import unittest

BUILD = os.environ["AL_BUILD"]


class Arguments(unittest.TestCase):
    def suite(self, *arguments, name="virtual", code=0, **environment):
        done = subprocess.run([f"{BUILD}/tests/conformance/conformance-{name}", *arguments], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=120, env={**os.environ, "AL_TEST_SUBSET": "0", **environment})
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.errors = done.stderr
        return done.stdout

    def wrong(self, *arguments, **options):
        """One line, and nothing of a plan that a harness would take for success."""
        self.assertEqual(self.suite(*arguments, code=2, **options), "")
        self.assertEqual(self.errors.count("\n"), 1, self.errors)
        return self.errors.partition(": ")[2].rstrip("\n")

    def test_no_such_case(self):
        for name in ("virtual", "native", "jitter"):
            self.assertRegex(self.wrong("--case", "nosuch/", name=name),
                             r"^--case 'nosuch/': in none of the \d+ names; --list prints them$")
        self.assertRegex(self.wrong("--case", "inverted/longst/spin"),
                         r"; did you mean 'inverted/longest/spin workers=1 traffic'\?; --list prints them$")
        self.assertRegex(self.wrong("--case", "longest/park", AL_TEST_SUBSET="1"), "that AL_TEST_SUBSET=1 leaves; did")

    def test_named(self):
        """What --case names is not left out, although sleeping threads leave out much."""
        environment = {key: value for key, value in os.environ.items() if not key.startswith("AL_TEST_")}
        for words, there in ((("--case", "deque/longest/"), True), ((), False)):
            done = subprocess.run([f"{BUILD}/tests/conformance/conformance-jitter", "--list", *words], text=True,
                                  capture_output=True, env=environment, check=True)
            self.assertEqual("deque/longest/" in done.stdout, there)

    def test_help(self):
        for name, option in (("virtual", "--seeds"), ("native", "--rounds")):
            for words in (["--help"], ["-h"], ["--case", "x", "--help"]):
                said = self.suite(*words, name=name)
                self.assertTrue(said.startswith("usage: "), said)
                self.assertIn(f"[--seed N] [{option} N]", said)

    def test_wrong_argument(self):
        self.assertEqual(self.wrong("--cases", "x"),
                         "unknown argument '--cases' (valid: --list, --case TEXT, --seed N, --seeds N)")
        self.assertEqual(self.wrong("--seeds", "3", name="native"),
                         "unknown argument '--seeds' (valid: --list, --case TEXT, --seed N, --rounds N)")
        self.assertEqual(self.wrong("inverted"),
                         "unknown argument 'inverted' (valid: --list, --case TEXT, --seed N, --seeds N)")
        self.assertEqual(self.wrong("--case"), "--case needs a value")
        for text in ("x", "0", "-1", "1x", "", "18446744073709551616"):
            self.assertEqual(self.wrong("--seeds", text), f"--seeds {text}: not a whole number from 1 to 2^64 - 1")

    def test_list(self):
        names = self.suite("--list").splitlines()
        self.assertEqual(len(names), len(set(names)))
        self.assertIn("central/none/spin workers=1 nothing", names)
        found = self.suite("--list", "--case", "central/none/spin workers=1 ").splitlines()
        self.assertEqual(found, [name for name in names if name.startswith("central/none/spin workers=1 ")])
        begin = [name for name in names if name.startswith("deque/random")]
        self.assertEqual(self.suite("--list", "--case", "^deque/random").splitlines(), begin)
        self.assertRegex(self.wrong("--list", "--case", "^eque/random"), "in none of")
        output = self.suite("--case", "central/none/spin workers=1 nothing", "--seeds", "3")
        self.assertEqual(output, "ok 1 - central/none/spin workers=1 nothing\n1..1\n")

    def test_pairs(self):
        """Two choices that are wrong together are in one case, with the numbers that make it
        likely; what the strategy refuses is in none."""
        names = self.suite("--list", "--case", "inverted/longest/spin workers=4").splitlines()
        both = [name for name in names if "batching=on" in name and "reclaim=naive" in name]
        self.assertTrue(any("capacity=1 " in name for name in both), names)
        self.assertFalse([name for name in names if "batching=on" in name and "queue=list" in name])
        self.assertFalse([name for name in names if "shards=" in name and "mailboxes=" in name])


if __name__ == "__main__":
    unittest.main()
