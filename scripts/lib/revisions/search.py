# SPDX-License-Identifier: MIT
"""Searches the commit that made a cell slower, by comparing candidates with the good revision."""

import math
import time

from common.failure import FAILED, UNDECIDED, Failure
from results import numbers
from results.summary import Summary
from revisions import configuration, measuring
from revisions.repository import DoesNotBuild
from sweep.precision import OPEN_VERDICTS, nothing_to_compare
from sweep.progress import clock


STEP = {"precision": "verdicts", "invocations": None}  # settings of each sweep


class Search:
    """Each step is a sweep of one cell with two builds, which ends once that is decided."""

    def __init__(self, repository, screen, options, folder):
        self.repository, self.screen, self.options, self.folder = repository, screen, options, folder
        self.good = repository.revision(options.revisions[0])
        self.bad = repository.revision(options.revisions[1])
        for revision in (self.good, self.bad):
            if revision.commit is None:
                raise Failure(f"--bisect: {revision.name}: a search is among commits; commit the changes first")
        self.commits = repository.between(self.good, self.bad)
        if not self.commits:
            raise Failure(f"--bisect: {self.good.name} and {self.bad.name} are the same commit")
        configuration.check(options.config, **STEP)
        measuring.check_writable(folder)
        self.steps = 0
        self.began = time.monotonic()

    def run(self):
        """The exit code."""
        first = self.repository.build(self.good, self.screen.say)
        last = len(self.commits) - 1
        slower = self.is_slower(first, last, last)  # DoesNotBuild: there is nothing to search
        if isinstance(slower, int):
            return slower
        verdict, said = slower
        if verdict != "slower":
            pair = f"slower than {self.good.name}: {said}"
            return self.end(f"undecided: whether {self.bad.name} is {pair}" if verdict in OPEN_VERDICTS else
                            f"{self.bad.name} is not {pair}", verdict)
        low, high, skipped = -1, last, set()
        while (place := middle(low, high, skipped)) is not None:
            try:
                found = self.is_slower(first, place, high - low - 1)
            except DoesNotBuild as problem:
                self.screen.say(f"skipped: {problem}")
                skipped.add(place)
                continue
            if isinstance(found, int):
                return found
            verdict, words = found
            if verdict in OPEN_VERDICTS:
                return self.end(f"undecided: {self.told(place)}: {words}; {self.among(low, high)}", verdict)
            if verdict == "slower":
                high, said = place, words
            else:
                low = place
        if high - low > 1:
            self.screen.say(f"the commits in between do not build; {self.among(low, high)}")
            return UNDECIDED
        self.screen.say(f"{self.told(high)} made it slower: {said}")
        return 0

    def is_slower(self, first, place, left):
        """(verdict, ratio in words) of that commit beside the good one, or the exit code of a sweep
        that did not come to its end."""
        commit = self.commits[place]
        self.say_progress(commit, left)
        programs = {self.good.name: first, commit.short: self.repository.build(commit, self.screen.say)}
        sweep = measuring.prepared(self.screen, self.folder / commit.short, self.options, f"bisect-{commit.short}",
                                   programs, **STEP)
        cells = [cell.name for cell in sweep.plan.cells if not cell.twin]
        if len(cells) != len(programs):
            raise Failure(f"--bisect: --filter must leave one cell, but it leaves {len(cells) // 2}: "
                          + "; ".join(cell.bare_name for cell in sweep.plan.cells
                                      if not cell.twin and cell.binary.name == self.good.name))
        code = sweep.run()
        self.steps += 1
        # Failed trials are results.
        return judged(sweep, *programs) if code in (0, FAILED) else code

    def say_progress(self, commit, left):
        steps = 1 + math.ceil(math.log2(left)) if left > 1 else 1
        each = (time.monotonic() - self.began) / self.steps if self.steps else None
        about = f", about {clock(each * steps)}" if each else ""
        self.screen.say(f"step {self.steps + 1}: {commit.short} {commit.subject} "
                        f"(at most {steps} step{'s' * (steps > 1)} left{about})")

    def told(self, place):
        return f"{self.commits[place].short} {self.commits[place].subject}"

    def among(self, low, high):
        names = ", ".join(commit.short for commit in self.commits[low + 1:high + 1])
        return f"the commit is one of {names}"

    def end(self, words, verdict):
        self.screen.say(words)
        return UNDECIDED if verdict in OPEN_VERDICTS else FAILED


def middle(low, high, skipped):
    """The place nearest to the middle that is not skipped; None if all in between are."""
    half = (low + high) / 2
    return min((place for place in range(low + 1, high) if place not in skipped),
               key=lambda place: abs(place - half), default=None)


def judged(sweep, good, bad):
    """(verdict, ratio in words) of the only comparison. Who fails more often counts as slower."""
    machines = Summary(sweep.actorlab, sweep.folder / "records.jsonl").machines
    pairs = [pair for machine in machines for pair in machine.families["baseline"].pairs.values()]
    if not pairs:
        return all_failed(machines, good, bad) or (None, nothing_to_compare(machines, builds=True))
    if len(pairs) > 1:
        return None, f"{len(pairs)} comparisons instead of one: the records are of {len(machines)} machines"
    pair = pairs[0]
    if pair["failed"] and pair["failed"]["more"]:
        return "slower", pair["failed"]["text"]
    ratio = pair["ratio"]
    ends = ", ".join("?" if end is None else numbers.significant(end) for end in (ratio["low"], ratio["high"]))
    return pair["verdict"], f"{numbers.significant(ratio['median'])} [{ends}] times as long, {pair['verdict']}"


def all_failed(machines, good, bad):
    """What judged() says if all trials of the bad build failed, but not of the good; else None."""
    ended = {cell["binary"] for machine in machines for cell in machine.cells}
    n = sum(row["count"] for machine in machines for row in machine.failed if row["binary"] == bad)
    return ("slower", f"{n} of {n} failed") if ended == {good} and n else None
