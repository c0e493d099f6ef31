# SPDX-License-Identifier: MIT
"""Test programs and their results: test cases, and how long they took."""

import json
import os
import re
import signal
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

CASE = re.compile(r"^(not )?ok\b.*?(?:# *(skip)\b.*)?$", re.IGNORECASE | re.MULTILINE)
PLAN = re.compile(r"^1\.\.(\d+)", re.MULTILINE)


@dataclass
class Result:
    passed: int
    failed: int
    seconds: float
    how: str  # how it ended, such as "exit code 1"
    output: str = ""  # if it failed


@dataclass
class Job:
    """A test of one build, as meson describes it."""

    build: str
    folder: Path
    name: str
    command: list
    timeout: float
    tap: bool
    priority: int = 0
    environment: dict = field(default_factory=dict)
    process: subprocess.Popen | None = None

    def run(self):
        """Runs it to its end. The build folder's test-logs keep its output."""
        logs = self.folder / "test-logs"
        logs.mkdir(exist_ok=True)
        paths = [logs / f"{self.name}.{stream}" for stream in ("out", "err")]
        start = time.monotonic()
        with open(paths[0], "wb") as out, open(paths[1], "wb") as err:
            # In a session of its own, so that all its processes can be stopped.
            self.process = subprocess.Popen(
                self.command, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                stdout=out, stderr=err, start_new_session=True)
            try:
                code = self.process.wait(self.timeout)
                how = f"exit code {code}" if code >= 0 else f"signal {-code}"
            except subprocess.TimeoutExpired:
                self.stop()
                code, how = None, f"no end after {self.timeout:.0f} s"
        seconds = time.monotonic() - start
        out, err = (path.read_text(errors="replace") for path in paths)
        passed, failed = count(out, code, self.tap)
        return Result(passed, failed, seconds, how, f"{out}\n{err}" if failed else "")

    def stop(self):
        """Ends it and everything it started."""
        if self.process is not None and self.process.poll() is None:
            for number in (signal.SIGTERM, signal.SIGKILL):
                try:
                    os.killpg(self.process.pid, number)
                    self.process.wait(2)
                except (ProcessLookupError, subprocess.TimeoutExpired):
                    pass


def count(output, code, tap):
    """(passed, failed) test cases of a test's output and exit code; the code is None if the test
    was stopped. Skipped cases count as failed, because they have not passed."""
    if not tap:
        return (1, 0) if code == 0 else (0, 1)
    cases = CASE.findall(output)
    failed = sum(bool(bad or skip) for bad, skip in cases)
    plans = PLAN.findall(output)
    complete = len(plans) == 1 and int(plans[0]) == len(cases)
    passed = len(cases) - failed
    if not failed and (code != 0 or not complete or not passed):
        failed = 1
    return passed, failed


class Durations:
    """How long each test took when it last ran. Each build folder keeps its own."""

    def __init__(self, suffix=""):
        self._name, self._seconds = f"test-durations{suffix}.json", {}

    def _path(self, folder):
        return folder / self._name

    def _of(self, folder):
        if folder not in self._seconds:
            try:
                read = json.loads(self._path(folder).read_text())
                self._seconds[folder] = {
                    str(name): float(seconds) for name, seconds in read.items()}
            except (OSError, ValueError, TypeError, AttributeError):
                self._seconds[folder] = {}
        return self._seconds[folder]

    def get(self, job):
        return self._of(job.folder).get(job.name)

    def put(self, job, seconds):
        self._of(job.folder)[job.name] = seconds
        path = self._path(job.folder)
        new = path.with_suffix(".new")
        new.write_text(json.dumps(self._of(job.folder), indent=1))
        new.replace(path)
