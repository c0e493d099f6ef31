#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Peers in a sweep: made-up ones that do all that a program can do wrong, the example of
docs/how-to/adding-a-peer.md, and those that were built."""

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
from support.peering import Peers, SWEEP, table
from support.sweeping import Bench

from common import actorlab
from common.failure import Failure
from sweep import peers


class Good(Peers):
    def test_record_is_like_ours(self):
        output = self.run_with(["good"], SWEEP.replace("workers = 1", "workers = 2\nsize = 20\nshards = 4"), plots=True)
        rows = self.by_scheduler()
        ours, theirs = rows["inverted"], rows["good"]
        self.assertEqual(set(ours) - set(theirs), set())
        # our fake has not the last two
        self.assertEqual(set(theirs) - set(ours), {"peer", "nodes", "started_at"})
        for key in ("benchmark", "parameters", "workers", "seed", "pin", "warmup", "iterations", "topology", "engine", "oversubscribed"):
            self.assertEqual(theirs[key], ours[key], key)
        self.assertEqual({key: theirs[key] for key in ("victim", "idle", "options", "pus", "bound", "counters")},
                         {"victim": "none", "idle": "own", "options": {}, "pus": [], "bound": [], "counters": []})
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
        self.assertRegex(output, r"\nalpha +inverted +2 .*\n +each: .*\nalpha +good +2 +3000 ")
        self.assertTrue((self.results / "scaling.png").exists())
        self.assertIn("2 of 2 trials already recorded", self.run_with(["good"], SWEEP.replace(
            "workers = 1", "workers = 2\nsize = 20\nshards = 4")))

    def test_what_it_does_not_have(self):
        text = SWEEP.replace('["alpha"]', '["alpha", "gamma"]')
        output = self.run_with(["good"], text)
        self.assertIn("note: left out: good has no gamma\n", output)
        self.assertEqual(sorted((row["benchmark"], row["scheduler"]) for row in self.rows()),
                         [("alpha", "good"), ("alpha", "inverted"), ("gamma", "inverted")])
        self.run_with(["good"], SWEEP.replace('["alpha"]', '["gamma"]'), code=2)
        self.assertEqual(self.errors, "small.toml:9: good has none of this sweep's benchmarks (it has: alpha, beta)\n")

    def test_left_out_where_it_is_not(self):
        """clip = true leaves out what a machine does not have: peers, too."""
        clipped = SWEEP.replace("[sweep]", "[sweep]\nclip = true")
        absent = 'help = "h"\ncommand = ["./none"]\nworkloads = ["alpha"]'
        output = self.run_with(["good"], clipped, absent=absent)
        self.assertIn("note: left out: absent is not there: docs/reference/peers.md explains where the sweep looks for it\n", output)
        self.assertEqual(sorted(row["scheduler"] for row in self.rows()), ["good", "inverted"])
        self.run_with([], clipped.replace("[{}]", '["absent"]'), code=2, absent=absent)
        self.assertIn("no cell: left out: absent is not there", self.errors)

    def test_number_of_workers(self):
        """A peer may have a limit."""
        one = table("good").replace("[good]", "[good]\nworkers = 1")
        both = SWEEP.replace("workers = 1\n", "").replace("[set]", "workers = [1, 2]\n[set]").replace("{}", '"inverted", "good"')
        output = self.run_with([], both, peers_toml=one)
        self.assertIn("note: left out: 2 workers; good has at most 1 worker\n", output)
        self.assertEqual(sorted((row["scheduler"], row["workers"]) for row in self.rows()),
                         [("good", 1), ("inverted", 1), ("inverted", 2)])
        self.run_with([], SWEEP.replace("workers = 1", "workers = 2").replace("{}", '"good"'), code=2, peers_toml=one)
        self.assertRegex(self.errors, r"^\S*small.toml: no cell: left out: 2 workers; good has at most 1 worker\n$")

    def test_warmup_that_it_needs(self):
        """As many iterations as it says, or as the sweep says, if those are more."""
        both = table("good", "fine").replace("[good]", "[good]\nwarmup = 3")
        self.run_with([], SWEEP.replace("{}", '"good", "fine", "inverted"'), peers_toml=both)
        self.assertEqual({name: row["warmup"] for name, row in self.by_scheduler().items()}, {"good": 3, "fine": 1, "inverted": 1})
        self.assertEqual(sorted(line.split()[2] + line.partition("--warmup")[2][:2] for line in self.log("peer")), ["fine 1", "good 3"])

        # What is no longer part of the sweep has its records there all the same.
        self.run_with([], SWEEP.replace("{}", '"good", "fine", "inverted"'), "--filter", "inverted", peers_toml=both)
        self.run_with([], SWEEP.replace("{}", '"inverted"'), peers_toml=both)
        self.run_with([], SWEEP.replace("{}", '"inverted"'), peers_toml=table("fine"))
        self.run_with([], SWEEP.replace("{}", '"good", "inverted"'), peers_toml=both.replace("= 3", "= 4"), code=2)
        self.assertRegex(self.errors, "its records have warmup 3, now it is 4")

    def test_confined(self):
        """To as many PUs as it has workers: those that ours would have. The policy none leaves all
        to it."""
        pus = sorted(os.sched_getaffinity(0))
        (self.folder / "order").write_text(" ".join(map(str, reversed(pus))))
        for pin, its in ((None, pus[-1:]), ("close", pus[-1:]), ("none", [])):
            with self.subTest(pin):
                self.run_with(["good"], SWEEP.replace("[set]", f'[set]\npin = "{pin}"') if pin else SWEEP, "--rerun")
                self.assertEqual(self.log("on")[-1], f"on {its or pus}")
                record = self.by_scheduler()["good"]
                self.assertEqual((record["peer"]["pus"], record["pus"], record["pin"]), (its, [], pin or "close"))

    def test_no_warmup_of_its_own(self):
        """Only actorlab can tell when its times are steady."""
        self.run_with(["good"], SWEEP.replace("[sweep]", '[sweep]\nwarmup = "auto"'), code=2)
        self.assertEqual(self.errors.partition(":10: ")[2], "good cannot tell when it is steady: with it, warmup must be "
                         'a number instead of "auto"\n')

    def test_what_does_not_concern_it(self):
        """It has no victim and no shards, but PUs."""
        output = self.run_with(["good"], SWEEP.replace("[set]", 'pin = ["close", "spread"]\nvictim = ["none", "random"]\n'
                               'shards = [1, 2]\n[set]'))
        self.assertEqual([row["scheduler"] for row in self.rows()].count("inverted"), 8)
        self.assertEqual([row["scheduler"] for row in self.rows()].count("good"), 2)
        self.assertIn("alpha good workers=1 pin=close ", output)

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
        _, errors = process.communicate()
        self.assertEqual(process.returncode, 2)
        self.assertIn("cpus_allowed was 0-1 when the sweep began, now it is 0: ", errors)
        self.assertEqual({row["environment"]["cpus_allowed"] for row in self.rows()}, {"0-1"})


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
    def test_without_a_table(self):
        """Without the folder of peers there are none; a file that somebody names must be there."""
        with mock.patch.dict(os.environ), mock.patch.object(peers, "TABLE", Path("/nowhere/peers.toml")):
            os.environ.pop("AL_PEERS", None)
            self.assertEqual(peers.read(Path("/build")), {})
            os.environ["AL_PEERS"] = "/nowhere/others.toml"
            with self.assertRaisesRegex(Failure, "^/nowhere/others.toml: No such file or directory$"):
                peers.read(Path("/build"))

    def test_table_of_others(self):
        """It adds to ours, and has other names."""
        ours = peers.read(Path("/build"), peers.TABLE)
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ):
            path = Path(folder, "more.toml")
            os.environ["AL_PEERS"] = str(path)
            for name in ("theirs", "ring"):
                path.write_text(f'[{name}]\nhelp = "h"\ncommand = ["./p"]\nworkloads = ["alpha"]\n')
                if name == "ring":
                    with self.assertRaisesRegex(Failure, f"^{path}: ring is the name of a peer in .*peers.toml: give it another one$"):
                        peers.read(Path("/build"))
                else:
                    known = peers.read(Path("/build"))
                    self.assertEqual({**ours, name: known[name]}, known)
                    self.assertEqual(known[name].command[0], str(path.parent / "p"))

    def test_building(self):
        """Options are set only for peers that are not there, so that a sweep need not configure
        each time."""
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

        self.assertEqual(steps(), ["ninja -C build actorlab actorlab-sim"])
        self.assertEqual(steps(("none", {})), ["ninja -C build peers actorlab-sim"])
        self.assertEqual(steps(("there", {"option": "x"})), ["ninja -C build peers actorlab-sim"])
        self.assertEqual(steps(("none", {"option": "x"}), ("there", {"option": "y"})),
                         ["meson configure build -Dx=auto", "ninja -C build peers actorlab-sim"])

    def test_table(self):
        for name, peer in peers.read(Path("/build")).items():
            with self.subTest(name):
                self.assertIn(peer.option or "", (ROOT / "meson_options.txt").read_text())
                self.assertIn(f"`{name}`", (ROOT / "docs/reference/peers.md").read_text())


class Real(Bench):
    """Those that were built, ring and plain always, on small sizes: they answer right, and count
    messages as we do."""

    def setUp(self):
        super().setUp()
        build = Path(os.environ["AL_BUILD"]).absolute()
        self.environment["AL_ACTORLAB"] = str(build / "actorlab")
        listing = json.loads(subprocess.run([build / "actorlab", "list", "--json"], check=True, stdout=subprocess.PIPE).stdout)
        self.benchmarks = {entry["name"] for entry in listing["benchmarks"]}
        self.known = {name: peer for name, peer in peers.read(build).items() if peer.option in (None, *os.environ["AL_PEERS_BUILT"].split())}

    def test_all_workloads(self):
        wanted = {(benchmark, name, workers) for name, peer in self.known.items() for benchmark in peer.workloads
                  if benchmark in self.benchmarks for workers in (1, 2) if workers <= (peer.workers or workers)}
        names = json.dumps(["inverted", *self.known])
        benchmarks = json.dumps(sorted({benchmark for benchmark, _, _ in wanted}))
        self.sweep(f'[sweep]\ninvocations = 1\niterations = 2\nsize = "small"\ntimeout_s = 60\noversubscribe = true\n'
                   f"[axes]\nbenchmark = {benchmarks}\nscheduler = {names}\nworkers = [1, 2]\n"
                   '[set]\nmemory = "malloc"\n')
        rows = {(row["benchmark"], row["scheduler"], row["workers"]): row for row in self.rows()}
        self.assertEqual({place for place in rows if place[1] != "inverted"}, wanted)
        for (benchmark, name, workers), row in rows.items():
            with self.subTest(f"{benchmark} {name} {workers}"):
                self.assertEqual(row["outcome"], "ok", row.get("error"))
                self.assertEqual(row["messages"], rows[benchmark, "inverted", workers]["messages"])

    def test_partners_of_big(self):
        """A parameter that is a word, and the form of `big` that small sizes do not have."""
        names = json.dumps(["inverted", *(name for name, peer in self.known.items() if "big" in peer.workloads)])
        self.sweep(f'[sweep]\ninvocations = 1\niterations = 2\nsize = "small"\ntimeout_s = 60\n'
                   f'[axes]\nbenchmark = ["big"]\npings = [40]\nscheduler = {names}\npartners = ["all"]\nworkers = [1]\n')
        for row in self.rows():
            with self.subTest(row["scheduler"]):
                self.assertEqual(row["outcome"], "ok", row.get("error"))
                self.assertEqual(row["parameters"], {"actors": 20, "pings": 40, "partners": "all"})
        self.assertEqual(len(self.rows()), len(json.loads(names)))

    def test_forms(self):
        """Forms that are no default: all agree on parameters and numbers of messages."""
        for workload, parameters in (("executor", {"actors": 40, "group": 10, "rounds": 2, "batch": 1, "start": "groups"}),
                                     ("matrix", {"rows": 20, "columns": 8, "kernel": "naive"}),
                                     ("matrix", {"rows": 8, "columns": 20, "kernel": "blocked"})):
            names = json.dumps(["inverted", *(name for name, peer in self.known.items() if workload in peer.workloads and name != "ring")])
            settings = "\n".join(f"{key} = {json.dumps(value)}" for key, value in parameters.items())
            self.sweep(f'[sweep]\ninvocations = 1\ntimeout_s = 60\n[axes]\nbenchmark = ["{workload}"]\nscheduler = {names}\n'
                       f'workers = [1]\n[parameters.{workload}]\n{settings}\n', "--rerun")
            for row in self.rows():
                with self.subTest(workload=workload, scheduler=row["scheduler"]):
                    self.assertEqual(row["outcome"], "ok", row.get("error"))
                    self.assertEqual(row["parameters"], parameters)
            self.assertEqual(len({row["messages"] for row in self.rows()}), 1)
            self.assertEqual(len(self.rows()), len(json.loads(names)))

    def test_usage(self):
        for name, peer in self.known.items():
            if name == "plain":
                cases = ((["none"], "the only workload is matrix, not 'none'"),
                         (["matrix", "--set", "rows=x"], "not a number that is large enough: 'x'"),
                         (["matrix", "--set", "more=1"], "unknown setting 'more=1'"),
                         (["matrix", "--workers"], "no value for '--workers'"))
            elif name == "ring":
                cases = ((["none"], "no workload 'none' here"),
                         (["big", "--workers", "2"], "--workers 2: the ring is for one thread; valid: 1"),
                         (["big", "--set", "pings=0"], "'pings=0' is out of range; valid: 1 to 1000000000"),
                         (["big", "--set", "pings"], "'pings' is not KEY=VALUE"),
                         (["pubsub", "--set", "rate=5"], "rate=5: the ring has no timers; valid: 0"),
                         (["big", "--set", "more=1"], "unknown option 'more'; valid: actors, pings, partners"),
                         (["executor", "--set", "actors=10", "--set", "group=3"],
                          "actors=10 is not a multiple of group=3"))
            else:
                cases = self.CASES
                if name.startswith("caf"):
                    cases += ((["send-dynamic", "--set", "sends=5", "--set", "memory=recycled"],
                               "memory=recycled cannot be compared with it; valid: memory=malloc"),)
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
        (["executor", "--workers", "1", "--set", "actors=10", "--set", "group=3", "--set", "rounds=1", "--set", "batch=1",
          "--set", "start=all"],
         "group must divide actors"),
    )


if __name__ == "__main__":
    unittest.main()
