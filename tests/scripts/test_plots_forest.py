#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Forest plots, intervals of maps and speed-ups, and hand-off times are those of the records.

AL_BUILD names the build folder."""

import math
import sys
import unittest
from collections import Counter
from pathlib import Path

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import everything, ranks, texts
from support.plotting import Folder, drawn, made_up, named, noise, record, times

import plots
from plots import forest
from plots.forest_axis import Axis
from plots.style import short
from results.findings import p_value


def ratio(median, low=None, high=None):
    return {"median": median, "low": low, "high": high}


class Forest(Folder):
    def everything(self, **more):
        return self.summary([row | more for row in everything.records()], everything.CONFIG)

    def parts(self, summary):
        """(pair, x of the estimate, its marker, ends of its interval) by cell, in inches; and the
        axis and the left edge of its panel."""
        figure = named(summary, "forest")
        drawing = figure.draw()
        _, grid, axis, _ = figure.draw.args
        (axes,) = drawing.axes
        lines = {}
        for collection in axes.collections:
            for (x, y), (right, _) in collection.get_segments():
                if collection.get_zorder() == 2:  # intervals
                    lines.setdefault(round(y, 6), []).append((x, right))
        found = {}
        for _, artist, index in drawn(drawing):
            (x,), (y,) = artist.get_data()
            found[index] = (x - grid.left, artist.get_marker(), lines[round(y, 6)])
        return found, axis, grid, axes

    def test_every_comparison(self):
        summary = self.everything()
        rows = [row for row in everything.records() if not row["sweep"].get("twin")]
        family, (found, axis, grid, axes) = summary.families["baseline"], self.parts(summary)
        self.assertEqual(set(found), set(family.pairs))
        seen = Counter()
        for index, (x, marker, lines) in found.items():
            cell, ((start, end),) = summary.cells[index], lines
            mine, base = (times(rows, benchmark=cell["benchmark"], scheduler=name, workers=cell["workers"])
                          for name in (cell["scheduler"], "one"))
            ratios = [mine[block] / base[block] for block in mine]
            low, high = ranks.interval(ratios, family.level)
            for place, value in ((x, ranks.estimate(ratios)), (start - grid.left, low), (end - grid.left, high)):
                self.assertAlmostEqual(place, axis.place(value), places=6)
            verdict = family.pairs[index]["verdict"]
            never = verdict == "inconclusive" and family.pairs[index]["more_blocks"] is None
            self.assertEqual(marker, "x" if never else forest.LOOKS[verdict].marker)
            seen[verdict] += 1
            if cell["scheduler"] == "four":
                self.assertEqual(marker, "<" if cell["benchmark"] == "ring" else ">")
        self.assertEqual(set(seen), {"faster", "slower", "equivalent", "inconclusive"})
        quiet = sorted(line.get_xdata()[0] - grid.left for line in axes.findobj(Line2D) if line.get_gid() == "quiet")
        apart = [pair["quiet"]["ratio"]["median"] for pair in family.pairs.values() if pair["quiet"]["differs"]]
        self.assertGreater(len(apart), 1)
        np.testing.assert_allclose(quiet, sorted(map(axis.place, apart)))
        self.assertIn("Diamonds: the ratio of the quiet blocks alone, where its 90% interval does not hold that of all.",
                      named(summary, "forest").caption)
        told = [text.get_text() for text in axes.texts]
        self.assertEqual(told.count("22"), 2)  # beyond the edge
        for pair in family.pairs.values():
            known, more = pair["ratio"], pair["more_blocks"]
            first = told.index(f"{short(known['median'])} [{short(known['low'])}, {short(known['high'])}]")
            self.assertEqual(told[first + 1:first + 3], [
                p_value(pair["p_bh"]), pair["verdict"] + (f" (+{more})" if more else "")])
            del told[first:first + 3]

    def test_unbounded(self):
        """Of too few blocks: dashed from edge to edge, with an arrow at both."""
        summary = self.summary([row for row in made_up() if row["sweep"]["block"] < 4])
        figure = named(summary, "forest")
        self.assertIn("Dashed: unbounded", figure.caption)
        found, axis, _, axes = self.parts(summary)
        self.assertTrue(found)
        for x, marker, ((start, end),) in found.values():
            self.assertAlmostEqual(end - start, axis.width)
            self.assertEqual(marker, forest.LOOKS["inconclusive"].marker)
        self.assertIn("[unbounded]", " ".join(text.get_text() for text in axes.texts))

    def test_legend(self):
        """What inconclusive means: how many more blocks would decide, or that none would."""
        figure = named(self.everything(), "forest")
        pairs = figure.draw.args[0].to_baseline.pairs.values()
        undecided = [pair for pair in pairs if pair["verdict"] == "inconclusive"]
        self.assertGreater(len(undecided), 1)
        for blocks, said in (((40, 5), ["inconclusive: 5 to 40 more blocks"]),
                             ((None, None), ["inconclusive: not with this design"]),
                             ((1, None), ["inconclusive: 1 more block", "inconclusive: not with this design"])):
            for place, pair in enumerate(undecided):
                pair["more_blocks"] = blocks[place % 2]
            drawing = figure.draw()
            shown = [text.get_text() for text in drawing.legends[0].get_texts()]
            self.assertEqual([text for text in shown if text.startswith("inconclusive")], said)
            self.assertEqual(texts.collisions(drawing), [])
            markers = {artist.get_marker() for _, artist, index in drawn(drawing)
                       if index in [pair["cell"] for pair in undecided]}
            self.assertEqual(markers, {"x" if more is None else "o" for more in blocks})

    def test_pages(self):
        """Many comparisons have no numbers beside them, and as many pages as they need."""
        rows = [record(f"work-{n:02}", name, workers, block, 100 * noise(block, n, name, workers))
                for n in range(17) for name in [f"strategy-{m}" for m in range(16)] for workers in (1, 2)
                for block in range(6)]
        summary = self.summary(rows)
        figures = plots.figures(summary, ["forest"])
        self.assertEqual([figure.name for figure in figures], ["forest", "forest-page-2"])
        shown = []
        for number, figure in enumerate(figures, 1):
            drawing = figure.draw()
            self.assertLess(drawing.get_figheight(), 10.5)
            self.assertIn(f"Page {number} of 2.", figure.caption)
            shown += [index for *_, index in drawn(drawing)]
        self.assertEqual(sorted(shown), sorted(summary.families["baseline"].pairs))
        self.assertEqual(len(shown), 17 * 15 * 2)

    def test_axis(self):
        """Symmetric in ratios; ticks that do not touch; beyond its ends at the edge."""
        axis = Axis([ratio(0.5), ratio(2), ratio(90)], 5, 3)
        self.assertAlmostEqual(axis.place(2) - axis.place(1), axis.place(1) - axis.place(0.5))
        self.assertEqual((axis.place(90), axis.place(math.inf), axis.place(0)), (3, 3, 0))
        self.assertEqual([Axis([ratio(8), ratio(1 / 8)], 5, 1.4).label(value) for value in (1 / 8, 2 / 3, 1.5, 4)],
                         ["1/8", "2/3", "1.5", "4"])
        for low, high, width in ((0.98, 1.01, 1.3), (0.9, 1.3, 3), (0.5, 1.4, 1.3), (0.13, 7, 1.3), (0.13, 7, 4)):
            axis = Axis([ratio(low), ratio(high)], 2, width)
            places = list(map(axis.place, axis.ticks))
            self.assertIn(1, axis.ticks)
            self.assertGreater(len(places), 2)
            self.assertTrue(all(b - a > 0.16 for a, b in zip(places, places[1:])), (low, high, axis.ticks))
            self.assertLess(axis.low, 1 / 1.02)


class Speedup(Folder):
    def bars(self, drawing):
        """The ends of all intervals, in order."""
        return sorted((round(low, 9), round(high, 9)) for axes in drawing.axes for bar in axes.containers
                      for (_, low), (_, high) in bar.lines[2][0].get_segments())

    def test_intervals(self):
        """Of signed ranks, at the level of all such comparisons; and 1 for one worker."""
        summary = self.summary(everything.records(), everything.CONFIG)
        rows = [row for row in everything.records() if not row["sweep"].get("twin")]
        family, expected = summary.families["one_worker"], []
        for index in family.pairs:
            cell = summary.cells[index]
            mine, alone = (times(rows, benchmark=cell["benchmark"], scheduler=cell["scheduler"], workers=workers)
                           for workers in (cell["workers"], 1))
            expected.append(ranks.interval([alone[block] / mine[block] for block in mine], family.level))
        figure = named(summary, "speedup")
        expected += len(family.pairs) * [(1, 1)]
        shown = self.bars(figure.draw())
        self.assertEqual(len(shown), len(expected))
        for bar, (low, high) in zip(shown, sorted(expected)):
            self.assertAlmostEqual(bar[0], low, places=7)
            self.assertAlmostEqual(bar[1], high, places=7)
        self.assertIn(f"signed-rank interval at {100 * family.level:.4g}%", figure.caption)
        self.assertNotIn("no bar", figure.caption)

    def test_unbounded(self):
        summary = self.summary([row for row in made_up() if row["sweep"]["block"] < 4])
        for name in ("speedup", "efficiency"):
            figure = named(summary, name)
            # Only one worker has a bar, of no width.
            self.assertEqual({low == high for low, high in self.bars(figure.draw())}, {True})
            self.assertIn("no bar where so few blocks cannot reach that level", figure.caption)


class Map(Folder):
    def texts(self, summary):
        """(benchmark, strategy, workers) -> the lines of text in its cell."""
        drawing = named(summary, "ratios").draw()
        return {(cell["benchmark"], cell["scheduler"], cell["workers"]): [
            text.get_text() for text in axes.texts
            if text.get_position()[0] == patch.get_x() + 0.5 and 0 < text.get_position()[1] - patch.get_y() < 1]
            for axes, patch, index in drawn(drawing) for cell in (summary.cells[index],)}

    def test_intervals(self):
        """Below the ratio, whose mark tells equivalent from inconclusive."""
        summary = self.summary(everything.records(), everything.CONFIG)
        shown = self.texts(summary)
        for pair in summary.families["baseline"].pairs.values():
            cell, ratio = summary.cells[pair["cell"]], pair["ratio"]
            mark = {"faster": "", "slower": "", "equivalent": "=", "inconclusive": "~"}[pair["verdict"]]
            self.assertEqual(shown.pop((cell["benchmark"], cell["scheduler"], cell["workers"])),
                             [mark + short(ratio["median"]), f"{short(ratio['low'])}–{short(ratio['high'])}"])
        self.assertEqual(set(map(tuple, shown.values())), {("1",)})  # the baselines

    def test_no_room(self):
        """Cells of many strategies are too narrow."""
        rows = [record("alpha", f"strategy-{n}", workers, block, 10 * 1.1 ** n) for n in range(30)
                for workers in (1, 2) for block in range(10)]
        summary = self.summary(rows)
        self.assertEqual({len(lines) for lines in self.texts(summary).values()}, {1})
        self.assertNotIn("below it", named(summary, "ratios").caption)


class Handoffs(Folder):
    def test_strata(self):
        summary = self.summary(everything.records(), everything.CONFIG)
        drawing = named(summary, "handoff").draw()
        titles = ["1 worker, close", "2 workers, close"]
        self.assertEqual([axes.get_title() for axes in drawing.axes], titles)
        other = self.summary(everything.records()[::-1], everything.CONFIG)
        self.assertEqual([axes.get_title() for axes in named(other, "handoff").draw().axes], titles)
        for axes, workers in zip(drawing.axes, (1, 2)):
            points = {line.get_gid(): line for line in axes.lines}
            rows = [row for row in everything.records()
                    if row["workers"] == workers and not row["sweep"].get("twin")]
            for name, loud in (("quiet", False), ("loud", True)):
                mine = sorted(row["handoff"]["median_ns"] for row in rows
                              if (row["sweep"]["block"] in everything.LOUD) == loud)
                self.assertEqual(sorted(points[name].get_ydata()), mine)
                blocks = {round(x) - 1 for x in points[name].get_xdata()}
                self.assertEqual(blocks, {row["sweep"]["block"] for row in rows
                                          if (row["sweep"]["block"] in everything.LOUD) == loud})
            (stratum,) = (one for one in summary.quiet if one["workers"] == workers)
            self.assertEqual(set(points["limit"].get_ydata()), {stratum["limit_ns"]})

    def test_none(self):
        summary = self.summary([row | {"handoff": None} for row in everything.records()], everything.CONFIG)
        self.assertEqual(plots.figures(summary, ["handoff"]), [])


if __name__ == "__main__":
    unittest.main()
