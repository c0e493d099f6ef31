# SPDX-License-Identifier: MIT
"""Argument types that argparse lacks."""

import argparse
import re

from common.failure import Failure

LONGEST = 100  # digits of a number that are converted


class Parser(argparse.ArgumentParser):
    """Tells a mistake in one line instead of behind all options."""

    def error(self, message):
        raise Failure(f"{self.prog}: {message}")


def regex(text):
    try:
        return re.compile(text)
    except (re.error, OverflowError, RecursionError) as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a regular expression: {error}") from None


def natural(most, least=0):
    """The type of whole numbers in this range."""
    def parse(text):
        if not text.isdecimal() or len(text) > LONGEST or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from {least} to {most}")
        return int(text)

    return parse
