# SPDX-License-Identifier: MIT
"""A sweep: every cell of a configuration, in shuffled blocks, recorded, summarized and drawn."""

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

from common import actorlab
from common.arguments import natural, regex
from common.failure import FAILED, INTERRUPTED, TIMED_OUT, USAGE, Failure
from common.screen import Screen, complain
from machine import noise, topology
from results import records as recording
from results import table
from results.summary import Summary
from sweep import config as configuration
from sweep import peers
from sweep.agenda import Agenda
from sweep.plan import Plan
from sweep.progress import Estimate, Progress, clock
from sweep.registry import Registry
from sweep.runner import Outcome, Runner

QUICK_INVOCATIONS = 3
# After so many blocks a sweep with a precision may end. Few, since each look is one more chance to end by luck;
# none before an interval of a median can cover 95%.
LOOKS = (6, 10, 20, 40, 80, 160, 320, 640)
MISTAKES_SHOWN = 50
LINE_KEPT = 160  # characters of the last line of a trial that failed


def arguments():
    parser = argparse.ArgumentParser(
        prog="scripts/sweep",
        description="Runs every cell of a configuration in shuffled blocks, goes on where an earlier run "
        "stopped, and writes records, a table and a plot.",
        epilog="Exit codes: 0 done, 1 a trial failed, 2 usage or configuration, 3 could not write, 130 "
        "interrupted, 124 out of time. AL_ACTORLAB names an actorlab to use instead of building one.",
    )
    parser.add_argument("config", nargs="?", help="the sweep, as in configs/quick.toml")
    parser.add_argument("plan", nargs="?", choices=["plan"], help="the same as --dry-run")
    parser.add_argument("--dry-run", action="store_true", help="show the cells and the time they take; run nothing")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_INVOCATIONS} invocations of each cell")
    parser.add_argument("--size", choices=configuration.SIZES,
                        help="of the benchmarks, instead of the configuration's")
    parser.add_argument("--filter", metavar="REGEX", type=regex, help="only cells whose name matches")
    parser.add_argument("--results", metavar="DIR", type=Path, help="where to write (default: results/NAME)")
    parser.add_argument("--from", metavar="DIR", type=Path, dest="old",
                        help="repeat the sweep of these results, and compare (default of --results: DIR-again)")
    parser.add_argument("--launcher", choices=["local", "slurm"], default="local",
                        help="where the trials run: here, or a job array of Slurm with a task for each block")
    again = parser.add_mutually_exclusive_group()
    again.add_argument("--resume", action="store_true", help="go on where an earlier run stopped (the default)")
    again.add_argument("--retry-failed", action="store_true",
                       help="go on, and run the trials again that are recorded with another outcome than ok")
    again.add_argument("--rerun", action="store_true", help="move earlier records aside and start anew")
    parser.add_argument("--block", metavar="N", type=block,
                        help="only this block, from 0; block 0 is a pilot, from which the plan guesses the time")
    # A task on a cluster may run a block beyond the invocations, in place of one that was interrupted.
    parser.add_argument("--further", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--seed", metavar="N", type=seed, help="instead of the configuration's")
    parser.add_argument("--no-plot", action="store_true", help="draw nothing at the end; scripts/plot does it later")
    parser.add_argument("--color", choices=["auto", "always", "never"], default="auto")
    options = parser.parse_intermixed_args()
    if options.old is not None:
        if options.config not in (None, "plan"):  # argparse gives the first place to the only word
            parser.error("--from has its configuration already")
        options.plan, options.config = options.plan or options.config, options.old / "config.toml"
        options.results = options.results or options.old.with_name(f"{options.old.absolute().name}-again")
        recall(options, options.old / "sweep.json")
    elif options.config is None:
        parser.error("no configuration; as in: scripts/sweep configs/quick.toml")
    return options


# Of the command line, what decides which trials a sweep has: whether a value is one, and what it is called.
CHOICES = {
    "quick": (lambda value: isinstance(value, bool), "true or false"),
    "size": (lambda value: value is None or value in configuration.SIZES, f"null or one of {configuration.SIZES}"),
    "seed": (lambda value: value is None or configuration.is_number(value, int) and 0 <= value <= configuration.LARGEST_SEED,
             f"null or a whole number from 0 to {configuration.LARGEST_SEED}"),
    "filter": (lambda value: value is None or isinstance(value, str), "null or a regular expression"),
}


def recall(options, path):
    """Takes the choices of an earlier sweep that this command line does not make."""
    try:
        earlier = json.loads(path.read_bytes().decode())
    except OSError as error:
        raise Failure(f"{path}: {error.strerror}") from None
    except (ValueError, RecursionError):
        earlier = None
    if not isinstance(earlier, dict):
        raise Failure(f"{path}: not what a sweep writes: it is no JSON object")
    rules = {"name": (configuration.is_file_name, "a string that can be the name of a folder"), **CHOICES}
    for key in dict.fromkeys([*rules, *earlier]):
        valid, what = rules.get(key, (None, None))
        if valid is None or key not in earlier:
            raise Failure(f"{path}: not what a sweep writes: it has {'no' if valid else 'an unknown'} key {json.dumps(key)} "
                          f"(valid: {', '.join(rules)})")
        if not valid(earlier[key]):
            raise Failure(f"{path}: {key} = {json.dumps(earlier[key])[:LINE_KEPT]}: must be {what}")
    for choice in CHOICES:
        given = getattr(options, choice)
        if (given is None or given is False) and earlier[choice] is not None:
            try:
                setattr(options, choice, regex(earlier[choice]) if choice == "filter" else earlier[choice])
            except argparse.ArgumentTypeError as error:
                raise Failure(f"{path}: filter: {str(error)[:LINE_KEPT]}") from None
    options.name = earlier["name"]


def choices(options, name):
    """What `recall` reads."""
    kept = {choice: getattr(options, choice) for choice in CHOICES}
    kept["filter"] = kept["filter"] and kept["filter"].pattern
    return json.dumps({"name": name, **kept}).encode() + b"\n"


def and_more(n):
    return f" and {n} more cell{'s' if n > 1 else ''}" if n else ""


def block(text):
    return natural(text, configuration.NUMBERS["invocations"][1] - 1)


def seed(text):
    return natural(text, configuration.LARGEST_SEED)


class Sweep:
    def __init__(self, options, screen):
        self.options, self.screen = options, screen
        tables, text = configuration.read(options.config)
        known = peers.read(actorlab.executable().parent)
        self.actorlab = actorlab.build([known[name] for name in peers.named(tables) if name in known])
        registry = Registry(actorlab.ask(self.actorlab, "list", "--json"),
                            lambda *place: topology.place_problem(self.actorlab, *place), known,
                            lambda named: topology.pus_of(self.actorlab, named))
        if options.launcher == "slurm":
            registry.pus = configuration.MOST_WORKERS  # each task goes by its node's
        self.environment, self.pus = registry.environment, registry.pus
        self.config = configuration.check(options.config, tables, text, registry)
        if options.old is not None:
            self.config.name = options.name
        if options.quick:
            self.config.invocations = QUICK_INVOCATIONS
        if options.seed is not None:
            self.config.seed = options.seed
        if options.size is not None:
            self.config.size, self.config.resized = options.size, True
        if (options.block or 0) >= self.config.invocations and not options.further:
            raise Failure(f"--block {options.block}: there are {self.config.invocations}, from 0")
        self.plan = Plan(self.config, registry)
        if options.filter:
            self.plan.keep(options.filter)
            if not self.plan.cells:
                raise Failure(f"--filter {options.filter.pattern}: matches no cell")
        self.refuse_mistakes()
        self.programs = {peer.name: peer.program_hash() for peer in self.plan.peers()}
        for peer in self.plan.peers():
            if not peer.present():
                complain(f"note: {peer.name} is missing: {peer.how_to_get()}")
        self.method = {"iterations": self.config.iterations, "warmup": self.config.warmup}
        self.session = recording.new_session()
        self.ended_early = None  # or why
        self.folder = options.results or actorlab.ROOT / "results" / self.config.name
        self.estimate = Estimate()

    def refuse_mistakes(self):
        """Raises Failure if trials would refuse to begin: a line for each reason, with the first of their cells."""
        cells = [cell for cell in self.plan.cells if cell.peer is None and not cell.twin]
        reasons = {}
        for cell, reason in zip(cells, actorlab.refusals(self.actorlab, map(self.checked, cells))):
            if reason is not None:
                reasons.setdefault(reason, []).append(cell.name)
        if reasons:
            lines = [f"{self.config.path}: {names[0]}{and_more(len(names) - 1)}: {reason}"
                     for reason, names in reasons.items()]
            more = len(lines) - MISTAKES_SHOWN
            raise Failure("\n".join(lines[:MISTAKES_SHOWN] + [f"and {more} more mistakes"] * (more > 0)))

    def checked(self, cell):
        """The words that actorlab is to check. On a cluster the nodes know how many PUs they have."""
        if self.options.launcher == "slurm":
            placed = "topology" in cell.flags
            cell = replace(cell, oversubscribe=True,
                           flags={key: value for key, value in cell.flags.items() if key != "pin" or placed})
        return cell.arguments()

    def compare(self, records):
        """Raises Failure if trials of this sweep do not belong beside these records."""
        found = recording.difference(records, self.environment, self.method, self.programs)
        seeds = (old for old in map(seed_of, records) if old not in (None, self.config.seed))
        found = found or next((("seed", old, self.config.seed) for old in seeds), None)
        if found:
            what, old, new = found
            raise Failure(f"{relative(self.folder / 'records.jsonl')}: its records have {what} {old}, now it is {new}: "
                          "--rerun moves them aside and starts anew")

    def check_unchanged(self, record):
        """Raises Failure if program or machine are no longer what they were when the sweep began."""
        found = recording.difference([record], self.environment, self.method, self.programs)
        if found:
            what, new, old = found
            raise Failure(f"{what} was {old} when the sweep began, now it is {new}: the last trial is not recorded; "
                          f"the same command goes on when it is {old} again")

    def environment_now(self):
        """What actorlab says, asked again, for the record of a trial that did not say it."""
        # In a process group of its own: Ctrl-C is for us alone.
        return actorlab.ask(self.actorlab, "list", "--json", process_group=0)["environment"]

    def learn(self, records):
        """The estimate goes by what trials have taken."""
        known = {cell.id for cell in self.plan.cells}
        for record in records:
            sweep = record.get("sweep") or {}
            if sweep.get("cell") in known and sweep.get("elapsed_s") is not None:
                self.estimate.add(sweep["cell"], sweep["elapsed_s"])

    def to_retry(self):
        """Whether a record is of a trial of this sweep, of this block if one was named, that did not end well."""
        known = {cell.id for cell in self.plan.cells}

        def again(record):
            place = record.get("sweep") or {}
            return (record["outcome"] != "ok" and place.get("cell") in known
                    and self.options.block in (None, place.get("block")))

        return again

    def strangers(self, records):
        """A note if there are records of cells that the configuration does not have."""
        known = {cell.id for cell in self.plan.all_cells()}
        n = sum((record["sweep"].get("cell") or "").removesuffix("-twin") not in known for record in records
                if isinstance(record.get("sweep"), dict))
        return n and (f"{n} records are of cells that the configuration no longer has; table and plots show these, "
                      "too: --rerun moves all records aside")

    def show_plan(self):
        path = self.folder / "records.jsonl"
        records, bad = ([], []) if self.options.rerun else recording.parse(path)
        for entry in bad:
            self.screen.say(f"{relative(path)}:{entry.number}: " + (
                entry.problem if entry.is_duplicate else f"not a record; its trial would run again: {entry.problem}"))
        self.compare(records)
        if self.options.retry_failed:
            again = self.to_retry()
            n = len(records)
            records = [record for record in records if not again(record)]
            self.screen.say(f"failed trials that would run again: {n - len(records)}")
        self.learn(records)
        agenda = Agenda(self.plan, records)
        left = agenda.left
        if any(left.values()) and self.ends_before(agenda.whole, path):
            left = {}
        seconds = self.estimate.remaining(left)
        cost = f"about {clock(seconds)}" if seconds is not None else (
            "no earlier trial to guess the time from; --block 0 runs each cell once")
        for note in filter(None, [*self.plan.notes, self.strangers(records), self.ended_early]):
            self.screen.say(f"note: {note}")
        self.screen.list(cell.shown() for cell in self.plan.cells)
        self.screen.say(f"{self.config.name}: {len(self.plan.cells)} cells x {self.config.invocations} blocks = "
                        f"{len(self.plan.cells) * self.config.invocations} trials, {agenda.recorded} recorded, "
                        f"{sum(left.values())} to run: {cost}")

    def run(self):
        """The exit code."""
        records = recording.Records(self.folder)
        if self.options.rerun:
            moved = records.set_aside()
            if moved:
                self.screen.say(f"earlier records: {relative(moved)}")
        earlier, bad = records.load()
        for entry in bad:
            what = (f"{entry.problem}, moved to records.quarantine" if entry.is_duplicate else
                    f"not a record, moved to records.quarantine; its trial runs again: {entry.problem}")
            self.screen.say(f"{relative(records.path)}:{entry.number}: {what}")
        self.retried = set()  # blocks
        if self.options.retry_failed:
            again = self.to_retry()
            self.retried = {record["sweep"].get("block") for record in earlier if again(record)} - {None}
            n = len(earlier)
            earlier = records.retire(earlier, again)
            self.screen.say(f"failed trials that run again: {n - len(earlier)}" + (
                f"; their records: {relative(self.folder / 'records.retried.jsonl')}" if n > len(earlier) else ""))
        if self.options.launcher == "slurm" and earlier:  # of other machines, but of this program
            self.environment = {**(earlier[0].get("environment") or {}), "binary_hash": self.environment["binary_hash"]}
        self.compare(earlier)
        records.keep_copy("config.toml", self.config.text)
        records.keep_copy("sweep.json", choices(self.options, self.config.name))
        if note := self.strangers(earlier):
            self.plan.notes.append(note)
        for note in self.plan.notes:
            self.screen.say(f"note: {note}")
        if self.unfinished(earlier):  # and how far is not known if it is killed
            self.keep_notes(records, "unfinished: not all trials are recorded")
        if self.environment.get("build_type", "release") != "release":
            complain(f"note: this actorlab is a {self.environment['build_type']} build; times will mislead")
        try:
            run = self.run_on_cluster if self.options.launcher == "slurm" else self.run_here
            code = run(records, earlier)
        except Failure as failure:
            complain(str(failure))
            code = failure.code
        unfinished = self.unfinished(recording.parse(records.path)[0])
        last = self.ended_early or unfinished or self.imprecise(records.path)
        self.keep_notes(records, last)
        if last:
            again = "the same command" if self.options.block is None else "the same command without --block"
            self.screen.say(f"note: {last}" + (f"; {again} goes on" if last is unfinished else ""))
        failed = self.report(records.path)
        if self.options.old is not None:
            self.screen.say("")
            sys.stdout.flush()
            subprocess.run([self.actorlab, "compare", self.options.old, self.folder, f"--color={self.options.color}"])
        return code or (FAILED if failed or bad else 0)

    def keep_notes(self, records, last):
        """For the report: the notes of the plan, and one of how the sweep ended, or that it did not."""
        notes = [*self.plan.notes, *filter(None, [last])]
        if notes:
            records.keep_copy("notes.txt", "".join(f"{note}\n" for note in notes).encode())
        else:
            (self.folder / "notes.txt").unlink(missing_ok=True)

    def unfinished(self, records):
        """A note if trials are to run."""
        agenda = Agenda(self.plan, records)
        return any(agenda.left.values()) and f"unfinished: {agenda.recorded} of {agenda.total} trials are recorded"

    def run_on_cluster(self, records, earlier):
        from sweep import slurm

        return slurm.Array(self, records).run(earlier)

    def run_here(self, records, earlier):
        runner = Runner(self.config.timeout_s)
        try:
            self.run_trials(runner, records, earlier)
            return INTERRUPTED if runner.stopping else 0
        finally:
            runner.stopping = True  # from here the first signal ends it at once

    def run_trials(self, runner, records, earlier):
        self.learn(earlier)
        agenda = Agenda(self.plan, earlier)
        total, recorded, whole = agenda.total, agenda.recorded, agenda.whole
        if recorded:
            self.screen.say(f"{recorded} of {total} trials are recorded already")
        if self.options.block is not None:
            agenda = Agenda(self.plan, earlier, self.options.block)
        left = agenda.left
        gate = noise.Gate(self.config)
        width = max(len(cell.name) for cell in self.plan.cells)
        began = time.monotonic()
        block = None
        with Progress(self.screen, total, recorded, width) as progress:
            for trial in agenda.trials():
                if trial.block != block:
                    block = trial.block
                    if agenda.begins(block):
                        if self.ends_before(whole, records.path):
                            return
                        whole += 1
                if time.monotonic() - began > (self.config.time_limit_s or math.inf):
                    raise Failure(f"time_limit_s = {self.config.time_limit_s:g}: ended with {sum(left.values())} of "
                                  f"{total} trials to run", TIMED_OUT)
                progress.begin(trial, self.estimate.remaining(left))
                run = self.run_peer if trial.cell.peer else self.run_own
                record = None
                while record is None:
                    gate.wait(lambda: runner.stopping)
                    record, seconds = run(runner, trial)
                    if record is None and runner.stopping:
                        return
                    if record is None:
                        progress.say(f"{trial.cell.name}: the sweep was stopped: its trial runs again")
                record["sweep"] = {"name": self.config.name, "cell": trial.cell.id, "block": trial.block,
                                   "session": self.session, "position": trial.position, "elapsed_s": round(seconds, 3),
                                   **({"twin": True} if trial.cell.twin else {})}
                gate.judge(record)
                self.check_unchanged(record)
                records.append(record)
                self.estimate.add(trial.cell.id, seconds)
                left[trial.cell.id] -= 1
                progress.end(trial, in_short(record), self.estimate.remaining(left),
                             record["outcome"] != "ok")
                if runner.stopping:
                    return

    def looks(self):
        """The blocks before which the sweep may end, if the intervals of all cells are as narrow as asked."""
        return LOOKS if self.config.precision is not None and self.options.block is None else ()

    def ends_before(self, blocks, path):
        """Whether the sweep may end after so many whole blocks."""
        widest = self.widest(path) if blocks in self.looks() else None
        if widest is None or widest[0] > self.config.precision:
            return False
        self.ended_early = (f"ended after {blocks} of {self.config.invocations} blocks: every interval is narrower "
                            f"than {self.config.precision:.3g} of its median")
        return True

    def widest(self, path):
        """(width of the widest interval as a part of its median, the cell's name), or None if there is no interval."""
        summary = Summary(self.actorlab, path)
        return max(((i["high"] - i["low"]) / i["median"], table.name(summary, cell)) for cell in summary.cells
                   for i in [cell["ns_per_message"]]) if summary.cells else None

    def imprecise(self, path):
        """A note if the sweep ended without the precision that it was to have."""
        widest = self.widest(path) if self.looks() else None
        return widest and widest[0] > self.config.precision and (
            f"not as precise as {self.config.precision:.3g}: the interval of {widest[1]} is as wide as "
            f"{widest[0]:.3g} of its median")

    def given(self, trial):
        """What every trial is given beside its cell."""
        return {"seed": (self.config.seed + trial.block) % (configuration.LARGEST_SEED + 1), **self.method}

    def command(self, trial):
        given = self.given(trial)
        return trial.cell.command(self.actorlab, *(
            word for key in ("iterations", "warmup", "seed") for word in (f"--{key}", str(given[key]))))

    def run_own(self, runner, trial):
        """(record, seconds), the record None if the trial was interrupted."""
        started = now()
        outcome = runner.run(self.command(trial))
        if outcome is None:
            return None, 0
        return outcome.record or {  # one that could not write its own
            "schema_version": recording.SCHEMA_VERSION, "trial": recording.new_trial(), "started_at": started, **trial.cell.identity,
            **self.given(trial), "time_ns": [], "environment": self.environment_now(),
            "outcome": outcome.name, **outcome.details,
        }, outcome.seconds

    def run_peer(self, runner, trial):
        """The same for a peer, which knows little of what a record says."""
        started, cell = now(), trial.cell
        witness = peers.Witness(cell.peer, self.pus)
        if cell.peer.present():
            outcome = runner.run(self.command(trial), peers.parse, lambda record, seconds: peers.nonsense(
                record, cell, self.config.iterations, seconds))
        else:
            outcome = Outcome("missing", 0, None, {"error": f"not there: {cell.peer.how_to_get()}"})
        if outcome is None:
            return None, 0
        record = witness.record(cell, self.given(trial), started, outcome)
        record["environment"] |= peers.shared(self.environment_now())
        return record, outcome.seconds

    def report(self, path):
        """Prints the table and, unless told not to, draws the plot of what there is. True if any trial failed."""
        if not path.stat().st_size:
            return False
        summary = Summary(self.actorlab, path)
        table.show(self.screen, summary)
        for line in noise.told(recording.parse(path)[0]):
            self.screen.say(line)
        written = [path]
        if summary.cells and self.options.block is None and not self.options.no_plot:
            from plots import plot  # matplotlib is large; nothing of it while trials run

            written += plot.draw(summary, path.parent)
        self.screen.say("wrote " + ", ".join(str(relative(file)) for file in written))
        return bool(summary.failed)


def seed_of(record):
    """That of the sweep, or None: each block adds its number."""
    block, given = (record.get("sweep") or {}).get("block"), record.get("seed")
    return None if block is None or given is None else (given - block) % (configuration.LARGEST_SEED + 1)


def now():
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def in_short(record):
    if record["outcome"] == "ok":
        return f"{table.significant(statistics.median(record['time_ns']) / record['messages'])} ns/message"
    if record["outcome"] == "timeout":
        return "time-out"
    what = record.get("error") or (record.get("stderr", "").strip().splitlines() or [""])[-1][-LINE_KEPT:]
    how = record.get("signal") or f"exit code {record['exit_code']}" if record["outcome"] == "crashed" else None
    return ": ".join(filter(None, (f"{record['outcome']} ({how})" if how else record["outcome"], what)))


def relative(path):
    try:
        return Path(path).absolute().relative_to(Path.cwd())
    except ValueError:
        return path


def main():
    try:
        options = arguments()
        sweep = Sweep(options, Screen(options.color))
        if options.dry_run or options.plan:
            sweep.show_plan()
            return 0
        return sweep.run()
    except Failure as failure:
        complain(str(failure))
        return failure.code
    except BrokenPipeError:  # nobody reads any more
        os._exit(USAGE)
