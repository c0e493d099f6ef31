# SPDX-License-Identifier: MIT
"""scripts/figures: runs what is missing of a paper's sweeps, and draws their figures."""

import os
import subprocess
from pathlib import Path

from common import actorlab
from common.arguments import Parser, regex
from common.failure import FAILED, INTERRUPTED, NO_WRITE, USAGE, Failure
from common.screen import complain, tell
from results.summary import Summary
from sweep import config, simulated
from sweep.config import SIZES
from sweep.part import Part, run_all

CONFIGS = actorlab.ROOT / "configs"
PAPERS = ("chapter", "las", "mercury")
# On which each paper measured, for a simulation that names none. Mercury's text names no machine.
MACHINES = {"chapter": ["epyc-7662-2s", "xeon-5220r-2s"], "las": ["opteron-6276-4s", "xeon-e5-4s"],
            "mercury": ["xeon-5220r-2s"]}


def arguments():
    parser = Parser(
        prog="scripts/figures",
        description="Runs what is missing of the sweeps in configs/PAPER and draws their figures. The same command "
        "continues where an earlier one stopped.",
        epilog="Exit codes: 0 done, 1 a trial failed, 2 usage or configuration, 3 could not write, 130 interrupted.")
    add = parser.add_argument
    add("paper", choices=PAPERS)
    add("--engine", choices=["native", "sim"], default="native", help="threads on this machine, or simulated ones")
    add("--machine", metavar="NAME", action="append",
        help="the machine to simulate, or its file; may be repeated (default: those of the paper)")
    add("--deep", action="store_true", help="simulate all seeds, not only the first three")
    add("--size", choices=SIZES, help="size of the workloads (default: paper, or sim on a simulated machine)")
    add("--filter", metavar="REGEX", type=regex, help="only the sweeps whose name matches, such as executor or figure-1")
    add("--results", metavar="DIR", type=Path, help="where to write (default: results/figures)")
    add("plan", nargs="?", choices=["plan"], help="show what each sweep has to run; run nothing")
    given = parser.parse_intermixed_args()
    if given.engine == "native" and (given.machine or given.deep):
        parser.error(f"{'--machine' if given.machine else '--deep'} without --engine sim; valid: only with it")
    return given


def sweeps_of(paper):
    """The paths of their files."""
    return sorted((CONFIGS / paper).glob("*.toml"))


class Figure(Part):
    """A sweep on one machine, and its figures."""

    def __init__(self, given, path, machine):
        tables, _ = config.read(path)
        self.drawn = tables.get("plot", {}).get("kinds", ["scaling"])
        # The memory of a simulator is not that of a simulated machine.
        self.left_out = machine is not None and tables.get("sweep", {}).get("memory", False)
        where = simulated.short_name(machine) if machine else "native"
        top = (given.results or actorlab.RESULTS / "figures") / given.paper / where
        size = given.size or ("sim" if machine else None)
        words = ["--size", size] if size else []
        if machine:
            # One sweep runs on each PU of this machine.
            words += ["--engine", "sim", f"--machine={machine}", "--jobs", "1"]
            words += [] if given.deep else ["--quick"]  # three seeds
            # Some cells are in several figures, or have been run for claims.
            others = [top / other.stem for other in sweeps_of(given.paper) if other.stem != path.stem]
            claims = actorlab.RESULTS / "claims"
            others += sorted(found.parent for found in claims.glob(f"{where}-*/{given.paper}/*/records.jsonl"))
            words += [f"--reuse={other}" for other in others]
        super().__init__(path.stem, path, top, words)

    def draw(self, program):
        """The paths of its figures, which are named after it."""
        from plots import plot

        records = self.folder / "records.jsonl"
        if not records.is_file() or not records.stat().st_size:
            return []
        return plot.draw(Summary(program, records), self.top, self.drawn,
                         called=lambda name, alone: self.name if alone else f"{self.name}-{name}")[0]


def parts_of(given):
    machines = (given.machine or MACHINES[given.paper]) if given.engine == "sim" else [None]
    paths = [path for path in sweeps_of(given.paper) if not given.filter or given.filter.search(path.stem)]
    if not paths:
        names = ", ".join(path.stem for path in sweeps_of(given.paper))
        raise Failure(f"--filter {given.filter.pattern}: matches no sweep; valid: {names}")
    return [Figure(given, path, machine) for machine in dict.fromkeys(machines) for path in paths]


def plan(parts):
    """Shows what each has to run. Returns the largest exit code."""
    codes = [0]
    for part in parts:
        done = subprocess.run([*part.command, "plan"], stdout=subprocess.PIPE, text=True)
        codes.append(actorlab.status(done.returncode))
        if done.returncode == 0:
            print(f"{part.top.name} {part.name}: {done.stdout.strip().splitlines()[-1]}", flush=True)
    return max(codes)


def main():
    given = arguments()
    parts = parts_of(given)
    program = actorlab.build()
    simulated.check_machines(program, given.machine or [])
    for part in parts:
        if part.left_out:
            complain(f"note: {part.top.name} {part.name} is left out: it measures the memory of processes")
    parts = [part for part in parts if not part.left_out]
    if given.plan:
        return plan(parts)
    for part in parts if given.engine == "sim" else ():
        part.program = program
    code = run_all(parts, len(os.sched_getaffinity(0)) if given.engine == "sim" else 1)
    for part in parts:
        tell(part.draw(program))
    return code if code in (0, FAILED, USAGE, NO_WRITE, INTERRUPTED) else FAILED
