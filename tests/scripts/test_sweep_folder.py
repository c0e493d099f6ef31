#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What happens to a results folder while a sweep writes into it: every trial's record is kept."""

import os
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import ACTORLAB, ROOT
from support.sweeping import SWEEP, Bench

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

    def test_uncommitted_changes(self):
        """A sweep keeps those of this clone. Of another, it says that it cannot."""
        (self.folder / "more").write_text('{"revision": "0123456789ab-dirty"}')
        self.assertIn("note: the sources of 0123456789ab-dirty had uncommitted changes, which are not at hand\n",
                      self.sweep(TEXT, code=1))

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

    def test_current_folder_removed(self):
        """It may be the results folder, or have it inside."""
        for results in (".", "out"):
            here = self.folder / f"here-{results}"
            here.mkdir()
            change = [*CHANGE.splitlines()[:2], f"if state('log').count('end ') == {BEFORE}: shutil.rmtree({str(here)!r})"]
            self.results = Path(results)
            command = [*SWEEP, self.folder / "small.toml", *self.words(TEXT)[1:]]
            (self.folder / "log").unlink(missing_ok=True)
            (self.folder / "meanwhile").write_text("\n".join(change))
            done = subprocess.run(command, cwd=here, env=self.environment, capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stderr), (1, ""), done.stdout)
            (self.folder / "meanwhile").unlink()
            self.kept(here / results)

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

    def test_link_in_the_way(self):
        """To a copy of the records so far, on another disk."""
        _, errors = self.during(['copy = pathlib.Path(here, "copy")', "records.rename(copy)", "records.symlink_to(copy)"], code=3)
        self.assertRegex(errors, r"^\S*out/records.jsonl: cannot write: It is a link to another place; remove it; "
                                 r"its records are in \S*out/records.kept.jsonl\n$")
        self.assertEqual((self.results / "records.kept.jsonl").read_text().count("\n"), BEFORE + 1)

    def test_other_files_cannot_be_written(self):
        """The notes cannot be removed: the table is printed nevertheless."""
        output, errors = self.during(['(out / "notes.txt").unlink()', '(out / "notes.txt").mkdir()'], code=3)
        self.assertRegex(errors, r"^\S*out/notes.txt: cannot write: Is a directory\n$")
        self.assertIn("\nfailed: alpha", output)
        self.assertEqual(len(self.rows()), TRIALS)


class Received(Bench):
    """A folder from a stranger: its names may lead to our own files."""

    TEXT = TEXT.replace("= 4", "= 1")

    def setUp(self):
        super().setUp()
        self.own = self.folder / "own"
        self.own.write_text("precious\n")

    def untouched(self):
        self.assertEqual(self.own.read_text(), "precious\n")

    def test_links_are_not_followed(self):
        """Each name that a sweep, a plot, a report and an export write: they refuse it, or put a
        file of their own in its place."""
        names = ("config.toml", "sweep.json", "notes.txt", "scaling.png", "report.html", "alpha.dat", "alpha.gp")
        written = [*names, *(f"{name}.new" for name in names), *(f".{name}" for name in names)]
        for link in (Path.symlink_to, Path.hardlink_to):
            self.sweep(self.TEXT, "--rerun", code=1)
            for name in written:
                (self.results / name).unlink(missing_ok=True)
                link(self.results / name, self.own)
            real = {**self.environment, "AL_ACTORLAB": str(ACTORLAB)}
            for code, environment, command in (
                    (1, self.environment, self.command(self.TEXT)),
                    (0, real, [ROOT / "scripts" / "plot", self.results, "--format", "png", "--kind", "scaling"]),
                    (0, real, [ROOT / "scripts" / "report", self.results]),
                    (0, real, [ACTORLAB, "export", self.results, "--format", "gnuplot", "--out", self.results])):
                done = subprocess.run(command, env=environment, cwd=self.folder, capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, code, done.stderr)
                self.untouched()
            for name in names:  # each was written, or removed
                there = self.results / name
                self.assertFalse(there.exists() and there.samefile(self.own), name)

    def test_what_is_added_to(self):
        """The lock and files that grow: a link is refused, a second name keeps its content."""
        self.sweep(self.TEXT, code=1)
        ended = shutil.copytree(self.results, self.folder / "ended")
        for name in (".lock", "records.jsonl", "records.quarantine", "records.retried.jsonl"):
            with self.subTest(name):
                for link in (Path.symlink_to, Path.hardlink_to):
                    shutil.rmtree(self.results)
                    shutil.copytree(ended, self.results)
                    with open(self.results / "records.jsonl", "a", encoding="utf-8") as file:
                        file.write("bad\n" if name == "records.quarantine" else "")
                    (self.results / name).unlink(missing_ok=True)
                    link(self.results / name, self.own)
                    linked = link is Path.symlink_to
                    self.sweep(self.TEXT, "--retry-failed", code=3 if linked else 1)
                    self.untouched()
                    if linked:
                        self.assertRegex(self.errors, r"^\S*out\S*: cannot write: It is a link to another place; remove it\n$")

    def test_pipes_make_nobody_wait(self):
        self.sweep(self.TEXT, code=1)
        for name in (".lock", "records.jsonl", "sweep.json", "config.toml", "notes.txt", "records.quarantine"):
            with self.subTest(name):
                (self.results / name).unlink(missing_ok=True)
                os.mkfifo(self.results / name)
                readers = ([*SWEEP, "--from", self.results, "plan"], [ACTORLAB, "results", self.results],
                           [ROOT / "scripts" / "report", self.results])
                only_swept = name in (".lock", "records.quarantine")  # nothing else opens them
                for command in (self.command(self.TEXT), self.command(self.TEXT, "plan"), *(() if only_swept else readers)):
                    done = subprocess.run(command, env=self.environment, cwd=self.folder, capture_output=True, text=True,
                                          check=False)
                    self.assertNotIn("Traceback", done.stderr)
                (self.results / name).unlink(missing_ok=True)

    def test_bundle_packs_nothing_of_ours(self):
        self.sweep(self.TEXT, code=1)
        (self.results / "notes.md").symlink_to(self.own)
        done = subprocess.run([ROOT / "scripts" / "bundle", self.results], env={**self.environment, "AL_ACTORLAB": str(ACTORLAB)},
                              cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (
            2, f"{self.results}/notes.md: a link to {self.own.resolve()}, outside the folder; valid: a copy\n"))
        self.assertFalse((self.folder / "out.tar.gz").exists())


if __name__ == "__main__":
    unittest.main()
