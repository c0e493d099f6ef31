# SPDX-License-Identifier: MIT
"""What the tests of reports share: made-up records, and reports opened in Chromium."""

import json
import os
import shutil
import subprocess
import tempfile
import unittest
from html.parser import HTMLParser
from pathlib import Path
from statistics import median
from unittest.mock import patch

from support import ACTORLAB, ROOT
from report import report

os.environ["AL_ACTORLAB"] = str(ACTORLAB)

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

class Page(HTMLParser):
    """A dumped page: attributes of <html>, text of every table by its id as rows of (text, number
    or None)."""

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


def chromium(file, *arguments, fragment=""):
    program = shutil.which("chromium")
    if program is None:
        raise AssertionError("no chromium: scripts/setup --dev")
    with tempfile.TemporaryDirectory() as profile:
        done = subprocess.run([program, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}",
                               "--virtual-time-budget=3000", "--dump-dom", *arguments, file.as_uri() + fragment],
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

    def report(self, code=0, actorlab=ACTORLAB):
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

    def open(self, script="", *arguments, problems=None, fragment=""):
        """The report in Chromium after this script has run at its end; what it returns is in
        self.result. fragment: of its address."""
        text = (self.folder / "report.html").read_text()
        run = (f"const result = (() => {{{script}}})();"
               "document.documentElement.dataset.result = JSON.stringify(result ?? null);")
        head, body = text.split("<head>", 1)
        page = self.folder / "opened.html"
        page.write_text(head + "<head>" + COLLECTOR + body.replace("</body>", f"<script>{run}</script></body>"))
        opened = chromium(page, *arguments, fragment=fragment)
        self.assertEqual(json.loads(opened.attributes.get("data-problems", "[]")), problems or [])
        self.result = json.loads(opened.attributes.get("data-result", "null"))
        return opened

    def read(self):
        """The report as it was written, before any script runs: tables and texts need none."""
        return Page((self.folder / "report.html").read_text())

    def made(self, records, code=0, drawn=False, **more):
        """As scripts/report does it, but here, where matplotlib is loaded once, and only with its
        figures if a test looks at them."""
        self.write(records, **more)
        with patch.object(report, "figures", report.figures if drawn else lambda _: []):
            _, complete = report.write(ACTORLAB, self.folder / "records.jsonl")
        self.assertEqual(complete, code == 0)
        return self.read()
