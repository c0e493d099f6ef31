# SPDX-License-Identifier: MIT
"""A configuration may name programs that the sweep runs, and may come from a stranger: its user is
asked first."""

import sys

from common.failure import Failure
from common.screen import printable
from sweep import binaries, plugins

YES = ("y", "yes")


def confirm(options, tables, folder):
    """Raises Failure unless the user wants the programs to run that the tables of a configuration
    name. Asks on a terminal; elsewhere only --trust allows it."""
    paths = [*binaries.programs(tables, folder).values(), plugins.files(tables, folder)]
    programs = list(dict.fromkeys(str(path) for its in paths for path in its))
    if not programs or options.trust:
        return
    runs = f"{options.config}: this configuration runs {', '.join(programs)}"
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise Failure(f"{runs}; if you trust that, give --trust")
    print(printable(f"{runs}. Run it? [y/N]"), end=" ", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in YES:
        raise Failure(f"{options.config}: nothing was run")
