# SPDX-License-Identifier: MIT
"""The closing table of a sweep."""

import math

from common.screen import printable
from common.words import plural
from results.findings import baseline_of, baselines_of, tally
from results.marks import mark, meanings

# How `actorlab results` makes the interval of a median.
INTERVALS = {"order": "order-statistic interval", "percentile": "bootstrap interval"}
FEW = 6  # with fewer values, a median has no 95% interval: show the values themselves
MOST_RAW = 40  # lines of such values; if there are more, only the plot shows them
BUSY_SHARE = 0.1  # of the time; a starting thread that is busy for longer may decide
MOST_UNSTEADY = 8  # cells that are named


def percent_of(level):
    """A level such as 95% or 99.97%."""
    return f"{100 * level:.4g}%"


def significant(value, digits=3):
    """Three digits without an exponent: 12.3, 0.456, 7890."""
    if math.isinf(value):
        return "∞"
    rounded = float(f"{value:.{digits}g}")
    exponent = math.floor(math.log10(abs(rounded))) if rounded else digits - 1
    return f"{rounded:.{max(0, digits - 1 - exponent)}f}"


def of_many(m):
    """What a level is of, if it corrects for m comparisons."""
    return f", the level of {plural(m, 'comparison')} corrected together" if m > 1 else ""


def scaled(value, unit):
    """12345678 becomes "12.3 M" and the unit."""
    for prefix in ("", "k", "M"):
        if value < 999.5:
            return f"{significant(value)} {prefix}{unit}".rstrip()
        value /= 1000
    return f"{significant(value)} G{unit}"


# At the end of the last iteration: allocated by the program, resident, and held by queues; then the
# most that queues held in any iteration.
QUEUES = {"queue_bytes": "in| queues", "queue_peak_bytes": "most in| queues"}
MEMORY = {"allocated_bytes": "allocated", "resident_bytes": "resident", **QUEUES}


def in_bytes(value):
    return "-" if value is None else scaled(value, "B")


def rows(summary):
    """(heads, with a bar where they may be broken, how many of them are left-aligned, rows)"""
    interval_head = "| interval" if summary.simulated is None else "| by jitter"
    own_memory = summary.simulated is None  # else it is the simulator's
    heads = ["benchmark", *summary.keys, "workers", "ns/|message", percent_of(summary.level) + interval_head, "covers", "n",
             "messages|/s", *["peak| memory"] * own_memory,
             *(MEMORY.values() if summary.memory else []), *([f"x|{baseline_of(summary)}"] if summary.baseline else [])]
    body, bases, pairs = [], baselines_of(summary), summary.families["baseline"].pairs
    for cell in summary.cells:
        time = cell["ns_per_message"]
        interval = f"{significant(time['low'])}–{significant(time['high'])}" if cell["n"] > 1 else "-"
        body.append([
            cell["benchmark"],
            *("" if value is None else str(value) for value in cell["values"]),
            f"{cell['workers']}{mark(cell)}",
            significant(time["median"]),
            interval,
            f"{time['achieved']:.1%}" if cell["n"] > 1 else "-",
            str(cell["n"]),
            scaled(cell["messages_per_s"]["median"], ""),
            *[scaled(cell["peak_rss_bytes"]["median"], "B")] * own_memory,
            *(in_bytes(cell["memory"][key]) for key in MEMORY if summary.memory),
            *(["1" if cell["index"] in bases else ratio(pairs.get(cell["index"]))] if summary.baseline else []),
        ])
    return heads, 1 + len(summary.keys), body


def ratio(pair):
    """The ratio of a time to the baseline's, such as "0.42 [0.40, 0.45]"."""
    if pair is None:
        return "-"
    entry = pair["ratio"]
    if entry["n"] < 2 or entry["low"] is None:
        return significant(entry["median"])
    return f"{significant(entry['median'])} [{significant(entry['low'])}, {significant(entry['high'])}]"


def name(summary, entry):
    """The name of a cell or failure: what distinguishes it from the others."""
    line = entry["line"]
    words = [summary.lines[line]["label"]] if line is not None and summary.keys else [
        str(value) if key in summary.bare_keys else f"{key}={value}"
        for key, value in zip(summary.keys, entry["values"]) if value is not None]
    return printable(" ".join([entry["benchmark"], *words, f"workers={entry['workers']}"]))


def unsteady(summary):
    """Cells whose processes had not warmed up when their measured iterations began."""
    found = [cell for cell in summary.cells if cell["unsteady"]]
    for cell in found[:MOST_UNSTEADY]:
        yield (f"not in a steady state: {cell['unsteady']} of {plural(cell['n'], 'process')} of "
               f"{name(summary, cell)}")
    if len(found) > MOST_UNSTEADY:
        more = len(found) - MOST_UNSTEADY
        yield f"not in a steady state: {plural(more, 'more cell')}"


def failures(summary):
    for entry in summary.failed:
        times = f", {plural(entry['count'], 'time')}" if entry["count"] > 1 else ""
        yield f"{name(summary, entry)}: {entry['outcome']}{times}"


def show(screen, summary):
    heads, left, body = rows(summary)
    heads, body = list(map(printable, heads)), [list(map(printable, row)) for row in body]
    if body and screen.rich:
        print_rich(screen, heads, left, body)
    elif body:
        print_plain(screen, heads, left, body)
    if summary.simulated is not None and body:
        screen.say("simulated: intervals show the sensitivity to jitter in the model's costs")
        busy = sum((cell["starter_busy"] or 0) > BUSY_SHARE for cell in summary.cells)
        if busy:
            screen.say(f"the starting thread was busy for more than {BUSY_SHARE:.0%} of the "
                       f"time in {plural(busy, 'cell')}, which may decide the result")
    for sign, meaning in meanings(summary.cells):
        screen.say(f"{sign} {meaning}")
    for line in summary.alike:
        screen.say(line)
    mild, severe = (sum(cell["outliers"][kind] for cell in summary.cells) for kind in ("mild", "severe"))
    if mild or severe:
        screen.say(f"outliers (Tukey, of the times), none left out: {mild} mild, {severe} severe")
    few = [cell for cell in summary.cells if cell["n"] < FEW]
    for cell in few if len(few) <= MOST_RAW else ():
        screen.say(f"each of {name(summary, cell)}: " + " ".join(map(significant, cell["ns_per_message"]["values"])))
    for line in [*unsteady(summary), *(f"failed: {line}" for line in failures(summary))]:
        screen.say(line)
    family = summary.families["baseline"]
    if summary.baseline and family.m > 1:
        screen.say(f"ratios: {percent_of(family.level)} intervals{of_many(family.m)}")
    verdicts = tally(summary)
    if verdicts:
        screen.say(verdicts)


def print_rich(screen, heads, left, body):
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    width = 0
    for index, head in enumerate(heads):
        head = head.replace("| ", "\n").replace("|", "\n")
        table.add_column(head, justify="left" if index < left else "right", no_wrap=True,
                         style="bold" if head.startswith("ns/") else None)
        width += 2 + max(len(word) for word in [*head.split("\n"), *(row[index] for row in body)])
    # Let a narrow terminal wrap the lines, because rich would cut off numbers.
    screen.console.width = max(screen.console.width, width - 2)
    for index, row in enumerate(body):
        last = index + 1 == len(body) or body[index + 1][0] != row[0]
        table.add_row(*row, end_section=last)
    screen.console.print(table)


def print_plain(screen, heads, left, body):
    heads = [head.replace("|", "") for head in heads]
    widths = [max(len(row[i]) for row in [heads, *body]) for i in range(len(heads))]
    for row in [heads, *body]:
        words = [word.ljust(width) if i < left else word.rjust(width)
                 for i, (word, width) in enumerate(zip(row, widths))]
        screen.say("  ".join(words).rstrip())
