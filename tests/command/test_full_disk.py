#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Whatever a command writes, a full disk ends it with exit code 3 and one line.

AL_BUILD names the build folder."""

import json
import os
import re
import resource
import signal
import subprocess
import sys
import unittest
from functools import partial
from pathlib import Path

import matplotlib.font_manager

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import ACTORLAB
from support.exporting import Export, sample

COUNTING = json.loads(subprocess.run([ACTORLAB, "list", "--json"], capture_output=True, check=True)
                      .stdout)["environment"]["counting"]
RUN = "run send-static --set sends=1000 --iterations 2 --warmup 0"

# What prints. Each command is here.
PRINTING = f"""
    --help
    --version
    {RUN}
    {RUN} --stats
    {RUN} --json FOLDER/json
    {RUN} --trace FOLDER/trace
    {RUN} --profile=-
    run --help
    list
    list --json
    list --help
    topo
    topo --json
    topo --help
    machine --help
    calibrate --help
    floors --help
    env
    env --json
    env --help
    foresee --help
    check --help
    completion -- r
    completion --help
    results --help
    advise RECORDS
    advise RECORDS --evaluate
    advise --help
    summarize RECORDS
    summarize RECORDS --json
    summarize RECORDS --dump-replicates FOLDER/dump
    summarize --help
    compare RECORDS RECORDS
    compare RECORDS RECORDS --json
    compare RECORDS RECORDS --csv
    compare RECORDS --against scheduler=inverted
    compare --help
    export RECORDS --format csv
    export RECORDS --format csv --summary
    export RECORDS --format hyperfine
    export RECORDS --format latex
    export RECORDS --format latex --ratios
    export --help
    plot RECORDS --terminal
    plot RECORDS --terminal sixel
    plot --help
    ratio --help
    conform --help
    plugin --help
    plugin flags
"""

# What writes into files.
WRITING = f"""
    {RUN} --json /dev/full
    {RUN} --trace /dev/full
    {RUN} --profile=/dev/full
    topo --svg /dev/full
    export RECORDS --format csv --out /dev/full
    export RECORDS --format csv --summary --out /dev/full
    export RECORDS --format hyperfine --out /dev/full
    export RECORDS --format latex --out /dev/full
    export RECORDS --format latex --ratios --out /dev/full
"""


def limit_files(size):
    """In the child: no file grows beyond `size` bytes, and writing beyond fails with EFBIG."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)


class FullDisk(Export):
    def setUp(self):
        super().setUp()
        self.records = self.write(sample()[:-1])

    def fails(self, command, file, said="No space left on device", lines=1, **options):
        if "--trace" in command and not COUNTING:
            return
        command = command.replace("RECORDS", str(self.records)).replace("FOLDER", str(self.folder))
        with self.subTest(command), open(file, "w", encoding="utf-8") as out:
            done = subprocess.run([ACTORLAB, *command.split()], stdout=out, stderr=subprocess.PIPE, text=True,
                                  timeout=60, **options)
            told = [line for line in done.stderr.splitlines() if not line.startswith("disturbed: ")]
            self.assertEqual((done.returncode, len(told)), (3, lines), done.stderr)
            self.assertRegex(done.stderr.splitlines()[-1], f"^actorlab.*: .*{said}")

    def test_printing(self):
        for command in PRINTING.strip().splitlines():
            self.fails(command, "/dev/full", "could not write to standard output: No space left on device")
        # the other one is what it says of the run
        self.fails(f"{RUN} --json -", "/dev/full", lines=2)

    def test_gnuplot(self):
        """It makes its files anew, so that nothing in the folder can stand for a full disk."""
        (self.folder / "full").mkdir()
        self.fails("export RECORDS --format gnuplot --out FOLDER/full", os.devnull, "File too large",
                   preexec_fn=partial(limit_files, 100))

    def test_printing_any_amount(self):
        """However much fits, and whether or not a last write had anything left to do."""
        for size in ("800x500", "801x500", "640x480", "400x300", "200x150"):
            self.fails(f"plot RECORDS --terminal sixel --size {size}", "/dev/full", "could not write to standard output: "
                       "No space left on device")
        text = self.folder / "text"
        for limit in (1, 4095, 4096, 4097, 8192):
            text.unlink(missing_ok=True)
            self.fails("export RECORDS --format csv", text, "could not write to standard output: File too large",
                       preexec_fn=partial(limit_files, limit))
            self.assertEqual(text.stat().st_size, limit)
        text.unlink()
        whole = self.folder / "whole"
        whole.write_bytes(subprocess.run([ACTORLAB, "export", self.records, "--format", "csv"], check=True,
                                         capture_output=True).stdout)
        self.assertGreater(whole.stat().st_size, limit)

    def test_fonts(self):
        """Without any font, and with one, sixels are drawn; the only complaint is a full disk."""
        font = matplotlib.font_manager.findfont("DejaVu Sans")
        only = self.folder / "fonts"
        only.mkdir()
        (only / "only.ttf").symlink_to(font)
        for inside in ("", f"<dir>{only}</dir><cachedir>{self.folder}</cachedir>"):
            configuration = self.folder / "fonts.conf"
            configuration.write_text(f"<fontconfig>{inside}</fontconfig>", encoding="utf-8")
            environment = {**os.environ, "FONTCONFIG_FILE": str(configuration)}
            for size in ("800x500", "640x480"):
                self.fails(f"plot RECORDS --terminal sixel --size {size}", "/dev/full", "No space left on device",
                           env=environment)
            done = subprocess.run([ACTORLAB, "plot", self.records, "--terminal", "sixel"], capture_output=True,
                                  env=environment)
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            self.assertTrue(done.stdout.startswith(b"\x1bP"))

    def test_writing(self):
        for command in WRITING.strip().splitlines():
            self.fails(command, os.devnull)

    def test_no_larger_file(self):
        """The one file that must not be there before."""
        self.fails("summarize RECORDS --dump-replicates FOLDER/dump", os.devnull, "File too large",
                   preexec_fn=partial(limit_files, 0))

    def test_all_commands(self):
        usage = subprocess.run([ACTORLAB, "--help"], check=True, capture_output=True, text=True).stdout
        commands = re.findall("^  ([a-z]+) ", usage, re.M)
        self.assertGreater(len(commands), 5)
        for command in set(commands) - {"claims"}:  # a script, whose help Python prints
            self.assertIn(f" {command} --help\n", PRINTING)

    def test_not_at_all(self):
        """What is closed and not written to is no failure."""
        done = subprocess.run(["sh", "-c", '"$0" run nothing >&-', ACTORLAB], stderr=subprocess.PIPE, text=True)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)


if __name__ == "__main__":
    unittest.main()
