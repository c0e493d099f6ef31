#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The figures: what they show is what the records say. Drawn from made-up records and from results/reference.

AL_BUILD names the build folder."""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace

ROOT = Path(__file__).resolve().parents[1]
ACTORLAB = Path(os.environ.get("AL_BUILD", ROOT / "build")).absolute() / "actorlab"
sys.path.insert(0, str(ROOT / "scripts" / "lib"))
sys.dont_write_bytecode = True

import plots
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text
from plots import lines, style
from summary import Summary

REFERENCE = sorted((ROOT / "results" / "reference").glob("*/records.jsonl"))
BLOCKS = 4
DRIFT = (1.0, 1.3, 0.9, 1.1)  # of a block, which all of its trials share


def noise(block, *what):
    """Some percent up or down, the same in every run of the test."""
    return 1 + (sum(map(ord, repr(what))) * 37 % 11 + block * 5 % 7 - 8) / 200


def record(benchmark, scheduler, workers, block, ns_per_message, messages=1000, **more):
    return {
        "schema_version": 1, "benchmark": benchmark, "parameters": {"size": 7}, "scheduler": scheduler,
        "victim": "none", "idle": "spin", "options": {"queues": 16 * workers}, "workers": workers, "pin": "close",
        "topology": "this machine", "engine": "native", "oversubscribed": workers > 4, "messages": messages,
        "time_ns": [round(ns_per_message * messages)], "peak_rss_bytes": 5000000 + 1000 * workers, "outcome": "ok",
        "environment": {"cpu": "Fake 3000", "kernel": "6.1", "compiler": "cc 1", "revision": "r", "binary_hash": "b",
                        "topology_hash": "t"}, "sweep": {"name": "made-up", "block": block}, **more}


def made_up():
    """Two benchmarks, three strategies, four worker counts; "gamma" never ran beta with one worker."""
    speed = {"alpha": 1, "beta": 400}
    return [record(benchmark, scheduler, workers, block,
                   factor * cost * DRIFT[block] * noise(block, benchmark, scheduler, workers) * (0.3 + 0.7 / workers))
            for block in range(BLOCKS) for benchmark, factor in speed.items()
            for scheduler, cost in (("one", 100), ("two", 100.5), ("gamma", 9000)) for workers in (1, 2, 4, 8)
            if (benchmark, scheduler, workers) != ("beta", "gamma", 1)]


class Folder(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def write(self, records, config=""):
        path = self.folder / "records.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in records))
        (self.folder / "config.toml").write_text(config)
        return path

    def summary(self, records=None, config=""):
        return Summary(ACTORLAB, self.write(made_up() if records is None else records, config))

    def plot(self, *arguments, code=0):
        done = subprocess.run([ROOT / "scripts" / "plot", *map(str, arguments)], capture_output=True, text=True,
                              timeout=120, env={**os.environ, "AL_ACTORLAB": str(ACTORLAB)})
        self.assertEqual(done.returncode, code, done)
        return done


def drawn(drawing):
    """What of a drawing shows a cell: [(axes, artist, index of the cell)]."""
    return [(axes, artist, int(artist.get_gid().removeprefix("cell-"))) for axes in drawing.axes
            for artist in axes.get_children() if (artist.get_gid() or "").startswith("cell-")]


def medians(drawing):
    """index -> the value at its marker."""
    found = {}
    for _, artist, index in drawn(drawing):
        (value,) = artist.get_ydata()
        assert found.setdefault(index, value) == value
    return found


def named(summary, name):
    (figure,) = plots.figures(summary, [name])
    return figure


def times(rows, **keys):
    """block -> ns per message of these records, computed here."""
    return {row["sweep"]["block"]: statistics.median(row["time_ns"]) / row["messages"]
            for row in rows if all(row[key] == value for key, value in keys.items())}


class Drawn(Folder):
    def test_scaling(self):
        rows = made_up()
        summary = self.summary(rows)
        drawing = named(summary, "scaling").draw()
        shown = medians(drawing)
        self.assertEqual(sorted(shown), list(range(len(summary.cells))))
        for index, value in shown.items():
            cell = summary.cells[index]
            mine = times(rows, **{key: cell[key] for key in ("benchmark", "scheduler", "workers")})
            self.assertAlmostEqual(value, statistics.median(mine.values()), places=9)
        hollow = {summary.cells[index]["workers"] for _, artist, index in drawn(drawing)
                  if artist.get_markerfacecolor() == "white"}
        self.assertEqual(hollow, {8})

    def test_scale(self):
        def panel(*values):
            times = [{"median": m, "low": m - 1, "high": m + 1, "achieved": 0, "values": [m]} for m in values]
            cells = [{"benchmark": "b", "workers": i + 1, "ns_per_message": t, "oversubscribed": False, "n": 1,
                      "parameters": {}, "index": i} for i, t in enumerate(times)]
            known = SimpleNamespace(of=lambda _: cells, cells=cells, benchmarks=["b"], keys=[], common=lambda _: {},
                                    level=0.95)
            (axes,) = named(known, "scaling").draw().axes
            return axes.get_yscale(), axes.get_ylim()

        scale, (low, high) = panel(10, 200)
        self.assertEqual((scale, low), ("linear", 0))
        self.assertGreater(high, 201)
        scale, (low, high) = panel(10, 201)
        self.assertEqual(scale, "log")
        self.assertTrue(0 < low < 9 and 202 < high < 300, (low, high))


class Parts(unittest.TestCase):
    def test_legend(self):
        keys = SimpleNamespace(keys=["scheduler", "victim", "deque", "batching"])
        series = [("deque", "any", "locked", None), ("deque", "any", "chase-lev", None), ("las", "any", "locked", None),
                  ("inverted", "none", None, "off"), ("inverted", "none", None, "on"), ("inverted", "any", None, "off")]
        self.assertEqual([style.series_label(keys, series, key) for key in series], [
            "deque locked", "deque chase-lev", "las", "inverted none batching=off", "inverted none batching=on",
            "inverted any"])
        self.assertEqual(style.series_label(keys, series[:1], series[0]), "deque any locked")

    def test_ticks(self):
        def ticks(*counts):
            return lines.Axis([{"workers": count} for count in counts]).ticks()

        self.assertEqual(ticks(1, 2, 3, 4), [1, 2, 3, 4])
        self.assertEqual(ticks(1), [1])
        many = ticks(*range(1, 49))
        self.assertEqual(many[-1], 48)
        self.assertLessEqual(len(many), lines.MOST_TICKS)


class Written(Folder):
    def inside(self, drawing):
        """No text leaves the paper or is smaller than can be read."""
        canvas = FigureCanvasAgg(drawing)
        style.styled(canvas.draw)()
        box, (width, height) = drawing.get_tightbbox(canvas.get_renderer()), drawing.get_size_inches()
        self.assertTrue(-0.01 <= box.x0 and box.x1 <= width + 0.01, box)
        self.assertTrue(-0.01 <= box.y0 and box.y1 <= height + 0.01, box)
        for text in drawing.findobj(Text):
            self.assertGreaterEqual(text.get_fontsize(), style.SMALLEST, text)

    def test_text_fits(self):
        summaries = [("made up", self.summary())] + [(path, Summary(ACTORLAB, path)) for path in REFERENCE]
        self.assertGreater(len(REFERENCE), 3)
        for where, summary in summaries:
            for figure in plots.figures(summary):
                with self.subTest(where=where, figure=figure.name):
                    drawing = figure.draw(foot=f"{figure.caption} {style.provenance(summary)}")
                    self.assertIn(drawing.get_figwidth(), (style.SINGLE, style.DOUBLE))
                    self.inside(drawing)

    def test_files(self):
        self.write(made_up())
        out = self.folder / "a" / "b"
        done = self.plot(self.folder, "--format", "png,pdf,svg", "--out", out)
        names = {f"{kind}.{form}" for kind in plots.KINDS for form in ("png", "pdf", "svg")}
        self.assertEqual({path.name for path in out.iterdir()}, names)
        self.assertEqual(sorted(done.stdout.split()), sorted(str(out / name) for name in names))
        before = {path: path.read_bytes() for path in out.iterdir()}
        for path, content in before.items():
            self.assertTrue(content.startswith({".png": b"\x89PNG", ".pdf": b"%PDF-", ".svg": b"<?xml"}[path.suffix]))
        self.assertIn(b"/FontFile2", before[out / "scaling.pdf"])  # embedded
        self.assertIn(b'id="cell-0"', before[out / "scaling.svg"])
        self.plot(self.folder, "--format", "png,pdf,svg", "--out", out)
        self.assertEqual({path: path.read_bytes() for path in out.iterdir()}, before)

    def test_chosen(self):
        self.write(made_up())
        self.plot(self.folder, "--kind", "scaling", "--format", "svg")
        self.assertEqual({path.name for path in self.folder.iterdir()}, {"records.jsonl", "config.toml", "scaling.svg"})

    def refused(self, arguments, said, code=2):
        done = self.plot(*arguments, code=code)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn(said, done.stderr)

    def test_mistakes(self):
        path = self.write(made_up())
        self.refused([], "required: records")
        self.refused([self.folder / "none"], "no such records file")
        self.refused([path, "--kind", "scaling,pie"], "'pie' is none of: scaling")
        self.refused([path, "--format", "jpeg"], "'jpeg' is none of: png, pdf, svg")
        self.refused([path, "--out", path], "cannot write", code=3)
        self.write([])
        self.refused([path], "no finished trial")


if __name__ == "__main__":
    unittest.main()
