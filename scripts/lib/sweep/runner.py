# SPDX-License-Identifier: MIT
"""Runs one trial: ends all its processes together, limits its time, and reports an outcome whatever
happens."""

import json
import math
import os
import select
import signal
import time
from typing import NamedTuple

from common import stops
from common.failure import INTERRUPTED, TIMED_OUT, Failure, failing
from common.stops import STOPS
from sweep import supervisor
from sweep.supervisor import Supervisor

STDERR_KEPT = 2000  # characters
ERROR_KEPT = 250  # characters of a message about a record, which may quote it
OUTPUT_KEPT = 64 << 20  # bytes; a record of a million iterations takes about 12 MB
AT_ONCE = 1 << 20  # bytes of a read
SIGNAL_SKEW_S = 0.2
GLANCE_S = 30  # so seldom that it disturbs no trial
# How long to wait for the supervisor's report; it gives up a little earlier.
PATIENCE_S = supervisor.PATIENCE_S + 1

END = object()  # of the jobs


class Outcome(NamedTuple):
    """It has a record if the outcome is ok or wrong, and details if it is anything else."""

    name: str
    seconds: float
    record: dict | None
    details: dict


class Runner:
    """Runs trials until a signal asks to stop. A second signal ends this process at once."""

    def __init__(self, timeout_s):
        self.timeout_s = timeout_s
        self.stopping = False
        self._suspended = False
        self._running = []
        self.glance = lambda: None  # called every GLANCE_S at least while trials run
        supervisor.adopt()  # if a supervisor is killed, its trial is ours
        for number in stops.heeded():
            signal.signal(number, self._on_signal)
        signal.signal(signal.SIGTSTP, self._on_suspend)
        signal.signal(signal.SIGCONT, self._on_continue)

    def _on_signal(self, number, frame):
        self._kill()
        if self.stopping:
            os._exit(INTERRUPTED)
        self.stopping = True

    def _on_suspend(self, number, frame):
        """On Ctrl-Z: the trials' times are no longer valid, and whoever stops a sweep wants the
        machine."""
        self._kill(suspended=True)
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)  # this process stops here
        signal.signal(number, self._on_suspend)

    def _on_continue(self, number, frame):
        """After a stop that could not be handled. The clock of the time-out kept running
        meanwhile."""
        self._kill(suspended=True)

    def _kill(self, suspended=False):
        self._suspended |= suspended
        for running in self._running:
            running.trial.kill()
            running.suspended |= suspended

    def run(self, command, parse=json.loads, nonsense=None):
        """The Outcome, or None if the trial is to run again because it was interrupted or this
        process was stopped meanwhile. The record of a program that is not trusted is examined:
        nonsense(record, seconds) says what is wrong with it, or None."""
        with failing(command[0]):  # no memory, say
            running = self._start(command)
        while not running.over:
            wait([running])
            self.glance()
        try:
            return self._outcome(running, parse, nonsense)
        except OSError as error:  # it is no program
            if nonsense is None:
                raise Failure(f"{command[0]}: {error.strerror}") from None
            return Outcome("missing", 0, None, {"error": f"{command[0]}: {error.strerror}"})

    def run_many(self, jobs, at_once):
        """Yields (key, Outcome) of trials as they end, of which so many run at once. jobs: yields
        (key, command), or None where all trials before must have ended first. One that was
        suspended runs again. Ends without the rest if a signal asks to stop."""
        active, again, more, due = [], [], True, None
        while more or again or active:
            while (more or again) and len(active) < at_once and not self.stopping:
                if again:
                    due = again.pop()
                elif due is None:
                    due = next(jobs, END)
                    more = due is not END
                    if due is None and not active:
                        continue
                if due is None or due is END:
                    break
                running = self._start(due[1])
                running.job, due = due, None
                active.append(running)
            if not active:
                if self.stopping:
                    return
                continue
            wait(active)
            self.glance()
            for running in [running for running in active if running.over]:
                active.remove(running)
                outcome = self._outcome(running)
                if outcome is not None:
                    yield running.job[0], outcome
                elif not self.stopping:
                    again.append(running.job)

    def _start(self, command):
        self._suspended = False
        running = Running(Supervisor(command), time.monotonic(), self.timeout_s)
        self._running.append(running)
        if self.stopping or self._suspended:  # a signal before the handler knew the trial
            self._kill(self._suspended)
        return running

    def _outcome(self, running, parse=json.loads, nonsense=None):
        """Of a trial that is over; None if it is to run again."""
        output, errors = running.rest()
        self._running.remove(running)
        code = running.trial.close(running.said, [other.trial for other in self._running])
        if -code in STOPS and not running.timed_out:
            # Whoever ends a session or job also signals this process; the child may be the first.
            time.sleep(SIGNAL_SKEW_S)
        if running.suspended or (self.stopping and -code in (*STOPS, signal.SIGKILL)):
            return None
        seconds = time.monotonic() - running.start
        tail = errors.decode(errors="replace")[-STDERR_KEPT:]
        if len(output) > OUTPUT_KEPT:
            return Outcome("nonsense", seconds, None, {
                "error": f"it wrote more than {OUTPUT_KEPT >> 20} MiB to its standard output",
                "stderr": tail})
        outcome = judge(code, output, tail, running.timed_out, seconds, parse)
        return examined(outcome, nonsense) if nonsense else outcome


class Running:
    """Reads what a trial writes until its supervisor reports the end (`over`; then `said` is the
    report). Kills it when it runs out of time, and if it writes without end."""

    def __init__(self, trial, start, timeout_s):
        self.trial, self.start, self.deadline = trial, start, start + timeout_s
        self.output, self.errors, self.said = bytearray(), bytearray(), b""
        self.timed_out = self.suspended = self.over = False
        self.ends = {trial.output, trial.errors, trial.report}  # still open
        self._patience = None

    def left_s(self):
        """How long to wait for it at most."""
        now = time.monotonic()
        if now >= self.deadline and not self.trial.killed():
            self.trial.kill()
            self.timed_out = True
        if self.trial.killed():
            self._patience = self._patience or now + PATIENCE_S
            self.over |= now >= self._patience
        return max(0, (self._patience or self.deadline) - now)

    def take(self, ready):
        """Reads from those of its ends that have something."""
        for end in self.ends & ready:
            if not (data := read(end)):
                self.ends.discard(end)
            elif end == self.trial.output:
                self.output += data[:OUTPUT_KEPT + 1 - len(self.output)]
                if len(self.output) > OUTPUT_KEPT:
                    self.trial.kill()
            elif end == self.trial.errors:
                self.errors = (self.errors + data)[-4 * STDERR_KEPT:]  # four bytes a character
            else:
                self.said = data
        self.over |= self.trial.report in ready

    def rest(self):
        """All of (output, the end of its errors). The writers are dead or given up on; what they
        wrote last is in the pipes."""
        while len(self.output) <= OUTPUT_KEPT and (data := read(self.trial.output)):
            self.output += data
        while data := read(self.trial.errors):
            self.errors = (self.errors + data)[-4 * STDERR_KEPT:]
        return self.output, self.errors


def run_alone(command, timeout_s=math.inf):
    """(exit code, output) of a command that does not outlive this process. Raises OSError if it
    cannot be started."""
    running = Running(Supervisor(command), time.monotonic(), timeout_s)
    while not running.over:
        wait([running])
    output, _ = running.rest()
    return running.trial.close(running.said), bytes(output)


def wait(active):
    """Until something happens to one of these running trials, or for GLANCE_S."""
    left = min(GLANCE_S, *(running.left_s() for running in active))
    if any(running.over for running in active):
        return
    waiting = select.poll()
    for running in active:
        for end in running.ends:
            waiting.register(end, select.POLLIN)
    ready = {end for end, _ in waiting.poll(left * 1000)}
    for running in active:
        running.take(ready)


def read(end):
    """What can be read now; nothing at the end, or if nothing is there yet."""
    try:
        return os.read(end, AT_ONCE)
    except BlockingIOError:
        return b""


def signal_name(number):
    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal
        return f"signal {number}"


def examined(outcome, nonsense):
    try:
        problem = outcome.details.get("error")
        if outcome.record is not None:
            problem = nonsense(outcome.record, outcome.seconds)
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        problem = f"its record cannot be examined: {error}"
    if problem is None or outcome.details.get("exit_code", 0) != 0:
        return outcome
    return Outcome("nonsense", outcome.seconds, None, {
        "error": problem[:ERROR_KEPT], "stderr": outcome.details["stderr"]})


def understood(output, parse):
    """The record in a trial's output. Raises ValueError if there is none, or if it could not be
    written again."""
    try:
        record = parse(output)
        json.dumps(record, ensure_ascii=False).encode()
        return record
    except RecursionError:
        raise ValueError("nested too deeply") from None


def judge(code, output, tail, timed_out, seconds, parse=json.loads):
    tail = {"stderr": tail}
    if timed_out or code == TIMED_OUT:
        return Outcome("timeout", seconds, None, tail)
    if code < 0:
        return Outcome("crashed", seconds, None, {"signal": signal_name(-code), **tail})
    try:
        record = understood(output, parse)
        if (code, record["outcome"]) in ((0, "ok"), (1, "wrong")):
            return Outcome(record["outcome"], seconds, record, tail)
        tail["error"] = f"exit code {code} with outcome {record['outcome']}"[:ERROR_KEPT]
    except (ValueError, TypeError, KeyError):
        if code == 0:
            tail["error"] = "no record on its standard output"
    return Outcome("crashed", seconds, None, {"exit_code": code, **tail})
