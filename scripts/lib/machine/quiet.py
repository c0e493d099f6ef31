# SPDX-License-Identifier: MIT
"""Quiets a machine for measuring, and restores exactly what it found, even after a kill -9.
docs/reference/noise.md.

`on` saves what it finds in a file, which is on the disk before anything changes. `off` changes back
only what still is as `on` set it, so that it can be repeated after any interruption, and removes
that file last."""

import json
import os
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path

from common.arguments import Parser
from common.failure import NO_WRITE, Failure, failing
from common.screen import complain

FILE = "actorlab-quiet.json"
THP = ("madvise", "never")


@dataclass(frozen=True)
class Kind:
    """Files of sysfs with the same effect."""

    name: str
    pattern: str
    quiet: str | None  # the value that disturbs least; None: left alone unless asked for
    follows: bool = False  # the kernel changes it along with an earlier one


KINDS = (
    Kind("governor", "devices/system/cpu/cpufreq/policy*/scaling_governor", "performance"),
    Kind("energy preference", "devices/system/cpu/cpufreq/policy*/energy_performance_preference", "performance", True),
    Kind("turbo (no_turbo)", "devices/system/cpu/intel_pstate/no_turbo", "1"),
    Kind("turbo (boost)", "devices/system/cpu/cpufreq/boost", "0"),
    Kind("turbo (boost of a policy)", "devices/system/cpu/cpufreq/policy*/boost", "0", True),
    Kind("transparent huge pages", "kernel/mm/transparent_hugepage/enabled", None),
)


@dataclass(frozen=True)
class Knob:
    """One file: its value when found, and the one that `on` sets."""

    kind: str
    path: str
    found: str
    quiet: str
    follows: bool


def sysfs():
    return Path(os.environ.get("AL_SYSFS", "/sys"))


def saved_at():
    """Where the found state is saved, or will be: in a folder that a restart of the machine
    empties, because a restart also resets the settings."""
    folders = ["/run", os.environ.get("XDG_RUNTIME_DIR")]
    if os.environ.get("AL_RUN"):
        folders = [os.environ["AL_RUN"]]
    paths = [Path(folder) / FILE for folder in folders if folder]
    there = [path for path in paths if path.exists()]
    writable = [path for path in paths if os.access(path.parent, os.W_OK)]
    return (there or writable or paths)[0]


def read(path):
    """The value of a knob, or None if it cannot be read. Of "always [madvise] never", the one in
    brackets, which is in force."""
    try:
        text = Path(path).read_text(encoding="ascii").partition("\n")[0]
    except (OSError, ValueError):
        return None
    _, bracket, rest = text.partition("[")
    return rest.partition("]")[0] if bracket else text


def write(path, value):
    """Writes a value. Returns a line that says why it failed, or None."""
    try:
        with open(os.open(path, os.O_WRONLY), "wb", buffering=0) as file:
            file.write(f"{value}\n".encode())
    except OSError as error:
        return f"{path}: cannot write {value}: {error.strerror}"
    return None


def find(thp):
    """The knobs of this machine."""
    knobs = []
    for kind in KINDS:
        quiet = kind.quiet or thp
        paths = sysfs().glob(kind.pattern) if quiet else ()
        for path in sorted(paths, key=lambda path: (len(str(path)), str(path))):
            found = read(path)
            if found is not None and offers(path, quiet):
                knobs.append(Knob(kind.name, str(path), found, quiet, kind.follows))
    return knobs


def offers(path, value):
    """Not every driver has every governor."""
    if path.name != "scaling_governor":
        return True
    available = read(path.with_name("scaling_available_governors"))
    return available is None or value in available.split()


def load(path):
    """The knobs that an earlier `on` found, or None."""
    try:
        return [Knob(**entry) for entry in json.loads(path.read_text(encoding="utf-8"))["knobs"]]
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Failure(f"{path}: {error.strerror}") from None
    except (ValueError, TypeError, KeyError):
        raise Failure(f"{path}: not what `quiet on` writes; what it found is lost, remove the file") from None


def save(path, knobs):
    """Everything is on the disk when this returns. Never replaces what an earlier `on` saved."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        with open(temporary, "w", encoding="utf-8") as file:
            json.dump({"knobs": [asdict(knob) for knob in knobs]}, file, indent=1)
            file.flush()
            os.fsync(file.fileno())
        os.link(temporary, path)
        sync(path.parent)
    except OSError as error:
        raise Failure(f"{path}: cannot write: {error.strerror}; nothing was changed", NO_WRITE) from None
    finally:
        temporary.unlink(missing_ok=True)


def forget(path):
    with failing(f"{path}: all is restored, but this file cannot be removed", NO_WRITE):
        path.unlink(missing_ok=True)
        for left in path.parent.glob(f"{FILE}.*"):  # left by a killed `on`
            left.unlink(missing_ok=True)
        sync(path.parent)


def sync(folder):
    file = os.open(folder, os.O_RDONLY)
    os.fsync(file)
    os.close(file)


def say_each(lines):
    """Prints equal lines once, because each CPU may have a policy of its own."""
    for line, times in Counter(lines).items():
        print(line + (f" ({times} policies)" if times > 1 else ""))


def say_missing(knobs):
    frequencies = any(sysfs().glob("devices/system/cpu/cpufreq/policy*"))
    for name in ("governor", "turbo"):
        if not any(knob.kind.startswith(name) for knob in knobs):
            print(f"{name}: no switch for it here" + ("" if frequencies else ", as in most virtual machines"))


def on(options):
    path = saved_at()
    knobs = load(path)
    if knobs is None:
        knobs = find(options.thp)
        say_missing(knobs)
        locked = [knob for knob in knobs if not os.access(knob.path, os.W_OK) and knob.found != knob.quiet]
        if locked:
            raise Failure(f"{locked[0].path}: cannot be written{'' if os.geteuid() == 0 else ' without being root'}; "
                          "nothing was changed", NO_WRITE)
        if all(knob.found == knob.quiet for knob in knobs if not knob.follows):
            print("quiet already: nothing was changed" if knobs else "nothing was changed")
            return 0
        save(path, knobs)
    elif options.thp and not any(knob.kind.startswith("transparent") for knob in knobs):
        raise Failure("already on without --thp: run `off` first")
    else:
        print(f"{path}: keeps the settings that an earlier `on` found")
    now = {knob: read(knob.path) for knob in knobs}
    problems, _ = change((knob, now[knob], knob.quiet) for knob in knobs if now[knob] != knob.quiet and not knob.follows)
    print("`scripts/quiet off` restores it")
    return NO_WRITE if problems else 0


def change(wanted):
    """Writes and says each of these (knob, old value, new value). Returns (problems, changes)."""
    problems, changes = [], []
    for knob, old, new in wanted:
        problem = write(knob.path, new)
        problems += [problem] if problem else []
        changes += [] if problem else [f"{knob.kind}: {old} -> {new}"]
    say_each(changes)
    for problem in problems:
        complain(f"scripts/quiet: {problem}")
    return problems, changes


def to_restore(knobs):
    """Yields what still is as `on` set it, when it is asked for."""
    for knob in knobs:
        now = read(knob.path)
        if now is None:
            complain(f"scripts/quiet: {knob.path}: gone; it was {knob.found}")
        elif now not in (knob.found, knob.quiet):
            complain(f"scripts/quiet: {knob.path}: set to {now} by someone else, left alone; it was {knob.found}")
        elif now != knob.found:
            yield knob, now, knob.found


def off(options):
    path = saved_at()
    knobs = load(path)
    if knobs is None:
        print("not on: nothing to restore")
        return 0
    problems, changes = change(to_restore(knobs))
    if problems:
        complain(f"scripts/quiet: {path} is kept, so `off` can be tried again")
        return NO_WRITE
    forget(path)
    print("restored" if changes else "all is as it was found")
    return 0


def show(options):
    saved = load(saved_at())
    print("off" if saved is None else "on: `scripts/quiet off` restores what was found")
    found = {knob.path: knob.found for knob in saved or ()}
    knobs = find(THP[0])
    say_each(f"{knob.kind}: {read(knob.path)}" + (f", found as {found[knob.path]}" if knob.path in found else "")
             for knob in knobs)
    say_missing(knobs)
    print(f"SMT: {read(sysfs() / 'devices/system/cpu/smt/control') or 'unknown'}; left alone: --pin decides")
    print("ASLR: left alone; `setarch -R COMMAND` runs one command without it")
    return 0


def main():
    parser = Parser(
        prog="scripts/quiet",
        description="Quiets the machine for measuring: sets the governor to performance and turns turbo "
        "off. `off` restores exactly what was found. SMT and ASLR are left alone.",
        epilog="Exit codes: 0 done, 2 usage, 3 could not write. AL_SYSFS names another folder than /sys, AL_RUN "
        "another than /run for what was found.",
    )
    parser.add_argument("what", choices=["on", "off", "show"])
    parser.add_argument("--thp", choices=THP, help="with on: also set transparent huge pages")
    options = parser.parse_args()
    if options.thp and options.what != "on":
        parser.error("--thp is only valid with `on`")
    try:
        return {"on": on, "off": off, "show": show}[options.what](options)
    except Failure as failure:
        complain(f"scripts/quiet: {failure}")
        return failure.code
