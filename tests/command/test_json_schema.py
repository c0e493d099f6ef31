#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`actorlab results --json-schema`: a library that knows nothing of actorlab takes and refuses the
same records as actorlab does.

AL_BUILD names the build folder."""

import copy
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import jsonschema

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import ACTORLAB, ROOT

STEP = 37  # of the reference records, of which there are thousands
# In place of any value.
OTHERS = (None, True, -7, 1.5, "nonsense", [], [[]], [-7], ["nonsense"], {}, {"key": -7})


def printed(*words, code=0):
    done = subprocess.run([ACTORLAB, "results", *words], capture_output=True, text=True, check=False)
    if done.returncode not in (0, code):
        raise AssertionError(done.stderr)
    return done.stdout


def references():
    for path in sorted(ROOT.glob("results/reference/**/records.jsonl")):
        with path.open() as lines:
            yield from (json.loads(line) for number, line in enumerate(lines) if number % STEP == 0)


def places(value, path):
    """What a path of the schema leads to: (list or object, key)."""
    part, *rest = path
    if part == "*":
        keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else []
    elif part.isdecimal():
        keys = [int(part)] if isinstance(value, list) and len(value) > int(part) else []
    else:
        keys = [part] if isinstance(value, dict) and part in value else []
    for key in keys:
        if rest:
            yield from places(value[key], rest)
        else:
            yield value, key


class Schema(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.schema = json.loads(printed("--json-schema"))
        cls.validator = jsonschema.Draft202012Validator(cls.schema)
        cls.records = list(references())

    def ours(self, records):
        """Whether actorlab takes each of these."""
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
            file.writelines(json.dumps(record) + "\n" for record in records)
            file.flush()
            return ["problem" not in json.loads(line) for line in printed("--check", file.name, code=1).splitlines()]

    def test_is_a_schema(self):
        jsonschema.Draft202012Validator.check_schema(self.schema)

    def test_references(self):
        self.assertGreater(len(self.records), 500)
        for record in self.records:
            for error in self.validator.iter_errors(record):
                self.fail(f"{error.json_path}: {error.message}")

    def test_mistakes(self):
        """Another value at each place that a rule knows."""
        rules = json.loads(printed("--schema"))
        variants, missed = [], []
        for rule in rules:
            path = rule["path"].replace("p99.9", "p99\0" + "9").split(".")  # names with a dot
            path = [part.replace("\0", ".") for part in path]
            base = next((record for record in self.records if any(places(record, path))), None)
            if base is None:
                missed.append(rule["path"])
                continue
            for other in ("gone", *OTHERS):
                variant = copy.deepcopy(base)
                inside, key = next(places(variant, path))
                if other == "gone" and isinstance(inside, dict):
                    del inside[key]
                elif other != "gone":
                    inside[key] = other
                if rule["path"] != "trial" and "trial" in variant:
                    variant["trial"] = f"{len(variants):032x}"
                variants.append(variant)
        self.assertLess(len(missed), len(rules) / 4, missed)
        ours, differ = self.ours(variants), []
        self.assertEqual(len(ours), len(variants))
        for variant, taken in zip(variants, ours):
            if self.validator.is_valid(variant) != taken:
                differ.append((taken, next((error.json_path for error in self.validator.iter_errors(variant)), None)))
        self.assertEqual(differ[:5], [])
        self.assertGreater(ours.count(False), len(rules))
        self.assertGreater(ours.count(True), len(rules))


if __name__ == "__main__":
    unittest.main()
