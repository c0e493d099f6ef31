# SPDX-License-Identifier: MIT
"""What marks the number of workers of a cell in tables and captions."""

MARKS = {"oversubscribed": ("*", "more workers than PUs"),
         "mixed_kinds": ("+", "workers on cores of several kinds")}


def mark(cell):
    return "".join(sign for key, (sign, _) in MARKS.items() if cell[key])


def meanings(cells):
    """[(sign, meaning)] of the marks that any of these cells has."""
    return [MARKS[key] for key in MARKS if any(cell[key] for cell in cells)]


def sentences(cells):
    """The same for the end of a caption or note."""
    return "".join(f" {sign}: {meaning}." for sign, meaning in meanings(cells))


def caption_note(cells):
    """The caption's sentences about cells that a figure draws hollow, and about those whose workers
    were on cores of several kinds."""
    words = " Hollow: more workers than PUs." if any(cell["oversubscribed"] for cell in cells) else ""
    counts = sorted({cell["workers"] for cell in cells if cell["mixed_kinds"]})
    mixed = f" Workers are on cores of several kinds with {', '.join(map(str, counts))} workers." if counts else ""
    return words + mixed
