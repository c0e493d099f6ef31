#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Too few PUs, PUs that go while something runs, and no permission to bind: refused, or in the
record."""

import ctypes
import os
import platform
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support.sweeping import Real

ALL = os.sched_getaffinity(0)
ONE = {min(ALL)}
TEXT = '[sweep]\ninvocations = {}\n{}\n[set]\nbenchmark = "send-static"\nsends = {}\nworkers = {}\n'
SECONDS = 20_000_000  # sends: they take about two


def status(name, task="self"):
    """A line of the kernel's on a process or thread."""
    lines = Path(f"/proc/{task}/status").read_text().splitlines()
    return next(line.split()[1] for line in lines if line.startswith(name + ":"))


def allowed(task="self"):
    return status("Cpus_allowed_list", task)


def take_pus():
    """For preexec_fn."""
    os.sched_setaffinity(0, ONE)


def forbid_binding():
    """For preexec_fn: the kernel refuses sched_setaffinity, as it may in a container."""
    load, equal, result, refuse, allow = 0x20, 0x15, 0x06, 0x00050001, 0x7FFF0000  # EPERM is 1
    number = 203 if platform.machine() == "x86_64" else 122

    class Step(ctypes.Structure):
        _fields_ = [("code", ctypes.c_uint16), ("yes", ctypes.c_uint8), ("no", ctypes.c_uint8), ("k", ctypes.c_uint32)]

    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_uint16), ("steps", ctypes.POINTER(Step))]

    steps = (Step * 4)(Step(load, 0, 0, 0), Step(equal, 0, 1, number), Step(result, 0, 0, refuse),
                       Step(result, 0, 0, allow))
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    no_new_privileges, seccomp, filter_mode = 38, 22, 2
    if prctl(no_new_privileges, 1, 0, 0, 0) or prctl(seccomp, filter_mode, ctypes.byref(Program(4, steps)), 0, 0):
        raise OSError(ctypes.get_errno(), "no seccomp")


class Denied(Real):
    def test_no_permission_to_bind(self):
        run = [self.environment["AL_ACTORLAB"], "run", "send-static", "--size", "small", "--workers", "1"]
        done = subprocess.run(run, preexec_fn=forbid_binding, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn(", 1 worker (not bound to their PUs): ", done.stdout)
        output = self.sweep(TEXT.format(2, "", 1000, 1), preexec_fn=forbid_binding)
        for row in self.rows():
            self.assertEqual((row["pus"], row["bound"]), ([min(ALL)], [None]))
            self.assertEqual(row["noise"]["watched_pus"], os.cpu_count())
            self.assertIn("unbound", row["noise"]["disturbed"])
        self.assertRegex(output, r"\nnoise: 2 of 2 trials disturbed \(.*workers not on their PUs: 2")


def children(pid):
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()


@unittest.skipIf(len(ALL) == 1, "of one PU none can be taken")
class Cpuset(Real):
    def test_too_few(self):
        run = [self.environment["AL_ACTORLAB"], "run", "send-static", "--size", "small", "--workers"]
        done = subprocess.run([*run, "2"], preexec_fn=take_pus, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr, "actorlab run: 2 workers, but 1 usable PU; valid: 1 to 1, or more with "
                         "--oversubscribe\n")
        self.sweep(TEXT.format(1, "", 1000, 2), code=2, preexec_fn=take_pus)
        self.assertRegex(self.errors, r"^small.toml:\d+: workers = 2: must be 1 to 1, the PUs of this machine .*\n$")

    def test_changed_between_runs(self):
        text = TEXT.format(2, "", 1000, 1)
        self.sweep(text, "--block", "0")
        before = (self.results / "records.jsonl").read_bytes()
        for form in ("--quick", "plan"):
            self.sweep(text, form, code=2, preexec_fn=take_pus)
            self.assertEqual(self.errors, f"out/records.jsonl: its records have cpus_allowed {allowed()}, now it is "
                             f"{min(ALL)}: --rerun moves them aside and starts afresh\n")
        self.assertEqual((self.results / "records.jsonl").read_bytes(), before)
        self.sweep(text)
        self.assertEqual(len(self.rows()), 2)
        self.sweep(text, "--rerun", preexec_fn=take_pus)
        self.assertEqual({row["environment"]["cpus_allowed"] for row in self.rows()}, {str(min(ALL))})

    def test_changed_while_a_sweep_runs(self):
        """With one worker trials still run, with two they are refused; neither is in the
        records."""
        for workers in (1, 2):
            process = self.start(TEXT.format(1000, "", 1000, workers))
            self.wait_for(lambda: self.rows())
            os.sched_setaffinity(process.pid, ONE)
            _, errors = process.communicate()
            self.assertEqual(process.returncode, 2, errors)
            self.assertIn(f"cpus_allowed was {allowed()} when the sweep began, now it is {min(ALL)}: the last trial is "
                          "not recorded; ", errors)
            self.assertEqual({(row["outcome"], row["environment"]["cpus_allowed"]) for row in self.rows()},
                             {("ok", allowed())})
            shutil.rmtree(self.results)

    def during_a_trial(self, change):
        """Runs a trial of two iterations; change(its threads) when the worker of the first is
        bound."""
        process = self.start(TEXT.format(1, "iterations = 2\nwarmup = 0", SECONDS, 1))
        threads = []

        def bound():
            try:
                # The sweep's child is the supervisor, the trial is that one's.
                trials = [trial for child in children(process.pid) for trial in children(child)]
                before = list(threads)
                threads[:] = [int(thread.name) for trial in trials for thread in Path(f"/proc/{trial}/task").iterdir()]
                # The first is no worker: hwloc binds it for moments, to look at each PU. A worker
                # that it starts then is on that PU, too, until it binds itself.
                return len(threads) == 2 and threads == before and len(os.sched_getaffinity(threads[1])) == 1
            except OSError:  # it has just ended
                return False

        self.wait_for(bound)
        change(threads)
        self.output, errors = process.communicate()
        return process.returncode, errors

    def test_changed_while_a_trial_runs(self):
        """For all of its threads, as when its cpuset shrinks."""
        code, errors = self.during_a_trial(lambda threads: [os.sched_setaffinity(t, ONE) for t in threads])
        self.assertEqual(code, 2, errors)
        self.assertIn(f"cpus_allowed was {allowed()} when the sweep began, now it is {min(ALL)}: ", errors)
        self.assertEqual(self.rows(), [])

    def test_worker_moved(self):
        """In the first iteration alone: the record's claim is of both."""
        code, errors = self.during_a_trial(lambda threads: os.sched_setaffinity(threads[1], ALL))
        self.assertEqual(code, 0, errors)
        row, = self.rows()
        self.assertEqual((len(row["time_ns"]), row["bound"]), (2, [None]))
        self.assertIn("unbound", row["noise"]["disturbed"])
        self.assertIn("workers not on their PUs: 1", self.output)


if __name__ == "__main__":
    unittest.main()
