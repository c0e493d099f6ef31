# SPDX-License-Identifier: MIT
"""Writes the records of a results folder, for one sweep at a time. Whatever happens to the folder
meanwhile, what was measured stays on the disk, and the sweep goes on."""

import fcntl
import itertools
import json
import os
import time
from pathlib import Path

from common.failure import NO_WRITE, Failure, writing
from common.files import cannot_write, open_lock, open_own, own, read_own, write_whole
from common.screen import complain
from common.words import plural
from results.records import lines_of, parse

RECORDS = "records.jsonl"
KEPT = "records.kept.jsonl"  # of those that could not have their own name again
AT_ONCE = 1 << 20  # bytes of a read


class Records:
    def __init__(self, folder, say=complain):
        """Locks the folder for this process, or raises Failure. say: prints a line for people."""
        self.folder, self.say = Path(folder), say
        self._copies = {}  # name -> content, of all files beside the records
        self._file = None
        self.lost = False  # the records have no name any more
        with writing(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
            self._absolute = self.folder.absolute()  # the current folder may be removed, too
            self._lock_folder()

    @property
    def path(self):
        return self.folder / RECORDS

    def _lock_folder(self):
        self._place = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY)
        self._lock = open_lock(self.folder / ".lock")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            pid = os.read(self._lock, 20).decode().strip()
            raise Failure(f"{self.folder}: another sweep (process {pid}) is writing here", NO_WRITE) from None
        if os.fstat(self._lock).st_nlink == 1:  # not through a hard link
            os.ftruncate(self._lock, 0)
            os.write(self._lock, f"{os.getpid()}\n".encode())

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
        with writing(self.path):
            own(self.path)
            records, bad = parse(self.path)
            if bad:
                kept = ({"line": entry.number, "problem": entry.problem, "text": entry.text} for entry in bad)
                add(self.folder / "records.quarantine", (json.dumps(entry).encode() + b"\n" for entry in kept))
                numbers = {entry.number for entry in bad}
                good = [text for number, text in enumerate(lines_of(self.path), 1) if text.strip() and number not in numbers]
                write_whole(self.path, b"".join(text + b"\n" for text in good))
            self._open()
            os.fsync(self._place)
        return records, bad

    def retire(self, records, again):
        """Moves the loaded records for which again(record) is true to records.retried.jsonl,
        unchanged. Returns the others."""
        lines = [text for text in self.path.read_bytes().split(b"\n") if text.strip()]
        assert len(lines) == len(records)
        old = [text for text, record in zip(lines, records) if again(record)]
        if not old:
            return records
        with writing(self.path):
            add(self.folder / "records.retried.jsonl", (text + b"\n" for text in old))
            # If killed in between, a record is in both files, and its trial is still to be retried.
            write_whole(self.path, b"".join(text + b"\n" for text, record in zip(lines, records) if not again(record)))
            self._open()
        return [record for record in records if not again(record)]

    def _open(self, lost=b""):
        """Opens the records to append to them, and adds lost ones. The file that was open before
        may be the only one that has these, and is closed last."""
        file = open_own(self.path, os.O_RDWR | os.O_APPEND)
        size = os.fstat(file).st_size
        try:
            end_line(file)
            start = os.fstat(file).st_size
            write_all(file, lost)
        except OSError:
            cut_back(file, size)
            os.close(file)
            raise
        if self._file is not None:
            os.close(self._file)
        self._file, self._start = file, start  # what follows was measured by this process

    def append(self, record):
        """The record is on the disk when this returns. If it cannot be written, the file stays as
        it was."""
        size = os.fstat(self._file).st_size
        try:
            write_all(self._file, line(record))
        except OSError as error:
            cut_back(self._file, size)
            raise cannot_write(error, self.path) from None
        self.settle()

    def keep_copy(self, name, content):
        """Writes a file beside the records; None removes it."""
        self._copies[name] = content
        self.settle()
        self._put(name, content)

    def _put(self, name, content):
        with writing(self.folder / name):
            if content is None:
                (self.folder / name).unlink(missing_ok=True)
            else:
                write_whole(self.folder / name, content)

    def settle(self):
        """Makes sure that what was measured is under its name, where the next command looks for it.
        Folder and records may have been removed, renamed or replaced since they were opened."""
        try:
            if not same(self._absolute, self._place):
                self._follow()
            elif self._file is not None and not same(self.path, self._file):
                self._write_again()
        except OSError as error:
            self.lost = True
            raise self._saved_elsewhere(error) from None

    def _follow(self):
        """Goes to where the folder is now, or makes it again."""
        old, now = self.folder, Path(os.readlink(f"/proc/self/fd/{self._place}"))
        if same(now, self._place):
            self.folder = self._absolute = now
            self.say(f"{old}: was renamed: the sweep goes on in {now}")
        else:
            self.folder = self._absolute = next(path for path in names(self._absolute) if not os.path.lexists(path))
            self.folder.mkdir(parents=True)
            os.close(self._place)
            os.close(self._lock)
            self._lock_folder()
            self.say(f"{old}: was removed: the sweep goes on in {self.folder}")
            self.settle()  # before anything that can fail
            for name, content in self._copies.items():
                self._put(name, content)
        self.settle()

    def _write_again(self):
        """Adds to the file that has the records' name now, or to a new one, what was lost."""
        ours = read_all(self._file)
        if not os.path.lexists(self.path):
            lost, what = ours.splitlines(keepends=True), "was removed"
        else:  # as an editor does that saves it
            there = set(read_own(self.path).splitlines())
            lost = [text for text in ours[self._start:].splitlines(keepends=True) if text.rstrip(b"\n") not in there]
            what = "was replaced"
        self._open(b"".join(lost))
        os.fsync(self._place)
        self.say(f"{self.path}: {what} while the sweep ran: {plural(len(lost), 'record')} written again")

    def _saved_elsewhere(self, error):
        """The Failure of a sweep whose records have lost their name and cannot have it again."""
        failure = cannot_write(error, self.path)
        for path in (self.folder / KEPT, Path(f"{self._absolute.name}.{KEPT}")) if self._file is not None else ():
            try:
                write_whole(path, read_all(self._file))
            except OSError:
                continue
            return Failure(f"{failure}; its records are in {path}", NO_WRITE)
        return failure


def same(path, file):
    """Whether the path names this open file."""
    try:
        return os.path.samestat(os.stat(path, follow_symlinks=path.name != RECORDS), os.fstat(file))
    except (FileNotFoundError, NotADirectoryError):
        return False


def names(folder):
    """Where a folder could be made again: itself, folder-2, folder-3 …"""
    yield folder
    for number in itertools.count(2):
        yield folder.with_name(f"{folder.name}-{number}")


def line(record):
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode(errors="replace") + b"\n"


def add(path, lines):
    """Appends lines to a file, on the disk."""
    with open(path, "ab", opener=open_own) as file:
        file.writelines(lines)
        file.flush()
        os.fsync(file.fileno())


def write_all(file, rest):
    while rest:
        rest = rest[os.write(file, rest):]
    os.fsync(file)


def read_all(file):
    parts, place = [], 0
    while part := os.pread(file, AT_ONCE, place):
        parts.append(part)
        place += len(part)
    return b"".join(parts)


def end_line(file):
    """Adds the newline that the last record may have lost."""
    size = os.fstat(file).st_size
    if size and os.pread(file, 1, size - 1) != b"\n":
        write_all(file, b"\n")


def cut_back(file, size):
    """To this size, if that is still possible: else readers find half a line and leave it out."""
    try:
        os.ftruncate(file, size)
    except OSError:
        pass
