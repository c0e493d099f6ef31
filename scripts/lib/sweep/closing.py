# SPDX-License-Identifier: MIT
"""What a sweep shows when it has ended."""

from common.files import relative
from common.words import plural
from results import table
from results.summary import Summary


def report(sweep, records):
    """Prints a table of each machine and, unless told not to, draws the plots. True if any
    trial failed."""
    records.settle()
    path = records.path
    if not path.stat().st_size:
        return False
    summary = Summary(sweep.actorlab, path)
    machines = summary.machines
    for number, machine in enumerate(machines, 1):
        if machine.simulated is not None and len(machines) == 1:
            sweep.screen.say(", ".join(map(str, machine.places().get("cpu", []))))
        if len(machines) > 1:
            cpus = ", ".join(map(str, machine.places().get("cpu", ["unknown CPU"])))
            sweep.screen.say(f"machine {number} of {len(machines)}: {cpus}")
        table.show(sweep.screen, machine)
        disturbance = machine.disturbance
        for text in filter(None, (machine.headline, disturbance["warning"], machine.twin_check["text"], disturbance["text"])):
            sweep.screen.say(text)
    if summary.superseded:
        sweep.screen.say(f"hand-off state: left out {plural(summary.superseded, 'trial')} of groups that ran again")
    for machine in machines:
        if machine.overlap is not None:
            sweep.screen.say(f"duets: the partner ran for at least {machine.overlap:.1%} of the measured time")
    written = [path]
    drawable = any(machine.cells for machine in machines)
    if drawable and sweep.options.block is None and not sweep.options.no_plot:
        from plots import plot  # matplotlib is large: it is not loaded while trials run

        written += plot.draw(summary, path.parent)[0]
    sweep.screen.say("wrote " + ", ".join(str(relative(file)) for file in written))
    return any(machine.failed for machine in machines)
