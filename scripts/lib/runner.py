# SPDX-License-Identifier: MIT
"""One trial: a process group of its own, a time-out, and an outcome whatever happens."""

import ctypes
import json
import os
import signal
import subprocess
import time
from dataclasses import dataclass

from failure import INTERRUPTED, Failure

STDERR_KEPT = 2000  # characters
PR_SET_PDEATHSIG = 1
STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
SIGNAL_SKEW_S = 0.2
libc = ctypes.CDLL(None)


@dataclass
class Outcome:
    """The record is there if the outcome is ok or wrong; the details if it is anything else."""

    name: str
    seconds: float
    record: dict | None
    details: dict


class Runner:
    """Runs trials until a signal asks to stop. A second signal ends this process at once."""

    def __init__(self, timeout_s):
        self.timeout_s = timeout_s
        self.stopping = False
        self._child = None
        for number in STOPS:
            signal.signal(number, self._on_signal)

    def _on_signal(self, number, frame):
        self._kill()
        if self.stopping:
            os._exit(INTERRUPTED)
        self.stopping = True

    def _kill(self):
        if self._child is not None:
            try:
                os.killpg(self._child.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def run(self, command, parse=json.loads, nonsense=None):
        """The Outcome, or None if the trial was interrupted. A program that need not be as it should is
        examined: nonsense(record, seconds) says what its record has that is none, or None."""
        start = time.monotonic()
        try:
            child = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                process_group=0,
                # Were this process killed, a trial left behind would disturb the next sweep's.
                preexec_fn=lambda: libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL),
            )
        except OSError as error:
            if nonsense is None:
                raise Failure(f"{command[0]}: {error.strerror}") from None
            return Outcome("missing", 0, None, {"error": f"{command[0]}: {error.strerror}"})
        self._child = child
        if self.stopping:  # the signal came before the handler could see the child
            self._kill()
        try:
            output, errors = child.communicate(timeout=self.timeout_s)
            timed_out = False
        except subprocess.TimeoutExpired:
            self._kill()
            output, errors = child.communicate()
            timed_out = True
        self._child = None
        if -child.returncode in STOPS and not timed_out:
            # Who ends a whole session or job sends the same to us; it may have reached the child first.
            time.sleep(SIGNAL_SKEW_S)
        if self.stopping and -child.returncode in (*STOPS, signal.SIGKILL):
            return None
        seconds = time.monotonic() - start
        outcome = judge(child.returncode, output, errors.decode(errors="replace"), timed_out, seconds, parse)
        return examined(outcome, nonsense) if nonsense else outcome


def signal_name(number):
    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal
        return f"signal {number}"


def examined(outcome, nonsense):
    problem = outcome.details.get("error") if outcome.record is None else nonsense(outcome.record, outcome.seconds)
    if problem is None or outcome.details.get("exit_code", 0) != 0:
        return outcome
    return Outcome("nonsense", outcome.seconds, None, {"error": problem, "stderr": outcome.details["stderr"]})


def judge(code, output, errors, timed_out, seconds, parse=json.loads):
    tail = {"stderr": errors[-STDERR_KEPT:]}
    if timed_out:
        return Outcome("timeout", seconds, None, tail)
    if code < 0:
        return Outcome("crashed", seconds, None, {"signal": signal_name(-code), **tail})
    try:
        record = parse(output)
        if (code, record["outcome"]) in ((0, "ok"), (1, "wrong")):
            return Outcome(record["outcome"], seconds, record, tail)
        tail["error"] = f"exit code {code} with outcome {record['outcome']}"
    except (ValueError, TypeError, KeyError):
        if code == 0:
            tail["error"] = "no record on its standard output"
    return Outcome("crashed", seconds, None, {"exit_code": code, **tail})
