#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Sweeps as job arrays of a real Slurm: one node on the loopback interface, started and stopped
here."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import ROOT
from support.cluster import Cluster
from support.sweeping import PAIRED, SMALL, Bench, Real, whole_blocks

from sweep import slurm


class Submitting(Bench):
    """With a cluster, which the tests of a class share."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.cluster = Cluster(folder.name)
        cls.addClassCleanup(cls.cluster.stop)
        cls.cluster.start()

    def setUp(self):
        super().setUp()
        self.environment |= {name: self.cluster.environment[name] for name in ("SLURM_CONF", "PATH")}

    def submit(self, text, *arguments, code=0, **options):
        return self.sweep(text, "--launcher", "slurm", *arguments, code=code, **options)


class Simulated(Submitting, Real):
    MACHINE = str(ROOT / "tests" / "machines" / "two-sockets.xml")  # 16 PUs
    NATIVE = """
[sweep]
invocations = 3
[set]
benchmark = "send-static"
sends = 200
[axes]
scheduler = ["deque", "las"]
workers = [1, 16]
"""

    def times(self):
        return dict(zip(self.places(), (row["time_ns"] for row in self.rows())))

    def submit_all(self, text, *words):
        """A sweep of tasks, which has nothing left to do. Returns its times."""
        output = self.submit(text, *words)
        self.assertRegex(output, r"submitted job \d+: 3 blocks\n")
        self.assertNotIn("machines: ", output)
        rows, found = self.rows(), self.times()
        self.assertEqual((len(rows), len(found)), (12, 12))
        self.assertEqual({(row["engine"], row["outcome"]) for row in rows}, {("sim", "ok")})
        self.assertNotIn("submitted", self.submit(text, *words))
        return found

    def test_command_line(self):
        """Tasks get engine, machine and model, with a path that begins here. More workers than the
        node has PUs are no mistake; more than the machine has are one at once."""
        (self.folder / "mine.xml").write_text(Path(self.MACHINE).read_text())
        words = ("--engine", "sim", "--machine", "mine.xml", "--model", "locked=7", "--jobs", "2")
        found = self.submit_all(self.NATIVE, *words)
        self.assertEqual({(row["machine"]["name"], row["machine"]["overridden"]["locked"])
                          for row in self.rows()}, {("mine", 7)})
        self.submit(self.NATIVE.replace("16", "17"), *words, code=2)
        self.assertIn("workers = 17: must be 1 to 16, the PUs of the machine", self.errors)
        self.sweep(self.NATIVE, *words, "--rerun")  # the same here
        self.assertEqual(self.times(), found)

    def test_file(self):
        """Hosts differ, and a block that was lost is finished by another session."""
        text = self.NATIVE.replace("[set]", f'engine = "sim"\nmachine = "{self.MACHINE}"\n[set]')
        found = self.submit_all(text)
        for path in (self.results, self.results / "blocks" / "1"):
            path = path / "records.jsonl"
            rows = [json.loads(line) for line in path.read_text().splitlines()]
            for row in rows:
                row["environment"]["cpu"] = f"another {row['sweep']['block']}"
            lost = [row for row in rows if row["sweep"]["block"] == 1][1:]
            path.write_text("".join(json.dumps(row) + "\n" for row in rows if row not in lost))
        (self.results / "blocks" / "exits" / "1").unlink()
        output = self.submit(text)
        self.assertEqual(re.findall(r"submitted job \d+: (.*)", output), ["1 block"])
        self.assertNotIn("different machines", output)
        self.assertEqual(self.times(), found)
        self.sweep(text, "--rerun")  # the same here
        self.assertEqual(self.times(), found)


class Slurm(Submitting):
    def test_as_a_local_one(self):
        self.sweep(SMALL)
        local = self.what_ran()
        output = self.submit(SMALL, "--rerun", plots=True)
        self.assertEqual(self.what_ran(), local)
        self.assertRegex(output, r"submitted job \d+: 2 blocks\n")
        self.assertIn("[2/2] block ", output)
        self.assertRegex(output, r"alpha +inverted +1 +8\.\d+ ")
        self.assertTrue((self.results / "scaling.png").exists())
        # Nothing is left to do; with another configuration or program there is.
        begun = len(self.log("begin"))
        self.assertNotIn("submitted", self.submit(SMALL))
        self.assertEqual(len(self.log("begin")), begun)
        self.submit(SMALL.replace('"beta"', '"beta", "gamma"'))
        # The new cells, in the two blocks.
        self.assertEqual((len(self.log("begin")), len(self.rows())), (begun + 4, 8 + 4))
        (self.folder / "hash").write_text("h2")
        self.submit(SMALL, code=2)
        self.assertIn("its records have binary_hash h1, now it is h2", self.errors)

    def test_failed_trial(self):
        """It fails the sweep, but its block has ended."""
        text = ('[sweep]\ninvocations = 2\n[set]\nbenchmark = "alpha"\nworkers = 1\n[axes]\nmode = ["ok", "crash"]\n')
        self.submit(text, code=1)
        self.assertEqual(sorted(row["outcome"] for row in self.rows()), ["crashed", "crashed", "ok", "ok"])
        self.assertNotIn("has not finished", self.output)
        self.assertNotIn("submitted", self.submit(text, code=1))
        self.assertIn("failed trials that run again: 2", self.submit(text, "--retry-failed", "--quick", code=1))
        self.assertGreaterEqual(sum(row["outcome"] == "crashed" for row in self.rows()), 3)
        self.assertEqual(len(set(self.places())), len(self.rows()))

    def queue(self, *words):
        return subprocess.run(["squeue", "--noheader", "--array", "--format=%i", *words], check=True, stdout=subprocess.PIPE,
                              text=True, env=self.environment).stdout.split()

    def hold(self, trials):
        """Once so many have ended, those that begin do not end until the file is gone, however slow
        this machine is."""
        (self.folder / "meanwhile").write_text(
            f"while state('meanwhile') and state('log').count('end ') >= {trials}: time.sleep(0.01)")

    def release(self):
        (self.folder / "meanwhile").unlink()

    def test_lost_task(self):
        """The sweep says which block has not finished; the next one runs what is missing of it."""
        self.hold(3)
        process = self.start(PAIRED, "--launcher", "slurm")
        self.wait_for(lambda: len(self.log("end")) >= 3, process)
        lost = self.queue("--states=R")
        subprocess.run(["scancel", *lost], env=self.environment, check=True)
        self.wait_for(lambda: not set(lost) & set(self.queue()))
        self.release()
        output, errors = process.communicate()
        self.assertEqual(process.returncode, 1, output + errors)
        self.assertRegex(output, r"block \d has not finished: .*/blocks/\d/log")
        rows = len(self.rows())
        self.assertLess(rows, 8)
        self.assertIn("submitted", self.submit(PAIRED))
        self.assertEqual(len(set(self.places())), len(self.rows()))
        self.assertGreaterEqual(whole_blocks(self.rows(), 2), 2)

    def test_interrupted(self):
        self.hold(1)
        process = self.start(PAIRED, "--launcher", "slurm")
        # A trial that has ended is recorded a moment later.
        self.wait_for(lambda: any(path.stat().st_size for path in self.results.glob("blocks/*/records.jsonl")), process)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate()
        self.assertEqual(process.returncode, 130, output + errors)
        self.assertEqual(self.queue(), [])
        self.release()
        self.assertGreater(len(self.rows()), 0)
        self.submit(PAIRED)
        self.assertEqual(len(set(self.places())), len(self.rows()))
        self.assertGreaterEqual(whole_blocks(self.rows(), 2), 2)

    def test_precision(self):
        """One array up to each look, and none after the one that is precise enough."""
        text = '[sweep]\ninvocations = 10\nprecision = {}\n[set]\nbenchmark = "alpha"\nworkers = 1\n'
        output = self.submit(text.format(0.5))
        self.assertEqual(re.findall(r"submitted job \d+: (\d+) blocks", output), ["8"])
        self.assertEqual(sorted(block for _, block in self.places()), list(range(8)))
        said = "ended after 8 of 10 blocks: every interval is narrower than 0.5 of its median"
        self.assertIn(f"note: {said}\n", output)
        self.assertEqual((self.results / "notes.txt").read_text(), said + "\n")
        output = self.submit(text.format(0.5))
        self.assertIn(f"note: {said}\n", output)
        self.assertNotIn("submitted", output)
        output = self.submit(text.format(0.0001))
        self.assertEqual(re.findall(r"submitted job \d+: (\d+) blocks", output), ["8", "2"])
        self.assertEqual(sorted(block for _, block in self.places()), list(range(10)))
        self.assertRegex((self.results / "notes.txt").read_text(), r"^not as precise as 0\.0001: the interval of .*\n$")

    def test_verdicts(self):
        """One array up to each planned look."""
        output = self.submit('[sweep]\nprecision = "verdicts"\nlooks = [10, 12]\n[set]\nbenchmark = "alpha"\nworkers = 1\n'
                             '[axes]\nscheduler = ["inverted", "central"]\n')
        self.assertEqual(re.findall(r"submitted job \d+: (\d+) blocks", output), ["10"])
        self.assertEqual(len(self.rows()), 20)
        self.assertEqual(json.loads((self.results / "sweep.json").read_text())["blocks"], 10)
        self.assertIn("note: ended after 10 of at most 12 blocks: the comparison is decided\n", output)

    def test_two_builds(self):
        """Tasks find them where the configuration is, and a new build runs anew."""
        shutil.copy(self.fake, self.folder / "other")
        text = '[sweep]\ninvocations = 1\n[set]\nbenchmark = "alpha"\nworkers = 1\n[axes]\nbinary = ["actorlab", "other"]\n'
        self.submit(text, "--trust")
        self.assertEqual(sorted(row["binary"] for row in self.rows()), ["actorlab", "other"])
        self.assertNotIn("submitted", self.submit(text, "--trust"))

    def test_more_blocks_than_an_array_may_have(self):
        """The cluster's MaxArraySize is 10. In the name of a log, Slurm would replace percent
        signs."""
        self.results = self.folder / "50%alpha %%j"
        text = '[sweep]\ninvocations = 12\n[set]\nbenchmark = "alpha"\nworkers = 1\n'
        output = self.submit(text)
        self.assertEqual(re.findall(r"submitted job \d+: (\d+) blocks", output), ["10", "2"])
        self.assertEqual(sorted(block for _, block in self.places()), list(range(12)))
        for log in ("1/log", "log-10-1"):
            self.assertIn("[ 1/12] alpha", (self.results / "blocks" / log).read_text())
        self.assertNotIn("submitted", self.submit(text))

    def test_unfinished_before_a_look(self):
        """Nothing is decided by half of the blocks, and nothing more is submitted."""
        text = '[sweep]\ninvocations = 10\nprecision = 0.5\n[set]\nbenchmark = "alpha"\nworkers = 9\n'
        output = self.submit(text, code=1)
        self.assertEqual(re.findall(r"submitted job \d+: (\d+) blocks", output), ["8"])
        self.assertEqual(len(re.findall(r"block \d has not finished: ", output)), 8)

    def test_pipes_in_a_received_folder(self):
        """Nobody waits for them: the blocks run."""
        text = '[sweep]\ninvocations = 1\n[set]\nbenchmark = "alpha"\nworkers = 1\n'
        for name in ("exits/0", "0/log"):
            path = self.results / "blocks" / name
            path.parent.mkdir(parents=True)
            os.mkfifo(path)
        self.submit(text)
        self.assertEqual(len(self.rows()), 1)

    def test_different_machines(self):
        """Records of different machines are kept, and the notes say so. A failure on the second one
        fails the sweep."""
        text = ('[sweep]\ninvocations = 2\n[set]\nbenchmark = "alpha"\nworkers = 1\n'
                '[axes]\nmode = ["ok", "moody"]\n')
        self.submit(text, "--block", "0")
        for path in (self.results / "records.jsonl", self.results / "blocks" / "0" / "records.jsonl"):
            path.write_text(path.read_text().replace("Fake 3000", "Fake 2000"))
        (self.folder / "mood").write_text("bad")
        output = self.submit(text, code=1)
        said = "the blocks ran on different machines: cpu Fake 2000, Fake 3000"
        self.assertIn(said, (self.results / "notes.txt").read_text())
        self.assertIn(f"note: {said}", output)
        for machine in ("Fake 2000", "Fake 3000"):
            self.assertRegex(output, rf"\n{machine}( \(.*\))?:\n")
        self.assertRegex(output, r"\nfailed: alpha .*: crashed, 1 time\n")

    def test_worker_counts_are_the_nodes(self):
        """More workers than here are no mistake; they are on a node that has no more."""
        text = '[sweep]\ninvocations = 1\n[set]\nbenchmark = "alpha"\nworkers = 9\n'
        self.submit(text, code=1)
        self.assertIn("block 0 has not finished: ", self.output)
        self.assertIn("workers = 9: must be 1 to 2", (self.results / "blocks" / "0" / "log").read_text())

    def test_no_slurm(self):
        done = subprocess.run(self.command(SMALL, "--launcher", "slurm"), cwd=self.folder, capture_output=True, text=True,
                              env={**self.environment, "PATH": str(self.folder)})
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr, "--launcher slurm: no scontrol here (Debian's package slurm-client)\n")

    def test_refused_by_slurm(self):
        self.environment["SBATCH_PARTITION"] = "none"
        self.submit(SMALL, code=2)
        self.assertRegex(self.errors, "sbatch: .*invalid partition")


class Waiting(unittest.TestCase):
    def test_reads_only_what_has_ended(self):
        """A look into one folder, not at all files, shows which tasks have ended."""
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(slurm, "POLL_S", 0), \
                mock.patch.object(slurm, "LEAST_REST", 0):
            array = slurm.Array.__new__(slurm.Array)
            array.exits, array.key, array.interrupted = Path(folder), "k", False
            said, reads = [], []
            array.screen = SimpleNamespace(say=said.append)
            code = array.exit_code
            array.exit_code = lambda block: reads.append(block) or code(block)
            running = list(range(600))

            def squeue(command, **_):
                for block in running[:20]:
                    (array.exits / str(block)).write_text("0 k\n")
                del running[:20]
                return SimpleNamespace(stdout="a task\n" if running else "", returncode=0)

            with mock.patch.object(slurm.subprocess, "run", squeue), \
                    mock.patch.object(slurm.signal, "signal"):
                array.wait(["7"], list(range(600)))
        self.assertEqual(reads, list(range(600)))
        self.assertEqual(said[-1], "[600/600] block 599: exit code 0")


class Arrays(unittest.TestCase):
    def test_ranges(self):
        self.assertEqual(slurm.ranges([0, 1, 2, 3, 4, 7, 9, 10]), "0-4,7,9-10")
        self.assertEqual(slurm.ranges([5]), "5")
        self.assertEqual(slurm.ranges(range(30000)), "0-29999")

    def test_arrays(self):
        self.assertEqual(slurm.arrays(range(30000), 40000), [(0, list(range(30000)))])
        for blocks, most in ((range(30000), 1001), (range(0, 300000, 2), 4000001), (range(5, 3000, 7), 10), ([0], 1)):
            found = slurm.arrays(blocks, most)
            self.assertEqual([first + index for first, indices in found for index in indices], list(blocks))
            for first, indices in found:
                self.assertLess(max(indices), most)
                self.assertLess(len(slurm.ranges(indices)), 100_000)
        self.assertEqual(len(slurm.arrays(range(30000), 1001)), 30)
        self.assertEqual(len(slurm.arrays(range(0, 300000, 2), 4000001)), 39)


if __name__ == "__main__":
    unittest.main()
