# SPDX-License-Identifier: MIT
"""A failure that ends a script: one line for the user, and the exit code."""

import contextlib
import os

from common.screen import complain

FAILED = 1  # a trial failed
USAGE = 2  # usage, configuration, or nothing that could be run
UNDECIDED = 4  # a comparison that was to be decided is not
NO_WRITE = 3  # the results could not be written
TIMED_OUT = 124
INTERRUPTED = 130


class Failure(Exception):
    def __init__(self, message, code=USAGE):
        super().__init__(message)
        self.code = code


@contextlib.contextmanager
def failing(what, code=USAGE):
    """Turns errors of the operating system into Failures that begin with these words."""
    try:
        yield
    except OSError as error:
        raise Failure(f"{what}: {error.strerror}", code) from None


def writing(path):
    """The same for what is written there."""
    return failing(f"{path}: cannot write", NO_WRITE)


def exit_code(main):
    """That of a command, which may fail."""
    try:
        return main()
    except Failure as failure:
        complain(str(failure))
        return failure.code
    except BrokenPipeError:  # nobody reads the output any more
        os._exit(USAGE)
