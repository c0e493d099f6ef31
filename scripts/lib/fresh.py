# SPDX-License-Identifier: MIT
"""A program file of its own for every trial.

Which physical pages hold a program's code depends on when its file was read into memory, and stays so for all processes
that run this file. That alone moves the time of a send by up to a quarter, in either direction, so that one file gives
the same wrong figure again and again, with a narrow interval around it. A fresh copy lies in fresh pages: what was a bias becomes
noise, which the interval covers.
"""

import shutil
from contextlib import contextmanager
from pathlib import Path

from records import cannot_write


@contextmanager
def copy_of(program, folder):
    """The path of a copy that lasts as long as the context. The folder is locked by this sweep, so one name will do."""
    copy = Path(folder) / f".{Path(program).name}"
    try:
        copy.unlink(missing_ok=True)  # of a sweep that was killed; and the copy must not get its pages
        shutil.copy2(program, copy)
    except OSError as error:
        raise cannot_write(error, copy) from None
    try:
        yield str(copy)
    finally:
        copy.unlink(missing_ok=True)
