#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Peers in a sweep: made-up ones that do all that a program can do wrong, the example of docs/how-to/adding-a-peer.md, and those
that were built."""

import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import ROOT
from support.sweeping import Bench, alive

from common import actorlab
from sweep import peers, plan

# The first argument says what it does. Each is right but for that.
PEER = r'''#!/usr/bin/python3 -IS
import json, os, signal, sys, time
mode, benchmark, *rest = sys.argv[1:]
flags, given = {}, {}
for flag, value in zip(rest[::2], rest[1::2]):
    if flag == "--set":
        key, value = value.split("=")
        given[key] = int(value) if value.isdigit() else float(value) if value[0].isdigit() else value
    else:
        flags[flag] = int(value)
with open(os.path.dirname(os.path.abspath(__file__)) + "/log", "a") as log:
    log.write(f"peer {os.getpid()} " + " ".join(sys.argv[1:]) + "\n")
iterations = flags["--iterations"]
record = {"benchmark": benchmark, "parameters": given, "workers": flags["--workers"], "time_ns": [3000000] * iterations,
          "messages": 1000, "peak_rss_bytes": 7000000, "version": "Fake 1.2", "outcome": "ok"}
time.sleep(0.005 * iterations)
code = 0
if mode == "crash":
    print("the end", file=sys.stderr, flush=True)
    os.kill(os.getpid(), signal.SIGSEGV)
elif mode == "hang":
    if os.fork() == 0:  # a peer may have processes of its own
        with open(os.path.dirname(os.path.abspath(__file__)) + "/log", "a") as log:
            log.write(f"grandchild {os.getpid()}\n")
    time.sleep(1000)
elif mode == "exit":
    sys.exit(print("no such size", file=sys.stderr) or 2)
elif mode == "wrong":
    record.update(outcome="wrong", error="9 of 10 arrived", time_ns=[])
    code = 1
elif mode == "lie":
    code = 1
elif mode == "late":
    code = 7
elif mode == "silent":
    sys.exit(0)
elif mode == "chatty":
    print("welcome")
elif mode == "nan":
    record["messages"] = float("nan")
elif mode == "few":
    record["time_ns"] = [3000000] * (iterations - 1)
elif mode == "slow-clock":
    record["time_ns"] = [10**12] * iterations
elif mode == "negative":
    record["time_ns"] = [-5] * iterations
elif mode == "other":
    record["benchmark"] = "beta"
elif mode == "keyless":
    del record["messages"]
print(json.dumps(record))
sys.exit(code)
'''

SWEEP = """
[sweep]
invocations = 1
iterations = 2
timeout_s = 2
[axes]
benchmark = ["alpha"]
scheduler = [{}]
[set]
workers = 1
"""


def table(*names, **others):
    """A peers.toml of that fake in these modes."""
    text = "".join(f'[{name}]\nhelp = "h"\ncommand = ["./peer", "{name}"]\nworkloads = ["alpha", "beta"]\n' for name in names)
    return text + "".join(f"[{name}]\n{lines}\n" for name, lines in others.items())


class Peers(Bench):
    def setUp(self):
        super().setUp()
        (self.folder / "peer").write_text(PEER)
        (self.folder / "peer").chmod(0o755)
        self.environment["AL_PEERS"] = str(self.folder / "peers.toml")

    def run_with(self, names, text=SWEEP, code=0, peers_toml=None, plots=False, **others):
        (self.folder / "peers.toml").write_text(table(*names, **others) if peers_toml is None else peers_toml)
        listed = ", ".join(f'"{name}"' for name in ["inverted", *names, *others])
        return self.sweep(text.replace("[{}]", f"[{listed}]"), code=code, plots=plots)

    def by_scheduler(self):
        return {row["scheduler"]: row for row in self.rows()}


class Good(Peers):
    def test_record_is_like_ours(self):
        output = self.run_with(["good"], SWEEP.replace("workers = 1", "workers = 2\nsize = 20\nshards = 4"), plots=True)
        rows = self.by_scheduler()
        ours, theirs = rows["inverted"], rows["good"]
        self.assertEqual(set(ours) - set(theirs), set())
        self.assertEqual(set(theirs) - set(ours), {"peer", "nodes", "started_at"})  # our fake has not the last two
        for key in ("benchmark", "parameters", "workers", "seed", "warmup", "iterations", "topology", "engine", "oversubscribed"):
            self.assertEqual(theirs[key], ours[key], key)
        self.assertEqual({key: theirs[key] for key in ("victim", "idle", "pin", "options", "pus", "bound", "counters")},
                         {"victim": "none", "idle": "own", "pin": "none", "options": {}, "pus": [], "bound": [], "counters": []})
        self.assertEqual((theirs["time_ns"], theirs["messages"], theirs["peak_rss_bytes"]), ([3000000] * 2, 1000, 7000000))
        self.assertEqual(theirs["peer"]["version"], "Fake 1.2")
        self.assertRegex(theirs["peer"]["program_hash"], "^[0-9a-f]{16}$")
        for key in ("cpu", "kernel", "topology_hash", "binary_hash"):
            self.assertEqual(theirs["environment"][key], ours["environment"][key])
        for key in ("load", "procs_running", "voluntary_switches", "involuntary_switches"):
            self.assertGreaterEqual(theirs["environment"][key], 0)
        self.assertNotIn("error", theirs)
        # It is told everything, its own defaults being none.
        self.assertEqual(self.log("peer")[0].split()[2:], "good alpha --workers 2 --set size=20 --set sleep_ms=0 --set mode=ok "
                         "--iterations 2 --warmup 1 --seed 1".split())
        self.assertRegex(output, r"\nalpha +inverted +2 .*\nalpha +good +2 +3000 ")
        self.assertTrue((self.results / "scaling.png").exists())
        self.assertIn("2 of 2 trials are already recorded", self.run_with(["good"], SWEEP.replace(
            "workers = 1", "workers = 2\nsize = 20\nshards = 4")))

    def test_what_it_does_not_have(self):
        text = SWEEP.replace('["alpha"]', '["alpha", "gamma"]')
        output = self.run_with(["good"], text)
        self.assertIn("note: left out: good has no gamma\n", output)
        self.assertEqual(sorted((row["benchmark"], row["scheduler"]) for row in self.rows()),
                         [("alpha", "good"), ("alpha", "inverted"), ("gamma", "inverted")])
        self.run_with(["good"], SWEEP.replace('["alpha"]', '["gamma"]'), code=2)
        self.assertEqual(self.errors, "small.toml:9: good has none of this sweep's benchmarks (it has: alpha, beta)\n")

    def test_placement_is_not_its_own(self):
        output = self.run_with(["good"], SWEEP.replace("[set]", 'pin = ["close", "spread"]\nvictim = ["none", "random"]\n'
                               'shards = [1, 2]\n[set]'))
        self.assertEqual([row["scheduler"] for row in self.rows()].count("inverted"), 8)
        self.assertEqual([row["scheduler"] for row in self.rows()].count("good"), 1)
        self.assertIn("alpha good workers=1 ", output)

    def test_dry_run(self):
        (self.folder / "peers.toml").write_text(table("good", "absent"))
        self.environment["AL_PEERS"] = str(self.folder / "peers.toml")
        output = self.sweep(SWEEP.replace("{}", '"good"'), "--dry-run")
        self.assertIn("peer good alpha --workers 1 --set size=10 --set sleep_ms=0 --set mode=ok\n", output)
        self.assertEqual(self.log("peer"), [])

    def test_replaced_program(self):
        self.run_with(["good"])
        with open(self.folder / "peer", "a") as file:
            file.write("# other\n")
        self.run_with(["good"], code=2)
        self.assertRegex(self.errors, r"^out/records.jsonl: its records have good [0-9a-f]+, now it is [0-9a-f]+: --rerun .+\n$")

    def test_machine_changed_on_the_way(self):
        """A peer says nothing of its machine; the sweep asks again for each record."""
        (self.folder / "peers.toml").write_text(table("good"))
        self.environment["AL_PEERS"] = str(self.folder / "peers.toml")
        process = self.start(SWEEP.replace("{}", '"good"').replace("invocations = 1", "invocations = 100"))
        self.wait_for(lambda: len(self.log("peer")) >= 3)
        (self.folder / "cpus").write_text("0")
        _, errors = process.communicate(timeout=20)
        self.assertEqual(process.returncode, 2)
        self.assertIn("cpus_allowed was 0-1 when the sweep began, now it is 0: ", errors)
        self.assertEqual({row["environment"]["cpus_allowed"] for row in self.rows()}, {"0-1"})


class Bad(Peers):
    def test_outcomes(self):
        expected = {
            "crash": "crashed", "exit": "crashed", "lie": "crashed", "late": "crashed", "wrong": "wrong", "silent": "nonsense",
            "chatty": "nonsense", "nan": "nonsense", "few": "nonsense", "slow-clock": "nonsense", "negative": "nonsense",
            "other": "nonsense", "keyless": "nonsense", "hang": "timeout", "absent": "missing", "inverted": "ok"}
        modes = [mode for mode in expected if mode not in ("absent", "inverted")]
        output = self.run_with(modes, code=1, absent='help = "h"\ncommand = ["./none"]\nworkloads = ["alpha"]')
        rows = self.by_scheduler()
        self.assertEqual({name: row["outcome"] for name, row in rows.items()}, expected)
        for name, row in rows.items():
            if name != "inverted":
                self.assertEqual(row["time_ns"], [], name)
                self.assertEqual(row["environment"]["binary_hash"], "h1", name)
                self.assertEqual(row["parameters"], {"size": 10, "sleep_ms": 0, "mode": "ok"}, name)
        self.assertEqual((rows["crash"]["signal"], rows["crash"]["stderr"]), ("SIGSEGV", "the end\n"))
        self.assertEqual((rows["exit"]["exit_code"], rows["late"]["exit_code"], rows["lie"]["exit_code"]), (2, 7, 1))
        self.assertEqual(rows["wrong"]["error"], "9 of 10 arrived")
        self.assertEqual(rows["few"]["error"], "it has 1 times of 2 iterations")
        self.assertEqual(rows["silent"]["error"], "no record on its standard output")
        self.assertRegex(rows["slow-clock"]["error"], r"^its times are 2000 s together, but the process took 0\.\d+ s$")
        self.assertEqual(rows["other"]["error"], 'its record is of benchmark "beta"; asked was "alpha"')
        self.assertEqual(rows["keyless"]["error"], "its record has no messages")
        self.assertIn("note: absent is missing: docs/reference/peers.md says", self.errors)
        self.assertIn("not there: docs/reference/peers.md says", rows["absent"]["error"])
        self.assertEqual(rows["absent"]["peer"], {"version": None, "program_hash": None})
        # In the table is what has a time, and below it the rest.
        self.assertEqual(re.findall(r"^alpha +(\w+) +1", output, re.MULTILINE), ["inverted"])
        self.assertIn("failed: alpha hang workers=1: timeout", re.sub(" +", " ", output))
        self.assertIn("nonsense: it has 1 times of 2 iterations", output)
        # Nothing of what hung is left.
        for line in self.log("peer") + self.log("grandchild"):
            self.wait_for(lambda: not alive(int(line.split()[1])))
        # Now it is there: the records would say something else.
        (self.folder / "none").write_text("#!/bin/sh\n")
        (self.folder / "none").chmod(0o755)
        self.run_with(modes, code=2, absent='help = "h"\ncommand = ["./none"]\nworkloads = ["alpha"]')
        self.assertIn("its records have absent missing, now it is", self.errors)

    def test_not_a_program(self):
        (self.folder / "text").write_text("#!/no/such/interpreter\n")
        (self.folder / "text").chmod(0o755)
        self.run_with([], code=1, text_file='help = "h"\ncommand = ["./text"]\nworkloads = ["alpha"]')
        self.assertEqual(self.by_scheduler()["text_file"]["outcome"], "missing")

    def test_interrupted(self):
        (self.folder / "peers.toml").write_text(table("hang"))
        process = self.start(SWEEP.replace("{}", '"hang"').replace("timeout_s = 2", "timeout_s = 60"))
        self.wait_for(lambda: self.log("grandchild"))
        process.terminate()
        _, errors = process.communicate(timeout=10)
        self.assertEqual(process.returncode, 130, errors)
        self.assertEqual(self.rows(), [])
        for line in self.log("peer") + self.log("grandchild"):
            self.wait_for(lambda: not alive(int(line.split()[1])))

    def test_nonsense(self):
        good = {"benchmark": "alpha", "parameters": {"size": 10, "share": 0.5}, "workers": 2, "time_ns": [10**6] * 3,
                "messages": 100, "peak_rss_bytes": 4096, "version": "v", "outcome": "ok"}
        identity = {"benchmark": "alpha", "parameters": {"size": 10, "share": 0.5}, "workers": 2}
        cell = plan.Cell("id", "name", {}, {}, identity, False)

        def problem(record, seconds=1):
            return peers.nonsense(record, cell, 3, seconds)

        self.assertIsNone(problem(good))
        self.assertIsNone(problem(good | {"parameters": {"size": 10.0, "share": 0.5}}))
        self.assertIsNone(problem(good | {"outcome": "wrong", "error": "e", "time_ns": [1]}))
        for key in good:
            said = problem({name: value for name, value in good.items() if name != key})
            self.assertEqual(said, f"its record has no {key}")
        for changes in (
            {"more": 1}, {"error": "e"}, {"outcome": "fine"}, {"outcome": "wrong"}, {"outcome": "wrong", "error": ""},
            {"outcome": "wrong", "error": 5}, {"outcome": None}, {"benchmark": "beta"}, {"benchmark": None}, {"workers": 1},
            {"workers": "2"}, {"parameters": {"size": 10}}, {"parameters": {"size": 11, "share": 0.5}},
            {"parameters": {"size": 10, "share": 0.5, "more": 1}}, {"parameters": []}, {"parameters": {"size": "10", "share": 0.5}},
            {"time_ns": []}, {"time_ns": [1, 2]}, {"time_ns": [1, 2, 3, 4]}, {"time_ns": [1, 2, 0]}, {"time_ns": [1, 2, -3]},
            {"time_ns": [1, 2, 3.5]}, {"time_ns": [1, 2, True]}, {"time_ns": [1, 2, "3"]}, {"time_ns": 3}, {"time_ns": None},
            {"time_ns": [10**9] * 3}, {"messages": 0}, {"messages": -1}, {"messages": 1.5}, {"messages": True},
            {"messages": None}, {"peak_rss_bytes": 0}, {"peak_rss_bytes": "4096"}, {"version": ""}, {"version": 1},
        ):
            self.assertIsNotNone(problem(good | changes), changes)
        for record in (None, [], "x", 1, [good]):
            self.assertEqual(problem(record), "its record is no JSON object")
        for output in (b"", b"\n", b"{}\n{}\n", b"{}\nx", b"x\n{}\n", b'{"a": NaN}', b'{"a": -Infinity}', b"\xff{}", b"{\n}"):
            with self.assertRaises(ValueError, msg=output):
                peers.parse(output)
        self.assertEqual(peers.parse(b'{"a": 1}'), {"a": 1})
        self.assertEqual(peers.parse(b'{"a": 1}\n'), {"a": 1})

    def test_tables(self):
        good = 'help = "h"\ncommand = ["./peer"]\nworkloads = ["alpha"]\n'
        for text, said in (
            ("[x]\n" + good.replace("help", "halp"), 'unknown key "halp" of x (valid: help, command, workloads, option)'),
            ("[x]\n" + good.replace('help = "h"\n', ""), "x needs help, a string"),
            ("[x]\n" + good.replace('["./peer"]', '"./peer"'), "x needs command, a list of strings"),
            ("[x]\n" + good.replace('["./peer"]', "[]"), "x needs command, a list of strings"),
            ("[x]\n" + good.replace('["alpha"]', "[1]"), "x needs workloads, a list of strings"),
            ("[x]\n" + good + "option = 1\n", "x needs option, a string"),
            ("x = 1\n", "x must be a table: write [x]"),
            ("[x\n", "peers.toml: "),
            ("[inverted]\n" + good, "the peer inverted has the name of a strategy"),
        ):
            with self.subTest(said):
                self.run_with([], code=2, peers_toml=text)
                self.assertIn(said, self.errors)
                self.assertEqual(len(self.errors.splitlines()), 1)

    def test_found(self):
        (self.folder / "peers.toml").write_text(
            '[a]\nhelp = ""\nworkloads = ["w"]\ncommand = ["{build}/p", "--x={build}/q"]\n'
            '[b]\nhelp = ""\nworkloads = ["w"]\ncommand = ["sh", "peer"]\n[c]\nhelp = ""\nworkloads = ["w"]\ncommand = ["sub/p"]\n')
        known = peers.read(self.folder, self.folder / "peers.toml")
        self.assertEqual(known["a"].command, (f"{self.folder}/p", f"--x={self.folder}/q"))
        self.assertEqual(known["b"].command, ("sh", "peer"))
        self.assertEqual(known["c"].command, (f"{self.folder}/sub/p",))
        self.assertEqual([known[name].present() for name in "abc"], [False, True, False])
        self.assertEqual(peers.named({"axes": {"scheduler": ["a", 1]}, "set": {"scheduler": "b"}, "more": [{"scheduler": "c"}]}),
                         {"a", "b", "c"})


class Example(Peers):
    def test_documentation(self):
        """docs/how-to/adding-a-peer.md says all that it takes to add one."""
        text = (ROOT / "docs/how-to/adding-a-peer.md").read_text()
        program, = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
        described, = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
        self.assertLessEqual(len(program.splitlines()), 15)
        name, = tomllib.loads(described)
        path = self.folder / tomllib.loads(described)[name]["command"][0]
        path.write_text(program)
        path.chmod(0o755)
        if "AL_BUILD" in os.environ:
            self.environment["AL_ACTORLAB"] = os.path.abspath(os.environ["AL_BUILD"] + "/actorlab")
        else:
            self.skipTest("AL_BUILD names no build folder")
        output = self.run_with([], SWEEP.replace("alpha", "send-static").replace("workers = 1", "workers = 1\nsends = 2000").replace(
            "{}", f'"inverted", "{name}"'), peers_toml=described)
        self.assertEqual({row["outcome"] for row in self.rows()}, {"ok"})
        self.assertRegex(output, rf"\nsend-static +{name} +1 +\d")
        # How actorlab was built says nothing of Python.
        told = {"allocator", "flags", "sanitize"}
        self.assertLessEqual(told, set(self.by_scheduler()["inverted"]["environment"]))
        self.assertEqual(told & set(self.by_scheduler()[name]["environment"]), set())


class Ours(unittest.TestCase):
    def test_building(self):
        """Options are set only for peers that are not there, so that a sweep need not configure each time."""
        def steps(*wanted):
            with tempfile.TemporaryDirectory() as folder, mock.patch("common.actorlab.ROOT", Path(folder)), \
                    mock.patch("common.actorlab.quietly") as quietly, mock.patch.dict(os.environ):
                os.environ.pop("AL_ACTORLAB", None)
                build = Path(folder, "build")
                build.mkdir()
                for name in ("build.ninja", "there"):
                    (build / name).touch(0o755)
                known = [peers.make(build, name, {"help": "", "workloads": ["w"], "command": ["{build}/" + name], **option}, build)
                         for name, option in wanted]
                actorlab.build(known)
                return [" ".join(call.args[0]) for call in quietly.call_args_list]

        self.assertEqual(steps(), ["ninja -C build actorlab"])
        self.assertEqual(steps(("none", {})), ["ninja -C build peers"])
        self.assertEqual(steps(("there", {"option": "x"})), ["ninja -C build peers"])
        self.assertEqual(steps(("none", {"option": "x"}), ("there", {"option": "y"})),
                         ["meson configure build -Dx=auto", "ninja -C build peers"])

    def test_table(self):
        for name, peer in peers.read(Path("/build")).items():
            with self.subTest(name):
                self.assertIn(peer.option or "", (ROOT / "meson_options.txt").read_text())
                self.assertIn(f"`{name}`", (ROOT / "docs/reference/peers.md").read_text())


class Real(Bench):
    """Those that were built, plain always, on small sizes: they answer right, and count messages as we do."""

    def setUp(self):
        super().setUp()
        build = Path(os.environ["AL_BUILD"]).absolute()
        self.environment["AL_ACTORLAB"] = str(build / "actorlab")
        listing = json.loads(subprocess.run([build / "actorlab", "list", "--json"], check=True, stdout=subprocess.PIPE).stdout)
        self.benchmarks = {entry["name"] for entry in listing["benchmarks"]}
        self.known = {name: peer for name, peer in peers.read(build).items() if peer.option in (None, *os.environ["AL_PEERS_BUILT"].split())}

    def test_all_workloads(self):
        wanted = {(benchmark, name, workers) for name, peer in self.known.items() for benchmark in peer.workloads
                  if benchmark in self.benchmarks for workers in (1, 2)}
        names = json.dumps(["inverted", *self.known])
        benchmarks = json.dumps(sorted({benchmark for benchmark, _, _ in wanted}))
        self.sweep(f'[sweep]\ninvocations = 1\niterations = 2\nsize = "small"\ntimeout_s = 60\noversubscribe = true\n'
                   f"[axes]\nbenchmark = {benchmarks}\nscheduler = {names}\nworkers = [1, 2]\n")
        rows = {(row["benchmark"], row["scheduler"], row["workers"]): row for row in self.rows()}
        self.assertEqual({place for place in rows if place[1] != "inverted"}, wanted)
        for (benchmark, name, workers), row in rows.items():
            with self.subTest(f"{benchmark} {name} {workers}"):
                self.assertEqual(row["outcome"], "ok", row.get("error"))
                self.assertEqual(row["messages"], rows[benchmark, "inverted", workers]["messages"])

    def test_usage(self):
        for name, peer in self.known.items():
            if name == "plain":
                cases = ((["none"], "the only workload is matrix, not 'none'"),
                         (["matrix", "--set", "rows=x"], "not a number that is large enough: 'x'"),
                         (["matrix", "--set", "more=1"], "unknown setting 'more=1'"),
                         (["matrix", "--workers"], "no value for '--workers'"))
            else:
                cases = self.CASES
            for arguments, said in cases:
                done = subprocess.run([*peer.command, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)
                self.assertEqual((done.returncode, done.stdout), (2, ""), (name, arguments))
                self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
                self.assertIn(said, done.stderr)

    CASES = (
        (["none"], "no workload 'none' here"),
        (["send-static", "--workers", "1"], "--set sends=... is needed"),
        (["send-static", "--workers", "1", "--set", "sends=5", "--set", "more=1"], "no parameter more here"),
        (["send-static", "--workers", "1", "--set", "sends=x"], "sends"),
        (["executor", "--workers", "1", "--set", "actors=10", "--set", "group=3", "--set", "rounds=1", "--set", "batch=1"],
         "group must divide actors"),
    )


if __name__ == "__main__":
    unittest.main()
