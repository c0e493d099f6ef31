# SPDX-License-Identifier: MIT
"""What a report says of the trials: hand-off times before them, and whether they had warmed up."""

from collections import Counter

from common.words import plural
from report.page import Bullets, Cell, Paragraph, Table, number
from results.numbers import significant


def handoffs(findings):
    """Strata of hand-off times, and which verdicts hold in the quiet one."""
    strata = findings.summary.quiet
    if not strata:
        return [Paragraph("The records have no hand-off times: whether a host moved virtual cores "
                          "apart is not known.")]
    rows = [[Cell(str(one["workers"]), one["workers"]), Cell(str(one["pin"])),
             number(one["median_ns"], significant),
             number(one["lower_quartile_ns"], significant), number(one["limit_ns"], significant),
             number(one["trials"], exact_count), number(one["quiet"], exact_count),
             number(100 * one["quiet"] / one["trials"], lambda share: f"{share:.0f}%")]
            for one in strata]
    table = Table(
        "handoffs", "Time to hand a cache line from PU to PU, in ns",
        ["workers", "pin", "median", "lower quartile", "limit", "trials", "quiet", "share"], rows,
        "Measured before each trial, between the PU of its first worker and those of up to 8 others; "
        "the median over these. Hosts move virtual cores apart, which makes hand-offs two to four "
        "times slower. Quiet: up to the limit, 1.25 times the lower quartile. The trials of A/A "
        "twins count too.")
    return [table, *held(findings)]


def exact_count(value):
    return f"{value:,}"


def held(findings):
    """How many verdicts hold among quiet trials alone, and the names of those that do not."""
    family, lines = findings.to_baseline, []
    decided = {index: pair for index, pair in family.pairs.items()
               if pair["quiet"] and pair["verdict"] in ("faster", "slower", "equivalent")}
    if not decided:
        return []
    counts = Counter(pair["quiet"]["holds"] for pair in decided.values())
    for index, pair in decided.items():
        if pair["quiet"]["holds"] is False:
            lines.append(f"{findings.name(index)}: {pair['verdict']}, but {pair['quiet']['verdict']} "
                         f"in {plural(pair['quiet']['n'], 'quiet block')}")
    words = (f"Of {plural(len(decided), 'verdict')} of faster, slower or equivalent against "
             f"{findings.baseline}, {counts[True]:,} hold in the quiet blocks alone")
    words += f"; {counts[False]:,} change" if counts[False] else "; none changes"
    words += f"; {counts[None]:,} have too few quiet blocks to tell." if counts[None] else "."
    return [Paragraph(words), *([Bullets(lines)] if lines else [])]


def warm_up(findings):
    """The cells whose measured iterations were not in a steady state."""
    found = [index for index, cell in enumerate(findings.cells) if cell["unsteady"]]
    if not found:
        return []
    rows = [[Cell(findings.workload(index)), Cell(findings.strategy(index)),
             number(findings.cells[index]["workers"], str),
             number(findings.cells[index]["unsteady"], str), number(findings.cells[index]["n"], str)]
            for index in found]
    return [Table("unsteady", "Cells that had not warmed up",
                  ["workload", "strategy", "workers", "not steady", "n"], rows,
                  "Not steady: in how many of n processes the measured iterations were still getting "
                  "faster or slower. Their times describe the warm-up, too. `warmup = \"auto\"` in the "
                  "configuration runs iterations until they are steady.")]
