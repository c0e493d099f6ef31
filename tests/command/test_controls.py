#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Names from records and configurations reach no terminal unescaped: neither what moves its cursor
or colours its text, nor what reorders it, nor a line break."""

import io
import json
import re
import subprocess
import sys
import tempfile
import unittest
from contextlib import redirect_stdout
from pathlib import Path
from types import SimpleNamespace

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import ACTORLAB, ROOT

from common import screen
from sweep import progress

BAD = "\x1b[31m\x07\x9b32m\n\r\t\x7f\u2028\u202e\u2066\u200f"
CONTROLS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
RECORD = {
    "schema_version": 1, "benchmark": "alpha", "scheduler": "deque", "victim": "random", "idle": "park", "workers": 2,
    "pin": "close", "topology": "here", "engine": "native", "seed": 1, "oversubscribed": False, "messages": 100,
    "peak_rss_bytes": 12345678, "started_at": "2026-01-01T00:00:00Z", "outcome": "ok"}


def spoiled(value):
    """With something bad at the end of each text, and each key of an object that may have any."""
    if isinstance(value, str):
        return value + BAD
    if isinstance(value, list):
        return list(map(spoiled, value))
    return {key: spoiled(item) for key, item in value.items()} if isinstance(value, dict) else value


def records():
    for block in range(8):
        for scheduler, time_ns in (("deque", 1000), ("other", 2000)):
            found = {**spoiled(RECORD), "scheduler": scheduler + BAD, "time_ns": [time_ns + block], "outcome": "ok",
                     "engine": "native"}
            found["parameters"] = {"size" + BAD: "x" + BAD}
            found["options"] = {"shards" + BAD: scheduler + BAD}
            found["environment"] = spoiled({"cpu": "C", "kernel": "k", "compiler": "cc", "revision": "r", "topology_hash": "t"})
            found["sweep"] = {"name": "s" + BAD, "cell": scheduler + BAD, "block": block, "position": block, "session": "a" * 16}
            yield found
    yield {**found, "outcome": "crashed", "error": "e" + BAD, "stderr": "s" + BAD, "time_ns": [],
           "exit_code": 1, "benchmark": "crashes" + BAD}


class Controls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.folder = Path(cls.temporary.name) / ("out" + BAD.replace("\n", ""))
        cls.folder.mkdir()
        lines = [json.dumps(entry, ensure_ascii=False) for entry in records()]
        lines += ['{"benchmark": "\x1b[31m', '{"\x9b31m": 1}', '"\u202e"', lines[0]]
        (cls.folder / "records.jsonl").write_text("".join(f"{line}\n" for line in lines))
        (cls.folder / "notes.txt").write_text("a note\x1b[31m\x9b\u202e\n")

    def clean(self, text, what):
        found = CONTROLS.search(text)
        self.assertIsNone(found, f"{what}: {ascii(text[max(0, found.start() - 60):found.end() + 20]) if found else ''}")

    def said(self, *command):
        done = subprocess.run(command, capture_output=True, check=False, cwd=self.temporary.name)
        self.assertNotIn(b"Traceback", done.stderr)
        out, errors = done.stdout.decode(), done.stderr.decode()
        self.assertIn(done.returncode, (0, 1), errors)
        as_json = {"--json", "--check", "hyperfine"} & set(map(str, command))
        # Lines of CSV end in both; gnuplot begins with a form feed; JSON leaves DEL, on which no
        # terminal acts.
        self.clean(out.removeprefix("\f").replace("\r\n", "\n").replace("\x7f", "" if as_json else "\x7f"), f"stdout of {command[:3]}")
        self.clean(errors, f"stderr of {command[:3]}")
        return out

    def test_actorlab(self):
        for words in (["results"], ["results", "--json"], ["results", "--check"], ["summarize"], ["summarize", "--json"],
                      ["compare", "--against", "scheduler=deque" + BAD], ["compare", "--json", "--against", "scheduler=deque" + BAD],
                      ["compare", "--csv", "--against", "scheduler=deque" + BAD],
                      ["export", "--format", "csv"], ["export", "--format", "csv", "--summary"], ["export", "--format", "latex"],
                      ["export", "--format", "hyperfine"],
                      ["plot", "--terminal", "dumb"]):
            with self.subTest(words[:2]):
                out = self.said(ACTORLAB, *words, self.folder)
                if "--json" in words:
                    json.loads(out)
                if words == ["export", "--format", "csv"]:
                    # No name makes a line.
                    self.assertEqual(out.count("\n"), len(list(records())) + 1)

    def test_gnuplot(self):
        out = Path(self.temporary.name) / "gnuplot"
        out.mkdir()
        self.said(ACTORLAB, "export", "--format", "gnuplot", "--out", out, self.folder)
        for path in out.iterdir():
            self.clean(path.read_text().replace("\t", " "), path.name)

    def test_scripts(self):
        for command in ([ROOT / "scripts" / "report"], [ROOT / "scripts" / "plot", "--format", "svg", "--kind", "scaling", "--out", "drawn"],
                        [ROOT / "scripts" / "bundle", "--out", "b.tar.gz"]):
            with self.subTest(command[0].name):
                self.said(*command, self.folder)
        self.clean((self.folder / "report.html").read_text(), "report.html")

    def test_screen(self):
        """What a plan lists, and the name and result of a trial."""
        trial = SimpleNamespace(cell=SimpleNamespace(id="c", name="name" + BAD), block=0)
        with redirect_stdout(io.TextIOWrapper(io.BytesIO())) as out:
            shown = screen.Screen("never")
            shown.list(["cell" + BAD])
            progress.Progress(shown, 1, 0, 9).end(trial, "result" + BAD, None, True)
            out.flush()
        text = out.buffer.getvalue().decode()
        self.clean(text, "the screen")
        self.assertEqual(text.count("\n"), 2)


if __name__ == "__main__":
    unittest.main()
