#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What scripts/validate-sim and scripts/simulate-deep say of made-up times is what one would count
by hand; and what they simulate, they simulate once.

AL_BUILD names the build folder."""

import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import ACTORLAB, ROOT
from support.plotting import record
from support.sweeping import whole_lines

from matplotlib.text import Text
from plots import style
from results.summary import Summary
from validation import comparison, draws, tables
from validation.scatter import scatter
from validation.simulations import Simulations, arguments, identity

MACHINE = str(ROOT / "tests/machines/two-cores.xml")
SIMULATED = ROOT / "results" / "reference" / "simulated" / "chapter" / "epyc-7662-2s" / "executor"


class Figure(unittest.TestCase):
    def test_names_apart(self):
        """The reference results: no name covers another, all are beside their panel, and workloads
        within 30% have none."""
        path = ROOT / "results" / "reference" / "simulated" / "validation" / "validation.json"
        points = []
        for one in json.loads(path.read_text())["cells"]:
            benchmark, scheduler, workers = one.pop("cell").split(", ")
            cell = {"benchmark": benchmark, "scheduler": scheduler, "workers": int(workers)}
            points.append(comparison.Point(cell, **one))
        drawing = scatter(ACTORLAB, points, "").draw()
        style.save(drawing, io.BytesIO(), "png")  # lays it out
        ends = [axes.bbox.x0 for axes in drawing.axes[1:]] + [drawing.bbox.x1]
        beyond = [{point.cell["benchmark"] for point in points if point.cell["workers"] == workers and abs(point.error) > 0.3}
                  for workers in (1, 2)]
        for axes, names, end in zip(drawing.axes, beyond, ends):
            for text in axes.texts:
                text.get_window_extent()  # brings it to its place
            boxes = [Text.get_window_extent(text) for text in axes.texts]  # without their lines
            self.assertEqual(len(boxes), min(len(names), 8))
            for number, box in enumerate(boxes):
                self.assertFalse(any(box.overlaps(other) for other in boxes[:number]))
                self.assertGreater(box.x0, axes.bbox.x1)
                self.assertLess(box.x1, end)


class Simulated:
    """Stands for Simulations: the records are made up."""

    def __init__(self, times):
        self.times = times  # (benchmark, scheduler) -> ns per message of each seed, or None

    def of(self, cell, seed, model):
        ns = self.times[cell["benchmark"], cell["scheduler"]]
        ns = ns(model) if callable(ns) else ns[seed - 1]
        return {"outcome": "ok" if ns is not None else "wrong", "time_ns": [ns and ns * 1000], "messages": 1000}

    def run(self, wanted, tell=None):
        self.wanted = wanted


class Folder(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def summary(self, times):
        """Of native records. times: (benchmark, scheduler) -> ns per message in each block."""
        rows = [record(benchmark, scheduler, 1, block, ns * (1 + block / 1e5))
                for block in range(8) for (benchmark, scheduler), ns in times.items()]
        self.path = self.folder / "records.jsonl"
        self.path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return Summary(ACTORLAB, self.path).machines[0]


class Comparing(Folder):
    NATIVE = {("executor", "one"): 100, ("executor", "two"): 200, ("beta", "one"): 100, ("beta", "two"): 110,
              ("beta", "gamma"): 400}

    def points(self, times, seeds=(1, 2, 3)):
        summary = self.summary(self.NATIVE)
        simulated = Simulated({key: [ns] * 3 for key, ns in times.items()} | {
            ("executor", "one"): [90, 110, 130]})
        native = comparison.native_times(self.path)
        return summary, [comparison.point(cell, native, simulated, seeds) for cell in summary.cells]

    def test_disturbed(self):
        """A cell's time is that of undisturbed iterations on the usual cores."""
        rows = [record("beta", "one", 2, block, 100) for block in range(10)]
        for row in rows:
            row["handoff"] = {"median_ns": 30}
            row["messages"], row["time_ns"] = 10, [1000, 1500, 1500, 1500]
        rows[0] |= {"handoff": {"median_ns": 10}, "time_ns": [300] * 4}  # two PUs of one core
        rows[1] |= {"outcome": "wrong", "time_ns": [10] * 4}
        alone = record("beta", "two", 2, 0, 100) | {"handoff": {"median_ns": 140}, "messages": 10, "time_ns": [700]}
        path = self.folder / "records.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in [*rows, alone]), encoding="utf-8")
        found = comparison.native_times(path)
        times = {key: comparison.numpy.quantile(values, comparison.UNDISTURBED) for key, values in found.items()}
        self.assertEqual(times, {comparison.identity(rows[0]): 100, comparison.identity(alone): 70})

    def test_errors(self):
        _, points = self.points({("executor", "two"): 150, ("beta", "one"): 100, ("beta", "two"): 55, ("beta", "gamma"): None})
        found = {(one.cell["benchmark"], one.cell["scheduler"]): one for one in points}
        self.assertAlmostEqual(found["executor", "one"].error, -0.06, places=3)
        self.assertEqual((found["executor", "one"].low, found["executor", "one"].high), (90, 130))
        self.assertAlmostEqual(found["beta", "two"].error, -0.5, places=3)
        self.assertIsNone(found["beta", "gamma"].error)
        fitted = comparison.group([one for one in points if one.fitted])
        held = comparison.group([one for one in points if not one.fitted])
        self.assertEqual((fitted["cells"], held["cells"]), (2, 2))
        self.assertAlmostEqual(fitted["mean"], (0.06 + 0.25) / 2, places=3)
        self.assertAlmostEqual(held["mean"], 0.25, places=3)
        self.assertEqual((fitted["within"], held["within"]), (1, 0.5))

    def test_pairs(self):
        """Those that verdicts tell apart by more than 15%: not one and two of beta."""
        summary, points = self.points({("executor", "two"): 50, ("beta", "one"): 100, ("beta", "two"): 55,
                                       ("beta", "gamma"): 300})
        pairs = comparison.pairs(ACTORLAB, self.path, points)
        told = {(pair.first["benchmark"], frozenset((pair.first["scheduler"], pair.second["scheduler"]))): pair.same
                for pair in pairs}
        self.assertEqual(told, {("executor", frozenset(("one", "two"))): False, ("beta", frozenset(("one", "gamma"))): True,
                                ("beta", frozenset(("two", "gamma"))): True})
        text = tables.document(points, pairs, summary.strategies, "the command", "where")
        self.assertIn("| executor, two, 1 | 200 | 50 | -75% | fitted |  |", text)
        self.assertIn("| held out | all | 3 |", text)
        self.assertIn("100% (2 of 2)", text)
        self.assertIn("| executor, 1 | two / one | 2.00 | 0.53 |", text)
        self.assertNotIn("beta, one, 1", text)


class Biases(unittest.TestCase):
    """What all strategies share does no harm to their ratios; what one has alone does."""

    @staticmethod
    def point(benchmark, strategy, workers, native, simulated):
        cell = {"benchmark": benchmark, "strategy": strategy, "scheduler": f"s{strategy}", "workers": workers, "parameters": {},
                "options": {}}
        error = simulated / native - 1 if simulated is not None else None
        return comparison.Point(cell, native, simulated, simulated, simulated, error, False)

    def setUp(self):
        self.points = [self.point(benchmark, strategy, workers, 100 / workers, factor * 100 / workers)
                       for strategy, factors in enumerate(((0.5, 2), (0.8, 0.8), (1, 4)))
                       for benchmark, factor in zip(("beta", "delta"), factors) for workers in (1, 2)]

    def test_means(self):
        found = comparison.biases(self.points)
        for strategy, mean in enumerate((1, 0.8, 2)):
            for workers in (1, 2, None):
                self.assertAlmostEqual(found[strategy][workers], mean)
        self.assertEqual(comparison.farthest(found, 0)[0], 2)
        self.assertAlmostEqual(comparison.farthest(found, 0)[1], 1 / 2)
        self.assertAlmostEqual(comparison.farthest(found, 1)[1], 0.8 / 2)
        text = "\n".join(tables.by_strategy(self.points, ["one", "two", "three"]))
        self.assertIn("| strategy | 1 worker | 2 workers | all | of its ratios, the farthest off |", text)
        self.assertIn("| two | 0.80 | 0.80 | 0.80 | 0.40 to three |", text)

    def test_unknown(self):
        """A strategy that no simulation ended of has no bias, and others none to it."""
        points = [*self.points[4:8], self.point("beta", 0, 1, 100, None)]
        self.assertIn("| one | – | – | – | – |", "\n".join(tables.by_strategy(points, ["one", "two"])))
        self.assertIn("| two | 0.80 | 0.80 | 0.80 | – |", "\n".join(tables.by_strategy(points, ["one", "two"])))

    def test_speed_ups(self):
        """100 to 50 ns natively; one simulated to be slower. What hardly changes has no sign."""
        points = [*self.points[:4], self.point("beta", 1, 1, 100, 100), self.point("beta", 1, 2, 50, 200),
                  self.point("beta", 2, 1, 100, 100), self.point("beta", 2, 2, 99, 101), self.point("gamma", 2, 1, 1, 1)]
        found = comparison.speed_ups(points)
        self.assertEqual(sorted(round(value, 2) for one in found for value in one), [0.5, 0.99, 1.01, 2, 2, 2, 2, 2])
        text = tables.from_one_to_two(points)
        self.assertIn("67% (2 of 3) cells", text)
        self.assertIn("a factor of 1.42 on average", text)
        self.assertIsNone(tables.from_one_to_two([]))


class Drawing(Folder):
    KNOWN = {"locked": (6, 4, 8), "pause": (40, 20, 60)}

    def figure(self, times):
        summary = self.summary({key: 100 + place for place, key in enumerate(times)})
        simulated = Simulated(times)
        figure = draws.conclusions(summary.cells)
        draws.decide(figure, simulated, self.KNOWN, 1, lambda number, left: None)
        return {(one.first["scheduler"], one.second["scheduler"]): one for one in figure}, simulated

    def test_draws(self):
        chosen = [draws.draw(self.KNOWN, number) for number in range(1, 33)]
        self.assertEqual(chosen, [draws.draw(self.KNOWN, number) for number in range(1, 33)])
        self.assertTrue(all(4 <= model["locked"] <= 8 and 20 <= model["pause"] <= 60 for model in chosen))
        self.assertGreater(len({model["locked"] for model in chosen}), 30)

    def test_a_conclusion_that_always_holds(self):
        found, _ = self.figure({("beta", "one"): lambda model: 10, ("beta", "two"): lambda model: 11})
        one = found["one", "two"]
        self.assertTrue(one.holds)
        self.assertEqual((one.k, len(one.ratios)), (32, 32))

    def test_one_draw_may_contradict_but_not_two(self):
        ordered = sorted(draws.draw(self.KNOWN, number)["locked"] for number in range(1, 33))
        for allowed, holds in ((1, True), (2, False)):
            limit = ordered[allowed - 1]
            found, _ = self.figure({("beta", "one"): lambda model, limit=limit: 20 if model["locked"] <= limit else 10,
                                    ("beta", "two"): lambda model: 11})
            one = found["one", "two"]
            self.assertEqual((one.holds, one.against), (holds, allowed))
            if not holds:  # it was not tried further
                contradicted = sorted(number for number, ratio in one.ratios.items() if ratio < 1)
                self.assertEqual(max(one.ratios), contradicted[1])

    def test_draws_are_shared_while_a_conclusion_is_open(self):
        found, simulated = self.figure({("beta", "one"): lambda model: 10, ("beta", "two"): lambda model: 20,
                                        ("beta", "gamma"): lambda model: None})
        self.assertFalse(found["two", "gamma"].holds)
        self.assertEqual(len(found["two", "gamma"].ratios), 2)
        self.assertTrue(found["one", "two"].holds)
        self.assertEqual({cell["scheduler"] for cell, _, _ in simulated.wanted}, {"one", "two"})

    def test_what_decides(self):
        found, _ = self.figure({("beta", "one"): lambda model: 10, ("beta", "two"): lambda model: 10 + model["locked"]})
        strength = draws.deciders(found["one", "two"], self.KNOWN)
        self.assertAlmostEqual(strength["locked"], 1)
        self.assertLess(abs(strength["pause"]), 0.6)


class Running(Folder):
    def cells(self, *words):
        path = self.folder / "native.jsonl"
        for workers in ("1", "2"):
            subprocess.run([ACTORLAB, "run", "executor", "--size", "small", "--workers", workers, "--iterations", "1",
                            "--oversubscribe", "--no-hardware", "--json", path, *words], check=True, stdout=subprocess.DEVNULL)
        return Summary(ACTORLAB, path).machines[0].cells

    def test_cells_are_simulated_once(self):
        cells = self.cells("--set", "mailboxes=5")
        self.assertEqual(len(cells), 2)
        simulations = Simulations(Path(ACTORLAB), MACHINE, self.folder, 2)
        wanted = [(cell, seed, {"jitter": 0.0}) for cell in cells for seed in (1, 2)]
        simulations.run(wanted)
        lines = simulations.path.read_text(encoding="utf-8").splitlines()
        self.assertEqual(len(lines), 4)
        for cell, seed, model in wanted:
            found = simulations.of(cell, seed, model)
            self.assertEqual((identity(found), found["seed"], found["engine"]), (identity(cell), seed, "sim"))
            self.assertIsNone(simulations.of(cell, seed))
        with open(simulations.path, "a", encoding="utf-8") as file:
            file.write(lines[0][:100])  # as an interrupted run leaves it
        again = Simulations(Path(ACTORLAB), MACHINE, self.folder, 2)
        again.run(wanted)
        self.assertEqual(len(again.records), 4)
        self.assertEqual(again.path.read_text(encoding="utf-8").splitlines()[:4], lines)

    def test_arguments(self):
        words = arguments({"benchmark": "beta", "scheduler": "deque", "victim": None, "idle": "spin", "workers": 2, "pin": "close",
                           "parameters": {"size": 7}, "options": {"shards": 1, "mailboxes": 2, "wide": True}})
        self.assertEqual(words, ["beta", "--scheduler", "deque", "--idle", "spin", "--workers", "2", "--pin", "close", "--set",
                                 "size=7", "--set", "shards=1", "--set", "wide=true"])

    def deep(self):
        """Starts simulate-deep on two strategies."""
        if not (self.folder / "records.jsonl").exists():
            for scheduler in ("inverted", "central"):
                subprocess.run([ACTORLAB, "run", "send-static", "--set", "sends=2000", "--scheduler", scheduler, "--engine",
                                "sim", "--machine", MACHINE, "--workers", "1", "--iterations", "1", "--json",
                                self.folder / "records.jsonl"], check=True, stdout=subprocess.DEVNULL)
        command = [ROOT / "scripts/simulate-deep", self.folder, "--machine", MACHINE]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
                                env={**os.environ, "AL_ACTORLAB": str(ACTORLAB)})

    def simulated(self):
        return [line for path in self.folder.glob("simulated-*.jsonl") for line in whole_lines(path)]

    def test_deep(self):
        interrupted = self.deep()
        while len(self.simulated()) < 4 and interrupted.poll() is None:
            time.sleep(0.01)
        os.killpg(interrupted.pid, signal.SIGINT)
        _, errors = interrupted.communicate()
        self.assertEqual((interrupted.returncode, "goes on from here" in errors), (130, True), errors)
        kept = self.simulated()
        self.assertLess(len(kept), 64)
        whole = self.deep()
        _, errors = whole.communicate()
        self.assertEqual(whole.returncode, 0, errors)
        self.assertEqual((self.simulated()[:len(kept)], len(self.simulated())), (kept, 64))
        (found,) = json.loads((self.folder / "conclusions.json").read_text())
        self.assertEqual((found["first"], found["second"], found["holds"], found["draws"]), ("inverted", "central", True, 32))
        self.assertTrue((self.folder / "deciders.png").exists())

    def test_usage(self):
        self.summary({("beta", "one"): 100})
        validate, deep = "validate-sim", "simulate-deep"
        for script, words, code, says in (
                (validate, ["--records", "x"], 2, "--records FILE needs --machine"),
                (validate, ["--records", "x", "--machine", MACHINE], 2, "x: no such folder or file of records"),
                (validate, ["--machine", "nonsense"], 2, "unknown machine 'nonsense'"),
                (validate, ["no.toml", "--results", self.folder / "out"], 2, "no.toml: No such file or directory"),
                (validate, ["--records", self.path, "--machine", MACHINE, "--results", "/proc/x"], 3, "cannot write"),
                (deep, [self.folder], 2, "no simulated records"),
                (deep, [SIMULATED, "--machine", "nonsense"], 2, "unknown machine 'nonsense'"),
                (deep, [SIMULATED, "--workers", "7"], 2, "no two simulated cells of a workload have 7 workers")):
            done = subprocess.run([ROOT / "scripts" / script, *words], capture_output=True, text=True,
                                  env={**os.environ, "AL_ACTORLAB": str(ACTORLAB)})
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(says, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1 if "usage" not in done.stderr else done.stderr.count("\n"))


if __name__ == "__main__":
    unittest.main()
