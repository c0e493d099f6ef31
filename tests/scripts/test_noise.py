#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What disturbs trials: the gate before each, the judgement of its record, and what is printed."""

import contextlib
import os
import subprocess
import sys
import time
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support.sweeping import Bench

from machine import noise

SWEEP = '[sweep]\ninvocations = 2\n{}\n[set]\nbenchmark = "alpha"\nworkers = 1\n'


class Machine:
    """Time that passes only in sleep, and a number of running processes for each moment."""

    def __init__(self, running):
        self.running, self.now = running, 100.0

    def sleep(self, seconds):
        self.now += seconds

    def procs_running(self):
        return self.running(self.now - 100) if callable(self.running) else self.running


def gate(running, stopping=lambda: False, pus=2, **settings):
    """A Gate that has waited on a made-up machine."""
    machine = Machine(running)
    config = SimpleNamespace(**{"gate": "mark", "gate_limit": 0.02, "gate_wait_s": 10, **settings})
    clock = SimpleNamespace(monotonic=lambda: machine.now, sleep=machine.sleep)
    with mock.patch.multiple(noise, procs_running=machine.procs_running, time=clock), \
            mock.patch("os.cpu_count", lambda: pus):
        passed = noise.Gate(config, {"noise_ticks": 3, "waited_ns": 10**6})
        passed.wait(stopping)
    return passed


def judged(passed, record):
    passed.judge(record)
    return record["noise"]


class Gates(unittest.TestCase):
    def test_calm(self):
        for how in ("mark", "wait"):
            self.assertEqual(judged(gate(1, gate=how), {}),
                             {"gate": {"others_running": 0, "waited_s": 0}, "disturbed": []})

    def test_busy(self):
        """It is marked at once, or after waiting; the trial runs in either case."""
        for how, least, most in (("mark", 0.02, 0.03), ("wait", 10, 10.1)):
            seen = judged(gate(3, gate=how), {})
            self.assertEqual((seen["gate"]["others_running"], seen["disturbed"]), (2, ["busy"]))
            self.assertTrue(least <= seen["gate"]["waited_s"] <= most, seen)

    def test_calm_after_a_while(self):
        seen = judged(gate(lambda now: 1 if now > 3 else 2, gate="wait"), {})
        self.assertEqual((seen["gate"]["others_running"], seen["disturbed"]), (0, []))
        self.assertTrue(3 < seen["gate"]["waited_s"] < 3.1, seen)
        seen = judged(gate(lambda now: 1 if now > 3 else 2, gate="mark"), {})
        self.assertEqual(seen["disturbed"], ["busy"])
        # What woke up for a moment is no noise.
        self.assertEqual(judged(gate(lambda now: 1 if now > 0.01 else 2), {})["disturbed"], [])

    def test_limit(self):
        """Of all PUs."""
        self.assertEqual(judged(gate(3, pus=100), {})["disturbed"], [])
        self.assertEqual(judged(gate(4, pus=100), {})["disturbed"], ["busy"])
        self.assertEqual(judged(gate(2, gate_limit=0.5), {})["disturbed"], [])
        self.assertEqual(judged(gate(2, gate_limit=0.49), {})["disturbed"], ["busy"])

    def test_unknown(self):
        self.assertEqual(judged(gate(None), {}), {"gate": {"others_running": None, "waited_s": 0}, "disturbed": []})

    def test_not_bound(self):
        for pus, bound, reasons in (([0, 1], [0, 1], []), ([0, 1], [0, None], ["unbound"]), ([None], [None], [])):
            self.assertEqual(judged(gate(1), {"pus": pus, "bound": bound})["disturbed"], reasons)

    def test_waited(self):
        """Workers, but neither the starting thread nor those that wait for one another."""
        ms = 10**6
        for times, waited, more, reasons in (
                ([50 * ms], (0, 3 * ms, 0), {}, ["waited"]), ([50 * ms], (2 * ms, 0, 0), {}, []),
                ([50 * ms] * 2, (0, 3 * ms, 0), {}, []), ([50 * ms], (0, 0, 3 * ms), {}, []),
                ([ms], (ms, 0, 0), {}, []), ([50 * ms], (None, None, 0), {}, []),
                ([50 * ms], (3 * ms, 0, 0), {"oversubscribed": True}, [])):
            record = {"workers": 2, "time_ns": times, "hardware": [{"waited_ns": ns, "ran_ns": None} for ns in waited], **more}
            self.assertEqual(judged(gate(1), record)["disturbed"], reasons, record)
        self.assertEqual(judged(gate(1), {"hardware": None, "workers": 2, "time_ns": []})["disturbed"], [])

    def test_waited_for_the_starter(self):
        """Which runs beside the workers, and is the trial's own."""
        ms = 10**6
        for ran, reasons in ((0, ["waited"]), (2 * ms, ["waited"]), (3 * ms, [])):
            threads = [{"waited_ns": 5 * ms, "ran_ns": 45 * ms}, {"waited_ns": 0, "ran_ns": 50 * ms}, {"waited_ns": 0, "ran_ns": ran}]
            record = {"workers": 2, "time_ns": [50 * ms], "hardware": threads}
            self.assertEqual(judged(gate(1), record)["disturbed"], reasons, ran)

    def test_off(self):
        record = {"noise": {"steal_ns": 10**9}}
        gate(9, gate="off").judge(record)
        self.assertEqual(record, {"noise": {"steal_ns": 10**9}})

    def test_interrupted(self):
        self.assertLess(gate(9, gate="wait", stopping=lambda: True).waited_s, 1)

    def test_during(self):
        """Shares of the time of all watched PUs; trials too short for the kernel are not judged."""
        second = 10**9
        trial = {"elapsed_ns": 5 * second, "watched_pus": 2}  # 2% are 0.2 s
        for seen, reasons in [
            ({}, []),
            ({"others_ns": second // 5}, []),
            ({"others_ns": second // 5 + 1}, ["others"]),
            ({"steal_ns": second // 5 + 1}, ["steal"]),
            ({"others_ns": None, "steal_ns": None, "throttles": None, "quota_throttled_ns": None}, []),
            ({"others_ns": 0, "throttles": 1, "quota_throttled_ns": 1}, ["quota", "heat"]),
            ({"stops": 0}, []),
            ({"stops": 1}, ["stopped"]),
            ({"elapsed_ns": second // 10, "others_ns": second // 20}, []),
            ({"elapsed_ns": second // 10, "others_ns": second // 10}, ["others"]),
            ({"watched_pus": 0, "others_ns": 0}, []),
        ]:
            self.assertEqual(judged(gate(1), {"noise": {**trial, **seen}})["disturbed"], reasons, seen)
        self.assertEqual(judged(gate(2), {"noise": {**trial, "throttles": 3}})["disturbed"], ["busy", "heat"])
        self.assertEqual(judged(gate(1), {"noise": None})["disturbed"], [])


class Watching(unittest.TestCase):
    def test_child(self):
        """A program that says nothing of itself."""
        watch = noise.Watch()
        subprocess.run(["/bin/sh", "-c", "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; sleep 0.01"], check=True)
        seen = watch.noise()
        self.assertGreater(seen["own_ns"], 10**6)
        self.assertGreater(seen["elapsed_ns"], 10**7)
        self.assertEqual(seen["watched_pus"], os.cpu_count())
        self.assertGreaterEqual(seen["voluntary_switches"], 1)
        self.assertGreater(seen["minor_faults"], 10)
        self.assertGreaterEqual(seen["others_ns"], 0)
        self.assertIsNone(seen["migrations"])

    def test_arithmetic(self):
        ticks = [[["cpu", *"10 0 0 5 5 0 0 1 0 0".split()], ["cpu0"], ["cpu1"], ["procs_running", "1"]],
                 [["cpu", *"30 1 2 9 9 3 4 8 9 9".split()], ["cpu0"], ["cpu1"], ["procs_running", "4"]]]
        usage = SimpleNamespace(ru_utime=0, ru_stime=0, ru_nvcsw=0, ru_nivcsw=0, ru_minflt=0, ru_majflt=0)
        with mock.patch.object(noise, "proc_stat", lambda: ticks.pop(0)), \
                mock.patch.object(noise, "TICK_NS", 10**7), \
                mock.patch.object(noise.resource, "getrusage", lambda who: usage):
            watch = noise.Watch()
            usage.ru_utime = 0.05  # of the trial, and as much of the sweep itself
            seen = watch.noise()
        self.assertEqual((seen["others_ns"], seen["steal_ns"], seen["watched_pus"]), (3 * 10**8 - 10**8, 7 * 10**7, 2))
        self.assertEqual((seen["before"]["procs_running"], seen["after"]["procs_running"]), (1, 4))

    def test_no_proc(self):
        with mock.patch.object(noise, "proc_stat", lambda: []):
            seen = noise.Watch().noise()
        self.assertEqual((seen["others_ns"], seen["steal_ns"], seen["watched_pus"]), (None, None, 0))
        self.assertEqual(gate(1).during(seen), [])


@contextlib.contextmanager
def busy():
    """Another process that always runs."""
    spinner = subprocess.Popen(["/bin/sh", "-c", "while :; do :; done"])
    try:
        yield
    finally:
        spinner.kill()
        spinner.wait()


class Sweeping(Bench):
    def seen(self):
        return [row["noise"] for row in self.rows()]

    def test_marks(self):
        with busy():
            output = self.sweep(SWEEP.format(""))
        for seen in self.seen():
            self.assertEqual(seen["disturbed"], ["busy"])
            self.assertGreaterEqual(seen["gate"]["others_running"], 1)
        self.assertIn("\nnoise: 2 of 2 trials disturbed (other processes just before: 2)\nwrote ", output)
        self.assertIn("\nOnly one strategy has times, so there is nothing to compare. 2 of 2 trials were disturbed.\n"
                      "Most trials were disturbed, 2 of 2: what differs may be the noise. Against other processes", output)

    def test_waits(self):
        with busy():
            self.sweep(SWEEP.format('gate = "wait"\ngate_wait_s = 0.3'))
        for seen in self.seen():
            self.assertEqual(seen["disturbed"], ["busy"])
            self.assertGreaterEqual(seen["gate"]["waited_s"], 0.3)

    def test_off(self):
        with busy():
            output = self.sweep(SWEEP.format('gate = "off"'))
        self.assertNotIn("noise:", output)
        self.assertTrue(all("noise" not in row for row in self.rows()))

    def test_failed_trial(self):
        self.sweep(SWEEP.format("gate_limit = 0.99") + 'mode = "crash"\n', code=1)
        self.assertTrue(all("disturbed" in seen for seen in self.seen()))

    def test_interrupted_while_it_waits(self):
        with busy():
            process = self.start(SWEEP.format('gate = "wait"\ngate_wait_s = 1000'))
            self.wait_for((self.results / "records.jsonl").exists)
            time.sleep(0.3)
            process.terminate()
            self.assertEqual(process.wait(), 130)
            process.communicate()
        self.assertEqual(self.rows(), [])


if __name__ == "__main__":
    unittest.main()
