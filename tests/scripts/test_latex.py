#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What is written for LaTeX compiles, and pdflatex sets the text that was meant.

AL_BUILD names the build folder."""

import os
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path
from unittest.mock import patch

import numpy
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import ACTORLAB
from support.exporting import HOSTILE, record
from support.plotting import PROBE, Folder, made_up

import plots
from common.failure import Failure
from plots import pgf

NAME = r'50%_a&b #1 {x} \y $z$ ~^<>|"--'  # of a benchmark, a strategy, a parameter


class Latex(Folder):
    def compiled(self, pages, preamble=""):
        """What a document sets that has one of these on each page, and the names of its fonts."""
        if shutil.which("pdflatex") is None:
            raise AssertionError("no pdflatex: scripts/setup --dev")
        (self.folder / "paper.tex").write_text(
            "\\documentclass{article}\n\\pdfcompresslevel=0\n\\pdfobjcompresslevel=0\n"
            "\\usepackage[paperwidth=8.5in,paperheight=11in,textwidth=7in,textheight=10in]{geometry}\n"
            f"\\usepackage{{booktabs}}\n\\usepackage{{pgf}}\n\\setlength{{\\parindent}}{{0pt}}\n{preamble}\n"
            "\\begin{document}\n" + "\n\\clearpage\n".join(pages) + "\n\\end{document}\n", encoding="utf-8")
        done = subprocess.run(["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"], cwd=self.folder,
                              capture_output=True, encoding="utf-8", errors="replace", timeout=120)
        log = (self.folder / "paper.log").read_text(encoding="utf-8", errors="replace")
        self.assertEqual(done.returncode, 0, log[-3000:])
        self.assertIn(f"Output written on paper.pdf ({len(pages)} page", log)
        for fault in ("Overfull", "Missing character"):
            self.assertNotIn(fault, log)
        paper = (self.folder / "paper.pdf").read_bytes().decode("latin-1")
        lines = re.findall(r"\[((?:\((?:\\.|[^\\)])*\)|[-\d.]+)*)\]TJ", paper)
        words = ("".join(re.findall(r"\(((?:\\.|[^\\)])*)\)", line)) for line in lines)
        return [re.sub(r"\\(.)", r"\1", word) for word in words], set(re.findall(r"/FontName */\w+\+(\w+)", paper))


class Figures(Latex):
    def setUp(self):
        super().setUp()
        names = {"alpha": NAME, "one": NAME}
        self.write([row | {"benchmark": names.get(row["benchmark"], row["benchmark"]), "parameters": {NAME: 7}, "handoff": PROBE,
                           "scheduler": names.get(row["scheduler"], row["scheduler"])} for row in made_up()])

    def draw(self, kinds):
        """The names of the files."""
        printed = self.plot(self.folder, "--format", "pgf", "--kind", ",".join(kinds))
        return [os.path.basename(path) for path in printed.split()]

    def test_compile(self):
        """All kinds in one document, one with its caption, which the first lines have to be copied;
        and the same bytes again."""
        with patch.object(pgf, "try_out"):  # the document does it, too
            self.plot("--trace", self.write_trace(), "--format", "pgf")
            kinds = [kind for kind in plots.KINDS if kind not in ("tails", "judged")]  # none here
            files = self.draw(kinds)
            self.assertEqual(files, [f"{kind}.pgf" for kind in kinds])
            before = (self.folder / "latencies.pgf").read_bytes()
            self.draw(["latencies"])
        self.assertEqual((self.folder / "latencies.pgf").read_bytes(), before)
        self.assertFalse(list(self.folder.glob("*.png")))
        head = " ".join(re.findall("^% (.*)$", (self.folder / "ratios.pgf").read_text(encoding="utf-8"), re.M))
        caption = re.search(r"\\caption\{.*\}$", head).group()
        words, _ = self.compiled([*(f"\\input{{{file}}}" for file in files if file != "ratios.pgf"), "\\input{made-up.pgf}",
                                  "\\begin{figure}\\input{ratios.pgf}" + caption + "\\end{figure}"])
        for part in ("50%", "a&b", "#1", "<>"):
            self.assertTrue(any(part in word for word in words), part)
        self.assertTrue(any("Fake3000" in word.replace(" ", "") for word in words), words)

    def test_font(self):
        """That of the document, in everything but signs of mathematics."""
        files = self.draw(["ratios", "counters"])
        _, fonts = self.compiled([f"\\input{{{file}}}" for file in files],
                                 "\\renewcommand{\\familydefault}{\\ttdefault}")
        self.assertEqual({re.sub(r"\d+$", "", font) for font in fonts} - {"CMMI", "CMSY"}, {"CMTT"})

    def test_refused(self):
        out = self.folder / "out"
        with patch.dict(os.environ, PATH=str(self.folder)):
            self.refused([self.folder, "--format", "png,pgf", "--out", out], "apt-get install --no-install-recommends "
                         "texlive-pictures")
        self.assertFalse(out.exists())
        self.write([row | {"benchmark": "工"} for row in made_up()])
        self.refused([self.folder, "--format", "pgf", "--out", out], "pdflatex lacks a character of '工'")
        self.assertEqual(list(out.iterdir()), [])

    def test_too_large(self):
        """TeX has a fixed memory, whatever the machine has."""
        drawing = Figure()
        drawing.add_artist(Line2D(numpy.arange(200000) % 7 / 7, numpy.arange(200000) % 5 / 5))
        with self.assertRaisesRegex(Failure, "pdflatex cannot draw large: TeX capacity exceeded.*[^.]; --format pdf can$"):
            pgf.save(drawing, self.folder / ".large.pgf", "")
        self.assertFalse((self.folder / ".large.pgf").exists())

    def test_escaped(self):
        self.assertEqual(pgf.escaped("10⁻³ µs × 2 −1"), r"10\textsuperscript{\ensuremath{-}3} \ensuremath{\mu}s "
                         r"\ensuremath{\times} 2 \ensuremath{-}1")
        self.assertEqual(pgf.escaped("---"), "-{}-{}-")


class Tables(Latex):
    def tables(self, rows, *more):
        text = subprocess.run([ACTORLAB, "export", self.write(rows), "--format", "latex", *more], check=True,
                              stdout=subprocess.PIPE, encoding="utf-8").stdout
        return text.split("\n\n")[1:]

    def test_names(self):
        tables = self.tables([record((time,), benchmark=NAME, parameters={NAME: NAME}, scheduler=scheduler)
                              for scheduler in ("[2pt]", "*", NAME, HOSTILE) for time in (1, 2)])
        text = " ".join(self.compiled(tables)[0])
        for part in ("50%", "a&b#1", "[2pt]", "*", "[*--", "95%"):
            self.assertIn(part, text)

    def test_widths(self):
        """As many worker counts beside each other as an article has room for."""
        tables = self.tables([record((time * factor,), benchmark=f"times {factor}", workers=workers,
                                                 scheduler=scheduler) for factor in (1, 900, 10 ** 6)
                              for workers in (1, 2, 4, 8, 16, 32, 48) for time in (1000, 1001)
                              for scheduler in ("short", "one with a long name")])
        self.assertEqual([table.count("\\begin{tabular}") for table in tables], [3, 3, 3])
        wide = self.tables([record((time * factor,), workers=workers, scheduler=str(factor))
                            for factor in (1, 10 ** 6) for workers in (1, 2, 4, 8) for time in (1000, 1001)])
        self.assertEqual([table.count("\\begin{tabular}") for table in wide], [2])
        self.compiled(tables + wide, "\\setlength{\\textwidth}{345pt}")

    def test_ratios(self):
        """The same of ratios, whose verdicts are signs: as wide as can be, and as many as fit."""
        times = {"short": 100, NAME: 230, "slow": 400000, "unsure": 101}
        tables = self.tables([record((time * (1 + block % 3) + block % 2 * (name == "unsure") * 90,), benchmark=NAME, scheduler=name,
                                     workers=workers, sweep={"block": block}, noise={"disturbed": ["busy"] * (name == "slow")})
                              for name, time in times.items() for workers in (1, 2, 4, 8) for block in range(8)], "--ratios")
        self.assertEqual([table.count("\\begin{tabular}") for table in tables], [2])
        text = " ".join(self.compiled(tables, "\\setlength{\\textwidth}{345pt}")[0])
        for part in ("0.435", "a&b#1", "1739", "[0.439,0.688]"):
            self.assertIn(part, text)


if __name__ == "__main__":
    unittest.main()
