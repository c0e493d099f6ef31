#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`actorlab results`: what it says of small made-up folders is what their records say."""

import json
import re
import statistics
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import ACTORLAB

HERE = {"cpu": "CPU 1", "topology_hash": "aa", "kernel": "6.1", "compiler": "cc 1", "revision": "r",
        "binary_hash": "b"}
THERE = HERE | {"cpu": "CPU 2", "topology_hash": "cc"}


def record(scheduler="inverted", workers=1, block=0, time=1000, benchmark="alpha", **more):
    """time: ns for 100 messages."""
    return {
        "schema_version": 1, "started_at": f"2026-01-02T03:{block:02}:00Z", "benchmark": benchmark,
        "parameters": {"size": 3}, "scheduler": scheduler, "victim": "none", "idle": "spin",
        "options": {}, "workers": workers, "pus": list(range(workers)), "pin": "close",
        "topology": "this machine", "oversubscribed": workers > 2, "seed": 1, "engine": "native",
        "warmup": 1, "iterations": 1, "time_ns": [time], "messages": 100, "peak_rss_bytes": 5000,
        "counters": [{"messages_received": 100, "gulps": 40, "steal_attempts": 20, "queues_stolen": 5},
                     {"messages_received": 0, "gulps": 10, "steal_attempts": 0, "queues_stolen": 0}],
        "memory": {"allocated_bytes": 1000, "resident_bytes": None, "queue_bytes": 64,
                   "queue_peak_bytes": 96},
        "environment": HERE, "noise": {"elapsed_ns": 5 + block, "gate": {"waited_s": 0.5},
                                       "disturbed": ["steal"] if block == 1 else []},
        "outcome": "ok", "sweep": {"name": "s", "cell": "c", "block": block, "position": 0}, **more,
    }


def failed(outcome, **more):
    made = record(outcome=outcome, **more)
    for key in ("messages", "counters", "peak_rss_bytes", "memory"):
        del made[key]
    return made | {"time_ns": []}


BLOCKS = 8


def sweep():
    """Two strategies with one and two workers on two workloads, in blocks; a twin; a failure."""
    cost = {"inverted": 1000, "central": 2000}
    rows = [record(scheduler, workers, block, (time + 7 * block) // workers, benchmark)
            for block in range(BLOCKS) for benchmark in ("beta", "alpha")
            for scheduler, time in cost.items() for workers in (1, 2)]
    twins = [record(block=block, time=1010 + 7 * block, benchmark="beta",
                    sweep={"name": "s", "cell": "c-twin", "block": block, "twin": True})
             for block in range(BLOCKS)]
    bad = failed("crashed", scheduler="central", workers=4, block=2, signal="SIGSEGV", stderr="end",
                 exit_code=None, benchmark="beta")
    for rank, row in enumerate(rows):
        row["sweep"]["position"] = rank
    return sorted([*rows, *twins, bad], key=lambda row: row["sweep"]["block"])


class Results(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def write(self, rows, name="one", **beside):
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        (folder / "records.jsonl").write_text("".join(
            (row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))
        for file, value in beside.items():
            (folder / f"{file}.json").write_text(json.dumps(value))
        return folder

    def run_it(self, *words, code=0):
        done = subprocess.run([ACTORLAB, "results", *words], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def results(self, *words, code=0):
        return json.loads(self.run_it(*words, "--json", code=code).stdout)

    def machine(self, rows, *words, **beside):
        (machine,) = self.results(self.write(rows, **beside), *words)["machines"]
        return machine


class Cells(Results):
    def test_values(self):
        rows = sweep()
        machine = self.machine(rows)
        self.assertEqual([(c["benchmark"], c["scheduler"], c["workers"]) for c in machine["cells"]], [
            (benchmark, scheduler, workers) for benchmark in ("alpha", "beta")
            for scheduler in ("inverted", "central") for workers in (1, 2)])
        for cell in machine["cells"]:
            own = [row for row in rows if row["outcome"] == "ok" and not row["sweep"].get("twin")
                   and all(row[key] == cell[key] for key in ("benchmark", "scheduler", "workers"))]
            times = [row["time_ns"][0] / 100 for row in own]
            self.assertEqual(cell["ns_per_message"]["values"], times)
            self.assertAlmostEqual(cell["ns_per_message"]["median"], statistics.median(times))
            self.assertEqual((cell["n"], cell["blocks"]), (BLOCKS, list(range(BLOCKS))))
            self.assertEqual(cell["sessions"], [0] * BLOCKS)
            self.assertEqual(cell["rates"]["steals_per_message"]["values"], [0.05] * BLOCKS)
            self.assertEqual(cell["rates"]["messages_per_gulp"]["median"], 2)
            self.assertEqual(cell["memory"], {"allocated_bytes": 1000, "resident_bytes": None,
                                              "queue_bytes": 64, "queue_peak_bytes": 96})
            self.assertEqual(cell["pus"], list(range(cell["workers"])))
            self.assertEqual(cell["letters"], None)

    def test_order(self):
        """As the configuration wrote it; strategies have an order of their own."""
        axes = {"benchmark": ["beta", "alpha"], "workers": [2, 1], "scheduler": ["central", "inverted"]}
        for machine in (self.machine(sweep(), sweep={"axes": axes}),
                        self.machine(sweep(), "--axes", json.dumps(axes))):
            self.assertEqual([(c["benchmark"], c["scheduler"], c["workers"])
                              for c in machine["cells"][:3]],
                             [("beta", "inverted", 2), ("beta", "inverted", 1), ("beta", "central", 2)])

    def test_what_varies(self):
        """Neither keys that follow from others, nor those of failed trials that no axis has."""
        rows = [record(victim=victim, options={"queues": 16 * workers}, workers=workers,
                       parameters={"size": size}, benchmark=benchmark)
                for benchmark, sizes in (("alpha", (3, 4)), ("beta", (3,)))
                for victim in ("none", "random") for workers in (1, 2) for size in sizes]
        machine = self.machine(rows)
        self.assertEqual((machine["keys"], machine["strategy_keys"]), (["victim", "size"], ["victim"]))
        self.assertEqual({entry["benchmark"]: (entry["keys"], entry["parameters"])
                          for entry in machine["benchmarks"]},
                         {"alpha": (["victim", "size"], {}), "beta": (["victim"], {})})
        self.assertEqual([line["label"] for line in machine["lines"]],
                         ["victim=none size=3", "victim=none size=4", "random size=3", "random size=4"])
        self.assertEqual(machine["strategies"], ["none", "random"])
        self.assertEqual(machine["cells"][0]["workload"], "alpha size=3")
        self.assertEqual(self.machine([record(), record(pin="spread")])["keys"], ["pin"])
        self.assertEqual(self.machine([record(), failed("timeout", victim="any")])["keys"], [])
        axes = json.dumps({"victim": ["none", "any"]})
        self.assertEqual(self.machine([record(), failed("timeout", victim="any")], "--axes", axes)["keys"],
                         ["victim"])

    def test_keys_of_one_name(self):
        """A parameter and an option that vary, one with each value of the other."""
        rows = [record(parameters={"size": size}, options={"size": option}) for size in (3, 4) for option in (8, 9)]
        (entry,) = self.machine([*rows, record(benchmark="beta")])["benchmarks"][:1]
        self.assertEqual(entry["keys"], ["size", "size"])
        (entry,) = self.machine([record(options={"on": on}) for on in (True, False)])["benchmarks"]
        self.assertEqual(entry["keys"], ["on"])
        rows = [record(parameters={"size": size}, options={"size": 8}) for size in (3, 4)]
        more = [record(benchmark="beta", options={"size": option}) for option in (8, 9)]
        self.assertEqual([entry["keys"] for entry in self.machine([*rows, *more])["benchmarks"]], [["size"]] * 2)

    def test_one_benchmark(self):
        machine = self.machine(sweep(), "--benchmark", "beta")
        self.assertEqual({cell["benchmark"] for cell in machine["cells"]}, {"beta"})
        self.assertEqual(machine["known"], {"benchmarks": ["alpha", "beta"],
                                            "schedulers": ["inverted", "central"]})

    def test_unknown_names(self):
        """Refused if no machine has them; a sweep may not have come to its baseline yet."""
        here = self.write([record()], "here", sweep={"baseline": "deque"})
        there = self.write([record("central", benchmark="beta", environment=THERE),
                            failed("crashed", scheduler="deque", environment=THERE)], "there")
        self.results(here, there, "--baseline", "central", "--benchmark", "beta")
        for words, names in ((["--baseline", "deque"], "inverted, central"),
                             (["--benchmark", "beta,gamma"], "alpha, beta")):
            done = self.run_it(here, there, *words, code=2)
            name = words[1].rpartition(",")[2]
            self.assertEqual((done.stdout, done.stderr), (
                "", f"actorlab results: {words[0]} '{name}': no trial of it finished; valid: {names}\n"))
        self.assertEqual(self.results(self.write([]), "--baseline", "deque")["machines"], [])


class Looks(Results):
    def test_widths(self):
        """Of a sweep that was to end where intervals are narrow, they have the level of a look, and
        state what all looks together cover; less, where the values are too few for it."""
        for n, ends, achieved in ((8, (0, 7), 0.95), (30, (7, 22), 0.95), (6, (0, 5), 0.95 + 1 - 2 / 2**6 - 0.9875)):
            rows = [record(block=block, time=1000 + 100 * block) for block in range(n)]
            time = self.machine(rows, sweep={"width_looks": [8, 12, 20, 30]})["cells"][0]["ns_per_message"]
            self.assertEqual([time["low"], time["high"]], [10 + end for end in ends])
            self.assertAlmostEqual(time["achieved"], achieved, places=12)
            summary = json.loads(subprocess.run([ACTORLAB, "summarize", self.folder / "one", "--json"],
                                                capture_output=True, check=True).stdout)
            self.assertEqual(summary["cells"][0]["ns_per_message"]["high"], time["high"])


class Allocation(Results):
    """What memory the messages were from is stated, also where all cells agree."""

    def test_stated(self):
        rows = [record("deque", parameters={"memory": "malloc"}, options={"envelopes": "recycled"}),
                record("inverted", parameters={"memory": "malloc"}, options={"queue": "copy", "envelopes": "malloc"}),
                record("inverted", parameters={"memory": "malloc"}, options={"queue": "list", "envelopes": "malloc"}),
                record("central", benchmark="beta", options={"envelopes": "recycled"})]
        words = ("Allocation: memory=malloc in alpha; envelopes=recycled in deque, central; "
                 "envelopes=malloc in inverted.")
        self.assertEqual(self.machine(rows)["allocation"], words)
        for command in ("results", "summarize"):
            shown = subprocess.run([ACTORLAB, command, self.folder / "one"], capture_output=True, text=True, check=True)
            self.assertIn(f"\n{words}\n", shown.stdout)

    def test_added(self):
        """So is what a strategy was told to add to each message."""
        rows = [record("deque", options={"envelopes": "malloc", "library": 150}),
                record("las", options={"envelopes": "malloc", "library": 0}),
                record("sharing", options={"library": 90}), record("mercury", options={"library": 150})]
        words = ("Allocation: envelopes=malloc in deque, las. Added to each message: library=150 ns in deque, mercury; "
                 "library=90 ns in sharing.")
        self.assertEqual(self.machine(rows)["allocation"], words)
        self.assertEqual(self.machine(rows[2:3])["allocation"], "Added to each message: library=90 ns in sharing.")

    def test_copied(self):
        rows = [record("inverted", options={"queue": "copy", "envelopes": "malloc"})]
        self.assertEqual(self.machine(rows)["allocation"], "")
        self.assertNotIn("Allocation", self.run_it(self.folder / "one").stdout)


class Trials(Results):
    def test_counts(self):
        machine = self.machine(sweep())
        self.assertEqual(machine["trials"], {
            "n": 73, "twins": 8, "interrupted": 0, "outcomes": {"ok": 72, "crashed": 1},
            "methods": [{"warmup": 1, "iterations": 1, "n": 73}],
            "first": "2026-01-02T03:00:00Z", "last": "2026-01-02T03:07:00Z"})
        self.assertEqual(machine["disturbance"], {
            "watched": 73, "disturbed": 9, "unwatched": 0, "waited_s": 36.5, "reasons": {"steal": 9},
            "text": "noise: 9 of 73 trials disturbed (steal: 9); waited 36 s for calm", "warning": None})
        environment = {row["key"]: row for row in machine["environment"]}
        self.assertEqual(environment["cpu"], {"key": "cpu", "missing": 0, "distinct": 1,
                                              "values": [{"value": "CPU 1", "count": 65}]})
        noise = {row["key"]: row for row in machine["noise"]}
        self.assertEqual(noise["elapsed_ns"], {"key": "elapsed_ns", "missing": 0, "least": 5, "most": 12,
                                               "median": 8})
        self.assertEqual(noise["gate.waited_s"]["values"], [{"value": 0.5, "count": 65}])
        self.assertEqual(noise["disturbed"]["distinct"], 2)

    def test_failed(self):
        machine = self.machine(sweep())
        (entry,), (trial,) = machine["failed"], machine["failed_trials"]
        self.assertEqual((entry["outcome"], entry["count"], entry["workers"]), ("crashed", 1, 4))
        self.assertEqual((trial["outcome"], trial["signal"], trial["stderr"], trial["block"]),
                         ("crashed", "SIGSEGV", "end", 2))
        lines = (self.folder / "one" / "records.jsonl").read_text().splitlines()
        self.assertEqual(json.loads(lines[trial["line"] - 1])["outcome"], "crashed")

    def test_failed_for_people(self):
        """With the strategy as a row names it, and also those of an A/A run."""
        twin = {"name": "s", "cell": "t", "block": 0, "twin": True}
        rows = [record("deque", options={"deque": "locked"}), record("deque", options={"deque": "chase-lev"}),
                failed("timeout", scheduler="deque", options={"deque": "locked"}, block=1),
                failed("crashed", scheduler="deque", options={"deque": "chase-lev"}, sweep=twin)]
        shown = self.run_it(self.write(rows)).stdout
        self.assertEqual([line for line in shown.splitlines() if line.startswith("failed: ")], [
            "failed: alpha, deque=chase-lev (A/A twin), workers 1: crashed, 1 time",
            "failed: alpha, deque=locked, workers 1: timeout, 1 time"])

    def test_sessions_of_version_1(self):
        """Where positions go back, another session begins."""
        rows = [record(block=block, sweep={"block": block, "position": position})
                for block, position in ((0, 1), (0, 2), (1, 1), (0, 1), (1, 1))]
        for number, row in enumerate(rows):
            row["seed"] = number
        machine = self.machine(rows)
        self.assertEqual([session["trials"] for session in machine["sessions"]], [3, 2])
        self.assertEqual(machine["cells"][0]["sessions"], [0, 0, 0, 1, 1])


class Machines(Results):
    def test_side_by_side(self):
        """Nothing compares machines. Trials that do not name theirs go with their file."""
        here, there = sweep(), [row | {"environment": THERE} for row in sweep()]
        there += [failed("crashed", environment={}, block=3)]
        folders = [self.write(here, "here"), self.write(there, "there")]
        both = self.results(*folders)
        self.assertEqual([machine["machine"] for machine in both["machines"]],
                         [{**{key: known[key] for key in ("cpu", "topology_hash")}, "simulated": None} for known in (HERE, THERE)])
        for machine, folder in zip(both["machines"], folders):
            (alone,) = self.results(folder)["machines"]
            for key in ("cells", "comparisons", "averages", "groups", "aa", "trials"):
                self.assertEqual(machine[key], alone[key], key)
        self.assertEqual([source["records"] for source in both["sources"]], [73, 74])
        shown = self.run_it(*folders).stdout
        for cpu in ("CPU 1 (aa)", "CPU 2 (cc)"):
            self.assertRegex(shown, rf"(?m)^{re.escape(cpu)}:\ninverted is fastest(.*\n)*alpha +2 +inverted +5\.1.* +central$")

    def test_unnamed(self):
        """Trials that come before the first that names a machine are of that machine."""
        here, unnamed = self.write([record()], "here"), record(time=3000, environment={})
        there = self.write([unnamed, record(time=2000, environment=THERE)], "there")
        nowhere = self.write([unnamed | {"seed": 2}], "nowhere")
        for place in range(3):
            files, cpus, times = [here, there], ["CPU 1", "CPU 2"], [[10], [30, 20]]
            for values, value in ((files, nowhere), (cpus, None), (times, [30])):
                values.insert(place, value)
            told = self.results(*files)["machines"]
            self.assertEqual([machine["machine"].get("cpu") for machine in told], cpus)
            self.assertEqual([[value for cell in machine["cells"] for value in cell["ns_per_message"]["values"]]
                              for machine in told], times)

    def test_sweep_of_the_first(self):
        """Only the first folder's sweep.json counts, and none beside standard input."""
        without = self.write([record()], "without")
        sweeps = self.write([record(block=1)], "with", sweep={"baseline": "inverted"})
        self.assertEqual(self.results(sweeps, without)["sweep"], {"baseline": "inverted"})
        self.assertEqual(self.results(without, sweeps)["sweep"], None)
        done = subprocess.run([ACTORLAB, "results", "-", "--json"], input=json.dumps(record()), cwd=sweeps,
                              capture_output=True, text=True, check=True)
        self.assertEqual(json.loads(done.stdout)["sweep"], None)

    def test_pooled(self):
        """Folders of one machine are one; its simulated topologies do not part it."""
        again = [row | {"seed": 2} for row in sweep()]
        (machine,) = self.results(self.write(sweep(), "a"), self.write(again, "b"))["machines"]
        self.assertEqual({cell["n"] for cell in machine["cells"]}, {16})
        self.assertEqual(machine["cells"][0]["sessions"], [0] * 8 + [1] * 8)
        other = record(topology="pack:2 core:2", environment=HERE | {"topology_hash": "dd"})
        self.assertEqual(len(self.machine([record(), other])["cells"]), 2)


class Problems(Results):
    def test_damaged(self):
        rows = [record(), '{"schema_version": 1', record(), record(block=1), json.dumps({"schema_version": 9}),
                record(block=2, trace="t.json"), "not JSON"]
        folder = self.write(rows)
        done = self.run_it(folder, "--json", code=1)
        (source,) = json.loads(done.stdout)["sources"]
        self.assertEqual([(problem["line"], problem["kind"]) for problem in source["problems"]],
                         [(2, "damaged"), (3, "duplicate"), (5, "newer"), (7, "damaged")])
        self.assertEqual((source["records"], source["traced"], source["error"]), (2, 1, None))
        path = str(folder / "records.jsonl")
        self.assertEqual(source["path"], path)
        for line in (2, 3, 5, 7):
            self.assertEqual(len(re.findall(rf"(?m)^actorlab results: {path}:{line}: ", done.stderr)), 1)
        shown = self.run_it(folder, code=1)
        self.assertIn("1 cell, 2 trials", shown.stdout)

    def test_nothing(self):
        self.assertEqual(self.results(self.write([]))["machines"], [])
        self.assertEqual(self.run_it(self.folder / "one").stdout, "No records.\n")
        self.assertIn("cannot read", self.run_it(self.folder / "none", code=2).stderr)


if __name__ == "__main__":
    unittest.main()
