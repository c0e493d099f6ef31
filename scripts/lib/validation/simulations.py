# SPDX-License-Identifier: MIT
"""Simulates cells of measured or simulated sweeps, several at a time, and keeps their records."""

import hashlib
import json
import os
import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

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
            pool = ThreadPoolExecutor(self.jobs)
            try:
                waiting = [pool.submit(self._one, *job) for job in todo]
                for done, future in enumerate(as_completed(waiting), 1):
                    job, record = future.result()
                    file.write(json.dumps(record) + "\n")
                    file.flush()
                    self.records[self.key(*job)] = record
                    tell(done, len(todo))
            finally:
                pool.shutdown(cancel_futures=True)

    def _append(self):
        self.path.parent.mkdir(parents=True, exist_ok=True)
        return open(self.path, "a", encoding="utf-8", opener=open_own)

    def _one(self, cell, seed, model):
        """A record of a run that was wrong, such as a livelock, is a record too."""
        command = self.command(cell, seed, model)
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace")
        lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
        if not lines:
            last = done.stderr.strip().rpartition("\n")[2]
            raise Failure(f"{' '.join(command)}: {last or f'exit code {done.returncode}'}")
        return (cell, seed, model), json.loads(lines[-1])


def ns_per_message(record):
    """The median over a record's iterations; None if it did not end in order."""
    if record is None or record["outcome"] != "ok":
        return None
    times = sorted(record["time_ns"])
    return times[len(times) // 2] / record["messages"]


def guarded(function):
    """The exit code of a command that simulates. What is recorded stays if it is interrupted."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        function()
        return 0
    except KeyboardInterrupt:
        complain("interrupted; the same command goes on from here")
        return INTERRUPTED
