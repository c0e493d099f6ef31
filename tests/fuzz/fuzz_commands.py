#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Command lines at random: every one ends with a documented exit code, and a mistake with one
line."""

import functools
import json
import re
import shutil
import tempfile
from pathlib import Path

from fuzzing import ODD_NUMBERS, ODD_STRINGS, ROOT, SECONDS, Complaint, fuzz, options, run

CODES = (0, 1, 2, 3, 4, 124)
# In the folder of each case, for what is given may be written to.
FILES = ["records.jsonl", "machine.xml", "empty", ".", "..", "-", "nosuch", "nosuch/file", "/dev/null", ""]
# Small, or so large that they are refused: a run of 2^31 messages is no mistake.
NUMBERS = [n for n in ODD_NUMBERS if abs(n) < 8 or abs(n) >= 2**62]
MEASURING = ("calibrate", "floors")
measured = set()  # command lines of these, which show nothing new when they run again
MISTAKES = re.compile(r"^(actorlab|usage)\b")


@functools.cache
def grammar():
    """Subcommand -> its options; and the names that `actorlab list` has."""
    commands = re.findall(r"^  (\w+)", run(["help"])[1].decode(), re.MULTILINE)
    commands.remove("claims")  # it would run sweeps
    known = {name: sorted(set(re.findall(r"--[a-z][a-z-]+", run([name, "--help"])[1].decode()))) for name in commands}
    names = []
    listing = json.loads(run(["list", "--json"])[1])
    for entries in listing.values():
        for entry in entries if isinstance(entries, list) else ():
            if isinstance(entry, dict):
                names.append(entry["name"])
                names += [option["name"] for option in entry.get("options", ())]
    return known, sorted(set(names))


def make(rng):
    known, names = grammar()
    command = rng.choice(list(known)) if rng.random() < 0.98 else rng.choice(("", "nosuch", "--json", "--version", "help"))
    value = functools.partial(one_value, rng, names)
    # One round takes seconds; what comes after may say otherwise.
    words = [command, *(["--rounds", "1"] if command in MEASURING else [])]
    if rng.random() < 0.8:
        words.append(rng.choice(names) if command == "run" and rng.random() < 0.9 else rng.choice(FILES))
    every = sorted({option for options in known.values() for option in options})
    for _ in range(rng.choice((0, 1, 1, 2, 3, 6))):
        option = rng.choice(known.get(command) or every) if rng.random() < 0.95 else rng.choice(every)
        words += rng.choice(([option], [option, value()], [option, value()], [f"{option}={value()}"], [value()]))
    if command == "run":
        words += ["--size", "small", "--workers", "2", "--iterations", "1"]
    # what a user types is echoed as it is
    return ["".join(c for c in word if c >= " ") for word in words]


def one_value(rng, names):
    def plain():
        return str(rng.choice(rng.choice((NUMBERS, ODD_STRINGS, names, FILES, ("csv", "latex", "own", "close", "0-1",
                                                                            "dumb", "50x20", "100%", "small")))))
    return f"{plain()}={plain()}" if rng.random() < 0.2 else plain()


def attempt(cases):
    for words in cases:
        if words[0] in MEASURING and tuple(words) in measured:
            continue
        measured.add(tuple(words))
        with tempfile.TemporaryDirectory() as parent:
            folder = Path(parent, "folder")
            folder.mkdir()
            shutil.copy(ROOT / "results/reference/quick/records.jsonl", folder)
            shutil.copy(ROOT / "tests/topologies/irregular.xml", folder / "machine.xml")
            (folder / "empty").touch()
            # They measure for longer beside other tests, and calibrate waits for a quiet machine.
            seconds = 4 * SECONDS if words[0] in MEASURING else SECONDS
            code, _, errors = run(words, allowed=CODES, cwd=folder, seconds=seconds)
        lines = [line for line in errors.splitlines() if "left out" not in line]
        if code == 2 and words[0] and not (len(lines) == 1 or lines[0].startswith("usage:")):
            raise Complaint(f"{words}: {len(lines)} lines instead of one: {errors}")
        if code == 2 and not MISTAKES.match(errors):
            raise Complaint(f"{words}: not a line of actorlab: {errors}")


if __name__ == "__main__":
    fuzz(make, attempt, options(__doc__, 300))
