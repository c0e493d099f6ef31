#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`actorlab check`: what it runs, what it refuses, and how it ends."""

import os
import subprocess
import unittest

ACTORLAB = os.path.abspath(os.environ["AL_BUILD"] + "/actorlab")


def check(*words, code=0):
    done = subprocess.run([ACTORLAB, "check", *words], capture_output=True, text=True)
    assert done.returncode == code, done
    return done.stdout if code == 0 else done.stderr


class Check(unittest.TestCase):
    def test_names(self):
        """A pattern names scenarios, and --memory one of three models."""
        listed = {line.split()[0] for line in check("--list").splitlines()}
        self.assertIn("qpcas/chain/3-thieves", listed)
        wanted = {name for name in listed if name.startswith("qpcas/one-victim/")}
        lines = check("qpcas/one-victim/*").splitlines()
        ran = [tuple(line.split()[1:3]) for line in lines[:-1]]
        self.assertEqual(ran, [(name, model) for name in sorted(wanted) for model in ("sc", "tso", "c11")])
        self.assertEqual(lines[-1], f"{len(ran)} passed, 0 failed")
        self.assertEqual(len(check("post", "--memory", "tso").splitlines()), 2)

    def test_example(self):
        """What can happen is shown by a trace that names each source line."""
        lines = check("qpcas/cycle/none", "--memory", "sc").splitlines()
        self.assertTrue(lines[0].startswith("shown "))
        self.assertRegex("\n".join(lines),
                         r"\n +\d+  thread \d  slot \d is \d +qpcas\.h:\d+ +.*al_ptr_load_relaxed\(mine\);")

    def test_mistakes(self):
        self.assertEqual(check("qpcas/cycle/4-thieves", code=2),
                         "actorlab check: unknown scenario 'qpcas/cycle/4-thieves'; did you mean 'qpcas/cycle/2-thieves'?; "
                         "valid: what `actorlab check --list` shows\n")
        self.assertRegex(check("--memory", "arm", code=2), "actorlab check: .*memory.*arm.*each, sc, tso, c11")

    def test_full_disk(self):
        for words in (["--list"], ["post", "--memory", "sc"]):
            with open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run([ACTORLAB, "check", *words], stdout=full, stderr=subprocess.PIPE, text=True)
            self.assertEqual((done.returncode, done.stderr), (3, "actorlab: could not write to standard output: "
                                                              "No space left on device\n"))


if __name__ == "__main__":
    unittest.main()
