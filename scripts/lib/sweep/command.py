# SPDX-License-Identifier: MIT
"""scripts/sweep: its arguments, and what it does with them."""

import argparse
import os
import sys
from pathlib import Path

from common.actorlab import INSTALLED, ROOT
from common.arguments import natural, Parser, regex
from common.failure import Failure
from common.files import open_to_read
from common.screen import Screen
from sweep.choices import recall
from sweep.config import LARGEST_SEED, NUMBERS, SIZES
from sweep.simulated import ENGINES
from sweep.sweep import QUICK_INVOCATIONS, Sweep
from sweep.values import SETTINGS

MOST_JOBS = 1024


def arguments(words=None):
    """words: instead of the command line's."""
    parser = Parser(
        prog="scripts/sweep",
        description="Runs every cell of a configuration in shuffled blocks, continues where an "
        "earlier run stopped, and writes records, a table and a plot.",
        epilog="Exit codes: 0 done, 1 a trial failed, 2 usage or configuration, 3 could not write, "
        "130 interrupted, 124 out of time. AL_ACTORLAB names an actorlab to use instead of building "
        "one.",
    )
    add = parser.add_argument
    add("config", nargs="?", help="the configuration, such as configs/quick.toml")
    add("plan", nargs="?", choices=["plan"], help="the same as --dry-run")
    add("--dry-run", action="store_true",
        help="show the cells and how long they will take; run nothing")
    add("--quick", action="store_true", help=f"{QUICK_INVOCATIONS} invocations of each cell")
    add("--size", choices=SIZES, help="size of the workloads, instead of the configuration's")
    add("--engine", choices=ENGINES, help="native: threads on this machine; sim: on a simulated one")
    add("--machine", metavar="NAME", help="the machine to simulate, as `actorlab machine` lists them")
    add("--model", metavar="KEY=VALUE", action="append",
        help="another value of a parameter of the machine; may be repeated")
    add("--jobs", metavar="N", type=natural(MOST_JOBS, 1),
        help="simulated trials to run at once (default: the PUs of this machine); native ones run alone")
    add("--filter", metavar="REGEX", type=regex, help="only cells whose name matches")
    add("--results", metavar="DIR", type=Path, help="where to write (default: results/NAME, or NAME-MACHINE with --machine)")
    add("--from", metavar="DIR", type=Path, dest="old",
        help="repeat the sweep of these results, and compare (default of --results: DIR-again)")
    add("--trust", action="store_true",
        help="run the programs that the configuration names ([binaries]) without asking")
    add("--launcher", choices=["local", "slurm"], default="local",
        help="where to run the trials: here, or as a Slurm job array with one task for each block")
    again = parser.add_mutually_exclusive_group()
    again.add_argument("--resume", action="store_true",
                       help="continue where an earlier run stopped (the default)")
    again.add_argument("--retry-failed", action="store_true",
                       help="continue, and repeat the trials recorded with an outcome other than ok")
    again.add_argument("--rerun", action="store_true",
                       help="move earlier records aside and start afresh")
    add("--block", metavar="N", type=natural(NUMBERS["invocations"][1] - 1),
        help="only this block, from 0; block 0 is a pilot from which the plan estimates the time")
    # A task on a cluster may run a block beyond the invocations, to replace an interrupted one.
    add("--further", action="store_true", help=argparse.SUPPRESS)
    # Results from which equal simulated trials are copied: their sweeps may run, or not have begun.
    add("--reuse", type=Path, action="append", default=[], help=argparse.SUPPRESS)
    add("--binary-folder", help=argparse.SUPPRESS)  # where relative paths of builds begin
    add("--seed", metavar="N", type=natural(LARGEST_SEED), help="seed, instead of the configuration's")
    add("--no-plot", action="store_true", help="draw nothing at the end; scripts/plot can do it later")
    add("--color", choices=["auto", "always", "never"], default="auto")
    refuse_keys(parser, sys.argv[1:] if words is None else words)
    options = parser.parse_intermixed_args(words)
    if options.old is not None:
        if options.config not in (None, "plan"):  # argparse reads a single word as the first
            parser.error("--from already has a configuration")
        repeat(options)
    elif options.config is None:
        parser.error(f"no configuration; for example: {parser.prog} configs/quick.toml")
    elif INSTALLED and not Path(options.config).exists() and (ROOT / options.config).exists():
        options.config = ROOT / options.config  # one of those that are installed
    return options


def refuse_keys(parser, words):
    """What a configuration sets and the command line does not."""
    known = [name for action in parser._actions for name in action.option_strings]
    for word in words:
        name = word.partition("=")[0]
        key = name.removeprefix("--").replace("-", "_")
        if name.startswith("--") and key in SETTINGS and not any(one.startswith(name) for one in known):
            parser.error(f"{name} is no option, but a key of a configuration: write {key} = … below [sweep]")


def repeat(options):
    """Takes configuration and choices from the results of --from."""
    options.plan, options.config = options.plan or options.config, options.old / "config.toml"
    again = options.old.with_name(f"{options.old.absolute().name}-again")
    options.results = options.results or again
    try:
        os.close(open_to_read(options.config))
    except FileNotFoundError:
        pass  # whoever reads it says so
    except OSError as error:
        raise Failure(f"{options.config}: {error.strerror}") from None
    recall(options, options.old / "sweep.json")


def main():
    options = arguments()
    sweep = Sweep(options, Screen(options.color))
    if options.dry_run or options.plan:
        sweep.show_plan()
        return 0
    return sweep.run()
