# SPDX-License-Identifier: MIT
"""Writing files so that a crash or a full disk leaves something whole."""

import os
from pathlib import Path

from common.failure import NO_WRITE, Failure


def write_whole(path, content):
    """Writes a whole file or nothing: a crash leaves the old one."""
    temporary = path.with_name(path.name + ".new")
    with open(temporary, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)


def cannot_write(error, path):
    return Failure(f"{path}: cannot write: {error.strerror}", NO_WRITE)


def relative(path):
    """As people read it: from the current folder on, if it is in there."""
    try:
        return Path(path).absolute().relative_to(Path.cwd())
    except ValueError:
        return path
