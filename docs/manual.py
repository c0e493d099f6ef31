#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes the man page actorlab(1) from the commands' own help: manual.py ACTORLAB VERSION."""

import re
import subprocess
import sys

DESCRIPTION = """\
.B actorlab
measures strategies of scheduling actors: it runs workloads on them, records each run, and compares
what was recorded. Sweeps over many runs, figures and reports are made by scripts in the source
tree, which call this program.
"""
REST = """\
.SH EXIT STATUS
.TP
.B 0
Everything went well.
.TP
.B 1
A run gave a wrong answer, some records could not be used, or
.B compare \\-\\-fail\\-on\\-regression
found a regression.
.TP
.B 2
The command line is wrong, or what it names cannot be used.
.TP
.B 3
Something could not be written.
.TP
.B 4
.B compare \\-\\-fail\\-on\\-regression
could not have found a regression, with so few blocks or sessions.
.TP
.B 124
A run delivered no message for the time of
.BR \\-\\-timeout .
.SH ENVIRONMENT
.TP
.B NO_COLOR
If it is set, output has no colours unless
.B \\-\\-color always
asks for them.
.SH EXAMPLES
Measure one workload on two workers, and keep the record:
.PP
.EX
actorlab run executor \\-\\-workers 2 \\-\\-json records.jsonl
.EE
.PP
Compare each cell of a sweep with that of one strategy:
.PP
.EX
actorlab compare results/quick \\-\\-against scheduler=inverted
.EE
.SH SEE ALSO
.BR lstopo (1),
.BR taskset (1)
.PP
The folder docs of the source tree explains records, statistics and strategies.
"""


def roff(text):
    """Text that means itself to groff."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("…", "...")
    return re.sub(r"^(['.])", r"\\&\1", text, flags=re.MULTILINE)


def options(lines):
    """Options, each with its help, which continues on lines that are indented further."""
    entries = []
    for line in lines:
        found = re.match(r"  (-\S*(?: \S+)*)(?:  +(.*))?$", line)
        if found:
            entries.append([found[1], *([found[2]] if found[2] else [])])
        else:
            entries[-1].append(line.strip())
    for name, *text in entries:
        yield f".TP\n.B {roff(name)}\n{roff(' '.join(text))}\n"


def paragraph(lines):
    if re.match("  -", lines[0]):
        yield from options(lines)
        return
    while lines:
        verbatim = lines[0].startswith("  ")
        others = (i for i, line in enumerate(lines) if line.startswith("  ") != verbatim)
        end = next(others, len(lines))
        text = roff("\n".join(lines[:end]))
        yield f".PP\n.EX\n{text}\n.EE\n" if verbatim else f".PP\n{text}\n"
        lines = lines[end:]


def main(actorlab, version):
    def asked(*words):
        return subprocess.run([actorlab, *words, "--help"], check=True, text=True,
                              stdout=subprocess.PIPE).stdout

    commands = re.findall(r"^  (\w+) +(.*)$", asked(), re.MULTILINE)
    page = [f'.TH ACTORLAB 1 "" "actorlab {version}" "User Commands"\n.SH NAME\n'
            "actorlab \\- compare strategies of scheduling actors\n.SH SYNOPSIS\n"
            ".B actorlab\n.I COMMAND\n[options]\n.SH DESCRIPTION\n", DESCRIPTION, ".SH COMMANDS\n"]
    for name, summary in commands:
        usage, *rest = asked(name).strip("\n").split("\n\n")
        page.append(f".SS {name}\n{roff(summary[0].upper() + summary[1:])}.\n.PP\n.EX\n"
                    f"{roff(re.sub('(?m)^(usage:|      ) ', '', usage))}\n.EE\n")
        for part in rest:
            page.extend(paragraph(part.splitlines()))
    sys.stdout.write("".join(page) + REST)


if __name__ == "__main__":
    main(*sys.argv[1:])
