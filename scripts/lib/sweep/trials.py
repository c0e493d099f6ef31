# SPDX-License-Identifier: MIT
"""Runs the trials of a sweep on this machine, one after the other."""

import math
import random
import statistics
import time

from common import actorlab
from common.failure import INTERRUPTED, TIMED_OUT, Failure
from common.words import plural
from machine import noise
from results import records as recording
from results import numbers
from sweep import peers, simulated
from sweep.agenda import Agenda
from sweep.binaries import AXIS
from sweep.config import LARGEST_SEED
from sweep.progress import Progress
from sweep.reuse import Reuse
from sweep.runner import Outcome, Runner

LINE_KEPT = 160  # characters of the last line of a failed trial
PADDING = "ACTORLAB_PADDING"  # a variable that only takes room
LARGEST_PADDING = 4096  # bytes: a page
SIMULATED_LONGER = 10  # times as long as `timeout_s` a trial may take where all are simulated


class Trials:
    def __init__(self, sweep, records, earlier):
        self.sweep, self.records = sweep, records
        self.config, self.plan, self.estimate = sweep.config, sweep.plan, sweep.estimate
        self.agenda = Agenda(self.plan, earlier)
        self.total, self.recorded = self.agenda.total, self.agenda.recorded
        if sweep.options.block is not None:
            self.agenda = Agenda(self.plan, earlier, sweep.options.block)
        self.left = self.agenda.left
        self.profiled = sweep.plan.profiled()
        self.reuse = Reuse(sweep, sweep.options.reuse)

    def run(self):
        """The exit code."""
        self.runner = Runner(self.config.timeout_s * (SIMULATED_LONGER if self.plan.simulated else 1))
        try:
            self.run_all()
            return INTERRUPTED if self.runner.stopping else 0
        finally:
            self.runner.stopping = True  # from here on the first signal ends this process at once

    def run_all(self):
        if self.recorded:
            self.sweep.screen.say(
                f"{self.recorded:,} of {plural(self.total, 'trial')} already recorded")
        self.gate = noise.Gate(self.config, self.sweep.limits)
        width = max(len(cell.name) for cell in self.plan.cells)
        began = time.monotonic()
        with Progress(self.sweep.screen, self.total, self.recorded, width,
                      bool(self.sweep.precision.looks), self.estimate) as self.progress:
            self.records.say, self.runner.glance = self.progress.say, self.progress.glance
            if self.plan.simulated:
                self.run_simulated(began)
                return
            for trial in self.native_trials():
                self.limit_time(began)
                self.run_trial(trial)
                if self.runner.stopping:
                    return

    def native_trials(self):
        """Until the sweep may end. Groups that are to run again do so at the end of their block."""
        yield from self.agenda.repeats.trials()  # of the block that was interrupted
        for whole, trials in self.agenda.rounds():
            if self.is_end(whole):
                return
            yield from trials
            yield from self.agenda.repeats.trials()

    def is_end(self, whole):
        """Whether the sweep may end instead of measuring more than so many whole blocks."""
        if self.sweep.options.block is not None:
            return False
        self.sweep.keep_blocks(self.records, whole)
        return self.sweep.precision.ends_before(whole, self.records.path)

    def limit_time(self, began):
        """Raises Failure after time_limit_s."""
        if time.monotonic() - began > (self.config.time_limit_s or math.inf):
            raise Failure(f"time_limit_s = {self.config.time_limit_s:g}: ended with "
                          f"{sum(self.left.values()):,} of {plural(self.total, 'trial')} to run",
                          TIMED_OUT)

    def run_simulated(self, began):
        """Several at once, which do not disturb one another."""
        at_once = self.sweep.jobs_at_once()
        started = {}
        for trial, outcome in self.runner.run_many(self.simulated_jobs(began, started), at_once):
            self.keep(trial, self.record_of(trial, started.pop(trial[1:]), outcome), outcome.seconds, at_once)
        if self.late is not None:
            raise self.late

    def simulated_jobs(self, began, started):
        """Yields (trial, command), and None where those before must have ended: to look at their
        results. started: when each began, by block and position, to fill in."""
        self.late = None
        for whole, trials in self.agenda.rounds():
            if self.sweep.precision.looks:
                yield None
            if self.is_end(whole):
                return
            for trial in trials:
                try:
                    self.limit_time(began)
                except Failure as failure:
                    self.late = failure
                    return
                self.progress.begin(trial, self.estimate.remaining(self.left, self.sweep.jobs_at_once()))
                record = self.reuse.find(trial.cell, self.given(trial)["seed"])
                if record and ("profile" in record or not self.measures_profile(trial)):
                    self.keep_copy(trial, record)
                    continue
                started[trial[1:]] = now()
                yield trial, self.command(trial)

    def run_trial(self, trial):
        """Runs and records one trial, unless the sweep is interrupted."""
        self.progress.begin(trial, self.estimate.remaining(self.left))
        run = self.run_peer if trial.cell.peer else self.run_own
        record = None
        while record is None:
            if not trial.cell.simulated:
                self.gate.wait(lambda: self.runner.stopping)
            record, seconds = run(trial)
            if record is None and self.runner.stopping:
                return
            if record is None:
                self.progress.say(f"{trial.cell.name}: the sweep was stopped: its trial runs again")
        if not trial.cell.simulated:
            self.gate.judge(record)
        self.keep(trial, record, seconds)

    def keep_copy(self, trial, record):
        """Records what another sweep has run."""
        place = record["sweep"]
        self.keep(trial, record, place.get("elapsed_s") or 0, copied_from=place.get("copied_from") or place.get("name"))

    def keep(self, trial, record, seconds, at_once=1, **more):
        """Records a trial that has ended. more: further keys of `sweep`."""
        record["sweep"] = {
            "name": self.config.name, "cell": trial.cell.id, "block": trial.block,
            "session": self.sweep.session, "position": trial.position,
            "elapsed_s": round(seconds, 3), **({"twin": True} if trial.cell.twin else {}), **more}
        self.sweep.check_unchanged(record)
        again = self.agenda.repeats.add(trial, record)
        record["sweep"] |= again
        self.records.append(record)
        self.estimate.add(trial.cell.id, seconds)
        self.left[trial.cell.id] -= 1
        if again.get("again"):
            self.run_again(trial)
        self.progress.end(trial, in_short(record), self.estimate.remaining(self.left, at_once),
                          record["outcome"] != "ok")

    def run_again(self, trial):
        """Counts the trials of this one's group once more."""
        group = self.agenda.repeats.group_of(trial)
        for cell in group:
            self.left[cell] += 1
        self.progress.total += len(group)
        self.progress.say(f"the hand-off state changed: {plural(len(group), 'trial')} with {trial.cell.identity['benchmark']}"
                          " run again at the end of the block")

    def given(self, trial):
        """The arguments of every trial beside its cell's. With the seed of the first, a twin that
        is simulated would have the same times."""
        shift = self.sweep.twin_seed if trial.cell.twin and trial.cell.simulated else 0
        seed = (self.config.seed + trial.block + shift) % (LARGEST_SEED + 1)
        return {"seed": seed, **self.sweep.method(trial.cell.peer)}

    def command(self, trial):
        given = self.given(trial)
        words = (word for key in ("iterations", "warmup", "seed") for word in (f"--{key}", str(given[key])))
        profile = ["--profile"] * self.measures_profile(trial)
        command = trial.cell.command(self.sweep.actorlab, *words, *profile, block=trial.block)
        return ["env", f"{PADDING}={'x' * self.padding(trial)}", *command] if trial.cell.layouts else command

    def measures_profile(self, trial):
        return trial.block == 0 and trial.cell.id in self.profiled

    def padding(self, trial):
        """Bytes by which a trial's environment is longer, which moves the stack."""
        return random.Random(f"{self.config.seed} {trial.cell.id} {trial.block}").randrange(LARGEST_PADDING)

    def environment_now(self, trial):
        """The environment as the trial's program reports it now, for a trial that did not record
        it."""
        program = trial.cell.program(self.sweep.actorlab, trial.block)
        if trial.cell.simulated:
            return simulated.environment(program)
        # In a process group of its own, because Ctrl-C is for this process alone.
        return actorlab.ask(program, "list", "--json", process_group=0)["environment"]

    def run_own(self, trial):
        """(record, seconds); the record is None if the trial was interrupted."""
        started = now()
        outcome = self.runner.run(self.command(trial))
        if outcome is None:
            return None, 0
        return self.record_of(trial, started, outcome), outcome.seconds

    def record_of(self, trial, started, outcome):
        """The record of a trial that has ended, which may not have written its own."""
        return self.completed(outcome.record or {
            "schema_version": self.sweep.schema_version, "trial": recording.new_trial(),
            "started_at": started, **trial.cell.identity, **recorded(self.given(trial)),
            **({"machine": self.sweep.machine_of(trial.cell)} if trial.cell.simulated else {}), "time_ns": [],
            "environment": self.environment_now(trial), "outcome": outcome.name, **outcome.details,
        }, trial)

    def completed(self, record, trial):
        """The record with the name of its build, if it has one, and its layout: the hash is that of
        the build, whose cells are the same in all layouts. One that an old build wrote as version 1
        becomes one of version 2, which differs in the identity alone."""
        binary = trial.cell.binary
        if binary is not None:
            record[AXIS] = binary.name
        if trial.cell.layouts:
            environment = record["environment"]
            environment["layout"] = {"binary_hash": environment["binary_hash"], "padding_bytes": self.padding(trial)}
            environment["binary_hash"] = binary.environment["binary_hash"]
        if record.get("schema_version") == 1:
            record |= {"schema_version": 2, "trial": recording.new_trial()}
        return record

    def messages_of(self, trial):
        """How many a peer's trial delivers, as our workload has it; None if that depends on
        strategy and workers."""
        words = [*trial.cell.arguments(), "--seed", str(self.given(trial)["seed"]), "--oversubscribe"]
        answer, = actorlab.answers(self.sweep.actorlab, [words], "--messages")
        if "problem" in answer:
            raise ValueError(f"the workload refuses what the peer ran: {answer['problem']}")
        return answer.get("messages")

    def run_peer(self, trial):
        """The same for a peer, whose own record has only a few keys."""
        started, cell = now(), trial.cell
        pus = self.sweep.confinement.pus_of(cell)
        witness = peers.Witness(cell.peer, self.sweep.pus, pus)

        def nonsense(record, seconds):
            return peers.nonsense(record, cell, self.config.iterations, seconds, self.messages_of(trial))

        if cell.peer.present():
            outcome = self.runner.run(peers.confined(self.command(trial), pus), peers.parse, nonsense)
        else:
            outcome = Outcome("missing", 0, None, {"error": f"not there: {cell.peer.how_to_get()}"})
        if outcome is None:
            return None, 0
        record = {"schema_version": self.sweep.schema_version,
                  **witness.record(cell, self.given(trial), started, outcome)}
        record["environment"] |= peers.shared(self.environment_now(trial))
        return record, outcome.seconds


def recorded(given):
    """The arguments of a trial as its record has them: nobody knows how many iterations a failed
    trial ran until it was steady."""
    return given | {"warmup": None, "warmup_rule": "auto"} if given["warmup"] == "auto" else given


def now():
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def in_short(record):
    """A trial's outcome in a few words."""
    if record["outcome"] == "ok":
        time_ns = statistics.median(record["time_ns"])
        return f"{numbers.significant(time_ns / record['messages'])} ns/message"
    if record["outcome"] == "timeout":
        return "time-out"
    last = (record.get("stderr", "").strip().splitlines() or [""])[-1]
    what = record.get("error") or last[-LINE_KEPT:]
    how = ""
    if record["outcome"] == "crashed":
        how = f" ({record.get('signal') or 'exit code ' + str(record['exit_code'])})"
    return ": ".join(filter(None, (f"{record['outcome']}{how}", what)))
