# SPDX-License-Identifier: MIT
"""scripts/report: its arguments, and what it writes. matplotlib is loaded only to draw."""

import gc
from pathlib import Path

from common.arguments import Parser
from common import actorlab
from common.failure import FAILED
from common.screen import tell
from results.records import path_of


def main():
    parser = Parser(
        prog="scripts/report",
        description="Writes report.html, one file with all results of a sweep.",
        epilog="Exit codes: 0 done, 1 done without lines that are not records, 2 usage, 3 could not "
        "write. AL_ACTORLAB names an actorlab to use instead of building one.")
    parser.add_argument("results", type=Path, help="a results folder, or the records file in it")
    given = parser.parse_args().results
    gc.disable()  # a short process with many objects: collecting them takes a quarter of its time
    path = path_of(given)
    from report.report import write

    written, complete = write(actorlab.build(), path)
    tell(written)
    return 0 if complete else FAILED
