#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What happens to a results folder while a sweep writes into it: every trial's record is kept."""

import os
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support.sweeping import Bench

TRIALS = 8
TEXT = '[sweep]\ninvocations = 4\n[set]\nbenchmark = "alpha"\nworkers = 1\n[axes]\nmode = ["ok", "wrong"]\n'
BEFORE = 3  # trials, when somebody changes the folder
CHANGE = f"""
import shutil, pathlib
out, ended = pathlib.Path(here, "out"), state("log").count("end ")
records = out / "records.jsonl"
if ended == {BEFORE}:
"""


class Meanwhile(Bench):
    def during(self, change, code=1):
        """Runs a sweep, and this in the middle of it: (output, errors). Some trials are wrong."""
        (self.folder / "meanwhile").write_text(CHANGE + "".join(f"    {line}\n" for line in change))
        output = self.sweep(TEXT, code=code)
        (self.folder / "meanwhile").unlink()
        return output, self.errors

    def kept(self, folder):
        """All trials are in this folder, once; the sweep has nothing left to do there."""
        self.results = folder
        self.assertEqual(len(set(self.places())), TRIALS)
        self.assertEqual(len(self.rows()), TRIALS)
        self.assertTrue({"config.toml", "sweep.json"} <= set(os.listdir(folder)))
        self.sweep(TEXT, code=1)
        self.assertEqual(len(self.log("end")), TRIALS)

    def test_records_removed(self):
        output, _ = self.during(["records.unlink()"])
        self.assertRegex(output, rf"\n\S*out/records.jsonl: was removed while the sweep ran: {BEFORE + 1} records written again\n")
        self.kept(self.results)

    def test_records_saved_by_an_editor(self):
        """It writes another file in place of the old one: here without a record and the last
        newline."""
        output, _ = self.during(['copy = out / "copy"', "copy.write_text(records.read_text().splitlines()[0])",
                                 "copy.rename(records)"])
        self.assertRegex(output, rf"\n\S*out/records.jsonl: was replaced while the sweep ran: {BEFORE} records written again\n")
        self.kept(self.results)

    def test_folder_removed(self):
        output, _ = self.during(["shutil.rmtree(out)"])
        self.assertRegex(output, r"\n\S*out: was removed: the sweep goes on in \S*out\n")
        self.kept(self.results)

    def test_folder_renamed(self):
        moved = self.folder / "moved (1)"
        output, _ = self.during([f"out.rename({str(moved)!r})"])
        self.assertIn(f"out: was renamed: the sweep goes on in {moved}\n", output)
        self.assertFalse(self.results.exists())
        self.kept(moved)

    def test_folder_replaced(self):
        """What is there now belongs to somebody else."""
        output, _ = self.during(["shutil.rmtree(out)", "out.mkdir()", 'records.write_text("mine\\n")'])
        self.assertRegex(output, r"\n\S*out: was removed: the sweep goes on in \S*out-2\n")
        self.assertEqual((self.results / "records.jsonl").read_text(), "mine\n")
        self.kept(self.folder / "out-2")

    def test_something_in_the_way(self):
        """Where the records cannot have their name, the sweep ends and says where they are."""
        _, errors = self.during(["records.unlink()", "records.mkdir()"], code=3)
        self.assertRegex(errors, r"^\S*out/records.jsonl: cannot write: Is a directory; its records are in \S*out/records.kept.jsonl\n$")
        self.assertEqual((self.results / "records.kept.jsonl").read_text().count("\n"), BEFORE + 1)
        self.assertEqual(len(self.log("end")), BEFORE + 1)

    def test_other_files_cannot_be_written(self):
        """The notes cannot be removed: the table is printed nevertheless."""
        output, errors = self.during(['(out / "notes.txt").unlink()', '(out / "notes.txt").mkdir()'], code=3)
        self.assertRegex(errors, r"^\S*out/notes.txt: cannot write: Is a directory\n$")
        self.assertIn("\nfailed: alpha", output)
        self.assertEqual(len(self.rows()), TRIALS)


if __name__ == "__main__":
    unittest.main()
