#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The pages of records and results name what records and `actorlab results` have."""

import json
import re
import subprocess
import unittest

from test_results import Results, failed, record, sweep
from support import ACTORLAB, ROOT


HANDOFF = {"from": 0, "to": [1], "ns": [100.0], "median_ns": 100.0}


class Documented(Results):
    def test_every_key(self):
        """docs/reference/results.md names every key, and no other."""
        text = (ROOT / "docs" / "reference" / "results.md").read_text()
        named = set(re.findall(r"`([a-z_0-9]+)`", text))
        peer = record("plain", peer={"version": "plain 1"}, benchmark="gamma", latencies={
            "n": 1, "min_ns": 5, "max_ns": 5, "p50": 5, "p99": 5, "p99.9": 5, "buckets": [[5, 1]]})
        known = [record(scheduler, 2, block, handoff=HANDOFF) for block in (20, 21)
                 for scheduler in ("inverted", "central")]
        lost = failed("crashed", scheduler="central", workers=2, block=22)
        missed = record(counters=[{"messages_received": 100, "missed_gulps": 1}], benchmark="delta")
        data = self.results(self.write([*sweep(), *known, lost, peer, missed, "bad"], sweep={"baseline": "inverted", "looks": [10, 15]}),
                            code=1)
        free = {"sweep", "counters", "latencies", "reasons", "outcomes", "parameters", "options"}
        keys = set(keys_of(data, free))
        # Verdicts, leads, of sweep.json, kinds of problems, of latencies, and of --schema.
        others = {"slower", "faster", "equivalent", "inconclusive", "won", "tied", "undecided", "alone", "axes", "damaged", "duplicate", "newer", "p50", "p99", "max", "kinds", "required", "since"}
        self.assertEqual((keys - named, named - keys), (set(), others))

    def test_how_many_cells_are_ranked(self):
        """docs/explanation/statistics.md has the number, of which those with the lowest medians."""
        page = (ROOT / "docs" / "explanation" / "statistics.md").read_text()
        most, again = map(int, re.search(r"more than\s(\d+) cells, the (\d+) with the lowest medians", page).groups())
        self.assertEqual(most, again)
        path = self.write([record("inverted", 2, 0, options={"shards": k}, time_ns=[1000 + k]) for k in range(most + 1, 0, -1)])
        machine, = self.results(path)["machines"]
        group, = machine["groups"]
        fastest = {machine["cells"][place]["options"]["shards"] for place in group["fastest"]}
        self.assertEqual(fastest, set(range(1, most + 1)))

    def test_every_key_of_a_comparison(self):
        """docs/reference/comparisons.md has the keys of `compare --json` and its family."""
        page = (ROOT / "docs" / "reference" / "comparisons.md").read_text()
        rows = page.split("## compare\n")[1].split("\n## ")[0].splitlines()
        named = {key for row in rows if row.startswith("| `") for key in re.findall(r"`([a-z_]+)`", row.split(" | ")[0])}
        family, = (set(re.findall(r"`([a-z_]+)`", row)) for row in rows if row.startswith("| `family`"))
        path = self.write(sweep())
        keys = set()
        for words in ((path, "--against", "scheduler=inverted", "--fail-on-regression"), (path, path)):
            done = subprocess.run([ACTORLAB, "compare", *words, "--json"], capture_output=True, text=True, check=False)
            found = json.loads(done.stdout)
            keys |= set(found)
            self.assertEqual({"family", *found["family"]}, family)
        self.assertEqual(keys, named)

    def test_every_key_of_a_record(self):
        """records.md names every key of the schema, or noise.md for those of noise."""
        done = subprocess.run([ACTORLAB, "results", "--schema"], capture_output=True, text=True, check=True)
        rules = json.loads(done.stdout)
        docs = ROOT / "docs" / "reference"
        text = (docs / "records.md").read_text() + (docs / "noise.md").read_text()
        named = set(re.findall(r"`([a-z_0-9.]+)`", text)) | {"buckets"}
        # Prose has words for what the environment says that is no name of a value.
        words = {"cpu", "machine", "kernel", "compiler", "flags", "build_type", "sanitize", "revision",
                 "binary_hash", "allocator", "governor", "turbo", "topology_hash"}
        keys = {part for rule in rules for part in rule["path"].split(".") if part.isidentifier()}
        self.assertEqual({key for key in keys - words if key not in named}, set())
        known = {rule["path"]: rule for rule in rules}
        self.assertEqual(known["workers"], {"path": "workers", "kinds": ["integer"], "low": 1, "high": 4096,
                                            "required": "always", "since": 1})
        self.assertEqual((known["trial"]["since"], known["time_ns"]["required"]), (2, "if ok"))


def keys_of(value, free):
    """All keys in JSON; those of free-form objects are data."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            if key not in free:
                yield from keys_of(inner, free)
    elif isinstance(value, list):
        for inner in value:
            yield from keys_of(inner, free)


if __name__ == "__main__":
    unittest.main()
