# SPDX-License-Identifier: MIT
"""scripts/validate-sim: its arguments, and what it does with them."""

import json
import shlex
import subprocess
import sys
import time
from pathlib import Path

from common import actorlab as command
from common.actorlab import ROOT
from common.arguments import natural, Parser
from common.failure import Failure, writing
from common.files import write_whole
from common.screen import Screen
from common.words import plural
from results.records import path_of
from results.summary import Summary
from sweep.simulated import check_machines
from validation import comparison, tables
from validation.simulations import Simulations, guarded

SEEDS, QUICK_SEEDS = 10, 6


def arguments():
    parser = Parser(
        prog="scripts/validate-sim",
        description="Compares simulated with native times: measures every strategy on every workload with "
        "scripts/sweep, and simulates the same cells on this machine's file.",
        epilog="Exit codes: 0 done, 1 a trial failed, 2 usage, 3 could not write, 130 interrupted. The same command "
        "goes on where it stopped. AL_ACTORLAB names an actorlab to use instead of building one.")
    add = parser.add_argument
    add("config", nargs="?", default=str(ROOT / "configs/validate.toml"),
        help="what to measure natively (default: configs/validate.toml)")
    add("--quick", action="store_true", help=f"{QUICK_SEEDS} seeds of each simulated cell instead of {SEEDS}, and 3 "
        "native invocations instead of the configuration's")
    add("--records", metavar="FILE", type=Path, help="native records, or a results folder, instead of measuring")
    add("--machine", metavar="MACHINE", help="the machine that the records are of (default: what `actorlab calibrate` "
        "measures here)")
    add("--results", metavar="DIR", type=Path, default=Path("results/validate"),
        help="where to write (default: results/validate)")
    add("--filter", metavar="TEXT", help="only workloads whose name has this text")
    add("--jobs", metavar="N", type=natural(1000), help="simulations at a time (default: one for "
        "each PU)")
    options = parser.parse_args()
    if options.records and not options.machine:
        parser.error("--records FILE needs --machine: a name that `actorlab machine` lists, or a file of `actorlab "
                     "calibrate`")
    return options


def measure(options):
    """The native records: measured now, unless they were given."""
    if options.records:
        return path_of(options.records)
    folder = options.results / "native"
    words = ["--quick"] * options.quick + ([f"--filter={options.filter}"] if options.filter else [])
    done = subprocess.run(command.words(ROOT / "scripts/sweep", Path(options.config), f"--results={folder}",
                                        "--no-plot", *words))
    if done.returncode not in (0, 1):
        sys.exit(command.status(done.returncode))  # it has said why
    return folder / "records.jsonl"


def machine_of(options, actorlab):
    if options.machine:
        return options.machine
    file = options.results / "machine.xml"
    if not file.exists():
        file.unlink(missing_ok=True)  # a link to nothing would be followed
        done = subprocess.run([actorlab, "calibrate", "--out", file])
        if done.returncode != 0:
            raise Failure("actorlab calibrate failed; --machine FILE takes the file of another time",
                          command.status(done.returncode))
    return str(file)


def told(began, done, total):
    if done % 20 == 0 or done == total:
        left = (time.monotonic() - began) / done * (total - done)
        print(f"{done} of {total} simulated, {left / 60:.0f} min left", flush=True)


def validate(options, screen):
    actorlab = command.build()
    if options.machine:
        check_machines(actorlab, [options.machine])
    path = measure(options)
    machines = Summary(actorlab, path).machines
    cells = [cell for machine in machines[:1] for cell in machine.cells if cell.get("engine") in (None, "native")
             and (not options.filter or options.filter in cell["benchmark"])]
    if not cells:
        raise Failure(f"{path}: no native results to compare with")
    simulations = Simulations(actorlab, machine_of(options, actorlab), options.results, options.jobs)
    seeds = range(1, (QUICK_SEEDS if options.quick else SEEDS) + 1)
    began = time.monotonic()
    simulations.run([(cell, seed, {}) for seed in seeds for cell in cells],
                    lambda done, total: told(began, done, total))
    native = comparison.native_times(path)
    points = [comparison.point(cell, native, simulations, seeds) for cell in cells]
    pairs = comparison.pairs(actorlab, path, points)
    write(options, actorlab, machines[0], simulations, points, pairs)
    screen.say("\n".join([*tables.overview(points, pairs), "", *tables.by_strategy(points, machines[0].strategies)]))


def write(options, actorlab, summary, simulations, points, pairs):
    cpu = ", ".join(map(str, summary.places().get("cpu", ["unknown CPU"])))
    n = max(one.cell["n"] for one in points)
    where = (f"Native: {cpu}, up to {plural(n, 'process')} of each cell. "
             f"Simulated: {Path(simulations.machine).stem}, "
             f"{QUICK_SEEDS if options.quick else SEEDS} seeds.")
    line = shlex.join(["scripts/validate-sim", *sys.argv[1:]])
    text = tables.document(points, pairs, summary.strategies, line, where)
    data = {"native": str(options.records or "native/records.jsonl"), "simulated": simulations.path.name,
            "cells": [{"cell": tables.name(one.cell, summary.strategies), "native": one.native, "simulated": one.simulated,
                       "low": one.low, "high": one.high, "error": one.error, "fitted": one.fitted} for one in points],
            "pairs": [{"first": tables.name(pair.first, summary.strategies), "second": tables.name(pair.second, summary.strategies),
                       "native": pair.native, "simulated": pair.simulated, "same": pair.same} for pair in pairs]}
    with writing(options.results):
        write_whole(options.results / "validation.md", text.encode())
        write_whole(options.results / "validation.json", json.dumps(data, indent=1).encode() + b"\n")
    from plots.plot import write as draw  # matplotlib is slow to load
    from validation.scatter import scatter

    draw([scatter(actorlab, points, "Each point is a cell; the line through it spans its seeds, "
                  "which jitter the machine's costs by 2%. Named: the workloads that are farthest off, at "
                  f"their worst cell, if that is off by more than {100 * comparison.MOST:.0f}%.")],
         options.results, ("png", "pdf"), where)


def main():
    return guarded(lambda: validate(arguments(), Screen()))
