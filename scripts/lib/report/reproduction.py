# SPDX-License-Identifier: MIT
"""The section of a report on how to repeat the sweep."""

import shlex
import subprocess
import textwrap
from pathlib import Path

from common.actorlab import ROOT, words
from common.failure import Failure
from report.page import Paragraph, Verbatim
from report.words import distinct


def configuration(config):
    return [Verbatim(config) if config else Paragraph("The folder has no config.toml.")]


def packages(*arguments):
    """What scripts/setup installs."""
    setup = ROOT / "scripts" / "setup"
    done = subprocess.run([setup, "--list", *arguments], stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise Failure(f"{setup} --list: exit code {done.returncode}")
    return done.stdout.strip()


def given(choices):
    """The arguments of scripts/sweep that made these choices, which it kept in sweep.json."""
    quick = ["--quick"] if choices.get("quick") else []
    return quick + [f"--{key}={shlex.quote(str(choices[key]))}"
                    for key in ("size", "seed", "filter") if choices.get(key) is not None]


def steps(findings, name, choices):
    """choices: those of the sweep's command line; None if they are not known."""
    revisions = distinct(findings.summary, "revision")
    peers = ["--peers"] if findings.summary.peers else []
    setup = " ".join(["scripts/setup", *peers])
    config, folder = (shlex.quote(*words(Path(path))) for path in (f"{name}.toml", f"results/{name}-again"))
    sweep = " ".join([f"scripts/sweep {config}", *given(choices or {}), f"--results {folder}"])
    commands = [*(f"git checkout {shlex.quote(revision.removesuffix('-dirty'))}"
                  for revision in revisions[:1] if not revision.startswith("-")), setup, sweep, f"scripts/report {folder}"]
    blocks = [
        Paragraph(f"In a clone of the repository, with the configuration above as {name}.toml:"),
        Verbatim("\n".join(commands)),
    ]
    if choices is None:
        blocks.append(Paragraph("The folder has no sweep.json: if the sweep was given --quick, --size, "
                                "--seed or --filter, they are missing here."))
    if len(revisions) > 1:
        blocks.append(Paragraph(f"The records are of {len(revisions)} revisions: "
                                f"{', '.join(revisions)}."))
    if any(revision.endswith("-dirty") for revision in revisions):
        blocks.append(Paragraph("The sources had uncommitted changes, which this revision lacks."))
    return [*blocks, Paragraph(f"{setup} installs these packages of Debian:"),
            Verbatim(textwrap.fill(packages(*peers), 100))]
