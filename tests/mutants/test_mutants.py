#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""test_mutants.py SUITE… --parts TEST…

Each broken conformance suite must fail, and fail again when replayed; so must each broken test of a part."""

import os
import re
import subprocess
import sys
from pathlib import Path


# A race ends the program there, so that it is reported with its seed.
os.environ.setdefault("TSAN_OPTIONS", "halt_on_error=1:abort_on_error=1")


def run(command):
    return subprocess.run(command, shell=True, capture_output=True, text=True, errors="replace",
                          timeout=600)


def verdict(program):
    """None if the mutant is found and replays; else what went wrong."""
    # Idle policies that are no strategy's own are not in the subset; the rest of the suite need not be run for them.
    policy = re.match(r"mutant-(park)-", Path(program).name)
    os.environ["AL_TEST_SUBSET"] = "0" if policy else "1"
    only = f"--case /{policy[1]}" if policy else ""
    for seeds in (5, 200):  # most are found at once
        first = run(f"{program} --seeds {seeds} {only}")
        if first.returncode != 0:
            break
    else:
        return "survived 200 seeds of every case"
    replay = re.search(r"replay: (.*)", first.stderr)
    if not replay:
        return f"failed without a command to replay it: {first.stderr.strip()[-300:]}"
    second = run(replay[1])
    if second.returncode != first.returncode:
        return f"exit {first.returncode}, but replayed {second.returncode}: {replay[1]}"
    cause = re.search(r".*(does not hold|error:|WARNING: ThreadSanitizer).*", first.stderr)
    print(f"# {cause[0] if cause else 'crash'} -- {replay[0]}")
    return None


def verdict_part(program):
    """The same for a test that always does the same."""
    first, second = run(program), run(program)
    if first.returncode == 0:
        return "survived"
    cause = re.search(r".*(does not hold|error:|deadlock|WARNING: ThreadSanitizer).*|not ok.*", first.stderr + first.stdout)
    if second.returncode != first.returncode:
        return f"exit {first.returncode}, then {second.returncode}"
    print(f"# {cause[0] if cause else 'crash'}")
    return None


at = sys.argv.index("--parts")
suites, parts = sys.argv[1:at], sys.argv[at + 1:]
print(f"1..{len(suites) + len(parts)}")
failed = 0
for number, program in enumerate(suites + parts, 1):
    problem = (verdict if program in suites else verdict_part)(program)
    failed += problem is not None
    name = Path(program).name
    print(f"{'not ' if problem else ''}ok {number} - {name}" + (f": {problem}" if problem else ""),
          flush=True)
sys.exit(failed > 0)
