# SPDX-License-Identifier: MIT
"""What lines of records say: one JSON object a line, which actorlab checks."""

import json
import os
from collections import namedtuple

from common import actorlab
from common.failure import Failure
from common.files import open_to_read

# Records that are compared, and so share a file, must agree in these.
ENVIRONMENT = ("binary_hash", "cpu", "kernel", "cpus_allowed", "topology_hash", "compiler")
OF_BUILD = ("binary_hash", "compiler", "layout")  # those that differ between builds
# The same, if both records have it: older ones do not.
SETTINGS = ("governor", "turbo", "aslr", "thp", "malloc_conf")
IN_WORDS = {
    "binary_hash": "the program", "kernel": "the kernel", "cpus_allowed": "the usable PUs",
    "topology_hash": "the topology", "compiler": "the compiler", "governor": "the frequency governor",
    "aslr": "ASLR", "thp": "transparent huge pages", "malloc_conf": "MALLOC_CONF"}
HERE = "this machine"  # the topology of a trial unless it was given another


LONGEST = 64 << 20  # bytes of a line; actorlab refuses a longer one
QUOTED = 1 << 20  # bytes of such a longer one; all others are kept whole


class Record(dict):
    """One record, as it was written."""

    trial = None  # its identity; from version 2 on, it is also in the record
    session = None  # the run of a sweep that measured it; for version 1, as far as known


# A line that is not a record, or is a duplicate of an earlier line's trial.
Bad = namedtuple("Bad", "number text problem is_duplicate")


def path_of(given):
    """The records of a folder of results, or of a file that is given itself."""
    path = given / "records.jsonl" if given.is_dir() else given
    if not path.is_file():
        raise Failure(f"{path}: no such folder or file of records")
    return path


def parse(path):
    """([Record], [Bad]); both are empty if there is no file. actorlab decides what a record is."""
    return parse_all([path])[0]


def parse_all(paths):
    """The same for each file, with one process for all. A trial that is in two files is a Bad of
    the second."""
    lines, places = [], []
    for index, path in enumerate(paths):
        for number, line in enumerate(lines_of(path), 1):
            lines.append(line)
            places.append((index, number))
    found = [([], []) for _ in paths]
    if not any(line.strip() for line in lines):
        return found
    verdicts, loaded = actorlab.check(
        actorlab.executable(), b"\n".join(lines), lambda: [load(line) for line in lines])
    for verdict in verdicts:
        place = verdict["line"] - 1
        index, number = places[place]
        records, bad = found[index]
        record, problem = loaded[place], verdict.get("problem")
        if verdict.get("newer"):
            raise Failure(f"{paths[index]}:{number}: of a later version of actorlab: {problem}")
        if problem is None and record is not None:
            record.trial, record.session = verdict["trial"], verdict.get("session")
            records.append(record)
        else:
            if "first" in verdict:
                first, line_there = places[verdict["first"] - 1]
                problem = f"the same trial as {paths[first]}:{line_there}"
            line = lines[place]
            text = line if len(line) <= LONGEST else line[:QUOTED]
            bad.append(Bad(number, text.decode(errors="backslashreplace"), problem or "cannot be read", "first" in verdict))
    return found


def lines_of(path):
    """The lines of a file without their ends, none if there is no file. Of what is longer than a
    record may be, one byte too many is kept, which is enough to refuse it."""
    try:
        with open(path, "rb", opener=open_to_read) as file:
            while line := file.readline(LONGEST + 1):
                yield line.rstrip(b"\n")
                while line and not line.endswith(b"\n"):
                    line = file.readline(LONGEST)
    except FileNotFoundError:
        return
    except OSError as error:
        raise Failure(f"{path}: {error.strerror}") from None


def new_session():
    """A new identity for a run of a sweep."""
    return os.urandom(8).hex()


def new_trial():
    """A new identity for a record."""
    return os.urandom(16).hex()


def load(line):
    """The object in a line, or None."""
    try:
        value = json.loads(line) if len(line) <= LONGEST else None
    except (ValueError, RecursionError):
        return None
    return Record(value) if isinstance(value, dict) else None


def shown(value):
    """As people read it: a switch is on, off or unset."""
    return {None: "unset", True: "on", False: "off"}[value] if value is None or isinstance(value, bool) else value


def differing(record, environment):
    """The keys in which the environment of a native record is another."""
    found = record.get("environment") or {}
    return [] if record.get("engine") == "sim" else [
        key for key in ENVIRONMENT + SETTINGS
        if found.get(key) != environment.get(key)
        and not (key == "topology_hash" and record.get("topology") != HERE)
        and not (key in SETTINGS and not (key in found and key in environment))
    ] + ["layout"] * (bool(found.get("layout")) != bool(environment.get("layout")))


def another_machine(records, environments):
    """What to tell about records that another CPU measured, if there are any. environments: as for
    `difference`."""
    for record in records:
        environment = environments.get(record.get("binary")) or {}
        keys = differing(record, environment) if environment.get("cpu") else []
        if "cpu" in keys:
            old = (record.get("environment") or {}).get("cpu") or "an unknown CPU"
            others = [IN_WORDS.get(key, key) for key in keys if key != "cpu"]
            also = f" (different, too: {', '.join(others)})" if others else ""
            return f"measured on {old}; this is {environment['cpu']}{also}"
    return None


def difference(records, environments, method_of, programs, model_difference=None):
    """The first reason why new trials cannot join a file of these records, as (what, theirs, ours);
    None if there is none. environments: build -> its own, None for the one that has no name.
    method_of(record): the iterations that a trial in its place is asked for now. programs: peer ->
    its hash. model_difference(record): the same reason of a simulated record, whose host does not
    matter."""
    for record in records:
        method = method_of(record)
        if record.get("engine") == "sim":
            for key in method:
                if (old := asked(record)[key]) != method[key]:
                    return key, old, method[key]
            if found := model_difference(record):
                return found
            continue
        build = record.get("binary")
        environment, whose = environments.get(build), "" if build is None else f" of {build}"
        if environment is None:  # a build that the sweep no longer has
            environment = {**environments[None], **{key: (record.get("environment") or {}).get(key) for key in OF_BUILD}}
        if record.get("peer") is not None and record["scheduler"] in programs:
            old, new = record["peer"].get("program_hash"), programs[record["scheduler"]]
            if old != new:
                return record["scheduler"], old or "missing", new or "missing"
        for key in differing(record, environment):
            values = (place.get(key) for place in (record.get("environment") or {}, environment))
            return (key + whose * (key in OF_BUILD), *(
                shown(bool(value)) if key == "layout" else shown(value) if key in SETTINGS else value for value in values))
        for key in method:
            if (old := asked(record)[key]) != method[key]:
                return key, old, method[key]
    return None


def asked(record):
    """The iterations that a trial was asked for. `warmup` says how many it ran."""
    return {"iterations": record.get("iterations"), "warmup": record.get("warmup_rule") or record.get("warmup")}


def superseded(records):
    """The trials of groups that ran again as a whole."""
    return {trial for record in records for trial in (record.get("sweep") or {}).get("supersedes", ())}


def by_block(records, of_session=True):
    """(session, block) -> the cells that were measured in it, in the order of the records. Not
    of_session: whichever session measured them, the session is None."""
    blocks, old = {}, superseded(records)
    for record in records:
        sweep = record.get("sweep") or {}
        if record.get("trial") not in old and sweep.get("cell") is not None and sweep.get("block") is not None:
            session = record.session if of_session else None
            blocks.setdefault((session, sweep["block"]), set()).add(sweep["cell"])
    return blocks
