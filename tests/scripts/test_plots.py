#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The figures: what they show is what the records say. Drawn from made-up records and from results/reference.

AL_BUILD names the build folder."""

import colorsys
import io
import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile
import tomllib
import unittest
import warnings
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch

import numpy
from matplotlib.colors import to_rgb
from matplotlib.patches import Rectangle
from matplotlib.text import Text

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import ACTORLAB, ROOT

import plots
from common.actorlab import ask
from machine.topology import order
from plots import counters as counters_plot
from plots import heatmap, lines, pairs, style, timeline
from plots import latencies as latencies_plot
from plots import plot
from results.summary import Summary

REFERENCE = ROOT / "results" / "reference" / "peers" / "records.jsonl"
BLOCKS = 4
DRIFT = (1.0, 1.3, 0.9, 1.1)  # of a block, which all of its trials share


def noise(block, *what):
    """Some percent up or down, the same in every run of the test."""
    return 1 + ((sum(map(ord, repr(what))) + block * 5) * 37 % 17 - 8) / 200


def latencies(benchmark, scheduler, workers, block, n=100):
    """Of one process, in as many buckets as values."""
    values = sorted(100000 * noise(block, scheduler, workers, i) ** (3 * i % 40) for i in range(n))
    return {"n": n, "min_ns": values[0], "max_ns": values[-1], "buckets": [[value, 1] for value in values]}


def counters(workers, block):
    """Of each worker, and of the thread that starts. Only with four workers there is more than one steal."""
    steals = {1: 0, 2: 1, 4: 700, 8: 1}[workers]
    return [{"messages_received": 1000, "gulps": 500 - 10 * block, "missed_gulps": 0, "steals": steals,
             "steal_attempts": 30 + block, "queues_stolen": 2 * steals} for worker in range(workers)] + \
        [{"messages_received": 0, "gulps": 0, "missed_gulps": 0, "steals": 0, "steal_attempts": 0, "queues_stolen": 0}]


def record(benchmark, scheduler, workers, block, ns_per_message, messages=1000, **more):
    return {
        "schema_version": 1, "benchmark": benchmark, "parameters": {"size": 7}, "scheduler": scheduler,
        "victim": "none", "idle": "spin", "options": {"queues": 16 * workers}, "workers": workers, "pin": "close",
        "topology": "this machine", "engine": "native", "oversubscribed": workers > 4, "messages": messages,
        "memory": {"allocated_bytes": 900000, "resident_bytes": 3000000, "queue_bytes": 1000 * workers}
        if benchmark == "beta" else None,
        "counters": counters(workers, block) if scheduler != "two" else [],
        "latencies": latencies(benchmark, scheduler, workers, block) if benchmark == "beta" else None,
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
        """What it prints, to stdout or stderr."""
        out, errors = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(errors), patch.object(sys, "argv", ["plot", *map(str, arguments)]), \
                patch.dict(os.environ, AL_ACTORLAB=str(ACTORLAB)):
            self.assertEqual(plot.main(), code, errors.getvalue())
        return errors.getvalue() if code else out.getvalue()

    def refused(self, arguments, said, code=2):
        printed = self.plot(*arguments, code=code)
        self.assertEqual(printed.count("\n"), 1, printed)
        self.assertIn(said, printed)


def drawn(drawing):
    """What of a drawing shows a cell: [(axes, artist, index of the cell)]."""
    return [(axes, artist, int(artist.get_gid().removeprefix("cell-"))) for axes in drawing.axes
            for artist in axes.get_children() if (artist.get_gid() or "").startswith("cell-")]


def medians(drawing):
    """index -> the value at its marker."""
    found = {}
    for _, artist, index in drawn(drawing):
        (value,) = map(float, artist.get_ydata())
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

    def speedups(self, rows, workers=1, **line):
        """By block, computed here."""
        alone, together = times(rows, workers=1, **line), times(rows, workers=workers, **line)
        return [alone[block] / together[block] for block in alone]

    def test_speedup(self):
        rows = made_up()
        summary = self.summary(rows)
        figures = {name: named(summary, name) for name in ("speedup", "efficiency")}
        drawings = {name: figure.draw() for name, figure in figures.items()}
        speedup, efficiency = (medians(drawings[name]) for name in ("speedup", "efficiency"))
        self.assertEqual(len(speedup), len(summary.cells) - 3)  # gamma on beta has nothing to be compared with
        self.assertIn("Not shown: 3 cells", figures["speedup"].caption)
        for index, value in speedup.items():
            cell = summary.cells[index]
            mine = self.speedups(rows, cell["workers"], benchmark=cell["benchmark"], scheduler=cell["scheduler"])
            self.assertEqual(len(mine), BLOCKS)
            self.assertAlmostEqual(value, statistics.geometric_mean(mine), places=9)
            self.assertAlmostEqual(efficiency[index], value / cell["workers"], places=9)
        for name, far in (("speedup", 8), ("efficiency", 1)):
            for axes in drawings[name].axes:
                (ideal,) = (line for line in axes.lines if line.get_gid() == "ideal")
                self.assertEqual(ideal.get_ydata()[-1], far)
                self.assertEqual(axes.get_ylim()[0], 0)
                self.assertGreater(axes.get_ylim()[1], far)

    def test_latencies(self):
        rows = made_up()
        summary = self.summary(rows)
        drawing = named(summary, "latencies").draw()
        left, right = drawing.axes
        self.assertEqual(left.get_yscale(), "log")
        boxes = sum(len(known.boxes) for known in latencies_plot.letters_of(summary).values())
        self.assertEqual(sum(isinstance(artist, Rectangle) for artist in left.get_children()) - 1, boxes)
        shown = {axes: {index: artist.get_ydata()[0] for where, artist, index in drawn(drawing) if where is axes}
                 for axes in (left, right)}
        self.assertEqual([sorted(found) for found in shown.values()],
                         2 * [[cell["index"] for cell in summary.of("beta")]])
        for cell in summary.of("beta"):
            runs = [row for row in rows if all(row[key] == cell[key] for key in ("benchmark", "scheduler", "workers"))]
            rates = [row["messages"] / row["time_ns"][0] * 1e9 for row in runs]
            self.assertTrue(math.isclose(shown[right][cell["index"]], statistics.median(rates), rel_tol=1e-9))
            values = [low / 1e9 for row in runs for low, _ in row["latencies"]["buckets"]]
            self.assertEqual(len(values), 400)
            self.assertTrue(math.isclose(shown[left][cell["index"]], statistics.median(values), rel_tol=0.008))

    def letters(self, *runs):
        """Of one cell's processes, with these latencies."""
        rows = [record("alpha", "one", 1, block, 10, latencies=run) for block, run in enumerate(runs)]
        (found,) = latencies_plot.letters_of(self.summary(rows)).values()
        return found

    def test_letter_values(self):
        """As Hofmann, Wickham and Kafadar have them: by depth, from both ends."""
        middle = 1 + 3 / 512
        for n in (1, 2, 30, 31, 61, 62, 100, 247, 1000):
            values = sorted(round(math.exp(i * 7 % n / 50), 1) for i in range(n))
            different = sorted(set(values))
            found = self.letters({"n": n, "min_ns": 0, "max_ns": 1e17, "buckets": [
                [value * 1e6 / middle, values.count(value)] for value in different]})
            self.assertEqual(found.n, n)
            self.assertAlmostEqual(found.median, statistics.median(values) / 1e3)
            depth, expected = (n + 1) / 2, []
            while n / 2 ** (len(expected) + 2) >= 7.7:
                depth = (math.floor(depth) + 1) / 2
                ranks = math.floor(depth), math.ceil(depth)
                expected.append([sum(ordered[rank - 1] for rank in ranks) / 2
                                 for ordered in (values, values[::-1])])
            self.assertEqual([[round(end * 1e3, 6) for end in box] for box in found.boxes],
                             [[round(end, 6) for end in box] for box in expected])
            low, high = expected[-1] if expected else 2 * [statistics.median(values)]
            self.assertEqual([round(value * 1e3, 6) for value in found.outside],
                             [value for value in different if not low <= value <= high])
        self.assertEqual(len(expected), 6)

    def test_merged(self):
        """Buckets of several processes, each at its middle but within what was seen."""
        found = self.letters({"min_ns": 102, "max_ns": 1003, "buckets": [[100, 2], [1000, 5]]},
                             {"min_ns": 0, "max_ns": 600, "buckets": [[0, 1], [512, 3]]})
        self.assertEqual((found.n, found.boxes), (11, []))
        for value, expected in zip((*found.outside, found.median), (1, 102, 1003, 515)):
            self.assertTrue(math.isclose(value, expected * 1e-9), found)

    def test_memory(self):
        rows = made_up()
        summary = self.summary(rows)
        drawing = named(summary, "memory").draw()
        self.assertEqual(medians(drawing), {cell["index"]: 5000000 + 1000 * cell["workers"] for cell in summary.cells})
        self.assertEqual({axes.get_ylim()[0] for axes in drawing.axes}, {0})
        shown = {}  # each bar in front of those before it
        for artist in drawing.axes[1].patches:
            name, _, index = artist.get_gid().rpartition("-")
            shown.setdefault(int(index), []).append((name, artist.get_height()))
        self.assertEqual(shown, {cell["index"]: [("resident_bytes", 3000000), ("allocated_bytes", 900000),
                                                 ("queue_bytes", 1000 * cell["workers"])]
                                 for cell in summary.of("beta")})
        self.assertFalse(drawing.axes[0].patches)
        without = named(self.summary([row | {"memory": None} for row in rows]), "memory")
        self.assertNotIn("Bars", without.caption)

    def test_counters(self):
        rows = made_up()
        summary = self.summary(rows)
        figure = named(summary, "counters")
        drawing = figure.draw()
        names = ["steal attempts per message", "steals per message", "messages per gulp"]  # no gulp was missed
        self.assertEqual([axes.get_title() for axes in drawing.axes[:3]], names)
        self.assertEqual(len(drawing.axes), 6)
        indices = {cell["index"] for cell in summary.cells if cell["scheduler"] != "two"}
        for column, name in enumerate(names):
            shown = {index: artist.get_ydata()[0] for axes, artist, index in drawn(drawing)
                     if drawing.axes.index(axes) % 3 == column}
            self.assertEqual(set(shown), indices)
            for index, value in shown.items():
                workers = summary.cells[index]["workers"]
                blocks = range(BLOCKS)
                expected = {
                    names[0]: statistics.median((30 + block) / 1000 for block in blocks),
                    names[1]: {1: 0, 2: 0.001, 4: 0.7, 8: 0.001}[workers],
                    names[2]: statistics.median(1000 / (500 - 10 * block) for block in blocks)}[name]
                self.assertAlmostEqual(value, expected, places=12)
        self.assertEqual([axes.get_yscale() for axes in drawing.axes[:3]], ["linear", "symlog", "linear"])
        self.assertEqual({axes.get_ylim()[0] for axes in drawing.axes}, {0})
        old = [{key: value for key, value in worker.items() if key != "steals"} for worker in counters(4, 0)]
        (cell,) = self.summary([record("alpha", "one", 4, 0, 10, counters=old)]).cells
        self.assertEqual(cell["rates"]["steals_per_message"]["median"], 2 * 700 / 1000)

    def test_crossings(self):
        """Two packages with two cores of two PUs each: the third worker changes package, the fifth shares a core."""
        machine = "package:2 core:2 pu:2"
        known = order(ACTORLAB, machine, "close")
        pus = [worker["pu"] for worker in known["order"]]

        def marks(change=dict, **more):
            rows = [row | {"topology": machine, "pus": pus[:row["workers"]]} | more
                    | {"environment": row["environment"] | {"topology_hash": known["topology_hash"]}}
                    for row in made_up()]
            rows[0] = rows[0] | change()
            summary = self.summary(rows)
            figure = named(summary, "scaling")
            drawing = figure.draw()
            found = []
            for axes in drawing.axes:
                places = [line.get_xdata()[0] for line in axes.lines if line.get_gid() == "crossing"]
                texts = [text.get_text() for text in axes.texts if text.get_rotation() == 90]
                found.append(dict(zip(texts, places)))
            self.assertEqual(found[0], found[1])
            self.assertEqual("Vertical lines" in figure.caption, bool(found[0]))
            return found[0]

        self.assertEqual(marks(), {"package": 3, "SMT": 6})  # between 2 and 4, between 4 and 8
        self.assertEqual(marks(topology="package:2 core:2 pu:3"), {})  # another machine
        self.assertEqual(marks(lambda: {"environment": {"topology_hash": "t"}}), {})  # another, by its hash alone
        self.assertEqual(marks(topology="no such file.xml"), {})
        self.assertEqual(marks(pus=None), {})
        self.assertEqual(marks(pus=[1]), {})
        self.assertEqual(marks(lambda: {"pus": [None]}), {})  # one cell was not bound
        self.assertEqual(marks(lambda: {"pus": []}), {"package": 3, "SMT": 6})  # a peer

    def test_nothing_to_compare(self):
        def kinds(rows):
            return [figure.name for figure in plots.figures(self.summary(rows))]

        rows = [row | {"latencies": None, "counters": []} for row in made_up()]
        left = ["scaling", "memory"]
        self.assertEqual(kinds([row for row in rows if row["workers"] == 2 and row["scheduler"] == "one"]), left)
        self.assertEqual(kinds([row | {"sweep": None} for row in rows]), left)  # not of a sweep: no pairs

    def test_ratios(self):
        rows = made_up()
        failed = record("beta", "gamma", 1, 0, 1, outcome="timeout")
        twin = record("alpha", "one", 1, 0, 77777)
        twin["sweep"]["twin"] = True
        summary = self.summary(rows + [failed], '[sweep]\nbaseline = "two"\n')
        drawing = named(summary, "ratios").draw()
        patches = drawn(drawing)
        self.assertEqual(sorted(index for *_, index in patches), list(range(len(summary.cells))))
        judged = ask(ACTORLAB, "compare", self.folder / "records.jsonl", "--against", "scheduler=two", "--json")
        verdicts = {tuple(row[key] for key in ("benchmark", "scheduler", "workers")): row["verdict"]
                    for row in judged["comparisons"]}
        seen = set()
        for axes, patch, index in patches:
            cell = summary.cells[index]
            where = {key: cell[key] for key in ("benchmark", "workers")}
            mine, base = times(rows, scheduler=cell["scheduler"], **where), times(rows, scheduler="two", **where)
            ratio = statistics.geometric_mean([mine[block] / base[block] for block in mine])
            (text,) = (text.get_text() for text in axes.texts
                       if text.get_position() == (patch.get_x() + 0.5, patch.get_y() + 0.5))
            self.assertEqual(text.lstrip("~"), "1" if cell["scheduler"] == "two" else heatmap.short(ratio))
            blue, red = patch.get_facecolor()[2], patch.get_facecolor()[0]
            if cell["scheduler"] == "gamma":
                self.assertGreater(red, blue)
            if cell["scheduler"] == "one":
                self.assertAlmostEqual(cell["ratio"]["median"], ratio, places=9)
            if cell["scheduler"] != "two":
                verdict = verdicts[cell["benchmark"], cell["scheduler"], cell["workers"]]
                self.assertEqual(text.startswith("~"), verdict in ("equivalent", "inconclusive"))
                seen.add(text.startswith("~"))
        self.assertEqual(seen, {True, False})
        (panel,) = (axes for axes in drawing.axes if "1 worker" in [text.get_text() for text in axes.texts])
        self.assertEqual([text.get_text() for text in panel.texts].count(heatmap.FAILED), 1)
        with_twin = self.summary(rows[:1] + [twin] + rows[1:])
        self.assertEqual([cell["n"] for cell in with_twin.cells], [BLOCKS] * len(with_twin.cells))

    def test_one_workload(self):
        summary = self.summary()
        times = [cell["ns_per_message"] for cell in summary.of("beta")]
        kept = Summary(ACTORLAB, self.folder / "records.jsonl", benchmarks=["beta"])
        self.assertEqual((kept.benchmarks, kept.known), (["beta"], summary.known))
        self.assertEqual([cell["ns_per_message"] for cell in kept.cells], times)
        self.plot(self.folder, "--benchmark", "beta", "--kind", "scaling", "--format", "svg", "--out", self.folder / "one")
        drawn = (self.folder / "one" / "scaling.svg").read_text()
        self.assertIn("beta", drawn)
        self.assertNotIn("alpha", drawn)

    def test_ratios_of_the_same_work(self):
        """A workload with other parameters is other work: each has its own baseline."""
        cost = {("one", 7): 10, ("two", 7): 20, ("one", 8): 1000, ("two", 8): 4000}
        rows = [record("alpha", scheduler, 1, block, time, parameters={"size": size})
                for (scheduler, size), time in cost.items() for block in range(2)]
        drawing = named(self.summary(rows, '[sweep]\nbaseline = "one"\n'), "ratios").draw()
        shown = [text.get_text() for axes in drawing.axes for text in axes.texts]
        self.assertEqual([shown.count(text) for text in ("1", "2.0", "4.0")], [2, 1, 1])

    def test_ratios_on_average(self):
        """The last row: geometric means, of the lines that have a ratio on every workload."""
        rows = made_up()
        rows += [row | {"benchmark": "delta"} for row in rows if row["benchmark"] == "alpha"]
        summary = self.summary(rows, '[sweep]\nbaseline = "two"\n')
        drawing, shown = named(summary, "ratios").draw(), {}
        for axes in drawing.axes[:-1]:  # the last are the colours
            (workers,) = (text.get_text().split()[0] for text in axes.texts if "worker" in text.get_text())
            names = [text.get_text() for text in axes.get_xticklabels()]
            shown |= {(names[int(text.get_position()[0])], int(workers)): text.get_text() for text in axes.texts
                      if text.get_position()[1] == axes.get_yticks()[-1]}
        expected = {}
        for workers in (1, 2, 4, 8):
            for name in ("one", "two", "gamma"):
                means = []
                for benchmark in ("alpha", "beta", "delta"):
                    where = {"benchmark": benchmark, "workers": workers}
                    mine, base = times(rows, scheduler=name, **where), times(rows, scheduler="two", **where)
                    means += [statistics.geometric_mean([mine[block] / base[block] for block in mine])] if mine else []
                if len(means) == 3:
                    expected[name, workers] = "1" if name == "two" else heatmap.short(statistics.geometric_mean(means))
        self.assertEqual({key: text.lstrip("~") for key, text in shown.items()}, expected)
        self.assertNotIn(("gamma", 1), shown)
        self.assertEqual(drawing.axes[0].get_yticklabels()[-1].get_text(), heatmap.AVERAGE)

    def test_ratios_of_many_lines(self):
        rows = [record("alpha", f"strategy-{n:02}", workers, block, 10 * 2 ** n) for n in range(40)
                for workers in (1, 2) for block in range(2)]
        summary = self.summary(rows)
        figure = named(summary, "ratios")
        self.assertIn("Beyond 8 times", figure.caption)
        patches = drawn(figure.draw())
        self.assertEqual(sorted(index for *_, index in patches), list(range(80)))
        self.assertGreater(len({axes for axes, *_ in patches}), 2)

    def test_foot(self):
        said = SimpleNamespace(places=lambda: {"cpu": ["Fake 3000"]}, peers=["other 2", "other 1"], notes=["left out: all"],
                               noise=7.254)
        self.assertEqual(style.provenance(said), "Other systems: other 1; other 2. Left out: all. "
                         "Equal cells (A/A) differ by up to 7.25%. Fake 3000.")
        said = SimpleNamespace(places=dict, peers=[], notes=[], noise=None)
        self.assertEqual(style.provenance(said), "")

    def test_colours(self):
        """A strategy has one colour, its lines have shades of it, and no two lines look alike; gnuplot has the same."""
        def looks(*lines, option="mode"):
            rows = [record("alpha", name, 1, block, 10, options={option: value}) for name, value in lines for block in range(2)]
            summary = self.summary(rows)
            found, series = style.looks_of(summary), style.series_of(summary)
            subprocess.run([ACTORLAB, "export", self.write(rows), "--format", "gnuplot", "--out", self.folder / "gp"], check=True)
            theirs = re.findall("^set linetype .* rgb '(.*?)'", (self.folder / "gp" / "alpha.gp").read_text(), re.M)
            self.assertEqual([found[key].colour.upper() for key in series], theirs)
            self.assertEqual(len(set(map(str, found.values()))), len(lines))
            return [found[key].colour for key in series]

        palette = ask(ACTORLAB, "list", "--json")["palette"]
        colour = dict(zip(palette["strategies"], map(str.lower, palette["colours"])))
        self.assertEqual(looks(("deque", 1), ("inverted", 1)), [colour["inverted"], colour["deque"]])
        self.assertEqual(looks(("las", 1), ("deque", 1)), [colour["deque"], colour["las"]])
        self.assertEqual(looks(("plain", 1), ("inverted", 1)), [colour["inverted"], colour["plain"]])
        self.assertEqual(len(palette["colours"]), len(set(palette["strategies"])))
        peers = tomllib.loads((ROOT / "benchmarks" / "peers" / "peers.toml").read_text())
        self.assertLessEqual(set(peers), set(palette["strategies"]))
        self.assertNotIn(looks(("mine", 1), ("erlang", 1))[1], colour.values())
        hues = [colorsys.rgb_to_hsv(*to_rgb(one)) for one in looks(*(("deque", n) for n in range(4)))]
        self.assertEqual(len({round(360 * hue / 8) for hue, *_ in hues}), 1, hues)
        many = looks(*(("inverted", n) for n in range(30)))
        self.assertEqual(many[:10], [one.lower() for one in palette["colours"]])
        many = looks(*(("inverted", n) for n in range(30)), ("central", 0))
        self.assertNotIn(colour["deque"], many)

    def test_width_of_one_panel(self):
        for lines, width in ((6, style.SINGLE), (7, style.DOUBLE)):
            rows = [record("alpha", f"a-strategy-with-a-long-name-{n}", 1, block, 10)
                    for n in range(lines) for block in range(2)]
            drawing = named(self.summary(rows), "scaling").draw()
            self.assertEqual(drawing.get_figwidth(), width, lines)

    def test_scale(self):
        def panel(*values):
            times = [{"median": m, "low": m - 1, "high": m + 1, "achieved": 0, "values": [m]} for m in values]
            cells = [{"benchmark": "b", "workers": i + 1, "ns_per_message": t, "oversubscribed": False, "n": 1,
                      "parameters": {}, "index": i, "line": 0, "pus": None} for i, t in enumerate(times)]
            known = SimpleNamespace(of=lambda _: cells, cells=cells, benchmarks=["b"], keys=[], common=lambda _: {},
                                    level=0.95, lines=[{"label": "s"}], actorlab=ACTORLAB)
            (axes,) = named(known, "scaling").draw().axes
            return axes.get_yscale(), axes.get_ylim()

        scale, (low, high) = panel(10, 200)
        self.assertEqual((scale, low), ("linear", 0))
        self.assertGreater(high, 201)
        scale, (low, high) = panel(10, 201)
        self.assertEqual(scale, "log")
        self.assertTrue(0 < low < 9 and 202 < high < 300, (low, high))


class Pairs(Folder):
    def test_as_summarize(self):
        """The same as actorlab's own, of reference results with 10 blocks and of made-up ones with 4."""
        made_up_path = self.write(made_up())
        for path, baseline in ((REFERENCE, "inverted"), (made_up_path, "one")):
            def identity(cell):
                keys = ("benchmark", "parameters", "scheduler", "victim", "idle", "options", "workers")
                return json.dumps([cell[key] for key in keys])

            summary = Summary(ACTORLAB, path, baseline)
            told = ask(ACTORLAB, "summarize", path, "--json", "--baseline", baseline)
            theirs = {identity(cell): cell["ratio"] for cell in told["cells"]}
            mine = pairs.ratios(summary, "baseline")
            self.assertEqual(len(mine), len(summary.cells))
            for index, point in mine.items():
                ratio = theirs[identity(summary.cells[index])]
                for side in ("median", "low", "high"):
                    self.assertTrue(math.isclose(getattr(point, side), ratio[side], rel_tol=1e-9), (path, point, ratio))

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
                  (heatmap.COLOURS(step / 100) for step in range(101))]
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
            sorted(style.series_label(summary, series, key) for key in style.series_of(summary)),
            ["deque chase-lev", "deque locked", "inverted any", "inverted none batching=off",
             "inverted none batching=on", "las"])

    def test_ticks(self):
        def ticks(*counts):
            return lines.Axis([{"workers": count} for count in counts]).ticks()

        self.assertEqual(ticks(1, 2, 3, 4), [1, 2, 3, 4])
        self.assertEqual(ticks(1), [1])
        many = ticks(*range(1, 49))
        self.assertEqual(many[-1], 48)
        self.assertLessEqual(len(many), lines.MOST_TICKS)


class Timeline(Folder):
    EVENTS = [(0, "run", 10, 30), (0, "idle", 40, 60), (1, "steal", 10, 5), (1, "run", 20, 40), (1, "steal", 60, 10)]

    def write_trace(self, **more):
        rows = [{"ph": "M", "tid": 0, "name": "thread_name", "args": {"name": "worker 0 (PU 3)"}}]
        rows += [{"ph": "X", "tid": tid, "name": name, "ts": ts, "dur": dur} for tid, name, ts, dur in Timeline.EVENTS]
        path = self.folder / "made-up.json"
        path.write_text(json.dumps({"traceEvents": rows, "otherData": {
            "benchmark": "b", "scheduler": "s", "victim": "v", "idle": "i", "seed": 1, "dropped": [0, 7],
            "timed_from_us": 20, "timed_until_us": 90}} | more))
        return path

    def test_times(self):
        figure = timeline.figure(self.write_trace())
        self.assertIn("7 events at the beginning were dropped", figure.caption)
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
        self.refused([self.folder, "--trace", path], "one of them")
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
            style.styled(drawing.draw_without_rendering)()
        box, (width, height) = drawing.get_tightbbox(), drawing.get_size_inches()
        self.assertTrue(-0.01 <= box.x0 and box.x1 <= width + 0.01, box)
        self.assertTrue(-0.01 <= box.y0 and box.y1 <= height + 0.01, box)
        for text in drawing.findobj(lambda artist: isinstance(artist, Text) and not artist.get_in_layout()):
            box = text.get_window_extent()
            self.assertTrue(0 <= box.x0 and box.x1 <= width * drawing.dpi, text)
        for text in drawing.findobj(Text):
            self.assertGreaterEqual(text.get_fontsize(), style.SMALLEST, text)

    def test_text_fits(self):
        wide = [row | {"benchmark": 3 * row["benchmark"].upper(), "scheduler": 9 * row["scheduler"]}
                for row in made_up()]
        given = {f"a long parameter {n}": 10 ** n for n in range(12)}
        summaries = [("wide", self.summary(wide)),
                     ("parameters", self.summary([row | {"parameters": given} for row in made_up()])),
                     ("peers", Summary(ACTORLAB, REFERENCE))]
        for where, summary in summaries:
            for figure in plots.figures(summary):
                with self.subTest(where=where, figure=figure.name):
                    self.inside_of(figure, summary)

    def test_many_workloads(self):
        """Fit on a page each."""
        rows = [record(f"balance-{n:02}", name, workers, block, 100 * noise(block, n, name, workers) * 9 ** (n % 3))
                for n in range(17) for name in ("one", "gamma") for workers in (1, 2) for block in range(BLOCKS)]
        summary = self.summary(rows)
        made = plots.figures(summary)
        self.assertEqual([figure.name for figure in made],
                         ["scaling", "speedup", "efficiency", "ratios", "counters", "memory"])
        for figure in made:
            with self.subTest(figure=figure.name):
                drawing = self.inside_of(figure, summary)
                self.assertLess(drawing.get_figheight(), 10.5)  # of A4's 11.7
                self.assertEqual({index for *_, index in drawn(drawing)}, set(range(len(summary.cells))))

    def inside_of(self, figure, summary):
        drawing = figure.draw(foot=f"{figure.caption} {style.provenance(summary)}")
        self.assertIn(drawing.get_figwidth(), (style.SINGLE, style.DOUBLE))
        self.inside(drawing)
        return drawing

    def test_files(self):
        self.write([row for row in made_up() if row["workers"] < 4 and row["scheduler"] != "two"])
        out = self.folder / "a" / "b"
        printed = self.plot(self.folder, "--format", "png,pdf,svg", "--out", out)
        names = {f"{kind}.{form}" for kind in plots.KINDS for form in ("png", "pdf", "svg")}
        self.assertEqual({path.name for path in out.iterdir()}, names)
        self.assertEqual(sorted(printed.split()), sorted(str(out / name) for name in names))
        before = {path: path.read_bytes() for path in out.iterdir()}
        for path, content in before.items():
            self.assertTrue(content.startswith({".png": b"\x89PNG", ".pdf": b"%PDF-", ".svg": b"<?xml"}[path.suffix]))
        self.assertIn(b"/FontFile2", before[out / "scaling.pdf"])  # embedded
        self.assertIn(b'id="cell-0"', before[out / "scaling.svg"])
        for path in self.plot(self.folder, "--kind", "latencies", "--format", "png,pdf,svg", "--out", out).split():
            self.assertEqual(Path(path).read_bytes(), before[Path(path)])

    def test_chosen(self):
        self.write(made_up())
        subprocess.run([ROOT / "scripts" / "plot", self.folder, "--kind", "scaling", "--format", "svg"], check=True,
                       capture_output=True, timeout=120, env={**os.environ, "AL_ACTORLAB": str(ACTORLAB)})
        self.assertEqual({path.name for path in self.folder.iterdir()}, {"records.jsonl", "config.toml", "scaling.svg"})

    def test_mistakes(self):
        path = self.write(made_up())
        self.refused([self.write(made_up()), "--benchmark", "alpa"], "--benchmark alpa: the records are of alpha, beta")
        self.refused([self.folder / "none"], "no such folder or file of records")
        self.refused([path, "--kind", "scaling,pie"], "'pie' is none of: scaling")
        self.refused([path, "--format", "jpeg"], "'jpeg' is none of: png, pdf, svg, pgf")
        self.refused([path, "--out", path], "cannot write", code=3)
        self.refused([path, "--baseline", "three"], "the records are of gamma, one, two")
        self.write([row for row in made_up() if row["workers"] == 1])
        self.refused([path, "--kind", "speedup"], "nothing to draw of speedup")
        self.write([])
        self.refused([path], "no finished trial")


if __name__ == "__main__":
    unittest.main()
