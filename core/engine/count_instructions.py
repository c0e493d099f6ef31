#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The assembler of code that reports to the virtual engines: counts its instructions.

The compiler marks each basic block by a call of __sanitizer_cov_trace_pc, after all its
optimisations. Here each call becomes the addition of a constant: how many instructions follow it
until the next one. Those of a report are not counted: the call of a __tsan_ function or of the
engine, and what passes it address and order; of an atomic operation, which the call stands for, one
is.

Compilers find it by its name, `as`, in a folder that they are given (-B). It understands x86-64;
for another processor the calls remain, and core/engine/hooks.c counts a mean number for each.
"""

import re
import subprocess
import sys

MARK = re.compile(r"\s+call[q]?\s+\*?__sanitizer_cov_trace_pc\b")
REPORT = re.compile(r"\s+call[q]?\s+\*?(?:__tsan|al_engine)_(\w+)")
INSTRUCTION = re.compile(r"\s+[a-z]")  # neither a label nor a directive
FUNCTION_END = re.compile(r"\s+\.size\s")

# The instructions of a report that the program would not have: the call with its arguments.
PLAIN = 2  # read and write: the address
ARGUMENTS = (  # of atomic operations, whose call stands for an instruction
    (re.compile(r"atomic\d+_load"), 2),
    (re.compile(r"atomic\d+_compare_exchange"), 5),
    (re.compile(r"atomic"), 3),
)


def reported(function):
    """How many instructions of a call with its arguments are the report's own."""
    return next((n for name, n in ARGUMENTS if name.match(function)), PLAIN)


def weigh(lines):
    """The number of each mark's instructions, in the order of the marks."""
    weights, count, of_function = [], 0, 0

    def close():
        nonlocal count, of_function
        if of_function > 0:
            weights[-1] += max(count, 0)
            count = 0

    for line in lines:
        if MARK.match(line):
            if of_function > 0:
                close()
            weights.append(0)  # what comes before a function's first mark belongs to it
            of_function += 1
            continue
        if FUNCTION_END.match(line):
            close()
            count = of_function = 0
        report = REPORT.match(line)
        if report:
            count += 1 - reported(report[1])
        elif INSTRUCTION.match(line) and not line.lstrip().startswith("nop"):
            count += 1
    return weights


def count(text):
    """The program, in which each mark adds its number to the count."""
    lines = text.splitlines(keepends=True)
    weights = iter(weigh(lines))
    return "".join(f"\taddq\t${next(weights)}, al_instructions(%rip)\n" if MARK.match(line) else line
                   for line in lines)


def main():
    arguments = sys.argv[1:]
    sources = [a for a in arguments if a.endswith((".s", ".S"))]
    if "--64" not in arguments or len(sources) != 1:
        return subprocess.run(["as", *arguments], check=False).returncode
    with open(sources[0], encoding="utf-8", errors="surrogateescape") as file:
        text = count(file.read())
    arguments = [a for a in arguments if a != sources[0]]
    return subprocess.run(["as", *arguments], input=text, encoding="utf-8",
                          errors="surrogateescape", check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
