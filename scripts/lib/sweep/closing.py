# SPDX-License-Identifier: MIT
"""What a sweep shows when it has ended."""

from common import actorlab
from common.files import relative
from common.words import plural
from results import marks
from results.findings import tally
from results.summary import Summary

MOST_UNSTEADY = 8  # cells that are named


def report(sweep, records):
    """Prints the tables of `actorlab summarize` and `actorlab results`, with remarks, and draws the
    plots unless told not to. True if any trial failed."""
    records.settle()
    path = records.path
    if not path.stat().st_size:
        return False
    summary = Summary(sweep.actorlab, path)
    machines = summary.machines
    # `summarize` does not tell apart machines of one topology.
    one = sum(machine.simulated is None for machine in machines) < 2
    cells, winners = (actorlab.output(sweep.actorlab, command, path, accept=(0, 1)).splitlines() if wanted else []
                      for command, wanted in (("summarize", one), ("results", True)))
    for line in cells + [line for line in winners if line not in cells]:
        sweep.screen.say(line)
    for machine in machines:
        texts = list(remarks(machine))
        if texts and len(machines) > 1:
            sweep.screen.say(f"{', '.join(map(str, machine.places().get('cpu', ['unknown CPU'])))}:")
        for text in texts:
            sweep.screen.say(text)
    if summary.superseded:
        sweep.screen.say(f"hand-off state: left out {plural(summary.superseded, 'trial')} of groups that ran again")
    written = [path]
    drawable = any(machine.cells for machine in machines)
    if drawable and sweep.options.block is None and not sweep.options.no_plot:
        from plots import plot  # matplotlib is large: it is not loaded while trials run

        written += plot.draw(summary, path.parent)[0]
    sweep.screen.say("wrote " + ", ".join(str(relative(file)) for file in written))
    return any(machine.failed for machine in machines)


def remarks(machine):
    """What the tables do not say."""
    yield from (f"{doubt}: {plural(n, 'cell')}, whose results this may decide" for doubt, n in marks.doubts(machine.cells).items())
    yield from machine.alike
    unsteady = [cell for cell in machine.cells if cell["unsteady"]]
    for cell in unsteady[:MOST_UNSTEADY]:
        yield f"not in a steady state: {cell['unsteady']} of {plural(cell['n'], 'process')} of {machine.name(cell)}"
    if (more := len(unsteady) - MOST_UNSTEADY) > 0:
        yield f"not in a steady state: {plural(more, 'more cell')}"
    yield from filter(None, (tally(machine), machine.disturbance["text"]))
