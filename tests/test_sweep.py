#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The sweep, against an actorlab that this test makes up: it can crash, hang and answer wrong."""

import json
import os
import pty
import random
import re
import resource
import select
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "scripts" / "lib"))
sys.dont_write_bytecode = True

import config
import plan
import progress
import records
import registry
import suite
import summary
import table
from failure import Failure
from toml_lines import TomlLines

FAKE = r'''#!/usr/bin/python3 -IS
import json, os, signal, sys, time
here = os.path.dirname(os.path.abspath(__file__))
def note(text):
    with open(here + "/log", "a") as file:
        file.write(text + "\n")
def state(name, default=""):
    try:
        return open(here + "/" + name).read()
    except OSError:
        return default
def uint(name, low, high, default):
    return {"name": name, "type": "uint", "default": str(default), "min": float(low), "max": float(high), "help": ""}
def enum(name, *choices):
    return {"name": name, "type": "enum", "default": choices[0], "choices": choices, "help": ""}
def plugin(name, *options, **more):
    return {"name": name, "help": "", "options": options, **more}
environment = {"cpu": "Fake 3000", "kernel": "6.1", "topology_hash": "t", "compiler": "cc 1", "build_type": "release",
               "binary_hash": state("hash", "h1"), "revision": "r"}
listing = {
    "benchmarks": [
        plugin("alpha", uint("size", 1, 1000, 10), uint("sleep_ms", 0, 100000, 0),
               enum("mode", "ok", "crash", "exit", "hang", "wrong", "garbage", "late", "lie", "refuse"),
               small="size=1 sleep_ms=2", paper=None),
        plugin("beta", uint("size", 1, 50, 10), uint("rounds", 1, 9, 2),
               {"name": "share", "type": "real", "default": "0.5", "min": 0.0, "max": 1.0, "help": ""}),
        plugin("gamma"),
    ],
    "schedulers": [
        plugin("inverted", uint("shards", 1, 64, 16), enum("queue", "copy", "list"), uint("batch", 1, 8, 1),
               steals=True, victim="longest", idle="spin", sleeps="policy"),
        plugin("central", uint("capacity", 1, 64, 16), steals=False, victim="none", idle="park", sleeps="policy"),
        plugin("engines", steals=True, victim="random", idle="own", sleeps="either"),
        plugin("sharing", steals=False, victim="none", idle="own", sleeps="own"),
    ],
    "victims": [plugin("none"), plugin("random"), plugin("longest", uint("batch", 1, 8, 1))],
    "idle": [plugin("spin"), plugin("park", uint("spins", 0, 99, 9)), plugin("own")],
    "pin": ["close", "spread", "smt", "none"], "pus": 2, "environment": environment,
}
command, *words = sys.argv[1:]
if command == "list":
    print(json.dumps(listing))
elif command == "topo":
    if "package:x" in words or "9" in words:
        sys.exit(print("actorlab topo: no such place", file=sys.stderr) or 2)
elif command == "summarize":
    note("summarize " + " ".join(words))
    time.sleep(float(state("slow-summary", "0")))
    cells, failed = {}, {}
    for line in open(words[0]):
        record = json.loads(line)
        if record["sweep"].get("twin"):
            continue
        keys = ("benchmark", "parameters", "scheduler", "victim", "idle", "options", "workers", "pin", "topology", "engine")
        identity = {key: record[key] for key in keys}
        if record["outcome"] == "ok":
            cells.setdefault(json.dumps(identity), []).append(record["time_ns"][0] / record["messages"])
        else:
            name = json.dumps({**identity, "outcome": record["outcome"]})
            failed[name] = failed.get(name, 0) + 1
    def interval(values):
        values = sorted(values)
        return {"median": values[len(values) // 2], "low": values[0], "high": values[-1], "achieved": 0.75,
                "degenerate": False, "values": values}
    print(json.dumps({"level": 0.95, "resamples": 9, "seed": 1, "aa": [], "noise_percent": None, "cells": [
        {**json.loads(key), "n": len(values), "messages": 1000, "oversubscribed": json.loads(key)["workers"] > 2,
         "time_ns": interval([1000 * v for v in values]), "ns_per_message": interval(values),
         "messages_per_s": interval([1e9 / v for v in values]), "peak_rss_bytes": interval([5e6] * len(values))}
        for key, values in cells.items()],
        "failed": [{**json.loads(key), "count": n} for key, n in failed.items()]}))
elif command == "compare":
    print("compared", *words)
elif command == "run":
    flags, given = {"benchmark": words[0]}, {}
    rest = iter(words[1:])
    for word in rest:
        if word == "--set":
            key, value = next(rest).split("=")
            given[key.rpartition(".")[2]] = value
        elif word != "--oversubscribe":
            flags[word[2:]] = next(rest)
    own = {entry["name"]: entry for kind in ("benchmarks", "schedulers") for entry in listing[kind]}
    scheduler = flags.get("scheduler", "inverted")
    def options(name):
        return {o["name"]: int(given.get(o["name"], o["default"])) if o["type"] == "uint" else given.get(o["name"], o["default"])
                for o in own[name]["options"]}
    parameters = options(flags["benchmark"])
    note(f"begin {os.getpid()} " + " ".join(words))
    mode = parameters.get("mode", "ok")
    time.sleep(parameters.get("sleep_ms", 0) / 1000)
    if mode == "crash":
        print("x" * 3000 + "the end", file=sys.stderr, flush=True)
        os.kill(os.getpid(), signal.SIGSEGV)
    if mode == "exit":
        sys.exit(7)
    if mode == "refuse":
        sys.exit(print("actorlab run: too few shards", file=sys.stderr) or 2)
    if mode == "hang":
        time.sleep(1000)
    if mode == "garbage":
        sys.exit(print("hello"))
    workers = int(flags.get("workers", 2))
    print("a line for people", file=sys.stderr)
    print(json.dumps({
        "schema_version": 1, "benchmark": flags["benchmark"], "parameters": parameters, "scheduler": scheduler,
        "victim": flags.get("victim", own[scheduler]["victim"]), "idle": flags.get("idle", own[scheduler]["idle"]),
        "options": options(scheduler), "workers": workers, "pus": [0], "bound": [0], "pin": "close",
        "topology": "this machine", "oversubscribed": workers > 2, "seed": int(flags["seed"]), "engine": "native",
        "warmup": int(flags["warmup"]), "iterations": int(flags["iterations"]),
        "time_ns": [8000 // workers + 17 * int(flags["seed"]) % 100] * int(flags["iterations"]), "messages": 1000,
        "counters": [], "peak_rss_bytes": 5000000, "environment": environment,
        **({"outcome": "wrong", "error": "9 of 10 arrived"} if mode == "wrong" else {"outcome": "ok"})}), flush=True)
    note(f"end {os.getpid()}")
    if mode == "late":
        os.kill(os.getpid(), signal.SIGABRT)
    sys.exit(1 if mode in ("wrong", "lie") else 0)
'''

SMALL = """
[sweep]
invocations = 2
twin = false
[axes]
benchmark = ["alpha", "beta"]
workers = [1, 2]
"""
LONG = '[sweep]\ntwin = false\n[set]\nbenchmark = "alpha"\nsleep_ms = 60000\n'


def untwinned(text):
    """Most tests count trials, and are easier to read without the first cell's twin."""
    if "twin" in text:
        return text
    return text.replace("[sweep]", "[sweep]\ntwin = false") if "[sweep]" in text else "[sweep]\ntwin = false\n" + text


class Bench(unittest.TestCase):
    """A folder with the fake, a configuration and the results."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.fake = self.folder / "actorlab"
        self.fake.write_text(FAKE)
        self.fake.chmod(0o755)
        self.results = self.folder / "out"
        self.environment = {**os.environ, "AL_ACTORLAB": str(self.fake)}
        for name in ("NO_COLOR", "COLUMNS"):
            self.environment.pop(name, None)

    def command(self, text, *arguments):
        (self.folder / "small.toml").write_text(untwinned(text))
        return [ROOT / "scripts" / "sweep", "small.toml", "--results", str(self.results), *arguments]

    def start(self, text, *arguments, **options):
        return subprocess.Popen(self.command(text, *arguments), cwd=self.folder, env=self.environment, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)

    def sweep(self, text, *arguments, code=0, **options):
        process = self.start(text, *arguments, **options)
        self.output, self.errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, code, self.output + self.errors)
        self.assertNotIn("Traceback", self.errors)
        return self.output

    def rows(self):
        return [json.loads(line) for line in (self.results / "records.jsonl").read_text().splitlines()]

    def places(self):
        return [(row["sweep"]["cell"], row["sweep"]["block"]) for row in self.rows()]

    def what_ran(self):
        """All of the records that does not depend on time, in the order of the plan."""
        def fixed(row):
            return {key: value for key, value in row.items() if key not in ("started_at", "noise", "sweep")}

        return sorted(([row["sweep"]["block"], row["sweep"]["position"], row["sweep"]["cell"], fixed(row)]
                       for row in self.rows()), key=str)

    def log(self, word):
        log = self.folder / "log"
        return [line for line in log.read_text().splitlines() if line.startswith(word)] if log.exists() else []

    def wait_for(self, condition):
        deadline = time.monotonic() + 20
        while not condition():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.005)


class Running(Bench):
    def test_all_of_it(self):
        output = self.sweep(SMALL)
        rows = self.rows()
        self.assertEqual(len(rows), 8)
        self.assertEqual(len(set(self.places())), 8)
        for row in rows:
            self.assertEqual(row["sweep"]["name"], "small")
            self.assertEqual(row["seed"], 1 + row["sweep"]["block"])
        lines = [line for line in output.splitlines() if line.startswith("[")]
        self.assertEqual(len(lines), 8)
        self.assertRegex(lines[1], r"^\[2/8\] (alpha|beta) workers=[12]\s+\d\.\d\d ns/message  ETA 0:\d\d$")
        self.assertTrue(lines[-1].endswith("ETA 0:00"))
        self.assertRegex(output, r"benchmark +workers +ns/message +95% interval +covers +n +messages/s +peak memory\n"
                                 r"alpha +1 +8\.\d\d +8\.\d\d–8\.\d\d +75\.0% +2 +12\d M +5\.00 MB\nalpha +2 ")
        self.assertEqual((self.results / "config.toml").read_text(), SMALL)
        self.assertEqual((self.results / "scaling.png").read_bytes()[:4], b"\x89PNG")
        self.assertEqual((self.results / "scaling.pdf").read_bytes()[:5], b"%PDF-")
        for name in ("records.jsonl", "scaling.png", "scaling.pdf"):
            self.assertIn(f"out/{name}", output.splitlines()[-1])
        # Nothing is left to do: the records stay as they are, and the plot can be drawn alone.
        before = (self.results / "records.jsonl").read_bytes()
        self.assertIn("8 of 8 trials are recorded already", self.sweep(SMALL))
        self.assertEqual((self.results / "records.jsonl").read_bytes(), before)
        drawn = (self.results / "scaling.png").read_bytes()
        (self.results / "scaling.png").unlink()
        subprocess.run([ROOT / "scripts" / "plot", self.results, "--kind", "scaling"], env=self.environment, check=True,
                       stdout=subprocess.DEVNULL)
        self.assertEqual((self.results / "scaling.png").read_bytes(), drawn)

    def test_outcomes(self):
        text = ('[sweep]\ninvocations = 1\ntimeout_s = 0.5\n[set]\nbenchmark = "alpha"\nworkers = 1\n'
                '[axes]\nmode = ["crash", "exit", "hang", "wrong", "garbage", "late", "lie", "refuse"]\n')
        output = self.sweep(text, code=1)
        rows = {row["parameters"]["mode"]: row for row in self.rows()}
        self.assertEqual({mode: row["outcome"] for mode, row in rows.items()}, {
            "crash": "crashed", "exit": "crashed", "hang": "timeout", "wrong": "wrong", "garbage": "crashed",
            "late": "crashed", "lie": "crashed", "refuse": "crashed"})
        self.assertEqual(rows["crash"]["signal"], "SIGSEGV")
        self.assertEqual(len(rows["crash"]["stderr"]), 2000)
        self.assertTrue(rows["crash"]["stderr"].endswith("the end\n"))
        self.assertEqual(rows["exit"]["exit_code"], 7)
        self.assertEqual(rows["late"]["signal"], "SIGABRT")
        self.assertEqual(rows["lie"]["error"], "exit code 1 with outcome ok")
        self.assertEqual(rows["crash"]["options"], {"shards": 16, "queue": "copy", "batch": 1})
        self.assertEqual(rows["crash"]["environment"]["binary_hash"], "h1")
        self.assertEqual(rows["crash"]["seed"], 1)
        self.assertIn("wrong: 9 of 10 arrived", output)
        self.assertIn("crashed (exit code 2): actorlab run: too few shards", output)
        self.assertIn("failed: alpha mode=hang workers=1: timeout", re.sub(" +", " ", output))
        hung = self.log("begin")[[row["parameters"]["mode"] for row in self.rows()].index("hang")].split()[1]
        self.assertFalse(Path(f"/proc/{hung}").exists())
        # They are done: a second sweep does not try them again, and still says so.
        self.sweep(text, code=1)
        self.assertEqual(len(self.rows()), 8)
        self.assertFalse((self.results / "scaling.png").exists())

    def test_order(self):
        text = '[sweep]\nseed = 5\ninvocations = 3\n[axes]\nsize = [1, 2, 3, 4, 5, 6]\n[set]\nbenchmark = "alpha"\n'
        self.sweep(text)
        first = self.places()
        positions = [row["sweep"]["position"] for row in self.rows()]
        self.assertEqual(positions, list(range(6)) * 3)
        blocks = [[cell for cell, b in first if b == block] for block in range(3)]
        self.assertEqual([b for _, b in first], [0] * 6 + [1] * 6 + [2] * 6)
        self.assertEqual({frozenset(block) for block in blocks}, {frozenset(blocks[0])})
        self.assertGreater(len({tuple(block) for block in blocks}), 1)
        # The same seed gives the same order, whatever the filter leaves out; another does not.
        self.sweep(text, "--rerun", "--filter", "size=[1-3]$")
        kept = {cell for cell, _ in self.places()}
        self.assertEqual(len(kept), 3)
        self.assertEqual(self.places(), [(cell, block) for cell, block in first if cell in kept])
        self.sweep(text, "--rerun", "--seed", "6", "--quick")
        self.assertNotEqual(self.places(), first)
        self.assertEqual(len(list(self.results.glob("records.2*.jsonl"))), 2)

    def test_from(self):
        """An old sweep again: the same trials, beside the old results, and a comparison."""
        self.sweep(SMALL, "--filter", "alpha", "--seed", "7", "--quick")
        before = self.what_ran()
        again = [ROOT / "scripts" / "sweep", "--from", "out"]
        done = subprocess.run(again, cwd=self.folder, env=self.environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("compared out out-again --color=auto\n", done.stdout)
        self.results = self.folder / "out-again"
        self.assertEqual(self.what_ran(), before)
        self.assertEqual({row["sweep"]["name"] for row in self.rows()}, {"small"})
        planned = subprocess.run([*again, "plan"], cwd=self.folder, env=self.environment, capture_output=True, text=True)
        self.assertIn("6 trials, 6 recorded", planned.stdout)
        for words, said in ((["--from", "nowhere"], "nowhere/sweep.json: No such file or directory"),
                            (["small.toml", "--from", "out"], "--from has its configuration already"),
                            ([], "no configuration; as in: scripts/sweep configs/quick.toml")):
            done = subprocess.run([ROOT / "scripts" / "sweep", *words], cwd=self.folder, env=self.environment,
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 2)
            self.assertIn(said, done.stderr)

    def test_twin(self):
        """The first cell runs twice in each block, the second time as its own twin."""
        text = SMALL.replace("twin = false", "twin = true")
        output = self.sweep(text)
        rows = self.rows()
        self.assertEqual(len(rows), 10)
        twins = [row for row in rows if row["sweep"].get("twin")]
        self.assertEqual([row["sweep"]["block"] for row in twins], [0, 1])
        for row in twins:
            self.assertEqual((row["benchmark"], row["workers"]), ("alpha", 1))
            self.assertEqual(row["sweep"]["cell"], f"{self.cell('alpha', 1)}-twin")
        self.assertIn("alpha workers=1 (twin)", output)
        self.sweep(text.replace("true", "false"), "--rerun")
        self.assertEqual(len(self.rows()), 8)

    def cell(self, benchmark, workers):
        return next(row["sweep"]["cell"] for row in self.rows()
                    if (row["benchmark"], row["workers"]) == (benchmark, workers) and "twin" not in row["sweep"])

    def test_precision(self):
        """A sweep may end at its looks, when every interval is narrow enough; the same again does nothing more."""
        text = ('[sweep]\ninvocations = 30\nprecision = {}\n[set]\nbenchmark = "alpha"\n[axes]\nworkers = [1, 2]\n')
        output = self.sweep(text.format(0.5))
        self.assertEqual(len(self.rows()), 12)
        said = "ended after 6 of 30 blocks: every interval is narrower than 0.5 of its median"
        self.assertIn(f"note: {said}", output)
        self.assertEqual((self.results / "notes.txt").read_text(), said + "\n")
        self.assertIn(said, self.sweep(text.format(0.5)))
        self.assertEqual(len(self.rows()), 12)
        self.sweep(text.format(0.0001))
        self.assertEqual(len(self.rows()), 60)
        self.assertEqual((self.results / "notes.txt").read_text(), "")
        # One block alone has nothing to be precise about.
        self.sweep(text.format(0.5), "--rerun", "--block", "6", "--filter", "workers=1")
        self.sweep(text.format(0.5), "--block", "6")
        self.assertEqual(len(self.rows()), 2)

    def test_time_limit(self):
        text = ('[sweep]\ninvocations = 3\ntime_limit_s = 0.3\n[set]\nbenchmark = "alpha"\nsleep_ms = 200\n')
        self.sweep(text, code=124)
        self.assertRegex(self.errors, r"time_limit_s = 0.3: ended with [12] of 3 trials to run; the same command goes on")
        self.assertLess(len(self.rows()), 3)
        self.sweep(text.replace("0.3", "30"))
        self.assertEqual(len(self.rows()), 3)

    def test_block(self):
        """One block alone, which is a pilot for the plan."""
        self.assertIn("--block 0 runs each cell once", self.sweep(SMALL, "plan"))
        self.sweep(SMALL, "--block", "1")
        self.assertEqual({block for _, block in self.places()}, {1})
        self.assertIn("4 recorded, 4 to run: about 0:0", self.sweep(SMALL, "plan"))
        self.sweep(SMALL)
        self.assertEqual(len(set(self.places())), 8)
        self.sweep(SMALL, "--block", "2", code=2)
        self.assertIn("--block 2: there are 2, from 0", self.errors)

    def test_dry_run(self):
        for form in ("--dry-run", "plan"):
            output = self.sweep(SMALL, form)
            self.assertIn("4 cells x 2 blocks = 8 trials, 0 recorded, 8 to run: no earlier trial", output)
            self.assertIn("actorlab run beta --workers 2\n", output)
        self.assertEqual(self.log("begin"), [])
        self.assertFalse(self.results.exists())
        self.sweep(SMALL, "--filter", "alpha")
        self.assertIn("4 recorded, 4 to run: about 0:0", self.sweep(SMALL, "--dry-run"))

    def test_terminal(self):
        def on_terminal(**environment):
            ours, theirs = pty.openpty()
            process = subprocess.Popen(self.command(SMALL, "--filter", "workers=1", "--rerun"), cwd=self.folder, stdout=theirs,
                                       env={**self.environment, "TERM": "xterm", **environment})
            os.close(theirs)
            output = b""
            while select.select([ours], [], [], 20)[0]:
                try:
                    output += os.read(ours, 65536)
                except OSError:  # the other end is closed
                    break
            os.close(ours)
            self.assertEqual(process.wait(20), 0)
            return output.decode()

        output = on_terminal()
        self.assertIn("4/4", output)
        self.assertRegex(output, r"ETA.*0:00")
        self.assertIn("\x1b[1m", output)
        self.assertNotIn("[4/4]", output)
        colour = re.compile(r"\x1b\[[0-9;]*3[0-9]m")
        self.assertRegex(output, colour)
        self.assertNotRegex(on_terminal(NO_COLOR="1"), colour)


class Faults(Bench):
    def test_kill_and_resume(self):
        """Killed at 100 random points: each time at most the trial in flight is lost, none is there twice, and in the
        end the records are those of an uninterrupted sweep, but for times."""
        text = SMALL.replace("invocations = 2", "invocations = 60")
        chance = random.Random(3)
        points = 0
        for kill in range(100):
            rows, ends = len(self.written()), len(self.log("end"))
            process = self.start(text)
            # From its start on, or after some of its trials.
            goal = len(self.log("begin")) + chance.randrange(3)
            self.wait_for(lambda: process.poll() is not None or len(self.log("begin")) >= goal)
            time.sleep(chance.random() * 0.03)
            process.kill()
            self.assertNotIn("Traceback", process.communicate()[1])
            if process.returncode == 0:
                break
            points += 1
            new = len(self.written()) - rows
            self.assertIn(len(self.log("end")) - ends - new, (0, 1))
        self.assertGreater(points, 90)
        self.sweep(text)
        killed = self.what_ran()
        self.assertEqual(len(killed), 240)
        self.assertEqual(len(set(self.places())), 240)
        self.assertLessEqual(len(self.log("begin")), 240 + points)
        self.sweep(text, "--rerun")
        self.assertEqual(self.what_ran(), killed)

    def written(self):
        """The whole lines of the records so far."""
        path = self.results / "records.jsonl"
        return path.read_bytes().split(b"\n")[:-1] if path.exists() else []

    def test_killed_with_its_trial(self):
        process = self.start(LONG)
        self.wait_for(lambda: self.log("begin"))
        process.kill()
        process.communicate()
        self.wait_for(lambda: not alive(int(self.log("begin")[0].split()[1])))

    def test_torn_and_corrupt_lines(self):
        self.sweep(SMALL)
        path = self.results / "records.jsonl"
        whole = path.read_bytes()
        lines = whole.splitlines(keepends=True)
        path.write_bytes(b"".join([lines[0], b"{nonsense\0\xff}\n", *lines[2:7], lines[7][:50]]))
        output = self.sweep(SMALL)
        self.assertIn("records.jsonl:2: not a record", output)
        self.assertIn("records.jsonl:8: not a record", output)
        quarantine = [json.loads(line) for line in (self.results / "records.quarantine").read_text().splitlines()]
        self.assertEqual([entry["line"] for entry in quarantine], [2, 8])
        self.assertEqual(quarantine[1]["text"], lines[7][:50].decode())
        self.assertEqual(len(set(self.places())), 8)
        self.assertEqual(len(self.rows()), 8)
        self.assertEqual(path.read_bytes().splitlines(keepends=True)[:6], [lines[0], *lines[2:7]])
        self.assertEqual(len(self.log("begin")), 10)

    def test_lost_newline(self):
        self.results.mkdir()
        path = self.results / "records.jsonl"
        path.write_bytes(b'{"schema_version":1,"a":1}')
        store = records.Records(self.results)
        self.assertEqual(store.load(), ([{"schema_version": 1, "a": 1}], []))
        store.append({"b": 2})
        self.assertEqual(path.read_bytes(), b'{"schema_version":1,"a":1}\n{"b":2}\n')

    def test_every_torn_length(self):
        """Whatever part of the last line survives, it is a record or it is quarantined."""
        self.results.mkdir()
        path = self.results / "records.jsonl"
        line = records.line({"schema_version": 1, "name": "é", "sweep": {"cell": "c", "block": 0}})
        for length in range(len(line) + 1):
            path.write_bytes(line + line[:length])
            good, corrupt = records.parse(path)
            self.assertEqual((len(good), len(corrupt)),
                             (2, 0) if length >= len(line) - 1 else (1, 1 if length else 0), length)

    def test_other_schema(self):
        self.results.mkdir()
        (self.results / "records.jsonl").write_text('{"schema_version":2}\n')
        self.sweep(SMALL, code=2)
        self.assertIn("out/records.jsonl:1: schema_version 2", self.errors)
        self.assertEqual((self.results / "records.jsonl").read_text(), '{"schema_version":2}\n')

    def test_two_sweeps(self):
        first = self.start(LONG)
        self.wait_for(lambda: self.log("begin"))
        self.sweep(SMALL, code=3)
        self.assertRegex(self.errors, rf"^\S*out: another sweep \(process {first.pid}\) is writing here\n$")
        self.assertEqual(len(self.log("begin")), 1)
        first.terminate()
        first.communicate(timeout=10)
        self.assertEqual((self.results / "config.toml").read_text(), LONG)

    def test_no_folder_to_write(self):
        (self.folder / "out").write_text("a file\n")
        self.sweep(SMALL, code=2)
        self.assertRegex(self.errors, r"^\S*out: cannot write: .+\n$")
        self.assertEqual(self.log("begin"), [])

    def test_disk_full(self):
        def small_files():
            resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))

        self.sweep(SMALL, code=3, preexec_fn=small_files)
        self.assertIn("out/records.jsonl: cannot write: ", self.errors)
        self.assertGreater(len(self.rows()), 1)  # all lines are whole
        self.assertLess(len(self.rows()), 8)
        self.sweep(SMALL)
        self.assertEqual(len(set(self.places())), len(self.rows()))
        self.assertEqual(len(self.rows()), 8)
        self.assertFalse((self.results / "records.quarantine").exists())

    def test_another_binary(self):
        self.sweep(SMALL, "--filter", "gamma|alpha")
        old = (self.results / "records.jsonl").read_bytes()
        (self.folder / "hash").write_text("h2")
        for form in ("--quick", "--dry-run"):
            self.sweep(SMALL, form, code=2)
            self.assertRegex(self.errors, r"^out/records.jsonl: its records have binary_hash h1, now it is h2: --rerun .+\n$")
        self.sweep(SMALL.replace("= 2", "= 2\nwarmup = 5", 1), code=2)
        self.assertEqual((self.results / "records.jsonl").read_bytes(), old)
        self.sweep(SMALL, "--rerun")
        self.assertEqual(len(self.rows()), 8)
        aside, = self.results.glob("records.2*.jsonl")
        self.assertEqual(aside.read_bytes(), old)
        self.sweep(SMALL.replace("= 2", "= 2\nwarmup = 5", 1), code=2)
        self.assertIn("its records have warmup 1, now it is 5", self.errors)

    def test_binary_replaced_on_the_way(self):
        process = self.start(SMALL.replace("invocations = 2", "invocations = 50"))
        self.wait_for(lambda: len(self.log("end")) >= 3)
        (self.folder / "hash").write_text("h2")
        _, errors = process.communicate(timeout=20)
        self.assertEqual(process.returncode, 2)
        self.assertIn("binary_hash", errors)
        self.assertEqual({row["environment"]["binary_hash"] for row in self.rows()}, {"h1"})

    def test_interrupted(self):
        text = SMALL.replace('"beta"]', '"beta"]\nsleep_ms = [0, 60000]').replace("= 2", "= 1", 1)
        for number, recorded in ((signal.SIGINT, "/6] "), (signal.SIGTERM, "of 6 trials are recorded already")):
            process = self.start(text)
            begun = len(self.log("begin"))
            self.wait_for(lambda: any("=60000" in line for line in self.log("begin")[begun:]))
            child = int(self.log("begin")[-1].split()[1])
            process.send_signal(number)
            output, errors = process.communicate(timeout=10)
            self.assertEqual(process.returncode, 130, errors)
            self.assertFalse(alive(child))
            self.assertNotIn("Traceback", errors)
            self.assertIn(recorded, output)
        # What was finished is kept and shown.
        finished = len(self.log("end"))
        self.assertEqual(len(self.rows()), finished)
        self.assertEqual({row["outcome"] for row in self.rows()} - {"ok"}, set())
        self.assertEqual("ns/message" in output, finished > 0)

    def test_trial_interrupted_first(self):
        """A signal for all of a session may reach the trial before the sweep: it is no crash."""
        process = self.start(LONG)
        self.wait_for(lambda: self.log("begin"))
        os.kill(int(self.log("begin")[0].split()[1]), signal.SIGTERM)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=20)
        self.assertEqual((process.returncode, self.rows()), (130, []))

    def test_trial_ended_by_another(self):
        process = self.start(LONG)
        self.wait_for(lambda: self.log("begin"))
        os.kill(int(self.log("begin")[0].split()[1]), signal.SIGTERM)
        self.wait_for(lambda: self.rows())
        process.terminate()
        process.communicate(timeout=20)
        self.assertEqual((self.rows()[0]["outcome"], self.rows()[0]["signal"]), ("crashed", "SIGTERM"))

    def test_interrupted_twice(self):
        (self.folder / "slow-summary").write_text("30")
        process = self.start(SMALL.replace("invocations = 2", "invocations = 50"))
        self.wait_for(lambda: len(self.log("end")) >= 2)
        process.send_signal(signal.SIGINT)
        self.wait_for(lambda: self.log("summarize"))
        start = time.monotonic()
        process.send_signal(signal.SIGINT)
        process.wait(10)
        process.stdout.close()
        process.stderr.close()
        self.assertEqual(process.returncode, 130)
        self.assertLess(time.monotonic() - start, 2)


class Mistakes(Bench):
    """Every mistake is found before anything runs, with its line."""

    def setUp(self):
        super().setUp()
        listing = subprocess.run([self.fake, "list", "--json"], check=True, stdout=subprocess.PIPE).stdout
        wrong = lambda topology, pin: "no such place" if topology == "package:x" or pin == "9" else None
        self.registry = registry.Registry(json.loads(listing), wrong)

    def check(self, text):
        return config.check("x.toml", tomllib.loads(text), text.encode(), self.registry)

    def plan(self, text):
        return plan.Plan(self.check(untwinned(text)), self.registry)

    def test_each(self):
        good = '[axes]\nbenchmark = ["alpha", "beta"]\nworkers = [1, 2]\n'
        cases = [
            # (text, line, what is said)
            ("[sweeps]\n" + good, 1, 'unknown table or key "sweeps"; did you mean "sweep"?'),
            ("name = 1\n" + good, 1, 'unknown table or key "name"'),
            ("set = 1\n" + good, 1, "set must be a table: write [set]"),
            ("[[set]]\n" + good, 1, "set must be a table"),
            ("[sweep]\n\ninvocation = 3\n" + good, 3, 'unknown key "invocation"; did you mean "invocations"?'),
            ("[sweep]\ninvocations = 0\n" + good, 2, "invocations = 0: must be a whole number from 1 to"),
            ("[sweep]\niterations = 1.5\n" + good, 2, "iterations = 1.5: must be a whole number"),
            ("[sweep]\nwarmup = -1\n" + good, 2, "warmup = -1"),
            ("[sweep]\nwarmup = true\n" + good, 2, "warmup = true"),
            ("[sweep]\nseed = \"1\"\n" + good, 2, 'seed = "1"'),
            ("[sweep]\ntimeout_s = 0\n" + good, 2, "timeout_s = 0: must be a number of seconds"),
            ("[sweep]\ntimeout_s = nan\n" + good, 2, "timeout_s = nan"),
            ("[sweep]\noversubscribe = 1\n" + good, 2, "oversubscribe = 1: must be true or false"),
            ("[sweep]\nexclude = 1\n" + good, 2, "exclude must be a list of tables"),
            ("[sweep]\nexclude = [{}]\n" + good, 2, "exclude must be a list of tables"),
            ("[sweep]\nmemory = 1\n" + good, 2, "memory = 1: must be true or false"),
            ("[sweep]\ngate = \"on\"\n" + good, 2, 'unknown gate "on" (valid: mark, wait, off)'),
            ("[sweep]\ngate_limit = 101\n" + good, 2, "gate_limit = 101: must be percent, from 0 to 100"),
            ("[sweep]\ngate_wait_s = -1\n" + good, 2, "gate_wait_s = -1: must be a number of seconds, more than 0"),
            ("[sweep]\nclip = 1\n" + good, 2, "clip = 1: must be true or false"),
            ("[sweep]\nsize = \"tiny\"\n" + good, 2, 'unknown size "tiny" (valid: small, default, paper)'),
            ("[sweep]\nbaseline = \"invert\"\n" + good, 2, 'unknown baseline "invert"; did you mean "inverted"?'),
            ("[sweep]\nname = \"../up\"\n" + good, 2, 'name = "../up": must be a name'),
            ("[sweep]\n", 1, "no benchmark: give it in [axes] or [set] (valid: alpha, beta, gamma)"),
            ('[sweep]\nprecision = 5\n[set]\nbenchmark = "alpha"\n', 2, "precision = 5: must be a part of the median"),
            ('[sweep]\ntwin = 1\n[set]\nbenchmark = "alpha"\n', 2, "twin = 1: must be true or false"),
            ('[sweep]\ntime_limit_s = 0\n[set]\nbenchmark = "alpha"\n', 2, "time_limit_s = 0: must be a number of seconds"),
            ('[set]\nbenchmark = "alpha"\n[include]\nsize = 1\n', 3, "include must be a list of tables: write [[include]]"),
            ('[[include]]\nbenchmark = "alpha"\n[[include]]\nworkers = 1\n', 3,
             "no benchmark: give it in [[include]] or [set] (valid: alpha, beta, gamma)"),
            ('[[include]]\nbenchmark = "alpha"\n[[include]]\nbenchmark = "beta"\nworkers = [1,\n 9]\n', 6,
             "workers = 9: must be 1 to 2"),
            ('[[include]]\nbenchmark = "alpha"\nsize = [1, 1]\n', 3, "size: 1 is listed twice"),
            ('[[include]]\nbenchmark = "alpha"\nrounds = 1\n', 3, "rounds belongs to beta, not in this sweep"),
            ('[set]\nbenchmark = "alpha"\n[[override]]\nwhere = {size = 1}\n', 3, "an override has two tables"),
            ('[set]\nbenchmark = "alpha"\n[[override]]\nwhere = {size = 1}\nset = {workers = 2}\n', 5,
             "workers: an override sets options and parameters only"),
            ('[set]\nbenchmark = "alpha"\n[[override]]\nwhere = {scheduler = "centrl"}\nset = {size = 2}\n', 4,
             'unknown scheduler "centrl"; did you mean "central"?'),
            ('[set]\nbenchmark = "alpha"\n[[override]]\nwhere = {workers = 1}\nset = {size = [2, 3]}\n', 5,
             "size: expected one value"),
            (good + "victim = \"none\"\n", 4, "an axis is a list; one value belongs in [set]"),
            (good + "victim = []\n", 4, "an axis needs at least one value"),
            (good + "victim = [\"none\",\n\"random\",\n\"none\"]\n", 6, 'victim: "none" is listed twice'),
            (good + "victim = [\"none\",\n # a comment\n\"longst\"]\n", 6,
             'unknown victim "longst"; did you mean "longest"? (valid: none, random, longest)'),
            (good + "scheduler = [\"invert\"]\n", 4, 'unknown scheduler "invert"; did you mean "inverted"?'),
            (good + "idle = [\"sleep\"]\n", 4, 'unknown idle "sleep" (valid: spin, park, own)'),
            (good + "idle = [3]\n", 4, "idle = 3: must be a name in quotes"),
            (good + "pin = [\"closed\"]\n", 4, 'unknown pin "closed"; did you mean "close"?'),
            (good + "pin = [\"0,1\", \"9\"]\n", 4, "no such place"),
            (good + "[set]\ntopology = \"package:x\"\n", 5, "no such place"),
            ("[axes]\nbenchmark = [\"alpha\", \"bets\"]\nrounds = [1]\n", 2, 'unknown benchmark "bets"'),
            ("[axes]\nbenchmark = [\"alpha\"]\nworkers = [\n1,\n0]\n", 5, "workers = 0: must be a whole number, at least 1"),
            ("[axes]\nbenchmark = [\"alpha\"]\nworkers = [3]\n", 3, "workers = 3: must be 1 to 2, the PUs of this machine"),
            ("[sweep]\noversubscribe = true\n[axes]\nbenchmark = [\"alpha\"]\nworkers = [5000]\n", 5, "must be 1 to 4096"),
            (good + "[set]\nbenchmark = \"alpha\"\n", 5, "benchmark is given in [axes] too"),
            (good + "[set]\nvictim = [\"none\"]\n", 5, "victim: expected one value; lists belong in [axes]"),
            (good + "[set]\nsise = 1\n", 5, 'unknown key "sise"; did you mean "size"?'),
            (good + "[set]\nsize = 51\n", 5, "size = 51: beta wants a whole number from 1 to 50"),
            (good + "[set]\nsize = \"5\"\n", 5, 'size = "5": alpha wants a whole number from 1 to 1000'),
            (good + "[set]\nshare = 1.5\n", 5, "share = 1.5: beta wants a number from 0.0 to 1.0"),
            (good + "[set]\nqueue = \"lists\"\n", 5, 'unknown queue of inverted: "lists"; did you mean "list"?'),
            (good + "[set]\nqueue = 1\n", 5, 'queue = 1: inverted wants one of "copy", "list"'),
            (good + "[set]\ncapacity = 5\n", 5, "capacity belongs to central, not in this sweep"),
            (good + "[set]\nspins = 5\n", 5, "spins belongs to park, not in this sweep"),
            (good + "[set]\nbatch = 5\n", 5, 'batch is an option of more than one part: write "inverted.batch" and "longest.batch"'),
            (good + "[set]\ninverted.batches = 5\n", 5, 'unknown option of inverted "batches"; did you mean "batch"?'),
            (good + "shards = [1,\n65]\n", 5, "shards = 65"),
            (good + "[parameters.beta]\nrounds = 0\n", 5, "rounds = 0: beta wants"),
            (good + "[parameters.beta]\nround = 1\n", 5, 'unknown option of beta "round"; did you mean "rounds"?'),
            (good + "[parameters.beta]\nrounds = [1]\n", 5, "expected one value"),
            (good + "[parameters.delta]\nrounds = 1\n", 4, 'unknown benchmark "delta"; did you mean "beta"?'),
            (good + "[parameters.gamma]\nrounds = 1\n", 4, "gamma is not in this sweep (its benchmarks: alpha, beta)"),
            (good + "[parameters]\nrounds = 1\n", 5, "parameters belong to a benchmark"),
            (good + "[set]\nrounds = 1\n[parameters.beta]\nrounds = 2\n", 7, "beta.rounds is given as rounds too"),
            (good + "shards = [1]\n[set]\ninverted.shards = 2\n", 6, "inverted.shards is given as shards too"),
        ]
        self.check(good)
        for text, line, said in cases:
            with self.subTest(said), self.assertRaises(Failure) as caught:
                self.check(text)
            first = str(caught.exception).splitlines()
            self.assertEqual(len(first), 1, first)
            self.assertTrue(first[0].startswith(f"x.toml:{line}: "), (line, first[0]))
            self.assertIn(said, first[0])

    def test_all_at_once(self):
        self.sweep('[sweep]\ninvocations = 0\ntwins = 1\n[axes]\nbenchmark = ["alpa"]\nworkers = [0, 1,\n 99]\n', code=2)
        found = re.findall(r"^small.toml:(\d+): (.{8})", self.errors, re.MULTILINE)
        self.assertEqual(found, [("2", "invocati"), ("3", "unknown "), ("5", "unknown "), ("6", "workers "), ("7", "workers ")])
        self.assertEqual(len(self.errors.splitlines()), 5)
        self.assertFalse(self.results.exists())

    def test_files(self):
        for content, said in (
            (b"[sweep\nname = 1\n", r"^\S*:1: .+\(column 7\)$"),
            (b"[axes]\nworkers = [1, 2\n", r"^\S*:2: .+\(end of file\)$"),
            (b"[sweep]\nseed = 1\nseed = 2\n", r"^\S*:3: "),
            (b"# \xff\n", r"^\S*:1: not UTF-8$"),
        ):
            path = self.folder / "bad.toml"
            path.write_bytes(content)
            with self.assertRaisesRegex(Failure, said):
                config.read(path)
        with self.assertRaisesRegex(Failure, "none.toml: No such file"):
            config.read(self.folder / "none.toml")

    def test_command_line(self):
        for arguments in (["--seed", "x"], ["--filter", "("], ["--filter", "nothing"], ["--color", "blue"], ["--seed=-1"]):
            self.sweep(SMALL, *arguments, code=2)
        self.assertEqual(self.log("begin"), [])

    def test_product(self):
        cells = self.plan('[axes]\nbenchmark = ["alpha", "beta"]\nrounds = [1, 2]\nworkers = [1, 2]\n[set]\nsize = 5\n').cells
        self.assertEqual([cell.name for cell in cells], [
            "alpha workers=1", "alpha workers=2", "beta workers=1 rounds=1", "beta workers=2 rounds=1",
            "beta workers=1 rounds=2", "beta workers=2 rounds=2"])
        self.assertEqual(cells[2].arguments(), ["beta", "--workers", "1", "--set", "size=5", "--set", "rounds=1"])
        # A scheduler that does not steal has one cell, whatever the victims.
        cells = self.plan('[axes]\nscheduler = ["inverted", "central"]\nvictim = ["none", "random"]\nshards = [1, 2]\n'
                          '[set]\nbenchmark = "gamma"\n').cells
        self.assertEqual([cell.name for cell in cells], [
            "gamma inverted none shards=1", "gamma inverted none shards=2", "gamma inverted random shards=1",
            "gamma inverted random shards=2", "gamma central"])
        self.assertEqual(cells[4].arguments(), ["gamma", "--scheduler", "central"])
        # With idle policies it is the same: one that sleeps in its own way alone has one cell, and one that cannot
        # has its own policy instead of `own`.
        cells = self.plan('[axes]\nscheduler = ["inverted", "engines", "sharing"]\nvictim = ["none", "random"]\n'
                          'idle = ["spin", "own"]\n[set]\nbenchmark = "gamma"\n').cells
        self.assertEqual([cell.name for cell in cells], [
            "gamma inverted none spin", "gamma inverted random spin", "gamma engines none spin",
            "gamma engines none own", "gamma engines random spin", "gamma engines random own", "gamma sharing"])
        self.assertEqual([cell.identity["idle"] for cell in cells[::3]], ["spin", "own", "own"])
        cell, = self.plan('[set]\nbenchmark = "gamma"\nscheduler = "central"\nvictim = "random"\nidle = "own"\n'
                          'spins = 5\n').cells
        self.assertEqual(cell.arguments(), ["gamma", "--scheduler", "central", "--set", "spins=5"])
        self.assertEqual((cell.identity["victim"], cell.identity["idle"]), ("none", "park"))
        # A default that is written out is the same cell.
        short = self.plan('[set]\nbenchmark = "alpha"\nworkers = 1\n').cells[0]
        long = self.plan('[set]\nbenchmark = "alpha"\nworkers = 1\nscheduler = "inverted"\nvictim = "longest"\n'
                         'idle = "spin"\npin = "close"\ninverted.shards = 16\n[parameters.alpha]\nsize = 10\n').cells[0]
        self.assertEqual(short.id, long.id)
        self.assertNotEqual(short.id, self.plan('[set]\nbenchmark = "alpha"\nworkers = 2\n').cells[0].id)
        oversubscribed = self.plan('[sweep]\noversubscribe = true\n[set]\nbenchmark = "alpha"\nworkers = 9\n').cells[0]
        self.assertIn("--oversubscribe", oversubscribed.arguments())

    def test_sizes(self):
        """A size gives way to what the file sets; one of the command line, to the axes alone."""
        def words(sweep, rest="", size=None):
            settings = self.check(f'[sweep]\ntwin = false\n{sweep}\n[set]\nbenchmark = "alpha"\n{rest}')
            if size is not None:
                settings.size, settings.resized = size, True
            return [word for cell in plan.Plan(settings, self.registry).cells for word in cell.arguments()[1:]
                    if word != "--set"]

        self.assertEqual(words(""), [])
        self.assertEqual(words('size = "small"'), ["alpha.size=1", "alpha.sleep_ms=2"])
        self.assertEqual(words('size = "paper"'), [])  # none: the default is the paper's
        self.assertEqual(words('size = "small"', "[parameters.alpha]\nsize = 7\n"), ["alpha.size=7", "alpha.sleep_ms=2"])
        self.assertEqual(words("", "size = 7\n", "small"), ["size=1", "alpha.sleep_ms=2"])
        self.assertEqual(words("", "[parameters.alpha]\nsize = 7\n[axes]\nsleep_ms = [3, 4]\n", "small"),
                         ["alpha.size=1", "sleep_ms=3", "alpha.size=1", "sleep_ms=4"])

    def test_exclude(self):
        text = ('[sweep]\nexclude = [{}]\n[axes]\nbenchmark = ["alpha", "beta"]\nworkers = [1, 2]\nsize = [1, 2]\n')

        def names(entry):
            return [cell.name for cell in self.plan(text.replace("{}", entry)).cells]

        self.assertEqual(len(names('{benchmark = "beta"}')), 4)
        self.assertEqual(names('{benchmark = "alpha"}, {workers = 2, size = 2}, {size = 1}'), ["beta workers=1 size=2"])
        self.assertEqual(len(names('{benchmark = "beta", workers = 2}')), 6)
        for entry, said in (('{workers = 3}', "exclude {workers = 3}: there is no such cell"),
                            ('{benchmark = "alpha", rounds = 2}', 'exclude {benchmark = "alpha", rounds = 2}: there is no'),
                            ('{workers = 1}, {workers = 2}', "exclude leaves no cell")):
            with self.assertRaisesRegex(Failure, re.escape(said)):
                names(entry)

    def test_include(self):
        """Further cells, of their own values and of [set], not of the axes."""
        text = ('[set]\nworkers = 2\n[axes]\nbenchmark = ["alpha"]\nsize = [1, 2]\n'
                '[[include]]\nbenchmark = ["beta", "alpha"]\nsize = 3\n[[include]]\nbenchmark = "gamma"\nworkers = 1\n')
        self.assertEqual([cell.name for cell in self.plan(text).cells],
                         ["alpha workers=2 size=1", "alpha workers=2 size=2", "beta workers=2 size=3",
                          "alpha workers=2 size=3", "gamma workers=1"])
        self.assertEqual(len(self.plan('[[include]]\nbenchmark = "gamma"\n').cells), 1)
        clipped = self.plan('[sweep]\nclip = true\n[[include]]\nbenchmark = "gamma"\nworkers = [2, 8]\n')
        self.assertEqual(([cell.name for cell in clipped.cells], clipped.notes),
                         (["gamma workers=2"], ["left out: 8 workers; this machine has 2 PUs"]))

    def test_override(self):
        """Options of some cells: where means what a cell is given and the names it stands for."""
        text = ('[set]\nbenchmark = "alpha"\n[axes]\nscheduler = ["inverted", "central"]\nsize = [1, 2]\n'
                '[[override]]\nwhere = {scheduler = "inverted", size = 2}\nset = {shards = 4, sleep_ms = 5}\n'
                '[[override]]\nwhere = {victim = "longest"}\nset = {queue = "list"}\n')
        self.assertEqual([cell.options for cell in self.plan(text).cells],
                         [{"size": 1, "queue": "list"}, {"size": 2, "shards": 4, "sleep_ms": 5, "queue": "list"},
                          {"size": 1}, {"size": 2}])

    def test_clip(self):
        def clipped(workers):
            made = self.plan(f'[sweep]\nclip = true\n[set]\nbenchmark = "alpha"\n[axes]\nworkers = {workers}\n')
            return [cell.flags["workers"] for cell in made.cells], made.notes

        self.assertEqual(clipped([1, 2]), ([1, 2], []))
        self.assertEqual(clipped([1, 4, 2, 48]), ([1, 2], ["left out: 4, 48 workers; this machine has 2 PUs"]))
        self.assertEqual(clipped([48]), ([2], ["left out: 48 workers; this machine has 2 PUs"]))

    def test_repository_configurations(self):
        for path in sorted((ROOT / "configs").rglob("*.toml")):
            tables, content = config.read(path)
            self.assertLessEqual(set(tables), set(config.TABLES), path)


@unittest.skipUnless("AL_BUILD" in os.environ, "AL_BUILD names no build folder")
class Real(Bench):
    """The same with the actorlab of a build."""

    def setUp(self):
        super().setUp()
        self.environment["AL_ACTORLAB"] = os.path.abspath(os.environ["AL_BUILD"] + "/actorlab")

    def test_configurations(self):
        for path in sorted((ROOT / "configs").rglob("*.toml")):
            text = re.sub(r"^\[sweep\]", "[sweep]\noversubscribe = true", path.read_text(), flags=re.MULTILINE)
            with self.subTest(path.name):
                self.assertIn("actorlab run", self.sweep(text, "--dry-run"))

    def test_sweep(self):
        text = ('[sweep]\ninvocations = 2\n[axes]\nbenchmark = ["send-static", "executor"]\nscheduler = ["inverted", "central"]\n'
                '[set]\nworkers = 1\nsend-static.sends = 5000\n[parameters.executor]\nactors = 100\ngroup = 10\nrounds = 3\n')
        output = self.sweep(text)
        self.assertRegex(output, r"\nexecutor +central +1 +\d")
        self.assertEqual([row["outcome"] for row in self.rows()], ["ok"] * 8)
        self.assertEqual({row["messages"] for row in self.rows() if row["benchmark"] == "send-static"}, {5000})
        self.assertIn("8 of 8 trials are recorded already", self.sweep(text))
        self.sweep(text.replace("workers = 1", 'workers = 1\ntopology = "pack:2"'), code=2)
        self.assertRegex(self.errors, r"^small.toml:9: .*pack:2")

    def test_refused(self):
        self.sweep('[sweep]\ninvocations = 1\noversubscribe = true\n[set]\nbenchmark = "send-static"\n'
                   'workers = 2\nsends = 10\nshards = 1\n', code=1)
        self.assertEqual([row.get("exit_code") for row in self.rows()], [2])


class Parts(unittest.TestCase):
    def test_toml_lines(self):
        lines = TomlLines('# [no]\na = "x # ] = \\" y"\n[t.u] # c\n"k = 1" = [1, # one\n [2, 3],\n\n"""\nlong = 1\n""", 4]\n'
                          "v.w = { x = 1 }\n[z]\nlast = '''\n\n'''\nend = -1.5e3\n")
        self.assertEqual(lines.of("a"), 2)
        self.assertEqual(lines.of("no"), 1)
        self.assertEqual(lines.of("t", "u"), 3)
        self.assertEqual([lines.of("t", "u", "k = 1", i) for i in range(4)], [4, 5, 7, 9])
        self.assertEqual(lines.of("t", "u", "v", "w"), 10)
        self.assertEqual(lines.of("t", "u", "v", "w", "x"), 10)
        self.assertEqual(lines.of("z", "last"), 12)
        self.assertEqual(lines.of("z", "end"), 15)
        self.assertEqual(lines.of("z", "missing"), 11)

    def test_estimate(self):
        def trial(name):
            return plan.Trial(plan.Cell(name, name, {}, {}, {}, False), 0, 0)

        estimate = progress.Estimate()
        self.assertIsNone(estimate.remaining([trial("a")]))
        for seconds in (1, 2, 30):
            estimate.add(trial("a").cell, seconds)
        estimate.add(trial("b").cell, 7)
        self.assertEqual(estimate.remaining([trial("a"), trial("b")]), 2 + 7)
        self.assertEqual(estimate.remaining([trial("new")]), 10)
        self.assertEqual([progress.clock(s) for s in (None, 0, 59.6, 3661)], ["-:--", "0:00", "1:00", "1:01:01"])

    def test_numbers(self):
        self.assertEqual([table.significant(x) for x in (0, 9.997, 0.0456, 1, 7890.2, 999.7)],
                         ["0", "10.0", "0.0456", "1.00", "7890", "1000"])
        self.assertEqual([table.scaled(123456789, ""), table.scaled(12, ""), table.scaled(999700, "B")],
                         ["123 M", "12.0", "1.00 MB"])

    def test_what_tells_cells_apart(self):
        def cell(victim, workers, **options):
            return {"benchmark": "b", "parameters": {"size": 1}, "scheduler": "s", "victim": victim, "idle": "i",
                    "options": {"mailboxes": 16 * workers, **options}, "workers": workers, "pin": "close"}

        def keys(cells, axes, failed=()):
            data = {"level": 0.95, "resamples": 1, "seed": 1, "aa": [], "noise_percent": None, "cells": cells,
                    "failed": [{**f, "outcome": "timeout", "count": 1} for f in failed]}
            with tempfile.TemporaryDirectory() as folder, mock.patch("summary.summarize", lambda *_: data):
                (Path(folder) / "config.toml").write_text(axes)
                seen = summary.Summary("actorlab", Path(folder) / "records.jsonl")
            return seen.keys, [(c["victim"], c["workers"]) for c in seen.cells]

        axes = '[axes]\nvictim = ["none", "longest", "any"]\nworkers = [1, 2]\n'
        grid = [cell(victim, workers) for workers in (2, 1) for victim in ("longest", "none")]
        self.assertEqual(keys(grid, axes), (["victim"], [("none", 1), ("none", 2), ("longest", 1), ("longest", 2)]))
        self.assertEqual(keys(grid, "")[0], ["victim"])  # mailboxes follows from workers
        self.assertEqual(keys(grid[:1] + grid[2:3], axes)[0], [])
        self.assertEqual(keys([cell("none", 1), cell("longest", 1, patience=3)], axes)[0], ["victim"])
        self.assertEqual(keys([cell("none", 1, patience=n, alias=-n) for n in (1, 2)], "[axes]\nalias = [-1, -2]\n")[0],
                         ["alias"])
        self.assertEqual(keys([cell("none", 1)], axes, failed=[cell("any", 1, mailboxes=0)])[0], ["victim"])

    def test_order_of_a_strategys_own_axis(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "config.toml"
            path.write_text('[axes]\nworkers = [2, 1]\ndeque.deque = ["b", "a"]\n"las.deque" = ["c", "a"]\n[set]\nx = 1\n')
            self.assertEqual(summary.written_order(summary.tables(path)["axes"]), {"workers": [2, 1], "deque": ["b", "a", "c"]})

    def test_counting_tests(self):
        def count(result, stdout, name="p / t"):
            return suite.count({"name": name, "result": result, "stdout": stdout})

        self.assertEqual(count("OK", ""), (1, 0))
        self.assertEqual(count("OK", "ok 1\n"), (1, 0))  # no TAP: there is no plan
        self.assertEqual(count("FAIL", "x"), (0, 1))
        self.assertEqual(count("SKIP", ""), (0, 1))
        self.assertEqual(count("EXPECTEDFAIL", ""), (1, 0))
        self.assertEqual(count("UNEXPECTEDPASS", ""), (0, 1))
        self.assertEqual(count("OK", "1..2\nok 1 - a\nok 2\n"), (2, 0))
        self.assertEqual(count("FAIL", "1..3\nok 1 - a\nnot ok 2 - b\n# okay\nok 3 - c # SKIP no NUMA\n"), (1, 2))
        self.assertEqual(count("TIMEOUT", "1..3\nok 1\n"), (1, 1))
        self.assertEqual(count("ERROR", "ok 1\nok 2\n1..3\n"), (2, 1))
        self.assertEqual(count("SKIP", "1..0 # SKIP none\n"), (0, 1))
        suite.ALLOWED_SKIPS["c"] = "why"
        self.addCleanup(suite.ALLOWED_SKIPS.clear)
        self.assertEqual(count("OK", "1..2\nok 1 - a\nok 2 - c # SKIP no NUMA\n"), (1, 0))
        self.assertEqual(count("SKIP", "", "p:unit / c"), (0, 0))


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


if __name__ == "__main__":
    unittest.main()
