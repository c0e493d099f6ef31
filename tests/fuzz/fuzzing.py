# SPDX-License-Identifier: MIT
"""What the fuzz targets share: cases that a seed decides, how they are damaged, run and reported.

Case K of seed S is the same on every machine. Each target takes --seed, --cases, and --case K,
which replays one case alone; AL_TEST_DEEP=1 tries 100,000 cases."""

import argparse
import os
import random
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ACTORLAB = Path(os.environ.get("AL_BUILD", ROOT / "build")) / "actorlab"
DEEP_CASES = 100_000
SECONDS = 60  # no case may take longer
# Also under a sanitizer, which reports with an exit code of its own.
ENVIRONMENT = {**os.environ, "ASAN_OPTIONS": "exitcode=99", "UBSAN_OPTIONS": "halt_on_error=1:exitcode=99",
               "TSAN_OPTIONS": "exitcode=99", "NO_COLOR": "1"}
ODD_NUMBERS = (0, 1, -1, 2, 7, 255, 2**31 - 1, 2**31, 2**32, 2**53, 2**63 - 1, 2**63, -2**63, 2**64, 10**25, 0.5, -0.0,
               1e-320, 1e18, 1.7976931348623157e308)
ODD_STRINGS = ("", " ", "x", "own", "inverted", "0", "-1", "\x00", "\x1b[31m", "=1+1", "a,b", "'", '"', "\\", "%s%n", "..",
               "é", "\u202e", "\n", "x" * 5000)


class Complaint(Exception):
    """What a case did that no case may do."""


def shortened(text, most=2000):
    return text if len(text) <= most else f"{text[:most // 2]} … {text[-most // 2:]}"


def options(description, cases):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=DEEP_CASES if os.environ.get("AL_TEST_DEEP") == "1" else cases)
    parser.add_argument("--case", type=int, help="this one alone")
    return parser.parse_args()


def damaged(rng, data, words=()):
    """Bytes with one to four small damages; words are put in now and then."""
    data = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        at, end = sorted(rng.randrange(len(data) + 1) for _ in range(2))
        end = min(end, at + rng.choice((1, 4, 60)))
        kind = rng.randrange(7)
        if kind == 0 and at < len(data):
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 1 and at < len(data):
            data[at] = rng.choice((0, 9, 27, 34, 39, 44, 91, 92, 123, 125, 127, 128, 255))
        elif kind == 2:
            del data[at:end]
        elif kind == 3:
            data[at:at] = data[at:end]
        elif kind == 4:
            del data[at:]
        elif kind == 5 and words:
            data[at:at] = str(rng.choice(words)).encode(errors="surrogatepass")
        else:
            there = rng.randrange(len(data) + 1)
            data[there:there] = data[at:end]
    return bytes(data)


def run(arguments, data=b"", allowed=(0, 1, 2), seconds=SECONDS, **popen):
    """Exit code, output and errors of `actorlab ARGUMENTS`."""
    try:
        done = subprocess.run([ACTORLAB, *arguments], input=data, capture_output=True, timeout=seconds,
                              env=ENVIRONMENT, **popen)
    except subprocess.TimeoutExpired:
        raise Complaint(f"{arguments}: took more than {seconds} s") from None
    errors = done.stderr.decode(errors="backslashreplace")
    if done.returncode not in allowed:
        raise Complaint(f"{arguments}: exit code {done.returncode}: {shortened(errors)}")
    if any(ord(c) < 32 and c != "\n" or ord(c) == 127 for c in errors):
        raise Complaint(f"{arguments}: control characters in a message: {shortened(errors)!r}")
    if done.returncode > 1 and not errors.strip():
        raise Complaint(f"{arguments}: exit code {done.returncode} without a line")
    return done.returncode, done.stdout, errors


def minimal(attempt, numbers):
    """Fewer of the cases that raise a Complaint together, most often one; and what the last one
    was."""
    last = None
    size = len(numbers)
    while size > 1:
        size = (size + 1) // 2
        for start in range(0, len(numbers), size):
            try:
                attempt(numbers[start:start + size])
            except Complaint as complaint:
                numbers, last = numbers[start:start + size], complaint
                break
        else:
            break
    return numbers, last


def fuzz(make, attempt, chosen, batch=1):
    """Tries all cases. make(rng) makes one; attempt(list of cases) raises a Complaint. Ends the
    program."""
    def case(number):
        return make(random.Random(f"{chosen.seed}/{number}"))

    def attempt_numbers(numbers):
        attempt([case(number) for number in numbers])

    def guarded(numbers):
        try:
            attempt_numbers(numbers)
            return None
        except Complaint as complaint:
            return complaint

    begin = time.monotonic()
    numbers = [chosen.case] if chosen.case is not None else list(range(chosen.cases))
    batches = [numbers[i:i + batch] for i in range(0, len(numbers), batch)]
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for tried, complaint in zip(batches, pool.map(guarded, batches)):
            if complaint is None:
                continue
            pool.shutdown(wait=False, cancel_futures=True)
            few, last = minimal(attempt_numbers, tried)
            print(f"seed {chosen.seed}, case{'s' if len(few) > 1 else ''} {few}: {shortened(str(last or complaint))}")
            for number in few[:3]:
                print(f"case {number} is {case(number)!r}")
            print(f"replay: {sys.argv[0]} --seed {chosen.seed} --case {few[0]}" +
                  (f" (or --cases {few[-1] + 1}: it takes {len(few)} together)" if len(few) > 1 else ""))
            sys.exit(1)
    print(f"seed {chosen.seed}: {len(numbers)} cases in {time.monotonic() - begin:.0f} s")
    sys.exit(0)
