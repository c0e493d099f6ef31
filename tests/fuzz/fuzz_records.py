#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Damaged records: every command that reads records survives them, and each line is counted or
reported."""

import copy
import csv
import io
import json
import re
import tempfile
import unicodedata
from pathlib import Path

from fuzzing import ODD_NUMBERS, ODD_STRINGS, ROOT, Complaint, damaged, fuzz, options, run

RECORDS = (ROOT / "results/reference/quick/records.jsonl").read_bytes().splitlines()
PARSED = [json.loads(line) for line in RECORDS]
VALUES = (*ODD_NUMBERS, *ODD_STRINGS, None, True, False, [], {}, [[]], [0], {"a": {}}, [{}, []], float("nan"),
          float("inf"), "\ud800", "ok", "failed", "crashed", "timeout")
WORDS = ("null", "{", "]", "1e999", "\\ud800", '"workers":', "[" * 3000)
LEFT_OUT = re.compile(r"^actorlab \w+: .*:\d+: (?:not a record, left out: .+|"
                      r"the same trial as .*, left out(?:, and (\d+) more lines? read before)?)$")
TRACED = re.compile(r"^actorlab \w+: .*: left out (\d+) traced runs?, ")


def places(value, found):
    """(container, key) of everything in a value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inner:
        found.append((value, key))
        places(item, found)
    return found


def mutated(rng, record):
    for _ in range(rng.choice((1, 1, 2, 5))):
        found = places(record, [])
        # What decides whether a line is a record is at the top.
        container, key = rng.choice([place for place in found if place[0] is record] if rng.random() < 0.5 else found)
        kind = rng.randrange(6)
        if kind == 0:
            del container[key]
        elif kind == 1:
            other, there = rng.choice(found)
            container[key] = copy.deepcopy(other[there])
        elif kind == 2 and isinstance(container, dict):
            container[rng.choice(ODD_STRINGS)] = container.pop(key)
        elif kind == 3 and isinstance(container[key], (int, float)):
            container[key] = rng.choice((-container[key], container[key] + 1, container[key] / 3, str(container[key])))
        else:
            container[key] = rng.choice(VALUES)
        if not record:
            break
    return record


def make(rng):
    number = rng.randrange(len(RECORDS))
    if rng.random() < 0.3:
        line = damaged(rng, RECORDS[number], WORDS)
    else:
        record = mutated(rng, copy.deepcopy(PARSED[number]))
        line = json.dumps(record, ensure_ascii=rng.random() < 0.8).encode(errors="surrogatepass")
        if rng.random() < 0.05:
            line = damaged(rng, line, WORDS)
    return line.replace(b"\n", b" ") or b"{"


def left_out(errors):
    lines = errors.splitlines()
    reported = sum(1 + int(found.group(1) or 0) for found in map(LEFT_OUT.match, lines) if found)
    traced = sum(int(found.group(1)) for found in map(TRACED.match, lines) if found)
    return reported + traced


def shown(arguments):
    _, table, _ = run(arguments)
    if any(unicodedata.category(c) == "Cc" and c != "\n" for c in table.decode(errors="replace")):
        raise Complaint(f"{arguments}: control characters in a table")


def attempt(lines):
    data = b"\n".join(lines) + b"\n"
    n = sum(bool(line.strip()) for line in lines)
    _, said, _ = run(["results", "--check", "-"], data)
    verdicts = [json.loads(line) for line in said.splitlines()]
    if len(verdicts) != n or not all(("trial" in verdict) != ("problem" in verdict) for verdict in verdicts):
        raise Complaint(f"results --check: {len(verdicts)} verdicts on {n} lines")
    _, table, errors = run(["export", "-", "--format", "csv"], data)
    csv.field_size_limit(10**9)
    rows = list(csv.DictReader(io.StringIO(table.decode(errors="replace"), newline="")))
    if len(rows) + left_out(errors) != n:
        raise Complaint(f"export: {n} lines gave {len(rows)} rows, and {left_out(errors)} were reported")
    good = sum("trial" in verdict for verdict in verdicts)
    if len(rows) > good:
        raise Complaint(f"export: {len(rows)} rows of {good} records")
    _, table, errors = run(["summarize", "-", "--json", "--resamples", "100"], data)
    summary = json.loads(table)
    counted = [row for row in rows if row["twin"] != "true"]
    ok = sum(row["outcome"] == "ok" for row in counted)
    if sum(cell["n"] for cell in summary["cells"]) != ok:
        raise Complaint(f"summarize: {sum(cell['n'] for cell in summary['cells'])} trials of {ok}")
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/records.jsonl"
        with open(path, "wb") as file:
            file.write(data)
        _, everything, _ = run(["results", path, "--json"])
        machines = json.loads(everything)["machines"]
        finished = sum(cell["n"] for machine in machines for cell in machine["cells"])
        if finished != ok:
            raise Complaint(f"results: {finished} trials of {ok}")
        shown(["results", path])
        shown(["summarize", path])
        shown(["compare", path, path, "--resamples", "100"])
        run(["compare", path, "--against", "scheduler=inverted", "--resamples", "100", "--json"])
        for how in ("hyperfine", "latex"):
            run(["export", path, "--format", how])
        run(["export", path, "--format", "csv", "--summary"])
        # 3: the name of a benchmark is longer than a file's may be
        code, _, _ = run(["export", path, "--format", "gnuplot", "--out", f"{folder}/gnuplot"], allowed=(0, 1, 2, 3))
        written = len(list(Path(folder).glob("gnuplot/*.gp")))
        benchmarks = {cell["benchmark"] for cell in summary["cells"] if cell["n"] > 0}
        if code < 2 and written != len(benchmarks):
            raise Complaint(f"export --format gnuplot: {len(benchmarks)} benchmarks, {written} scripts: {benchmarks}")


if __name__ == "__main__":
    fuzz(make, attempt, options(__doc__, 1000), batch=200)
