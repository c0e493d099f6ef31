#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What a report says of made-up records, and that no text in them can harm the page.

AL_BUILD names the build folder."""

import io
import json
import os
import re
import sys
import unittest
from contextlib import redirect_stderr
from itertools import product
from pathlib import Path
from statistics import median
from unittest.mock import patch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import ranks
from support.reporting import Page, Reports, failed, record

from common.failure import exit_code
from plots import style
from plots.figure import Figure
from report import command, inline_svg

# What no name may do to the page.
HOSTILE = ("""</script></pre><img src=x onerror="document.title='taken'"><script>document.title='taken'</script>"""
           """&amp;'"$x_$""")


def drawing_of_process(foot=""):
    """A drawing that says which process draws it."""
    drawing = style.page(2, 2)
    drawing.text(0.5, 0.5, "x", gid=f"cell-{os.getpid()}")
    return drawing


class Memory(unittest.TestCase):
    def test_figures_apart(self):
        """Each figure is drawn in a process of its own, which takes its memory along: a report of
        many figures needs no more than one of the largest."""
        drawn = inline_svg.inline_all([Figure(f"f{i}", "", "", drawing_of_process) for i in range(12)])
        processes = {re.search(r'data-cell="(\d+)"', svg.rest)[1] for svg in drawn}
        self.assertEqual(len(processes), 12)


class Contents(Reports):
    def test_hostile(self):
        records = [record(scheduler, 1, block, 1000 + 100 * index, options={"queue": HOSTILE}, benchmark=HOSTILE)
                   for block in range(3) for index, scheduler in enumerate((HOSTILE, "other"))]
        for one in records:
            one["environment"]["cpu"] = HOSTILE
            one["environment"]["revision"] = "x; touch 'pwned'"
        records.append(failed("crashed", block=4, signal="SIGSEGV", stderr=HOSTILE, error=HOSTILE,
                              environment=records[0]["environment"]))
        self.made(records, drawn=True, config=f"# {HOSTILE}\n", notes=f"{HOSTILE}\n")
        page = self.open()
        # A line of shell that runs nothing.
        self.assertIn("\ngit checkout 'x; touch '\"'\"'pwned'\"'\"''\n", "\n" + page.text)
        self.assertNotIn("img", page.elements)
        # Nor pixels in figures: for these matplotlib holds a picture of a whole figure, however
        # high it is.
        self.assertNotIn("image", page.elements)
        self.assertEqual(page.elements.count("script"), 4)  # two of the report, two of this test
        self.assertNotIn("taken", (re.search("<title>(.*?)</title>", (self.folder / "report.html").read_text()))[1])
        for table, head in (("times", "workload"), ("times", "scheduler"), ("failed-trials", "end of stderr")):
            self.assertIn(HOSTILE, [text.strip() for text, _ in page.column(table, head)])
        self.assertIn(HOSTILE, dict(page.rows("environment-keys", "key", "value"))["cpu"])
        # Machine, configuration twice, notes, environment, three tables of cells, a figure, …
        self.assertGreater(page.text.count(HOSTILE), 10)

    def test_several_machines(self):
        """A report of each, which names the others; and figures of each."""
        other = record()["environment"] | {"cpu": "CPU 2", "topology_hash": "u"}
        rows = [record(scheduler, block=block, **({"environment": other} if scheduler == "las" else {}))
                for block in range(2) for scheduler in ("inverted", "las", "central")]
        self.made(rows, drawn=True)
        for name, cpu, schedulers, see in (
                ("report.html", "CPU 1", {"inverted", "central"}, "report-2.html"),
                ("report-2.html", "CPU 2", {"las"}, "report.html")):
            text = (self.folder / name).read_text()
            page = Page(text)
            self.assertGreater(page.elements.count("svg"), 0)
            self.assertIn(f"{cpu}, Linux 6.1", page.text)
            self.assertIn(f"see also {see}", page.text)
            cells = json.loads(re.search(r'<script[^>]*type="application/json"[^>]*>(.*?)</script>', text, re.S)[1])
            names = " ".join(cell[0] for cell in cells["cells"])
            self.assertEqual({scheduler for scheduler in ("inverted", "central", "las") if scheduler in names},
                             schedulers)

    def test_failures(self):
        records = [record(block=block) for block in range(2)]
        records += [failed("timeout", block=2), failed("crashed", block=3, signal="SIGABRT", stderr="one\ntwo\n"),
                    failed("crashed", block=4, exit_code=7), failed("wrong", block=5, error="9 instead of 8")]
        page = self.made(records)
        self.assertEqual([row[:3] for row in page.rows("failed-trials", "block", "outcome", "error")],
                         [("2", "timeout", ""), ("3", "crashed", "SIGABRT"), ("4", "crashed", "exit code 7"),
                          ("5", "wrong", "9 instead of 8")])
        self.assertEqual(page.column("failed-trials", "end of stderr")[1][0].strip(), "one\ntwo")
        self.assertIn("2 ok, 2 crashed, 1 timeout, 1 wrong", page.text)

    def test_nothing_ended_well(self):
        page = self.made([failed("timeout")], drawn=True)
        self.assertIn("there is nothing to compare", page.text)
        self.assertNotIn("svg", page.elements)

    def test_one_process(self):
        """No interval, and nothing told apart; what is alone is compared with nothing."""
        page = self.made([record(), record("deque", time=2000), record(workers=2)])
        self.assertEqual(page.rows("winners", "fastest", "next", "next ÷ fastest", "95% interval", "verdict"),
                         [("inverted, deque: not told apart", "deque", "2.00", "–", "inconclusive (+5)"),
                          ("inverted", "no other", "–", "–", "–")])
        self.assertEqual(page.rows("times", "95% interval", "covers", "n"), 3 * [("–", "–", "1")])

    def test_verdicts(self):
        """Blocks share a drift of 20%: faster all the same. Within the margin: equivalent."""
        drift = [1, 1.2, 0.9, 1.1, 1.05, 0.95]
        cells = (("inverted", 1, 1, 0), ("deque", 1, 1.08, 0.003), ("inverted", 2, 1, 0), ("deque", 2, 1.004, 0.003),
                 ("inverted", 3, 1, 0), ("deque", 3, 1.05, 0.05))
        page = self.made([
            record(name, workers, block, round(100_000 * drift[block] * factor * (1 + jitter * (-1) ** block)))
            for block in range(6) for name, workers, factor, jitter in cells], config='[sweep]\nbaseline = "deque"\n')
        winners = [(*row, verdict.partition(" (+")[0]) for *row, verdict
                   in page.rows("winners", "workers", "fastest", "verdict")]
        self.assertEqual(winners, [("1", "inverted", "faster"),
                                   ("2", "inverted, deque: not told apart", "equivalent"),
                                   ("3*", "inverted, deque: not told apart", "inconclusive")])
        self.assertEqual(page.rows("ratios", "scheduler", "workers", "÷ deque", "verdict"), [
            ("inverted", "1", "0.926", "faster"), ("inverted", "2", "0.996", "equivalent"),
            ("inverted", "3*", "0.954", self.undecided(page, "ratios")),
            ("deque", "1", "1", "baseline"), ("deque", "2", "1", "baseline"), ("deque", "3*", "1", "baseline")])
        self.assertIn("the level that corrects for 3 comparisons", page.text)
        self.assertIn("3 comparisons with deque: 1 faster, 0 slower, 1 equivalent, 1 inconclusive (up to",
                      page.text)
        self.assertIn("no A/A cells", page.text)

    def undecided(self, page, table):
        """The verdict of the one comparison of a table that is inconclusive, with its blocks."""
        (found,) = (text for text, _ in page.column(table, "verdict") if text.startswith("inconclusive"))
        self.assertRegex(found, r"^inconclusive \(\+[0-9,]+\)$")
        return found

    def test_twins(self):
        """Their table; and a warning at the top if more of them differ than chance explains."""
        for works, warned in ((1, False), (3, True)):
            records = []
            for workers, block in product(range(1, works + 1), range(6)):
                for name, cost in (("inverted", 1), ("deque", 1.08), ("inverted", 1.01)):
                    records.append(record(name, workers, block, round(100_000 * cost * (1 + 0.003 * (-1) ** block))))
                records[-1]["sweep"]["twin"] = True
            page = self.made(records)
            self.assertEqual(page.rows("winners", "verdict"), works * [("faster",)])
            self.assertEqual(page.rows("twins", "workload", "p", "n"), works * [("alpha", "0.031", "6")])
            for _, ratio in page.column("twins", "ratio"):
                self.assertAlmostEqual(ratio, 1.01, places=5)
            self.assertIn(f"{18 * works} processes, {6 * works} of them for the A/A cells", page.text)
            self.assertEqual(page.text.count("do not trust these verdicts"), 2 * warned)
            self.assertIn("differs from its cell" if works == 1 else "3 of 3 twins differ", page.text)

    def test_latencies(self):
        """Medians over processes; of five the interval is from the smallest to the largest."""
        values = [200_000, 900, 3_000, 150_000, 120_000]
        page = self.made([
            record(block=block, latencies={"n": 1, "p50": value, "p99": 2 * value, "p99.9": 2.5 * value,
                                           "min_ns": value, "max_ns": 1e4 * value, "buckets": [[value, 1]]})
            for block, value in enumerate(values)]
            + [record("deque", block=block, latencies=None) for block in range(5)])
        self.assertEqual(page.column("latencies", "scheduler"), [["inverted", None]])
        for name, factor, shown in (("p50", 1, "120 µs"), ("p99", 2, "240 µs"), ("p99.9", 2.5, "300 µs"),
                                    ("max", 1e4, "1.20 s")):
            self.assertEqual(page.column("latencies", name), [[shown, factor * median(values)]])
        self.assertEqual([page.column("latencies", "95% interval", nth)[0][0] for nth in range(4)],
                         ["900 ns – 200 µs", "1.80 – 400 µs", "2.25 – 500 µs", "9.00 ms – 2.00 s"])

    def test_counters(self):
        page = self.made([record(block=block) for block in range(5)])
        heads = [text for text, _ in page.tables["counters"][0]]
        self.assertEqual(heads, ["workload", "workers", "gulps", "95% interval"])
        values = [(40 + block) / 100 for block in range(5)]
        self.assertEqual(page.column("counters", "gulps"), [["0.420", median(values)]])
        self.assertEqual(page.column("counters", "95% interval")[0][0], f"{min(values):.3f} – {max(values):.3f}")

    def test_first_strategy_is_the_baseline(self):
        page = self.made([record(name, block=block, time=time) for block in range(3)
                          for name, time in (("inverted", 1000), ("deque", 500))],
                         config='[axes]\nscheduler = ["inverted", "deque"]\n')
        self.assertEqual(page.rows("ratios", "scheduler", "÷ inverted"), [("inverted", "1"), ("deque", "0.500")])
        self.assertIn("that of inverted, the first strategy,", page.text)

    def test_baseline_of_two_strategies(self):
        """On each workload the first of the scheduler that is there."""
        cells = (("alpha", "deque", "locked", 1000), ("alpha", "deque", "chase-lev", 3000), ("alpha", "inverted", "", 2000),
                 ("beta", "deque", "chase-lev", 500), ("beta", "inverted", "", 4000))
        page = self.made([record(scheduler, block=block, time=time, benchmark=benchmark,
                                 options={"deque": kind} if kind else {})
                          for block in range(8) for benchmark, scheduler, kind, time in cells],
                         config='[sweep]\nbaseline = "deque"\n[axes]\ndeque = ["locked", "chase-lev"]\n')
        self.assertEqual(page.rows("ratios", "workload", "deque", "÷ deque"),
                         [("alpha", "", "2.00"), ("alpha", "locked", "1"), ("alpha", "chase-lev", "3.00"),
                          ("beta", "", "8.00"), ("beta", "chase-lev", "1")])

    def test_traced(self):
        """Left out but for the picture of its timeline."""
        (self.folder / "made-up.json").write_text(json.dumps({
            "traceEvents": [{"ph": "X", "tid": 0, "name": "run", "ts": 1, "dur": 3}], "otherData": {
                "benchmark": "alpha", "scheduler": "inverted", "victim": "none", "idle": "spin", "seed": 1,
                "dropped": [0], "timed_from_us": 1, "timed_until_us": 4}}))
        self.write([*(record(block=block) for block in range(3)), record(time=9000, block=3, trace="made-up.json")])
        self.report()
        page = self.open("""const svg = document.querySelector("#timeline-1 svg"), [light, dark] = svg.querySelectorAll("image");
                            return [svg.getAttribute("aria-label"), light.getBoundingClientRect().width > 300,
                                    getComputedStyle(dark).display];""")
        self.assertEqual(self.result, ["Timeline of the workers", True, "none"])
        self.assertEqual(page.rows("times", "n"), [("3",)])
        self.assertIn("1 traced run: tracing distorts their times", page.text)
        self.assertIn("3 processes, 1 warm-up", page.text)
        (self.folder / "made-up.json").write_text('{"traceEvents": [')
        self.assertIn("made-up.json: not a timeline", self.report(code=2))

    def test_environment(self):
        records = [record(block=block) for block in range(4)]
        records[3]["environment"] |= {"kernel": "6.2", "noise": {"stolen_ms": 3}}
        values = dict(self.made(records).rows("environment-keys", "key", "value"))
        self.assertEqual(values["kernel"], "6.1 (in 3); 6.2 (in 1)")
        self.assertEqual(values["load"], "0.5 to 3.5, median 2")
        self.assertEqual(values["governor"], "–")
        page = self.read()
        self.assertIn("The records differ in kernel.", page.text)
        self.assertIn(("noise.stolen_ms", "3", "3"), page.rows("environment-keys", "key", "value", "not known in"))
        self.assertIn(("governor", "–", "4"), page.rows("environment-keys", "key", "value", "not known in"))

    def test_left_out(self):
        """The rest is there, and the same bytes each time."""
        self.write([record(block=block) for block in range(3)])
        with open(self.folder / "records.jsonl", "a") as file:
            file.write('{"schema_version": 1, "tor\n')
            file.write(json.dumps(record(block=3, time=-5)) + "\n")
        self.report(code=1)
        page, first = self.read(), (self.folder / "report.html").read_bytes()
        self.assertIn("line 4, 5 of the records file", page.text)
        self.report(code=1)
        self.assertEqual((self.folder / "report.html").read_bytes(), first)

    def test_odd_records(self):
        """What is no record for actorlab is none for the report."""
        odd = [{key: [1]} for key in ("environment", "sweep", "noise", "memory", "latencies", "peer", "parameters")]
        odd += [{"counters": 5}, {"counters": [5]}, {"options": {"queue": []}}, {"parameters": {"actors": {}}}, {"victim": ["none"]}]
        page = self.made([record(), *({**record(), **part} for part in odd), record(block=1)], code=1)
        self.assertIn(f"line {', '.join(str(line) for line in range(2, 2 + len(odd)))} of", page.text)
        self.assertIn("2 processes", page.text)

    def test_command_line(self):
        page = self.made([record(block=block) for block in range(3)])
        self.assertIn("git checkout abcdef\nscripts/setup\nscripts/sweep sweep.toml --results results/sweep-again\n"
                      "scripts/report results/sweep-again\n", page.text + "\n")
        self.assertIn("no sweep.json", page.text)
        self.assertIn("libjansson-dev", page.text)
        (self.folder / "sweep.json").write_text(json.dumps(
            {"name": "sweep", "quick": True, "size": "small", "seed": 0, "filter": "a|b c"}))
        page = self.made([record(block=block) for block in range(3)])
        self.assertIn("scripts/sweep sweep.toml --quick --size=small --seed=0 --filter='a|b c' --results", page.text)
        self.assertNotIn("no sweep.json", page.text)

    def test_disturbed(self):
        noise = {"others_ns": 5, "before": {"load": 1.5}, "gate": {"others_running": 0, "waited_s": 0.0}}
        page = self.made([record(block=block, noise={**noise, "disturbed": ["steal"] * (block == 1)})
                          for block in range(3)])
        self.assertIn("Noise: 1 of 3 trials disturbed (steal: 1).", page.text)
        self.assertIn(("before.load", "1.5"), page.rows("noise-keys", "key", "value"))

    def refused(self, said, code=2):
        """By the command, but here, where matplotlib is loaded once."""
        errors = io.StringIO()
        with redirect_stderr(errors), patch.object(sys, "argv", ["report", str(self.folder)]), \
                patch.object(command.gc, "disable"):
            self.assertEqual(exit_code(command.main), code)
        self.assertEqual(errors.getvalue(), f"{self.folder}/{said}\n")

    def test_mistakes(self):
        self.refused("records.jsonl: no such folder or file of records")
        self.write([])
        self.refused("records.jsonl: no record to report")
        self.assertFalse((self.folder / "report.html").exists())
        self.write([record()])
        (self.folder / "notes.txt").mkdir()
        (self.folder / "config.toml").mkdir()
        self.refused("config.toml: Is a directory")
        (self.folder / "config.toml").rmdir()
        for text in ("{", "[1]", "5", "null", "[" * 100_000):
            (self.folder / "sweep.json").write_text(text)
            self.refused("sweep.json: not written by scripts/sweep: it is not a JSON object")
        (self.folder / "sweep.json").unlink()
        (self.folder / "report.html.new").mkdir()
        self.refused("report.html: cannot write: Is a directory", code=3)


if __name__ == "__main__":
    unittest.main()
