# SPDX-License-Identifier: MIT
"""The first screen of a report: who wins where; and what was measured, further down."""

import math
from collections import Counter

from common import actorlab
from common.words import plural, span
from report.page import Cell, Definitions, Grid, Paragraph
from report.words import distinct, per_process, times
from results.findings import tally
from results.marks import mark

FEW = 3  # numbers of workers up to which there is room for intervals
NAMED = 2  # of several that are not told apart


def answer(findings):
    """Who is fastest, in a sentence and as a table."""
    summary, table = findings.summary, glance(findings)
    check = summary.twin_check
    warnings = [summary.disturbance["warning"], check["too_many"] and f"{check['text']}."]
    return [Paragraph(summary.headline, "answer"),
            *(Paragraph(warning, "banner") for warning in warnings if warning),
            *([table] if table else []),
            Paragraph(" · ".join(filter(None, (
                ", ".join(distinct(summary, "cpu")) or "CPU not known", when(summary.trials),
                plural(summary.trials["n"], "process")))), "note")]


def glance(findings):
    """A row for each workload, and a column for each number of workers, or the other way round for
    a single workload; None if nothing is compared."""
    marks = {cell["workers"]: mark(cell) for cell in findings.cells}
    about = {entry["name"]: entry["help"]
             for entry in actorlab.ask(findings.summary.actorlab, "list", "--json")["benchmarks"]}
    groups, workloads, counts = {}, {}, {}
    for group in findings.groups():
        cell = findings.cells[group["cells"][0]]
        if group["lead"] != "alone":
            groups[cell["workload"], cell["workers"]] = group
            workloads[cell["workload"]] = about.get(cell["benchmark"], "").partition(":")[0]
            counts[cell["workers"]] = f"{plural(cell['workers'], 'worker')}{marks[cell['workers']]}"
    turned, roomy = len(workloads) == 1 < len(counts), len(workloads) == 1 or len(counts) <= FEW
    rows = [[Cell(name, small=text),
             *(leader(findings, groups.get((name, count)), roomy) for count in sorted(counts))]
            for name, text in workloads.items()]
    if not rows:
        return None
    heads = [counts[count] for count in sorted(counts)]
    if turned:
        heads, rows = [rows[0][0].text], [[Cell(head), cell] for head, cell in zip(heads, rows[0][1:])]
    words = "3×: three times as fast as the next strategy"
    words += ", with the interval of the verdict" if roomy else ""
    return Grid("glance", None, ["fastest with" if not turned else "fastest on", *heads], rows,
                f"{words}. ~: not decided. =: as fast as each other, within the margin.")


def leader(findings, group, roomy):
    """The winner of a group, and how far it is ahead; or those that are not told apart."""
    if group is None:
        return Cell("")
    pair, names = findings.lead(group), group["leaders"]
    if pair is None:
        return Cell(", ".join(names), kind="none")
    ratio = pair["ratio"]
    ahead = f"{times(ratio['median'])}×"
    if group["lead"] == "won":
        if math.isinf(ratio["median"]):
            ahead = f"next: {pair['failed']['text']}"
        elif roomy and ratio["low"] is not None:
            ahead += f" [{times(ratio['low'])}, {times(ratio['high'])}]"
        return Cell(names[0], kind="won", small=ahead)
    if ratio["low"] is None:
        return Cell(f"~\xa0{names[0]}", small=ahead)
    more = f", {len(names) - NAMED} more" if len(names) > NAMED else ""
    sign = "=" if group["lead"] == "tied" else "~"
    return Cell(f"{sign}\xa0{', '.join(names[:NAMED])}{more}", kind="none")


def measured(findings, config):
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
        Definitions([
            ("Machine", ", ".join(machine) or "not known"),
            ("Date", when(summary.trials)),
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


def when(trials):
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
    words += "; ".join(f"{method} each" for method in per_process(trials))
    counts = Counter(trials["outcomes"])
    words += "; all ended well" if set(counts) == {"ok"} else "; " + ", ".join(
        f"{count:,} {outcome}" for outcome, count in counts.most_common())
    disturbed = findings.summary.disturbance["disturbed"]
    return words + (f"; {disturbed:,} disturbed" if disturbed else "")
