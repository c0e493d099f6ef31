#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The figure of quantiles of latencies over the load.

AL_BUILD names the build folder."""

import statistics
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support.plotting import BLOCKS, Folder, drawn, named, record

import plots


class Tails(Folder):
    def test_tails(self):
        """Four quantiles over the load, side by side on one scale. None over the workers."""
        rows = [record("alpha", scheduler, workers, block, 10, parameters={"load": load}, latencies=self.quantiles(load * cost, block))
                for block in range(BLOCKS) for workers in (1, 2) for load in (10.0, 50.0, 90.0) for scheduler, cost in (("one", 1), ("two", 3))]
        summary = self.summary(rows, '[plot]\nx = "load"\n')
        figure = named(summary, "tails")
        self.assertEqual(figure.title, "Latency over load")
        drawing = figure.draw()
        self.assertEqual([axes.get_title() for axes in drawing.axes], ["median", "99%", "99.9%", "longest", *4 * [""]])
        self.assertEqual([axes.get_ylabel().partition("\n")[0] for axes in drawing.axes if axes.get_ylabel()],
                         ["alpha, 1 worker", "alpha, 2 workers"])
        self.assertEqual(len({axes.get_ylim() for axes in drawing.axes[:4]}), 1)
        for axes, marker, index in (found := drawn(drawing)):
            cell = summary.cells[index]
            cost = {"one": 1, "two": 3}[cell["scheduler"]] * cell["parameters"]["load"] * 10 ** (drawing.axes.index(axes) % 4)
            expected = cost * 1e-9 * statistics.median(1 + block for block in range(BLOCKS))
            self.assertAlmostEqual(marker.get_ydata()[0] / expected, 1)
        self.assertEqual(len({(id(axes), index) for axes, _, index in found}), 4 * len(summary.cells))
        self.assertEqual(plots.figures(summary, ["tails"], x="workers"), [])

    @staticmethod
    def quantiles(ns, block):
        """Of a record."""
        return {"n": 1000, "min_ns": ns, "max_ns": 1000 * ns * (1 + block), "buckets": [[ns, 1000]],
                **{name: factor * ns * (1 + block) for name, factor in (("p50", 1), ("p99", 10), ("p99.9", 100))}}


if __name__ == "__main__":
    unittest.main()
