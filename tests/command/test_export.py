#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`actorlab export` and `actorlab plot`: what they write is what the records say, and other tools can read it.

AL_BUILD names the build folder."""

import csv
import fcntl
import io
import json
import os
import pty
import re
import statistics
import struct
import subprocess
import tempfile
import termios
import unittest
from pathlib import Path

import matplotlib.image

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("AL_BUILD", ROOT / "build"))
HOSTILE = "a\"b,c\r\n'd'; system('touch pwned') `touch pwned` \\{}$&#%_^~<[*--"


def record(times=(1000, 3000, 2000), **changes):
    return {"schema_version": 1, "started_at": "2026-01-01T00:00:00Z", "benchmark": "executor",
            "parameters": {"actors": 40, "group": 10}, "scheduler": "inverted", "victim": "longest", "idle": "spin",
            "options": {"shards": 16}, "workers": 2, "pin": "close", "topology": "this machine", "engine": "native",
            "seed": 1, "oversubscribed": False, "iterations": 3, "time_ns": list(times), "messages": 100,
            "peak_rss_bytes": 12345678, "counters": [{"gulps": 3, "steals": 1}, {"gulps": 4, "steals": 0}],
            "environment": {"binary_hash": "1", "topology_hash": "2"}, "outcome": "ok", "sweep": {"block": 0},
            **changes}


def sample():
    """Two strategies of which one has two options, three worker counts, a second benchmark, and a failure."""
    records = []
    for block in range(6):
        for workers in (1, 2, 10):
            for scheduler, options, factor in (("inverted", {"shards": 16}, 1), ("deque", {"deque": "locked"}, 3),
                                               ("deque", {"deque": "chase-lev"}, 3.01)):
                time = int(10000 * factor / workers) + 13 * block
                records.append(record((time, time + 3, time - 10), scheduler=scheduler, options=options,
                                      workers=workers, seed=block, oversubscribed=workers == 10,
                                      sweep={"block": block, "twin": block == 5}))
    records += [record((n,), benchmark="send-static", parameters={"sends": 7}, workers=1) for n in (70, 71)]
    records.append({key: value for key, value in record(outcome="timeout", counters=[]).items()
                    if key not in ("time_ns", "messages", "peak_rss_bytes")})
    return records


class Export(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, records, name="records.jsonl"):
        path = self.folder / name
        # Equal lines would be the same trial.
        path.write_text("".join(json.dumps({**one, "further": number}) + "\n" for number, one in enumerate(records)),
                        encoding="utf-8")
        return path

    command = "export"

    def run_it(self, *arguments, code=0, said="", **options):
        done = subprocess.run([(BUILD / "actorlab").absolute(), self.command, *arguments], capture_output=True, timeout=60,
                              **options)
        stdout, stderr = done.stdout.decode(), done.stderr.decode()
        self.assertEqual((done.returncode, stderr.count("\n")), (code, 1 if code else 0), stderr)
        self.assertIn(said, stderr)
        return stdout

    def table(self, *arguments):
        return list(csv.DictReader(io.StringIO(self.run_it(*arguments, "--format", "csv"), newline=""), strict=True))

    def summary(self, path):
        done = subprocess.run([BUILD / "actorlab", "summarize", path, "--json"], capture_output=True, check=True)
        return json.loads(done.stdout)["cells"]


class Csv(Export):
    def test_round_trip(self):
        """A row per record, in their order; every value reads back as the same number."""
        records = sample()
        rows = self.table(self.write(records))
        self.assertEqual(len(rows), len(records))
        for row, one in zip(rows, records):
            for key in ("benchmark", "scheduler", "victim", "idle", "pin", "topology", "engine", "started_at",
                        "outcome"):
                self.assertEqual(row[key], one[key])
            self.assertEqual((int(row["workers"]), int(row["seed"]), int(row["block"])),
                             (one["workers"], one["seed"], one["sweep"]["block"]))
            self.assertEqual(row["twin"], "true" if one["sweep"].get("twin") else "false")
            self.assertEqual(row["oversubscribed"], "true" if one["oversubscribed"] else "false")
            self.assertEqual((row["binary_hash"], row["topology_hash"]), ("1", "2"))
            if one["outcome"] != "ok":
                self.assertEqual({row[key] for key in ("time_ns", "ns_per_message", "messages", "counters.gulps")}, {""})
                continue
            time = statistics.median(one["time_ns"])
            self.assertEqual(float(row["time_ns"]), time)
            self.assertEqual(float(row["ns_per_message"]), time / one["messages"])
            self.assertEqual(float(row["messages_per_s"]), one["messages"] * 1e9 / time)
            self.assertEqual((int(row["peak_rss_bytes"]), int(row["messages"])), (12345678, 100))
            self.assertEqual((row["counters.gulps"], row["counters.steals"]), ("7", "1"))

    def test_columns(self):
        """Of parameters and options, those in which records of one benchmark differ; what differs between benchmarks
        only, or is there with one value only, is no column."""
        rows = self.table(self.write(sample()))
        self.assertEqual([key for key in rows[0] if key.startswith(("parameters.", "options."))], ["options.deque"])
        self.assertEqual({row["options.deque"] for row in rows}, {"", "locked", "chase-lev"})
        rows = self.table(self.write([record(), record(parameters={"actors": 7, "group": 10})]))
        self.assertEqual([row["parameters.actors"] for row in rows], ["40", "7"])
        self.assertNotIn("parameters.group", rows[0])

    def test_quoting(self):
        row, = self.table(self.write([record(scheduler=HOSTILE, topology='"')]))
        self.assertEqual((row["scheduler"], row["topology"]), (HOSTILE, '"'))
        text = self.run_it(self.write([record()]), "--format", "csv")
        self.assertEqual(text.count("\r\n"), 2)
        self.assertNotIn("\n", text.replace("\r\n", ""))

    def test_formulas(self):
        """No text begins like a formula; numbers stay what they are."""
        texts = ("=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "=HYPERLINK(\"x\",\"y\")")
        for text in texts:
            row, = self.table(self.write([record(scheduler=text, seed=-1, benchmark=text)]))
            self.assertEqual((row["scheduler"], row["benchmark"], row["seed"]), ("'" + text, "'" + text, "-1"))
        rows = self.table(self.write([record(options={"o": text}) for text in (*texts, -5, -0.5)]))
        self.assertEqual([row["options.o"] for row in rows], ["'" + text for text in texts] + ["-5", "-0.5"])
        row, = csv.DictReader(io.StringIO(self.run_it(self.write([record(scheduler="=1")]), "--format", "csv", "--summary")))
        self.assertEqual(row["scheduler"], "'=1")

    def test_large_numbers(self):
        """The largest numbers that a record may have are exact in every export; larger ones are no record."""
        most = 10 ** 15
        records = [record(counters=[{"gulps": most, "steals": most}] * 3, peak_rss_bytes=most, messages=most, seed=k)
                   for k in range(2)]
        path = self.write(records)
        row = self.table(path)[0]
        self.assertEqual((row["counters.gulps"], row["peak_rss_bytes"]), (str(3 * most), str(most)))
        result, = json.loads(self.run_it(path, "--format", "hyperfine"))["results"]
        self.assertEqual(result["memory_usage_byte"], [most] * 2)
        cell, = self.summary(path)
        self.assertEqual(cell["messages"], most)
        for form in ("latex", "gnuplot"):
            self.run_it(path, "--format", form, "--out", self.folder / form)
        for changes in ({"counters": [{"gulps": 2 ** 63 - 1}] * 2}, {"counters": [{"gulps": 1.5}]}):
            done = subprocess.run([BUILD / "actorlab", "export", self.write([record(**changes)]), "--format", "csv"],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 1)
            self.assertIn("not a record", done.stderr)

    def test_sections(self):
        """What is known of memory and latencies, but not the buckets."""
        rows = self.table(self.write([record(), record(memory={"queue_bytes": 5, "resident_bytes": None}, latencies={
            "n": 3, "p99.9": 1.5, "buckets": [[1, 2]]})]))
        self.assertEqual([(row["memory.queue_bytes"], row["memory.resident_bytes"], row["latencies.p99.9"]) for row in rows],
                         [("", "", ""), ("5", "", "1.5")])
        self.assertNotIn("latencies.buckets", rows[0])

    def test_disturbed(self):
        rows = self.table(self.write([record(), record(noise=None), record(noise={"disturbed": []}),
                                      record(noise={"disturbed": ["steal time", "others' load"]})]))
        self.assertEqual([row["disturbed"] for row in rows], ["", "", "", "steal time; others' load"])

    def test_summary(self):
        path = self.write(sample())
        rows = self.table(path, "--summary")
        cells = self.summary(path)
        self.assertEqual(len(rows), len(cells))  # the failed ones are of a cell that has no others: one row more
        for row, cell in zip(rows, cells):
            self.assertEqual((row["benchmark"], row["scheduler"], int(row["workers"]), int(row["n"])),
                             (cell["benchmark"], cell["scheduler"], cell["workers"], cell["n"]))
            for measure in ("time_ns", "ns_per_message", "messages_per_s", "peak_rss_bytes"):
                for part in ("median", "low", "high", "achieved"):
                    self.assertEqual(float(row[f"{measure}.{part}"]), cell[measure][part])

    def test_failed_cell(self):
        row, = self.table(self.write([record(outcome="wrong", workers=3)]), "--summary")
        self.assertEqual((row["n"], row["failed"], row["time_ns.median"]), ("0", "1", ""))

    def test_benchmark(self):
        path = self.write(sample())
        for more in ([], ["--summary"]):
            rows = self.table(path, "--benchmark", "send-static", *more)
            self.assertEqual({row["benchmark"] for row in rows}, {"send-static"})

    def test_folder_and_standard_input(self):
        path = self.write(sample())
        text = self.run_it(path, "--format", "csv")
        self.assertEqual(self.run_it(self.folder, "--format", "csv"), text)
        self.assertEqual(self.run_it("-", "--format", "csv", input=path.read_bytes()), text)
        self.assertEqual(self.run_it(path, "--format", "csv", "--out", self.folder / "out.csv"), "")
        self.assertEqual((self.folder / "out.csv").read_bytes().decode(), text)

    def test_corrupt_line(self):
        path = self.write([record()])
        path.write_text("{torn\n" + path.read_text())
        done = subprocess.run([BUILD / "actorlab", "export", path, "--format", "csv"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout.count("\n")), (1, 2))
        self.assertTrue(done.stderr.startswith(f"actorlab export: {path}:1: "), done.stderr)


class Hyperfine(Export):
    def results(self, records, *arguments):
        return json.loads(self.run_it(self.write(records), "--format", "hyperfine", *arguments))["results"]

    def test_keys_and_values(self):
        records = sample()
        results = self.results(records)
        self.assertEqual(len(results), 10)
        for one in results:
            self.assertEqual(list(one), ["command", "mean", "stddev", "median", "user", "system", "min", "max", "times",
                                         "memory_usage_byte", "exit_codes", "parameters"])
            key = one["parameters"]
            times = [statistics.median(r["time_ns"]) / 1e9 for r in records if r["outcome"] == "ok" and not r.get("sweep", {}).get("twin") and (
                r["benchmark"], str(r["workers"]), r["scheduler"], r["options"].get("deque")) == (
                key["benchmark"], key["workers"], key.get("scheduler"), key.get("deque"))]
            self.assertEqual(one["times"], times)
            for name, function in (("mean", statistics.mean), ("stddev", statistics.stdev),
                                   ("median", statistics.median), ("min", min), ("max", max)):
                self.assertAlmostEqual(one[name] / function(times), 1, places=12, msg=name)
            self.assertEqual(one["exit_codes"], [0] * len(times))
            self.assertEqual(one["memory_usage_byte"], [12345678] * len(times))
        self.assertEqual(len({one["command"] for one in results}), 10)
        self.assertIn("executor deque chase-lev workers=10", {one["command"] for one in results})

    def test_one_parameter(self):
        """Only what varies is a parameter: hyperfine's plot over a parameter takes one, and a number."""
        results = self.results([record((n * w,), workers=w) for w in (1, 2, 4) for n in (5, 6)])
        self.assertEqual([one["parameters"] for one in results], [{"workers": "1"}, {"workers": "2"}, {"workers": "4"}])
        one, = self.results([record()])
        self.assertEqual((one["parameters"], one["stddev"]), ({}, None))


class Latex(Export):
    def tables(self, records, *arguments):
        text = self.run_it(self.write(records), "--format", "latex", *arguments)
        return text, re.findall(r"\\begin\{table\}.*?\\end\{table\}", text, re.S)

    def test_values(self):
        """Each median and interval of the records, in the place of its line and worker count."""
        records = sample()
        _, tables = self.tables(records)
        self.assertEqual(len(tables), 2)
        rows = {row.split(" & ")[0]: row.split(" & ")[1:] for row in tables[0].splitlines() if row.count("&") == 6}
        self.assertEqual(set(rows), {"deque chase-lev", "deque locked", "inverted"})
        cells = {(c["scheduler"], c["options"].get("deque"), c["workers"]): c["ns_per_message"] for c in self.summary(
            self.folder / "records.jsonl") if c["benchmark"] == "executor"}
        for label, fields in rows.items():
            scheduler, _, deque = label.partition(" ")
            for place, workers in enumerate((1, 2, 10)):
                cell = cells[scheduler, deque or None, workers]
                median, low, high = re.fullmatch(
                    r"(?:\\textbf\{)?([0-9.]+)\}?\|\{\\scriptsize \[([0-9.]+), ([0-9.]+)\]\}(?: \\\\)?",
                    "|".join(fields[2 * place:2 * place + 2])).groups()
                # three digits of the smallest median, about 10, and all others alike
                self.assertEqual([median, low, high], [f"{cell[key]:.1f}" for key in ("median", "low", "high")])
        self.assertRegex(tables[0], r"\\multicolumn\{2\}\{c\}\{1\} & .*\{2\} & .*\{10\$\^\*\$\} \\\\")
        self.assertIn("actors 40, group 10", tables[0])
        self.assertIn("sends 7", tables[1])

    def test_bold(self):
        """Only what is apart from all others of its column: not a tie, not a single process, not one line alone."""
        def bold(*lines):
            records = [record((time,), scheduler=str(i)) for i, times in enumerate(lines) for time in times]
            return re.findall(r"textbf\{([0-9.]+)\}", self.tables(records)[0])

        low, high = (100, 110, 120, 130, 140, 150), (200, 210, 220, 230, 240, 250)
        self.assertEqual(bold(low, high), ["1.25"])
        self.assertEqual(bold(low, (120, 125, 130, 230, 240, 250)), [])
        self.assertEqual(bold(low, low, high), [])
        self.assertEqual(bold((100,), high), [])
        self.assertEqual(bold(low, (250,)), [])
        self.assertEqual(bold(low), [])
        more = [record((t,), scheduler=str(i)) for i, times in enumerate((low, high)) for t in times]
        self.assertEqual(re.findall(r"textbf\{([0-9.]+)\}", self.tables(more, "--measure", "messages_per_s")[0]), ["801"])

    def test_units(self):
        text, _ = self.tables([record((2_500_000,))])
        self.assertIn(r": $\mu$s per message (lower is better).", text)
        self.assertIn("inverted & 25.0 & ", text)
        self.assertIn("peak memory in MB", self.tables([record()], "--measure", "peak_rss_bytes")[0])

    def test_hostile(self):
        """No text of a record is taken for a command, and braces are balanced."""
        text, _ = self.tables([record(scheduler=HOSTILE, benchmark=HOSTILE, parameters={HOSTILE: HOSTILE}),
                               record(scheduler="[2pt]", benchmark=HOSTILE), record(scheduler="*", benchmark=HOSTILE)])
        self.assertIn(r"\textbackslash{}\{\}\$\&\#\%\_\textasciicircum{}\textasciitilde{}\textless{}{[}{*}", text)
        self.assertNotIn("\r", text)
        body = text.split("\n", 1)[1]  # the first line is our comment
        self.assertIsNone(re.search(r"(?<!\\)[%#]", body))
        plain = re.sub(r"\\[\\{}$&#%_]", "", body)
        depth = 0
        for character in plain:
            depth += (character == "{") - (character == "}")
            self.assertGreaterEqual(depth, 0)
        self.assertEqual(depth, 0)
        self.assertNotRegex(body, r"\\\\\s*[\[*]")
        for line in body.splitlines():  # as many columns as the table has
            if line.endswith("\\\\") and "scriptsize" in line or line.endswith("& \\\\"):
                self.assertEqual(len(re.findall(r"(?<!\\)&", line)), 2, line)


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

    def test_data(self):
        path = self.write(sample())
        self.run_it(path, "--format", "gnuplot", "--out", self.folder)
        blocks = [[line.split() for line in block.splitlines() if line and not line.startswith("#")]
                  for block in (self.folder / "executor.dat").read_text().split("\n\n\n")]
        self.assertEqual([len(block) for block in blocks], [3, 15] * 3)
        cells = {(c["scheduler"], c["options"].get("deque"), c["workers"]): c for c in self.summary(path)
                 if c["benchmark"] == "executor"}
        for index, line in enumerate((("inverted", None), ("deque", "chase-lev"), ("deque", "locked"))):
            for workers, median, low, high, n, oversubscribed in blocks[2 * index]:
                cell = cells[*line, int(workers)]
                for text, key in ((median, "median"), (low, "low"), (high, "high")):
                    self.assertAlmostEqual(float(text) / cell["ns_per_message"][key], 1, places=9)
                self.assertEqual((int(n), oversubscribed == "1"), (cell["n"], cell["oversubscribed"]))
            raw = [float(value) for workers, value in blocks[2 * index + 1] if workers == "2"]
            self.assertEqual(len(raw), 5)
            for ours, theirs in zip(raw, cells[*line, 2]["ns_per_message"]["values"]):
                self.assertAlmostEqual(ours / theirs, 1, places=9)

    def test_markers(self):
        """A median is there, and nothing lies over it: a marker alone, with no line nor interval."""
        self.run_it(self.write([record(), record()]), "--format", "gnuplot", "--out", self.folder)
        self.draw(self.folder)
        pixels = matplotlib.image.imread(self.folder / "executor.png")[80:, :, :3]  # without the legend
        rows, _ = (pixels.max(axis=2) - pixels.min(axis=2) > 0.3).nonzero()
        self.assertGreater(len(rows), 40)
        self.assertLess(rows.max() - rows.min(), 12)

    def test_axes(self):
        """Logarithmic where the medians span more than a factor of 20 and where worker counts span octaves."""
        wide = [record((t * w,), scheduler=s, workers=w) for w in (1, 2, 4, 8, 16, 32, 48, 64) for s, t in
                (("a", 10), ("b", 10000)) for _ in range(2)]
        self.run_it(self.write(wide), "--format", "gnuplot", "--out", self.folder)
        script = (self.folder / "executor.gp").read_text()
        self.assertIn("set logscale y", script)
        self.assertIn("set logscale x 2", script)
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
        """Strategies stand in the order of `actorlab list`, then peers, then others, and keep their colours."""
        def lines(*schedulers, **changes):
            path = self.write([record((n,), scheduler=name, **changes) for name in schedulers for n in (1, 2)])
            self.run_it(path, "--format", "gnuplot", "--out", self.folder)
            script = (self.folder / "executor.gp").read_text()
            colours = re.findall(r"^set linetype \d+ lc rgb '(.*?)'", script, re.M)
            return dict(zip(re.findall(r'linespoints lt \d+ title "(.*?)"', script), colours, strict=True))

        listing = json.loads(subprocess.run([BUILD / "actorlab", "list", "--json"], capture_output=True, check=True).stdout)
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
        """gnuplot prints each label as it is in the record; what is a control character is written out."""
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

    def test_clash(self):
        self.run_it(self.write([record(benchmark="a/b"), record(benchmark="a b")]), "--format", "gnuplot", "--out",
                    self.folder / "out", code=2, said="a_b.gp")


class Mistakes(Export):
    def test_one_line(self):
        path = self.write([record()])
        for arguments, said, code in (
                ([], "no RECORDS", 2), ([path], "no --format", 2),
                ([path, "--format", "xml"], "unknown value for '--format': 'xml'; valid: csv", 2),
                ([path, path, "--format", "csv"], f"unexpected word '{path}'; valid: actorlab export RECORDS --format FORMAT", 2),
                ([path, "--format"], "no value after '--format'", 2),
                ([path, "--fromat", "csv"], "unknown option '--fromat'; did you mean '--format'?; valid: --format", 2),
                ([self.folder / "absent", "--format", "csv"], "absent", 2),
                ([path, "--format", "gnuplot"], "--out DIR", 2),
                ([path, "--format", "latex", "--summary"], "valid: --format csv", 2),
                ([path, "--format", "csv", "--measure", "time_ns"], "valid: --format latex or gnuplot", 2),
                ([path, "--format", "latex", "--measure", "time"], "unknown value for '--measure': 'time'; did you mean 'time_ns'?; valid: time_ns", 2),
                ([path, "--format", "csv", "--out", path], "overwrite the records", 2),
                ([self.folder, "--format", "csv", "--out", path], "overwrite the records", 2),
                (["-", "--format", "csv", "--out", path], "overwrite the records", 2),
                ([path, "--format", "csv", "--out", self.folder / "no" / "x"], "no/x", 3),
                ([path, "--format", "csv", "--out", "/dev/full"], "No space left", 3),
                ([path, "--format", "gnuplot", "--out", "/dev/null"], "Not a directory", 3),
                ([path, "--format", "csv", "--benchmark", "absent"], "no record of absent", 1),
                ([path, "--format", "csv", "--summary", "--benchmark", "absent"], "no record of absent", 1),
                ([path, "--format", "latex", "--benchmark", "absent"], "no record with outcome ok of absent", 1)):
            with self.subTest(arguments=arguments):
                with open(path, "rb") as stdin:
                    self.assertEqual(self.run_it(*arguments, code=code, said=said, stdin=stdin), "")
        self.assertEqual(json.loads(path.read_text()), {**record(), "further": 0})

    def test_nothing_finished(self):
        path = self.write([record(outcome="wrong")])
        for form in ("hyperfine", "latex", "gnuplot"):
            self.run_it(path, "--format", form, "--out", self.folder / "out", code=1, said="outcome ok")
        self.assertEqual(len(self.table(path)), 1)


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
        for mark in ("*A*", "#B#", "$C$"):  # of each line its own, in the legend and at every worker count
            self.assertIn(mark, text)
        panel = text[first:second].split("workers")[0]
        self.assertEqual([panel.count(letter) for letter in "ABC"], [3, 3, 3])

    def test_choice(self):
        path = self.write(sample())
        text = self.run_it(self.folder, "--terminal", "dumb", "--benchmark", "send-static", "--measure", "peak_rss_bytes",
                           "--size", "100x30")
        self.assertIn("send-static: peak memory in MB, ", text)
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
            child = subprocess.Popen([BUILD / "actorlab", "plot", path, "--terminal"], stdout=side, stderr=side,
                                     env={**os.environ, **environment})
            os.close(side)
            text = b""
            try:
                while more := os.read(main, 65536):
                    text += more
            except OSError:  # closed
                pass
            os.close(main)
            self.assertEqual(child.wait(timeout=60), 0)
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
        self.assertRegex(text, '^(\x1bPq"1;1;400;300\n[^\x1b]+\x1b\\\\\n){2}$')  # each on lines of its own

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


class Reference(Export):
    def test_all(self):
        """The reference results in all formats."""
        for path in sorted((ROOT / "results" / "reference").glob("*/records.jsonl")):
            for form in ("csv", "hyperfine", "latex"):
                self.assertGreater(len(self.run_it(path, "--format", form)), 1000)
            out = self.folder / path.parent.name
            self.run_it(path, "--format", "gnuplot", "--out", out)
            script = sorted(out.glob("*.gp"))[0]
            done = subprocess.run(["gnuplot", script.name], cwd=out, capture_output=True, timeout=60)
            self.assertEqual((done.returncode, done.stderr), (0, b""))


if __name__ == "__main__":
    unittest.main()
