#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`actorlab run --engine sim`: its record, its line and its timeline, and how mistakes are refused.

AL_BUILD names the build folder."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import ACTORLAB

ROOT = Path(__file__).resolve().parents[2]
SMALL = ("executor", "--size", "small", "--iterations", "2")
MACHINE = "xeon-5220r-2s"  # two packages of 24 cores with two PUs each
SIM = ("--engine", "sim", "--machine", MACHINE)


def run(*words, code=0):
    done = subprocess.run([ACTORLAB, "run", *map(str, words)], capture_output=True, text=True, timeout=120)
    assert done.returncode == code, done
    return done


def record_of(*words):
    """The record, and what was printed for people."""
    done = run(*words, "--json", "-")
    return json.loads(done.stdout), done.stderr


class Simulated(unittest.TestCase):
    def check_summary(self, record, text):
        """Of more than eight workers --stats has the quantiles, and with --all-workers each."""
        received = [worker["messages_received"] for worker in record["counters"]]
        row = [int(value) for value in re.search(r"\n  messages_received((?: +\d+)+)  ", text).group(1).split()]
        ranked = sorted(received[:-1])
        self.assertEqual((row[0], row[1], row[5], row[6]), (sum(received), ranked[0], ranked[-1], received[-1]))
        self.assertEqual(row[1:6], sorted(row[1:6]))
        self.assertIn(row[3], range(ranked[23], ranked[24] + 1))
        self.assertRegex(text, r"sum +least +25% +median +75% +most +starter\n")
        _, text = record_of(*SMALL, *SIM, "--workers", 48, "--stats", "--all-workers", "--model", "locked=7")
        row = [int(value) for value in re.search(r"\n  messages_received((?: +\d+)+)  ", text).group(1).split()]
        self.assertEqual(row[1:], received)

    def test_start_of_executor(self):
        """One message to each group instead of each actor: the starting thread is busy for less."""
        words = ("executor", "--set", "actors=400", "--set", "group=20", "--set", "rounds=5", "--iterations", "1", "--warmup", "0",
                 *SIM, "--workers", "2", "--json", "-")
        found = {start: json.loads(run(*words, "--set", f"start={start}").stdout) for start in ("all", "groups")}
        self.assertEqual(found["groups"]["messages"] - found["all"]["messages"], 20)
        self.assertLess(found["groups"]["starter_busy"], 0.8 * found["all"]["starter_busy"])

    def test_record(self):
        record, text = record_of(*SMALL, *SIM, "--workers", 48, "--stats", "--model", "locked=7")
        self.assertEqual((record["outcome"], record["engine"], record["topology"]), ("ok", "sim", MACHINE))
        machine, counted = record["machine"], record["simulated"]
        self.assertEqual({key: machine[key] for key in ("name", "title", "hypothetical", "overridden")},
                         {"name": MACHINE, "title": "2 x Intel Xeon Gold 5220R", "hypothetical": False,
                          "overridden": {"locked": 7.0}})
        listing = json.loads(subprocess.run([ACTORLAB.parent / "actorlab-sim", "list", "--json"], capture_output=True).stdout)
        self.assertEqual(machine["binary_hash"], listing["environment"]["binary_hash"])
        self.assertEqual(record["pus"], list(range(48)))
        self.assertEqual(record["bound"], record["pus"])
        for key in ("noise", "handoff", "hardware"):
            self.assertIsNone(record[key], key)
        self.assertTrue(0 < record["starter_busy"] < 1, record["starter_busy"])
        self.assertGreater(counted["accesses"], 2 * record["messages"])
        self.assertGreater(counted["transfers"], 0)
        self.assertTrue(counted["starter_alone"])
        self.assertAlmostEqual(counted["accesses"] / counted["host_s"], counted["accesses_per_s"], delta=1)
        self.check_summary(record, text)
        self.assertIn("simulated on 2 x Intel Xeon Gold 5220R (1 parameter overridden): ", text)
        self.assertNotIn("peak memory", text)
        self.assertIn(f"simulated: {counted['accesses']} accesses, {counted['misses']} misses", text)
        self.assertNotIn("hand-off of a cache line", text)

    def test_repeats(self):
        """Equal seeds give equal times; another seed and another model give others."""
        words = ("repeat", "--size", "small", "--iterations", "3", *SIM, "--workers", "4")
        first, again, file, seed, model = (record_of(*words, *more)[0] for more in (
            (), (), ("--machine", ROOT / f"configs/machines/{MACHINE}.xml"), ("--seed", "2"), ("--model", "locked=30")))
        for other in (again, file):
            for key in ("time_ns", "counters", "machine", "topology"):
                self.assertEqual(first[key], other[key], key)
        self.assertEqual(first["machine"], seed["machine"])
        self.assertNotEqual(first["machine"]["model_hash"], model["machine"]["model_hash"])
        for other in (seed, model):
            self.assertNotEqual(first["time_ns"], other["time_ns"])

    def test_names(self):
        """A name and its file are one machine, with the same times."""
        file = ROOT / "configs/machines" / f"{MACHINE}.xml"
        lines = [run(*SMALL, "--workers", 2, "--engine", "sim", "--machine", name).stdout for name in (MACHINE, file)]
        self.assertEqual(*(line.partition(", peak memory")[0] for line in lines))

    def test_other_sources(self):
        """Both programs are of the same sources, committed or not; and whoever builds the one that
        is called builds the other."""
        build = ACTORLAB.parent
        known = build / "benchmarks/harness/measure/revision.h"
        sources = re.search('AL_SOURCES "(.*)"', known.read_text(encoding="utf-8"))[1].encode()
        with tempfile.TemporaryDirectory() as folder:
            program, simulator = (Path(shutil.copy2(build / name, folder)) for name in ("actorlab", "actorlab-sim"))
            command = [program, "run", *SMALL, *SIM[:3], shutil.copy2(ROOT / f"configs/machines/{MACHINE}.xml", folder), "--workers", "2"]
            self.assertEqual(subprocess.run(command, capture_output=True, timeout=120).returncode, 0)
            binary = simulator.read_bytes()
            self.assertEqual(binary.count(sources), 1)
            simulator.write_bytes(binary.replace(sources, sources[::-1]))
            done = subprocess.run(command, capture_output=True, text=True, timeout=120)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (
                1, "", f"actorlab run: the simulator {simulator} was not built from the sources of this program; "
                "`ninja -C build actorlab` builds both\n"))
            simulator.chmod(0o111)
            # Root may read everything unless it gives up its capabilities.
            limited = ("setpriv", "--bounding-set=-all") if os.geteuid() == 0 else ()
            done = subprocess.run([*limited, *command], capture_output=True, text=True, timeout=120)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (
                1, "", f"actorlab run: cannot read the simulator {simulator}, to compare its sources with those of this "
                "program: Permission denied; valid: a file that may be read and executed\n"))
        shown = subprocess.run(["ninja", "-C", build, "-t", "query", "actorlab"], capture_output=True, text=True, check=True)
        self.assertIn("actorlab-sim\n", shown.stdout)

    def test_workers(self):
        """By default one for each PU of the order; more only with --oversubscribe."""
        record, _ = record_of(*SMALL, *SIM, "--pin", "0,2,1")
        self.assertEqual((record["workers"], record["pus"]), (3, [0, 2, 1]))
        tiny = ("send-static", "--set", "sends=100", "--iterations", "1", "--warmup", "0", *SIM)
        record, _ = record_of(*tiny, "--machine", ROOT / "tests/machines/two-sockets.xml")
        self.assertEqual((record["workers"], record["machine"]["name"]), (16, "two-sockets"))
        record, text = record_of(*tiny, "--pin", "0,2", "--workers", "3", "--oversubscribe")
        self.assertTrue(record["oversubscribed"])
        self.assertIn("(oversubscribed)", text)

    def test_timeline(self):
        with tempfile.TemporaryDirectory() as folder:
            files = [Path(folder, name) for name in ("a.json", "b.json")]
            for file in files:
                run(*SMALL, *SIM, "--workers", "4", "--trace", file)
            first, again = (file.read_text() for file in files)
            self.assertEqual(first, again)
            trace = json.loads(first)
        self.assertEqual([trace["otherData"][key] for key in ("engine", "machine", "workers")], ["sim", MACHINE, 4])
        self.assertEqual(trace["traceEvents"][0]["args"]["name"], "executor on inverted, simulated")
        runs = [event for event in trace["traceEvents"] if event["name"] == "run"]
        self.assertEqual(sum(event["args"]["messages"] for event in runs), trace["otherData"]["messages"])
        self.assertEqual({event["tid"] for event in runs}, {0, 1, 2, 3})

    def test_check(self):
        """`foresee` knows the machine that a run would simulate, and its PUs."""
        lines = [[*SMALL, *SIM, "--workers", "96", "--model", "locked=7"], [*SMALL, *SIM, "--workers", "97"],
                 [*SMALL, "--workers", "1"]]
        done = subprocess.run([ACTORLAB, "foresee", "-"], input="".join(json.dumps(line) + "\n" for line in lines),
                              capture_output=True, text=True)
        good, bad, native = map(json.loads, done.stdout.splitlines())
        record, _ = record_of(*SMALL, *SIM, "--workers", "2", "--model", "locked=7")
        self.assertEqual(good["machine"] | {"binary_hash": record["machine"]["binary_hash"]}, record["machine"])
        self.assertEqual(f"actorlab run: {bad['problem']}\n", run(*SMALL, *SIM, "--workers", "97", code=2).stderr)
        self.assertEqual(native, {"line": 3})

    def test_mistakes(self):
        for words, said in (
                (("--workers", "97", *SIM), "97 workers, but 96 usable PUs; valid: 1 to 96, or more with --oversubscribe"),
                (("--machine", MACHINE), "--machine without --engine sim; valid: both or neither"),
                (("--model", "locked=7"), "--model without --engine sim; valid: only with it"),
                (("--engine", "sim"), "--engine sim without --machine; valid: --machine MACHINE, such as one that `actorlab machine` lists"),
                ((*SIM, "--topology", "core:2"), "--topology with --engine sim; valid: the topology is the machine's"),
                ((*SIM, "--model", "lockd=7"), "unknown parameter of the machine 'lockd'; did you mean 'locked'?"),
                ((*SIM, "--model", "locked=-1"), "parameter 'locked' of the machine is '-1'; valid: a number from 0 to 10000, in ns"),
                (("--engine", "sim", "--machine", "xeon-5220r"), "unknown machine 'xeon-5220r'; did you mean 'xeon-5220r-2s'?"),
                (("--engine", "simulated"), "unknown value for '--engine': 'simulated'; "),
                ((*SIM, "--pin", "0,96"), "96")):
            with self.subTest(words):
                done = run("executor", *words, code=2)
                self.assertEqual((done.stdout, done.stderr.count("\n")), ("", 1), done.stderr)
                self.assertIn(said, done.stderr)


if __name__ == "__main__":
    unittest.main()
