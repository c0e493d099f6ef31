# SPDX-License-Identifier: MIT
"""What figures say of simulated runs."""

from common.words import plural

NOT_MODELLED = "TLB, bandwidth, frequency, OS noise"
# Part of a run's time; a starting thread that is busy for longer may decide the result.
MOST_BUSY = 0.1


def machine_of(cell):
    """The name of the machine that a cell was simulated on; None if it ran natively."""
    if cell.get("engine") in (None, "native"):
        return None
    machine = cell.get("machine")
    return str(machine.get("name")) if isinstance(machine, dict) else str(machine or "unknown machine")


def is_busy(cell):
    """Whether the starting thread was busy for so long that it may decide the result."""
    share = cell.get("starter_busy")
    share = share.get("median") if isinstance(share, dict) else share
    return share is not None and share > MOST_BUSY


def machines(summary):
    """The names of all simulated machines, and whether every cell is simulated."""
    found = dict.fromkeys(map(machine_of, summary.cells))
    return [name for name in found if name is not None], None not in found


def banner(summary):
    """The line above a figure; empty if everything ran natively."""
    names, every = machines(summary)
    return f"{'simulated' if every else 'simulated in part'}: {', '.join(names)}" if names else ""


def banner_of(trace):
    """The same for a timeline, of what its file says of the run."""
    name = machine_of(trace)
    return f"simulated: {name}" if name else ""


def mark(cell):
    """What stands beside a number."""
    return "°" if is_busy(cell) else ""


def note(summary):
    """What the text below a figure says; empty if everything ran natively."""
    names, every = machines(summary)
    if not names:
        return ""
    words = f"Simulated{'' if every else ' in part'} ({', '.join(names)}). Not modelled: {NOT_MODELLED}."
    if any(cell["n"] > 1 for cell in summary.cells):
        words += " Intervals of simulated cells: sensitivity to jitter in the model's costs."
    busy = sum(map(is_busy, summary.cells))
    if busy:
        words += (f" Ringed, or marked with °: the starting thread was busy for more than {100 * MOST_BUSY:.0f}% of the "
                  f"time ({plural(busy, 'cell')}).")
    return words
