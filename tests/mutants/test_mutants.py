#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""test_mutants.py SUITE… --native SUITE CASES … --parts TEST… --says NAME=TEXT…

Each broken conformance suite must fail, with its TEXT if it is given, and fail again when replayed; so must each broken
test of a part. Those on threads run the CASES with that in their names."""

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

# A race ends the program there, so that it is reported with its seed.
os.environ.setdefault("TSAN_OPTIONS", "halt_on_error=1:abort_on_error=1")

# What is run until something fails: AL_TEST_SUBSET and the number of seeds. Most are found at once; idle policies
# that are no strategy's own are not in the subset.
ROUNDS = (("1", 5), ("0", 5), ("1", 200), ("0", 200))


def run(command, subset="0"):
    return subprocess.run(command, shell=True, capture_output=True, text=True, errors="replace", timeout=600,
                          env={**os.environ, "AL_TEST_SUBSET": subset})


def cause_of(output):
    cause = re.search(r".*(does not hold|error:|deadlock|gave two hashes|WARNING: ThreadSanitizer).*|not ok.*", output)
    return cause[0].removeprefix("# ") if cause else "crash"


def verdict(program, says):
    """None if the mutant is found and replays; else what went wrong."""
    for subset, seeds in ROUNDS:
        first = run(f"{program} --seeds {seeds}", subset)
        if first.returncode != 0:
            return verdict_found(first, says)
    return "survived 200 seeds of every case"


def verdict_native(program, cases):
    first = run(f"{program} --case {cases}")
    return verdict_found(first, "") if first.returncode != 0 else f"survived every case with {cases}"


def verdict_found(first, says):
    if says not in first.stderr:
        return f"failed, but did not say '{says}': {first.stderr.strip()[-300:]}"
    replay = re.search(r"replay: (.*)", first.stderr)
    if not replay:
        return f"failed without a command to replay it: {first.stderr.strip()[-300:]}"
    second = run(replay[1])
    if second.returncode != first.returncode:
        return f"exit {first.returncode}, but replayed {second.returncode}: {replay[1]}"
    print(f"# {cause_of(first.stderr)} -- {replay[0]}")
    return None


def verdict_part(program):
    """The same for a test that always does the same."""
    first, second = run(program), run(program)
    if first.returncode == 0:
        return "survived"
    if second.returncode != first.returncode:
        return f"exit {first.returncode}, then {second.returncode}"
    print(f"# {cause_of(first.stderr + first.stdout)}")
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("suites", nargs="*")
    parser.add_argument("--parts", nargs="*", default=[])
    parser.add_argument("--says", nargs="*", default=[], metavar="NAME=TEXT")
    parser.add_argument("--native", nargs="*", default=[], metavar="SUITE CASES")
    options = parser.parse_args()
    says = dict(word.split("=", 1) for word in options.says)
    todo = [(program, verdict, says.get(Path(program).name, "")) for program in options.suites]
    todo += [(program, verdict_native, cases) for program, cases in zip(options.native[::2], options.native[1::2])]
    todo += [(program, verdict_part) for program in options.parts]
    print(f"1..{len(todo)}")
    failed = 0
    for number, (program, function, *more) in enumerate(todo, 1):
        problem = function(program, *more)
        failed += problem is not None
        print(f"{'not ' if problem else ''}ok {number} - {Path(program).name}" + (f": {problem}" if problem else ""), flush=True)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
