# SPDX-License-Identifier: MIT
"""Argument types that argparse lacks."""

import argparse
import re
import subprocess

from common.actorlab import INSTALLED, ROOT, executable
from common.failure import Failure

LONGEST = 100  # digits of a number that are converted


class Parser(argparse.ArgumentParser):
    """Tells a mistake in one line instead of behind all options, and knows the version."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        if INSTALLED:
            self.prog = self.prog.replace("scripts/", "actorlab-")
        self.add_argument("-V", "--version", action=Version, nargs=0, help="show the version and exit")

    def error(self, message):
        raise Failure(f"{self.prog}: {message}")


class Version(argparse.Action):
    def __call__(self, parser, *_):
        if INSTALLED:
            subprocess.run([executable(), "--version"])
        else:
            print("actorlab", re.search(r"version: '([^']+)'", (ROOT / "meson.build").read_text(encoding="utf-8"))[1])
        parser.exit()


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
