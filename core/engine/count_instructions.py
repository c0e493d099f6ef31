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

MARK = re.compile(r"\s+(call[q]?|jmp)\s+\*?__sanitizer_cov_trace_pc\b")
REPORT = re.compile(r"\s+call[q]?\s+\*?(?:__tsan|al_engine)_(\w+)")
INSTRUCTION = re.compile(r"\s+[a-z]")  # neither a label nor a directive
FUNCTION_END = re.compile(r"\s+\.size\s")
LABEL = re.compile(r"\.L(\d+|BB\d+_\d+):")  # of a block, by gcc and by clang
JUMP = re.compile(r"\s+j[a-z]+\s")

SHARED = "AL_SHARED=1"  # behind --defsym, of code for a shared object

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
    """The number of each mark's instructions, in the order of the marks. A mark stands for the
    block that it is in: for what is before it there, too."""
    weights, of_mark, of_block = [], 0, 0
    marked = True  # the block at hand; what comes before a function's first mark belongs to it
    in_function = False

    def close():
        nonlocal of_mark, of_block
        if in_function:
            weights[-1] = max(of_mark + of_block, 0)
            of_mark = of_block = 0

    for line in lines:
        mark = MARK.match(line)
        if mark:
            before = of_block if not (marked and in_function) else 0
            of_block -= before
            close()
            weights.append(0)
            of_mark, of_block = before + (mark[1] == "jmp"), 0  # a jump becomes a return
            marked = in_function = True
            continue
        if FUNCTION_END.match(line):
            close()
            of_mark = of_block = 0
            marked, in_function = True, False
        report = REPORT.match(line)
        if report:
            of_block += 1 - reported(report[1])
        elif INSTRUCTION.match(line) and not line.lstrip().startswith("nop"):
            of_block += 1
        if in_function and (LABEL.match(line) or JUMP.match(line)):
            of_mark, of_block, marked = of_mark + of_block, 0, False
    return weights


def count(text, shared=False):
    """The program, in which each mark adds its number to the count. One that the compiler has made
    a function's last jump returns, too. In a shared object the count is found by its address; a
    register that a call may change holds it."""
    lines = text.splitlines(keepends=True)
    weights = iter(weigh(lines))

    def counted(line):
        mark = MARK.match(line)
        if not mark:
            return line
        leave = "\tret\n" if mark[1] == "jmp" else ""
        add = f"\taddq\t${next(weights)}, "
        if shared:
            return f"\tmovq\tal_instructions@GOTPCREL(%rip), %r11\n{add}(%r11)\n{leave}"
        return f"{add}al_instructions(%rip)\n{leave}"

    return "".join(map(counted, lines))


def main():
    arguments = sys.argv[1:]
    sources = [a for a in arguments if a.endswith((".s", ".S"))]
    if "--64" not in arguments or len(sources) != 1:
        return subprocess.run(["as", *arguments], check=False).returncode
    with open(sources[0], encoding="utf-8", errors="surrogateescape") as file:
        text = count(file.read(), shared=SHARED in arguments)
    arguments = [a for a in arguments if a != sources[0]]
    return subprocess.run(["as", *arguments], input=text, encoding="utf-8",
                          errors="surrogateescape", check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
