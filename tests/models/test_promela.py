#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Models of the inverted executor's two protocols in Promela, for a second opinion by spin, which
shares nothing with our checker: with all rules each promise is kept, and without any one of them
some promise is not."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

MODELS = Path(__file__).resolve().parent
# Model -> cases that are right, and rules without which it is wrong: definitions of the model.
RIGHT = {
    "qpcas": [f"SHAPE={shape} THIEVES={thieves} SWAPS={swaps}" for shape in ("ONE_VICTIM", "CHAIN", "CYCLE")
              for thieves, swaps in ((2, 2), (3, 1), (3, 2), (4, 1))],
    "gulp": ["MESSAGES=1", "MESSAGES=2", "MESSAGES=3"],
}
WRONG = {
    "qpcas": ["BLIND_VICTIM", "BLIND_LOCK", "BLIND_SWAP", "NO_RETURN", "SURE"],
    "gulp": ["NO_HOLDER", "LATE_HOLD", "EARLY_END", "NO_LOCK"],
}


def run(*command, folder):
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}: exit {done.returncode}\n{done.stdout}")
    return done.stdout


def search(model, definitions):
    """How many states spin has stored, and how many of its promises are broken."""
    with tempfile.TemporaryDirectory() as folder:
        words = [f"-D{word}" for word in definitions.split()]
        run("spin", *words, "-a", MODELS / f"{model}.pml", folder=folder)
        run("cc", "-O1", "-w", "-DSAFETY", "-DNOCLAIM", "-o", "pan", "pan.c", folder=folder)
        output = run("./pan", "-m1000000", folder=folder)
    if "max search depth too small" in output:
        raise SystemExit(f"{model} {definitions}: deeper than the search goes")
    return int(re.search(r"(\d+) states, stored", output)[1]), int(re.search(r"errors: (\d+)", output)[1])


def main():
    cases = [(model, case, False) for model, all_right in RIGHT.items() for case in all_right]
    cases += [(model, rule, True) for model, rules in WRONG.items() for rule in rules]
    print(f"1..{len(cases)}")
    failed = 0
    for number, (model, case, wrong) in enumerate(cases, 1):
        states, errors = search(model, case)
        good = (errors > 0) == wrong
        failed += not good
        print(f"{'ok' if good else 'not ok'} {number} - {model} {'needs ' if wrong else ''}{case}: {states} states, "
              f"{errors} errors", flush=True)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
