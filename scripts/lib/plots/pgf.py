# SPDX-License-Identifier: MIT
"""Figures for \\input in LaTeX, in the font of the document. pdflatex measures text."""

import io
import re
import shutil
import subprocess
import tempfile
import textwrap
from pathlib import Path

from matplotlib import rc_context
from matplotlib.backends.backend_pgf import FigureCanvasPgf, LatexError, RendererPgf
from matplotlib.text import Text

from common.failure import Failure
from plots.style import styled

NEEDED = "--format pgf needs LaTeX; as root run: apt-get install --no-install-recommends texlive-pictures"

# What LaTeX would read as a command, a ligature or another character, and what text fonts may lack.
ESCAPED = {
    **{character: "\\" + character for character in "{}$&#%_"},
    **{chr(code): " " for code in range(32)},
    "\\": r"\textbackslash{}", "~": r"\ensuremath{\sim}", "^": r"\textasciicircum{}", "<": r"\textless{}",
    ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"{\char34}", "'": r"{'}", "`": r"{`}", "µ": r"\ensuremath{\mu}",
    "×": r"\ensuremath{\times}", "·": r"\ensuremath{\cdot}", "−": r"\ensuremath{-}", "⁻": r"\ensuremath{-}",
    "…": r"\ldots{}",
    **{raised: str(digit) for digit, raised in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")},
}
RAISED = re.compile("([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)")


def escaped(text):
    """LaTeX source that is set as this text."""
    parts = ["".join(ESCAPED.get(character, character) for character in part) for part in RAISED.split(text)]
    parts[1::2] = [rf"\textsuperscript{{{part}}}" for part in parts[1::2]]
    return re.sub("-(?=-)", "-{}", "".join(parts))  # two hyphens must not become a dash


def check():
    """Raises Failure if there is no LaTeX."""
    if shutil.which("pdflatex") is None:
        raise Failure(NEEDED)


class Renderer(RendererPgf):
    """Draws text so that it fits a LaTeX document. It is anchored horizontally as it is aligned, so
    that it keeps its place in a font of another width, and vertically at its baseline."""

    def draw_text(self, gc, x, y, s, prop, angle, ismath=False, mtext=None):
        if mtext and angle == 0:
            anchor, _ = mtext.get_transform().transform(mtext.get_unitless_position())
            mtext = Text(anchor, y, horizontalalignment=mtext.get_horizontalalignment(), verticalalignment="baseline")
        super().draw_text(gc, x, y, escaped(s), main_font(prop), angle, ismath, mtext)

    def get_text_width_height_descent(self, s, prop, ismath):
        try:
            return super().get_text_width_height_descent(escaped(s), main_font(prop), ismath)
        except LatexError:
            raise Failure(NEEDED) from None
        except ValueError:
            raise Failure(f"--format pgf: pdflatex lacks a character of '{s}'; --format pdf has it") from None


class Canvas(FigureCanvasPgf):
    def get_renderer(self):  # it measures text while panels are laid out
        return Renderer(self.figure, None)


def main_font(prop):
    prop = prop.copy()
    prop.set_family("serif")
    return prop


@styled
def save(drawing, file, caption):
    """Writes one file without accompanying pictures: nothing in it is rasterized."""
    width, height = drawing.get_size_inches()
    picture = io.StringIO()
    Canvas(drawing)  # becomes the drawing's canvas
    with rc_context({"pgf.texsystem": "pdflatex", "pgf.rcfonts": False}):
        drawing.draw(Renderer(drawing, picture))
    about = f"Made by scripts/plot. Needs \\usepackage{{pgf}}. \\caption{{{escaped(caption)}}}"
    text = (textwrap.fill(about, 120, initial_indent="% ", subsequent_indent="% ", break_on_hyphens=False)
            + "\n\\begingroup%\n\\makeatletter%\n\\begin{pgfpicture}%\n"
            f"\\pgfpathrectangle{{\\pgfpointorigin}}{{\\pgfqpoint{{{width:f}in}}{{{height:f}in}}}}%\n"
            "\\pgfusepath{use as bounding box, clip}%\n"
            + picture.getvalue().replace(r"\rmfamily", "")  # so that the document's font is used
            + "\\end{pgfpicture}%\n\\makeatother%\n\\endgroup%\n")
    try_out(text, file.stem.removeprefix("."))
    file.write_text(text, encoding="utf-8")


def try_out(text, name):
    """Raises Failure if pdflatex cannot draw it, for example for lack of memory."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "page.tex").write_text("\\documentclass{article}\n\\usepackage{pgf}\n\\begin{document}\n"
                                            f"{text}\\end{{document}}\n", encoding="utf-8")
        done = subprocess.run(["pdflatex", "-draftmode", "-interaction=nonstopmode", "-halt-on-error", "page.tex"],
                              cwd=folder, capture_output=True, encoding="utf-8", errors="replace")
    if done.returncode != 0:
        said = re.search("^! (.*)$", done.stdout, re.M)
        raise Failure(f"--format pgf: pdflatex cannot draw {name}: {said[1].rstrip('.') if said else 'it failed'}; "
                      "--format pdf can")
