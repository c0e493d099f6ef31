# SPDX-License-Identifier: MIT
"""The records of a results folder: one JSON object a line, written by one sweep at a time."""

import fcntl
import json
import os
import secrets
import time
from collections import namedtuple
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from common import actorlab
from common.failure import NO_WRITE, Failure

# Records that are compared, and so share a file, must agree in these.
ENVIRONMENT = ("binary_hash", "cpu", "kernel", "cpus_allowed", "topology_hash", "compiler")
OF_BUILD = ("binary_hash", "compiler")  # those that differ between builds
# The same, if both records have it: older ones do not.
SETTINGS = ("governor", "turbo", "aslr", "thp", "malloc_conf")
HERE = "this machine"  # the topology of a trial unless it was given another


class Record(dict):
    """One record, as it was written."""

    trial = None  # its identity; from version 2 on, it is also in the record
    session = None  # the run of a sweep that measured it; for version 1, as far as known


# A line that is not a record, or is a duplicate of an earlier line's trial.
Bad = namedtuple("Bad", "number text problem is_duplicate")


def parse(path):
    """([Record], [Bad]); both are empty if there is no file. actorlab decides what a record is."""
    return parse_all([path])[0]


def parse_all(paths):
    """The same for each file, with one process for all. A trial that is in two files is a Bad of
    the second."""
    lines, places = [], []
    for index, path in enumerate(paths):
        try:
            content = path.read_bytes() if path.exists() else b""
        except OSError as error:
            raise Failure(f"{path}: {error.strerror}") from None
        for number, line in enumerate(content.split(b"\n"), 1):
            lines.append(line)
            places.append((index, number))
    found = [([], []) for _ in paths]
    if not any(line.strip() for line in lines):
        return found
    with ThreadPoolExecutor(1) as thread:  # actorlab checks the lines while we parse them
        verdicts = thread.submit(actorlab.check, actorlab.executable(), b"\n".join(lines))
        loaded = [load(line) for line in lines]
    for verdict in verdicts.result():
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
            text = lines[place].decode(errors="backslashreplace")
            bad.append(Bad(number, text, problem or "cannot be read", "first" in verdict))
    return found


def new_session():
    """A new identity for a run of a sweep."""
    return secrets.token_hex(8)


def new_trial():
    """A new identity for a record."""
    return secrets.token_hex(16)


def load(line):
    """The object in a line, or None."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return Record(value) if isinstance(value, dict) else None


def shown(value):
    """As people read it: a switch is on, off or unset."""
    return {None: "unset", True: "on", False: "off"}[value] if value is None or isinstance(value, bool) else value


def difference(records, environments, method, programs, model_difference=None):
    """The first reason why new trials cannot join a file of these records, as (what, theirs, ours);
    None if there is none. environments: build -> its own, None for the one that has no name.
    programs: peer -> its hash. model_difference(record): the same reason of a simulated record,
    whose host does not matter."""
    for record in records:
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
        for old, new, keys in ((record.get("environment") or {}, environment, ENVIRONMENT + SETTINGS), (asked(record), method, method)):
            for key in keys:
                elsewhere = key == "topology_hash" and record.get("topology") != HERE
                unsaid = key in SETTINGS and not (key in old and key in new)
                if old.get(key) != new.get(key) and not elsewhere and not unsaid:
                    return (key + whose * (key in OF_BUILD), *(shown(value) if key in SETTINGS else value for value in (old.get(key), new.get(key))))
    return None


def asked(record):
    """The iterations that a trial was asked for. `warmup` says how many it ran."""
    return {"iterations": record.get("iterations"), "warmup": record.get("warmup_rule") or record.get("warmup")}


def by_block(records, of_session=True):
    """(session, block) -> the cells that were measured in it, in the order of the records. Not
    of_session: whichever session measured them, the session is None."""
    blocks = {}
    for record in records:
        sweep = record.get("sweep") or {}
        if sweep.get("cell") is not None and sweep.get("block") is not None:
            session = record.session if of_session else None
            blocks.setdefault((session, sweep["block"]), set()).add(sweep["cell"])
    return blocks


def write_whole(path, content):
    """Writes a whole file or nothing: a crash leaves the old one."""
    temporary = path.with_name(path.name + ".new")
    with open(temporary, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)


class Records:
    def __init__(self, folder):
        """Locks the folder for this process, or raises Failure."""
        self.folder = Path(folder)
        self.path = self.folder / "records.jsonl"
        self._file = None
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(self.folder / ".lock", os.O_RDWR | os.O_CREAT, 0o666)
            try:
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                pid = os.read(self._lock, 20).decode().strip()
                raise Failure(f"{self.folder}: another sweep (process {pid}) is writing here", NO_WRITE) from None
            os.ftruncate(self._lock, 0)
            os.write(self._lock, f"{os.getpid()}\n".encode())
        except OSError as error:
            raise cannot_write(error, self.folder) from None

    def set_aside(self):
        """Moves the records aside for a sweep that starts afresh. Returns where they went."""
        stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
        for name in (f"records.{stamp}.jsonl", *(f"records.{stamp}-{n}.jsonl" for n in range(2, 100))):
            try:
                os.link(self.path, self.folder / name)
                self.path.unlink()
                return self.folder / name
            except FileNotFoundError:
                return None
            except FileExistsError:
                continue
            except OSError as error:
                raise cannot_write(error, self.path) from None
        raise Failure(f"{self.folder}: too many records.{stamp}*.jsonl", NO_WRITE)

    def load(self):
        """([Record], [Bad]). Moves the bad lines to records.quarantine."""
        records, bad = parse(self.path)
        try:
            if bad:
                with open(self.folder / "records.quarantine", "a", encoding="utf-8") as file:
                    for entry in bad:
                        file.write(json.dumps(
                            {"line": entry.number, "problem": entry.problem, "text": entry.text}) + "\n")
                    file.flush()
                    os.fsync(file.fileno())
                numbers = {entry.number for entry in bad}
                lines = self.path.read_bytes().split(b"\n")
                good = [text for number, text in enumerate(lines, 1) if text.strip() and number not in numbers]
                write_whole(self.path, b"".join(text + b"\n" for text in good))
            self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
            self._end_line()
            folder = os.open(self.folder, os.O_RDONLY)
            os.fsync(folder)
            os.close(folder)
        except OSError as error:
            raise cannot_write(error, self.path) from None
        return records, bad

    def retire(self, records, again):
        """Moves the loaded records for which again(record) is true to records.retried.jsonl,
        unchanged. Returns the others."""
        lines = [text for text in self.path.read_bytes().split(b"\n") if text.strip()]
        assert len(lines) == len(records)
        old = [text for text, record in zip(lines, records) if again(record)]
        if not old:
            return records
        try:
            with open(self.folder / "records.retried.jsonl", "ab") as file:
                file.write(b"".join(text + b"\n" for text in old))
                file.flush()
                os.fsync(file.fileno())
            # If killed in between, a record is in both files, and its trial is still to be retried.
            write_whole(self.path, b"".join(text + b"\n" for text, record in zip(lines, records) if not again(record)))
            os.close(self._file)
            self._file = os.open(self.path, os.O_RDWR | os.O_APPEND)
        except OSError as error:
            raise cannot_write(error, self.path) from None
        return [record for record in records if not again(record)]

    def _end_line(self):
        """Adds the newline that the last record may have lost."""
        size = os.fstat(self._file).st_size
        if size and os.pread(self._file, 1, size - 1) != b"\n":
            os.write(self._file, b"\n")

    def append(self, record):
        """The record is on the disk when this returns. If it cannot be written, the file stays as
        it was."""
        size = os.fstat(self._file).st_size
        rest = line(record)
        try:
            while rest:
                rest = rest[os.write(self._file, rest):]
            os.fsync(self._file)
        except OSError as error:
            os.ftruncate(self._file, size)
            raise cannot_write(error, self.path) from None

    def keep_copy(self, name, content):
        try:
            write_whole(self.folder / name, content)
        except OSError as error:
            raise cannot_write(error, self.folder / name) from None


def line(record):
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode(errors="replace") + b"\n"


def cannot_write(error, path):
    return Failure(f"{path}: cannot write: {error.strerror}", NO_WRITE)
