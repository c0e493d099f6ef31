# SPDX-License-Identifier: MIT
"""Layouts of a build: the same objects, linked in other orders."""

import hashlib
import os
import shlex
import subprocess

from common.failure import Failure, failing

INSTEAD = "--one-layout measures it as it is"
# All objects of an archive are among those that are named, and need not come again.
WHOLE = ("-Wl,--whole-archive", "-Wl,--no-whole-archive")


def linked(program, n, say):
    """The paths of n layouts of a program that ninja has built. In which order layout k has an
    object depends on its name alone, so that two builds have what both have in one order."""
    folder = program.parent / "layouts"
    fresh = [folder / str(k) for k in range(n)]
    old = [path for path in fresh if not path.exists() or path.stat().st_mtime_ns < program.stat().st_mtime_ns]
    if not old:
        return fresh
    say(f"linking {program} in {len(old)} orders …")
    folder.mkdir(exist_ok=True)
    new = folder / f"new-{os.getpid()}"
    command = shlex.split(output(program, ["ninja", "-t", "commands", "-s", program.name]))
    trace = output(program, [*command, "-Wl,--trace", "-o", str(new)]).splitlines()
    # Objects of archives too; those of the compiler and of libraries have absolute paths.
    objects = {line for line in trace if line.endswith(".o") and not os.path.isabs(line)}
    place = next((i for i, word in enumerate(command) if word in objects), None)
    if place is None:
        raise Failure(f"{program} is not linked from objects: {INSTEAD}")
    before, after = command[:place], [word for word in command[place:] if word not in objects and word not in WHOLE]
    for path in old:
        order = sorted(objects, key=lambda name: hashlib.sha256(f"{path.name} {name}".encode()).digest())
        output(program, [*before, *order, *after, "-o", str(new)])
        os.replace(new, path)
    return fresh


def output(program, command):
    """What a command prints in the program's folder."""
    with failing(command[0]):
        done = subprocess.run(command, cwd=program.parent, capture_output=True, text=True)
    if done.returncode != 0:
        reason = (done.stderr.strip() or f"exit code {done.returncode}").partition("\n")[0]
        raise Failure(f"{program} cannot be linked in another order: {reason}; {INSTEAD}")
    return done.stdout
