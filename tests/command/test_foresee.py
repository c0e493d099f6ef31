#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`actorlab foresee -`: which trials would refuse to begin."""

import json
import os
import subprocess
import unittest

ACTORLAB = os.path.abspath(os.environ["AL_BUILD"] + "/actorlab")
MACHINE = ["--topology", "package:2 core:2 pu:1", "--oversubscribe"]


def ask(lines, code):
    text = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)
    done = subprocess.run([ACTORLAB, "foresee", "-"], input=text, capture_output=True, text=True)
    assert done.returncode == code and not done.stderr, done
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [answer["line"] for answer in answers] == list(range(1, len(lines) + 1)), answers
    return [answer.get("problem") for answer in answers]


class Foresee(unittest.TestCase):
    def test_messages(self):
        """As many as a run delivers; unknown where the workload places its actors."""
        listing = json.loads(subprocess.run([ACTORLAB, "list", "--json"], capture_output=True, check=True).stdout)
        names = [entry["name"] for entry in listing["benchmarks"]]
        runs = [[name, "--size", "small", "--seed", "7"] for name in names]
        done = subprocess.run([ACTORLAB, "foresee", "--messages", "-"], text=True, capture_output=True, check=True,
                              input="".join(json.dumps(words) + "\n" for words in runs))
        for words, line in zip(runs, done.stdout.splitlines()):
            with self.subTest(words[0]):
                run = subprocess.run([ACTORLAB, "run", *words, "--iterations", "1", "--warmup", "0", "--json", "-"],
                                     capture_output=True, check=True)
                placed = words[0].startswith("balance-")
                self.assertEqual(json.loads(line).get("messages"), None if placed else json.loads(run.stdout)["messages"])

    def test_messages_without_memory(self):
        """A workload that this machine has no room for is a problem of its own line."""
        runs = [["chat", "--set", "users=100000000", "--set", "friends=100000"], ["repeat", "--size", "small"]]
        done = subprocess.run([ACTORLAB, "foresee", "--messages", "-"], text=True, capture_output=True,
                              input="".join(json.dumps(words) + "\n" for words in runs))
        large, small = map(json.loads, done.stdout.splitlines())
        self.assertRegex(large["problem"], "chat of this size needs about .* TB of memory")
        self.assertGreater(small["messages"], 0)
        self.assertEqual(done.stderr, "")

    def test_as_run(self):
        """What is refused is refused by `run`, with the same line; what is not is run."""
        cases = [
            (["executor", "--set", "actors=150"], "actors=150 is not a multiple of group=100"),
            (["executor", "--set", "actors=50"], "group=100 exceeds actors=50"),
            (["executor", "--set", "batch=7"], "batch=7 does not divide group x rounds = "),
            (["balance-one", "--set", "actors=150"], "actors=150 is not a multiple of group="),
            (["balance-multi", "--set", "actors=150"], "actors=150 is not a multiple of group="),
            (["apsp", "--set", "block=7"], "block=7 does not divide nodes="),
            (["chat", "--set", "active=99999"], "active=99999 exceeds users="),
            (["chat", "--set", "memberships=300", "--set", "groups=2"], "memberships=300 exceeds groups=2"),
            (["csll", "--set", "writes=60", "--set", "sizes=60"], "writes=60 and sizes=60 add up to more than 100 percent"),
            (["logm", "--set", "rate=4", "--set", "increment=1"], "would have rate"),
            (["pubsub", "--set", "publishers=1", "--set", "subscriptions=2"], "subscriptions=2 exceeds publishers=1"),
            (["trapr", "--set", "left=5", "--set", "right=1"], "left=5 is not below right=1"),
            (["trapr", "--set", "pieces=1", "--set", "actors=2"], "pieces=1 is less than actors=2"),
            (["repeat", "--set", "mailboxes=8", "--set", "shards=4"], "shards=4 and mailboxes=8 contradict or repeat each other"),
            (["repeat", "--workers", "2", "--set", "shards=1"], "stealing needs at least 2 mailboxes per worker"),
            (["repeat", "--set", "batching=on", "--set", "queue=list"], "batching=on needs queue=copy, not queue=list"),
            (["repeat", "--scheduler", "las", "--set", "lock=ticket", "--set", "deque=chase-lev"],
             "lock=ticket needs deque=locked, not deque=chase-lev"),
            (["repeat", "--workers", "4000"], "4000 workers, but "),
            (["repeat", "--scheduler", "centrl"], "unknown scheduler 'centrl'"),
            (["repeat", "--scheduler", "central", "--victim", "random"], "does not steal"),
            (["repeat", "--set", "nosuch=1"], "unknown option 'nosuch'"),
            (["repeat", "--pin", "99999"], "99999"),
            (["repeat", "--topology", "nowhere"], "malformed topology 'nowhere'"),
            ([], "no WORKLOAD"),
            (["repeat", "--size", "small"], None),
            (["executor", "--set", "actors=150", "--set", "group=50", "--size", "small"], None),
        ]
        for (words, said), problem in zip(cases, ask([words for words, _ in cases], 1)):
            with self.subTest(words):
                self.assertEqual(problem is None, said is None, problem)
                done = subprocess.run([ACTORLAB, "run", *words, "--iterations", "1", "--warmup", "0"], text=True,
                                      capture_output=True)
                self.assertEqual((done.returncode, done.stderr), (0, "") if said is None
                                 else (2, f"actorlab run: {problem}\n"))
                self.assertIn(said or "", problem or "")

    def test_every_part(self):
        """Each plug-in is made and released without a thread that uses it."""
        listing = json.loads(subprocess.run([ACTORLAB, "list", "--json"], stdout=subprocess.PIPE, check=True).stdout)
        names = {kind: [entry["name"] for entry in listing[kind]] for kind in ("schedulers", "victims", "idle")}
        lines = [["repeat", "--scheduler", s, "--victim", v, "--idle", i, "--workers", w, *MACHINE]
                 for s in names["schedulers"] for v in names["victims"] for i in names["idle"] for w in ("1", "4")]
        lines += [[entry["name"], *MACHINE] for entry in listing["benchmarks"]]
        problems = ask(lines, 1)
        accepted = {line[2] for line, problem in zip(lines, problems) if problem is None and len(line) > 4}
        self.assertEqual(accepted, set(names["schedulers"]))
        self.assertEqual(problems[-len(listing["benchmarks"]):], [None] * len(listing["benchmarks"]))

    def test_lines_that_are_none(self):
        none = "not a JSON array of words"
        self.assertEqual(ask(["", "x", "5", "{}", '["repeat"', '["repeat", 5]', '[null]', '["a\\u0000b"]', '["repeat"] x'], 1),
                         [none] * 5 + ["word 2 is not a string", "word 1 is not a string", none, none])
        self.assertEqual(ask([], 0), [])
        self.assertEqual(ask([["repeat"]], 0), [None])
        for words in ([], ["file"], ["-", "-"]):
            done = subprocess.run([ACTORLAB, "foresee", *words], capture_output=True, text=True, stdin=subprocess.DEVNULL)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))
        self.assertIn("usage: actorlab foresee -", subprocess.run([ACTORLAB, "foresee", "--help"], capture_output=True,
                                                                text=True).stdout)


if __name__ == "__main__":
    unittest.main()
