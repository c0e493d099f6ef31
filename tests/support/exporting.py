# SPDX-License-Identifier: MIT
"""What the tests of `actorlab export` and of LaTeX share: made-up records."""

import csv
import io
import json
import subprocess
import tempfile
import unittest
from pathlib import Path

from support import ACTORLAB

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
    """Two strategies of which one has two options, three worker counts, a second benchmark, and a
    failure."""
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
        done = subprocess.run([ACTORLAB, self.command, *arguments], capture_output=True, timeout=60,
                              **options)
        stdout, stderr = done.stdout.decode(), done.stderr.decode()
        self.assertEqual((done.returncode, stderr.count("\n")), (code, 1 if code else 0), stderr)
        self.assertIn(said, stderr)
        return stdout

    def table(self, *arguments):
        return list(csv.DictReader(io.StringIO(self.run_it(*arguments, "--format", "csv"), newline=""), strict=True))

    def summary(self, path):
        done = subprocess.run([ACTORLAB, "summarize", path, "--json"], capture_output=True, check=True)
        return json.loads(done.stdout)["cells"]
