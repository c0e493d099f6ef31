# SPDX-License-Identifier: MIT
"""scripts/losses: on which workloads each strategy is behind the fastest, and by how much."""

import json
import shutil
import tempfile
from pathlib import Path

from common import actorlab
from common.arguments import Parser, natural
from common.failure import Failure, writing
from common.files import read_own, write_whole
from common.screen import tell
from losses.loss import losses_of, standings
from losses.page import page
from results import marks
from results.judged import judged_by
from results.records import path_of
from results.summary import Summary

BOUNDS = ("ring", "plain")  # peers without a runtime or without actors: nobody can choose them


def arguments():
    parser = Parser(
        prog="scripts/losses",
        description="Lists for each strategy the workloads on which it is behind the fastest, the worst first, by the records "
        "of these results folders.",
        epilog="Exit codes: 0 done, 2 usage, 3 could not write.")
    add = parser.add_argument
    add("results", nargs="+", type=Path, help="results folders, or records files")
    add("--most", metavar="N", type=natural(1000), default=10, help="how many of each strategy (default: 10)")
    add("--document", metavar="FILE", type=Path, help="write a page in Markdown, with a figure beside it, instead of printing the text")
    return parser.parse_args()


def competitors(program, judges, path):
    """[(results.Summary, the number that ranks its cells, or None for times)] of these records,
    without those of bounds."""
    lines = read_own(path).splitlines(keepends=True)
    names = {number: name for number, line in enumerate(lines) if (name := competitor(line)) is not None}
    with tempfile.TemporaryDirectory() as folder:
        for name in ("config.toml", "notes.txt", "sweep.json"):
            if path.with_name(name).is_file():
                shutil.copy(path.with_name(name), folder)
        copy = Path(folder) / path.name
        copy.write_bytes(b"".join(line for number, line in enumerate(lines) if names.get(number) != ""))
        found = {}
        for name in sorted(set(names.values()) - {""}):
            found.setdefault(judges.get(name), []).append(name)
        summaries = [(Summary(program, copy, benchmarks=found[of], of=of), of) for of in sorted(found, key=str)]
    return [(machine, of) for summary, of in summaries for machine in summary.machines]


def competitor(line):
    """The workload of a record; "" if its scheduler is none that one could choose, and None if it
    is no record."""
    try:
        record = json.loads(line)
        return "" if record["scheduler"] in BOUNDS else record["benchmark"]
    except (ValueError, KeyError, TypeError):
        return None


def places(machines):
    """Where each of them ran, as the page says it."""
    hosts = {machine.places()["cpu"][0] for machine in machines if not machine.simulated}
    for machine in machines:
        if machine.simulated:
            yield f"simulated {machine.simulated['name']}"
        else:
            yield "measured" if len(hosts) == 1 else f"measured on {machine.places()['cpu'][0]}"


def main():
    given = arguments()
    program = actorlab.build()
    judges = judged_by(program)
    found = [pair for folder in given.results for pair in competitors(program, judges, path_of(folder))]
    machines = [machine for machine, _ in found]
    losses = [loss for (machine, of), place in zip(found, places(machines)) for loss in losses_of(machine, place, of)]
    if not losses:
        raise Failure(f"{given.results[0]}: no two strategies did the same work: there is nothing to compare")
    signs = marks.sentences([cell for machine in machines for cell in machine.cells])
    text = page(losses, standings(losses), signs, given)
    if given.document is None:
        tell(text.splitlines())
        return 0
    with writing(given.document):
        write_whole(given.document, text.encode())
    from losses.picture import picture  # matplotlib is slow to load
    from plots.plot import write

    figure = picture(program, losses)._replace(name=given.document.stem)
    tell([given.document, *write([figure], given.document.parent, ("png",), "")])
    return 0
