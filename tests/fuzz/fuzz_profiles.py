#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Profiles written by hand, and damaged: `actorlab advise` advises, or refuses with a line."""

import json
import tempfile

from fuzzing import ODD_NUMBERS, ODD_STRINGS, Complaint, damaged, fuzz, options, run

KEYS = ("messages_per_s", "work_ns", "work_p99_ns", "senders", "senders_most", "busiest_1", "busiest_10", "actors_per_worker",
        "local", "fan_out", "created", "message_bytes", "workers", "profile", "sender", "")
VALUES = (*ODD_NUMBERS, *ODD_STRINGS, None, True, [], {}, {"senders": 1}, [1], 0.3, 5, 40, 1e4, 1e6)
WORDS = ("1e999", "-1e-999", "NaN", "Infinity", "0x10", "1_000", "{", "[" * 3000, '"senders":', "\ud800")


def row(benchmark, scheduler, block):
    return {"schema_version": 1, "benchmark": benchmark, "parameters": {}, "scheduler": scheduler, "victim": "none",
            "idle": "spin", "options": {}, "workers": 2, "engine": "native", "time_ns": [1000 + block], "messages": 10,
            "peak_rss_bytes": 1, "outcome": "ok", "profile": {"senders": 5, "work_ns": 100, "local": 0.5}}


def make(rng):
    if rng.random() < 0.3:
        profile = dict(zip(rng.sample(KEYS[:-4], 4), (rng.random(), rng.random(), rng.random(), rng.random())))
    else:
        profile = {rng.choice(KEYS): rng.choice(VALUES) for _ in range(rng.choice((0, 1, 1, 2, 5)))}
    text = json.dumps(profile, ensure_ascii=rng.random() < 0.9).encode(errors="surrogatepass")
    return damaged(rng, text, WORDS) if rng.random() < 0.4 else text


def attempt(cases):
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as records:
        for block in range(3):
            for scheduler in "inverted", "deque":
                records.write(json.dumps(row("w", scheduler, block)) + "\n")
        records.flush()
        for case in cases:
            code, output, errors = run(["advise", records.name, "--profile", "-"], case, allowed=(0, 2))
            if code == 0 and "2 workers: " not in output.decode():
                raise Complaint(f"no advice: {output}")
            if code == 2 and len(errors.splitlines()) != 1:
                raise Complaint(f"{len(errors.splitlines())} lines instead of one: {errors}")


if __name__ == "__main__":
    fuzz(make, attempt, options(__doc__, 300))
