# SPDX-License-Identifier: MIT
"""Files of results folders. A folder may come from a stranger: its names may be links to files
elsewhere, pipes and devices. And a crash or a full disk must leave something whole."""

import errno
import os
import stat
from pathlib import Path

from common.failure import NO_WRITE, Failure


def write_whole(path, content):
    """Writes a whole file or nothing: a crash leaves the old one."""
    temporary = path.with_name(path.name + ".new")
    temporary.unlink(missing_ok=True)
    with open(temporary, "xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)


def open_own(path, flags):
    """A descriptor of a file to add to, made if need be; an opener for open(). Raises OSError for
    what is no regular file. If the file has another name (a hard link), that keeps the content."""
    path = Path(path)
    found = own(path)
    if found and found.st_nlink > 1:
        write_whole(path, path.read_bytes())
    return os.open(path, flags | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)


def open_lock(path):
    """A descriptor of a regular file, whose content is not touched."""
    own(path)
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)


def open_to_read(path, flags=os.O_RDONLY):
    """A descriptor of a regular file, which a link may name: reading that does no harm. An opener
    for open()."""
    file = os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        regular(path, os.fstat(file))
        return file
    except OSError:
        os.close(file)
        raise


def read_own(path):
    """The content of a regular file."""
    with open(path, "rb", opener=open_to_read) as file:
        return file.read()


def own(path):
    """What is at the path, None for nothing. Raises OSError unless it is a regular file itself."""
    return regular(path, os.lstat(path)) if os.path.lexists(path) else None


def regular(path, found):
    """What was found at the path, if it is a regular file; else raises OSError."""
    if stat.S_ISREG(found.st_mode):
        return found
    if stat.S_ISDIR(found.st_mode):
        raise OSError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    what = "a link to another place" if stat.S_ISLNK(found.st_mode) else "no regular file"
    raise OSError(errno.EINVAL, f"It is {what}; remove it", path)


def make_own_folder(path):
    """Makes a folder of a results folder, unless it is there. Raises OSError for a link."""
    path.mkdir(parents=True, exist_ok=True)
    if path.is_symlink():
        raise OSError(errno.ENOTDIR, "It is a link to another place; remove it", path)


def cannot_write(error, path):
    return Failure(f"{path}: cannot write: {error.strerror}", NO_WRITE)


def relative(path):
    """As people read it: from the current folder on, if it is in there."""
    try:
        return Path(path).absolute().relative_to(Path.cwd())
    except (ValueError, FileNotFoundError):  # or it is there no more
        return path
