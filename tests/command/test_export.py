#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`actorlab export` and `actorlab plot`: what they write is what the records say, and other tools
can read it.

AL_BUILD names the build folder."""

import csv
import io
import json
import re
import statistics
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import ACTORLAB, ROOT, SIMULATOR
from support.exporting import HOSTILE, Export, record, sample

from common.screen import printable


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
        """Of parameters and options, those in which records of one benchmark differ; what differs
        between benchmarks only, or is there with one value only, is no column."""
        rows = self.table(self.write(sample()))
        self.assertEqual([key for key in rows[0] if key.startswith(("parameters.", "options."))], ["options.deque"])
        self.assertEqual({row["options.deque"] for row in rows}, {"", "locked", "chase-lev"})
        rows = self.table(self.write([record(), record(parameters={"actors": 7, "group": 10})]))
        self.assertEqual([row["parameters.actors"] for row in rows], ["40", "7"])
        self.assertNotIn("parameters.group", rows[0])

    def test_quoting(self):
        row, = self.table(self.write([record(scheduler=HOSTILE, topology='"')]))
        self.assertEqual((row["scheduler"], row["topology"]), (printable(HOSTILE), '"'))
        text = self.run_it(self.write([record()]), "--format", "csv")
        self.assertEqual(text.count("\r\n"), 2)
        self.assertNotIn("\n", text.replace("\r\n", ""))

    def test_simulated(self):
        """What is the simulator's own is left out: when it ran, and in how much memory. In a file
        that has native trials too, these have it."""
        simulated = record(engine="sim", started_at="2026-01-01T00:00:00Z", memory={
            "allocated_bytes": 5, "resident_bytes": 6, "queue_bytes": 7, "queue_peak_bytes": 8})
        own = {"started_at", "peak_rss_bytes", "memory.allocated_bytes", "memory.resident_bytes", "disturbed"}
        row, = self.table(self.write([simulated]))
        self.assertEqual(own & set(row), set())
        self.assertEqual((row["memory.queue_bytes"], row["memory.queue_peak_bytes"]), ("7", "8"))
        path = self.write([simulated, {**simulated, "engine": "native"}])
        self.assertEqual([{row[key] == "" for key in own - {"disturbed"}} for row in self.table(path)], [{True}, {False}])
        self.assertEqual([row["peak_rss_bytes.median"] == "" for row in self.table(path, "--summary")], [False, True])
        row, = self.table(self.write([simulated]), "--summary")
        self.assertEqual([key for key in row if key.startswith("peak")], [])
        result, = json.loads(self.run_it(self.write([simulated]), "--format", "hyperfine"))["results"]
        self.assertIsNone(result["memory_usage_byte"])

    def test_formulas(self):
        """No text begins like a formula; numbers stay what they are."""
        texts = ("=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "=HYPERLINK(\"x\",\"y\")")
        for text in texts:
            row, = self.table(self.write([record(scheduler=text, seed=-1, benchmark=text)]))
            self.assertEqual((row["scheduler"], row["benchmark"], row["seed"]), ("'" + printable(text), "'" + printable(text), "-1"))
        rows = self.table(self.write([record(options={"o": text}) for text in (*texts, -5, -0.5)]))
        self.assertEqual([row["options.o"] for row in rows], ["'" + printable(text) for text in texts] + ["-5", "-0.5"])
        row, = csv.DictReader(io.StringIO(self.run_it(self.write([record(scheduler="=1")]), "--format", "csv", "--summary")))
        self.assertEqual(row["scheduler"], "'=1")

    def test_large_numbers(self):
        """The largest numbers that a record may have are exact in every export; larger ones are no
        record."""
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
            done = subprocess.run([ACTORLAB, "export", self.write([record(**changes)]), "--format", "csv"],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 1)
            self.assertIn("not a record", done.stderr)

    def test_sections(self):
        """What is known of memory, latencies and costs, but not the buckets."""
        rows = self.table(self.write([record(), record(memory={"queue_bytes": 5, "resident_bytes": None}, latencies={
            "n": 3, "p99.9": 1.5, "buckets": [[1, 2]]}, costs={"fairness": 0.5})]))
        self.assertEqual([(row["memory.queue_bytes"], row["memory.resident_bytes"], row["latencies.p99.9"], row["costs.fairness"])
                          for row in rows], [("", "", "", ""), ("5", "", "1.5", "0.5")])
        self.assertNotIn("latencies.buckets", rows[0])

    def test_counts_by_level(self):
        """Several values, which have no column."""
        row, = self.table(self.write([record(counters=[{"steals": 2, "steals_by_level": {"core": 2}}] * 2)]))
        self.assertEqual([(key, value) for key, value in row.items() if key.startswith("counters.")],
                         [("counters.steals", "4")])

    def test_disturbed(self):
        rows = self.table(self.write([record(), record(noise=None), record(noise={"disturbed": []}),
                                      record(noise={"disturbed": ["steal time", "others' load"]})]))
        self.assertEqual([row["disturbed"] for row in rows], ["", "", "", "steal time; others' load"])

    def test_summary(self):
        path = self.write(sample())
        rows = self.table(path, "--summary")
        cells = self.summary(path)
        # the failed ones are of a cell that has no others: one row more
        self.assertEqual(len(rows), len(cells))
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
        done = subprocess.run([ACTORLAB, "export", path, "--format", "csv"], capture_output=True, text=True)
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
        """Only what varies is a parameter: hyperfine's plot over a parameter takes one, and a
        number."""
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

    def test_caption(self):
        """On which CPU, and how far to trust the figures. Of a simulated machine the intervals are
        of something else, and there is no host that could disturb."""
        watched = [record((100 + b,), environment={"cpu": "Fast & Co"}, sweep={"block": b}, noise={"disturbed": ["busy"] * (b < 2)})
                   for b in range(6)]
        text, _ = self.tables(watched)
        self.assertIn(r", on Fast \& Co: ns per message", text)
        self.assertIn("\n2 of 6 trials were disturbed.", text)
        calm, _ = self.tables([{**one, "noise": {"disturbed": []}} for one in watched])
        self.assertIn("\nNone of 6 trials was disturbed.", calm)
        self.assertNotIn("jitter", text)
        machine = {"name": "big", "title": "Big", "model_hash": "0" * 16, "overridden": {}}
        text, _ = self.tables([record((100 + b,), engine="sim", seed=b, machine=machine, noise=None) for b in range(6)])
        self.assertIn("\nIntervals of simulated trials are those of sensitivity to jitter in the model's costs.", text)
        self.assertIn(", simulated on big: ", text)
        self.assertNotIn("disturbed", text)

    def test_bold(self):
        """Only what is surely faster than all others of its work: not a tie, not a single process,
        not one line alone. Of memory, what is apart from all others of its column."""
        def bold(*lines):
            records = [record((time,), scheduler=str(i)) for i, times in enumerate(lines) for time in times]
            return re.findall(r"textbf\{([0-9.]+)\}", self.tables(records)[0])

        low, high = (100, 110, 120, 130, 140, 150), (200, 210, 220, 230, 240, 250)
        self.assertEqual(bold(low, high), ["1.25"])
        self.assertEqual(bold(low, (105, 115, 125, 135, 145, 155)), [])
        self.assertEqual(bold(low, low, high), [])
        self.assertEqual(bold((100,), high), [])
        self.assertEqual(bold(low, (250,)), [])
        self.assertEqual(bold(low), [])
        more = [record((t,), scheduler=str(i)) for i, times in enumerate((low, high)) for t in times]
        self.assertEqual(re.findall(r"textbf\{([0-9.]+)\}", self.tables(more, "--measure", "messages_per_s")[0]), ["801"])
        # By blocks, however far the medians' intervals overlap.
        drift = (1, 2, 4, 8, 16, 32)
        paired = [record((int(100 * factor * (1 + 0.2 * i)),), scheduler=str(i), sweep={"block": block})
                  for block, factor in enumerate(drift) for i in range(2)]
        self.assertEqual(re.findall(r"textbf\{([0-9.]+)\}", self.tables(paired)[0]), ["6.00"])
        large = [one | {"peak_rss_bytes": 1000 * t} for one, t in zip(more, (*low, *high))]
        self.assertEqual(len(re.findall("textbf", self.tables(large, "--measure", "peak_rss_bytes")[0])), 1)

    def test_marks(self):
        """What the numbers alone would hide."""
        def noisy(block, disturbed):
            return {"sweep": {"block": block}, "noise": {"disturbed": ["steal"] if disturbed else []}}

        records = [record((100 * (2 + (scheduler == "b")),), scheduler=scheduler, workers=workers, kinds=kinds,
                          **noisy(block, block < 4 and scheduler == "a" or block < 3))
                   for block in range(6) for scheduler in "ab" for workers, kinds in ((1, ["P"]), (2, ["P", "E"]))]
        text, _ = self.tables(records)
        rows = [line for line in text.splitlines() if " & " in line and "workers}" not in line]
        self.assertIn("\\multicolumn{2}{c}{1} & \\multicolumn{2}{c}{2$^+$} \\\\", rows[0])
        self.assertEqual([line.count("$^\\dagger$") for line in rows], [0, 2, 0], text)
        for words in ("$^+$: workers on cores of several kinds.", "$^\\dagger$: more than half of the processes were disturbed."):
            self.assertIn(words, text)
        rows = self.table(self.folder)
        self.assertEqual([row["mixed_kinds"] for row in rows], ["false", "true"] * 12)
        self.assertEqual([row["mixed_kinds"] for row in self.table(self.folder, "--summary")], ["false", "false", "true", "true"])

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
                ([path, "--format", "csv", "--ratios"], "valid: --format latex", 2),
                ([path, "--format", "latex", "--ratios", "--measure", "time_ns"], "valid: one of both", 2),
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


class Reference(Export):
    def test_all(self):
        """The reference results in all formats; the large ones in those that show most of them,
        and with a sanitizer, which takes ten times as long, not at all."""
        for path in sorted((ROOT / "results" / "reference").glob("*/records.jsonl")):
            large = path.stat().st_size > 5e6
            if large and not SIMULATOR:
                continue
            for form in ["latex"] if large else ["csv", "hyperfine", "latex"]:
                self.assertGreater(len(self.run_it(path, "--format", form)), 1000)
            out = self.folder / path.parent.name
            self.run_it(path, "--format", "gnuplot", "--out", out)
            script = sorted(out.glob("*.gp"))[0]
            done = subprocess.run(["gnuplot", script.name], cwd=out, capture_output=True, timeout=60)
            self.assertEqual((done.returncode, done.stderr), (0, b""))


if __name__ == "__main__":
    unittest.main()
