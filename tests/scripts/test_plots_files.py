#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The parts of figures, timelines, and the files that scripts/plot writes.

AL_BUILD names the build folder."""

import io
import json
import math
import os
import subprocess
import sys
import unittest
import warnings
from pathlib import Path
from unittest.mock import patch

import numpy
from matplotlib.axis import Axis
from matplotlib.text import Text

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import ACTORLAB, ROOT, ranks
from support.plotting import BLOCKS, PROBE, Folder, drawn, made_up, named, noise, record, times

import plots
from plots import heatmap, lines, pairs, style, timeline
from results import findings
from results.summary import Summary

# Kinds that are laid out in ways of their own: the others are panels of lines, as `speedup` is.
UNLIKE = [kind for kind in plots.KINDS if kind not in ("speedup-best", "efficiency")]
REFERENCE = ROOT / "results" / "reference" / "peers" / "records.jsonl"


class Pairs(Folder):
    def test_of_the_records(self):
        """Of reference results with 10 blocks, with bounded intervals, and of 4 made-up ones."""
        made_up_path = self.write([row for row in made_up() if row["sweep"]["block"] < 4])
        for path, baseline, bounded in ((REFERENCE, "inverted", True), (made_up_path, "one", False)):
            runs = [run for run in map(json.loads, path.read_text().splitlines())
                    if not run["sweep"].get("twin")]
            summary = Summary(ACTORLAB, path, baseline)
            level, found = summary.families["baseline"].level, pairs.ratios(summary, "baseline")
            self.assertEqual(len(found), len(summary.cells))
            for index, point in found.items():
                cell = summary.cells[index]
                mine, base = (times(runs, benchmark=cell["benchmark"], scheduler=name, workers=cell["workers"])
                              for name in (cell["scheduler"], baseline))
                ratios = [mine[block] / base[block] for block in mine]
                expected = (ranks.estimate(ratios), *ranks.interval(ratios, level))
                if cell["scheduler"] == baseline:
                    expected = (1, 1, 1)
                self.assertEqual(expected[1] is not None, bounded or cell["scheduler"] == baseline)
                for value, wanted in zip(point, expected):
                    self.assertEqual(value is None, wanted is None)
                    self.assertTrue(wanted is None or math.isclose(value, wanted, rel_tol=1e-9), (path, point))

    def test_one_block(self):
        rows = [row for row in made_up() if row["sweep"]["block"] == 1]
        for figure in plots.figures(self.summary(rows), ["speedup", "efficiency", "ratios"]):
            self.assertTrue(drawn(figure.draw()))


class Parts(Folder):
    def test_short(self):
        values = (0.00421, 0.0299, 0.0951, 0.4, 1, 1.994, 1.996, 9.94, 9.96, 99.7, 331.2)
        self.assertEqual([heatmap.short(value) for value in values],
                         ["0.0042", "0.030", "0.10", "0.40", "1.00", "1.99", "2.0", "9.9", "10", "100", "331"])

    def test_colours_get_lighter(self):
        """So that faster and slower differ in greyscale too."""
        lights = [0.2126 * red + 0.7152 * green + 0.0722 * blue for red, green, blue, _ in
                  map(heatmap.COLOURS, range(heatmap.COLOURS.N))]
        self.assertTrue(all(a < b for a, b in zip(lights, lights[1:])))

    def test_legend(self):
        series = [("deque", "any", "locked", None), ("deque", "any", "chase-lev", None), ("las", "any", "locked", None),
                  ("inverted", "none", None, "off"), ("inverted", "none", None, "on"), ("inverted", "any", None, "off")]
        rows = [record("alpha", scheduler, 1, 0, 10, victim=victim, options={
            key: value for key, value in (("deque", deque), ("batching", batching)) if value})
            for scheduler, victim, deque, batching in series]
        summary = self.summary(rows)
        self.assertEqual(sorted(summary.keys), ["batching", "deque", "scheduler", "victim"])
        self.assertEqual(
            sorted(line["label"] for line in summary.lines),
            ["deque chase-lev", "deque locked", "inverted any", "inverted victim=none batching=off",
             "inverted victim=none batching=on", "las"])


class Timeline(Folder):
    def test_times(self):
        figure = timeline.figure(self.write_trace())
        self.assertIn("Dropped at the beginning: 7 events", figure.caption)
        (axes,) = figure.draw().axes
        shown = {}
        for artist in axes.patches:
            heights, edges, below = artist.get_data()
            shown[artist.get_gid()] = sum((below - heights) / timeline.ROW * numpy.diff(edges)) * 1000
        expected = {"run-0": 30, "idle-0": 60, "steal-1": 15, "run-1": 40}
        self.assertEqual(shown.keys(), expected.keys())
        for name, micros in expected.items():
            self.assertAlmostEqual(shown[name], micros, places=9)
        self.assertEqual([round(line.get_xdata()[0], 9) for line in axes.lines], [0, 0.07])
        self.assertEqual([text.get_text() for text in axes.get_yticklabels()], ["worker 0 (PU 3)", "worker 1"])

    def test_the_end_is_shown(self):
        """Also where no worker did anything up to it."""
        path = self.write_trace()
        path.write_text(path.read_text().replace('"timed_until_us": 90', '"timed_until_us": 150'))
        (axes,) = timeline.figure(path).draw().axes
        self.assertGreater(axes.get_xlim()[1], 0.13)

    def test_of_a_run(self):
        path = self.folder / "run.json"
        subprocess.run([ACTORLAB, "run", "executor", "--size", "small", "--workers", "1", "--trace", path], check=True,
                       capture_output=True, timeout=60)
        self.assertEqual(self.plot("--trace", path, "--format", "svg"), f"{self.folder / 'run.svg'}\n")
        self.assertIn('id="run-0"', (self.folder / "run.svg").read_text())

    def test_mistakes(self):
        path = self.write_trace(traceEvents=[])
        self.refused([], "a results folder or --trace FILE")
        self.refused([self.folder, "--trace", path], "give either a results folder or --trace FILE")
        self.refused(["--trace", path, "--kind", "scaling"], "neither --kind nor")
        self.refused(["--trace", path], "no events to draw")
        self.refused(["--trace", self.folder / "none"], "No such file")
        for broken in ({"traceEvents": [{"ph": "X"}]}, {"otherData": {}}, {"traceEvents": None}):
            self.refused(["--trace", self.write_trace(**broken)], "not a timeline")


class Written(Folder):
    def inside(self, drawing):
        """No text leaves the paper or is smaller than can be read."""
        drawing.set_dpi(300)  # as it is written; hinting makes text wider on fewer dots
        with warnings.catch_warnings(action="error"):  # panels that found no room
            style.styled(drawing.get_layout_engine().execute)(drawing)
            box, (width, height) = drawing.get_tightbbox(), drawing.get_size_inches()
        self.assertTrue(-0.01 <= box.x0 and box.x1 <= width + 0.01, box)
        self.assertTrue(-0.01 <= box.y0 and box.y1 <= height + 0.01, box)
        for text in drawing.findobj(lambda artist: isinstance(artist, Text) and not artist.get_in_layout()):
            box = text.get_window_extent()
            self.assertTrue(0 <= box.x0 and box.x1 <= width * drawing.dpi, text)
        for text in drawing.findobj(Text):
            self.assertGreaterEqual(text.get_fontsize(), style.SMALLEST, text)

    def test_ticks_fit(self):
        """Also where several panels stand side by side."""
        rows = [record("alpha", "one", workers, 0, 100) for workers in (1, 2, 4, 8, 16, 24, 32, 40, 48)]
        for row in rows:
            for worker in row["counters"]:
                worker["missed_gulps"] = 1
        drawing = named(self.summary(rows), "counters").draw()
        self.assertEqual(len(drawing.axes), 4)
        self.inside(drawing)
        for axes in drawing.axes:
            boxes = [label.get_window_extent() for label in axes.get_xticklabels()]
            self.assertTrue(all(right.x0 > left.x1 for left, right in zip(boxes, boxes[1:])), axes)

    def test_text_fits(self):
        wide = [row | {"benchmark": 3 * row["benchmark"].upper(), "scheduler": 9 * row["scheduler"]}
                for row in made_up()]
        given = {f"a long parameter {n}": 10 ** n for n in range(12)}
        summaries = [("made-up", self.summary([row | {"parameters": given} for row in wide]), plots.KINDS),
                     ("peers", Summary(ACTORLAB, REFERENCE), UNLIKE)]
        for where, summary, kinds in summaries:
            for figure in plots.figures(summary, kinds):
                with self.subTest(where=where, figure=figure.name):
                    self.inside_of(figure, summary)

    def test_many_workloads(self):
        """Fit on a page each."""
        rows = [record(f"balance-{n:02}", name, workers, block, 100 * noise(block, n, name, workers) * 9 ** (n % 3))
                for n in range(17) for name in ("one", "gamma") for workers in (1, 2) for block in range(BLOCKS)]
        summary = self.summary(rows)
        made = plots.figures(summary)
        self.assertEqual([figure.name for figure in made],
                         ["scaling", "speedup", "speedup-best", "efficiency", "bars", "ratios", "forest", "counters", "memory"])
        for figure in made:
            if figure.name not in UNLIKE:
                continue
            with self.subTest(figure=figure.name):
                drawing = self.inside_of(figure, summary)
                self.assertLess(drawing.get_figheight(), 10.5)  # of A4's 11.7
                # A forest has no row for a baseline.
                without = findings.baselines_of(summary) if figure.name == "forest" else set()
                self.assertEqual({index for *_, index in drawn(drawing)},
                                 set(range(len(summary.cells))) - without)

    def inside_of(self, figure, summary):
        drawing = figure.draw(foot=f"{figure.caption} {style.provenance(summary)}")
        self.assertIn(drawing.get_figwidth(), (style.SINGLE, style.DOUBLE))
        self.inside(drawing)
        return drawing

    def test_files(self):
        """All kinds in one format, and those that are unlike one another as pixels and on paper."""
        self.write([row | {"handoff": PROBE} for row in made_up()
                    if row["workers"] < 4 and row["scheduler"] != "two"])
        out, painted = self.folder / "a" / "b", ("scaling", "ratios", "latencies")
        printed = self.plot(self.folder, "--format", "svg", "--out", out)
        printed += self.plot(self.folder, "--kind", ",".join(painted), "--format", "png,pdf", "--out", out)
        lacking = ("tails", "judged")  # no other axis, and no workload of ours
        names = {f"{kind}.svg" for kind in plots.KINDS if kind not in lacking} | {
            f"{kind}.{form}" for kind in painted for form in ("png", "pdf")}
        self.assertEqual({path.name for path in out.iterdir()}, names)
        self.assertEqual(sorted(printed.split()), sorted(str(out / name) for name in names))
        before = {path: path.read_bytes() for path in out.iterdir()}
        for path, content in before.items():
            self.assertTrue(content.startswith({".png": b"\x89PNG", ".pdf": b"%PDF-", ".svg": b"<?xml"}[path.suffix]))
        self.assertIn(b"/FontFile2", before[out / "scaling.pdf"])  # embedded
        self.assertIn(b'id="cell-0"', before[out / "scaling.svg"])
        for path in self.plot(self.folder, "--kind", "latencies", "--format", "png,pdf,svg", "--out", out).split():
            self.assertEqual(Path(path).read_bytes(), before[Path(path)])

    def test_drawn_once(self):
        """Into each file, and not once more to lay it out."""
        figure, out = named(self.summary(), "scaling"), io.BytesIO
        for form, kind in (("png", out), ("pdf", out), ("svg", io.StringIO)):
            with patch.object(Axis, "draw", autospec=True, side_effect=Axis.draw) as axis:
                drawing, file = figure.draw(), kind()
                style.save(drawing, file, form)
            self.assertEqual(axis.call_count, 2 * len(drawing.axes), form)

    def test_chosen(self):
        self.write(made_up())
        subprocess.run([ROOT / "scripts" / "plot", self.folder, "--kind", "scaling", "--format", "svg"], check=True,
                       capture_output=True, timeout=120, env={**os.environ, "AL_ACTORLAB": str(ACTORLAB)})
        self.assertEqual({path.name for path in self.folder.iterdir()}, {"records.jsonl", "config.toml", "scaling.svg"})

    def test_several_machines(self):
        """What only the second machine has can be asked for."""
        alone = record("alpha", "one", 1, 0, 100)
        rows = [row | {"environment": {"cpu": "Fake 4000", "topology_hash": "u"}} for row in made_up()]
        path = self.write([alone, *rows])
        for given, kind in ((["--benchmark", "beta"], "scaling"), (["--baseline", "gamma"], "ratios"),
                            ([], "speedup")):
            self.assertEqual(self.plot(path, *given, "--kind", kind, "--format", "svg").splitlines()[-1],
                             str(self.folder / f"{kind}-2.svg"))
        self.refused([path, "--baseline", "three"], "--baseline 'three': no trial of it finished; valid: ")
        self.write([alone | {"outcome": "timeout"}, *rows])
        self.plot(path, "--kind", "speedup", "--format", "svg")

    def test_mistakes(self):
        path = self.write(made_up())
        self.refused([self.write(made_up()), "--benchmark", "alpa"], "--benchmark 'alpa': no trial of it finished; valid: alpha, beta")
        self.refused([self.folder / "none"], "no such folder or file of records")
        self.refused([path, "--kind", "scaling,pie"], "'pie' is not one of: scaling")
        self.refused([path, "--format", "jpeg"], "'jpeg' is not one of: png, pdf, svg, pgf")
        self.refused([path, "--out", path], "cannot write", code=3)
        self.refused([path, "--baseline", "three"], "--baseline 'three': no trial of it finished; valid: ")
        self.write([row for row in made_up() if row["workers"] == 1])
        self.refused([path, "--kind", "speedup"], "nothing to draw of speedup")
        self.write([])
        self.refused([path], "no finished trial")


if __name__ == "__main__":
    unittest.main()
