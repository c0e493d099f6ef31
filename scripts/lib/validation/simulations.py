# SPDX-License-Identifier: MIT
"""Simulates cells of measured or simulated sweeps, several at a time, and keeps their records."""

import hashlib
import json
import os
import select
import signal
import subprocess
import tempfile
from pathlib import Path

from common import stops
from common.failure import INTERRUPTED, Failure, failing, writing
from common.files import open_own
from common.screen import complain

KINDS = ("scheduler", "victim", "idle")


def identity(cell):
    """What tells the work of a cell from another's, wherever it ran."""
    keys = ("benchmark", "parameters", *KINDS, "options", "workers", "pin")
    return json.dumps([cell.get(key) for key in keys], sort_keys=True)


def arguments(cell):
    """Those of `actorlab run` for this cell."""
    words = [cell["benchmark"]]
    for key in (*KINDS, "workers", "pin"):
        if cell.get(key) is not None:
            words += [f"--{key}", str(cell[key])]
    options = dict(cell["options"])
    if "shards" in options and "mailboxes" in options:  # records have both, but only one can be set
        whole = options["mailboxes"] == options["shards"] * cell["workers"]
        del options["mailboxes" if whole else "shards"]
    for key, value in {**cell["parameters"], **options}.items():
        words += ["--set", f"{key}={str(value).lower() if isinstance(value, bool) else value}"]
    return words + ["--oversubscribe"] * bool(cell.get("oversubscribed"))


def digest(*paths):
    """Of the content of files, in few letters."""
    found = hashlib.sha256()
    for path in paths:
        with failing(path):
            found.update(Path(path).read_bytes())
    return found.hexdigest()[:12]


class Simulations:
    """The records of one program and one machine file, in a file of a name that says so: what was
    simulated by another program, or of another machine, is left alone."""

    def __init__(self, actorlab, machine, folder, jobs=None):
        self.actorlab, self.machine = actorlab, machine
        self.jobs = jobs or len(os.sched_getaffinity(0))
        file = machine if machine.endswith(".xml") else None
        known = digest(actorlab.with_name("actorlab-sim"), *[file] * bool(file))
        self.path = Path(folder) / f"simulated-{Path(machine).stem}-{known}.jsonl"
        self.records = {}
        if self.path.exists():
            for line in self.path.read_text(encoding="utf-8").splitlines():
                try:
                    record = json.loads(line)
                except ValueError:
                    continue  # half a line of an interrupted run
                self.records[self.key(record, record["seed"], record["machine"]["overridden"])] = record

    @staticmethod
    def key(cell, seed, model):
        return identity(cell), seed, json.dumps({key: float(value) for key, value in model.items()}, sort_keys=True)

    def of(self, cell, seed, model=()):
        """The record, or None if it has not been simulated."""
        return self.records.get(self.key(cell, seed, dict(model)))

    def command(self, cell, seed, model):
        given = [word for key, value in model.items() for word in ("--model", f"{key}={value!r}")]
        return [str(self.actorlab), "run", *arguments(cell), "--engine", "sim", "--machine", self.machine,
                *given, "--seed", str(seed), "--iterations", "1", "--warmup", "1", "--json", "-"]

    def run(self, wanted, tell=lambda done, total: None):
        """Simulates those (cell, seed, model) that have no record yet."""
        todo = [job for job in wanted if self.of(*job) is None]
        with writing(self.path), self._append() as file:
            for done, (job, record) in enumerate(self._records(todo), 1):
                file.write(json.dumps(record) + "\n")
                file.flush()
                self.records[self.key(*job)] = record
                tell(done, len(todo))

    def _records(self, todo):
        """Yields (job, record) as runs end, of which so many run at once. Those that run when it is
        interrupted are ended."""
        waiting, running = iter(todo), {}
        try:
            while True:
                for job in waiting:
                    run = Run(job, self.command(*job))
                    running[run.descriptor] = run
                    if len(running) == self.jobs:
                        break
                if not running:
                    return
                poll = select.poll()
                for descriptor in running:
                    poll.register(descriptor, select.POLLIN)
                for descriptor, _ in poll.poll():
                    run = running.pop(descriptor)
                    yield run.job, run.record()
        finally:
            for run in running.values():
                run.process.kill()
                run.close()

    def _append(self):
        self.path.parent.mkdir(parents=True, exist_ok=True)
        return open(self.path, "a", encoding="utf-8", opener=open_own)


class Run:
    """A simulation in a process of its own."""

    def __init__(self, job, command):
        self.job, self.command = job, command
        self.files = [tempfile.TemporaryFile("w+", errors="replace") for _ in ("output", "errors")]
        self.process = subprocess.Popen(command, stdout=self.files[0], stderr=self.files[1])
        self.descriptor = os.pidfd_open(self.process.pid)

    def record(self):
        """Of a run that has ended. One that was wrong, such as a livelock, has a record, too."""
        texts = []
        for file in self.files:
            file.seek(0)
            texts.append(file.read())
        self.close()
        lines = [line for line in texts[0].splitlines() if line.startswith("{")]
        if not lines:
            last = texts[1].strip().rpartition("\n")[2]
            raise Failure(f"{' '.join(self.command)}: {last or f'exit code {self.process.returncode}'}")
        return json.loads(lines[-1])

    def close(self):
        self.process.wait()
        os.close(self.descriptor)
        for file in self.files:
            file.close()


def ns_per_message(record):
    """The median over a record's iterations; None if it did not end in order."""
    if record is None or record["outcome"] != "ok":
        return None
    times = sorted(record["time_ns"])
    return times[len(times) // 2] / record["messages"]


def guarded(function):
    """The exit code of a command that simulates. What is recorded stays if it is interrupted."""
    for number in stops.heeded():
        signal.signal(number, signal.default_int_handler)
    try:
        function()
        return 0
    except KeyboardInterrupt:
        complain("interrupted; the same command goes on from here")
        return INTERRUPTED
