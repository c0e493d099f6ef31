# SPDX-License-Identifier: MIT
"""Whether records agree with a claim."""

import itertools
import json
import math
import statistics
import subprocess
from typing import NamedTuple

from claims.evidence import NATIVE, Place, cells_of
from claims.claim import combinations
from claims.measures import MEASURES
from common.failure import Failure, failing
from common.words import plural
from sweep import simulated
from sweep.values import toml

HOLDS, CONTRADICTED, INCONCLUSIVE = "holds", "contradicted", "inconclusive"
IN_SIMULATION = " in simulation"
NOT_TESTABLE = "not testable here"
NOT_RUN = "not run"
# Keys whose values need no key beside them.
BARE = ("benchmark", "scheduler", "victim", "idle", "machine", "placement")
CHANCE = 0.05  # that any of all native intervals misses its value


def quotient(a, b):
    """The ratio of two measures. Of counts that are 0 both are equal, or b is infinitely better."""
    return a / b if b else math.inf if a else 1.0


class Finding:
    """What records say of one inequality on one machine, in one combination of cells."""

    def __init__(self, claim, need, machine, settings, names, runs, doubts=()):
        """names: (numerators, denominators), each a list of what its cells are called. runs: for
        each of these a dict of block -> record. doubts: why its cells may answer another
        question."""
        self.doubts = doubts
        self.need, self.machine, self.settings, self.names = need, machine, settings, names
        self.simulated, self.margin = machine != NATIVE, claim.margin
        blocks = sorted(set.intersection(*(set(found) for side in runs for found in side)))
        measure = MEASURES[need.measure][0]
        # For each cell, the values of the blocks that all cells have.
        self.values = [[[measure(found[block]) for block in blocks] for found in side] for side in runs]
        self.blocks = len(blocks)
        self.low = self.high = None
        self.needed = None  # native blocks that may decide it

    def samples(self):
        """The quantity's value in each block; of a spread over all its cells."""
        over, under = (list(zip(*side)) for side in self.values)
        if self.need.shape == "spread":
            return [quotient(max(values), min(values)) if self.is_ratio else max(values) - min(values) for values in over]
        if self.need.shape == "value":
            return [values[0] for values in over]
        if not self.is_ratio:
            return [math.fsum(a) - math.fsum(b) for a, b in zip(over, under)]
        return [quotient(math.prod(a), math.prod(b)) for a, b in zip(over, under)]

    @property
    def is_ratio(self):
        return self.need.unit == "ratio" and self.need.shape != "value"

    def median(self):
        return statistics.median(self.samples())

    def settle_simulated(self):
        """Takes the range of the seeds, widened by what the model may err."""
        values = self.samples()
        self.low, self.high = min(values) / (1 + self.margin), max(values) * (1 + self.margin)

    def pairs(self):
        """Pairs of positive values by block, whose ratio `actorlab ratio` is to judge, and a
        function that turns such a ratio into the quantity. A spread has a pair for any two of its
        cells."""
        over, under = self.values
        if self.need.shape == "spread":
            sides = list(itertools.combinations(over, 2))
        elif self.need.shape == "value":
            sides = [(over[0], [0.0] * self.blocks)]
        else:
            total = math.prod if self.is_ratio else math.fsum
            sides = [([total(values) for values in zip(*over)], [total(values) for values in zip(*under)])]
        if self.is_ratio:
            return sides, lambda ratio: ratio
        # A difference is the logarithm of a ratio.
        scale = max(map(abs, itertools.chain(*itertools.chain(*sides)))) / 100 or 1.0
        return ([tuple([math.exp(value / scale) for value in side] for side in pair) for pair in sides],
                lambda ratio: scale * math.log(ratio) if ratio > 0 else -math.inf)

    def settle_native(self, intervals, back):
        """Takes intervals of the ratios of `pairs`."""
        ends = [(back(found["low"] or 0.0), back(math.inf if found["high"] is None else found["high"]))
                for found in intervals]
        self.needed = max((found["needed"] or math.inf for found in intervals), default=None)
        if self.need.shape != "spread":
            self.low, self.high = ends[0]
            return
        turned = (lambda value: 1 / value if value else math.inf) if self.is_ratio else (lambda value: -value)
        least = 1.0 if self.is_ratio else 0.0
        self.low = max(max(low, turned(high), least) for low, high in ends)
        self.high = max(max(high, turned(low)) for low, high in ends)

    @property
    def verdict(self):
        least, most = self.need.least, self.need.most
        if self.low >= least and self.high <= most:
            return HOLDS
        return CONTRADICTED if self.high < least or self.low > most else INCONCLUSIVE

    def why_open(self):
        """What an inconclusive finding would take."""
        if not self.simulated:
            return f"more than {self.blocks} blocks" if self.needed in (None, math.inf) else f"about {self.needed:,} blocks"
        values, least, most = self.samples(), self.need.least, self.need.most
        inside = [least <= value <= most for value in values]
        if any(inside) and not all(inside):
            return "seeds disagree"
        return f"a margin of less than {100 * self.margin:g}%, so a better model"

    def as_json(self):
        return {"machine": simulated.short_name(self.machine), "at": self.settings, "median": finite(self.median()),
                "values": list(map(finite, self.samples())), "low": finite(self.low), "high": finite(self.high),
                "blocks": self.blocks, "verdict": self.verdict, "doubts": list(self.doubts),
                "above": self.names[0], "below": self.names[1]}


def finite(value):
    return value if value is not None and math.isfinite(value) else None


class Answer(NamedTuple):
    """A claim's verdict, or that of one of its causes' changes."""

    verdict: str
    findings: list  # of Finding
    reason: str = ""  # why it is not testable

    @property
    def bare(self):
        return self.verdict.removesuffix(IN_SIMULATION)


def engine_of(claim, evidence):
    """The machines that a claim is judged on, or a line on why it cannot be."""
    if not claim.tested:
        return claim.not_testable
    natives = () if claim.across_machines() or claim.engine == "sim" else (NATIVE,)
    pus = evidence.pus(NATIVE)
    if natives and largest(claim) <= pus or claim.full and natives and claim.settings_on(pus):
        return natives
    if claim.engine == "native":
        return f"it needs {largest(claim)} PUs" if natives else "it compares machines"
    return tuple(claim.machines[:1]) if claim.across_machines() else tuple(claim.machines)


def largest(claim):
    """The most workers of its cells."""
    tables = [claim.at, *(table for need in claim.needs for table in (*need.over, *need.under))]
    return max((workers for table in tables for one in combinations({"workers": table.get("workers", 0)})
                for workers in one.values()), default=0)


class Question:
    """A claim, with the change of one of its causes or none, and the cells that decide it."""

    def __init__(self, claim, evidence, variant=""):
        self.claim, self.evidence, self.variant = claim, evidence, variant
        # Of (need, machine, settings, (numerators, denominators), what these are called).
        self.asked = []
        self.reason = self.lacking = ""  # why it cannot be answered at all, or not now
        machines = engine_of(claim, evidence)
        if isinstance(machines, str):
            self.reason = machines
            return
        for machine in machines:
            for need in claim.needs:
                for at in claim.settings_on(evidence.pus(machine)):
                    self._ask(need, machine, at)
        if not self.asked:
            where = "this machine" if machines == (NATIVE,) else " and ".join(machines)
            self.reason = f"{where} without the workers, or the systems that it compares (scripts/setup --peers)"

    def _ask(self, need, machine, at):
        for sides in cells_of(self.claim, need, at, machine):
            found = [[self._find(settings, machine) for settings in side] for side in sides]
            if all(cell is not None for side in found for _, cell in side):
                self.asked.append((need, machine, at, found, names_of(at, sides)))

    def _find(self, settings, machine):
        place = Place(settings.get("sweep", self.claim.sweep), settings.get("machine", machine), self.variant)
        return place, self.evidence.find(self.claim, place, settings)

    def want(self):
        for _, _, _, sides, _ in self.asked:
            for place, cell in itertools.chain(*sides):
                self.evidence.want(place, cell)

    def findings(self):
        """None, and `lacking` says why, if a cell has too few records."""
        found = []
        for need, machine, at, sides, names in self.asked:
            runs = [[self.evidence.of(place, cell) for place, cell in side] for side in sides]
            for side, its in zip(sides, runs):
                for (place, cell), blocks in zip(side, its):
                    if len(blocks) < (self.evidence.seeds if place.simulated else 1):
                        self.lacking = f"{plural(len(blocks), 'record')} of {cell.name} in {place.shown()}"
                        return None
            doubts = dict.fromkeys(doubt for place, cell in itertools.chain(*sides)
                                   for doubt in self.evidence.doubts(place, cell))
            found.append(Finding(self.claim, need, machine, at, names, runs, doubts))
        return found

    def cost(self):
        """(minutes on two cores, MB of a process) that its records took: each once, whatever other
        claims share it."""
        records = {(place, cell.id): self.evidence.of(place, cell) for _, _, _, sides, _ in self.asked
                   for place, cell in itertools.chain(*sides)}
        all_records = [record for blocks in records.values() for record in blocks.values()]
        seconds = sum(record["sweep"].get("elapsed_s") or 0 for record in all_records)
        cores = 2 if any(place.simulated for place, _ in records) else 1
        return seconds / 60 / cores, max((record.get("peak_rss_bytes") or 0 for record in all_records), default=0) / 1e6


def names_of(at, sides):
    """What cells are called: by those of their settings that not all of them share."""
    cells = [settings for side in sides for settings in side]
    shared = {key for key, value in cells[0].items() if len(cells) > 1 and all(one.get(key) == value for one in cells)}
    own = shared | set(at)

    def name(settings):
        words = [in_words(key, value) for key, value in settings.items() if key not in own]
        return " ".join(words or [settings.get("scheduler", "the default")])

    return [[name(settings) for settings in side] for side in sides]


def in_words(key, value):
    if key in BARE:
        return simulated.short_name(value) if key == "machine" else str(value)
    return plural(value, "worker") if key == "workers" else f"{key}={value}"


def settle(findings, actorlab):
    """Gives all findings their intervals. The native ones together miss a value with a chance of
    5%."""
    native, lines = [], []
    for finding in findings:
        if finding.simulated:
            finding.settle_simulated()
            continue
        pairs, back = finding.pairs()
        native.append((finding, len(pairs), back))
        lines += pairs
    if not lines:
        return
    level = 1 - CHANCE / len(lines)
    answers = iter(compared(actorlab, [{"first": a, "second": b, "level": level} for a, b in lines]))
    for finding, n, back in native:
        finding.settle_native(list(itertools.islice(answers, n)), back)


def compared(actorlab, jobs):
    """What `actorlab ratio` says of each."""
    command = [str(actorlab), "ratio", "-"]
    text = "".join(json.dumps(job) + "\n" for job in jobs)
    with failing(actorlab):
        done = subprocess.run(command, input=text, capture_output=True, text=True)
    if done.returncode != 0:
        raise Failure(done.stderr.strip() or f"{' '.join(command)}: exit code {done.returncode}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def answer(question, findings):
    """The Answer to a question, whose findings are settled."""
    if question.reason:
        return Answer(NOT_TESTABLE, [], question.reason)
    if findings is None:
        return Answer(NOT_RUN, [], question.lacking)
    verdicts = {finding.verdict for finding in findings}
    whole = next(verdict for verdict in (CONTRADICTED, INCONCLUSIVE, HOLDS) if verdict in verdicts)
    simulated_ones = any(finding.simulated for finding in findings)
    return Answer(whole + IN_SIMULATION * (simulated_ones and whole != INCONCLUSIVE), findings)
