# SPDX-License-Identifier: MIT
"""The top of a report: what was run, and which strategies were fastest."""

from collections import Counter

from common.words import plural, span
from report.page import NOTHING, Cell, Definitions, Paragraph, Table, number
from report import verdicts
from report.words import distinct, exact, interval_cell, level
from results.findings import VERDICTS, tally
from results.table import significant


def header(findings, config):
    """What was run, where and when."""
    summary = findings.summary
    machine = [*distinct(summary, "cpu"),
               *(f"Linux {kernel}" for kernel in distinct(summary, "kernel")),
               *distinct(summary, "compiler")]
    check, judged = summary.twin_check, tally(summary)
    unsteady = sum(cell["unsteady"] > 0 for cell in summary.cells)
    words = about(config)
    return [
        *([Paragraph(words, "lead")] if words else []),
        *([Paragraph(f"{check['text']}.", "strong")] if check["too_many"] else []),
        Definitions([
            ("Machine", ", ".join(machine) or "not known"),
            ("Date", times(summary.trials)),
            ("Revision", ", ".join(distinct(summary, "revision")) or "not known"),
            ("Cells", cells(findings)),
            ("Processes", processes(findings)),
            *([("Allocation", summary.allocation.removeprefix("Allocation: "))] if summary.allocation else []),
            *([("Verdicts", judged)] if judged else []),
            *([("A/A", check["text"].removeprefix("A/A: "))] if check["text"] and not check["too_many"] else []),
            *([("Warm-up", f"{plural(unsteady, 'cell')} not in a steady state")] if unsteady else []),
            *(("Note", line) for line in summary.alike),
            *(("Note", note) for note in findings.summary.notes if not note.startswith("left out")),
        ]),
    ]


def about(config):
    """The author's comment at the top of the configuration."""
    lines = []
    for line in config.splitlines():
        if not line.startswith("#"):
            break
        lines.append(line.lstrip("# ").rstrip())
    return " ".join(line for line in lines if not line.startswith("SPDX-"))


def times(trials):
    """From the first trial to the last, to the minute."""
    if trials["first"] is None:
        return "not known"
    first, last = (trials[end][:16].replace("T", " ") for end in ("first", "last"))
    if first == last:
        return f"{first} UTC"
    return f"{first} to {last[11:] if first[:10] == last[:10] else last} UTC"


def cells(findings):
    counts = [f"{plural(len(findings.summary.benchmarks), 'workload')}, "
              f"{plural(len(findings.cells), 'cell')}"]
    if findings.cells:
        counts += [f"with {span([cell['workers'] for cell in findings.cells], 'worker')}",
                   f"of {span([cell['n'] for cell in findings.cells], 'process')} each"]
    return ", ".join(counts)


def processes(findings):
    """How many there were, how each measured, and how they ended."""
    trials = findings.summary.trials
    twins = trials["twins"]
    words = f"{plural(trials['n'], 'process')}, "
    words += f"{twins:,} of them for the A/A cells, " if twins else ""
    method = {(how["warmup"], how["iterations"]) for how in trials["methods"]}
    words += "; ".join(
        f"{warmup} warm-up and {plural(iterations, 'measured iteration')} each"
        for warmup, iterations in sorted(method, key=str))
    counts = Counter(trials["outcomes"])
    words += "; all ended well" if set(counts) == {"ok"} else "; " + ", ".join(
        f"{count:,} {outcome}" for outcome, count in counts.most_common())
    disturbed = findings.summary.disturbance["disturbed"]
    return words + (f"; {disturbed:,} disturbed" if disturbed else "")


def fastest(findings):
    """Over all workloads, and on each."""
    if not findings.cells:
        return [Paragraph("No trial ended well: there is nothing to compare.")]
    compared = any(average.ratio for average in findings.averages)
    return [*([averages(findings)] if compared else []), winners(findings)]


def averages(findings):
    rows = []
    for average in findings.averages:
        if average.base:
            compared = [Cell("1", 1.0), NOTHING]
            counts = [NOTHING] * len(VERDICTS)
        else:
            compared = [number(average.ratio and average.ratio["median"], significant),
                        interval_cell(average.ratio, significant)]
            counts = [number(average.verdicts[verdict], str) for verdict in VERDICTS]
        rows.append([Cell(str(average.workers), average.workers),
                     Cell(average.strategy, kind="strong"), *compared, *counts,
                     number(average.alone, str), number(average.among, str),
                     number(average.work, str)])
    heads = ["workers", "strategy", f"÷ {findings.baseline}", level(findings), *VERDICTS,
             "fastest", "among the fastest", "workloads"]
    words = (
        f"÷ {findings.baseline}: geometric mean, over the workloads, of the ratios of times per "
        "message; below 1 is faster. Its bootstrap interval resamples each workload separately. It "
        "tells how precisely these workloads were measured, and nothing about other workloads. "
        f"{', '.join(VERDICTS[:-1]).capitalize()} and {VERDICTS[-1]}: on how many workloads the "
        f"strategy has this verdict against {findings.baseline} (from the table of ratios). "
        "Fastest: on how many it is faster than all others. Among the fastest: on how many it is "
        "one of several that are not told apart, and that no other is faster than.")
    return Table("averages", "Over all workloads", heads, rows, words)


def winners(findings):
    family = findings.to_first
    heads = ["workload", "workers", "fastest", "ns/message", "next",
             *verdicts.heads(family, "next ÷ fastest")]
    words = (
        "Of the strategies that did the same work with as many workers. Fastest: one, or several that "
        "are not told apart because no verdict shows them to be slower than the first; all others "
        "are slower. ns/message is the median of the first, and the verdict is that of the first "
        "against the next, by blocks. "
        f"{verdicts.legend(findings, family)}")
    return Table("winners", "The fastest strategy of each workload and number of workers", heads,
                 [winner(findings, *each) for each in findings.winners()], words)


def winner(findings, fastest, other, comparison):
    """A row for the fastest cells, the next one, and their comparison if there is one."""
    cell, names = findings.cells[fastest[0]], ", ".join(map(findings.strategy, fastest))
    alone = len(fastest) == 1
    sure = alone and comparison is not None
    row = [Cell(findings.workload(fastest[0])), Cell(str(cell["workers"]), cell["workers"]),
           Cell(names if alone else f"{names}: not told apart", kind="strong" if sure else None),
           number(cell["ns_per_message"]["median"], exact)]
    if comparison is None:
        name = "no other" if other is None else f"{findings.strategy(other)}, in other sessions"
        row.append(Cell(name, kind="none"))
    else:
        row.append(Cell(findings.strategy(other)))
    return row + verdicts.columns(findings.to_first, comparison, reverse=True)
