# SPDX-License-Identifier: MIT
"""What figures say of simulated runs."""

from common.words import plural

NOT_MODELLED = "TLB, bandwidth, frequency, OS noise"
# Part of a run's time; a starting thread that is busy for longer may decide the result.
MOST_BUSY = 0.1


def is_busy(cell):
    """Whether the starting thread was busy for so long that it may decide the result."""
    return (cell["starter_busy"] or 0) > MOST_BUSY


def banner(summary):
    """The line above a figure; empty if everything ran natively."""
    return f"simulated: {summary.simulated['name']}" if summary.simulated else ""


def mark(cell):
    """What stands beside a number."""
    return "°" if is_busy(cell) else ""


def note(summary):
    """What the text below a figure says; empty if everything ran natively."""
    if not summary.simulated:
        return ""
    words = f"Simulated ({summary.simulated['name']}). Not modelled: {NOT_MODELLED}."
    if any(cell["n"] > 1 for cell in summary.cells):
        words += " Intervals of simulated cells: sensitivity to jitter in the model's costs."
    busy = sum(map(is_busy, summary.cells))
    if busy:
        words += (f" Ringed, or marked with °: the starting thread was busy for more than {MOST_BUSY:.0%} of the "
                  f"time ({plural(busy, 'cell')}).")
    return words
