# SPDX-License-Identifier: MIT
"""Runs one trial: ends all its processes together, limits its time, and reports an outcome whatever
happens."""

import json
import os
import select
import signal
import time
from dataclasses import dataclass

from common.failure import INTERRUPTED, TIMED_OUT, Failure
from sweep import supervisor
from sweep.supervisor import Supervisor

STDERR_KEPT = 2000  # characters
ERROR_KEPT = 250  # characters of a message about a record, which may quote it
OUTPUT_KEPT = 64 << 20  # bytes; a record of a million iterations takes about 12 MB
AT_ONCE = 1 << 20  # bytes of a read
STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
HANDLED = (*STOPS, signal.SIGTSTP, signal.SIGCONT)
SIGNAL_SKEW_S = 0.2
# How long to wait for the supervisor's report; it gives up a little earlier.
PATIENCE_S = supervisor.PATIENCE_S + 1


@dataclass
class Outcome:
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
        self._trial = None
        supervisor.adopt()  # if a supervisor is killed, its trial is ours
        for number in STOPS:
            signal.signal(number, self._on_signal)
        signal.signal(signal.SIGTSTP, self._on_suspend)
        signal.signal(signal.SIGCONT, self._on_continue)

    def _on_signal(self, number, frame):
        self._kill()
        if self.stopping:
            os._exit(INTERRUPTED)
        self.stopping = True

    def _on_suspend(self, number, frame):
        """On Ctrl-Z: the trial's time is no longer valid, and whoever stops a sweep wants the
        machine."""
        self._kill()
        self._suspended = True
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)  # this process stops here
        signal.signal(number, self._on_suspend)

    def _on_continue(self, number, frame):
        """After a stop that could not be handled. The clock of the time-out kept running
        meanwhile."""
        self._kill()
        self._suspended = True

    def _kill(self):
        if self._trial is not None:
            self._trial.kill()

    def run(self, command, parse=json.loads, nonsense=None):
        """The Outcome, or None if the trial is to run again because it was interrupted or this
        process was stopped meanwhile. The record of a program that is not trusted is examined:
        nonsense(record, seconds) says what is wrong with it, or None."""
        self._suspended = False
        start = time.monotonic()
        try:
            self._trial = Supervisor(command)
            if self.stopping or self._suspended:  # a signal before the handler knew the trial
                self._kill()
            output, errors, said, timed_out = follow(self._trial, start + self.timeout_s)
            trial, self._trial = self._trial, None
            code = trial.close(said)
        except OSError as error:
            self._trial = None
            if nonsense is None:
                raise Failure(f"{command[0]}: {error.strerror}") from None
            return Outcome("missing", 0, None, {"error": f"{command[0]}: {error.strerror}"})
        if -code in STOPS and not timed_out:
            # Whoever ends a session or job also signals this process; the child may be the first.
            time.sleep(SIGNAL_SKEW_S)
        if self._suspended or (self.stopping and -code in (*STOPS, signal.SIGKILL)):
            return None
        seconds = time.monotonic() - start
        tail = errors.decode(errors="replace")[-STDERR_KEPT:]
        if len(output) > OUTPUT_KEPT:
            return Outcome("nonsense", seconds, None, {
                "error": f"it wrote more than {OUTPUT_KEPT >> 20} MiB to its standard output",
                "stderr": tail})
        outcome = judge(code, output, tail, timed_out, seconds, parse)
        return examined(outcome, nonsense) if nonsense else outcome


def follow(trial, deadline):
    """Reads what a trial writes until its supervisor reports the end: (output, the end of its
    errors, the report, whether it ran out of time). Kills it at the deadline, and if it writes
    without end."""
    output, errors, said = bytearray(), bytearray(), b""
    timed_out = False
    waiting = select.poll()
    for end in (trial.output, trial.errors, trial.report):
        waiting.register(end, select.POLLIN)
    patience = None
    while True:
        now = time.monotonic()
        if now >= deadline and not trial.killed():
            trial.kill()
            timed_out = True
        if trial.killed():
            patience = patience or now + PATIENCE_S
            if now >= patience:
                break
        left = (patience or deadline) - now
        ready = [end for end, _ in waiting.poll(max(0, left) * 1000)]
        for end in ready:
            if not (data := read(end)):
                waiting.unregister(end)
            elif end == trial.output:
                output += data[:OUTPUT_KEPT + 1 - len(output)]
                if len(output) > OUTPUT_KEPT:
                    trial.kill()
            elif end == trial.errors:
                errors = (errors + data)[-4 * STDERR_KEPT:]  # at most four bytes a character
            else:
                said = data
        if trial.report in ready:
            break
    # The writers are dead or given up on; the rest of what they wrote is in the pipes.
    while len(output) <= OUTPUT_KEPT and (data := read(trial.output)):
        output += data
    while data := read(trial.errors):
        errors = (errors + data)[-4 * STDERR_KEPT:]
    return output, errors, said, timed_out


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
