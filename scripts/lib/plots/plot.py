# SPDX-License-Identifier: MIT
"""Draws figures into files."""

import os
from pathlib import Path

import plots
from common.failure import writing
from plots import pgf
from plots.style import provenance, save


def draw(summary, folder, kinds=None, formats=("png", "pdf"), x=None, y=None, called=lambda name, alone: name):
    """Writes each figure of each machine in each format. kinds: if not the configuration's.
    called(name, alone): the name of the file of a figure, which may be the only one. Returns the
    paths, and the kinds of the figures."""
    written, drawn = [], set()
    for number, machine in enumerate(summary.machines, 1):
        made = []
        for kind in (kinds or machine.drawn.get("kinds", ("scaling",))) if machine.cells else ():
            found = plots.figures(machine, [kind], x, y)
            drawn |= {kind} if found else set()
            made += found
        made = [figure._replace(name=called(figure.name, len(made) == 1) + f"-{number}" * (number > 1)) for figure in made]
        written += write(made, folder, formats, provenance(machine))
    return written, drawn


def write(figures, folder, formats, origin):
    """Writes figures with their captions and origin. Returns the paths."""
    written = []
    for figure in figures:
        words = f"{figure.caption} {origin}"
        drawing = figure.draw(foot=words)
        for form in formats:
            path = Path(folder) / f"{figure.name}.{form}"
            temporary = path.with_name("." + path.name)  # so that no half of it is left
            with writing(path):
                temporary.unlink(missing_ok=True)  # a link would be followed
                if form == "pgf":
                    pgf.save(figure.draw(), temporary, words)  # LaTeX sets the caption
                else:
                    save(drawing, temporary, form)
                os.replace(temporary, path)
            written.append(path)
    return written
