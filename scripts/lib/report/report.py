# SPDX-License-Identifier: MIT
"""The report of a results folder: one HTML file that needs no other."""

from pathlib import Path

import jinja2
from markupsafe import Markup

from common.failure import Failure, writing
from common.files import read_own, write_whole
from common.screen import printable_lines
from plots import figures, timeline
from report import conditions, method, overview, paper, reproduction, tables, trials, winners
from report.inline_svg import both_modes, inline, inline_all
from report.page import Figure, Paragraph, Section
from report.words import interval, level_of
from results import sweep_file
from results.findings import VERDICTS, Findings, p_value
from results.summary import Summary
from results.numbers import significant

TEMPLATES = Path(__file__).parent / "templates"


def page():
    """The template of the page. Everything that is put into it is escaped."""
    templates = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES), autoescape=True, undefined=jinja2.StrictUndefined,
        finalize=harmless)
    templates.policies["json.dumps_kwargs"] = {"separators": (",", ":")}
    return templates.get_template("page.html")


def data(findings):
    """For the page's script: what readers filter by, and by index of the cell its name, times per
    message and places in the filters."""
    def rounded(value):
        return float(f"{value:.9g}")

    cells, pairs = [], findings.to_baseline.pairs
    workloads = list(dict.fromkeys(cell["workload"] for cell in findings.cells))
    filters = {"workload": workloads, "strategy": findings.summary.strategies, "verdict": VERDICTS}
    for index, cell in enumerate(findings.cells):
        time = cell["ns_per_message"]
        ends = (rounded(time[key]) for key in ("median", "low", "high", "achieved"))
        cells.append([findings.name(index), *ends, [rounded(value) for value in time["values"]],
                      judged(findings, index),
                      [cell["workload"], findings.strategy(index), pairs[index]["verdict"] if index in pairs else None]])
    return {"level": findings.summary.level, "filters": filters, "cells": cells}


def judged(findings, index):
    """[(term, text)] of the comparison with the baseline, if there is one."""
    pair = findings.to_baseline.pairs.get(index)
    if pair is None:
        return []
    ratio = pair["ratio"]
    told = significant(ratio["median"])
    if ratio["n"] > 1:
        told += f" ({interval(ratio, significant)}, {level_of(findings.to_baseline)})"
    verdict = pair["verdict"] and f"{pair['verdict']}, p {p_value(pair['p_bh'])}"
    return [[f"÷ {findings.baseline}", told], *([["verdict", verdict]] if verdict else [])]


def drawings(findings, timelines):
    """timelines: (name, figure, …) of workers' timelines."""
    made = figures(findings.summary) if findings.cells else []
    drawn = [*((None, *both) for both in zip(made, inline_all(made))),
             *((name, figure, inline(figure, pixels=True)) for name, figure, _ in timelines)]
    if not drawn:
        return [Paragraph("No trial ended well: there is nothing to draw.")]
    hint = "Point at a median, tap it, or step through with the arrow keys, to see its values."
    return [Paragraph(hint, "note screen"), *(Figure(figure.title, figure.caption, drawing, name)
                                              for name, figure, drawing in drawn)]


def text(findings, name, config, choices, timelines):
    """The HTML. choices: those of the sweep's command line, or None. timelines: their figures."""
    drawn = drawings(findings, timelines)
    sections = [
        Section("map", "Ratios to the fastest", winners.maps(findings)),
        Section("fastest", "Winners", winners.winners(findings, [(f"#{name}", said) for name, _, said in timelines])),
        Section("figures", "Figures", drawn),
        Section("tables", "Tables", tables.all_tables(findings)),
        Section("paper", "What to put into a paper", paper.paper(findings)),
        Section("measured", "What was measured", overview.measured(findings, config)),
        Section("method", "How verdicts are made", method.method(findings)),
        Section("handoffs", "Hand-off times", trials.handoffs(findings)),
        Section("environment", "Environment", conditions.environment(findings)),
        Section("noise", "Noise", conditions.noise(findings) + trials.warm_up(findings)),
        Section("failed", "Failed trials", conditions.failures(findings)),
        Section("notes", "Left out", conditions.notes(findings)),
        Section("configuration", "Configuration", reproduction.configuration(config)),
        Section("again", "How to reproduce it", reproduction.steps(findings, name, choices)),
    ]
    return page().render(
        title=name, header=overview.answer(findings), sections=sections, data=data(findings),
        colours=both_modes(block.drawing for block in drawn if isinstance(block, Figure)))


def timelines(folder):
    """(name on the page, figure, what it says of the run) of each timeline that `actorlab run
    --trace` wrote into the folder."""
    files = [path for path in sorted(folder.glob("*.json")) if path.is_file()]
    traces = [(path, timeline.read(path)) for path in files if b'"traceEvents"' in path.read_bytes()]
    return [(f"timeline-{number}", timeline.figure(*both), both[1]["otherData"])
            for number, both in enumerate(traces, 1)]


def harmless(value):
    """What is put into the page, without what reorders or hides text."""
    if isinstance(value, Markup) or not isinstance(value, str):
        return value
    return printable_lines(value.expandtabs())


def beside(path, name):
    """The text of another file of the folder; None if there is none."""
    try:
        return read_own(path.with_name(name)).decode(errors="replace")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Failure(f"{path.with_name(name)}: {error.strerror}") from None


def write(actorlab, path):
    """Writes report.html beside the records at this path, and report-2.html and so on if the
    records are of several machines. Returns where, and whether every line of the records is in
    them."""
    summary = Summary(actorlab, path)
    if not any(machine.trials["n"] for machine in summary.machines):
        raise Failure(f"{path}: no record to report")
    choices = sweep_file.read(path.with_name("sweep.json"))
    names = ["report.html", *(f"report-{n}.html" for n in range(2, len(summary.machines) + 1))]
    for name, machine in zip(names, summary.machines):
        others = [other for other in names if other != name]
        if others:
            machine.notes = [*summary.notes, "the records are of several machines, which are not "
                             f"compared: see also {', '.join(others)}"]
        html = text(Findings(machine), path.resolve().parent.name, beside(path, "config.toml") or "",
                    choices, timelines(path.parent))
        with writing(path.with_name(name)):
            write_whole(path.with_name(name), html.encode(errors="backslashreplace"))
    return [path.with_name(name) for name in names], not summary.bad
