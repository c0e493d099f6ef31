#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What ends a trial or a sweep before its time, and what is left then."""

import json
import os
import re
import resource
import signal
import subprocess
import sys
import termios
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support.sweeping import LONG, SMALL, Bench, Real, alive


def small_files(most_bytes):
    """For preexec_fn: the disk is as good as full when a file has so many bytes."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))


class Trials(Bench):
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
        self.assertIn("failed: alpha, mode=hang, workers 1: timeout", re.sub(" +", " ", output))
        hung = self.log("begin")[[row["parameters"]["mode"] for row in self.rows()].index("hang")].split()[1]
        self.assertFalse(Path(f"/proc/{hung}").exists())
        # They are done: a second sweep does not try them again, and still says so.
        self.sweep(text, code=1)
        self.assertEqual(len(self.rows()), 8)
        self.assertFalse((self.results / "scaling.png").exists())

    def test_retry_failed(self):
        """Trials that failed run again, and no others; their records are kept beside."""
        text = ('[sweep]\ninvocations = 2\n[set]\nbenchmark = "alpha"\nworkers = 1\n[axes]\nmode = ["moody", "crash", "ok"]\n')
        (self.folder / "mood").write_text("bad")
        self.sweep(text, code=1)
        before = (self.results / "records.jsonl").read_bytes().splitlines(keepends=True)
        failed = [line for line in before if b'"outcome":"ok"' not in line.replace(b" ", b"")]
        self.assertEqual(len(failed), 4)
        begun = len(self.log("begin"))
        (self.folder / "mood").unlink()
        self.assertIn("failed trials that would run again: 4\n", self.sweep(text, "plan", "--retry-failed"))
        self.assertRegex(self.output, "6 trials, 2 recorded, [1-9]")
        self.assertEqual((self.results / "records.jsonl").read_bytes(), b"".join(before))
        # others have failed, too
        self.sweep(text, "--retry-failed", "--filter", "moody", "--block", "1", code=1)
        self.assertEqual(len(self.log("begin")), begun + 1)
        output = self.sweep(text, "--retry-failed", code=1)
        self.assertIn("failed trials that run again: 3; their records: out/records.retried.jsonl\n", output)
        outcomes = {}
        for row in self.rows():
            outcomes.setdefault(row["sweep"]["block"], {})[row["parameters"]["mode"]] = row["outcome"]
        self.assertEqual(list(outcomes.values()), [{"ok": "ok", "moody": "ok", "crash": "crashed"}] * 2)
        self.assertEqual({row["outcome"] for row in self.rows() if row["parameters"]["mode"] != "crash"}, {"ok"})
        self.assertEqual(sorted((self.results / "records.retried.jsonl").read_bytes().splitlines(keepends=True)), sorted(failed))
        self.assertEqual(len(set(self.places())), len(self.rows()))
        self.sweep(text, "--retry-failed", "--rerun", code=2)
        self.assertIn("not allowed with", self.errors)

    def test_family(self):
        """What a trial started ends with it, at a time-out and when the sweep is interrupted."""
        text = '[sweep]\ninvocations = 1\ntimeout_s = {}\n[set]\nbenchmark = "alpha"\nmode = "family"\n'
        self.sweep(text.format(0.5), code=1)
        self.assertEqual(self.rows()[0]["outcome"], "timeout")
        process = self.start(text.format(60), "--rerun")
        self.wait_for(lambda: len(self.log("child")) == 2)
        process.terminate()
        process.communicate()
        self.assertEqual(process.returncode, 130)
        for line in self.log("begin") + self.log("child"):
            self.wait_for(lambda: not alive(int(line.split()[1])))

    def test_trial_ended_by_another(self):
        process = self.start(LONG)
        self.wait_for(lambda: self.log("begin"))
        os.kill(int(self.log("begin")[0].split()[1]), signal.SIGTERM)
        self.wait_for(lambda: self.rows())
        process.terminate()
        process.communicate()
        self.assertEqual((self.rows()[0]["outcome"], self.rows()[0]["signal"]), ("crashed", "SIGTERM"))

    def test_killed_with_its_trial(self):
        process = self.start(LONG)
        self.wait_for(lambda: self.log("begin"))
        process.kill()
        process.communicate()
        self.wait_for(lambda: not alive(int(self.log("begin")[0].split()[1])))


class Writing(Bench):
    def test_two_sweeps(self):
        first = self.start(LONG)
        self.wait_for(lambda: self.log("begin"))
        self.sweep(SMALL, code=3)
        self.assertRegex(self.errors, rf"^\S*out: another sweep \(process {first.pid}\) is writing here\n$")
        self.assertEqual(len(self.log("begin")), 1)
        first.terminate()
        first.communicate()
        self.assertEqual((self.results / "config.toml").read_text(), LONG)

    def test_no_folder_to_write(self):
        (self.folder / "out").write_text("a file\n")
        self.sweep(SMALL, code=3)
        self.assertRegex(self.errors, r"^\S*out: cannot write: .+\n$")
        self.assertEqual(self.log("begin"), [])

    def test_disk_full(self):
        """Writing fails at the configuration's copy; then in the middle of a record."""
        self.sweep(SMALL, code=3, preexec_fn=lambda: small_files(50))
        self.assertIn("out/config.toml: cannot write: ", self.errors)
        self.assertEqual((self.rows(), self.log("begin")), ([], []))
        self.sweep(SMALL, code=3, preexec_fn=lambda: small_files(3000))
        self.assertIn("out/records.jsonl: cannot write: ", self.errors)
        self.assertGreater(len(self.rows()), 1)  # all lines are whole
        self.assertLess(len(self.rows()), 8)
        self.sweep(SMALL)
        self.assertEqual(len(set(self.places())), len(self.rows()))
        self.assertEqual(len(self.rows()), 8)
        self.assertFalse((self.results / "records.quarantine").exists())


class Interrupted(Bench):
    def test_interrupted(self):
        text = SMALL.replace('"beta"]', '"beta"]\nsleep_ms = [0, 60000]').replace("= 2", "= 1", 1)
        for number, recorded in ((signal.SIGINT, "/6] "), (signal.SIGTERM, r"of \d+ trials already recorded")):
            process = self.start(text)
            begun = len(self.log("begin"))
            self.wait_for(lambda: any("=60000" in line for line in self.log("begin")[begun:]))
            child = int(self.log("begin")[-1].split()[1])
            process.send_signal(number)
            output, errors = process.communicate()
            self.assertEqual(process.returncode, 130, errors)
            self.assertFalse(alive(child))
            self.assertNotIn("Traceback", errors)
            self.assertRegex(output, recorded)
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
        process.communicate()
        self.assertEqual((process.returncode, self.rows()), (130, []))

    def test_hangup(self):
        """Ends a sweep, but not one that was started with nohup."""
        text = LONG.replace("60000", "2000")
        for before, code in ((signal.SIG_DFL, 130), (signal.SIG_IGN, 0)):
            begun = len(self.log("begin"))
            process = self.start(text, preexec_fn=lambda: signal.signal(signal.SIGHUP, before))
            self.wait_for(lambda: len(self.log("begin")) > begun)
            process.send_signal(signal.SIGHUP)
            _, errors = process.communicate()
            self.assertEqual(process.returncode, code, errors)

    def test_interrupted_twice(self):
        (self.folder / "slow-results").write_text("10000")
        process = self.start(SMALL.replace("invocations = 2", "invocations = 50"), process_group=0)
        self.addCleanup(os.killpg, process.pid, signal.SIGKILL)  # what it waits for lives on
        self.wait_for(lambda: len(self.log("end")) >= 2)
        process.send_signal(signal.SIGINT)
        self.wait_for(lambda: [line for line in self.log("results") if "--json" in line])
        process.send_signal(signal.SIGINT)
        process.wait()
        process.stdout.close()
        process.stderr.close()
        self.assertEqual(process.returncode, 130)


class Terminal(Bench):
    def test_what_runs(self):
        """A slow trial is no silent sweep: its name is there while it runs, and since when."""
        ours, theirs = os.openpty()
        termios.tcsetwinsize(theirs, (24, 100))
        process = subprocess.Popen(self.command(LONG), cwd=self.folder, env={**self.environment, "TERM": "xterm"},
                                   stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs)
        os.close(theirs)
        shown = b""
        while b"alpha" not in shown:
            shown += os.read(ours, 1000)
        self.assertRegex(shown.decode(), r"since \d\d:\d\d:\d\d: alpha")
        process.terminate()
        try:
            while os.read(ours, 1000):
                pass
        except OSError:  # nobody writes to it any more
            pass
        os.close(ours)
        self.assertEqual(process.wait(), 130)


class Memory(Real):
    def test_none_left(self):
        """Of an address space too small for its messages, a trial says so; the sweep goes on."""
        limited = self.folder / "limited"
        limited.write_text('#!/bin/sh\n[ "$1" != run ] || ulimit -v 200000\n'
                           f'exec {self.environment["AL_ACTORLAB"]} "$@"\n')
        limited.chmod(0o755)
        self.environment["AL_ACTORLAB"] = str(limited)
        output = self.sweep('[sweep]\ninvocations = 1\n[axes]\nbenchmark = ["bang", "send-static"]\n'
                            '[set]\nworkers = 1\nbang.messages = 50000\nsends = 1000\n', code=1)
        rows = {row["benchmark"]: row for row in self.rows()}
        self.assertEqual((rows["bang"]["outcome"], rows["bang"]["exit_code"]), ("crashed", 70))
        self.assertRegex(rows["bang"]["stderr"], r"^actorlab: error: out of memory: \d+ bytes for .+\n$")
        self.assertEqual(rows["send-static"]["outcome"], "ok")
        self.assertIn("failed: bang, inverted, workers 1: crashed", re.sub(" +", " ", output))

    def test_absurd_sizes(self):
        """Each number of each workload at its most: refused, or out of time or memory in order."""
        run = self.environment["AL_ACTORLAB"]
        listing = json.loads(subprocess.run([run, "list", "--json"], stdout=subprocess.PIPE, check=True).stdout)
        for workload in listing["benchmarks"]:
            for option in workload["options"]:
                if option["type"] == "uint":
                    most = f"{workload['name']}.{option['name']}={int(option['max'])}"
                    with self.subTest(most):
                        self.absurd([run, "run", workload["name"], "--size", "small", "--iterations", "1",
                                     "--warmup", "0", "--workers", "1", "--set", most])

    def absurd(self, command):
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=0.2,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30)))
        except subprocess.TimeoutExpired:
            return
        self.assertIn(done.returncode, (0, 1, 2, 70), done)
        self.assertEqual(done.stderr.count("\n"), int(done.returncode != 0), done)


if __name__ == "__main__":
    unittest.main()
