# SPDX-License-Identifier: MIT
"""scripts/compare-builds: its arguments, and what it does with them."""

import argparse
import subprocess
import sys
from pathlib import Path

from common import actorlab
from common.arguments import natural, Parser, regex
from common.failure import FAILED, Failure
from common.screen import Screen
from revisions import configuration, measuring
from revisions.repository import Repository
from revisions.search import Search
from sweep.config import NUMBERS

DEFAULT = actorlab.ROOT / "configs" / "builds.toml"


def arguments():
    parser = Parser(
        prog="scripts/compare-builds",
        description="Builds two revisions, measures them side by side in one sweep, and says which "
        "cells have become slower. The same command continues where an earlier run stopped.",
        epilog="Exit codes: 0 no regression (--bisect: found), 1 a regression or a failed trial "
        "(--bisect: BAD is not slower), 2 usage, or a revision does not build, 3 could not write, "
        "4 too few blocks to find a regression (--bisect: undecided), 130 interrupted, 124 out of time.",
    )
    add = parser.add_argument
    add("revisions", nargs=2, metavar="REV",
        help='the old and the new revision: a branch, a tag, a commit, or "." for the working tree; '
        "with --bisect a good commit and a bad one")
    add("config", nargs="?", type=Path, default=DEFAULT,
        help="the cells, as a sweep's configuration (default: configs/builds.toml)")
    add("--filter", metavar="REGEX", type=regex, help="only cells whose name matches")
    add("--blocks", metavar="N", type=natural(NUMBERS["invocations"][1], 1), help="blocks, instead of the configuration's")
    add("--fail-on-regression", metavar="SHARE", type=share,
        help="exit with 1 only if a cell is slower by more than SHARE, such as 0.05 (default: the sweep's margin)")
    add("--bisect", action="store_true",
        help="find the commit that made the one cell of --filter slower")
    add("--one-layout", action="store_true",
        help="measure the programs as they are built; otherwise each block has their objects linked in another order")
    add("--results", metavar="DIR", type=Path, help="where to write (default: results/builds-OLD-NEW)")
    add("--repository", metavar="DIR", type=Path, default=actorlab.ROOT,
        help="the clone whose revisions are built (default: this one)")
    add("--color", choices=["auto", "always", "never"], default="auto")
    options = parser.parse_intermixed_args()
    for name, clash in (("--blocks", options.blocks), ("--fail-on-regression", options.fail_on_regression)):
        if options.bisect and clash is not None:
            parser.error(f"--bisect ends each step when it is decided; without it, {name} is valid")
    if options.bisect and options.filter is None:
        parser.error("--bisect needs --filter with the name of one cell, such as "
                     "--filter 'executor inverted workers=2'")
    return options


def share(text):
    try:
        if 0 <= float(text) < 1:
            return text
    except ValueError:
        pass
    raise argparse.ArgumentTypeError(f"{text!r} is not a share from 0 up to 1, such as 0.05 for 5%")


def compare(repository, screen, options):
    """The exit code."""
    old, new = map(repository.revision, options.revisions)
    if old.commit == new.commit:
        raise Failure(f"{old.name} and {new.name} are the same revision: there is nothing to compare")
    few = {} if options.blocks is None else {"invocations": options.blocks, "precision": None, "looks": None}
    configuration.check(options.config, **few)
    measuring.check_writable(options.results or actorlab.ROOT / "results")
    programs = {one.name: repository.build(one, screen.say) for one in (old, new)}
    name = f"builds-{identity(old, programs)}-{identity(new, programs)}"
    folder = options.results or actorlab.ROOT / "results" / name
    sweep = measuring.prepared(screen, folder, options, name, programs, **few)
    code = sweep.run()
    if code not in (0, FAILED):
        return code
    screen.say("")
    sys.stdout.flush()
    gate = "--fail-on-regression" + (f"={options.fail_on_regression}" if options.fail_on_regression else "")
    done = subprocess.run(actorlab.words(sweep.actorlab, "compare", sweep.folder, "--against", f"binary={old.name}",
                                         gate, f"--color={options.color}"))
    return actorlab.status(done.returncode) or code


def identity(revision, programs):
    """For the name of a folder: the results of a working tree are those of its program."""
    if revision.commit is not None:
        return revision.short
    return actorlab.ask(programs[revision.name], "list", "--json")["environment"]["binary_hash"]


def main():
    options = arguments()
    screen, repository = Screen(options.color), Repository(options.repository)
    if not options.bisect:
        return compare(repository, screen, options)
    ends = (repository.revision(name).short for name in options.revisions)
    folder = options.results or actorlab.ROOT / "results" / f"bisect-{'-'.join(ends)}"
    return Search(repository, screen, options, folder).run()
