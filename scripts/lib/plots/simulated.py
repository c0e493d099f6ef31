# SPDX-License-Identifier: MIT
"""What figures say of simulated runs."""

NOT_MODELLED = "TLB, bandwidth between packages, OS noise"


def banner(summary):
    """The line above a figure; empty if everything ran natively."""
    return f"simulated: {summary.simulated['name']}" if summary.simulated else ""


def note(summary):
    """What the text below a figure says; empty if everything ran natively."""
    if not summary.simulated:
        return ""
    words = f"Simulated ({summary.simulated['name']}). Not modelled: {NOT_MODELLED}."
    if any(cell["n"] > 1 for cell in summary.cells):
        words += " Intervals of simulated cells: sensitivity to jitter in the model's costs."
    words += f" {summary.few_seeds}" if summary.few_seeds else ""
    return words
