# SPDX-License-Identifier: MIT
"""What marks the number of workers of a cell in tables and captions, and cells whose size may
decide the result (docs/how-to/simulating.md)."""

from collections import Counter

from common.words import plural

MARKS = {"oversubscribed": ("*", "more workers than PUs"),
         "mixed_kinds": ("+", "workers on cores of several kinds")}
DOUBTFUL = "°"


def doubt(*cells):
    """What stands beside a number if the size of one of these cells may decide the result."""
    return DOUBTFUL if any(cell["doubts"] for cell in cells) else ""


def doubts(cells):
    """{doubt: how many of these cells have it}"""
    return Counter(text for cell in cells for text in cell["doubts"])


def doubted(cells):
    """The same as the end of a caption or note; empty if there is none."""
    words = "; ".join(f"{text} ({plural(n, 'cell')})" for text, n in doubts(cells).items())
    return f" Ringed, or marked with {DOUBTFUL}: {words}." if words else ""


def mark(cell):
    return "".join(sign for key, (sign, _) in MARKS.items() if cell[key])


def meanings(cells):
    """[(sign, meaning)] of the marks that any of these cells has."""
    return [MARKS[key] for key in MARKS if any(cell[key] for cell in cells)]


def sentences(cells):
    """The same for the end of a caption or note, and the doubts."""
    return "".join(f" {sign}: {meaning}." for sign, meaning in meanings(cells)) + doubted(cells)


def caption_note(cells):
    """The caption's sentences about cells that a figure draws hollow, those whose workers were on
    cores of several kinds, and those that it rings."""
    words = " Hollow: more workers than PUs." if any(cell["oversubscribed"] for cell in cells) else ""
    counts = sorted({cell["workers"] for cell in cells if cell["mixed_kinds"]})
    mixed = f" Workers are on cores of several kinds with {', '.join(map(str, counts))} workers." if counts else ""
    return words + mixed + doubted(cells)
