#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Going on where a sweep was killed, and when it may not."""

import json
import os
import random
import shutil
import stat
import sys
import time
import unittest
from collections import Counter
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import DEEP
from support.sweeping import PAIRED, SMALL, Bench, whole_blocks

from results import records, writer

GOOD = {"schema_version": 1, "benchmark": "alpha", "scheduler": "inverted", "parameters": {}, "options": {}, "workers": 1,
        "outcome": "crashed"}



class Sessions(Bench):
    """What was measured in different runs of a sweep is no pair."""

    def interrupted(self, text, lines):
        """A finished sweep from which only the first lines are left, as if it had been killed
        then."""
        self.sweep(text)
        path = self.results / "records.jsonl"
        path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:lines]))
        return path.read_bytes()

    def test_interrupted_block(self):
        """Its groups that are whole count, and those that had not begun run in it. One that was
        interrupted runs in a further block, and no other does."""
        text = PAIRED.replace("invocations = 2", "invocations = 3")
        for lines, blocks in ((6, [4, 4, 4]), (7, [4, 3, 4, 2]), (1, [3, 4, 4, 2]), (8, [4, 4, 4])):
            with self.subTest(lines=lines):
                old = self.interrupted(text, lines)
                self.sweep(text)
                self.assertTrue((self.results / "records.jsonl").read_bytes().startswith(old))
                self.assertEqual(sorted(Counter(block for _, block in self.places()).items()), list(enumerate(blocks)))
                self.assertEqual(whole_blocks(self.rows(), 2), 3)
                self.assertEqual(len({row["sweep"]["session"] for row in self.rows()}), 2)
                self.assertIn(f"{sum(blocks)} recorded, 0 to run", self.sweep(text, "plan"))
                shutil.rmtree(self.results)

    def test_wider_filter(self):
        """Cells that come later get pairs with the others of their group, in further blocks."""
        self.sweep(PAIRED, "--filter", "alpha inverted")
        self.sweep(PAIRED)
        self.assertEqual(whole_blocks(self.rows(), 2), 2)
        # Two of the pilot, two whole ones of its group, two of the other.
        self.assertEqual(len(self.rows()), 2 + 4 + 4)
        self.assertEqual(len(set(self.places())), len(self.rows()))
        begun = len(self.log("begin"))
        for words in ((), ("--filter", "beta"), ("--quick", "--filter", "alpha inverted")):
            self.sweep(PAIRED, *words)
        self.assertEqual(len(self.log("begin")), begun)

    def test_new_axis_value(self):
        """Another workload runs alone; another strategy needs pairs with the others."""
        self.sweep(PAIRED)
        self.sweep(PAIRED.replace('["alpha", "beta"]', '["alpha", "beta", "gamma"]'))
        self.assertEqual((whole_blocks(self.rows(), 2), len(self.rows())), (2, 2 * 6))
        self.sweep(PAIRED.replace('"sharing"]', '"sharing", "central"]'))
        self.assertEqual((whole_blocks([row for row in self.rows() if row["benchmark"] != "gamma"], 3), len(self.rows())),
                         (2, 2 * 6 + 2 * 6))

    def test_pilot_counts(self):
        for block in ("1", "0"):
            self.sweep(SMALL, "--block", block)
        self.sweep(SMALL)
        self.assertEqual(len(self.log("begin")), 8)
        self.assertEqual(whole_blocks(self.rows(), 1), 2)

    def test_another_seed(self):
        self.sweep(SMALL)
        old = (self.results / "records.jsonl").read_bytes()
        for text, words in ((SMALL, ("--seed", "7")), (SMALL.replace("[sweep]", "[sweep]\nseed = 7"), ()),
                            (SMALL, ("--seed", "7", "plan"))):
            self.sweep(text, *words, code=2)
            self.assertEqual(self.errors, "out/records.jsonl: its records have seed 1, now it is 7: --rerun moves them "
                             "aside and starts afresh\n")
        self.assertEqual((self.results / "records.jsonl").read_bytes(), old)
        self.sweep(SMALL, "--seed", "7", "--rerun")
        self.sweep(SMALL, "--seed", "7")


class Killed(Bench):
    def test_kill_and_resume(self):
        """Killed at many random points: each time at most the trial in flight is lost, none is
        there twice, and in the end the records are those of an uninterrupted sweep, but for times,
        with further blocks of the groups that were interrupted."""
        kills = 100 if DEEP else 30
        blocks = 3 * kills // 10
        text = PAIRED.replace("invocations = 2", f"invocations = {blocks}")
        chance = random.Random(3)
        points = 0
        for kill in range(kills):
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
        self.assertGreater(points, 0.9 * kills)
        self.sweep(text)
        killed = self.what_ran()
        self.assertEqual(len(set(self.places())), len(killed))
        self.assertEqual(whole_blocks(self.rows(), 2), blocks)
        self.assertLessEqual(len(killed), 4 * blocks + points)  # a kill leaves a part of a group
        self.assertLessEqual(len(self.log("begin")), len(killed) + points)
        self.sweep(text, "--rerun")
        whole = self.what_ran()
        self.assertEqual(len(whole), 4 * blocks)
        self.assertEqual([row for row in killed if row[0] < blocks and row not in whole], [])

    def written(self):
        """The whole lines of the records so far."""
        path = self.results / "records.jsonl"
        return path.read_bytes().split(b"\n")[:-1] if path.exists() else []


class Twins(Bench):
    TEXT = SMALL.replace("twin = false", "twin = true")

    def test_a_twin_is_a_trial(self):
        """The A/A twin of a cell has the cell's arguments, but not its record: what is missing of
        either is run."""
        self.sweep(self.TEXT)
        path, whole = self.results / "records.jsonl", self.places()
        twins = [place for place in whole if place[0].endswith("-twin")]
        self.assertEqual(len(twins), 8)  # for each workload and number of workers, in each block
        originals = [(cell.removesuffix("-twin"), block) for cell, block in twins]
        for lost in (twins, originals, [twins[0], originals[1]]):
            rows = [json.dumps(row) + "\n" for row in self.rows()
                    if (row["sweep"]["cell"], row["sweep"]["block"]) not in lost]
            path.write_text("".join(rows))
            self.sweep(self.TEXT)
            measured = {}  # by each session in each block
            for row in self.rows():
                measured.setdefault((row["sweep"]["session"], row["sweep"]["block"]), set()).add(row["sweep"]["cell"])
            cells = {cell for cell, _ in whole}
            self.assertEqual(sum(found == cells for found in measured.values()), 2)
            self.assertEqual(len(set(self.places())), len(self.rows()))
            for row in self.rows():
                self.assertEqual(row["sweep"].get("twin", False), row["sweep"]["cell"].endswith("-twin"))


class Disk:
    """Of the files in a folder, what is on the disk if the power fails: their content when they
    were last synced, under the names that the folder had when it was."""

    def __init__(self, folder):
        self.folder, self.content, self.names = Path(folder), {}, {}

    def fsync(self, descriptor):
        found = os.fstat(descriptor)
        if stat.S_ISDIR(found.st_mode):
            self.names = {path.name: path.stat().st_ino for path in self.folder.iterdir()}
        else:
            self.content[found.st_ino] = Path(f"/proc/self/fd/{descriptor}").read_bytes()

    def read(self, name):
        return self.content.get(self.names.get(name))


class PowerLoss(Bench):
    def test_append(self):
        """A record is on the disk before the next trial begins."""
        self.results.mkdir()
        disk = Disk(self.results)
        with mock.patch("os.fsync", disk.fsync):
            store = writer.Records(self.results)
            store.load()
            for number in range(3):
                store.append(GOOD | {"seed": number})
                self.assertEqual(disk.read("records.jsonl"), store.path.read_bytes())

    def test_quarantine(self):
        """At no moment is a good record in no file, or a bad line lost."""
        self.results.mkdir()
        good, bad = writer.line(GOOD), b"half a li"
        (self.results / "records.jsonl").write_bytes(good + bad)
        disk = Disk(self.results)
        replaced = []

        def replace(source, target):
            replaced.append((disk.content.get(Path(source).stat().st_ino), disk.content.get(
                (self.results / "records.quarantine").stat().st_ino)))
            os.rename(source, target)

        with mock.patch("os.fsync", disk.fsync), mock.patch("os.replace", replace):
            writer.Records(self.results).load()
        (kept, quarantined), = replaced
        self.assertEqual(kept, good)
        self.assertEqual(json.loads(quarantined)["text"], bad.decode())
        self.assertEqual(disk.read("records.jsonl"), good)


class Damaged(Bench):
    def test_torn_and_corrupt_lines(self):
        self.sweep(SMALL)
        path = self.results / "records.jsonl"
        whole = path.read_bytes()
        lines = whole.splitlines(keepends=True)
        path.write_bytes(b"".join([lines[0], b"{nonsense\0\xff}\n", *lines[2:7], lines[7][:50]]))
        output = self.sweep(SMALL, code=1)
        self.assertIn("records.jsonl:2: not a record", output)
        self.assertIn("records.jsonl:8: not a record", output)
        quarantine = [json.loads(line) for line in (self.results / "records.quarantine").read_text().splitlines()]
        self.assertEqual([entry["line"] for entry in quarantine], [2, 8])
        self.assertEqual(quarantine[1]["text"], lines[7][:50].decode())
        # Each does work that no other cell does, so that it needs no pairs.
        self.assertEqual(len(set(self.places())), 8)
        self.assertEqual(len(self.rows()), 8)
        self.assertEqual(path.read_bytes().splitlines(keepends=True)[:6], [lines[0], *lines[2:7]])
        self.assertEqual(len(self.log("begin")), 10)
        self.sweep(SMALL)
        self.assertEqual(len(self.log("begin")), 10)

    def test_lost_newline(self):
        self.results.mkdir()
        path = self.results / "records.jsonl"
        path.write_bytes(writer.line(GOOD)[:-1])
        store = writer.Records(self.results)
        self.assertEqual(store.load(), ([GOOD], []))
        store.append({"b": 2})
        self.assertEqual(path.read_bytes(), writer.line(GOOD) + b'{"b":2}\n')

    def test_every_torn_length(self):
        """Whatever part of the last line survives, it is a record or it is quarantined."""
        self.results.mkdir()
        path = self.results / "records.jsonl"
        line = writer.line(GOOD | {"error": "é", "sweep": {"cell": "c", "block": 0}})
        first = line.replace(b'"workers":1', b'"workers":2')
        for length in range(len(line) + 1):
            path.write_bytes(first + line[:length])
            good, corrupt = records.parse(path)
            self.assertEqual((len(good), len(corrupt)),
                             (2, 0) if length >= len(line) - 1 else (1, 1 if length else 0), length)


class Changed(Bench):
    def test_other_schema(self):
        self.results.mkdir()
        (self.results / "records.jsonl").write_text('{"schema_version":9}\n')
        self.sweep(SMALL, code=2)
        self.assertEqual(self.errors, f"{self.results}/records.jsonl:1: of a later version of actorlab: expected "
                         "schema_version 1 or 2\n")
        self.assertEqual((self.results / "records.jsonl").read_text(), '{"schema_version":9}\n')

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

    def test_another_machine(self):
        """Says whose the records are, not by which hash they differ."""
        self.sweep(SMALL, "--block", "0")
        (self.folder / "hash").write_text("h2")
        (self.folder / "more").write_text(json.dumps({"cpu": "Fake 4000", "kernel": "6.2"}))
        for words in ((), ("plan",)):
            self.sweep(SMALL, *words, code=2)
            self.assertEqual(self.errors, "out/records.jsonl: measured on Fake 3000; this is Fake 4000 (different, too: the "
                             "program, the kernel): --results DIR writes into another folder, --rerun moves these records aside\n")

    def test_settings_of_the_machine(self):
        """Each of them changes times, and so keeps new trials out of a file; one that is not known
        does not."""
        more = self.folder / "more"
        settings = {"governor": "performance", "turbo": True, "aslr": False, "thp": "always", "malloc_conf": None}
        others = {"governor": "powersave", "turbo": False, "aslr": True, "thp": "never", "malloc_conf": "narenas:1"}
        more.write_text(json.dumps(settings))
        self.sweep(SMALL, "--block", "0")
        for key, other in others.items():
            more.write_text(json.dumps(settings | {key: other}))
            self.sweep(SMALL, "plan", code=2)
            old, new = ({True: "on", False: "off", None: "unset"}.get(value, value) for value in (settings[key], other))
            self.assertEqual(self.errors, f"out/records.jsonl: its records have {key} {old}, now it is {new}: --rerun "
                             "moves them aside and starts afresh\n")
        for fewer in ({}, {"governor": "performance"}):
            more.write_text(json.dumps(fewer))
            self.sweep(SMALL, "plan")

    def test_binary_replaced_on_the_way(self):
        """The record of a trial that could not write one says of which program it is, too."""
        for mode in ("ok", "exit"):
            (self.folder / "hash").write_text("h1")
            begun = len(self.log("begin"))
            process = self.start(
                f'[sweep]\ninvocations = 100\n[set]\nbenchmark = "alpha"\nmode = "{mode}"\n', "--rerun")
            self.wait_for(lambda: len(self.log("begin")) >= begun + 3)
            (self.folder / "new").write_text("h2")
            (self.folder / "new").rename(self.folder / "hash")  # no trial may read an empty file
            _, errors = process.communicate()
            self.assertEqual(process.returncode, 2)
            self.assertEqual(errors, "binary_hash was h1 when the sweep began, now it is h2: the last trial is not "
                             "recorded; the same command continues once it is h1 again\n")
            self.assertEqual({row["environment"]["binary_hash"] for row in self.rows()}, {"h1"})


if __name__ == "__main__":
    unittest.main()
