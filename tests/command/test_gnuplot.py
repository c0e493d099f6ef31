#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`actorlab export --format gnuplot` and `actorlab plot`, which draw with gnuplot.

AL_BUILD names the build folder."""

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import unittest
from pathlib import Path

import matplotlib.image

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import ACTORLAB
from support.exporting import HOSTILE, Export, record, sample


class Gnuplot(Export):
    def draw(self, folder):
        """Runs every script as a reader would; nothing may be said."""
        for script in sorted(folder.glob("*.gp")):
            done = subprocess.run(["gnuplot", script.name], cwd=folder, capture_output=True, text=True, timeout=60)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
            self.assertEqual(script.with_suffix(".png").read_bytes()[:8], b"\x89PNG\r\n\x1a\n")

    def test_draws(self):
        out = self.folder / "out"
        self.run_it(self.write(sample()), "--format", "gnuplot", "--out", out)
        self.assertEqual({path.name for path in out.iterdir()},
                         {"executor.gp", "executor.dat", "send-static.gp", "send-static.dat"})
        self.draw(out)
        script = (out / "executor.gp").read_text()
        for text in ('title "inverted"', 'title "deque locked"', "'10*' 10", "ns per message", "more than PUs"):
            self.assertIn(text, script)
        for measure in ("time_ns", "messages_per_s", "peak_rss_bytes"):
            self.run_it(self.folder, "--format", "gnuplot", "--out", out, "--measure", measure)
            self.draw(out)

    def test_kinds(self):
        self.write([record(workers=workers, kinds=kinds) for workers, kinds in ((1, ["P"]), (2, ["P", "E"]))])
        self.run_it(self.folder, "--format", "gnuplot", "--out", self.folder)
        self.draw(self.folder)
        script = (self.folder / "executor.gp").read_text()
        for text in ("'1' 1", "'2+' 2", "set xlabel 'workers; + on cores of several kinds'"):
            self.assertIn(text, script)
        self.assertRegex((self.folder / "executor.dat").read_text(), r"\n1 .* 0 0\n2 .* 0 1\n")

    def test_data(self):
        path = self.write(sample())
        self.run_it(path, "--format", "gnuplot", "--out", self.folder)
        blocks = [[line.split() for line in block.splitlines() if line and not line.startswith("#")]
                  for block in (self.folder / "executor.dat").read_text().split("\n\n\n")]
        self.assertEqual([len(block) for block in blocks], [3, 15] * 3)
        cells = {(c["scheduler"], c["options"].get("deque"), c["workers"]): c for c in self.summary(path)
                 if c["benchmark"] == "executor"}
        for index, line in enumerate((("inverted", None), ("deque", "chase-lev"), ("deque", "locked"))):
            for workers, median, low, high, n, oversubscribed, mixed in blocks[2 * index]:
                cell = cells[*line, int(workers)]
                for text, key in ((median, "median"), (low, "low"), (high, "high")):
                    self.assertAlmostEqual(float(text) / cell["ns_per_message"][key], 1, places=9)
                self.assertEqual((int(n), oversubscribed == "1", mixed == "1"),
                                 (cell["n"], cell["oversubscribed"], cell["mixed_kinds"]))
            raw = [float(value) for workers, value in blocks[2 * index + 1] if workers == "2"]
            self.assertEqual(len(raw), 5)
            for ours, theirs in zip(raw, cells[*line, 2]["ns_per_message"]["values"]):
                self.assertAlmostEqual(ours / theirs, 1, places=9)

    def test_markers(self):
        """A median is there, and nothing lies over it: a marker alone, with no line nor
        interval."""
        self.run_it(self.write([record(), record()]), "--format", "gnuplot", "--out", self.folder)
        self.draw(self.folder)
        # without the legend
        pixels = matplotlib.image.imread(self.folder / "executor.png")[80:, :, :3]
        rows, _ = (pixels.max(axis=2) - pixels.min(axis=2) > 0.3).nonzero()
        self.assertGreater(len(rows), 40)
        self.assertLess(rows.max() - rows.min(), 12)

    def test_axes(self):
        """Logarithmic where the medians span more than a factor of 20 and where worker counts span
        octaves."""
        wide = [record((t * w,), scheduler=s, workers=w) for w in (1, 2, 4, 8, 16, 32, 48, 64) for s, t in
                (("a", 10), ("b", 10000)) for _ in range(2)]
        self.run_it(self.write(wide), "--format", "gnuplot", "--out", self.folder)
        script = (self.folder / "executor.gp").read_text()
        self.assertIn("set logscale y", script)
        self.assertIn("set logscale x 2", script)
        self.assertIn("(log scale)'", script)
        self.draw(self.folder)

    def test_axes_alike(self):
        """The axes of all panels are logarithmic as soon as one needs it, with labels on each."""
        rows = [record((t,), benchmark=b, scheduler=s) for b, s, t in
                (("wide", "a", 10), ("wide", "b", 10000), ("close", "a", 1300), ("close", "b", 1700)) for _ in range(2)]
        for records, words in ((rows, "log scale"), (rows[4:], "linear scale")):
            self.run_it(self.write(records), "--format", "gnuplot", "--out", self.folder)
            script = (self.folder / "close.gp").read_text()
            self.assertEqual("\nset logscale y" in script, words == "log scale")
            self.assertIn(f"({words})'", script)
            if words == "log scale":
                ticks = re.search(r"set ytics nomirror \((.*)\)", script)[1]
                self.assertGreaterEqual(ticks.count(","), 1, ticks)
            self.draw(self.folder)

    def test_hostile(self):
        """Names of files stay in the folder, and no text is run as a command."""
        out = self.folder / "out"
        self.run_it(self.write([record((n,), benchmark="../" + HOSTILE, scheduler=HOSTILE + str(k))
                                for k in range(2) for n in (1, 2)]), "--format", "gnuplot", "--out", out)
        self.draw(out)
        self.assertEqual(len(list(out.iterdir())), 3)
        self.run_it(self.write([record(benchmark="-e")]), "--format", "gnuplot", "--out", out)
        self.draw(out)
        self.assertEqual(list(self.folder.rglob("*pwned")), [])

    def test_colours(self):
        """Strategies stand in the order of `actorlab list`, then peers, then others, and keep their
        colours."""
        def lines(*schedulers, **changes):
            path = self.write([record((n,), scheduler=name, **changes) for name in schedulers for n in (1, 2)])
            self.run_it(path, "--format", "gnuplot", "--out", self.folder)
            script = (self.folder / "executor.gp").read_text()
            colours = re.findall(r"^set linetype \d+ lc rgb '(.*?)'", script, re.M)
            return dict(zip(re.findall(r'linespoints lt \d+ title "(.*?)"', script), colours, strict=True))

        listing = json.loads(subprocess.run([ACTORLAB, "list", "--json"], capture_output=True, check=True).stdout)
        names, colours = listing["palette"]["strategies"], listing["palette"]["colours"]
        self.assertEqual(names[:len(listing["schedulers"])], [entry["name"] for entry in listing["schedulers"]])
        self.assertGreaterEqual(len(colours), len(names))
        everything = lines("zz", *names[::-1], "aa")
        self.assertEqual(list(everything), [*names, "aa", "zz"])
        self.assertEqual([everything[name] for name in names], colours[:len(names)])
        for some in (("deque", "inverted"), ("deque", "las"), ("erlang", "deque", "zz")):
            self.assertEqual(lines(*some)["deque"], everything["deque"])
        self.assertEqual(lines("deque")["deque"], everything["deque"])

    def test_labels(self):
        """gnuplot prints each label as it is in the record; what is a control character is written
        out."""
        names = ["'b", "a''b", "''", "a\\b", "\\n", "`touch pwned`", "$(touch pwned)", "@x", "a_b^{c}", "{/Symbol a}", "%d",
                 "\"; print 1", "# no", "!touch pwned", "~a{b}", "µ–é", "a\nb", "\x1b[31m", "\u009b31m", "tab\there"]
        out = self.folder / "out"
        self.run_it(self.write([record((n,), scheduler=name) for name in names for n in (1, 2)]), "--format", "gnuplot",
                    "--out", out)
        self.draw(out)
        quoted = re.findall(r"linespoints lt \d+ title (.*?)(?:, \\)?$", (out / "executor.gp").read_text(), re.M)
        done = subprocess.run(["gnuplot", "-"], input="set encoding utf8\nset print '-'\n" +
                              "".join(f"print {text}\n" for text in quoted), capture_output=True, text=True, cwd=out,
                              timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        shown = {"a\nb": "a\\x0ab", "\x1b[31m": "\\x1b[31m", "\u009b31m": "\\x9b31m", "tab\there": "tab\\x09here"}
        self.assertEqual(sorted(done.stdout.splitlines()), sorted(shown.get(name, name) for name in names))
        self.assertEqual(list(self.folder.rglob("*pwned")), [])

    def test_panels(self):
        """With more than twelve lines in a panel each workload has one of its own."""
        for n, names in ((6, {"executor"}), (7, {f"executor_actors_{actors}" for actors in range(7)})):
            with self.subTest(n):
                out = self.folder / f"{n}"
                self.write([record((actors + 1, actors + 2), scheduler=scheduler, options={}, workers=workers, seed=seed,
                                   parameters={"actors": actors, "group": 10}, sweep={"block": seed})
                            for actors in range(n) for scheduler in ("inverted", "deque") for workers in (1, 2) for seed in (1, 2)])
                self.run_it(self.folder, "--format", "gnuplot", "--out", out)
                self.assertEqual({path.stem for path in out.glob("*.gp")}, names)
                self.draw(out)
        script = (out / "executor_actors_3.gp").read_text()
        self.assertEqual(re.findall('title "([a-z].*?)"', script), ["executor actors=3", "inverted", "deque"])
        self.assertRegex((out / "executor_actors_3.dat").read_text(), r"\n1 0\.045 ")

    def test_clash(self):
        self.run_it(self.write([record(benchmark="a/b"), record(benchmark="a b")]), "--format", "gnuplot", "--out",
                    self.folder / "out", code=2, said="a_b.gp")


class Terminal(Export):
    command = "plot"

    def test_labels(self):
        """A panel for each benchmark, below each other, with all that tells what it shows."""
        path = self.write(sample())
        text = self.run_it(path, "--terminal")
        first, second = text.index("executor: ns per message"), text.index("send-static: ns per message")
        self.assertLess(first, second)
        lines = text.replace("\f", "").splitlines()  # gnuplot begins each with a form feed
        self.assertEqual(len(lines), 2 * 24)
        self.assertLessEqual(max(map(len, lines)), 80)
        self.assertNotIn("\x1b", text)  # no terminal, no colours
        for label in ("medians with intervals of 5 processes", "inverted", "deque locked", "deque chase-lev", "workers",
                      "10*", "more than PUs"):
            self.assertIn(label, text[:second])
        # of each line its own, in the legend and at every worker count
        for mark in ("*A*", "#B#", "$C$"):
            self.assertIn(mark, text)
        panel = text[first:second].split("workers")[0]
        self.assertEqual([panel.count(letter) for letter in "ABC"], [3, 3, 3])

    def test_said(self):
        """What gnuplot says arrives whole, wherever a read of it ends, and without controls."""
        gnuplot = self.folder / "bin" / "gnuplot"
        gnuplot.parent.mkdir()
        said = "".join("x" * n + "\u00e9\u20ac\U0001f600" for n in (4094, 4085, 4086, 4087))
        (self.folder / "said").write_bytes(f"{said}\0".encode() + b"\xe2\x82\n\xff\n")
        gnuplot.write_text(f"#!/bin/sh\n[ $# -gt 0 ] || {{ cat '{self.folder}/said' >&2; exit 1; }}\n")
        gnuplot.chmod(0o755)
        done = subprocess.run([ACTORLAB, "plot", "--terminal", "dumb", self.write(sample())], capture_output=True,
                              env=os.environ | {"PATH": f"{gnuplot.parent}:{os.environ['PATH']}"})
        self.assertEqual(done.stderr.decode(), f"{said}\\x00\\xe2\\x82\n\\xff\nactorlab plot: gnuplot failed\n")

    def test_choice(self):
        path = self.write(sample())
        text = self.run_it(self.folder, "--terminal", "dumb", "--benchmark", "send-static", "--measure", "peak_rss_bytes",
                           "--size", "100x30")
        self.assertIn("send-static: peak memory in MB (linear scale), ", text)
        self.assertNotIn("executor", text)
        lines = text.replace("\f", "").splitlines()
        self.assertEqual((len(lines), max(map(len, lines))), (30, 100))
        self.assertEqual(self.run_it("-", "--terminal", input=path.read_bytes()), self.run_it(path, "--terminal"))

    def test_heights(self):
        """Points stand where their values are: at the top of the axis, and half-way up."""
        records = [record((n * 1000,), workers=w) for w, n in ((1, 100), (2, 50)) for _ in range(2)]
        lines = self.run_it(self.write(records), "--terminal").splitlines()
        rows = [number for number, line in enumerate(lines) if "A" in line]
        # the last has the legend's letter first
        self.assertEqual(len(rows), 3)
        high, low = (re.match(r" *([0-9]+) ", lines[row]) for row in rows[1:])
        zero = next(number for number, line in enumerate(lines) if re.match(" +0 ", line))
        self.assertAlmostEqual((zero - rows[2]) / (zero - rows[1]), 0.5, delta=0.06)

    def test_terminal(self):
        """On a terminal as large as it, and in colour unless NO_COLOR is set."""
        def shown(**environment):
            main, side = pty.openpty()
            fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 90, 0, 0))
            child = subprocess.Popen([ACTORLAB, "plot", path, "--terminal"], stdout=side, stderr=side,
                                     env={**os.environ, **environment})
            os.close(side)
            text = b""
            try:
                while more := os.read(main, 65536):
                    text += more
            except OSError:  # closed
                pass
            os.close(main)
            self.assertEqual(child.wait(), 0)
            return text.decode()

        path = self.write([record((n,)) for n in (1, 2)])
        plain, coloured = shown(NO_COLOR="1"), shown(NO_COLOR="")
        self.assertNotIn("\x1b[", plain)
        self.assertIn("\x1b[38;5;", coloured)
        lines = plain.replace("\f", "").splitlines()
        self.assertEqual((len(lines), max(map(len, lines))), (28, 90))

    def test_sixel(self):
        path = self.write(sample())
        text = self.run_it(path, "--terminal", "sixel", "--size", "400x300")
        # each on lines of its own
        self.assertRegex(text, '^(\x1bPq"1;1;400;300\n[^\x1b]+\x1b\\\\\n){2}$')

    def test_hostile(self):
        """Commands in records are not run, nor do they end the data."""
        self.run_it(self.write([record((n,), benchmark=HOSTILE, scheduler=name) for name in (
            HOSTILE, "x\nend_of_data\nsystem('touch pwned')") for n in (1, 2)]), "--terminal", cwd=self.folder)
        text = self.run_it(self.write([record((n,), benchmark="\x1b]0;a\x07", scheduler="\x1b[2J\u202e" + name, idle="\u009b" + name)
                                       for name in "ab" for n in (1, 2)]), "--terminal")
        self.assertNotRegex(text, "[\x00-\x08\x0e-\x1f\x7f-\x9f\u202e]")
        self.assertEqual(list(self.folder.rglob("*pwned")), [])

    def test_without_gnuplot(self):
        path = self.write([record()])
        self.run_it(path, "--terminal", env={"PATH": str(self.folder)}, code=2, said="gnuplot-nox")
        stub = self.folder / "gnuplot"
        stub.write_text("#!/bin/sh\ncase $2 in *sixelgd*) exit 1 ;; esac\n")
        stub.chmod(0o755)
        self.run_it(path, "--terminal", "sixel", env={"PATH": str(self.folder)}, code=2, said="no terminal 'sixelgd'")
        stub.write_text("#!/bin/sh\ntest $# -gt 0\n")
        self.run_it(path, "--terminal", env={"PATH": str(self.folder)}, code=3, said="gnuplot failed")

    def test_mistakes(self):
        path = self.write([record()])
        for arguments, said, code in (
                ([], "no RECORDS", 2), ([path], "scripts/plot RECORDS draws figures for paper", 2),
                ([path, "--terminal", "kitty"], "unexpected word 'kitty'; valid: actorlab plot RECORDS --terminal [dumb|sixel]", 2),
                ([path, "--terminal", "--size", "10x10"], "--size '10x10' is not a size of a panel; valid: WxH, from 40x12", 2),
                ([path, "--terminal", "--size", "80x24x"], "'80x24x'", 2),
                ([path, "--terminal", "sixel", "--size", "80x24"], "from 200x150", 2),
                ([path, "--terminal", "--measure", "x"], "actorlab plot: unknown value for '--measure': 'x'", 2),
                ([path, "--terminal", "--colour"], "unknown option '--colour'; valid: --terminal", 2),
                ([path, "--terminal", "--size"], "no value after '--size'; valid: --size WxH", 2),
                ([self.folder / "absent", "--terminal"], "actorlab plot: cannot read", 2),
                ([path, "--terminal", "--benchmark", "absent"], "no record with outcome ok of absent", 1)):
            with self.subTest(arguments=arguments):
                self.assertEqual(self.run_it(*arguments, code=code, said=said), "")


if __name__ == "__main__":
    unittest.main()
