# SPDX-License-Identifier: MIT
"""A sweep: every cell of a configuration, in shuffled blocks, recorded, summarized and drawn."""

import os
import subprocess
import sys
from functools import partial
from pathlib import Path

from common import actorlab
from common.failure import FAILED, Failure
from common.files import relative
from common.screen import complain
from common.words import plural
from machine import topology
from results import records as recording
from results.writer import Records
from sweep import binaries, checker, config, peers, plugins, simulated, sources, trust
from sweep.agenda import Agenda, whole_blocks
from sweep.choices import choices
from sweep.closing import report
from sweep.plan import Plan
from sweep.precision import precision_of
from sweep.progress import Estimate, clock
from sweep.registry import Registry
from sweep.trials import Trials

QUICK_INVOCATIONS = 3
MISTAKES_SHOWN = 50


def and_more(n):
    return f" and {plural(n, 'more cell')}" if n else ""


class Sweep:
    def __init__(self, options, screen):
        self.options, self.screen = options, screen
        chosen = simulated.chosen(options)
        tables, text = config.read(options.config)
        self.binary_folder = options.binary_folder or Path(options.config).absolute().parent
        trust.confirm(options, tables, self.binary_folder)
        plugins.load(options.config, tables, self.binary_folder)
        registry = self.ask(tables, chosen)
        self.config = checker.check(options.config, tables, text, registry, chosen)
        self.apply_options()
        self.plan = Plan(self.config, registry)
        self.limits = registry.limits
        if options.filter:
            self.plan.keep(options.filter)
            if not self.plan.cells:
                raise Failure(f"--filter {options.filter.pattern}: matches no cell")
        if self.config.precision == "verdicts" and not self.plan.has_pairs():
            raise Failure(f'{options.config}: precision = "verdicts": no two cells have the same '
                          "workload and number of workers, so there is nothing to compare")
        self.confinement = peers.Confinement(self.actorlab)
        self.machines = {}  # simulated.key_of a cell's machine: what records say of it
        self.refuse_mistakes()
        self.programs = {peer.name: peer.program_hash() for peer in self.plan.peers()}
        for peer in self.plan.peers():
            if not peer.present():
                complain(f"note: {peer.name} is missing: {peer.how_to_get()}")
        self.session = recording.new_session()
        self.precision = precision_of(self.config, options, self.actorlab)
        self.folder = options.results or actorlab.RESULTS / simulated.folder(self.config.name, chosen)
        self.estimate = Estimate()

    def ask(self, tables, chosen):
        """Builds actorlab with the peers that these tables name. Returns the Registry of all."""
        self.known = known = peers.read(actorlab.executable().parent)
        simulates = simulated.wanted(tables, chosen)
        self.actorlab = actorlab.build([known[name] for name in peers.named(tables) if name in known])
        registry = Registry(actorlab.ask(self.actorlab, "list", "--json"),
                            lambda *place: topology.place_problem(self.actorlab, *place), known,
                            lambda named: topology.pus_of(self.actorlab, named), simulated.Machines(self.actorlab),
                            lambda *place: topology.pus_in_order(self.actorlab, *place))
        if self.options.launcher == "slurm":
            registry.leave_pus_to_nodes()
        registry.binaries = binaries.read(tables, self.binary_folder, registry)
        builds = {name: binary for name, binary in registry.binaries.items() if not isinstance(binary, str)}
        self.environments = {None: registry.environment, **{name: build.environment for name, build in builds.items()}}
        programs = {None: self.actorlab, **{name: build.program for name, build in builds.items()}}
        self.simulators = {name: simulated.environment(its) for name, its in programs.items() if simulates}
        self.pus, self.twin_seed = registry.pus, registry.twin_seed
        self.schema_version = registry.schema_version
        return registry

    def apply_options(self):
        """The command line overrides the configuration."""
        options = self.options
        if options.old is not None:
            self.config.name = options.name
        if options.quick:
            self.config.invocations = QUICK_INVOCATIONS
            if self.config.precision == "verdicts":
                self.config.precision = self.config.looks = None
        if options.seed is not None:
            self.config.seed = options.seed
        if options.size is not None:
            self.config.size, self.config.resized = options.size, True
        if (options.block or 0) >= self.config.invocations and not options.further:
            raise Failure(f"--block {options.block}: must be 0 to {self.config.invocations - 1}")

    def refuse_mistakes(self):
        """Raises Failure if trials would refuse to start, with a line for each reason that names
        the first of its cells."""
        cells = [cell for cell in self.plan.cells if cell.peer is None and not cell.twin]
        reasons, programs, doubts = {}, {}, {}
        for cell in cells:
            programs.setdefault(cell.program(self.actorlab), []).append(cell)
        for program, its in programs.items():
            for cell, answer in zip(its, actorlab.answers(program, map(self.checked, its))):
                reason = answer.get("problem")
                if reason is None and cell.simulated:
                    self.machines[simulated.key_of(cell.identity["machine"])] = answer["machine"]
                for doubt in answer.get("doubts", ()):
                    doubts.setdefault(doubt, []).append(cell.name)
                if reason is not None:
                    build = f"{cell.binary.name}: " if cell.binary is not None else ""
                    reasons.setdefault(build + reason, []).append(cell.name)
        if reasons:
            lines = [f"{self.config.path}: {names[0]}{and_more(len(names) - 1)}: {reason}"
                     for reason, names in reasons.items()]
            more = len(lines) - MISTAKES_SHOWN
            lines[MISTAKES_SHOWN:] = [f"and {plural(more, 'more mistake')}"] * (more > 0)
            raise Failure("\n".join(lines))
        self.doubts = [f"{names[0]}{and_more(len(names) - 1)}: {doubt}, which may decide the result"
                       for doubt, names in doubts.items()]

    def checked(self, cell):
        """The arguments that actorlab is to check. On a cluster only the nodes know how many PUs
        they have."""
        if self.options.launcher == "slurm" and not cell.simulated:
            placed = "topology" in cell.flags
            flags = {key: value for key, value in cell.flags.items() if key != "pin" or placed}
            cell = cell._replace(oversubscribe=True, flags=flags)
        # How many are run is checked with the file.
        return cell.arguments() + ["--warmup", "auto"] * (self.config.warmup == "auto")

    def compare(self, records):
        """Raises Failure if trials of this sweep do not belong beside these records."""
        place = relative(self.folder / "records.jsonl")
        here = self.options.launcher != "slurm"  # else the trials run on the cluster's nodes
        if here and (stranger := recording.another_machine(records, self.environments)):
            raise Failure(f"{place}: {stranger}: --results DIR writes into another folder, --rerun moves "
                          "these records aside")
        found = self.difference(records)
        seeds = (old for old in map(self.seed_of, records) if old not in (None, self.config.seed))
        found = found or next((("seed", old, self.config.seed) for old in seeds), None)
        if found:
            what, old, new = found
            raise Failure(f"{place}: its records have {what} {old}, "
                          f"now it is {new}: --rerun moves them aside and starts afresh")

    def method(self, peer):
        """The iterations of a trial of this peer, or of ours."""
        warmup = self.config.warmup  # "auto" is refused where there are peers
        return {"iterations": self.config.iterations, "warmup": warmup if peer is None else max(warmup, peer.warmup)}

    def method_of(self, record):
        """The same of a trial like that of a record."""
        if record.get("peer") is None:
            return self.method(None)
        peer = self.known.get(record["scheduler"])
        return self.method(peer) if peer is not None else {"iterations": self.config.iterations}

    def difference(self, records):
        """As recording.difference."""
        return recording.difference(records, self.environments, self.method_of, self.programs,
                                    self.model_difference)

    def model_difference(self, record):
        simulator = self.simulators.get(record.get("binary"), {})
        return simulated.difference(record, self.machines, simulator.get("binary_hash"))

    def machine_of(self, cell):
        """What the record of a simulated cell says of its machine."""
        binary = cell.binary.name if cell.binary is not None else None
        return {**self.machines[simulated.key_of(cell.identity["machine"])],
                "binary_hash": self.simulators[binary]["binary_hash"]}

    def seed_of(self, record):
        """The sweep's seed, or None if it is not known. Each block adds its number to it, and the
        second run of a simulated cell as much as makes it another."""
        place, given = record.get("sweep") or {}, record.get("seed")
        if place.get("block") is None or given is None:
            return None
        shift = self.twin_seed if place.get("twin") and record.get("engine") == "sim" else 0
        return (given - place["block"] - shift) % (config.LARGEST_SEED + 1)

    def check_unchanged(self, record):
        """Raises Failure if program or machine have changed since the sweep began."""
        found = self.difference([record])
        if found:
            what, new, old = found
            raise Failure(f"{what} was {old} when the sweep began, now it is {new}: the last trial is "
                          f"not recorded; the same command continues once it is {old} again")

    def learn(self, records):
        """Bases the estimate on the times of earlier trials."""
        known = {cell.id for cell in self.plan.cells}
        for record in records:
            sweep = record.get("sweep") or {}
            if sweep.get("cell") in known and sweep.get("elapsed_s") is not None:
                self.estimate.add(sweep["cell"], sweep["elapsed_s"])

    def to_retry(self):
        """A function that tells whether a record is of a failed trial of this sweep, and of its
        block if one was named."""
        known = {cell.id for cell in self.plan.cells}

        def again(record):
            place = record.get("sweep") or {}
            return (record["outcome"] != "ok" and place.get("cell") in known
                    and self.options.block in (None, place.get("block")))

        return again

    def strangers(self, records):
        """A note if there are records of cells that the configuration does not have."""
        known = {cell.id for cell in self.plan.all_cells()}
        n = sum((record["sweep"].get("cell") or "").removesuffix("-twin") not in known
                for record in records if isinstance(record.get("sweep"), dict))
        what, them = ("record is of a cell", "it") if n == 1 else ("records are of cells", "them")
        return n and (f"{n} {what} that the configuration no longer has; table and plots "
                      f"include {them}: --rerun moves all records aside")

    def show_plan(self):
        path = self.folder / "records.jsonl"
        records, bad = ([], []) if self.options.rerun else recording.parse(path)
        for entry in bad:
            problem = entry.problem if entry.is_duplicate else (
                f"not a record; its trial would run again: {entry.problem}")
            self.screen.say(f"{relative(path)}:{entry.number}: {problem}")
        self.compare(records)
        if self.options.retry_failed:
            again = self.to_retry()
            n = len(records)
            records = [record for record in records if not again(record)]
            self.screen.say(f"failed trials that would run again: {n - len(records)}")
        self.learn(records)
        block = self.options.block
        agenda = Agenda(self.plan, records, block)
        left = agenda.left
        if block is None and any(left.values()) and self.precision.ends_before(agenda.whole, path):
            left = {}
        seconds = self.estimate.remaining(left, self.jobs_at_once())
        cost = "no earlier trial to estimate the time from" + "; --block 0 runs each cell once" * (block is None)
        up_to = "up to " * bool(block is None and self.precision.looks and any(left.values()))
        if seconds is not None:
            cost = f"about {clock(seconds)}" + " if it runs all blocks" * bool(block is None and left and self.precision.looks)
        again = any(left.values()) and agenda.repeats.left
        share = again and seconds is not None and f", {clock(seconds * again / sum(left.values()))}"
        more = again and f"groups whose hand-off state changes run again: up to {plural(again, 'more trial')}{share or ''}"
        notes = [*self.plan.notes, *self.plan.alike(), *self.doubts, self.strangers(records), self.precision.ended_early, more]
        for note in filter(None, notes):
            self.screen.say(f"note: {note}")
        self.screen.list(cell.shown() for cell in self.plan.cells)
        cells, blocks = len(self.plan.cells), self.config.invocations
        self.screen.say(f"{relative(self.folder)}: {plural(cells, 'cell')} x {up_to}"
                        f"{plural(blocks, 'block')} = {up_to}{plural(cells * blocks, 'trial')}, "
                        f"{agenda.recorded:,} recorded, {up_to}{sum(left.values()):,} to run"
                        f"{f' in block {block}' if block is not None else ''}: {cost}")

    def run(self):
        """The exit code."""
        records = Records(self.folder, self.screen.say)
        earlier, bad = self.load(records)
        if self.options.launcher == "slurm" and earlier:  # of other machines, but of this program
            self.environments = {
                name: {**environment_of(earlier, name), "binary_hash": environment["binary_hash"]}
                for name, environment in self.environments.items()}
        self.compare(earlier)
        records.keep_copy("config.toml", self.config.text)
        self.keep_choices(records, self.whole_blocks(earlier))
        sources.keep(records, self.environments[None].get("revision"), self.screen.say)
        if note := self.strangers(earlier):
            self.plan.notes.append(note)
        for note in self.plan.notes:
            self.screen.say(f"note: {note}")
        if self.unfinished(earlier):  # a killed sweep cannot say how far it came
            self.keep_notes(records, "unfinished: not all trials recorded")
        self.note_builds()
        code = self.run_trials(records, earlier)
        failed = False
        # Whatever still can be said and drawn:
        for last in () if records.lost else (self.say_how_it_ended, partial(report, self)):
            try:
                failed |= bool(last(records))
            except Failure as failure:
                complain(str(failure))
                code = code or failure.code
        self.folder = records.folder  # where it is now
        if self.options.old is not None:
            self.screen.say("")
            sys.stdout.flush()
            if self.same_engine(earlier := recording.parse(self.options.old / "records.jsonl")[0]):
                compared = subprocess.run(actorlab.words(
                    self.actorlab, "compare", self.options.old, self.folder, f"--color={self.options.color}"))
                code = code or actorlab.status(compared.returncode)
            elif earlier:
                self.screen.say("note: native and simulated results are not compared")
        return code or (FAILED if failed or bad else 0)

    def same_engine(self, records):
        """Whether some record is of an engine that some cell has."""
        ours = {cell.simulated for cell in self.plan.cells}
        return any((record.get("engine") == "sim") in ours for record in records)

    def keep_choices(self, records, blocks):
        """Writes sweep.json; blocks: how many are whole."""
        records.keep_copy("sweep.json", choices(self.options, self.config, self.binary_folder, blocks))

    def keep_blocks(self, records, blocks):
        """Tells readers how many are whole, if that matters to verdicts."""
        if self.config.looks is not None:
            self.keep_choices(records, blocks)

    def whole_blocks(self, records):
        """In how many every group of this sweep's cells was measured whole. On a cluster, nodes may
        have left some cells out."""
        blocks, groups = recording.by_block(records, not self.plan.simulated), self.plan.groups()
        if self.options.launcher == "slurm":
            seen = set().union(*blocks.values())
            groups = [cells & seen for cells in groups if cells & seen]
        return whole_blocks(groups, blocks)

    def note_builds(self):
        """Warns of builds that are not for measuring."""
        for cell in {cell.binary: cell for cell in self.plan.cells}.values():
            name = cell.binary.name if cell.binary is not None else None
            build = self.environments[name].get("build_type", "release")
            if build != "release":
                complain(f"note: {name or 'this actorlab'} is a {build} build; its times are misleading")

    def load(self, records):
        """(records, bad lines) of earlier runs. Moves aside what is to run again."""
        if self.options.rerun:
            moved = records.set_aside()
            if moved:
                self.screen.say(f"earlier records: {relative(moved)}")
        earlier, bad = records.load()
        for entry in bad:
            what = f"not a record, moved to records.quarantine; its trial runs again: {entry.problem}"
            if entry.is_duplicate:
                what = f"{entry.problem}, moved to records.quarantine"
            self.screen.say(f"{relative(records.path)}:{entry.number}: {what}")
        self.retried = set()  # blocks
        if self.options.retry_failed:
            again = self.to_retry()
            self.retried = {record["sweep"].get("block") for record in earlier if again(record)} - {None}
            n = len(earlier)
            earlier = records.retire(earlier, again)
            moved = relative(self.folder / "records.retried.jsonl")
            self.screen.say(f"failed trials that run again: {n - len(earlier)}"
                            + (f"; their records: {moved}" if n > len(earlier) else ""))
        return earlier, bad

    def run_trials(self, records, earlier):
        """The exit code."""
        try:
            if self.options.launcher == "slurm":
                from sweep import slurm

                return slurm.Array(self, records).run(earlier)
            self.learn(earlier)
            return Trials(self, records, earlier).run()
        except Failure as failure:
            complain(str(failure))
            return failure.code

    def say_how_it_ended(self, records):
        all_records = recording.parse(records.path)[0]
        self.keep_blocks(records, self.whole_blocks(all_records))
        unfinished = self.unfinished(all_records)
        last = self.precision.ended_early or unfinished or self.precision.at_the_end(records.path)
        self.keep_notes(records, last)
        if last:
            self.screen.say(f"note: {last}{'; the same command continues' if last is unfinished else ''}")

    def jobs_at_once(self):
        """How many trials run at once: native ones one after the other."""
        return (self.options.jobs or len(os.sched_getaffinity(0))) if self.plan.simulated else 1

    def keep_notes(self, records, last):
        """For the report: the notes of the plan, and one that says how the sweep ended, or that it
        did not."""
        notes = [*self.plan.notes, *filter(None, [last])]
        records.keep_copy("notes.txt", "".join(f"{note}\n" for note in notes).encode() if notes else None)

    def unfinished(self, records):
        """A note if trials that were asked for are missing."""
        agenda = Agenda(self.plan, records, self.options.block)
        return any(agenda.left.values()) and (
            f"unfinished: {agenda.recorded:,} of {plural(agenda.total, 'trial')} recorded")


def environment_of(records, binary):
    """Of the first record of that build."""
    return next((record.get("environment") or {} for record in records if record.get("binary") == binary), {})
