#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Figures show what the records say.

AL_BUILD names the build folder."""

import colorsys
import math
import re
import statistics
import subprocess
import sys
import tomllib
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch

from matplotlib.colors import to_rgb
from matplotlib.patches import Rectangle

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import ACTORLAB, ROOT, ranks
from support.plotting import BLOCKS, Folder, counters, drawn, made_up, medians, named, record, times

import plots
from common.actorlab import ask
from machine.topology import order
from plots import heatmap, style
from plots import latencies as latencies_plot
from plots import palette as palettes
from results.summary import Summary


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
        # gamma on beta has nothing to be compared with
        self.assertEqual(len(speedup), len(summary.cells) - 3)
        self.assertIn("Not shown: 3 cells", figures["speedup"].caption)
        for index, value in speedup.items():
            cell = summary.cells[index]
            mine = self.speedups(rows, cell["workers"], benchmark=cell["benchmark"], scheduler=cell["scheduler"])
            self.assertEqual(len(mine), BLOCKS)
            self.assertAlmostEqual(value, ranks.estimate(mine), places=9)
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
            self.assertEqual(len(values), 100 * BLOCKS)
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

    def test_queues(self):
        """Over workers or another axis, of simulated cells as well; not if it equals the end."""
        machine = {"name": "m", "title": "M", "hypothetical": False, "model_hash": "0" * 16, "overridden": {}, "binary_hash": "0" * 16}

        def rows(given_back):
            return [record("beta", "one", workers, 0, 5, options={"slots": slots}, engine="sim", machine=machine, memory={
                        "allocated_bytes": None, "resident_bytes": None, "queue_bytes": 1000 * workers,
                        "queue_peak_bytes": 1000 * workers + given_back * slots})
                    for workers in (1, 2) for slots in (10, 20, 40, 80)]

        summary = self.summary(rows(3))
        self.assertEqual(medians(named(summary, "queues").draw()), {
            cell["index"]: 1000 * cell["workers"] + 3 * cell["options"]["slots"] for cell in summary.cells})
        (figure,) = plots.figures(summary, ["queues"], x="slots")
        drawing = figure.draw()
        self.assertEqual(figure.name, "queues-slots")
        self.assertEqual([axes.get_xlabel() for axes in drawing.axes], ["slots"] * 2)
        self.assertEqual(len(medians(drawing)), 8)
        self.assertEqual(plots.figures(self.summary(rows(0)), ["queues"]), [])
        before = [row | {"memory": row["memory"] and {key: value for key, value in row["memory"].items()
                                                      if key != "queue_peak_bytes"}} for row in made_up()]
        self.assertEqual(plots.figures(self.summary(before), ["queues"]), [])

    def test_counters(self):
        rows = made_up()
        summary = self.summary(rows)
        figure = named(summary, "counters")
        drawing = figure.draw()
        # no gulp was missed
        names = ["steal attempts per message", "steals per message", "messages per gulp"]
        self.assertEqual([axes.get_title() for axes in drawing.axes[:3]],
                         [f"{name}\n({kind} scale)" for name, kind in zip(names, ("linear", "log", "linear"))])
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
        old = [{key: value for key, value in worker.items() if key != "steals"} for worker in counters(4, 0)]
        (cell,) = self.summary([record("alpha", "one", 4, 0, 10, counters=old)]).cells
        self.assertEqual(cell["rates"]["steals_per_message"]["median"], 2 * 700 / 1000)

    def test_crossings(self):
        """2 packages of 2 cores of 2 PUs: worker 3 changes package, worker 5 shares a core."""
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
        # another, by its hash alone
        self.assertEqual(marks(lambda: {"environment": {"topology_hash": "t"}}), {})
        # A simulated machine's hash is of its latencies too.
        self.assertEqual(marks(engine="sim", machine={"name": "m", "title": "M", "hypothetical": False, "model_hash": "0" * 16, "overridden": {}, "binary_hash": "0" * 16}), {"package": 3, "SMT": 6})
        self.assertEqual(marks(topology="no such file.xml"), {})
        self.assertEqual(marks(pus=None), {})
        self.assertEqual(marks(pus=[1]), {})
        self.assertEqual(marks(lambda: {"pus": [None]}), {})  # one cell was not bound
        self.assertEqual(marks(lambda: {"pus": []}), {"package": 3, "SMT": 6})  # a peer

    def test_nothing_to_compare(self):
        def kinds(rows):
            return [figure.name for figure in plots.figures(self.summary(rows))]

        rows = [row | {"latencies": None, "counters": []} for row in made_up()]
        left = ["scaling", "memory", "queues"]
        self.assertEqual(kinds([row for row in rows if row["workers"] == 2 and row["scheduler"] == "one"]), left)
        # not of a sweep: no pairs
        self.assertEqual(kinds([row | {"sweep": None} for row in rows]), ["scaling", "bars", "memory", "queues"])

    def test_ratios(self):
        rows = made_up()
        failed = record("beta", "gamma", 1, 0, 1, outcome="timeout")
        twin = record("alpha", "one", 1, 0, 77777)
        twin["sweep"]["twin"] = True
        summary = self.summary(rows + [failed], '[sweep]\nbaseline = "two"\n')
        drawing = named(summary, "ratios").draw()
        patches = drawn(drawing)
        self.assertEqual(sorted(index for *_, index in patches), list(range(len(summary.cells))))
        verdicts = {index: pair["verdict"] for index, pair in summary.families["baseline"].pairs.items()}
        seen = set()
        for axes, patch, index in patches:
            cell = summary.cells[index]
            where = {key: cell[key] for key in ("benchmark", "workers")}
            mine, base = times(rows, scheduler=cell["scheduler"], **where), times(rows, scheduler="two", **where)
            ratio = ranks.estimate([mine[block] / base[block] for block in mine])
            text, *below = (text.get_text() for text in axes.texts if text.get_position()[0] == patch.get_x() + 0.5
                            and patch.get_y() < text.get_position()[1] < patch.get_y() + 1)
            if index in verdicts:
                self.assertEqual(below, [heatmap.ends(*(summary.families["baseline"].pairs[index]["ratio"][end]
                                                        for end in ("low", "high")))])
            self.assertEqual(text.lstrip("=~"), "1" if cell["scheduler"] == "two" else heatmap.short(ratio))
            blue, red = patch.get_facecolor()[2], patch.get_facecolor()[0]
            if cell["scheduler"] == "gamma":
                self.assertGreater(red, blue)
            if cell["scheduler"] == "one":
                self.assertAlmostEqual(summary.families["baseline"].pairs[index]["ratio"]["median"], ratio, places=9)
            if cell["scheduler"] != "two":
                mark = {"equivalent": "=", "inconclusive": "~"}.get(verdicts[index], "")
                self.assertEqual(text[:-len(text.lstrip("=~"))], mark)
                seen.add(mark)
        self.assertEqual(seen, {"=", ""})
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
                for (scheduler, size), time in cost.items() for block in range(BLOCKS)]
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
                      if abs(text.get_position()[1] - axes.get_yticks()[-1]) < 0.2}
        expected = {}
        for workers in (1, 2, 4, 8):
            for name in ("one", "two", "gamma"):
                means = []
                for benchmark in ("alpha", "beta", "delta"):
                    where = {"benchmark": benchmark, "workers": workers}
                    mine, base = times(rows, scheduler=name, **where), times(rows, scheduler="two", **where)
                    means += [ranks.estimate([mine[block] / base[block] for block in mine])] if mine else []
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
        said = SimpleNamespace(cells=[], failed=[], places=lambda: {"cpu": ["Fake 3000"]},
                               peers=["other 2", "other 1"], notes=["left out: all"], twin_check={"text": "A/A: none"},
                               drawn={"note": "One stands for two."}, simulated=None, allocation="Allocation: memory=malloc in all.",
                               disturbance={"watched": 1200, "disturbed": 1100})
        self.assertEqual(style.provenance(said), "Other systems: other 1; other 2. One stands for two. Left out: all. "
                         "Allocation: memory=malloc in all. "
                         "A/A: none. 1,100 of 1,200 trials were disturbed. Fake 3000.")
        said = SimpleNamespace(cells=[], failed=[], places=dict, peers=[], notes=[], twin_check={"text": None}, drawn={}, simulated=None, allocation="",
                               disturbance={"watched": 2, "disturbed": 0})
        self.assertEqual(style.provenance(said), "")

    def test_colours(self):
        """A strategy has one colour, each line its own shade of it; gnuplot has the same."""
        def looks(*lines, option="mode"):
            rows = [record("alpha", name, 1, block, 10, options={option: value}) for name, value in lines for block in range(2)]
            summary = self.summary(rows)
            found, series = style.looks_of(summary), range(len(summary.lines))
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
        self.assertEqual(len(palette["colours"]), len(set(palette["strategies"])) + 3)
        peers = tomllib.loads((ROOT / "benchmarks" / "peers" / "peers.toml").read_text())
        schedulers = {entry["name"] for entry in ask(ACTORLAB, "list", "--json")["schedulers"]}
        self.assertLessEqual(set(palette["strategies"]), set(peers) | schedulers)
        self.assertNotIn(looks(("mine", 1), ("erlang", 1))[1], colour.values())
        hues = [colorsys.rgb_to_hsv(*to_rgb(one)) for one in looks(*(("deque", n) for n in range(4)))]
        self.assertEqual(len({round(360 * hue / 8) for hue, *_ in hues}), 1, hues)
        many = looks(*(("inverted", n) for n in range(30)))
        round_ = len(palette["colours"])
        alike = palettes.looks(ACTORLAB, {n: "inverted" for n in range(2 * round_)})
        for n in range(round_):  # black and darkened black can be told by their markers alone
            self.assertNotEqual(alike[n].marker, alike[n + round_].marker)
        self.assertEqual(many[:round_], [one.lower() for one in palette["colours"]])
        many = looks(*(("inverted", n) for n in range(30)), ("central", 0))
        self.assertNotIn(colour["deque"], many)

    def test_width_of_one_panel(self):
        for lines, width in ((6, style.SINGLE), (7, style.DOUBLE)):
            rows = [record("alpha", f"a-strategy-with-a-long-name-{n}", 1, block, 10)
                    for n in range(lines) for block in range(2)]
            drawing = named(self.summary(rows), "scaling").draw()
            self.assertEqual(drawing.get_figwidth(), width, lines)


if __name__ == "__main__":
    unittest.main()
