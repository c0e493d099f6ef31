# SPDX-License-Identifier: MIT
"""A sweep on a cluster: a Slurm job array with a task for each block, whose records are merged when
they end. With a precision there is one array after another, each up to the next look.

sbatch takes further options from its own environment variables: SBATCH_PARTITION, SBATCH_ACCOUNT,
SBATCH_TIMELIMIT …"""

import hashlib
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

from common import stops
from common.failure import FAILED, INTERRUPTED, USAGE, Failure
from common.files import cannot_write, make_own_folder, read_own, write_whole
from common.words import plural
from results import records as recording

POLL_S = 1
LEAST_REST = 20  # times as long as a poll took, so that waiting costs at most 5% of a processor
LIB = Path(__file__).resolve().parents[1]
DEFAULT_MOST = 1001  # Slurm's MaxArraySize
LONGEST_LIST = 60_000  # characters of --array: the kernel takes 128 KiB in one argument
FINISHED = ("0", str(FAILED))  # exit codes of a block that has run to its end


class Array:
    """The blocks of a sweep as tasks of one job. Every task is a sweep of its block alone, in a
    results folder of its own in blocks/: it resumes, and checks the configuration on its node. At
    its end it writes its exit code into a file in blocks/exits/, which is named after the block."""

    def __init__(self, sweep, records):
        self.sweep, self.records, self.screen = sweep, records, sweep.screen
        self.folder = records.folder / "blocks"
        self.exits = self.folder / "exits"
        self.words = self.task_words()
        binaries = [environment["binary_hash"].encode() for environment in sweep.environments.values()]
        told = [sweep.config.text, *binaries, *map(str.encode, self.words)]
        self.key = hashlib.sha256(b"\0".join(told)).hexdigest()[:12]  # identifies what a task does
        self.interrupted = False
        self._most = None  # of MaxArraySize

    def run(self, earlier):
        """The exit code."""
        config = self.sweep.config
        one = self.sweep.options.block
        blocks = range(config.invocations) if one is None else [one]
        again = self.sweep.retried
        if self.sweep.options.rerun:
            again = self.ended() if one is None else blocks
        for block in again:
            self.exit_file(block).unlink(missing_ok=True)
        merged = list(earlier)
        unfinished = []
        for wave in waves(blocks, self.sweep.precision.looks):
            if unfinished or self.interrupted:
                break
            self.sweep.keep_blocks(self.records, self.sweep.whole_blocks(merged))
            if self.sweep.precision.ends_before(wave[0], self.records.path):
                break
            unfinished = self.run_blocks(wave, merged)
        if self.sweep.options.block is None and not self.sweep.precision.ended_early:
            unfinished = self.run_further(unfinished, merged)
        self.note_machines(merged)
        for block in unfinished:
            log = self.log(block)
            try:
                last = read_own(log).decode(errors="replace").strip().rpartition("\n")[2]
            except OSError:
                last = "it never began"
            self.screen.say(f"block {block} has not finished: {last} ({log})")
        if self.interrupted:
            return INTERRUPTED
        return FAILED if unfinished else 0

    def run_further(self, unfinished, merged):
        """Runs blocks in place of those that no task measured whole. Returns unfinished ones."""
        while not (unfinished or self.interrupted):
            whole = self.sweep.whole_blocks(merged)
            lacking = self.sweep.config.invocations - whole
            if not merged or lacking <= 0:
                break
            last = max(block for _, block in recording.by_block(merged))
            first = 1 + max(last, self.sweep.config.invocations - 1)
            unfinished = self.run_blocks(range(first, first + lacking), merged)
            if self.sweep.whole_blocks(merged) == whole:  # all were interrupted
                break
        return unfinished

    def run_blocks(self, blocks, merged):
        """Submits the blocks that have not finished, waits, and merges all. Returns those that
        have still not finished."""
        config = self.folder / Path(self.sweep.options.config).name
        todo = [block for block in blocks if self.exit_code(block) not in FINISHED]
        try:
            for folder in (self.folder, self.exits, *(self.folder / str(block) for block in todo)):
                make_own_folder(folder)
            for block in todo:
                self.exit_file(block).unlink(missing_ok=True)
                self.log(block).unlink(missing_ok=True)  # of a stranger, it may be a link or a pipe
            if todo:
                write_whole(config, self.sweep.config.text)
        except OSError as error:
            raise cannot_write(error, error.filename or self.folder) from None
        if todo:
            self.wait(self.submit_all(todo, config), todo)
        self.merge(blocks, merged)
        return [block for block in blocks if self.exit_code(block) not in FINISHED]

    def exit_file(self, block):
        return self.exits / str(block)

    def ended(self):
        """The blocks that have exit files. Reads one folder, however many tasks there are."""
        try:
            return {int(name) for name in os.listdir(self.exits) if name.isdecimal()}
        except FileNotFoundError:
            return set()

    def exit_code(self, block):
        """Of the block's task, as text; None if it was stopped, or did something else."""
        try:
            code, _, key = read_own(self.exit_file(block)).decode(errors="replace").strip().partition(" ")
        except OSError:
            return None
        return code if key == self.key else None

    def task_words(self):
        """The arguments of a task's sweep beside the configuration and its block."""
        options = self.sweep.options
        words = ["--quick"] * options.quick
        for flag in ("size", "seed", "engine", "machine", "jobs"):
            value = getattr(options, flag)
            words += [f"--{flag}={value}"] if value is not None else []
        words += [f"--model={pair}" for pair in options.model or ()]
        if len(self.sweep.environments) > 1:
            words += [f"--binary-folder={self.sweep.binary_folder}", "--trust"]
        return words + ([f"--filter={options.filter.pattern}"] if options.filter else [])

    def most(self):
        """How many tasks an array of this cluster may have; every index is smaller than that."""
        if self._most is None:
            config = slurm(["scontrol", "show", "config"])
            found = re.search(r"^MaxArraySize\s*=\s*(\d+)", config, re.MULTILINE)
            self._most = max(1, int(found[1])) if found else DEFAULT_MOST
        return self._most

    def log(self, block):
        first = block // self.most() * self.most()
        return self.folder / (f"log-{first}-{block - first}" if first else f"{block}/log")

    def submit_all(self, todo, config):
        """Submits as many arrays as it takes. Returns their jobs."""
        jobs = []
        try:
            for first, indices in arrays(todo, self.most()):
                jobs.append(self.submit(first, indices, config))
        except BaseException:
            if jobs:
                subprocess.run(["scancel", *jobs], capture_output=True)
            raise
        return jobs

    def submit(self, first, indices, config):
        """Submits one array, of the blocks first + index."""
        folder = self.folder.absolute()
        options = self.sweep.options
        rerun = ["--rerun"] * options.rerun + ["--retry-failed"] * options.retry_failed
        command = shlex.join(
            [sys.executable, str(LIB), "sweep", str(config.absolute()), *self.words, *rerun])
        script = ("#!/bin/sh\n"
                  f"block=$((SLURM_ARRAY_TASK_ID + {first}))\n"
                  f"cd {shlex.quote(os.getcwd())} || exit 3\n"  # paths of machines begin there
                  f"folder={shlex.quote(str(folder))}\n"
                  '[ -d "$folder/$block" ] || exit 3\n'
                  f'{command} --further --block "$block" --results "$folder/$block"\n'
                  "code=$?\n"
                  f'echo $code {self.key} >"$folder/exits/$block"\n'
                  "exit $code\n")
        log = str(folder).replace("%", "%%") + (f"/log-{first}-%a" if first else "/%a/log")
        # A node of its own, because other jobs there would disturb the measurement.
        sbatch = ["sbatch", "--parsable", "--exclusive", f"--job-name=actorlab-{self.sweep.config.name}",
                  f"--array={ranges(indices)}", f"--output={log}"]
        environment = {**os.environ, "AL_ACTORLAB": str(self.sweep.actorlab)}  # no task builds
        job = slurm(sbatch, input=script, env=environment).strip().partition(";")[0]
        self.screen.say(f"submitted job {job}: {plural(len(indices), 'block')}")
        return job

    def wait(self, jobs, todo):
        """Returns once no task waits or runs. A signal cancels them; a second ends this process."""
        def stop(number, frame):
            if self.interrupted:
                os._exit(INTERRUPTED)
            self.interrupted = True

        for number in stops.heeded():
            signal.signal(number, stop)
        left = set(todo)
        cancelled = False
        while True:
            began = time.monotonic()
            if self.interrupted and not cancelled:
                slurm(["scancel", *jobs])
                cancelled = True
            queue = subprocess.run(["squeue", "--noheader", f"--jobs={','.join(jobs)}"],
                                   capture_output=True, text=True)
            self.say_ended(left, len(todo))
            # A job that ended long ago is unknown. If the controller does not answer, ask again.
            if not queue.stdout.strip() and (
                    queue.returncode == 0 or "Invalid job id" in queue.stderr):
                return
            until = time.monotonic() + LEAST_REST * (time.monotonic() - began)
            time.sleep(POLL_S)
            while time.monotonic() < until and not (self.interrupted and not cancelled):
                time.sleep(POLL_S)

    def say_ended(self, left, total):
        """Removes the blocks that have ended from `left`, and prints which."""
        for block in sorted(left & self.ended()):
            code = self.exit_code(block)
            if code is not None:  # otherwise its task is just writing it
                left.remove(block)
                ended = total - len(left)
                self.screen.say(
                    f"[{ended:{len(str(total))}}/{total}] block {block}: exit code {code}")

    def merge(self, blocks, merged):
        """Appends those records of the blocks that are not merged yet."""
        known = {record.trial for record in merged}
        paths = [self.folder / str(block) / "records.jsonl" for block in blocks]
        for path, (found, bad) in zip(paths, recording.parse_all(paths)):
            for entry in bad:
                self.screen.say(f"{path}:{entry.number}: left out: {entry.problem}")
            for record in found:
                if record.trial not in known:
                    self.records.append(record)
                    merged.append(record)

    def note_machines(self, merged):
        """Warns if the records are of different machines. Which ones simulate does not matter."""
        merged = [record for record in merged if record.get("engine") != "sim"]
        for key in recording.ENVIRONMENT + recording.SETTINGS:
            values = (str((record.get("environment") or {}).get(key)) for record in merged)
            seen = list(dict.fromkeys(values))
            if len(seen) > 1:
                note = f"the blocks ran on different machines: {key} {', '.join(seen)}"
                self.screen.say(f"note: {note}")
                self.sweep.plan.notes.append(note)


def arrays(blocks, most):
    """[(first, indices)]: the blocks as first + index with every index below `most`, in as few
    lists as --array accepts."""
    found, length = [], 0
    for block in blocks:
        first = block // most * most
        if not found or found[-1][0] != first or length > LONGEST_LIST:
            found.append((first, []))
            length = 0
        indices = found[-1][1]
        index = block - first
        if not indices or indices[-1] != index - 1:  # otherwise it only lengthens a range
            length += len(",9-9") + 2 * len(str(index))
        indices.append(index)
    return found


def ranges(numbers):
    """Increasing numbers in the notation of --array: 0-4,7."""
    found = []
    for number in numbers:
        if found and found[-1][1] == number - 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return ",".join(str(low) if low == high else f"{low}-{high}" for low, high in found)


def waves(blocks, looks):
    """The blocks, divided at the looks."""
    ends = [*(look for look in looks if blocks[0] < look <= blocks[-1]), blocks[-1] + 1]
    return [[block for block in blocks if start <= block < end]
            for start, end in zip([0, *ends], ends)]


def slurm(command, **options):
    """The output of a Slurm command. Raises Failure with its error message if it fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, **options)
    except FileNotFoundError:
        raise Failure(f"--launcher slurm: no {command[0]} here (Debian's package slurm-client)",
                      USAGE) from None
    if done.returncode != 0:
        raise Failure(f"{command[0]}: {done.stderr.strip() or f'exit code {done.returncode}'}", USAGE)
    return done.stdout
