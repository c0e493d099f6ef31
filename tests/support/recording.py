# SPDX-License-Identifier: MIT
"""What the tests of statistics share: their program, and made-up records."""

import json
import os
import subprocess

PROGRAM = os.environ["AL_STATISTICS"]


def ask(*requests):
    """The program's answers to lines of requests, parsed."""
    text = "".join(" ".join(repr(word) if isinstance(word, float) else str(word) for word in request) + "\n"
                   for request in requests)
    done = subprocess.run([PROGRAM], input=text, capture_output=True, text=True, check=True)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(requests)
    return answers


def record(times=(1000, 3000, 2000), **changes):
    return {"schema_version": 1, "benchmark": "executor", "parameters": {"actors": 40, "group": 10},
            "scheduler": "inverted", "victim": "longest", "idle": "spin", "options": {"shards": 16},
            "workers": 2, "pin": "close", "topology": "this machine", "engine": "native", "seed": 1,
            "oversubscribed": False, "time_ns": list(times), "messages": 100, "peak_rss_bytes": 12345678,
            "outcome": "ok", **changes}
