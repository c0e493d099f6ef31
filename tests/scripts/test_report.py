#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""scripts/report, opened in headless Chromium: no error, nothing loaded, and the numbers of the records.

AL_BUILD names the build folder."""

import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from html.parser import HTMLParser
from pathlib import Path
from statistics import fmean, median, stdev

import numpy
from scipy.stats import t as student

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import BUILD, DEEP, ROOT

from report import report

REFERENCE = ROOT / "results" / "reference"
os.environ["AL_ACTORLAB"] = str(BUILD / "actorlab")

# Into the page's head: what goes wrong there is in an attribute of the dumped page.
COLLECTOR = """<script>
const problems = [];
function note(text) {
  problems.push(text);
  document.documentElement.dataset.problems = JSON.stringify(problems);
}
addEventListener("error", (event) => note(event.message || "cannot load " + event.target.outerHTML), true);
addEventListener("unhandledrejection", (event) => note(String(event.reason)));
document.addEventListener("securitypolicyviolation", (event) => note(event.violatedDirective + " " + event.blockedURI));
</script>"""
# What no name may do to the page.
HOSTILE = ("""</script></pre><img src=x onerror="document.title='taken'"><script>document.title='taken'</script>"""
           """&amp;'"$x_$""")


class Page(HTMLParser):
    """A dumped page: attributes of <html>, text of every table by its id as rows of (text, number or None)."""

    def __init__(self, dump):
        super().__init__()
        self.attributes, self.tables, self.elements, self.text = {}, {}, [], ""
        self._cell = None
        self.feed(dump)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.elements.append(tag)
        if tag == "html":
            self.attributes = attributes
        elif tag == "table":
            self._rows = self.tables[attributes["id"]] = []
        elif tag == "tr":
            self._rows.append([])
        elif tag in ("td", "th"):
            value = attributes.get("data-v")
            self._cell = ["", None if value is None else float(value)]
            self._rows[-1].append(self._cell)

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self._cell = None

    def handle_data(self, data):
        self.text += data
        if self._cell is not None:
            self._cell[0] += data

    def column(self, table, head, nth=0):
        """The cells below the nth head of this text."""
        heads = [text for text, _ in self.tables[table][0]]
        place = [index for index, text in enumerate(heads) if text == head][nth]
        return [row[place] for row in self.tables[table][1:]]

    def rows(self, table, *heads):
        """The texts below some heads."""
        return list(zip(*([text for text, _ in self.column(table, head)] for head in heads)))


def chromium(file, *arguments):
    program = shutil.which("chromium")
    if program is None:
        raise AssertionError("no chromium: scripts/setup --dev")
    with tempfile.TemporaryDirectory() as profile:
        done = subprocess.run([program, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}",
                               "--virtual-time-budget=3000", "--dump-dom", *arguments, file.as_uri()],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="utf-8", timeout=100)
    if done.returncode != 0 or not done.stdout.strip():
        raise AssertionError(f"chromium: exit code {done.returncode}")
    return Page(done.stdout)


def record(scheduler="inverted", workers=1, block=0, time=1000, **more):
    """A record of a sweep; time in ns, for 100 messages."""
    return {
        "schema_version": 1, "started_at": f"2026-01-02T03:{block:02}:00Z", "benchmark": "alpha",
        "parameters": {"size": 3}, "scheduler": scheduler, "victim": "none", "idle": "spin", "options": {},
        "workers": workers, "pus": list(range(workers)), "bound": list(range(workers)), "pin": "close",
        "topology": "this machine", "oversubscribed": workers > 2, "seed": 1 + block, "engine": "native", "warmup": 1,
        "iterations": 1, "time_ns": [time], "messages": 100, "peak_rss_bytes": 5_000_000 + block,
        "counters": [{"gulps": 30 + block, "steals": 0}, {"gulps": 10, "steals": 0}],
        "memory": {"allocated_bytes": 1000, "resident_bytes": None, "queue_bytes": 64},
        "environment": {"cpu": "CPU 1", "kernel": "6.1", "compiler": "gcc 12", "binary_hash": "b", "topology_hash": "t",
                        "revision": "abcdef", "governor": None, "load": 0.5 + block},
        "outcome": "ok", "sweep": {"name": "made-up", "cell": "c", "block": block, "position": 0}, **more,
    }


def failed(outcome, **more):
    made = record(time=0, outcome=outcome, **more)
    for key in ("messages", "counters", "peak_rss_bytes", "memory"):
        del made[key]
    return {**made, "time_ns": []}


def per_message(records):
    return [median(record["time_ns"]) / record["messages"] for record in records]


class Reports(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name) / "sweep"
        self.folder.mkdir()

    def report(self, code=0, actorlab=BUILD / "actorlab"):
        """Runs it. Returns its output."""
        done = subprocess.run([ROOT / "scripts" / "report", self.folder], capture_output=True, text=True, timeout=120,
                              env={**os.environ, "AL_ACTORLAB": str(actorlab)})
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout if code == 0 else done.stderr

    def write(self, records, config="", notes=""):
        (self.folder / "records.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
        for name, text in (("config.toml", config), ("notes.txt", notes)):
            if text:
                (self.folder / name).write_text(text)

    def open(self, script="", *arguments, problems=None):
        """The report in Chromium after this script has run at its end; what it returns is in self.result."""
        text = (self.folder / "report.html").read_text()
        run = (f"const result = (() => {{{script}}})();"
               "document.documentElement.dataset.result = JSON.stringify(result ?? null);")
        head, body = text.split("<head>", 1)
        page = self.folder / "opened.html"
        page.write_text(head + "<head>" + COLLECTOR + body.replace("</body>", f"<script>{run}</script></body>"))
        opened = chromium(page, *arguments)
        self.assertEqual(json.loads(opened.attributes.get("data-problems", "[]")), problems or [])
        self.result = json.loads(opened.attributes.get("data-result", "null"))
        return opened

    def read(self):
        """The report as it was written, before any script runs: tables and texts need none."""
        return Page((self.folder / "report.html").read_text())

    def made(self, records, code=0, **more):
        """As scripts/report does it, but here, where matplotlib is loaded once."""
        self.write(records, **more)
        _, complete = report.write(BUILD / "actorlab", self.folder / "records.jsonl")
        self.assertEqual(complete, code == 0)
        return self.read()


class Numbers(Reports):
    """Those of reference sweeps: the first six blocks, where ratios are geometric means, and ten, where they are
    medians."""

    def check(self, name, keys, blocks=10, workloads=None):
        for file in ("records.jsonl", "config.toml", "notes.txt"):
            if (REFERENCE / name / file).exists():
                shutil.copy(REFERENCE / name / file, self.folder)
        records = [json.loads(line) for line in (self.folder / "records.jsonl").read_text().splitlines()]
        kept = sorted({one["benchmark"] for one in records})[:workloads]
        records = [one for one in records if one["sweep"]["block"] < blocks and one["benchmark"] in kept]
        (self.folder / "records.jsonl").write_text("".join(json.dumps(one) + "\n" for one in records))
        twins = [one for one in records if one["sweep"].get("twin")]
        cells = {}
        for one in records:
            if one["sweep"].get("twin"):
                continue
            known = {**one, **one["options"], "workload": one["benchmark"]}
            cells.setdefault(tuple(str(known.get(key, "")) for key in keys), []).append(one)
        self.assertEqual(self.report(), f"{self.folder}/report.html\n")
        page = self.open()
        self.assertEqual(page.elements.count("svg"), page.elements.count("figure"))
        self.assertGreater(page.elements.count("figure"), 0)
        apart = f"{len(twins)} of them for the A/A cells, " if twins else ""
        self.assertIn(f"Processes{len(records):,} processes, {apart}1 warm-up and 1 measured iteration each; all ended well",
                      page.text)

        def same(table, head, expected, digits, scale=lambda text: float(text.replace(",", "")), nth=0):
            """expected: of the records of a cell, and its key; None is not known."""
            shown = dict(zip(page.rows(table, *keys), page.column(table, head, nth)))
            self.assertEqual(set(shown), set(cells))
            for key, (text, value) in shown.items():
                wanted = expected(cells[key], key)
                if wanted is None:
                    self.assertEqual(text, "–", (key, head))
                    continue
                self.assertAlmostEqual(value, wanted, delta=1e-9 * abs(wanted), msg=(key, head))
                rounding = 0.51 * 10 ** (1 - digits) * abs(wanted)
                self.assertAlmostEqual(scale(text), wanted, delta=rounding, msg=(key, head))

        def bytes_of(text):
            number, unit = text.split()
            return float(number) * {"B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9}[unit]

        def counter(name):
            def of(runs, _):
                each = [sum(thread[name] for thread in run["counters"]) / run["messages"] for run in runs
                        if run["counters"]]
                return median(each) if each else None
            return of

        same("times", "ns/message", lambda runs, _: median(per_message(runs)), 4)
        same("times", "n", lambda runs, _: len(runs), 9)
        same("memory", "peak", lambda runs, _: median(run["peak_rss_bytes"] for run in runs), 3, bytes_of)
        same("memory", "in queues", lambda runs, _: None if "memory" not in runs[0] else median(
            run["memory"]["queue_bytes"] for run in runs), 3, bytes_of)
        same("counters", "gulps", counter("gulps"), 2)
        same("counters", "steal attempts", counter("steal_attempts"), 2)

        # Ratios, from the records alone.
        def ratios(above, below):
            blocks = {one["sweep"]["block"]: time for one, time in zip(below, per_message(below))}
            return [time / blocks[one["sweep"]["block"]] for one, time in zip(above, per_message(above))]

        def middle(values):
            return median(values) if len(values) >= 10 else math.exp(fmean(map(math.log, values)))

        def beside(key):
            work = keys.index("workload"), keys.index("workers")
            return [other for other in cells if all(other[place] == key[place] for place in work)]

        def fastest(key):
            return min(beside(key), key=lambda other: median(per_message(cells[other])))

        def baseline(key):
            (found,) = (other for other in beside(key) if other[1] == "inverted")
            return found

        same("ratios", "÷ inverted", lambda runs, key: middle(ratios(runs, cells[baseline(key)])), 3)
        verdicts = dict(zip(page.rows("ratios", *keys), (text for text, _ in page.column("ratios", "verdict"))))
        self.assertEqual({key for key, verdict in verdicts.items() if verdict == "baseline"}, set(map(baseline, cells)))
        # Over all workloads.
        kinds = ("faster", "slower", "equivalent", "inconclusive")
        averages = page.rows("averages", "workers", "strategy", "workloads", "fastest", "÷ inverted", "95% interval",
                             *kinds)
        self.assertEqual({row[:2] for row in averages}, {(key[-1], self.named(key)) for key in cells})
        for workers, strategy, workloads, best, mean, interval, *counts in averages:
            group = [key for key in cells if (key[-1], self.named(key)) == (workers, strategy)]
            self.assertEqual((int(workloads), int(best)), (len(group), sum(fastest(key) == key for key in group)))
            if strategy == "inverted":
                self.assertEqual((mean, interval, *counts), ("1", *5 * "–"))
                continue
            self.assertEqual(list(map(int, counts)), [[verdicts[key] for key in group].count(kind) for kind in kinds])
            logs = [numpy.log(ratios(cells[key], cells[baseline(key)])) for key in group]
            expected = self.average(logs)
            for wanted, shown in zip(expected, (mean, *interval.split(" – "))):
                delta = max(self.TOLERANCE * wanted, self.PART * (expected[2] - expected[1]))
                self.assertAlmostEqual(float(shown), wanted, delta=delta)
        # The summary: fastest and next, and the interval of their ratio where it is a paired t.
        for row in page.rows("winners", "workload", "workers", "fastest", "next", "next ÷ fastest", "95% interval",
                             "verdict"):
            first, second = sorted((key for key in cells if (key[0], key[-1]) == row[:2]),
                                   key=lambda key: median(per_message(cells[key])))[:2]
            self.assertEqual(row[2:4], (self.named(first), self.named(second)))
            values = ratios(cells[second], cells[first])
            self.assertAlmostEqual(float(row[4]), middle(values), delta=0.0051 * middle(values))
            low, high = map(float, row[5].split(" – "))
            if len(values) < 10:
                logs = list(map(math.log, values))
                half = student.ppf(0.975, len(logs) - 1) * stdev(logs) / len(logs) ** 0.5
                for wanted, shown in ((math.exp(fmean(logs) - half), low), (math.exp(fmean(logs) + half), high)):
                    self.assertAlmostEqual(shown, wanted, delta=0.0051 * wanted)
            if low <= 1:  # else it depends on the correction
                self.assertEqual(row[6], "inconclusive")
            elif values and min(values) > 1.3:
                self.assertEqual(row[6], "faster")
        return page

    TOLERANCE = 0.008  # of three digits, and of two bootstraps with different resamples
    PART = 0.15  # of an interval, by which its ends may differ between these

    def average(self, logs):
        """(mean, low, high) of workloads with these logarithms of ratios by blocks."""
        if min(map(len, logs)) >= 10:
            random = numpy.random.default_rng(1)
            means = numpy.mean([numpy.median(random.choice(one, (20_000, len(one))), axis=1) for one in logs], axis=0)
            return numpy.exp([numpy.mean([numpy.median(one) for one in logs]), *numpy.quantile(means, [0.025, 0.975])])
        parts = numpy.array([one.var(ddof=1) / len(one) for one in logs]) / len(logs) ** 2
        degrees = parts.sum() ** 2 / sum(part ** 2 / (len(one) - 1) for part, one in zip(parts, logs))
        mean, half = numpy.mean([one.mean() for one in logs]), student.ppf(0.975, degrees) * parts.sum() ** 0.5
        return numpy.exp([mean, mean - half, mean + half])

    def named(self, key):
        return " ".join(key[1:-1])

    def test_few_blocks(self):
        self.check_strategies(6, workloads=5)

    def test_ten_blocks_of_strategies(self):
        self.check_strategies(10, workloads=None if DEEP else 3)

    def check_strategies(self, blocks, workloads=None):
        self.named = lambda key: " ".join(key[1:3] if key[1] == "deque" else key[1:2])  # others have one deque or none
        self.check("strategies", ("workload", "scheduler", "deque", "workers"), blocks, workloads)

    def test_ten_blocks(self):
        page = self.check("peers", ("workload", "scheduler", "workers"))
        self.assertIn("left out: erlang has no matrix", page.text)
        self.assertIn("\nscripts/setup --peers\n", page.text)
        self.assertIn("scripts/sweep sweep.toml --results results/sweep-again", page.text)
        self.assertIn("the baseline of the configuration", page.text)


class Scripts(Reports):
    def setUp(self):
        super().setUp()
        times = {"inverted": 1000, "deque": 30000, "las": 2000, "central": 900}
        self.records = [record(name, workers, block, time * workers + 7 * block) for block in range(6)
                        for workers in (1, 2) for name, time in times.items()]
        self.write([*self.records, failed("timeout", scheduler="mercury")])
        self.report()

    def test_sorting(self):
        page = self.open("""
            const table = document.getElementById("times"), heads = [...table.tHead.rows[0].cells];
            const column = (name) => heads.findIndex((head) => head.textContent === name);
            const state = (name) => [heads.map((head) => head.getAttribute("aria-sort")),
                                     [...table.tBodies[0].rows].map((row) => row.cells[column(name)].textContent)];
            const results = [state("ns/message")];
            for (const name of ["ns/message", "ns/message", "scheduler"]) {
              heads[column(name)].querySelector("button").click();
              results.push(state(name));
            }
            return results;""")
        (_, written), (up, ascending), (down, descending), (text, names) = self.result
        numbers = [float(word.replace(",", "")) for word in written]
        self.assertNotEqual(numbers, sorted(numbers))
        self.assertEqual([float(word.replace(",", "")) for word in ascending], sorted(numbers))
        self.assertEqual(descending, ascending[::-1])
        self.assertEqual(names, sorted(names))
        self.assertEqual([list(filter(None, states)) for states in (up, down, text)],
                         [["ascending"], ["descending"], ["ascending"]])
        self.assertEqual(up.index("ascending"), 3)
        self.assertEqual(len(page.column("times", "n")), 8)

    def test_unknown_is_last(self):
        before, table = (self.folder / "report.html").read_text().split('<table id="times"')
        table = table.replace("<td>deque</td>", "<td></td>", 1).replace("<td>las</td>", "<td>zz</td>", 1)
        (self.folder / "report.html").write_text(before + '<table id="times"' + table)
        self.open("""
            const table = document.getElementById("times");
            return [0, 1].map(() => {
              table.tHead.rows[0].cells[1].querySelector("button").click();
              return [...table.tBodies[0].rows].map((row) => row.cells[1].textContent);
            });""")
        self.assertEqual(self.result, [["central", "central", "deque", "inverted", "inverted", "las", "zz", ""],
                                       ["zz", "las", "inverted", "inverted", "deque", "central", "central", ""]])

    def test_points(self):
        """By keyboard, by pointer and by tap: the values of that cell."""
        self.open("""
            const svg = document.querySelector("figure svg"), points = [...svg.querySelectorAll("[data-cell]")];
            const tip = document.getElementById("tip"), said = [];
            const say = () => said.push(tip.hidden ? null : tip.innerText);
            const at = (type, point, down = 0) => {
              const box = point.getBoundingClientRect();
              svg.dispatchEvent(new PointerEvent(type, {bubbles: true, clientX: box.left + box.width / 2,
                                                        clientY: box.top + box.height / 2 + down}));
              say();
            };
            say();
            points[0].focus(); say();
            points[0].dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight"})); say();
            document.activeElement.blur(); say();
            at("pointermove", points[2]);
            at("pointermove", points[2], 500);
            at("click", points[3]);
            at("pointermove", points[2], 500);
            document.dispatchEvent(new KeyboardEvent("keydown", {key: "Escape"})); say();
            return [points.map((point) => Number(point.dataset.cell)), said,
                    points.map((point) => point.getAttribute("tabindex")).join(" "),
                    points[0].getAttribute("aria-label")];""")
        cells, said, stops, label = self.result
        self.assertEqual(sorted(set(cells)), list(range(8)))
        self.assertEqual([text is None for text in said], [True, False, False, True, False, True, False, False, True])
        self.assertEqual(said[6], said[7], "a tapped one stays")
        self.assertEqual(stops.split()[:3], ["-1", "0", "-1"], "where the arrow went")
        self.assertEqual(len({said[1], said[2], said[4], said[6]}), 4)
        found = False
        for name, time in (("inverted", 1000), ("deque", 30000), ("las", 2000), ("central", 900)):
            for workers in (1, 2):
                if not said[1].startswith(f"alpha, {name}, {workers} worker"):
                    continue
                values = [(time * workers + 7 * block) / 100 for block in range(6)]
                self.assertIn(f"{median(values):.6g} ns/message", said[1])
                self.assertIn("  ".join(f"{value:.6g}" for value in values), said[1])
                self.assertIn("93.75%", said[1])
                self.assertIn(f"{median(values):.6g} ns/message", label)
                found = True
        self.assertTrue(found, said[1])

    def test_narrow(self):
        """Nothing is wider than a phone; what is, is in a box of its own. Enlarged figures too."""
        text = (self.folder / "report.html").read_text()
        (self.folder / "phone.html").write_text(text.replace("</body>", """<script>
            const page = document.scrollingElement, figure = document.querySelector("figure");
            const widths = () => [innerWidth, page.scrollWidth, figure.querySelector("svg").clientWidth];
            const before = widths();
            figure.querySelector(".enlarge").click();
            parent.postMessage(JSON.stringify([before, widths()]), "*");
            </script></body>"""))
        frame = self.folder / "frame.html"
        frame.write_text("<script>onmessage = (event) => document.documentElement.dataset.result = event.data</script>"
                         '<iframe src="phone.html" style="width: 360px; height: 800px; border: 0"></iframe>')
        before, large = json.loads(chromium(frame).attributes["data-result"])
        for inner, whole, _ in (before, large):
            self.assertEqual(inner, 360)
            self.assertLessEqual(whole, 360)
        self.assertLessEqual(before[2], 360)
        self.assertGreater(large[2], 700)

    def test_collector(self):
        """What these tests rely on: errors, and what a page would load, are seen."""
        for script, problems in (("missing()", ["Uncaught ReferenceError: missing is not defined"]),
                                 ("document.body.innerHTML += '<img src=\"file:///x.png\">'", None),
                                 ("fetch('http://localhost:9/').catch(() => 0)",
                                  ["connect-src http://localhost:9/"])):
            with self.subTest(script), self.assertRaises(AssertionError) as caught:
                self.open(script)
            for problem in problems or ["img-src file"]:
                self.assertIn(problem, str(caught.exception))


class Contents(Reports):
    def test_hostile(self):
        records = [record(scheduler, 1, block, 1000 + 100 * index, options={"queue": HOSTILE}, benchmark=HOSTILE)
                   for block in range(3) for index, scheduler in enumerate((HOSTILE, "other"))]
        for one in records:
            one["environment"]["cpu"] = HOSTILE
            one["environment"]["revision"] = "x; touch 'pwned'"
        records.append(failed("crashed", block=4, signal="SIGSEGV", stderr=HOSTILE, error=HOSTILE))
        self.made(records, config=f"# {HOSTILE}\n", notes=f"{HOSTILE}\n")
        page = self.open()
        self.assertIn("\ngit checkout 'x; touch '\"'\"'pwned'\"'\"''\n", "\n" + page.text)  # a line of shell that runs nothing
        self.assertNotIn("img", page.elements)
        self.assertEqual(page.elements.count("script"), 4)  # two of the report, two of this test
        self.assertNotIn("taken", (re.search("<title>(.*?)</title>", (self.folder / "report.html").read_text()))[1])
        for table, head in (("times", "workload"), ("times", "scheduler"), ("failed-trials", "end of stderr")):
            self.assertIn(HOSTILE, [text.strip() for text, _ in page.column(table, head)])
        self.assertIn(HOSTILE, dict(page.rows("environment-keys", "key", "value"))["cpu"])
        # Machine, configuration twice, notes, environment, three tables of cells and their figure, …
        self.assertGreater(page.text.count(HOSTILE), 10)

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
        page = self.made([failed("timeout")])
        self.assertIn("there is nothing to compare", page.text)
        self.assertNotIn("svg", page.elements)

    def test_one_process(self):
        """No interval, no verdict; what is alone is compared with nothing."""
        page = self.made([record(), record("deque", time=2000), record(workers=2)])
        self.assertEqual(page.rows("winners", "fastest", "next", "next ÷ fastest", "95% interval", "verdict"),
                         [("inverted", "deque", "2.00", "–", "inconclusive"), ("inverted", "no other", "–", "–", "–")])
        self.assertEqual(page.rows("times", "95% interval", "covers", "n"), 3 * [("–", "–", "1")])

    def test_verdicts(self):
        """Drift that the blocks share, 20%: faster all the same. Less than the noise: equivalent."""
        drift = [1, 1.2, 0.9, 1.1, 1.05, 0.95]
        cells = (("inverted", 1, 1, 0), ("deque", 1, 1.05, 0.003), ("inverted", 2, 1, 0), ("deque", 2, 1.004, 0.003),
                 ("inverted", 3, 1, 0), ("deque", 3, 1.05, 0.2))
        page = self.made([
            record(name, workers, block, round(100_000 * drift[block] * factor * (1 + jitter * (-1) ** block)))
            for block in range(6) for name, workers, factor, jitter in cells], config='[sweep]\nbaseline = "deque"\n')
        self.assertEqual(page.rows("winners", "workers", "verdict"),
                         [("1", "faster"), ("2", "equivalent"), ("3", "inconclusive")])
        self.assertEqual(page.rows("ratios", "scheduler", "workers", "÷ deque", "verdict"), [
            ("inverted", "1", "0.952", "faster"), ("inverted", "2", "0.996", "equivalent"),
            ("inverted", "3*", "0.972", "inconclusive"),
            ("deque", "1", "1", "baseline"), ("deque", "2", "1", "baseline"), ("deque", "3*", "1", "baseline")])
        self.assertIn("corrected for 3 comparisons", page.text)
        self.assertIn("no A/A cells", page.text)
        self.assertNotIn("averages", page.tables)  # of one workload

    def test_noise_floor(self):
        """A cell that ran twice: how far its two ratios reach from 1 decides what is equivalent."""
        for spread, verdict, said in ((0.03, "equivalent", "that is noise here. What is within 3"),
                                      (0.2, "faster", "With so much of it nothing is called equivalent.")):
            records = [record(name, 1, block, round(100_000 * factor * (1 + 0.003 * (-1) ** block)))
                       for block in range(6) for name, factor in (("inverted", 1), ("deque", 1.015))]
            twins = [record("inverted", 1, block, round(100_000 * (1 + spread * (-1) ** block))) for block in range(6)]
            for twin in twins:
                twin["sweep"]["twin"] = True
            page = self.made(records + twins)
            self.assertEqual(page.rows("winners", "verdict"), [(verdict,)])
            (name, ratio, count), = page.rows("twins", "workload", "ratio", "n")
            ratios = [(1 + spread * (-1) ** block) / (1 + 0.003 * (-1) ** block) for block in range(6)]
            self.assertEqual((name, ratio, count), ("alpha", f"{math.exp(fmean(map(math.log, ratios))):.4f}", "6"))
            self.assertIn("18 processes, 6 of them for the A/A cells", page.text)
            self.assertEqual([text for text, _ in page.column("times", "n")], ["6", "6"])
            self.assertRegex(page.text, said)

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
        """On each workload the first of the scheduler that is there; averages go over all."""
        cells = (("alpha", "deque", "locked", 1000), ("alpha", "deque", "chase-lev", 3000), ("alpha", "inverted", "", 2000),
                 ("beta", "deque", "chase-lev", 500), ("beta", "inverted", "", 4000))
        page = self.made([record(scheduler, block=block, time=time, benchmark=benchmark,
                                 options={"deque": kind} if kind else {})
                          for block in range(3) for benchmark, scheduler, kind, time in cells],
                         config='[sweep]\nbaseline = "deque"\n[axes]\ndeque = ["locked", "chase-lev"]\n')
        self.assertEqual(page.rows("averages", "strategy", "÷ deque", "fastest", "workloads"),
                         [("inverted", "4.00", "0", "2"), ("deque=locked", "–", "1", "1"),
                          ("deque=chase-lev", "–", "1", "2")])

    def test_traced(self):
        """Left out but for the picture of its timeline."""
        (self.folder / "made-up.json").write_text(json.dumps({
            "traceEvents": [{"ph": "X", "tid": 0, "name": "run", "ts": 1, "dur": 3}], "otherData": {
                "benchmark": "alpha", "scheduler": "inverted", "victim": "none", "idle": "spin", "seed": 1,
                "dropped": [0], "timed_from_us": 1, "timed_until_us": 4}}))
        self.write([*(record(block=block) for block in range(3)), record(time=9000, block=3, trace="made-up.json")])
        self.report()
        page = self.open("""const image = document.querySelector("figure img");
                            return [image.alt, image.naturalWidth, image.getBoundingClientRect().width > 300];""")
        self.assertEqual(self.result, ["Timeline of the workers", 2100, True])
        self.assertEqual(page.rows("times", "n"), [("3",)])
        self.assertIn("1 traced run: their times are no measurements", page.text)
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
        self.write([record(block=block) for block in range(3)])
        with open(self.folder / "records.jsonl", "a") as file:
            file.write('{"schema_version": 1, "tor\n')
            file.write(json.dumps(record(block=3, time=-5)) + "\n")
        self.report(code=1)
        page = self.read()
        self.assertIn("line 4, 5 of the records file", page.text)

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
        self.report()
        page = self.read()
        self.assertIn("scripts/sweep sweep.toml --quick --size small --seed 0 --filter 'a|b c' --results", page.text)
        self.assertNotIn("no sweep.json", page.text)

    def test_disturbed(self):
        noise = {"others_ns": 5, "before": {"load": 1.5}, "gate": {"others_running": 0, "waited_s": 0.0}}
        page = self.made([record(block=block, noise={**noise, "disturbed": ["steal"] * (block == 1)})
                          for block in range(3)])
        self.assertIn("Noise: 1 of 3 trials disturbed (steal: 1).", page.text)
        self.assertIn(("before.load", "1.5"), page.rows("noise-keys", "key", "value"))

    def test_same_bytes(self):
        self.write([record(block=block) for block in range(3)])
        self.report()
        first = (self.folder / "report.html").read_bytes()
        self.report()
        self.assertEqual((self.folder / "report.html").read_bytes(), first)

    def test_mistakes(self):
        self.assertEqual(self.report(code=2), f"{self.folder}/records.jsonl: no such folder or file of records\n")
        self.write([record()])
        (self.folder / "sweep.json").write_text("{")
        self.assertEqual(self.report(code=2), f"{self.folder}/sweep.json: not what a sweep writes\n")
        (self.folder / "sweep.json").unlink()
        (self.folder / "report.html.new").mkdir()
        self.assertEqual(self.report(code=3), f"{self.folder}/report.html: cannot write: Is a directory\n")


if __name__ == "__main__":
    unittest.main()
