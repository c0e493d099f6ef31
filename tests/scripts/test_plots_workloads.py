#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Figures of sweeps over many workloads: a panel for each of them where a benchmark's lines could
not be told apart, and the number by which each is judged.

AL_BUILD names the build folder."""

import statistics
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import ACTORLAB
from support.plotting import BLOCKS, Folder, drawn, medians, named, record

import plots
from results import judged, view


class Workloads(Folder):
    @staticmethod
    def rows(kinds, **more):
        """A workload that comes in several kinds, on three strategies, and another one."""
        found = [record("alpha", scheduler, workers, block, cost * (1 + place) + block,
                        parameters={"beside": kind, "fixed": 3}, **more)
                 for block in range(BLOCKS) for workers in (1, 2) for place, kind in enumerate(kinds)
                 for scheduler, cost in (("one", 10), ("two", 30), ("gamma", 50))]
        return found + [record("beta", "one", workers, block, 7 + block) for block in range(BLOCKS) for workers in (1, 2)]

    def test_panel_for_each(self):
        """With 15 lines, but not with 12."""
        few = self.summary(self.rows("abcd"))
        self.assertIs(view.by_workload(few), few)
        summary = self.summary(self.rows("abcde"))
        titles = [*(f"alpha beside={kind}" for kind in "abcde"), "beta"]
        for kind, extra in (("scaling", []), ("speedup", ["ideal"])):
            drawing = named(summary, kind).draw()
            self.assertEqual([axes.get_title() for axes in drawing.axes if axes.get_visible()], titles)
            self.assertEqual([text.get_text() for text in drawing.legends[0].get_texts()], ["scheduler:", "gamma", "one", "two", *extra])
        drawing = named(summary, "scaling").draw()
        self.assertEqual(set(medians(drawing)), set(range(len(summary.cells))))
        for axes, marker, index in drawn(drawing):
            cell = summary.cells[index]
            self.assertEqual(axes.get_title(), cell["workload"])
            self.assertAlmostEqual(marker.get_ydata()[0], cell["ns_per_message"]["median"])
        ratios = named(summary, "ratios").draw().axes[0]
        self.assertEqual([text.get_text() for text in ratios.get_yticklabels()], titles)
        self.assertEqual([text.get_text() for text in ratios.get_xticklabels()], ["gamma", "one", "two"])

    def test_several_keys(self):
        """A parameter that is the axis makes no panels; failures follow their cells."""
        rows = [row | {"parameters": {"beside": kind, "size": size, "soft": size > 4}, "time_ns": [row["time_ns"][0] * size]}
                for row in self.rows("a") if row["benchmark"] == "alpha" for kind in "uvwxyz" for size in (2, 8)]
        rows += [row | {"outcome": "timeout", "scheduler": "broken"}
                 for row in rows if (row["scheduler"], row["parameters"]["beside"], row["sweep"]["block"]) == ("one", "u", 0)]
        summary = self.summary(rows)
        shown = view.by_workload(summary, "size")
        self.assertEqual(sorted(shown.keys), ["scheduler", "size"])
        self.assertEqual(shown.benchmarks, [f"alpha beside={kind}" for kind in "uvwxyz"])
        (figure,) = plots.figures(summary, ["scaling"], x="size")
        self.assertEqual(set(medians(figure.draw())), set(range(len(summary.cells))))
        over_workers = view.by_workload(summary)
        self.assertEqual(set(over_workers.benchmarks), {f"alpha beside={kind} size={size}" for kind in "uvwxyz" for size in (2, 8)})
        self.assertEqual({entry["benchmark"] for entry in over_workers.failed}, {"alpha beside=u size=2", "alpha beside=u size=8"})

    def test_values_of_the_axis(self):
        """They are no lines: of two kinds over six sizes there are six, which is few."""
        rows = [row | {"parameters": {"beside": row["parameters"]["beside"], "size": size}}
                for row in self.rows("ab") if row["benchmark"] == "alpha" for size in (1.0, 2.5, 3.0, 4.0, 5.0, 6.0)]
        summary = self.summary(rows)
        self.assertIs(view.by_workload(summary, "size"), summary)
        shown = view.by_workload(summary)
        self.assertEqual(len(shown.benchmarks), 12)
        self.assertEqual([cell["workload"] for cell in summary.cells], [cell["benchmark"] for cell in shown.cells])

    def test_judged(self):
        """By what `actorlab list` says; by its time where that says nothing."""
        def row(benchmark, scheduler, block, cost):
            many = {"n": 100, "min_ns": cost, "max_ns": 3000 * cost, "buckets": [[cost, 100]],
                    "p50": cost, "p99": 1000 * cost, "p99.9": 2000 * cost}
            return record(benchmark, scheduler, 1, block, cost, latencies=many, costs={"fairness": 1 / cost},
                          peak_rss_bytes=1000 * cost)

        expected = {"bystander": lambda cost: 3e-6 * cost, "outside": lambda cost: 1e-6 * cost, "population": lambda cost: 1000 * cost,
                    "race": lambda cost: cost, "executor": lambda cost: 1e-9 * cost}
        rows = [row(benchmark, scheduler, block, cost) for block in range(BLOCKS) for benchmark in expected
                for scheduler, cost in (("one", 5), ("two", 40))]
        summary = self.summary(rows)
        figure = named(summary, "judged")
        drawing = figure.draw()
        self.assertEqual({axes.get_title(): axes.get_ylabel().partition(" (")[0] for axes in drawing.axes if axes.get_visible()}, {
            "bystander": "longest latency", "executor": "time per message", "outside": "99% of latencies",
            "population": "peak memory", "race": "1/fairness"})
        for axes, marker, index in drawn(drawing):
            cell = summary.cells[index]
            value = expected[cell["benchmark"]]({"one": 5, "two": 40}[cell["scheduler"]])
            self.assertAlmostEqual(marker.get_ydata()[0] / value, 1, places=2)
            self.assertEqual(axes.get_title(), cell["benchmark"])
        self.assertEqual(len(medians(drawing)), len(summary.cells))
        self.assertEqual(plots.figures(self.summary(), ["judged"]), [])

    def test_known_judges(self):
        self.assertLessEqual(set(judged.judged_by(ACTORLAB).values()), set(judged.JUDGES))

    def test_inverse(self):
        """Its interval changes sides, and 0 has no inverse."""
        judge = judged.JUDGES["1/costs.fairness"]
        self.assertEqual(judged.judgement(judge, {"costs": {"fairness": {"median": 0.5, "low": 0.25, "high": 1}}}), (2, 1, 4))
        self.assertEqual(judged.judgement(judge, {"costs": {"fairness": {"median": 0.5, "low": 0, "high": 1}}}), (2, None, None))
        self.assertIsNone(judged.judgement(judge, {"costs": {"fairness": {"median": 0, "low": 0, "high": 1}}}))
        self.assertIsNone(judged.judgement(judge, {"costs": {}}))


if __name__ == "__main__":
    unittest.main()
