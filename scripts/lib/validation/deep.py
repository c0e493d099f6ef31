# SPDX-License-Identifier: MIT
"""scripts/simulate-deep: its arguments, and what it does with them."""

import json
from pathlib import Path

from common import actorlab as command
from common.arguments import natural, Parser
from common.failure import Failure, writing
from common.files import write_whole
from common.words import plural
from results.records import path_of
from results.summary import Summary
from sweep.simulated import check_machines
from validation import draws
from validation.simulations import Simulations, guarded
from validation.tables import rows


def arguments():
    parser = Parser(
        prog="scripts/simulate-deep",
        description=f"Repeats the simulated cells of a results folder with {draws.DRAWS} machines whose costs are drawn "
        "from the ranges of the machine file, and says which orders of strategies hold.",
        epilog="Exit codes: 0 done, 2 usage, 3 could not write, 130 interrupted. The same command goes on where it stopped.")
    add = parser.add_argument
    add("records", type=Path, help="a results folder with simulated records, or a file of them")
    add("--machine", metavar="MACHINE", help="the machine file, if the records' machine has no name that `actorlab "
        "machine` lists")
    add("--workers", metavar="N", type=natural(4096), help="conclusions with so many (default: the most)")
    add("--benchmark", metavar="NAME,…", type=lambda text: text.split(","), help="only these workloads")
    add("--results", metavar="DIR", type=Path, help="where to write (default: beside the records)")
    add("--jobs", metavar="N", type=natural(1000), help="simulations at a time (default: one for "
        "each PU)")
    return parser.parse_args()


def figures(cells, options):
    """benchmark -> its cells with as many workers as asked for."""
    found = {}
    for benchmark in dict.fromkeys(cell["benchmark"] for cell in cells):
        own = [cell for cell in cells if cell["benchmark"] == benchmark]
        workers = options.workers or max(cell["workers"] for cell in own)
        own = [cell for cell in own if cell["workers"] == workers]
        if len(own) > 1 and benchmark in (options.benchmark or [benchmark]):
            found[benchmark] = own
    return found


def table(found):
    lines = []
    for one in found:
        strongest = max(one["deciders"].items(), key=lambda item: abs(item[1]), default=None)
        lines.append([f"{one['benchmark']}, {one['workers']}", f"{one['first']} before {one['second']}",
                      f"{one['ratio']:.2f}", "holds" if one["holds"] else "not separable", f"{one['k']} of {one['draws']}",
                      f"{strongest[0]} ({strongest[1]:+.2f})" if strongest else ""])
    return rows(["workload, workers", "conclusion", "ratio", "verdict", "k", "most decided by"], lines)


def run(options):
    actorlab = command.build()
    path = path_of(options.records)
    folder = options.results or path.parent
    summary = next((machine for machine in Summary(actorlab, path).machines if machine.simulated), None)
    if summary is None:
        raise Failure(f"{path}: no simulated records")
    machine = options.machine or summary.simulated["name"]
    check_machines(actorlab, [machine])
    chosen = figures(summary.cells, options)
    if not chosen:
        where = f" in {', '.join(options.benchmark)}" if options.benchmark else ""
        number = plural(options.workers, "worker") if options.workers else "as many workers"
        raise Failure(f"{path}: no two simulated cells of a workload have {number}{where}")
    known = draws.ranges(actorlab, machine)
    simulations = Simulations(actorlab, machine, folder, options.jobs)
    results = []
    for benchmark, cells in chosen.items():
        figure = draws.conclusions(cells)
        draws.decide(figure, simulations, known, 1, lambda number, left, name=benchmark:
                     print(f"{name}: {number} of {draws.DRAWS} draws, "
                           f"{left} of {plural(len(figure), 'conclusion')} open", flush=True))
        results += [draws.as_json(one, known, summary.strategies) for one in figure]
        write(folder, results)
    print("\n".join(table(results)))
    plot(folder, results, known, machine)


def write(folder, results):
    with writing(folder):
        write_whole(folder / "conclusions.json", json.dumps(results, indent=1).encode() + b"\n")
        write_whole(folder / "conclusions.md", "\n".join(table(results)).encode() + b"\n")


def plot(folder, results, known, machine):
    from plots.plot import write as draw  # matplotlib is slow to load
    from validation.deciders import deciders

    draw([deciders(results, list(known))], folder, ("png", "pdf"),
         f"Simulated on {Path(machine).stem} with {draws.DRAWS} draws of its costs.")


def main():
    return guarded(lambda: run(arguments()))
