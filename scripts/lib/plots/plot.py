# SPDX-License-Identifier: MIT
"""Draws the figures of a results folder into files."""

import argparse
import os
from pathlib import Path

import plots
from common import actorlab
from common.failure import FAILED, NO_WRITE, Failure
from common.screen import complain
from plots import pgf, timeline
from plots.style import provenance, save
from results.summary import Summary

FORMATS = ("png", "pdf", "svg", "pgf")


def draw(summary, folder, kinds=("scaling",), formats=("png", "pdf")):
    """Writes each figure of each machine in each format. Returns the paths."""
    written = []
    for number, machine in enumerate(summary.machines or [summary], 1):
        made = plots.figures(machine, kinds) if machine.cells else []
        if number > 1:
            made = [figure._replace(name=f"{figure.name}-{number}") for figure in made]
        written += write(made, folder, formats, provenance(machine))
    return written


def write(figures, folder, formats, origin):
    """Writes figures with their captions and where they are from. Returns the paths."""
    written = []
    for figure in figures:
        words = f"{figure.caption} {origin}"
        drawing = figure.draw(foot=words)
        for form in formats:
            path = Path(folder) / f"{figure.name}.{form}"
            temporary = path.with_name("." + path.name)  # whole or not at all
            try:
                if form == "pgf":
                    pgf.save(figure.draw(), temporary, words)  # captions are LaTeX's
                else:
                    save(drawing, temporary, form)
                os.replace(temporary, path)
            except OSError as error:
                raise Failure(f"{path}: cannot write: {error.strerror}", NO_WRITE) from None
            written.append(path)
    return written


def some_of(known):
    """A type of arguments: words of a known list, with commas between them."""
    def parse(text):
        words = list(dict.fromkeys(text.split(",")))
        for word in words:
            if word not in known:
                raise argparse.ArgumentTypeError(f"'{word}' is none of: {', '.join(known)}")
        return words
    return parse


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise Failure(f"{self.prog}: {message}")


def arguments():
    parser = Parser(prog="scripts/plot", description="Draws the figures that a results folder has records for.",
                    epilog="AL_ACTORLAB names an actorlab to use instead of building one. Exit codes: 0 done, "
                    "1 done without lines that were no records, "
                    "2 usage, 3 could not write.")
    parser.add_argument("records", type=Path, nargs="?", help="a results folder, or a records file")
    parser.add_argument("--trace", metavar="FILE", type=Path,
                        help="draw a timeline instead, that `actorlab run --trace FILE` wrote")
    parser.add_argument("--kind", metavar="KIND,…", type=some_of(plots.KINDS),
                        help=f"of {', '.join(plots.KINDS)} (default: all that there is data for)")
    parser.add_argument("--benchmark", metavar="NAME,…", type=lambda text: text.split(","),
                        help="only these workloads (default: all)")
    parser.add_argument("--baseline", metavar="SCHEDULER",
                        help="what `ratios` compares with (default: the configuration's, or the first)")
    parser.add_argument("--format", metavar="FORMAT,…", type=some_of(FORMATS), default=["png", "pdf"],
                        help=f"of {', '.join(FORMATS)} (default: png,pdf)")
    parser.add_argument("--out", metavar="DIR", type=Path, help="where to write (default: beside the records)")
    given = parser.parse_args()
    if (given.records is None) == (given.trace is None):
        parser.error("a results folder or --trace FILE; one of them")
    if given.trace and (given.kind or given.baseline or given.benchmark):
        parser.error("--trace FILE takes neither --kind nor --benchmark nor --baseline")
    return given


def folder_of(path):
    """The folder, made if needed."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Failure(f"{path}: cannot write: {error.strerror}", NO_WRITE) from None
    return path


def main():
    try:
        given = arguments()
        if "pgf" in given.format:
            pgf.check()
        if given.trace:
            folder = folder_of(given.out or given.trace.parent)
            print(*write([timeline.figure(given.trace)], folder, given.format, ""), sep="\n")
            return 0
        path = given.records / "records.jsonl" if given.records.is_dir() else given.records
        if not path.is_file():
            raise Failure(f"{path}: no such folder or file of records")
        folder = folder_of(given.out or path.parent)
        summary = Summary(actorlab.build(), path, given.baseline, given.benchmark or ())
        known = summary.known
        if not known["benchmarks"]:
            raise Failure(f"{path}: no finished trial to draw")
        for option, names, valid in (("benchmark", given.benchmark, known["benchmarks"]),
                                     ("baseline", [given.baseline], known["schedulers"])):
            for name in filter(None, names or ()):
                if name not in valid:
                    raise Failure(f"--{option} {name}: the records are of {', '.join(valid)}")
        written = draw(summary, folder, given.kind or plots.KINDS, given.format)
        for file in written:
            print(file)
        missing = set(given.kind or ()) - {file.stem for file in written}
        if missing:
            raise Failure(f"{path}: nothing to draw of {', '.join(sorted(missing))}")
        return FAILED if summary.bad else 0
    except Failure as failure:
        complain(str(failure))
        return failure.code
