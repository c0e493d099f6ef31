#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A sweep from its start to its end."""

import argparse
import contextlib
import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import ROOT, SWEEPS
from support.sweeping import LONG, SMALL, Bench, Real

from common.failure import Failure
from sweep import choices


class Running(Bench):
    def test_all_of_it(self):
        output = self.sweep(SMALL, plots=True)
        self.assertEqual(len(re.findall(r"^ +each: \S+ \S+$", output, re.MULTILINE)), 4)
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
        self.assertRegex(output, r"benchmark +strategy +workers +ns/message +95% interval +achieved +n +messages/s +peak MB\n"
                                 r"alpha +inverted +1 +8\.\d+ +\[8\.\d+, 8\.\d+\] +50\.0% +2 +12\d M +5\.00\n")
        self.assertEqual((self.results / "config.toml").read_text(), SMALL)
        self.assertEqual((self.results / "scaling.png").read_bytes()[:4], b"\x89PNG")
        self.assertEqual((self.results / "scaling.pdf").read_bytes()[:5], b"%PDF-")
        for name in ("records.jsonl", "scaling.png", "scaling.pdf"):
            self.assertIn(f"out/{name}", output.splitlines()[-1])
        # Nothing is left to do: the records stay as they are, and the plot can be drawn alone.
        before = (self.results / "records.jsonl").read_bytes()
        self.assertIn("8 of 8 trials already recorded", self.sweep(SMALL))
        self.assertEqual((self.results / "records.jsonl").read_bytes(), before)
        drawn = (self.results / "scaling.png").read_bytes()
        (self.results / "scaling.png").unlink()
        subprocess.run([ROOT / "scripts" / "plot", self.results, "--kind", "scaling"], env=self.environment, check=True,
                       stdout=subprocess.DEVNULL)
        self.assertEqual((self.results / "scaling.png").read_bytes(), drawn)
        (self.results / "scaling.png").unlink()
        self.assertTrue(self.sweep(SMALL).endswith("\nwrote out/records.jsonl\n"))  # with --no-plot
        self.assertFalse((self.results / "scaling.png").exists())

    def test_profiles(self):
        """One trial of block 0 for each workload and number of workers measures a profile."""
        self.sweep(SMALL.replace("twin = false", "profile = true\ntwin = true").replace(
            "[axes]", '[axes]\nscheduler = ["inverted", "central"]'))
        begun = self.log("begin")
        profiled = [line for line in begun if " --profile " in line]
        self.assertEqual(len(begun), 2 * 4 * 3)
        self.assertEqual(len({re.search(r"\d (alpha|beta) .*--workers [12] ", line)[0] for line in profiled}), 4)
        self.assertEqual(len(profiled), 4)
        self.assertTrue(all("--seed 1 " in line for line in profiled), profiled)

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
                            (["small.toml", "--from", "out"], "--from already has a configuration"),
                            ([], "no configuration; for example: scripts/sweep configs/quick.toml")):
            done = subprocess.run([ROOT / "scripts" / "sweep", *words], cwd=self.folder, env=self.environment,
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 2)
            self.assertIn(said, done.stderr)

    def test_from_what_no_sweep_wrote(self):
        """Every key of sweep.json is checked; each mistake is one line."""
        (self.folder / "out").mkdir()
        (self.folder / "out" / "config.toml").write_text(SMALL)
        good = {"name": "small", "quick": False, "size": None, "seed": None, "filter": None}
        cases = [(json.dumps({**good, key: value}), f"{key} = {json.dumps(value)}: must be ") for key, value in (
            ("name", 5), ("name", ""), ("name", "../up"), ("name", "\ud800"), ("name", "a\0b"), ("name", "x" * 256),
            ("quick", 1), ("quick", "yes"), ("size", "tiny"), ("size", ["small"]), ("size", 3), ("seed", -1), ("seed", True),
            ("seed", 1.5), ("seed", 10**16), ("seed", "1"), ("filter", 5), ("filter", ["a"]), ("filter", {}))]
        cases += [(json.dumps({k: v for k, v in good.items() if k != key}), f'it has no key "{key}"') for key in good]
        cases += [(json.dumps({**good, "filter": pattern}), "filter: ") for pattern in ("(", "a{99999999999}", "(" * 5000)]
        cases += [(text, "it is not a JSON object") for text in ("", "[]", "5", "null", "{", "[" * 100000, "\0")]
        cases += [(json.dumps({**good, "szie": None}), 'it has an unknown key "szie"')]
        for text, said in cases:
            with self.subTest(text[:60]):
                (self.folder / "out" / "sweep.json").write_text(text)
                with self.assertRaises(Failure) as caught:
                    choices.recall(argparse.Namespace(**{**good, "quick": False}), self.folder / "out" / "sweep.json")
                self.assertIn(said[:160], str(caught.exception))
                self.assertEqual(len(str(caught.exception).splitlines()), 1)
        options = argparse.Namespace(quick=False, size=None, seed=None, filter=None)
        (self.folder / "out" / "sweep.json").write_text(json.dumps({**good, "seed": 0}))
        choices.recall(options, self.folder / "out" / "sweep.json")
        self.assertEqual((options.seed, options.quick), (0, False))
        (self.folder / "out" / "sweep.json").write_bytes(b"\xff")
        done = subprocess.run([ROOT / "scripts" / "sweep", "--from", "out", "plan"], cwd=self.folder, env=self.environment,
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (2, "out/sweep.json: not written by scripts/sweep: it is not a JSON object\n"))

    def test_what_results_are_told(self):
        """sweep.json says how verdicts are to be reached."""
        def told(text):
            self.sweep(text, "--rerun", "--block", "0")
            return [json.loads((self.results / "sweep.json").read_text())[key] for key in ("looks", "margin_percent", "interval")]

        self.assertEqual(told(SMALL), [None, 5, "order"])
        self.assertEqual(told(SMALL.replace("[sweep]", '[sweep]\nmargin = 0.025\ninterval = "percentile"')), [None, 2.5, "percentile"])
        text = SMALL.replace("invocations = 2", 'precision = "verdicts"').replace("[axes]", '[axes]\nvictim = ["none", "random"]')
        self.assertEqual(told(text), [[10, 15, 20, 30], 5, "order"])
        again = subprocess.run([ROOT / "scripts" / "sweep", "--from", "out", "plan"], cwd=self.folder, env=self.environment,
                               capture_output=True, text=True)
        self.assertIn("8 cells x up to 30 blocks", again.stdout, again.stderr)

    def test_warmup_until_steady(self):
        text = SMALL.replace("[sweep]", '[sweep]\nwarmup = "auto"')
        self.sweep(text)
        self.assertEqual({(row["warmup"], row["warmup_rule"]) for row in self.rows()}, {(3, "auto")})
        self.assertIn("--warmup auto --seed", self.log("begin")[0])
        self.assertIn("8 of 8 trials already recorded", self.sweep(text))
        # As many, but by another rule.
        self.sweep(SMALL.replace("[sweep]", "[sweep]\nwarmup = 3"), code=2)
        self.assertIn("its records have warmup auto, now it is 3: ", self.errors)
        self.sweep(text + '[set]\nmode = "crash"\n', "--rerun", code=1)
        self.assertEqual({(row["warmup"], row["warmup_rule"]) for row in self.rows() if row["benchmark"] == "alpha"},
                         {(None, "auto")})
        self.assertIn("8 of 8 trials already recorded", self.sweep(text + '[set]\nmode = "crash"\n', code=1))

    def test_twins(self):
        """For each workload and number of workers one cell runs twice in each block, the second
        time as its own twin."""
        text = SMALL.replace("twin = false", "twin = true")
        output = self.sweep(text)
        rows = self.rows()
        self.assertEqual(len(rows), 16)
        twins = sorted((row["benchmark"], row["workers"], row["sweep"]["block"], row["sweep"]["cell"]) for row in rows
                       if row["sweep"].get("twin"))
        self.assertEqual(twins, [(benchmark, workers, block, f"{self.cell(benchmark, workers)}-twin")
                                 for benchmark in ("alpha", "beta") for workers in (1, 2) for block in (0, 1)])
        self.assertIn("alpha workers=1 (twin)", output)
        self.assertEqual(len(re.findall(r"^actorlab run .* \(twin\)$", self.sweep(text, "plan"), re.MULTILINE)), 4)
        self.sweep(text.replace("true", "false"), "--rerun")
        self.assertEqual(len(self.rows()), 8)

    def test_twins_of_what_a_filter_keeps(self):
        """Whatever is left out, there is a twin, and what is kept has its positions."""
        text = SMALL.replace("twin = false", "twin = true").replace("[axes]", '[axes]\nvictim = ["none", "random"]')
        self.sweep(text)
        positions = {tuple(row["sweep"][key] for key in ("cell", "block")): row["sweep"]["position"] for row in self.rows()}
        self.sweep(text, "--rerun", "--filter", "beta random workers=2")
        self.assertEqual(sorted(bool(row["sweep"].get("twin")) for row in self.rows()), [False, False, True, True])
        for row in self.rows():
            self.assertEqual((row["benchmark"], row["victim"], row["workers"]), ("beta", "random", 2))
            if not row["sweep"].get("twin"):
                self.assertEqual(row["sweep"]["position"], positions[row["sweep"]["cell"], row["sweep"]["block"]])

    def test_too_few_blocks_for_twins(self):
        """They could not differ; to ask for them with a single block is a mistake."""
        text = SMALL.replace("twin = false\n", "").replace("invocations = 2", "invocations = 5 # twin")
        note = "no A/A twins: below 6 blocks they could not differ at 5%"
        self.assertIn(f"note: {note}\n", self.sweep(text))
        self.assertEqual((self.results / "notes.txt").read_text(), f"{note}\n")
        self.assertEqual(len(self.rows()), 20)
        # With --quick there are twins if the whole sweep has them.
        enough = self.sweep(text.replace("5 #", "6 #"), "--quick", "--rerun")
        self.assertNotIn("twins", enough)
        self.assertEqual(len(self.rows()), 24)
        self.assertNotIn("twins", self.sweep(SMALL, "plan", "--rerun"))
        self.sweep(SMALL.replace("invocations = 2\ntwin = false", "twin = true\ninvocations = 1"), code=2)
        self.assertEqual(self.errors, "small.toml:3: twin = true with invocations = 1: twins are compared block by "
                         "block, which takes at least 2 invocations\n")

    def test_records_of_other_cells(self):
        """A configuration that has changed says so of what it no longer has."""
        self.sweep(SMALL)
        changed = SMALL.replace('"beta"', '"gamma"')
        said = "note: 4 records are of cells that the configuration no longer has"
        self.assertIn(said, self.sweep(changed, "plan"))
        self.assertIn(said, self.sweep(changed, "--resume"))
        self.assertIn(said.removeprefix("note: "), (self.results / "notes.txt").read_text())
        self.assertNotIn("no longer", self.sweep(changed, "--rerun"))
        path = self.results / "records.jsonl"
        path.write_text("".join(path.read_text().splitlines(keepends=True)[:1]))
        ran = self.rows()[0]
        other = SMALL.replace('"alpha", "beta"', '"alpha"' if ran["benchmark"] != "alpha" else '"beta"')
        self.assertIn("note: 1 record is of a cell that the configuration no longer has; table and plots include it: ",
                      self.sweep(other, "plan"))
        self.sweep(changed, "--rerun", "--resume", code=2)
        self.assertIn("not allowed with", self.errors)

    def test_unfinished(self):
        """A sweep that has not ended says so, and a report of it can. One block is finished if no
        other was asked for."""
        self.assertNotIn("unfinished", self.sweep(SMALL, "--block", "0"))
        self.assertEqual(len(self.rows()), 4)
        self.assertFalse((self.results / "notes.txt").exists())
        process = self.start(LONG, "--rerun")
        self.wait_for(lambda: self.log("begin")[4:])
        process.kill()
        with contextlib.suppress(ProcessLookupError):  # the trial may have seen it, and ended
            os.kill(int(self.log("begin")[-1].split()[1]), signal.SIGKILL)
        process.communicate()
        self.assertEqual((self.results / "notes.txt").read_text(),
                         "unfinished: not all trials recorded\n")
        self.assertNotIn("unfinished", self.sweep(SMALL, "--rerun"))
        self.assertFalse((self.results / "notes.txt").exists())

    def cell(self, benchmark, workers):
        return next(row["sweep"]["cell"] for row in self.rows()
                    if (row["benchmark"], row["workers"]) == (benchmark, workers) and "twin" not in row["sweep"])

    def test_time_limit(self):
        text = ('[sweep]\ninvocations = 3\ntime_limit_s = 0.3\n[set]\nbenchmark = "alpha"\nsleep_ms = 200\n')
        self.sweep(text, code=124)
        self.assertRegex(self.errors, r"time_limit_s = 0.3: ended with [12] of 3 trials to run\n")
        self.assertRegex(self.output, r"note: unfinished: [12] of 3 trials recorded; the same command continues\n")
        self.assertLess(len(self.rows()), 3)
        self.sweep(text.replace("0.3", "30"))
        self.assertEqual(len(self.rows()), 3)

    def test_block(self):
        """One block alone, which is a pilot for the plan."""
        self.assertIn("--block 0 runs each cell once", self.sweep(SMALL, "plan"))
        self.sweep(SMALL, "--block", "1")
        self.assertEqual({block for _, block in self.places()}, {1})
        self.assertIn("4 recorded, 4 to run: about 0:0", self.sweep(SMALL, "plan"))
        self.assertIn("4 recorded, 0 to run in block 1: about 0:00", self.sweep(SMALL, "plan", "--block", "1"))
        self.sweep(SMALL)
        self.assertEqual(len(set(self.places())), 8)
        self.sweep(SMALL, "--block", "2", code=2)
        self.assertIn("--block 2: must be 0 to 1", self.errors)

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
            self.assertEqual(process.wait(), 0)
            return output.decode()

        output = on_terminal()
        self.assertIn("4/4", output)
        self.assertRegex(output, r"ETA.*0:00")
        self.assertNotIn("[4/4]", output)
        colour = re.compile(r"\x1b\[[0-9;]*3[0-9]m")
        self.assertRegex(output, colour)
        self.assertNotRegex(on_terminal(NO_COLOR="1"), colour)


class Built(Real):
    def test_configurations(self):
        for path in SWEEPS:
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
        self.assertIn("8 of 8 trials already recorded", self.sweep(text))
        self.sweep(text.replace("workers = 1", 'workers = 1\ntopology = "pack:2"'), code=2)
        self.assertRegex(self.errors, r"^small.toml:9: .*pack:2")

    def test_clipped_by_a_topology(self):
        text = ('[sweep]\nclip = true\n[axes]\nworkers = [1, 1000]\n'
                '[set]\nbenchmark = "executor"\ntopology = "pu:1"\n')
        self.assertIn('left out: 1000 workers; topology "pu:1" here has 1 PU', self.sweep(text, "plan"))

    def test_refused(self):
        """What no trial would begin with is a mistake of the file, one line for each; nothing
        runs."""
        cases = (
            ('benchmark = ["executor"]\nactors = [150, 200, 250]\ngroup = [100]\n',
             ["executor workers=1 actors=150 group=100: actors=150 is not a multiple of group=100",
              "executor workers=1 actors=250 group=100: actors=250 is not a multiple of group=100"]),
            ('benchmark = ["repeat"]\nshards = [2, 4]\nmailboxes = [8]\n',
             ["repeat workers=1 shards=2 mailboxes=8: shards=2 and mailboxes=8 contradict or repeat each other",
              "repeat workers=1 shards=4 mailboxes=8: shards=4 and mailboxes=8 contradict or repeat each other"]),
            ('benchmark = ["repeat", "send-static"]\nbatching = ["on"]\nqueue = ["copy", "list"]\n',
             ["and 1 more cell: batching=on needs queue=copy"]),
            ('benchmark = ["repeat"]\ntopology = ["pu:1", "pu:2", "pu:9"]\nshards = [3]\n', ["topology=pu:1"]))
        for text, said in cases:
            topology = "topology" in text
            text = f'[sweep]\ninvocations = 1\noversubscribe = {str(not topology).lower()}\n[axes]\n{text}[set]\n' \
                   f'workers = {2 if topology and len(os.sched_getaffinity(0)) > 1 else 1}\n'
            for words in ([], ["plan"]):
                with self.subTest(text, words=words):
                    if topology and "workers = 1" in text:
                        continue
                    self.sweep(text, *words, code=2)
                    lines = self.errors.splitlines()
                    self.assertEqual(len(lines), len(said), lines)
                    for line, part in zip(lines, said):
                        self.assertTrue(line.startswith("small.toml: "), line)
                        self.assertIn(part, line)
                    self.assertFalse((self.results / "records.jsonl").exists() and self.rows())
        text = '[sweep]\noversubscribe = true\n[set]\nbenchmark = "repeat"\nworkers = 2\ntopology = "pu:1"\n'
        self.assertIn("--oversubscribe", self.sweep(text, "plan"))


if __name__ == "__main__":
    unittest.main()
