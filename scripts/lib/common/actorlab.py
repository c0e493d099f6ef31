# SPDX-License-Identifier: MIT
"""The `actorlab` command: builds it and asks it."""

import functools
import json
import os
import subprocess
import threading
from pathlib import Path

from common.failure import Failure, failing
from common.screen import complain

ROOT = Path(__file__).resolve().parents[3]
INSTALLED = (ROOT / "program").is_symlink()  # by scripts/meson.build: there is nothing to build
RESULTS = Path("results") if INSTALLED else ROOT / "results"

_steps = set()  # the running processes of builds
_starting = threading.Lock()  # held until a process that has started is among them


def quietly(command, what, **environment):
    """Runs a step of the build, and shows its output only if it fails."""
    with failing(f"{what}: {command[0]}"), _starting:
        process = subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            errors="replace", env={**os.environ, **environment})
        _steps.add(process)
    try:
        output, _ = process.communicate()
    finally:
        _steps.discard(process)
    if process.returncode != 0:
        raise Failure(f"{output.rstrip()}\n{what} failed: {' '.join(command)}")


def stop_steps():
    """Ends the steps that other threads wait for. A later build continues where it stopped."""
    with _starting:
        for process in _steps.copy():
            process.terminate()


def configure(folder, options, **environment):
    """Sets up a build folder unless it exists. Build folders keep their options."""
    if not (ROOT / folder / "build.ninja").exists():
        quietly(["meson", "setup", folder, *options], "configuring", **environment)


def executable():
    """Where actorlab is or will be: installed, or in the release build, unless AL_ACTORLAB names
    another."""
    standard = (ROOT / "program").resolve() if INSTALLED else ROOT / "build" / "actorlab"
    return Path(os.environ.get("AL_ACTORLAB", standard)).absolute()


def build(peers=()):
    """Builds actorlab if needed, and its simulator, with those peers that have a build option and
    whose packages are installed. Returns where it is."""
    if INSTALLED or "AL_ACTORLAB" in os.environ:
        return executable()
    if not executable().exists():
        complain("building actorlab …")
    configure("build", ["--buildtype=release"])
    wanted = {peer.option for peer in peers if peer.option and not peer.present()}
    if wanted:
        # auto: only with its packages, which may have been installed since meson last looked.
        options = [f"-D{option}=auto" for option in sorted(wanted)]
        quietly(["meson", "configure", "build", *options], "configuring")
    target = "peers" if any(peer.built for peer in peers) else "actorlab"
    quietly(["ninja", "-C", "build", target, "actorlab-sim"], "building")
    return executable()


def words(*arguments):
    """These arguments for the command line of a program. The path of a folder that is called -rf is
    no option, nor is that of one called - the standard input."""
    return [f"./{word}" if isinstance(word, Path) and str(word).startswith("-") else str(word)
            for word in arguments]


def status(code):
    """A child's exit code as this process returns it, in the way of a shell."""
    return 128 - code if code < 0 else code


def output(actorlab, *arguments, accept=(0,), **options):
    """What `actorlab ARGUMENTS` prints. accept: the exit codes that are no failure."""
    command = words(actorlab, *arguments)
    with failing(actorlab):
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", **options)
    said = done.stderr.strip()
    if done.returncode not in accept:
        raise Failure(said or f"{' '.join(command)}: exit code {done.returncode}")
    if said:
        complain(said)
    return done.stdout


def ask(actorlab, *arguments, **options):
    """The same, which must be JSON."""
    try:
        return json.loads(output(actorlab, *arguments, **options))
    except ValueError as error:
        raise Failure(f"{' '.join(words(actorlab, *arguments))}: not JSON: {error}") from None


@functools.cache
def palette(actorlab):
    """The order and the colours of strategies."""
    return ask(actorlab, "list", "--json")["palette"]


def answers(actorlab, commands, *options):
    """For each list of arguments of `actorlab run`: {"problem"}, why that run would refuse to
    start; else {"machine"} if it would simulate one, and with the option --messages {"messages"} if
    their number is known."""
    commands = list(commands)
    text = "".join(json.dumps([str(word) for word in words]) + "\n" for words in commands)
    command = [str(actorlab), "foresee", *options, "-"]
    with failing(actorlab):
        done = subprocess.run(command, input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              errors="replace", process_group=0)  # Ctrl-C is for the sweep
    try:
        if done.returncode not in (0, 1):
            last = done.stderr.strip().rpartition("\n")[2]
            raise ValueError(f"exit code {done.returncode}" + (f": {last}" if last else ""))
        found = [json.loads(line) for line in done.stdout.splitlines()]
        if len(found) != len(commands):
            raise ValueError(f"{len(found)} answers to {len(commands)} lines")
    except ValueError as error:
        raise Failure(f"{' '.join(command)}: {error}") from None
    return found


def check(actorlab, lines, meanwhile):
    """What `actorlab results --check` says of each of these lines that is not blank: {"line",
    "trial"} for a record, {"line", "problem"} for anything else. And what meanwhile() returns,
    which runs at the same time."""
    command = [str(actorlab), "results", "--check", "-"]
    pipe = subprocess.PIPE
    with failing(actorlab):
        process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, process_group=0)
    said = []  # (concurrent.futures would take longer to load than a short file to check)
    thread = threading.Thread(target=lambda: said.extend(process.communicate(lines)))
    thread.start()
    try:
        done = meanwhile()
    finally:
        thread.join()
    output, errors = said
    if process.returncode not in (0, 1):
        reason = errors.decode(errors="replace").strip() or f"exit code {process.returncode}"
        raise Failure(f"{' '.join(command)}: {reason}")
    try:
        return [json.loads(line) for line in output.splitlines()], done
    except ValueError as error:
        raise Failure(f"{' '.join(command)}: not JSON: {error}") from None
