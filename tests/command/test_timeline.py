#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`actorlab run --trace FILE`: the file is well formed, its events do not overlap and add up to the
record.

AL_BUILD names the build folder."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

BUILD = Path(os.environ.get("AL_BUILD", Path(__file__).resolve().parents[2] / "build"))
COUNTING = json.loads(subprocess.run([BUILD / "actorlab", "list", "--json"], capture_output=True, check=True)
                      .stdout)["environment"]["counting"]
ARGUMENTS = {  # of an event, by its name; those in brackets need not be there
    "run": {"messages", "[batches]", "[actor]", "[mailbox]"},
    "gulp": {"messages", "mailbox"},
    "steal": {"outcome", "victim", "queues", "messages"},
    "idle": {"looks", "no_candidate"},
    "sleep": set(),
    "park": set(),
}
EXECUTOR = ["executor", "--size", "small", "--workers", "2", "--oversubscribe"]


def actorlab(*arguments):
    return subprocess.run([BUILD / "actorlab", "run", *arguments], capture_output=True, text=True, errors="replace",
                          timeout=120)


class Timeline(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "trace.json"

    def refused(self, said, *arguments):
        result = actorlab(*EXECUTOR, *arguments)
        self.assertEqual((result.returncode, result.stdout), (2, ""), result)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertIn(said, result.stderr)

    def trace(self, *arguments):
        """The record, what the file says of itself, and the events of each worker."""
        result = actorlab(*arguments, "--iterations", "1", "--warmup", "0", "--trace", self.file, "--json", "-")
        self.assertEqual(result.returncode, 0, result.stderr)
        trace = json.loads(self.file.read_text())
        tracks = {}
        for event in trace["traceEvents"]:
            if event["ph"] == "X":
                tracks.setdefault(event["tid"], []).append(event)
        self.said = result.stderr
        self.names = {event["tid"]: event["args"]["name"] for event in trace["traceEvents"]
                      if event["name"] == "thread_name"}
        return json.loads(result.stdout), trace["otherData"], tracks

    def check_events(self, tracks):
        for events in tracks.values():
            ended_ns = 0
            for event in events:
                began_ns, took_ns = round(event["ts"] * 1000), round(event["dur"] * 1000)
                self.assertGreaterEqual(began_ns, ended_ns, event)
                ended_ns = began_ns + took_ns
                given, known = set(event["args"]), ARGUMENTS[event["name"]]
                self.assertLessEqual({name for name in known if name[0] != "["}, given, event)
                self.assertLessEqual(given, {name.strip("[]") for name in known}, event)

    def check_sums(self, record, tracks):
        self.assertEqual(sum(e["args"]["messages"] for events in tracks.values() for e in events if e["name"] == "run"),
                         record["messages"])
        for worker in range(record["workers"]):
            counters, events = record["counters"][worker], tracks[worker]
            self.assertEqual(sum(e["args"]["messages"] for e in events if e["name"] == "run"), counters["messages_received"])
            steals = [e["args"] for e in events if e["name"] == "steal"]
            more = sum(e["args"]["no_candidate"] for e in events if e["name"] == "idle")
            outcomes = [s["outcome"] for s in steals]
            self.assertEqual(len(steals) + more, counters["steal_attempts"])
            self.assertEqual(outcomes.count("taken"), counters["steals"])
            self.assertEqual(outcomes.count("lost swap"), counters["steals_lost_swap"])
            self.assertEqual(outcomes.count("no candidate") + more, counters["steals_no_candidate"])
            self.assertEqual(sum(s["queues"] for s in steals), counters["queues_stolen"])
            self.assertEqual(sum(s["messages"] for s in steals), counters["messages_stolen"])

    @unittest.skipUnless(COUNTING, "a timeline needs the counters")
    def test_strategies(self):
        """Every strategy, in each way of running and waiting that tells the timeline something of
        its own. Whether a worker waits is up to the machine, so several runs may show all kinds of
        events."""
        for arguments, kinds in (
            (["inverted"], {"run", "idle"}),
            (["inverted", "--set", "batching=on"], {"run", "idle"}),
            (["inverted", "--set", "queue=list", "--victim", "random"], {"run", "idle"}),
            (["inverted", "--idle", "backoff"], {"run", "idle"}),
            (["deque"], {"run", "idle", "steal", "sleep"}),
            (["las"], {"run", "idle", "steal"}),
            (["mercury"], {"run", "idle", "park"}),
            (["sharing"], {"run", "idle", "park"}),
            (["central"], {"run", "idle"}),
            (["inverted", "--idle", "park", "--set", "park_spin=0"], {"run", "idle", "park"}),
            (["deque", "--idle", "park", "--set", "park_spin=0"], {"run", "idle", "park"}),
            (["central", "--idle", "park", "--set", "park_spin=0"], {"run", "idle", "park"}),
        ):
            size = ["--set", "actors=2000", "--set", "group=100", "--set", "rounds=2"]
            with self.subTest(arguments):
                seen = set()
                for _ in range(20):
                    record, about, tracks = self.trace(*EXECUTOR, *size, "--scheduler", *arguments)
                    self.assertEqual(sorted(tracks), [0, 1])
                    self.assertEqual(about["dropped"], [0, 0])
                    self.assertEqual(about["events"], [len(tracks[0]), len(tracks[1])])
                    self.check_events(tracks)
                    self.check_sums(record, tracks)
                    seen |= {e["name"] for events in tracks.values() for e in events}
                    if kinds <= seen:
                        break
                self.assertLessEqual(kinds, seen)

    @unittest.skipUnless(COUNTING, "a timeline needs the counters")
    def test_about(self):
        record, about, tracks = self.trace(*EXECUTOR, "--seed", "7")
        self.assertEqual(record["trace"], str(self.file))
        for key in ("benchmark", "scheduler", "victim", "idle", "workers", "seed", "messages"):
            self.assertEqual(about[key], record[key], key)
        self.assertAlmostEqual((about["timed_until_us"] - about["timed_from_us"]) * 1000, record["time_ns"][0], delta=1)
        for events in tracks.values():
            ran = [e for e in events if e["name"] == "run"]
            self.assertTrue(all(e["ts"] + e["dur"] > about["timed_from_us"] for e in ran))
            # Nobody runs anything after the last actor; a worker may then take a while to notice.
            # The end is from the clock, the events are from the cycle counter, in ns of the whole
            # run's rate.
            for event in ran:
                self.assertLess(event["ts"], about["timed_until_us"] + 1)
        for worker, name in self.names.items():
            pu = record["bound"][worker]
            self.assertEqual(name, f"worker {worker}" + (f" (PU {pu})" if pu is not None else ""))
        self.assertIn(f"timeline of the last iteration: {self.file}, {sum(about['events'])} events\n", self.said)

    @unittest.skipUnless(COUNTING, "a timeline needs the counters")
    def test_dropped(self):
        """A ring that is too small keeps the last events, and says how many it lost."""
        alone = ["executor", "--size", "small", "--workers", "1", "--scheduler", "deque"]
        record, about, tracks = self.trace(*alone, "--trace-events", "4")
        self.assertEqual((about["trace_events"], about["events"], len(tracks[0])), (4, [4], 4))
        # A run of 64 messages or more each, but for its end.
        self.assertGreater(about["dropped"][0], 1)
        self.assertLess(about["dropped"][0], record["messages"] / 2)
        self.check_events(tracks)
        self.assertGreater(tracks[0][0]["ts"], about["timed_from_us"])
        self.assertIn(f"dropped the oldest {about['dropped'][0]}", self.said)

    @unittest.skipUnless(COUNTING, "a timeline needs the counters")
    def test_iterations(self):
        """The last of several, and no other; the record says so, and one without says that there
        was none."""
        result = actorlab(*EXECUTOR, "--iterations", "3", "--trace", self.file, "--json", "-")
        trace, record = json.loads(self.file.read_text()), json.loads(result.stdout)
        self.assertEqual(sum(e["args"]["messages"] for e in trace["traceEvents"] if e["name"] == "run"), record["messages"])
        self.assertEqual(sum(c["messages_received"] for c in record["counters"]), 3 * record["messages"])
        took_us = trace["otherData"]["timed_until_us"] - trace["otherData"]["timed_from_us"]
        self.assertAlmostEqual(took_us * 1000, record["time_ns"][-1], delta=1)
        self.assertIsNone(json.loads(actorlab(*EXECUTOR, "--json", "-").stdout)["trace"])

    @unittest.skipUnless(COUNTING, "a timeline needs the counters")
    def test_unwritable(self):
        self.refused("cannot open", "--trace", self.file.parent / "missing" / "trace.json")
        self.refused("cannot open", "--trace", self.file.parent)
        result = actorlab(*EXECUTOR, "--trace", "/dev/full")
        self.assertEqual(result.returncode, 3, result)
        self.assertIn("cannot write to '/dev/full': No space left", result.stderr)

    def test_mistakes(self):
        self.refused("no value after '--trace'; valid: --trace FILE", "--trace")
        self.refused("--trace-events without --trace; valid: --trace FILE", "--trace-events", "5")
        self.refused("out of range", "--trace", self.file, "--trace-events", "0")
        self.refused("not a whole number", "--trace", self.file, "--trace-events", "many")
        self.refused("unknown option '--traces'", "--traces", self.file)
        if COUNTING:
            self.refused("valid: a smaller --trace-events", "--trace", self.file, "--trace-events", "1000000000")
            self.refused("is not UTF-8", "--trace", bytes(self.file) + b"\xff")
        else:
            self.refused("-Dcounters=true", "--trace", self.file)
        self.assertFalse(self.file.exists())


if __name__ == "__main__":
    unittest.main()
