#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The axes of figures: scales that show every line, other axes than workers, run time, bars, and
what simulated runs are labelled with.

AL_BUILD names the build folder."""

import json
import math
import statistics
import sys
import unittest
from pathlib import Path

from matplotlib.figure import Figure as Drawing
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.text import Text

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import ranks, texts
from support.plotting import BLOCKS, DRIFT, Folder, counters, drawn, made_up, medians, named, noise, record, times

import plots
from common.failure import Failure
from plots import axes as scales
from plots import counters as counters_plot
from plots import scaling, simulated, style, timeline
from results import view


class Scales(unittest.TestCase):
    def test_decided_by_the_data(self):
        for lines, log in (
                ([[10, 200]], False), ([[10, 201]], True),  # one line: a factor of 20
                ([[10, 12], [11, 40]], False),  # the others take a quarter of the axis
                ([[2, 9], [3, 10], [20, 45]], True),  # they take less
                ([[10, 12], [11, 11.5], [12, 3000]], True),  # slow with many workers
                ([[0, 5], [1, 4000]], False)):  # 0 has no logarithm
            self.assertEqual(scales.calls_for_log([lines]), log, lines)
            self.assertEqual(scales.calls_for_log([[[10, 11]], lines]), log, "all panels or none")
            axes, values = Drawing().subplots(), [value for line in lines for value in line]
            said = scales.scale(axes, log, min(values), max(values))
            self.assertEqual((said, axes.get_yscale()), (" (log scale)", "log") if log else (" (linear scale)", "linear"))
            low, high = axes.get_ylim()
            self.assertEqual(low == 0, not log)
            self.assertGreater(high, max(values))

    def test_labels_of_log_scales(self):
        """At least two, apart from one another, whatever the range."""
        for low in (1, 1.7, 0.03, 94321):
            for factor in (1.02, 1.3, 2, 7, 40, 600, 1e5, 1e9, 1e14):
                ticks = scales.log_ticks(low, low * factor)
                self.assertGreater(len(ticks), 1, (low, factor))
                self.assertTrue(low <= ticks[0] and ticks[-1] <= low * factor)
                gaps = [math.log(b / a) / math.log(factor) for a, b in zip(ticks, ticks[1:])]
                self.assertGreater(min(gaps), 0.07, (low, factor))

    def test_ticks(self):
        def ticks(*counts, **labels):
            return scales.Axis([{"workers": count} for count in counts], **labels).ticks()

        self.assertEqual(ticks(1, 2, 3, 4), [1, 2, 3, 4])
        self.assertEqual(ticks(1), [1])
        many = ticks(*range(1, 49))
        self.assertEqual(many[-1], 48)
        self.assertLessEqual(len(many), scales.MOST_LABELS)
        # 16 and 24 would touch
        self.assertEqual(ticks(1, 2, 4, 8, 16, 24, 48), [1, 2, 4, 8, 24, 48])
        # and 32 and 48 in a panel of which four stand side by side
        self.assertEqual(ticks(1, 2, 4, 8, 16, 24, 32, 40, 48, labels=scales.NARROW_LABELS), [1, 2, 4, 8, 24, 48])

    def test_places(self):
        def axis(*values, name="workers"):
            return scales.Axis([{"workers": 1, "x": value} for value in values], name)

        few = axis(1, 2, 48)  # evenly spaced
        self.assertEqual(([few.place(count) for count in few.counts], few.joined, few.label), ([0, 1, 2], False, "workers"))
        many = axis(1, 2, 4, 48)
        self.assertEqual((many.place(4), many.joined, many.label), (2, True, "workers (log scale)"))
        self.assertEqual(axis(2, 4, 8, 9).place(9), 9)
        self.assertEqual(axis(100, 200, 300, 1000, name="bytes").label, "bytes")
        self.assertEqual(axis(8, 64, 512, 2048, name="bytes").label, "bytes (log scale)")
        self.assertEqual(axis(0, 64, 512, 2048, name="bytes").label, "bytes")


def alike():
    """made_up, with the slowest a tenth as slow."""
    return [row | {"time_ns": [row["time_ns"][0] // (50 if row["scheduler"] == "gamma" else 1)]} for row in made_up()]


class Drawn(Folder):
    def test_run_time(self):
        """In the unit that suits the panel."""
        rows = made_up()
        summary = self.summary(rows)
        (figure,) = plots.figures(summary, ["scaling"], y="time")
        self.assertEqual((figure.name, figure.title), ("time", "Run time over workers"))
        drawing = figure.draw()
        self.assertEqual([axes.get_ylabel() for axes in drawing.axes],
                         ["run time (ms, log scale)", "run time (s, log scale)"])
        for index, value in medians(drawing).items():
            cell = summary.cells[index]
            mine = times(rows, **{key: cell[key] for key in ("benchmark", "scheduler", "workers")})
            self.assertAlmostEqual(value, statistics.median(round(one * 1000) for one in mine.values())
                                   / {"alpha": 1e6, "beta": 1e9}[cell["benchmark"]], places=9)
        text = '[plot]\ny = "time"\nkinds = ["scaling", "speedup"]\n'
        self.assertEqual(named(self.summary(rows, text), "scaling").name, "time")
        self.assertEqual(self.plot(self.folder, "--y", "message", "--format", "svg"), f"{self.folder}/scaling.svg\n")
        self.refused([self.folder, "--y", "time", "--kind", "speedup"], "--y: of `scaling` alone; valid: --kind scaling")
        self.refused([self.folder, "--x", "workers", "--kind", "queues,speedup"],
                     "--x: of scaling, queues and tails alone; valid: --kind scaling, queues or tails")

    def test_dots(self):
        """Up to three worker counts are not joined, neither in the panel nor in the legend."""
        for counts, joined in (((1, 2, 4), False), ((1, 2, 4, 8), True)):
            drawing = named(self.summary([row for row in made_up() if row["workers"] in counts]), "scaling").draw()
            lines = [line for axes in drawing.axes for line in axes.lines if len(line.get_xdata()) == len(counts)
                     and line.get_linestyle() != "None"]
            self.assertEqual(bool(lines), joined)
            handles = drawing.legends[0].findobj(lambda artist: isinstance(artist, Line2D) and artist.get_marker() not in ("", "None"))
            self.assertEqual({handle.get_linestyle() != "None" for handle in handles}, {joined})
            self.assertTrue(all(axes.collections for axes in drawing.axes))  # the intervals

    def sizes(self, **more):
        """A workload with values of growing size, on two strategies, of which one has an option."""
        return [record("alpha", scheduler, workers, block, cost * size + block, parameters={"size": size, "fixed": 3},
                       options=options, **more)
                for block in range(BLOCKS) for workers in (2, 4) for size in (8, 64, 512, 4096)
                for scheduler, cost, options in (("one", 1, {"place": "here"}), ("one", 2, {"place": "there"}), ("two", 3, {}))]

    def test_another_axis(self):
        rows = self.sizes()
        summary = self.summary(rows, '[plot]\nx = "size"\n')
        figure = named(summary, "scaling")
        self.assertEqual((figure.name, figure.title), ("scaling-size", "Time per message over size"))
        drawing = figure.draw()
        self.assertEqual([axes.get_title() for axes in drawing.axes], ["alpha, 2 workers", "alpha, 4 workers"])
        self.assertEqual(drawing.axes[0].get_xlabel(), "size (log scale)")
        self.assertEqual([text.get_text() for text in drawing.legends[0].get_texts()],
                         ["one place=here", "one place=there", "two"])
        found = medians(drawing)
        self.assertEqual(sorted(found), list(range(len(summary.cells))))
        for index, value in found.items():
            cell = summary.cells[index]
            cost = {"here": 1, "there": 2}.get(cell["options"].get("place"), 3)
            self.assertAlmostEqual(value, cost * cell["parameters"]["size"] + (BLOCKS - 1) / 2)
        (first,) = (axes for axes, _, index in drawn(drawing) if index == 0)
        self.assertIs(first, drawing.axes[0])
        self.assertEqual(len(view.over(summary, "size").cells), len(summary.cells))
        self.assertEqual(view.over(summary, "workers"), summary)
        for key in ("fixed", "place", "nothing"):
            with self.assertRaises(Failure) as caught:
                view.over(summary, key)
            self.assertEqual(str(caught.exception), f"--x {key}: no axis of these records; valid: workers, size")
        self.refused([self.folder, "--x", "place"], "--x place: no axis of these records; valid: workers, size")
        shown = view.over(summary, "size")
        shown.cells.reverse()  # as where an override changes more for some of the values
        for axes in scaling.figure(shown, "message").draw().axes:
            for line in axes.lines:
                self.assertEqual(list(line.get_xdata()), sorted(line.get_xdata()))
        one = self.summary([row for row in rows if row["workers"] == 4])
        self.assertEqual([axes.get_title() for axes in plots.figures(one, ["scaling"], x="size")[0].draw().axes], ["alpha"])

    def test_relative(self):
        summary = self.summary(self.sizes())
        (figure,) = plots.figures(summary, ["scaling"], x="size", y="relative")
        self.assertEqual(figure.name, "relative-size")
        for index, value in medians(figure.draw()).items():
            cell = summary.cells[index]
            cost, middle = {"here": 1, "there": 2}.get(cell["options"].get("place"), 3), (BLOCKS - 1) / 2
            self.assertAlmostEqual(value, (cost * cell["parameters"]["size"] + middle) / (3 * cell["parameters"]["size"] + middle))

    def test_grown_with_the_workers(self):
        """A parameter that depends on the workers makes no lines, and no panel has its value."""
        rows = [row | {"parameters": {"size": 7, "rounds": 20 * row["workers"]}} for row in made_up()]
        summary = self.summary(rows)
        self.assertEqual(summary.keys, ["scheduler"])
        self.assertEqual(summary.common("alpha"), {"size": 7})
        self.assertEqual(len(medians(named(summary, "speedup").draw())), len(summary.cells) - 3)

    def test_counters(self):
        """Those that span much have one logarithmic axis for all workloads, with a place for 0."""
        rows = made_up()
        drawing = named(self.summary(rows), "counters").draw()
        self.assertEqual([axes.get_yscale() for axes in drawing.axes], ["linear", "function", "linear"] * 2)
        self.assertEqual({axes.get_ylim()[0] for axes in drawing.axes}, {0})
        # equal factors are equally far apart, and nothing but 0 lies below the break
        log = drawing.axes[1]
        self.assertEqual(log.get_ylim(), drawing.axes[4].get_ylim())
        zero, least, mid, most = log.transAxes.inverted().transform(log.transData.transform(
            [(0, value) for value in (0, 0.001, 0.02, 0.4)]))[:, 1]
        self.assertAlmostEqual(mid - least, most - mid)
        self.assertAlmostEqual(zero, 0)
        self.assertGreater(least, counters_plot.ZERO)
        self.assertEqual(log.get_yticklabels()[0].get_text(), "0")
        every = [row | {"counters": counters(4, 0)} for row in rows]  # then 0 has no place
        axes = named(self.summary(every), "counters").draw().axes
        self.assertEqual([one.get_yscale() for one in axes[:3]], ["linear"] * 3)

    def test_over_the_best(self):
        rows = made_up()
        summary = self.summary(rows)
        figure = named(summary, "speedup-best")
        self.assertEqual(figure.name, "speedup-best")
        found = medians(figure.draw())
        # gamma on beta has somebody to be compared with, too
        self.assertEqual(len(found), len(summary.cells))
        for index, value in found.items():
            cell = summary.cells[index]
            fastest = min(("one", "two", "gamma"), key=lambda name: statistics.median(
                times(rows, benchmark=cell["benchmark"], scheduler=name, workers=1).values() or [1e99]))
            alone = times(rows, benchmark=cell["benchmark"], scheduler=fastest, workers=1)
            mine = times(rows, **{key: cell[key] for key in ("benchmark", "scheduler", "workers")})
            self.assertAlmostEqual(value, ranks.estimate([alone[block] / mine[block] for block in alone]), places=9)
        self.assertEqual(plots.figures(self.summary([row for row in rows if row["scheduler"] == "one"]), ["speedup-best"]), [])

    def test_bars(self):
        rows = [row | ({"latencies": row["latencies"] | {"p50": row["time_ns"][0] / 7}} if row["latencies"] else {})
                for row in alike() if row["workers"] in (2, 8)]
        summary = self.summary(rows)
        figure = named(summary, "bars")
        drawing = figure.draw()
        self.assertEqual([axes.get_title() for axes in drawing.axes], ["2 workers", "8 workers"])
        self.assertEqual([text.get_text() for text in drawing.axes[0].get_xticklabels()], ["alpha", "beta", "beta\nlatency"])
        self.assertEqual({axes.get_ylim()[0] for axes in drawing.axes}, {0})
        for axes, workers in zip(drawing.axes, (2, 8)):
            bars = [patch for patch in axes.patches if isinstance(patch, Rectangle)]
            self.assertEqual(len(bars), 9)
            cells = {(cell["benchmark"], cell["scheduler"]): cell for cell in summary.cells if cell["workers"] == workers}
            expected = []
            for benchmark in ("alpha", "beta"):
                own = [cells[benchmark, scheduler]["ns_per_message"]["median"] for scheduler in ("gamma", "one", "two")]
                expected += [value / max(own) for value in own]
            late = [cells["beta", scheduler]["latencies"]["p50"]["median"] for scheduler in ("gamma", "one", "two")]
            expected += [value / max(late) for value in late]
            for bar, value in zip(bars, expected):
                self.assertAlmostEqual(bar.get_height(), value)
            self.assertEqual([bar.get_facecolor()[:3] == (1, 1, 1) for bar in bars], [workers == 8] * 9)
        self.assertIn("Latency: the median", figure.caption)
        self.assertNotIn("cut off", figure.caption)
        far = [row | {"time_ns": [row["time_ns"][0] * (50 if row["scheduler"] == "two" and row["sweep"]["block"] % 3 == 0 else 1)]}
               for row in rows]
        self.assertIn("Lines that are cut off at the top of a panel reach beyond it.", named(self.summary(far), "bars").caption)
        # of five counts, the last alone
        many = self.summary(made_up() + [row | {"workers": 3} for row in rows])
        self.assertEqual([axes.get_title() for axes in named(many, "bars").draw().axes], ["8 workers"])
        self.assertEqual(plots.figures(self.summary([row for row in rows if row["scheduler"] == "one"]), ["bars"]), [])

    def test_bars_far_apart(self):
        """Markers on a logarithmic axis, if one panel needs it: bars have no 0 to stand on."""
        rows = [row for row in made_up() if row["workers"] in (2, 8)]
        rows = [row for row in rows if (row["scheduler"], row["workers"]) != ("gamma", 2)]
        summary = self.summary(rows)
        drawing = named(summary, "bars").draw()
        self.assertEqual([axes.get_yscale() for axes in drawing.axes], ["log", "log"])
        self.assertEqual({axes.get_ylabel() for axes in drawing.axes}, {"relative to the slowest\n(log scale)"})
        self.assertEqual(set(medians(drawing)), set(range(len(summary.cells))))
        for index, value in medians(drawing).items():
            cell = summary.cells[index]
            slowest = max(other["ns_per_message"]["median"] for other in summary.cells
                          if (other["benchmark"], other["workers"]) == (cell["benchmark"], cell["workers"]))
            self.assertAlmostEqual(value, cell["ns_per_message"]["median"] / slowest)
        markers = {artist.get_marker() for _, artist, _ in drawn(drawing)}
        self.assertEqual(len(markers), 3)

    def test_bars_of_other_work(self):
        """Each is relative to the slowest at its parameters, in the colours of its strategy."""
        rows = [row | {"parameters": {"size": size}, "time_ns": [row["time_ns"][0] * size]}
                for size in (1, 9) for row in alike() if (row["benchmark"], row["workers"]) == ("alpha", 2)]
        axes, = named(self.summary(rows), "bars").draw().axes
        self.assertEqual([text.get_text() for text in axes.get_xticklabels()], ["alpha\nsize=\n1", "alpha\nsize=\n9"])
        bars = [(bar.get_height(), bar.get_facecolor()) for bar in axes.patches if isinstance(bar, Rectangle)]
        self.assertEqual((len(bars), len({colour for _, colour in bars})), (6, 3))
        self.assertEqual(max(height for height, _ in bars[:3]), 1)
        for (height, _), (other, _) in zip(bars[:3], bars[3:]):
            self.assertAlmostEqual(height, other, places=6)


class Texts(Folder):
    def rows(self, benchmarks, schedulers, counts):
        """Of long names and large numbers, with a strategy that is a hundred times slower."""
        return [record(benchmark, scheduler, workers, block,
                       10 ** (place % 6) * (100 if scheduler == "sharing" else 1) * DRIFT[block]
                       * noise(block, benchmark, scheduler, workers) * (0.3 + 0.7 / workers),
                       parameters={"partners": "random"} if benchmark == "big" else {"actors": 960, "rounds": 10 ** place})
                for block in range(2) for place, benchmark in enumerate(benchmarks)
                for scheduler in schedulers for workers in counts]

    def test_apart(self):
        """No text lies over another, or beyond the paper, in any figure of any size."""
        names = [f"{name}-{end}" for name in ("send-dynamic", "balance-multi", "big", "pubsub") for end in "abcde"]
        names[:2] = "big", "beta"
        strategies = ("inverted", "deque", "las", "mercury", "sharing", "custody", "central")
        counts = (1, 2, 4, 8, 16, 24, 32, 40, 48)
        for panels, lines, workers in ((1, 3, counts), (4, 3, (1, 2)), (10, 3, counts), (17, 7, (2,))):
            summary = self.summary(self.rows(names[:panels], strategies[-lines:], workers))
            for figure in plots.figures(summary):
                drawing = figure.draw(foot=style.provenance(summary))
                self.assertEqual(texts.collisions(drawing), [], (panels, lines, figure.name))

    def test_seen(self):
        """What the test above relies on."""
        drawing = Drawing(figsize=(2, 1))
        for x, y, words, turned in ((0.3, 0.5, "below", 0), (0.33, 0.52, "above", 0), (0.9, 0.2, "beyond", 0),
                                    (0.6, 0.5, "slanted", 45), (0.7, 0.5, "beside", 45)):
            drawing.text(x, y, words, rotation=turned)
        self.assertEqual(texts.collisions(drawing), [("below", "above"), ("beyond", "the edge")])


class Simulated(Folder):
    def simulated(self, doubts=(), **more):
        """What `actorlab results` says of simulated cells, with doubts of those with 4 workers."""
        summary = self.summary([row for row in made_up() if row["workers"] in (1, 4)])
        for cell in summary.cells:
            cell.update({"doubts": list(doubts) if cell["workers"] == 4 else []} | more)
        summary.simulated = {"name": "epyc-7662-2s"}
        return summary

    def test_label(self):
        """On each figure."""
        summary = self.simulated()
        for figure in plots.figures(summary):
            drawing = figure.draw(foot=style.provenance(summary))
            texts = [text.get_text() for text in drawing.texts]
            self.assertEqual(texts[0], "simulated: epyc-7662-2s", figure.name)
            below = texts[-1].replace("\n", " ")
            self.assertIn("Simulated (epyc-7662-2s). Not modelled: TLB, bandwidth "
                          "between packages, OS noise.", below, figure.name)
            self.assertNotIn("Ringed", below)
            if figure.name != "handoff":
                self.assertFalse(drawing.findobj(lambda artist: artist.get_gid() == "doubted"))
        summary = self.summary()
        for figure in plots.figures(summary):
            drawing = figure.draw(foot=style.provenance(summary))
            self.assertFalse(any("simulated" in text.get_text().lower() for text in drawing.texts), figure.name)

    def test_failed(self):
        """A cell of which every trial failed is missed; one of which some did has its others."""
        self.assertNotIn("succeeded", style.provenance(self.summary()))
        records = [record("beta", scheduler, workers, block, 10)
                   for scheduler in ("one", "two") for workers in (1, 2) for block in range(3)]
        for one in records:
            if one["workers"] == 2 and (one["scheduler"] == "one" or one["sweep"]["block"] == 0):
                one |= {"outcome": "timeout", "time_ns": []}
        summary = self.summary(records)
        self.assertEqual((len(summary.cells), len(summary.failed)), (3, 2))
        self.assertIn("No trial of 1 cell succeeded.", style.provenance(summary))

    def test_memory(self):
        """That of a simulator says nothing of the machine."""
        self.assertEqual(plots.figures(self.simulated(), ["memory"]), [])
        self.assertEqual(len(plots.figures(self.summary(), ["memory"])), 1)

    def test_doubts(self):
        summary = self.simulated(["too short", "too few"])
        busy = sum(cell["workers"] == 4 for cell in summary.cells)
        words = f"Ringed, or marked with °: too short ({busy} cells); too few ({busy} cells)."
        self.assertIn(words, named(summary, "scaling").caption)
        self.assertNotIn("Ringed", style.provenance(summary))  # or it would be there twice
        for figure in plots.figures(summary):
            drawing = figure.draw()
            rings = len(drawing.findobj(lambda artist: artist.get_gid() == "doubted"))
            marked = sum(text.get_text().endswith("°") for text in drawing.findobj(Text))
            shown = len({index for *_, index in drawn(drawing) if summary.cells[index]["workers"] == 4})
            self.assertEqual(rings or marked, {"latencies": 2 * shown, "counters": 3 * shown}.get(figure.name, shown), figure.name)
            self.assertIn("Ringed, or marked with °: too short (" if figure.name != "handoff" else "", figure.caption, figure.name)

    def test_timeline(self):
        path = self.write_trace()
        trace = json.loads(path.read_text())
        trace["otherData"] |= {"engine": "sim", "machine": "m"}
        path.write_text(json.dumps(trace))
        self.assertEqual(timeline.figure(path).draw().texts[0].get_text(), "simulated: m")


if __name__ == "__main__":
    unittest.main()
