# SPDX-License-Identifier: MIT
"""What a report says of the conditions of a sweep: environment, noise, and failed trials."""

from common.words import plural
from report.page import NONE, Bullets, Cell, Paragraph, Table, number
from report.words import exact, interval_cell, level, shown
from results.findings import p_value


def plain(value):
    if value == int(value) or abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.4g}"


def spread(known):
    """(rows, keys that differ) of an object of the records. Each of its keys has a row with its
    value, and how many records lack the key. Where records differ, numbers are shown as a range,
    and other values with the number of records that have them."""
    rows, differing = [], []
    for name, row in known.items():
        if "values" not in row:
            text = f"{plain(row['least'])} to {plain(row['most'])}, median {plain(row['median'])}"
        elif row["distinct"] < 2:
            text = "".join(shown(entry["value"]) for entry in row["values"]) or NONE
        else:
            differing.append(name)
            text = "; ".join(f"{shown(entry['value'])} (in {entry['count']:,})"
                             for entry in row["values"])
            more = row["distinct"] - len(row["values"])
            text += f"; and {more:,} more" if more else ""
        missing = row["missing"]
        rows.append([Cell(name), Cell(text), Cell(f"{missing:,}" if missing else "", missing)])
    return rows, differing


def environment(findings):
    rows, differing = spread(findings.summary.environment)
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
    line = findings.summary.disturbance["text"]
    blocks += [Paragraph(f"{line[:1].upper()}{line[1:]}.")] if line else []
    if superseded := findings.summary.superseded:
        blocks.append(Paragraph(f"Left out: {plural(superseded, 'trial')} of groups that ran again, because the "
                                "hand-off state had changed while they ran."))
    rows = spread(findings.summary.noise)[0]
    if rows:
        blocks.append(Table("noise-keys", "What happened on the machine during the trials",
                            ["key", "value", "not known in"], rows))
    return blocks


def twins(findings):
    """Whether equal cells differ: the table of A/A cells."""
    if not findings.summary.twins:
        return Paragraph("This sweep had no A/A cells, which run twice in each block: whether equal "
                         "cells look different here is not known.")
    text = findings.summary.twin_check["text"] or "A/A: too few blocks for any of these to differ"
    rows = [[Cell(twin["benchmark"]), Cell(twin["scheduler"]),
             Cell(str(twin["workers"]), twin["workers"]),
             number(twin["ratio"]["median"], exact), interval_cell(twin["ratio"]),
             Cell(p_value(twin["p"]), twin["p"], kind="strong" if twin["differs"] else None),
             number(twin["ratio"]["n"], str)] for twin in findings.summary.twins]
    return Table("twins", "Cells that ran twice: the ratio of their times",
                 ["workload", "scheduler", "workers", "ratio", level(findings), "p", "n"], rows,
                 f"{text}.")


def failures(findings):
    if not findings.summary.failed_trials:
        return [Paragraph("None.")]
    keys = findings.keys or ["scheduler"]
    heads = ["workload", *keys, "workers", "block", "seed", "outcome", "error", "end of stderr"]
    return [Table("failed-trials", "Trials that did not end well", heads,
                  [failure(record, keys) for record in findings.summary.failed_trials],
                  "No other table and no figure includes them.")]


def values(record, keys):
    """Those of a failed trial, wherever its record has these keys."""
    places = (record, record["parameters"], record["options"])
    return [next((place[key] for place in places if place.get(key) is not None), None)
            for key in keys]


def failure(record, keys):
    last, how = record["stderr"], record["signal"]
    if not how and record["exit_code"] is not None:
        how = f"exit code {record['exit_code']}"
    return [
        Cell(shown(record.get("benchmark"))),
        *(Cell("" if value is None else shown(value)) for value in values(record, keys)),
        number(record.get("workers"), shown), number(record["block"], shown),
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
        lines.append("left out because they are not records, or repeat the trial of an earlier line: "
                     f"line {numbers} of the records file")
    tracing = findings.summary.traced
    if tracing:
        lines.append(f"{plural(tracing, 'traced run')}: tracing distorts their times")
    return [Bullets(lines) if lines else Paragraph("Nothing was left out or clipped.")]
