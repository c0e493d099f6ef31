#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`actorlab check`: what it runs, what it refuses, and how it ends."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

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

    def test_files(self):
        """An execution is saved, made again by another process, and drawn."""
        with tempfile.TemporaryDirectory() as folder:
            saved, drawn = f"{folder}/saved", f"{folder}/drawn.json"
            first = check("qpcas/cycle/none", "--memory", "c11", "--save", saved, "--timeline", drawn).splitlines()
            again = check("--replay", saved).splitlines()
            self.assertGreater(len(again), 10)
            self.assertEqual(again[1:], first[1:-2])
            self.assertEqual(first[-2], f"       again: actorlab check --replay '{saved}'")
            events = json.load(open(drawn, encoding="utf-8"))["traceEvents"]
            self.assertEqual([event["name"] for event in events if event["ph"] == "X"],
                             [line[17:53].rstrip() for line in first[2:-2]])
            self.assertEqual({event["args"]["name"] for event in events if event["name"] == "thread_name"},
                             {"thread 0", "thread 1", "thread 2"})
            arrows = [(event["id"], event["ph"]) for event in events if event["ph"] in "sf"]
            self.assertGreater(len(arrows), 4)
            self.assertEqual(len(set(arrows)), len(arrows))

            def refused(line, text):
                lines = open(saved, encoding="utf-8").read().splitlines()
                lines[line] = text
                open(drawn, "w", encoding="utf-8").write("\n".join(lines) + "\n")
                return check("--replay", drawn, code=2).removeprefix(f"actorlab check: {drawn}: ")

            self.assertEqual(refused(0, "x"), "line 1 is 'x'; valid: 'schedule of actorlab check, version 1'\n")
            self.assertIn("line 2 is 'x'; valid: the name of a scenario", refused(1, "x"))
            self.assertEqual(refused(2, "arm"), "line 3 is 'arm'; valid: sc, tso or c11\n")
            self.assertIn("line 4 is 'x'; valid: poison or reuse", refused(3, "x"))
            for step in ("9 fence", "0 read", "0 read 1", "0 read 9.1", "0 fence 1", "0 write initial ", "x"):
                self.assertIn(f"line 5 is '{step}'; valid: a step, such as", refused(4, step))
            self.assertIn("there is no line 'end'", refused(-1, "0 fence"))
            self.assertEqual(refused(4, "0 fence"), "")
            done = subprocess.run([ACTORLAB, "check", "--replay", drawn], capture_output=True, text=True)
            self.assertIn("step 1 of the schedule cannot be made", done.stdout)

    def test_resumed(self):
        """A search that draws goes on where it was: each scenario once with each seed."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "progress"
            words = ("bound/*", "--memory", "sc", "--search", "pct", "--runs", "10", "--resume", path)
            names = [line.split()[1] for line in check(*words).splitlines()[:-1]]
            self.assertGreater(len(names), 2)
            lines = path.read_text().splitlines()
            self.assertEqual(lines[2:], ["seed 11", "searches 0"])
            path.write_text("\n".join([*lines[:2], "seed 11", "searches 2"]) + "\n")
            rest = [line.split()[1] for line in check(*words).splitlines()[:-1]]
            self.assertEqual(rest, names[2:])
            self.assertEqual(path.read_text().splitlines()[2:], ["seed 21", "searches 0"])
            self.assertIn("it is not of this search; valid: ", check(*words, "--bound", "2", code=2))
            path.write_text("\n".join(lines[:3]))
            self.assertIn("it is not of this search; valid: ", check(*words, code=2))
            self.assertIn("without --search random or pct", check("--resume", path, code=2))
            self.assertIn("cannot write", check(*words[:-1], f"{folder}/none/x", code=2))

    def test_combined(self):
        """Systems of all combinations are there when somebody asks for them."""
        self.assertNotIn("combined/", check("--list"))
        names = {line.split()[0] for line in check("--list", "combined/*").splitlines()}
        for scheduler in ("central", "custody", "deque", "inverted", "las", "mercury", "sharing"):
            self.assertTrue(any(name.startswith(f"combined/{scheduler}/") for name in names), scheduler)
        last = check("combined/*/park workers=4", "--memory", "c11", "--search", "pct", "--runs", "2").splitlines()[-1]
        self.assertRegex(last, r"^\d\d+ passed, 0 failed$")

    def test_drawn(self):
        """An execution that was drawn comes again by the command that it ends with."""
        for way in ("random", "pct"):
            first = check("qpcas/cycle/none", "--memory", "tso", "--search", way, "--bound", "6").splitlines()
            again = first[-2].removeprefix("       again: actorlab check ").replace("'", "").split()
            self.assertEqual(again[-2:], ["--runs", "1"])
            self.assertEqual(check(*again).splitlines()[1:], first[1:])

    def test_mistakes(self):
        self.assertIn("--bound 0: --search pct needs at least 1", check("post", "--search", "pct", "--bound", "0", code=2))
        self.assertIn("cannot read '/nowhere/x'", check("--replay", "/nowhere/x", code=2))
        self.assertIn("cannot write '/nowhere/x'", check("qpcas/cycle/none", "--save", "/nowhere/x", code=2))
        self.assertIn("--replay takes no SCENARIO", check("post", "--replay", "x", code=2))
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
