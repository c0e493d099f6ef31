#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Sweeps on simulated machines: several trials at once, seeds, resuming on any host, engine and
machine as axes and on the command line, and mistakes."""

import json
import signal
import subprocess
import sys
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import ACTORLAB, ROOT
from support.reporting import Page
from support.sweeping import SWEEP, Real

from sweep import trials

MACHINE = str(ROOT / "tests" / "machines" / "two-sockets.xml")  # 16 PUs
OTHER = str(ROOT / "tests" / "machines" / "two-cores.xml")
CELLS = """
[axes]
scheduler = ["inverted", "las"]
workers = [1, 2]
[set]
benchmark = "send-static"
sends = 200
"""
SIM = f'[sweep]\ninvocations = 2\nengine = "sim"\nmachine = "{MACHINE}"\n' + CELLS
NATIVE = "[sweep]\ninvocations = 2\n" + CELLS
TWIN_SEED = 10**9


class Simulated(Real):
    def by_place(self):
        return {(row["sweep"]["cell"], row["sweep"]["block"]): row for row in self.rows()}

    def write(self, rows):
        (self.results / "records.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))

    def test_all_of_it(self):
        text = SIM.replace("invocations = 2", "invocations = 6\ntwin = true\nbaseline = \"inverted\"")
        output = self.sweep(text, "--jobs", "3", plots=True)
        rows = self.by_place()
        self.assertEqual(len(rows), 6 * (4 + 2))
        for (cell, block), row in rows.items():
            twin = cell.endswith("-twin")
            self.assertEqual(row["seed"], 1 + block + TWIN_SEED * twin)
            self.assertEqual((row["outcome"], row["engine"], row["machine"]["name"], row["topology"]),
                             ("ok", "sim", "two-sockets", "two-sockets"))
            self.assertEqual([row[key] for key in ("noise", "handoff", "hardware")], [None] * 3)
            if twin:
                self.assertNotEqual(row["time_ns"], rows[cell.removesuffix("-twin"), block]["time_ns"])
        self.assertIn("Simulated trials: intervals", output)
        self.assertNotIn("peak memory", output)
        self.assertIn("(simulated, hypothetical)", output)
        self.assertNotIn("noise:", output)
        found = json.loads(subprocess.run([ACTORLAB, "results", "--json", self.results], capture_output=True, check=True).stdout)
        machine, = found["machines"]
        self.assertEqual([pair["ratio"]["n"] for pair in machine["comparisons"]["baseline"]["pairs"]], [6, 6])
        self.assertEqual([twin["ratio"]["n"] for twin in machine["aa"]], [6, 6])
        subprocess.run([ROOT / "scripts" / "report", self.results], env=self.environment, check=True, capture_output=True)
        page = Page((self.results / "report.html").read_text())
        self.assertIn("No time here was measured on a real machine.", page.text)
        heads = [text for text, _ in page.tables["memory"][0]]
        self.assertEqual((heads[-2:], "peak" in heads), (["in queues", "most in queues"], False))
        for head in heads[-2:]:
            self.assertEqual({text for text, _ in page.column("memory", head)} & {"", "–"}, set())
        shown = subprocess.run([ACTORLAB, "summarize", self.results / "records.jsonl"],
                               capture_output=True, text=True, check=True).stdout
        self.assertIn(" messages/s\n", shown)
        self.assertNotIn("peak MB", shown)
        # One after the other they have the same times.
        self.sweep(text, "--jobs", "1", "--rerun")
        self.assertEqual({place: row["time_ns"] for place, row in self.by_place().items()},
                         {place: row["time_ns"] for place, row in rows.items()})

    def test_resume(self):
        """The host does not matter, nor which session measured which part of a block."""
        self.sweep(SIM)
        rows = self.rows()
        elsewhere = [row | {"environment": row["environment"] | {"cpu": "another", "kernel": "0", "cpus_allowed": "0"}} for row in rows]
        self.write(elsewhere[:3])
        self.assertIn("8 trials, 3 recorded, 5 to run", self.sweep(SIM, "plan"))
        self.sweep(SIM)
        self.assertIn("8 trials, 8 recorded, 0 to run", self.sweep(SIM, "plan"))
        self.assertEqual(sorted(self.places()), sorted((row["sweep"]["cell"], row["sweep"]["block"]) for row in rows))
        self.assertEqual({place: row["time_ns"] for place, row in self.by_place().items()},
                         {(row["sweep"]["cell"], row["sweep"]["block"]): row["time_ns"] for row in rows})
        for key, said in (("model_hash", "records have the model of two-sockets 0000000000000000, now it is "),
                          ("binary_hash", "records have binary_hash of the simulator 0000000000000000, now it is ")):
            self.write([row | {"machine": row["machine"] | {key: "0" * 16}} for row in rows])
            self.sweep(SIM, code=2)
            self.assertIn(said, self.errors)
        self.write([row | {"seed": row["seed"] + 1} for row in rows])
        self.sweep(SIM, code=2)
        self.assertIn("records have seed 2, now it is 1", self.errors)

    def test_reuse(self):
        """A trial that another sweep has run is copied if it is the same."""
        self.sweep(SIM)
        first, elsewhere = self.rows(), self.results.with_name("elsewhere")
        self.results.rename(elsewhere)
        with open(elsewhere / "records.jsonl", "a") as file:
            file.write('{"half a line')
        missing = self.results.with_name("missing")

        def again(text, copied):
            self.sweep(text, "--reuse", missing, "--reuse", elsewhere, "--rerun")
            rows = self.rows()
            self.assertEqual(sum("copied_from" in row["sweep"] for row in rows), copied)
            self.assertEqual(len({row["trial"] for row in rows + first}), len(rows) + len(first))
            return {place: (row["time_ns"], row["simulated"]["hash"]) for place, row in self.by_place().items()}

        expected = {(row["sweep"]["cell"], row["sweep"]["block"]): (row["time_ns"], row["simulated"]["hash"]) for row in first}
        self.assertEqual(again(SIM, 8), expected)
        self.assertEqual({row["sweep"]["copied_from"] for row in self.rows()}, {first[0]["sweep"]["name"]})
        again(SIM.replace("workers = [1, 2]", "workers = [2, 3]"), 4)
        again(SIM.replace("sends = 200", "sends = 201"), 0)
        again(SIM.replace("[sweep]", "[sweep]\niterations = 2"), 0)
        again(SIM.replace("[sweep]", "[sweep]\nseed = 2"), 4)  # of the second block
        again(SIM.replace(MACHINE, OTHER).replace("[1, 2]", "[1]"), 0)
        for key in ("model_hash", "binary_hash"):
            (elsewhere / "records.jsonl").write_text(
                "".join(json.dumps(row | {"machine": row["machine"] | {key: "0" * 16}}) + "\n" for row in first))
            self.assertEqual(again(SIM, 0), expected)
        (elsewhere / "records.jsonl").write_text("".join(json.dumps(row | {"outcome": "wrong"}) + "\n" for row in first))
        again(SIM, 0)

    def test_doubts(self):
        """The plan says which sizes may decide the result, where that can be known."""
        text = (f'[sweep]\nengine = "sim"\nmachine = "{MACHINE}"\n[axes]\nworkers = [1, 2, 4]\n'
                'scheduler = ["inverted", "deque"]\n[set]\nbenchmark = "matrix"\n[parameters.matrix]\nrows = 48\n')
        said = "and 1 more cell: actors fill the mailboxes unevenly: one worker has over 10% more than the mean, which may decide the result"
        self.assertIn(f"note: matrix inverted workers=2 machine=two-sockets {said}", self.sweep(text, "plan"))
        self.assertNotIn("unevenly", self.sweep(text.replace("rows = 48", "rows = 64"), "plan"))
        few = text.replace("rows = 48", "rows = 1").replace('"inverted", ', "").replace("[axes]", "oversubscribe = true\n[axes]")
        self.assertNotIn("fewer than a quarter", self.sweep(few, "plan"))
        few = few.replace("[1, 2, 4]", "[4, 5]")
        self.assertIn("matrix deque workers=5 machine=two-sockets: fewer than a quarter of the workers ran", self.sweep(few, "plan"))

    def test_override(self):
        """In a native sweep one for simulated cells is no mistake; others that match none are."""
        text = NATIVE + '[[override]]\nwhere = {engine = "sim"}\nset = {"send-static.sends" = 77}\n'
        self.assertNotIn("sends=77", self.sweep(text, "plan"))
        simulating = ("--engine", "sim", "--machine", MACHINE, "--size", "small", "plan")
        self.assertIn("sends=77", self.sweep(text, *simulating))
        self.sweep(text.replace('"sim"}', '"sim", workers = 3}'), *simulating, code=2)
        self.assertIn("matches no cell", self.errors)

    def test_command_line(self):
        """Any configuration can be simulated, and that repeated."""
        output = self.sweep(NATIVE, "--engine", "sim", "--machine", OTHER, "--model", "locked=7", "--filter", "workers=1", "plan")
        self.assertIn(f"actorlab run send-static --scheduler las --workers 1 --engine sim --machine {OTHER} --model locked=7", output)
        words = ("--engine", "sim", "--machine", OTHER, "--model", "locked=7", "--filter", "workers=1")
        self.sweep(NATIVE, *words)
        self.assertEqual({row["machine"]["name"] for row in self.rows()}, {"two-cores"})
        self.assertEqual({row["machine"]["overridden"]["locked"] for row in self.rows()}, {7})
        rows = self.by_place()
        again = [*SWEEP, "--from", self.results, "--no-plot"]
        done = subprocess.run(again, cwd=self.folder, env=self.environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("1.000", done.stdout)
        self.results = self.results.with_name("out-again")
        self.assertEqual({place: row["time_ns"] for place, row in self.by_place().items()},
                         {place: row["time_ns"] for place, row in rows.items()})
        done = subprocess.run([*again, "--engine", "native", "--results", "native"], cwd=self.folder, env=self.environment,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("native and simulated results are not compared", done.stdout)

    def test_folder(self):
        """What the command line simulates is not added to what was measured."""
        def said(*words):
            done = subprocess.run([*SWEEP, "small.toml", "plan", *words], cwd=self.folder,
                                  env=self.environment, capture_output=True, text=True)
            return done.stdout.strip().rpartition("\n")[2].split(":")[0]

        (self.folder / "small.toml").write_text(NATIVE)
        self.assertEqual([Path(said()).name, Path(said("--engine", "sim", "--machine", OTHER)).name],
                         ["small", "small-two-cores"])
        (self.folder / "small.toml").write_text(SIM)
        self.assertEqual([Path(said()).name, Path(said("--engine", "native")).name], ["small", "small-native"])

    def test_namesakes(self):
        """Two machine files of one name: one sweep refuses both, and the results of the one are not
        added to those of the other."""
        files = [self.folder / place / "mine.xml" for place in "ab"]
        text = Path(OTHER).read_text()
        for path, locked in zip(files, ("6 ns", "8 ns")):
            path.parent.mkdir()
            path.write_text(text.replace('locked" value="6 ns', f'locked" value="{locked}'))
        simulate = lambda place, **more: self.sweep(
            NATIVE, "--engine", "sim", "--machine", f"{place}/mine.xml", "--filter", "workers=1",
            **more)
        simulate("a")
        rows = self.rows()
        simulate("b", code=2)
        self.assertIn("its records have the model of mine ", self.errors)
        self.assertEqual(self.rows(), rows)
        files[1].write_text(files[0].read_text())  # the same machine, wherever its file is
        simulate("b")
        self.assertEqual(self.rows(), rows)
        said = ('machines "a/mine.xml" and "b/mine.xml" are both called mine in records: '
                "give one file another name")
        axis = NATIVE.replace("[axes]", '[axes]\nmachine = ["a/mine.xml", "b/mine.xml"]')
        included = NATIVE.replace("[set]", '[set]\nmachine = "a/mine.xml"') + (
            '[[include]]\nmachine = "b/mine.xml"\nworkers = 2\n')
        for text in (axis, included):
            self.sweep(text.replace("[sweep]", '[sweep]\nengine = "sim"'), "plan", code=2)
            self.assertIn(said, self.errors)
            self.assertEqual(self.errors.count("\n"), 1, self.errors)

    def test_axes(self):
        """Native cells have no machine, and are one whatever machines there are beside them."""
        text = NATIVE.replace("workers = [1, 2]", f'workers = [1]\nengine = ["native", "sim"]\nmachine = ["{MACHINE}", "{OTHER}"]')
        output = self.sweep(text)
        self.assertEqual([row["machine"] and row["machine"]["name"] for row in self.rows()].count(None), 4)
        self.assertEqual(len(self.rows()), 2 * 2 * 3)
        self.assertEqual(output.count("): 2 cells, 4 trials."), 3)
        done = subprocess.run([ACTORLAB, "compare", self.results, "--against", "engine=native", "--json"], capture_output=True)
        self.assertEqual(len(json.loads(done.stdout)["comparisons"]), 4)

    def test_workers(self):
        """They are limited by the machine, not by this one."""
        self.assertIn("--workers 16 ", self.sweep(SIM.replace("[1, 2]", "[16]"), "plan"))
        self.sweep(SIM.replace("[1, 2]", "[1, 17]"), "plan", code=2)
        self.assertIn("workers = 17: must be 1 to 16, the PUs of the machine", self.errors)
        output = self.sweep(SIM.replace("[1, 2]", "[1, 17]").replace("[sweep]", "[sweep]\nclip = true"), "plan")
        self.assertIn("left out: 17 workers; ", output)
        self.assertIn("two-sockets.xml has 16 PUs", output)

    def test_longer(self):
        """A simulated trial has ten times as long as a measured one."""
        for simulated, limit in ((False, 3), (True, 30)):
            trial = mock.Mock(config=mock.Mock(timeout_s=3), plan=mock.Mock(simulated=simulated))
            with self.subTest(simulated), mock.patch.object(trials, "Runner") as runner:
                trials.Trials.run(trial)
                runner.assert_called_once_with(limit)

    def test_failed(self):
        """A trial that cannot write its own record is of the same cell."""
        self.sweep(SIM)
        self.sweep(SIM.replace("[sweep]", "[sweep]\ntimeout_s = 0.0001"), "--rerun", code=1)
        self.assertEqual({row["outcome"] for row in self.rows()}, {"timeout"})
        self.sweep(SIM, "--retry-failed")
        retried = [json.loads(line) for line in (self.results / "records.retried.jsonl").read_text().splitlines()]
        self.assertEqual({json.dumps(row["machine"], sort_keys=True) for row in retried},
                         {json.dumps(row["machine"], sort_keys=True) for row in self.rows()})
        self.write([*self.rows(), *retried])
        found = json.loads(subprocess.run([ACTORLAB, "results", "--json", self.results], capture_output=True).stdout)
        self.assertEqual([len(machine["cells"]) for machine in found["machines"]], [4])

    def test_interrupted(self):
        """Ctrl-C ends all that run; what has ended is recorded."""
        text = SIM.replace("invocations = 2", "invocations = 40")
        process = self.start(text, "--jobs", "3")
        self.wait_for(lambda: len(self.rows()) > 3)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate()
        self.assertEqual(process.returncode, 130, output + errors)
        before = self.rows()
        self.assertLess(len(before), 160)
        self.sweep(text.replace("invocations = 40", "invocations = 3"))
        after = self.places()
        self.assertEqual(len(after), len(set(after)))
        self.assertEqual({block for _, block in after[len(before):]} - {0, 1, 2}, set())

    def test_suspended(self):
        """What was running when the sweep was stopped runs again."""
        process = self.start(SIM.replace("invocations = 2", "invocations = 5"), "--jobs", "3")
        self.wait_for(lambda: len(self.rows()) > 2)
        process.send_signal(signal.SIGSTOP)
        self.wait_for(lambda: Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[0] == "T")
        process.send_signal(signal.SIGCONT)
        output, errors = process.communicate()
        self.assertEqual(process.returncode, 0, output + errors)
        places = self.places()
        self.assertEqual((len(places), len(set(places))), (20, 20))

    def test_left_out(self):
        output = self.sweep(SIM.replace('["inverted", "las"]', '["inverted", "plain"]').replace("sends = 200", "").replace("send-static", "matrix"), "plan")
        self.assertIn("left out: plain is another program, which cannot be simulated", output)

    def test_mistakes(self):
        name = "xeon-5220r-2s"
        for text, words, said in (
                (NATIVE, ["--engine", "sim"], 'engine = "sim" without a machine'),
                (NATIVE, ["--machine", name], 'machine without engine = "sim"; valid: both or neither'),
                (NATIVE, ["--model", "locked=7"], 'model without engine = "sim"; valid: only with it'),
                (SIM, ["--model", "locked"], "--model locked: must be KEY=NUMBER, such as locked=7"),
                (SIM, ["--model", "lockd=7"], "unknown parameter of the machine 'lockd'; did you mean 'locked'?"),
                (SIM, ["--machine", "xeon-5220r"], "unknown machine 'xeon-5220r'; did you mean 'xeon-5220r-2s'?"),
                (SIM + 'topology = "core:2 pu:1"\n', [], "topology with engine = \"sim\"; valid: the topology is the machine's"),
                (SIM.replace('"sim"', '"simulated"'), [], 'engine = "simulated": must be "native" or "sim"'),
                (SIM.replace("[axes]", '[axes]\nmachine = ["epyc-7662-2s"]'), [], "machine is also given in [axes]"),
                (NATIVE.replace("[axes]", '[axes]\nengine = ["sim"]\nmachine = ["epyc-7662-2s"]'), ["--machine", name],
                 "--machine xeon-5220r-2s: machine is an axis of this sweep"),
                (SIM.replace("[axes]", 'model = {locked = "a"}\n[axes]'), [], "model = {locked = \"a\"}: must be a table of numbers")):
            with self.subTest(said):
                self.sweep(text, *words, "plan", code=2)
                self.assertEqual(self.errors.count("\n"), 1, self.errors)
                self.assertIn(said, self.errors)


if __name__ == "__main__":
    unittest.main()
