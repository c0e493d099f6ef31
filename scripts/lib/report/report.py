# SPDX-License-Identifier: MIT
"""The report of a results folder: one HTML file that needs no other."""

import argparse
import gc
import json
import subprocess
from html import escape
from pathlib import Path
from string import Template

from common import actorlab
from common.failure import FAILED, NO_WRITE, Failure
from common.screen import complain
from plots import timeline
from report import page, sections
from report.inline_svg import turned
from results.findings import Findings
from results.records import write_whole
from results.summary import Summary

TEMPLATES = Path(__file__).parent


def packages(*arguments):
    """What scripts/setup installs."""
    setup = actorlab.ROOT / "scripts" / "setup"
    return subprocess.run([setup, "--list", *arguments], stdout=subprocess.PIPE, text=True).stdout.strip()


def data(findings):
    """For the script, by index of the cell: its name and times per message."""
    def rounded(value):
        return float(f"{value:.9g}")

    cells = []
    for index, cell in enumerate(findings.cells):
        time = cell["ns_per_message"]
        cells.append([findings.name(index), *(rounded(time[key]) for key in ("median", "low", "high", "achieved")),
                      [rounded(value) for value in time["values"]]])
    return {"level": findings.summary.level, "cells": cells}


def text(findings, name, config, choices, timelines):
    """The HTML. choices: of the sweep's command line, or None. timelines: their figures."""
    parts = (
        ("fastest", "Fastest strategies", sections.fastest(findings)),
        ("figures", "Figures", sections.drawings(findings, timelines)),
        ("tables", "Tables", sections.all_tables(findings)),
        ("environment", "Environment", sections.environment(findings)),
        ("noise", "Noise", sections.noise(findings)),
        ("failed", "Failed trials", sections.failures(findings)),
        ("notes", "Left out", sections.notes(findings)),
        ("configuration", "Configuration", sections.configuration(config)),
        ("again", "How to reproduce it", sections.reproduction(findings, name, choices, packages)),
    )
    body = "\n".join(page.section(*part) for part in parts)
    return Template(template("page.html")).substitute(
        title=escape(name), css=template("page.css"), js=template("page.js"),
        header=sections.header(findings, config), data=page.in_script(data(findings)),
        contents="\n".join(f'<li><a href="#{anchor}">{title}</a></li>' for anchor, title, _ in parts),
        sections=body, greys=turned(body))


def template(name):
    return (TEMPLATES / name).read_text(encoding="utf-8")


def timelines(folder):
    """Figures of what `actorlab run --trace` wrote into it."""
    files = [path for path in sorted(folder.glob("*.json")) if path.is_file()]
    return [timeline.figure(path) for path in files if b'"traceEvents"' in path.read_bytes()]


def beside(path, name):
    """The text of another file of the folder; None if there is none."""
    try:
        return path.with_name(name).read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return None


def write(actorlab, path):
    """Writes report.html beside the records at this path. Returns where, and whether it has all that is there."""
    findings = Findings(Summary(actorlab, path), actorlab)
    try:
        choices = json.loads(beside(path, "sweep.json") or "null")
    except ValueError:
        raise Failure(f"{path.with_name('sweep.json')}: not what a sweep writes") from None
    html = text(findings, path.resolve().parent.name, beside(path, "config.toml") or "", choices,
                timelines(path.parent))
    written = path.with_name("report.html")
    try:
        write_whole(written, html.encode(errors="backslashreplace"))
    except OSError as error:
        raise Failure(f"{written}: cannot write: {error.strerror}", NO_WRITE) from None
    return written, not findings.summary.bad


def main():
    parser = argparse.ArgumentParser(
        prog="scripts/report", description="Writes report.html, all of a sweep in one file.",
        epilog="Exit codes: 0 done, 1 done without lines that were no records, 2 usage, 3 could not write. AL_ACTORLAB names an actorlab to use instead of "
        "building one.")
    parser.add_argument("results", type=Path, help="a results folder, or the records file in it")
    given = parser.parse_args().results
    gc.disable()  # the process is short and its objects are many: looking for cycles takes a quarter of its time
    try:
        path = given / "records.jsonl" if given.is_dir() else given
        if not path.is_file():
            raise Failure(f"{path}: no such folder or file of records")
        written, complete = write(actorlab.build(), path)
        print(written)
        return 0 if complete else FAILED
    except Failure as failure:
        complain(str(failure))
        return failure.code
