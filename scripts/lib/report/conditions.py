# SPDX-License-Identifier: MIT
"""What a report says of the conditions of a sweep: environment, noise, and failed trials."""

from collections import Counter
from statistics import median

from machine.noise import told
from report.page import NONE, Bullets, Cell, Paragraph, Table, number
from report.words import exact, interval_cell, level, percent, plural, shown
from results.findings import entry
from results.summary import flat

MOST_VALUES = 8  # of a key that are shown


def plain(value):
    if value == int(value) or abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.4g}"


def flattened(value, name=""):
    """(dotted name, value) of everything in an object."""
    if not isinstance(value, dict):
        yield name, value
        return
    for key, inner in value.items():
        yield from flattened(inner, f"{name}.{key}" if name else key)


def spread(records, key):
    """(rows, keys that differ) of an object of the records. Each of its keys has a row with its value,
    and how many records lack the key. Where records differ, numbers are shown as a range, and other
    values with the number of records that have them."""
    seen = {}
    for record in records:
        for name, value in flattened(entry(record, key)):
            values = seen.setdefault(name, Counter())
            if value is not None:
                values[value if isinstance(value, (int, float)) else shown(value)] += 1
    rows, differing = [], []
    for name, values in seen.items():
        missing = len(records) - values.total()
        if len(values) < 2:
            text = "".join(map(shown, values)) or NONE
        elif all(type(value) in (int, float) for value in values):
            text = (f"{plain(min(values))} to {plain(max(values))}, "
                    f"median {plain(median(values.elements()))}")
        else:
            differing.append(name)
            text = most_common(values)
        rows.append([Cell(name), Cell(text), Cell(f"{missing:,}" if missing else "", missing)])
    return rows, differing


def most_common(values):
    most = values.most_common(MOST_VALUES)
    text = "; ".join(f"{shown(value)} (in {count:,})" for value, count in most)
    return text + (f"; and {len(values) - len(most):,} more" if len(values) > len(most) else "")


def environment(findings):
    rows, differing = spread(findings.records, "environment")
    if not rows:
        return [Paragraph("The records have no environment.")]
    words = "The records agree in everything that does not change from trial to trial."
    if differing:
        words = f"The records differ in {', '.join(differing)}."
    return [Paragraph(words), Table(
        "environment-keys", "The machine, the program and the moment, as recorded",
        ["key", "value", "not known in"], rows,
        "Not known in: the number of records without the key. Records of other systems have few "
        "keys.")]


def noise(findings):
    blocks = [twins(findings)]
    blocks += [Paragraph(f"{line[:1].upper()}{line[1:]}.") for line in told(findings.records)]
    rows = spread(findings.records, "noise")[0]
    if rows:
        blocks.append(Table("noise-keys", "What happened on the machine during the trials",
                            ["key", "value", "not known in"], rows))
    return blocks


def twins(findings):
    """How far equal cells differ: the table of A/A cells."""
    margin, floor = findings.margin, findings.summary.noise
    if not findings.summary.twins:
        return Paragraph(
            "This sweep had no A/A cells, which run twice in each block and so show how far equal "
            f"cells differ on this machine. Verdicts assume {percent(margin)} of noise.")
    if floor is None:
        words = "None of these ratios has an interval."
    else:
        words = f"The intervals of these ratios reach {percent(floor)} from 1: that is noise here."
    words += (f" Differences within {percent(margin)} count as equivalent." if margin else
              " With so much noise nothing is called equivalent.")
    rows = [[Cell(twin["benchmark"]), Cell(twin["scheduler"]),
             Cell(str(twin["workers"]), twin["workers"]),
             number(twin["ratio"]["median"], exact), interval_cell(twin["ratio"]),
             number(twin["ratio"]["n"], str)] for twin in findings.summary.twins]
    return Table("twins", "Cells that ran twice: the ratio of their times",
                 ["workload", "scheduler", "workers", "ratio", level(findings), "n"], rows, words)


def failures(findings):
    if not findings.failed:
        return [Paragraph("None.")]
    keys = findings.keys or ["scheduler"]
    heads = ["workload", *keys, "workers", "block", "seed", "outcome", "error", "end of stderr"]
    return [Table("failed-trials", "Trials that did not end well", heads,
                  [failure(record, keys) for record in findings.failed],
                  "No other table and no figure includes them.")]


def failure(record, keys):
    known, last = flat(record), record.get("stderr")
    how = record.get("signal")
    if not how and "exit_code" in record:
        how = f"exit code {record['exit_code']}"
    return [
        Cell(shown(record.get("benchmark"))),
        *(Cell("" if known.get(key) is None else shown(known[key])) for key in keys),
        number(record.get("workers"), shown), number(entry(record, "sweep").get("block"), shown),
        number(record.get("seed"), shown),
        Cell(shown(record.get("outcome")), kind="strong"),
        Cell("; ".join(shown(word) for word in (how, record.get("error")) if word is not None)),
        Cell(shown(last), verbatim=True) if last else Cell(""),
    ]


def notes(findings):
    """What the report leaves out."""
    lines = list(findings.summary.notes)
    if findings.summary.bad:
        numbers = ", ".join(str(bad.number) for bad in findings.summary.bad)
        lines.append("left out because they are no records, or repeat the trial of an earlier line: "
                     f"line {numbers} of the records file")
    tracing = len(findings.summary.records) - len(findings.ran)
    if tracing:
        lines.append(f"{plural(tracing, 'traced run')}: their times are no measurements")
    return [Bullets(lines) if lines else Paragraph("Nothing was left out or clipped.")]
