# SPDX-License-Identifier: MIT
"""Builds and runs every test, in one build after the other, and counts the test cases."""

import argparse
import json
import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass, field

from actorlab import ROOT, configure, quietly
from arguments import regex
from failure import INTERRUPTED, USAGE, Failure
from screen import complain

TAIL_LINES = 40
DEEP_FACTOR = 10  # deep tests may take this many times longer
SANITIZER_FACTOR = 4

# Test cases that may be skipped, each with the reason. A skip that is not here is a failure: a test
# that did not run has not passed.
ALLOWED_SKIPS = {}


@dataclass
class Build:
    folder: str
    options: list
    environment: dict = field(default_factory=dict)
    factor: int = 1
    subset: bool = False  # of the conformance suite: each strategy with its own heuristic and policy alone


SANITIZED = ["--buildtype=debugoptimized", "-Dchecks=true"]
BUILDS = {
    "release": Build("build", ["--buildtype=release"]),
    "checks": Build("build-checks", ["-Dchecks=true"]),
    "bare": Build("build-bare", ["-Dcounters=false", "-Djemalloc=disabled"], subset=True),
    "clang": Build("build-clang", [], {"CC": "clang"}, subset=True),
    "peers": Build("build-peers", ["-Dpeer_caf=enabled", "-Dpeer_erlang=enabled"], subset=True),
    "asan": Build("build-asan", [*SANITIZED, "-Db_sanitize=address,undefined"], factor=SANITIZER_FACTOR),
    "tsan": Build("build-tsan", [*SANITIZED, "-Db_sanitize=thread"], factor=SANITIZER_FACTOR, subset=True),
}
# Without the first, undefined behaviour is printed and the test passes.
SANITIZERS = {
    "UBSAN_OPTIONS": "halt_on_error=1:abort_on_error=1:print_stacktrace=1",
    "ASAN_OPTIONS": "halt_on_error=1:abort_on_error=1:detect_leaks=1",
}
CASE = re.compile(r"^(not )?ok\b(?: +\d+)?(?: *-)? *(.*?) *(?:# *(skip)\b.*)?$", re.IGNORECASE | re.MULTILINE)


def count(entry):
    """(passed, failed) test cases of a line of meson's testlog.json."""
    result, output = entry["result"], entry.get("stdout") or ""
    if result == "EXPECTEDFAIL":
        return 1, 0
    if not re.search(r"^1\.\.\d+", output, re.MULTILINE):  # not TAP: the test is one case
        allowed = result == "SKIP" and entry["name"].partition(" / ")[2] in ALLOWED_SKIPS
        return (0, 0) if allowed else (1, 0) if result == "OK" else (0, 1)
    passed = failed = allowed = 0
    for bad, name, skip in CASE.findall(output):
        if skip and name in ALLOWED_SKIPS:
            allowed += 1
        elif bad or skip:
            failed += 1
        else:
            passed += 1
    if result != "OK" and not failed and not (result == "SKIP" and allowed):
        failed = 1
    return passed, failed


def tail(text):
    lines = text.rstrip().splitlines()
    cut = [f"… {len(lines) - TAIL_LINES} lines before"] if len(lines) > TAIL_LINES else []
    return "\n".join(f"    {line}" for line in cut + lines[-TAIL_LINES:])


def report(entry):
    print(f"--- {entry['name']}: {entry['result']}, exit code {entry.get('returncode')}")
    print(tail(f"{entry.get('stdout') or ''}\n{entry.get('stderr') or ''}"), flush=True)


def run(build, only, deep):
    """(passed, failed) of a build, or None if it has no test of that name."""
    configure(build.folder, build.options, **build.environment)
    quietly(["ninja", "-C", build.folder], "building")
    names = []
    if only:
        listing = subprocess.run(["meson", "introspect", "--tests", build.folder], cwd=ROOT, check=True,
                                 stdout=subprocess.PIPE, text=True).stdout
        names = [test["name"] for test in json.loads(listing) if only.search(test["name"])]
        if not names:
            return None
    log = ROOT / build.folder / "meson-logs" / "testlog.json"
    log.unlink(missing_ok=True)
    environment = {**SANITIZERS, **os.environ, "AL_TEST_DEEP": str(int(deep)),
                   "AL_TEST_SUBSET": str(int(build.subset and not deep))}
    factor = build.factor * (DEEP_FACTOR if deep else 1)
    done = subprocess.run(["meson", "test", "-C", build.folder, "--no-rebuild", "-t", str(factor), *names], cwd=ROOT,
                          env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace")
    entries = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    if not entries:
        raise Failure(f"{done.stdout.rstrip()}\nno test ran")
    passed = failed = 0
    for entry in entries:
        good, bad = count(entry)
        passed, failed = passed + good, failed + bad
        if bad:
            report(entry)
    return passed, failed


def builds(text):
    names = re.split(r"[\s,]+", text.strip())
    for name in names:
        if name not in BUILDS:
            raise argparse.ArgumentTypeError(f"unknown build {name!r} (valid: {', '.join(BUILDS)})")
    return names


def main():
    parser = argparse.ArgumentParser(
        prog="scripts/test", description="Builds and runs every test. The last line says how many test cases "
        "passed and failed, over all builds.", epilog="Exit codes: 0 all passed, 1 some failed, 2 usage.")
    parser.add_argument("--deep", action="store_true", help="longer runs: sets AL_TEST_DEEP=1")
    parser.add_argument("--only", metavar="REGEX", type=regex, help="only tests whose name matches")
    parser.add_argument("--builds", metavar="LIST", type=builds, default=["release", "checks"],
                        help=f"of {', '.join(BUILDS)} (default: release,checks)")
    options = parser.parse_args()
    passed = failed = 0
    found = False
    for name in options.builds:
        start = time.monotonic()
        print(f"{name}: …", flush=True) if sys.stdout.isatty() else None
        try:
            counts = run(BUILDS[name], options.only, options.deep)
        except Failure as failure:
            print(f"{name}: {failure}", flush=True)
            counts = (0, 1)
        except KeyboardInterrupt:
            return INTERRUPTED
        if counts is None:
            continue
        found = True
        passed, failed = passed + counts[0], failed + counts[1]
        print(f"{name}: {counts[0]} passed, {counts[1]} failed, {time.monotonic() - start:.0f} s", flush=True)
    if not found:
        complain(f"--only {options.only.pattern}: matches no test")
        return USAGE
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
