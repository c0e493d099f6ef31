# SPDX-License-Identifier: MIT
"""scripts/plot: its arguments, and what it draws. matplotlib is loaded only to draw."""

import argparse
from pathlib import Path

from common import actorlab
from common.arguments import Parser
from common.failure import FAILED, Failure, writing
from common.screen import tell
from common.words import listed
from plots import KINDS, ORDINATES, OVER_ANY
from results.records import path_of
from results.summary import Summary

FORMATS = ("png", "pdf", "svg", "pgf")


def some_of(known):
    """An argument type: comma-separated words of a known list."""
    def parse(text):
        words = list(dict.fromkeys(text.split(",")))
        for word in words:
            if word not in known:
                raise argparse.ArgumentTypeError(f"'{word}' is not one of: {', '.join(known)}")
        return words
    return parse


def arguments():
    parser = Parser(
        prog="scripts/plot",
        description="Draws the figures that a results folder has records for.",
        epilog="AL_ACTORLAB names an actorlab to use instead of building one. Exit codes: 0 done, 1 "
        "done without lines that are not records, 2 usage, 3 could not write.")
    add = parser.add_argument
    add("records", type=Path, nargs="?", help="a results folder, or a records file")
    add("--trace", metavar="FILE", type=Path,
        help="draw instead the timeline that `actorlab run --trace FILE` wrote")
    add("--kind", metavar="KIND,…", type=some_of(KINDS),
        help=f"of {', '.join(KINDS)} (default: all that have data)")
    add("--x", metavar="KEY", help="the axis of `scaling`, `queues` or `tails`: workers, or any parameter or option with numbers that differ "
        "(default: the configuration's, or workers)")
    add("--y", choices=ORDINATES, help="what `scaling` shows: the time for a message, that of the whole run, or the "
        "former relative to the slowest (default: the configuration's, or message)")
    add("--benchmark", metavar="NAME,…", type=lambda text: text.split(","),
        help="only these workloads (default: all)")
    add("--baseline", metavar="SCHEDULER",
        help="what `ratios` compares with (default: the configuration's, or the first)")
    add("--format", metavar="FORMAT,…", type=some_of(FORMATS), default=["png", "pdf"],
        help=f"of {', '.join(FORMATS)} (default: png,pdf)")
    add("--out", metavar="DIR", type=Path, help="where to write (default: beside the records)")
    given = parser.parse_args()
    if (given.records is None) == (given.trace is None):
        parser.error("give either a results folder or --trace FILE")
    if given.trace and (given.kind or given.baseline or given.benchmark or given.x or given.y):
        parser.error("--trace FILE takes neither --kind nor --benchmark nor --baseline nor --x nor --y")
    if given.y and given.kind not in (None, ["scaling"]):
        parser.error("--y: of `scaling` alone; valid: --kind scaling")
    if given.x and not set(given.kind or ()) <= set(OVER_ANY):
        parser.error(f"--x: of {listed(OVER_ANY)} alone; valid: --kind {listed(OVER_ANY, 'or')}")
    if given.x or given.y:
        given.kind = given.kind or ["scaling"]
    return given


def folder_of(path):
    """The folder, made if needed."""
    with writing(path):
        path.mkdir(parents=True, exist_ok=True)
    return path


def draw_trace(given):
    """Draws a timeline. Returns the paths."""
    from plots import timeline
    from plots.plot import write

    folder = folder_of(given.out or given.trace.parent)
    return write([timeline.figure(given.trace)], folder, given.format, "")


def draw_records(given):
    """Draws the figures of a results folder. Returns the paths, and whether every line was read."""
    path = path_of(given.records)
    folder = folder_of(given.out or path.parent)
    program = actorlab.build()
    summary = Summary(program, path, given.baseline, given.benchmark or ())
    if not any(machine.known["benchmarks"] for machine in summary.machines):
        raise Failure(f"{path}: no finished trial to draw")
    from plots.plot import draw

    written, drawn = draw(summary, folder, given.kind or KINDS, given.format, given.x, given.y)
    missing = set(given.kind or ()) - drawn
    if missing:
        tell(written)
        raise Failure(f"{path}: nothing to draw of {', '.join(sorted(missing))}")
    return written, not summary.bad


def main():
    given = arguments()
    if "pgf" in given.format:
        from plots import pgf

        pgf.check()
    written, complete = (draw_trace(given), True) if given.trace else draw_records(given)
    tell(written)
    return 0 if complete else FAILED
