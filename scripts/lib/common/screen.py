# SPDX-License-Identifier: MIT
"""Output for people: colours on a terminal, plain lines in a log."""

import functools
import os
import re
import sys

# Characters that move the cursor, or colour or reorder what follows; also a line break in a name.
# The same as in al_printable() in C.
UNPRINTABLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(text):
    """The text with such characters written as \\x1b or \\u202e, because names from records are
    printed on terminals."""
    def escaped(found):
        code = ord(found[0])
        return f"\\x{code:02x}" if code <= 0xff else f"\\u{code:04x}"

    return UNPRINTABLE.sub(escaped, text)


def printable_lines(text):
    """The same, but line breaks stay."""
    return "\n".join(map(printable, text.split("\n")))


class Screen:
    def __init__(self, color="auto"):
        sys.stdout.reconfigure(errors="replace")  # an unencodable dash must not end a sweep
        self.live = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
        self.color = color == "always" or color == "auto" and not os.environ.get("NO_COLOR")

    @functools.cached_property
    def console(self):
        """Of a terminal."""
        from rich.console import Console

        return Console(force_terminal=True, no_color=not self.color, highlight=False, markup=False)

    def say(self, text):
        text = printable_lines(text)
        if self.live:
            self.console.print(text, soft_wrap=True)
        else:
            print(text, flush=True)

    def list(self, lines):
        """Prints many lines."""
        print("\n".join(map(printable, lines)), flush=True)


def complain(text):
    print(printable_lines(text), file=sys.stderr, flush=True)


def tell(lines):
    """Prints paths, or whatever a command was asked for, a line each."""
    for line in lines:
        print(printable(str(line)))
