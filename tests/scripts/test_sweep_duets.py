#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Cells with one worker that run beside their baseline."""

import json
import math
import os
import signal
import socket
import statistics
import subprocess
import sys
import unittest
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import ACTORLAB
from support.sweeping import Bench, Real, alive

TEXT = """
[sweep]
invocations = 6
duet = true
twin = true
baseline = "sharing"
[set]
sleep_ms = 20
[axes]
benchmark = ["alpha"]
scheduler = ["inverted", "sharing"]
workers = [1]
"""
ONCE = TEXT.replace("twin = true", "twin = false").replace("invocations = 6", "invocations = 1")


class Duets(Bench):
    def setUp(self):
        super().setUp()
        self.pus(4, 6)

    def pus(self, *order):
        (self.folder / "topo").write_text(json.dumps({"pus": len(order), "order": [{"pu": pu} for pu in order]}))

    def flags(self):
        """Of each trial that began: its process, strategy and PU."""
        words = [line.split() for line in self.log("begin")]
        return [(line[1], line[line.index("--scheduler") + 1], line[line.index("--pin") + 1] if "--pin" in line else None)
                for line in words]

    def test_no_profile(self):
        """It would disturb the partner."""
        self.sweep(ONCE.replace("duet = true", "duet = true\nprofile = true").replace("[1]", "[1, 2]"))
        profiled = [line for line in self.log("begin") if " --profile " in line]
        self.assertEqual(["--workers 2 " in line for line in profiled], [True])

    def test_pairs(self):
        """Each trial runs at the same time as one of the baseline, as often on either PU. For which
        part of its time follows from when both began and ended, here whatever the load is: the
        partner began later, and kept its PU busy after its own end."""
        times = {"inverted": (100, 300, 500), "sharing": (150, 200, 290)}
        (self.folder / "duet").write_text(json.dumps({name: dict(zip(("met_ns", "done_ns", "left_ns"), each))
                                                      for name, each in times.items()}))
        self.sweep(TEXT)
        rows = self.rows()
        self.assertEqual(len(rows), 6 * 3)
        for row in rows:
            partner = row["duet"]["partner"]
            self.assertEqual((partner["scheduler"], partner["benchmark"], partner["seed"], partner["outcome"]),
                             ("sharing", "alpha", row["seed"], "ok"))
            self.assertNotEqual(partner["trial"], row["trial"])
            self.assertEqual((row["pin"], partner["pin"]), ("close", "close"))
            self.assertEqual(row["duet"]["overlap"], {"inverted": (290 - 150) / 200, "sharing": 1}[row["scheduler"]])
        flags = self.flags()
        self.assertEqual(len(flags), 2 * len(rows))
        for first, second in zip(flags[::2], flags[1::2]):
            self.assertEqual({first[2], second[2]}, {"4", "6"})
        log = [line.split()[:2] for line in (self.folder / "log").read_text().splitlines() if line[:3] in ("beg", "end")]
        for place in range(0, len(log), 4):
            self.assertEqual([word for word, _ in log[place:place + 4]], ["begin", "begin", "end", "end"])
        for name in ("inverted", "sharing"):
            pus = Counter(pu for _, strategy, pu in flags if strategy == name)
            self.assertEqual(pus["4"], pus["6"])
        self.assertIn("18 recorded, 0 to run", self.sweep(TEXT, "plan"))

    def test_alone(self):
        """Several workers need both PUs."""
        self.sweep(ONCE.replace("workers = [1]", "workers = [1, 2]"))
        self.assertEqual({row["workers"]: "duet" in row for row in self.rows()}, {1: True, 2: False})

    def test_builds(self):
        """The baseline is the same cell of the first build, whatever the strategy."""
        other = self.folder / "other"
        other.write_text(self.fake.read_text())
        other.chmod(0o755)
        text = ONCE.replace('baseline = "sharing"\n', "").replace(
            "[axes]", '[binaries]\nold = "actorlab"\nnew = "other"\n[axes]\nbinary = ["old", "new"]')
        self.sweep(text, "--trust")
        self.assertEqual(Counter((row["binary"], row["duet"]["partner"]["binary"]) for row in self.rows()),
                         {("old", "old"): 2, ("new", "old"): 2})
        for row in self.rows():
            self.assertEqual(row["scheduler"], row["duet"]["partner"]["scheduler"])

    def test_no_baseline(self):
        """Then all run beside one of them."""
        self.sweep(ONCE.replace('baseline = "sharing"\n', "").replace('"sharing"]', '"sharing", "central"]'))
        self.assertEqual({row["duet"]["partner"]["scheduler"] for row in self.rows()}, {"inverted"})

    def test_nearest_baseline(self):
        """Of several cells of the baseline, each runs beside the one that is most like it."""
        self.sweep(ONCE.replace('"sharing"]', '"central"]').replace('baseline = "sharing"', 'baseline = "inverted"')
                   + 'shards = [16, 32]\nidle = ["park", "spin"]\n')
        partners = {(row["scheduler"], row["idle"], row["options"].get("shards")): row["duet"]["partner"] for row in self.rows()}
        self.assertEqual(len(partners), 6)
        for (scheduler, idle, shards), partner in partners.items():
            self.assertEqual((partner["scheduler"], partner["idle"]), ("inverted", idle))
            self.assertEqual(partner["options"]["shards"], shards or 16)

    def test_one_pu(self):
        self.pus(4)
        self.sweep(TEXT, code=2)
        self.assertEqual(self.errors, "small.toml: duet = true: alpha inverted workers=1: there is one PU; valid: two, or "
                         "duet = false\n")

    def test_another_kind(self):
        """Beside another trial a cell has other times."""
        self.sweep(TEXT, "--block", "0")
        self.sweep(TEXT.replace("duet = true\n", ""), code=2)
        self.assertEqual(self.errors, "out/records.jsonl: its records have duet true, now it is false: --rerun moves them "
                         "aside and starts afresh\n")

    def test_failed_partner(self):
        """It is part of the record, and no time to compare with; the trial goes on alone."""
        (self.folder / "meanwhile").write_text("if scheduler == 'sharing': os.kill(os.getpid(), 11)")
        self.sweep(ONCE, code=1)
        rows = {row["scheduler"]: row for row in self.rows()}
        self.assertEqual({name: row["outcome"] for name, row in rows.items()}, {"inverted": "ok", "sharing": "crashed"})
        for row in rows.values():
            self.assertEqual((row["duet"]["partner"]["outcome"], row["duet"]["overlap"]), ("crashed", None))

    def test_interrupted(self):
        """Both end, and neither is recorded."""
        process = self.start(TEXT.replace("sleep_ms = 20", "sleep_ms = 60000"))
        self.wait_for(lambda: len(self.log("begin")) == 2)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate()
        self.assertEqual((process.returncode, self.rows()), (130, []), errors)
        for pid, _, _ in self.flags():
            self.assertFalse(alive(pid))

    def test_time_out(self):
        self.sweep(ONCE.replace("sleep_ms = 20", "sleep_ms = 60000").replace(
            "[sweep]", "[sweep]\ntimeout_s = 0.5").replace('"inverted", ', ""), code=1)
        row, = self.rows()
        self.assertEqual((row["outcome"], row["duet"]["partner"]["outcome"]), ("timeout", "timeout"))


class Verdicts(Bench):
    def test_ratio(self):
        """The ratio of a duet is that to the partner, not to the baseline's own trial of the block;
        that of its twin, too."""
        (self.folder / "topo").write_text(json.dumps({"pus": 2, "order": [{"pu": 0}, {"pu": 1}]}))
        self.sweep(TEXT.replace("sleep_ms = 20", ""))
        rows, ratios, twins = self.rows(), [], []
        for number, row in enumerate(rows):
            row["duet"]["partner"]["time_ns"] = [1000 + 37 * number]
            ratio = row["time_ns"][0] / row["duet"]["partner"]["time_ns"][0]
            if row["sweep"].get("twin"):
                twins.append(ratio)
            elif row["scheduler"] == "inverted":
                ratios.append(ratio)
            row["duet"]["overlap"] = 0.75 if number == 3 else 1
        path = self.results / "records.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        told = subprocess.run([ACTORLAB, "results", self.results, "--json"], check=True, stdout=subprocess.PIPE)
        machine = json.loads(told.stdout)["machines"][0]
        self.assertEqual(sorted(cell["overlap"] for cell in machine["cells"])[1:], [1])
        pair, = machine["comparisons"]["baseline"]["pairs"]
        self.assertAlmostEqual(pair["ratio"]["median"], estimate(ratios), 9)
        self.assertAlmostEqual(machine["aa"][0]["ratio"]["median"], estimate(twins), 9)
        self.assertIn("duets: the partner ran for at least 75.0% of the measured time", self.sweep(TEXT.replace("sleep_ms = 20", "")))

    def test_failures(self):
        """A trial that failed is the slowest, its partner's as well as its own."""
        (self.folder / "topo").write_text(json.dumps({"pus": 2, "order": [{"pu": 0}, {"pu": 1}]}))
        self.sweep(TEXT.replace("sleep_ms = 20", ""))
        good = self.rows()
        for factor in (2, 0.5):  # of the trial's time: the slower one fails
            rows = [json.loads(json.dumps(row)) for row in good]
            for number, row in enumerate(row for row in rows if row["scheduler"] == "inverted"):
                partner = row["duet"]["partner"]
                row["time_ns"] = [int(factor * time) for time in partner["time_ns"]]
                if number < 4:
                    (row if factor > 1 else partner).update(outcome="timeout", time_ns=[])
            (self.results / "records.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
            told = subprocess.run([ACTORLAB, "results", self.results, "--json"], stdout=subprocess.PIPE, check=True)
            pair, = json.loads(told.stdout)["machines"][0]["comparisons"]["baseline"]["pairs"]
            self.assertEqual((pair["n"], pair["p"]), (6, 2 ** -5))


def estimate(ratios):
    """Hodges and Lehmann's, of ratios."""
    logs = [math.log(ratio) for ratio in ratios]
    return math.exp(statistics.median((a + b) / 2 for n, a in enumerate(logs) for b in logs[:n + 1]))


@unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "a duet takes two PUs")
class Together(Real):
    def run_both(self, *sizes):
        """The records of two trials of the real actorlab."""
        ends, running = socket.socketpair(), []
        for end, pu, size in zip(ends, sorted(os.sched_getaffinity(0)), sizes):
            words = ["run", "send-static", *size, "--workers", "1", "--iterations", "2", "--pin", str(pu), "--json", "-"]
            running.append(subprocess.Popen([ACTORLAB, *words, "--duet", str(end.fileno())], pass_fds=[end.fileno()],
                                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL))
            end.close()
        return [json.loads(process.communicate()[0]) for process in running]

    def test_overlap(self):
        """Neither leaves its PU before the other is done."""
        short, long = self.run_both(["--size", "small", "--set", "sends=1000"], ["--set", "sends=1000000"])
        for record, other in ((short, long), (long, short)):
            duet = record["duet"]
            self.assertGreaterEqual(duet["left_ns"], other["duet"]["done_ns"])
            self.assertLess(duet["met_ns"], duet["done_ns"])
            self.assertLessEqual(sum(record["time_ns"]), duet["done_ns"] - duet["met_ns"])
            self.assertEqual((record["outcome"], record["bound"], record["handoff"]), ("ok", record["pus"], None))
        self.assertEqual(short["environment"]["cpus_allowed"], long["environment"]["cpus_allowed"])
        self.assertNotEqual(short["pus"], long["pus"])

    def test_alone(self):
        """A trial whose partner has ended goes on."""
        ours, theirs = socket.socketpair()
        theirs.close()
        words = ["run", "send-static", "--size", "small", "--workers", "1", "--json", "-", "--duet", str(ours.fileno())]
        done = subprocess.run([ACTORLAB, *words], pass_fds=[ours.fileno()], capture_output=True, check=True)
        self.assertEqual(len(json.loads(done.stdout)["time_ns"]), 5)
        ours.close()

    def test_refused(self):
        for more, said in ((["--workers", "2"], "several workers"), (["--workers", "1", "--engine", "sim", "--machine", "host"],
                                                                      "--engine sim")):
            done = subprocess.run([ACTORLAB, "run", "send-static", "--duet", "3", *more], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr),
                             (2, f"actorlab run: --duet with {said}; valid: with --workers 1\n"))


if __name__ == "__main__":
    unittest.main()
